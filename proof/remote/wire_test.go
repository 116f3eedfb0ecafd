package remote_test

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// A wire is a transport without a network: a request is a call of the handler, and what that writes streams. In a bubble of
// package synctest its time is the bubble's.
type wire struct{ http.Handler }

func (t wire) client() *http.Client { return &http.Client{Transport: t} }

func (t wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, out := io.Pipe()
	w := &wireWriter{header: make(http.Header), out: out, answer: make(chan *http.Response, 1)}
	stop := context.AfterFunc(r.Context(), func() { body.CloseWithError(context.Cause(r.Context())) })
	go func() {
		defer stop()
		defer func() {
			if recover() != nil { // a broken connection
				out.CloseWithError(io.ErrUnexpectedEOF)
			}
			out.CloseWithError(context.Cause(r.Context())) // io.EOF, where there is none
		}()
		t.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
	}()
	select {
	case resp := <-w.answer:
		resp.Body = body
		return resp, nil
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

type wireWriter struct {
	header http.Header
	out    *io.PipeWriter
	answer chan *http.Response
	once   sync.Once
}

func (w *wireWriter) Header() http.Header { return w.header }

func (w *wireWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.answer <- &http.Response{StatusCode: status, Header: w.header.Clone()}
	})
}

func (w *wireWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}
