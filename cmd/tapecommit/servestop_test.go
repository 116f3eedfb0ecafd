package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestServeStops sends SIGTERM to a serve under load. No request that was begun is cut: neither those of clients that
// ask again and again, nor a download and an upload that take longer than new requests are answered.
func TestServeStops(t *testing.T) {
	store, id, data := writeStore(t, 16<<20)
	cmd := exec.Command("tapecommit", "serve", "--store", store, "--listen", "127.0.0.1:0", "--drain", "500ms", "--log-level", "warn",
		"--writable", "--token-file", tokenFile(t, serveToken), "--grace", "2m", "--stall", "2m")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	address := strings.TrimPrefix(url, "http://")

	// The download is read no further than to its first byte, so that it blocks.
	download := talk(t, address, "GET /blobs/"+id+" HTTP/1.1\r\nHost: x\r\n\r\n")
	head, err := http.ReadResponse(download.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The server waits for the other half of the upload.
	other := reference.Stream(2, 1<<20)
	upload := talk(t, address, fmt.Sprintf("POST /blobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		serveToken, len(other), other[:len(other)/2]))

	var done atomic.Int64
	var clients sync.WaitGroup
	for c := range 16 {
		clients.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			rng := rand.New(rand.NewPCG(1, uint64(c)))
			for {
				n := 1 + rng.IntN(1<<rng.IntN(21))
				first := rng.IntN(len(data) - n)
				last, err := ask(transport, url+"/blobs/"+id, first, data[first:first+n])
				if err != nil {
					t.Errorf("bytes %d-%d: %v", first, first+n-1, err)
				}
				if last || err != nil {
					return
				}
				done.Add(1)
			}
		})
	}
	for done.Load() < 64 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	sawUnready := false
	for {
		res, err := http.Get(url + "/readyz")
		if err != nil {
			break // it takes no connections any more
		}
		res.Body.Close()
		sawUnready = sawUnready || res.StatusCode == http.StatusServiceUnavailable
		time.Sleep(time.Millisecond)
	}
	if !sawUnready {
		t.Error("/readyz never said that it stops")
	}
	clients.Wait()
	t.Logf("%d ranges were read by 16 clients", done.Load())

	if got, err := io.ReadAll(head.Body); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes of the download, %v", len(got), err)
	}
	if _, err := upload.c.Write(other[len(other)/2:]); err != nil {
		t.Error(err)
	}
	res, err := http.ReadResponse(upload.r, nil)
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Errorf("upload: %+v, %v", res, err)
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("ended with %v: %s", err, &stderr)
	}
	inFolder(t, store, 3) // two blobs, and tmp
}

type talker struct {
	c net.Conn
	r *bufio.Reader
}

// talk opens a connection and writes to it.
func talk(t *testing.T, address, text string) talker {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return talker{c, bufio.NewReader(c)}
}

// ask reads a range, and reports whether the server wants to be asked no more.
func ask(transport *http.Transport, url string, first int, want []byte) (last bool, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", first, first+len(want)-1))
	res, err := transport.RoundTrip(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return true, nil // the request was not begun
	}
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusPartialContent || !bytes.Equal(got, want)) {
		err = fmt.Errorf("status %d, %d bytes", res.StatusCode, len(got))
	}
	return res.Close, err
}
