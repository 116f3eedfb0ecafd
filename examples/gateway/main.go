// Command gateway mounts the gateway's handler in a server of its own, and is that server's first client: it stores a
// file, loses two lanes of it, reads a range as any HTTP client would, and then the same range with proofs, which it
// checks with nothing but the ID.
//
//	go run ./examples/gateway FILE|-
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func main() {
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: gateway FILE|-")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

func run(name string, stdin io.Reader, out, log io.Writer) error {
	dir, err := os.MkdirTemp("", "gateway")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := blob.OpenDir(dir)
	if err != nil {
		return err
	}
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	header, err := write(store, in)
	if err != nil {
		return err
	}
	id := header.ID()
	for _, lane := range []string{"lane-00", "lane-04"} {
		if err := os.Remove(filepath.Join(dir, id.String(), lane)); err != nil {
			return err
		}
	}

	// The handler counts in stats and logs to log; where it stands among others is the server's business.
	var stats blob.Stats
	handler, err := gateway.New(store, gateway.Options{Stats: &stats, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		return err
	}
	defer handler.Close()
	mux := http.NewServeMux()
	mux.Handle("/tape/", http.StripPrefix("/tape", handler))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go server.Serve(listener)
	defer server.Shutdown(context.Background())
	url := fmt.Sprintf("http://%s/tape/blobs/%v", listener.Addr(), id)

	length := min(header.Length, 100_000)
	trusted, err := readRange(url, length)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v\nread %d bytes of %d over HTTP, %d slices rebuilt\n", id, len(trusted), header.Length, stats.Rebuilt.Load())
	proven, err := readProven(url, id, length)
	if err != nil {
		return err
	}
	if !bytes.Equal(trusted, proven) {
		return errors.New("the bytes without proofs were others")
	}
	fmt.Fprintf(out, "read %d bytes with proofs: the same, and true of the ID\n", len(proven))
	return nil
}

// write stores what r yields.
func write(store blob.Store, r io.Reader) (commit.Header, error) {
	w, err := blob.NewWriter(context.Background(), store, blob.Options{})
	if err != nil {
		return commit.Header{}, err
	}
	defer w.Close()
	if _, err := w.ReadFrom(r); err != nil {
		return commit.Header{}, err
	}
	return w.Commit()
}

// readRange reads the first bytes of a blob. Whoever does so trusts the gateway.
func readRange(url string, length int64) ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if length > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", length-1))
	}
	return get(req)
}

// readProven reads the first bytes of a blob and trusts nobody: what it knows is the ID. The header comes first, for it
// says which slices hold the bytes.
func readProven(url string, id commit.ID, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	req, err := http.NewRequest(http.MethodGet, url+"/header", nil)
	if err != nil {
		return nil, err
	}
	encoded, err := get(req)
	if err != nil {
		return nil, err
	}
	header, err := commit.OpenHeader(id, encoded)
	if err != nil {
		return nil, err
	}
	if req, err = http.NewRequest(http.MethodGet, fmt.Sprintf("%s/bundles?range=0-%d", url, length-1), nil); err != nil {
		return nil, err
	}
	bundles, err := get(req)
	if err != nil {
		return nil, err
	}
	var plain []byte
	for s, err := range proof.Open(id, bytes.NewReader(bundles), header.Cover(0, length)) {
		if err != nil {
			return nil, err
		}
		_, n := header.Span(s.Pos())
		plain = append(plain, s.Bytes()[:n]...)
	}
	return plain[:length], nil
}

// get returns the body of an answer that says that all went well.
func get(req *http.Request) ([]byte, error) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusPartialContent {
		return nil, fmt.Errorf("%s: %s: %s", req.URL, res.Status, body)
	}
	return body, nil
}
