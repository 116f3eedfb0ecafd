// Package remote reads blobs from a gateway that nobody needs to trust.
//
// A [Blob] is a [proof.Source]: whatever reads from one, a [proof.Reader] for instance, reads from a gateway. It holds the
// ID of the blob, asks for bundles of certain slices, and takes those slices only, as the ID vouches for them. A gateway can
// refuse to answer. It cannot make a wrong byte pass, nor have the client keep more than it asked for, nor let it
// wait for ever: an answer of which neither 64 KiB nor the end arrives within a minute is given up.
//
// What a gateway answers, package blob/gateway tells, which serves one.
package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tapecommit/tapecommit/commit"
)

// Gateway is the address of a gateway. It serves many goroutines.
type Gateway struct {
	base   *url.URL
	client *http.Client
}

// New returns the gateway at a base URL, http or https, below which /blobs lies. With a nil client it uses one of its own,
// which follows no redirects.
func New(base string, client *http.Client) (*Gateway, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fmt.Errorf("remote: %q is no http or https URL of a gateway", u.Redacted())
	}
	if client == nil {
		client = ownClient
	}
	return &Gateway{u, client}, nil
}

// ownClient is shared, so that a Gateway holds no connections that somebody would have to close.
var ownClient = &http.Client{
	Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    maxAhead,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	},
	// A gateway has no need of redirects, and whoever answers in its place is not to choose whom this host asks.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Open asks for the header of a blob and checks it against the ID. Where the gateway has no such blob the error is
// [io/fs.ErrNotExist].
func (g *Gateway) Open(ctx context.Context, id commit.ID) (*Blob, error) {
	h, err := g.header(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("remote: header of %v: %w", id, err)
	}
	return &Blob{g: g, id: id, h: h}, nil
}

func (g *Gateway) header(ctx context.Context, id commit.ID) (commit.Header, error) {
	answer, err := g.get(ctx, nil, "blobs", id.String(), "header")
	if err != nil {
		return commit.Header{}, err
	}
	defer answer.Close()
	b, err := io.ReadAll(io.LimitReader(answer, commit.HeaderLen+1))
	if err != nil {
		return commit.Header{}, err
	}
	return commit.OpenHeader(id, b)
}
