package remote

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// StatusError is an answer other than 200 OK. It is [io/fs.ErrNotExist] where the status is 404.
type StatusError struct {
	URL     string // without a password
	Status  int
	Message string // what else the gateway said, the first line of it
}

func (e *StatusError) Error() string {
	s := strings.TrimSpace(fmt.Sprintf("%s: %d %s", e.URL, e.Status, http.StatusText(e.Status)))
	if e.Message != "" {
		s += fmt.Sprintf(": %q", e.Message)
	}
	return s
}

// Is reports whether target is fs.ErrNotExist and the gateway has no such thing.
func (e *StatusError) Is(target error) bool {
	return target == fs.ErrNotExist && e.Status == http.StatusNotFound
}

// busy reports whether asking again may help.
func (e *StatusError) busy() bool {
	return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests
}

const (
	maxTries = 8
	minWait  = 100 * time.Millisecond // before the second try, and twice that before each one further
	maxWait  = 10 * time.Second
)

// get asks for a path below the base, and again while the gateway says that it has too much to do. What it returns must
// be closed.
func (g *Gateway) get(ctx context.Context, query url.Values, path ...string) (*answer, error) {
	u := g.base.JoinPath(path...)
	u.RawQuery = query.Encode()
	for try := 1; ; try++ {
		a, err := g.ask(ctx, u.String())
		if err != nil {
			return nil, err
		}
		if a.StatusCode == http.StatusOK {
			return a, nil
		}
		status := &StatusError{URL: u.Redacted(), Status: a.StatusCode, Message: a.message()}
		a.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !status.busy() || try == maxTries {
			return nil, status
		}
		select {
		case <-time.After(a.wait(minWait << (try - 1))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// ask makes one request.
func (g *Gateway) ask(ctx context.Context, u string) (*answer, error) {
	w := newWatch(ctx)
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, u, nil)
	if err != nil {
		w.stop()
		return nil, err
	}
	// Hashes do not compress, and what comes is to be as long as what was asked for.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := g.client.Do(req)
	if err != nil {
		err = w.reason(err)
		w.stop()
		return nil, err
	}
	a := &answer{Response: resp, watch: w}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		a.Close()
		return nil, fmt.Errorf("%s: answered in content coding %.20q", req.URL.Redacted(), coding)
	}
	return a, nil
}

// message is what an answer says that is an error.
func (a *answer) message() string {
	if to := a.Header.Get("Location"); to != "" {
		return fmt.Sprintf("to %.200s", to)
	}
	said, _ := io.ReadAll(io.LimitReader(a, 200))
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	return strings.ToValidUTF8(line, "?")
}

// wait is how long to wait before the next try: at least what the gateway asks for, or least, and never too long.
func (a *answer) wait(least time.Duration) time.Duration {
	seconds, _ := strconv.Atoi(a.Header.Get("Retry-After")) // 0 for a date, which gateways do not send
	return min(max(time.Duration(min(max(seconds, 0), 3600))*time.Second, least), maxWait)
}
