package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a connection may cost that asks for nothing yet, and what an answer may take that no handler sets a time for.
const (
	headerTimeout = 10 * time.Second
	headerBytes   = 64 << 10
	idleTimeout   = 2 * time.Minute
	answerTimeout = time.Minute
)

// server is an HTTP server and where it listens.
type server struct {
	*http.Server
	listener net.Listener
}

// newHTTPServer makes a server whose every wait has an end. There is no ReadTimeout: it would end
// downloads too, and the gateway has a deadline for each piece of an upload.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
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
	for _, srv := range servers {
		if late := srv.Shutdown(ending); late != nil {
			log.Warn("requests are cut", "after", grace)
			err = errors.Join(err, fmt.Errorf("requests ran longer than %v and were cut", grace), srv.Close())
		}
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
