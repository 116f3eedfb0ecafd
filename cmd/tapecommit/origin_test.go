package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serve STORE serves a store until the script ends, and puts the address into $GATEWAY.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve store")
	}
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	r, w := io.Pipe()
	var log bytes.Buffer
	go func() {
		code <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--drain", "0s", "--store", ts.MkAbs(args[0])}, nil, w, &log)
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		ts.Fatalf("no address: exit code %d: %s", <-code, &log)
	}
	ts.Defer(func() {
		cancel()
		<-code
	})
	ts.Setenv("GATEWAY", strings.TrimSpace(line))
}

// lie OFFSET puts the address of a gateway into $LIAR that gives what the one at $GATEWAY does, but for one byte of each
// bundle; from the end where OFFSET is negative.
func lie(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lie offset")
	}
	base, off := ts.Getenv("GATEWAY"), int(integers(ts, args)[0])
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get(base + r.URL.String())
		if err != nil {
			panic(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(err)
		}
		if strings.HasSuffix(r.URL.Path, "/bundles") {
			body[(len(body)+off)%len(body)] ^= 4
		}
		w.WriteHeader(resp.StatusCode)
		w.Write(body)
	}))
	ts.Defer(liar.Close)
	ts.Setenv("LIAR", liar.URL)
}
