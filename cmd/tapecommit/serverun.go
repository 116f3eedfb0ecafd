package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tapecommit/tapecommit/blob/gateway"
)

// What a connection may cost that asks for nothing yet, and what an answer may take that no handler sets a time for.
const (
	headerTimeout = 10 * time.Second
	headerBytes   = 64 << 10
	idleTimeout   = 2 * time.Minute
	answerTimeout = time.Minute
)

// unwinding is how long requests that are cut have to say so and to clear away, before the program ends without them.
const unwinding = 5 * time.Second

// server is an HTTP server and where it listens.
type server struct {
	*http.Server
	listener net.Listener
	handler  *counting
	cut      context.CancelCauseFunc // of the contexts of all requests
}

// newServer makes a server whose every wait has an end. There is no ReadTimeout: it would end
// downloads too, and the gateway has a deadline for each piece of an upload.
func newServer(l net.Listener, h http.Handler, log *slog.Logger) *server {
	base, cut := context.WithCancelCause(context.Background())
	c := &counting{Handler: h}
	return &server{&http.Server{
		Handler:           c,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}, l, c, cut}
}

// end ends a server, and cuts what runs after the grace. It returns how many requests that were.
func (s *server) end(grace context.Context) (requests int64, err error) {
	defer s.cut(nil)
	if s.Shutdown(grace) == nil {
		return 0, nil
	}
	requests = s.handler.running.Load()
	s.cut(gateway.ErrShutdown)
	err = s.Close()
	for until := time.Now().Add(unwinding); s.handler.running.Load() > 0 && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	return requests, err
}

// counting counts the requests that are being served.
type counting struct {
	http.Handler
	running atomic.Int64
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.running.Add(1)
	defer c.running.Add(-1)
	c.Handler.ServeHTTP(w, r)
}

// runServers serves until ctx is done. Then it goes on for the time of drain, while answers ask clients to come on
// another connection, and gives what runs at its end the time of grace. It fails where that did not suffice.
func runServers(ctx context.Context, servers []*server, s *site, drain, grace time.Duration, log *slog.Logger) error {
	failed := make(chan error, len(servers))
	for _, srv := range servers {
		go func() { failed <- srv.Serve(srv.listener) }()
	}
	var err error
	select {
	case err = <-failed:
		log.Error("cannot listen any more", "error", err.Error())
	case <-ctx.Done():
		s.stops.Store(true)
		log.Info("stopping", "drain", drain, "grace", grace)
		time.Sleep(drain)
	}
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	cut := int64(0)
	for _, srv := range servers {
		n, late := srv.end(ending)
		cut += n
		err = errors.Join(err, late)
	}
	if cut > 0 {
		log.Warn("requests were cut", "requests", cut, "after", grace)
		err = errors.Join(err, fmt.Errorf("%s ran longer than %v and were cut", count(int(cut), "request"), grace))
	}
	log.Info("stopped")
	return err
}

// limitedListener has no more connections open at a time than fit in slots.
type limitedListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

func newLimitedListener(l net.Listener, connections int) *limitedListener {
	closed := make(chan struct{})
	return &limitedListener{
		Listener: l,
		slots:    make(chan struct{}, connections),
		closed:   closed,
		close: sync.OnceValue(func() error {
			close(closed)
			return l.Close()
		}),
	}
}

func (l *limitedListener) Close() error { return l.close() }

// Accept takes a connection, which then waits for one before it to be closed: the timeouts of a server see to that.
func (l *limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case l.slots <- struct{}{}:
		return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.slots })}, nil
	case <-l.closed:
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
