package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// An origin is what a command that only reads takes blobs from: a store, or a gateway, which is read through proofs.
type origin interface {
	IDs(ctx context.Context) iter.Seq2[commit.ID, error]
	header(ctx context.Context, id commit.ID) (commit.Header, error)
	objects(ctx context.Context, h commit.Header) ([]objectReport, error) // nil where they are not to be seen
	open(ctx context.Context, id commit.ID) (source, error)

	// ofBlob reports whether an error of header is about that blob, and others may still be read.
	ofBlob(err error) bool
}

// A source is an open blob.
type source interface {
	proof.Source
	writeBundles(ctx context.Context, w io.Writer, at iter.Seq[commit.Pos]) error
	Close() error
}

// origin opens what is there under the name of the store.
func (s *storeFlag) origin(cmd *cobra.Command) (origin, error) {
	name, err := s.name(cmd)
	if err != nil {
		return nil, err
	}
	if isGateway(name) {
		g, err := remote.New(name, nil)
		if err != nil {
			return nil, wrongUse{err}
		}
		return gatewayOrigin{g}, nil
	}
	store, err := s.open(cmd)
	if err != nil {
		return nil, err
	}
	return storeOrigin{store}, nil
}

// source opens the blob that an operand names.
func (s *storeFlag) source(cmd *cobra.Command, operand string) (source, error) {
	ids, err := parseIDs([]string{operand})
	if err != nil {
		return nil, err
	}
	from, err := s.origin(cmd)
	if err != nil {
		return nil, err
	}
	return from.open(cmd.Context(), ids[0])
}

// storeOrigin is a store that can be looked into.
type storeOrigin struct{ blob.Store }

func (o storeOrigin) header(ctx context.Context, id commit.ID) (commit.Header, error) {
	return blob.ReadHeader(ctx, o.Store, id)
}

func (o storeOrigin) objects(ctx context.Context, h commit.Header) ([]objectReport, error) {
	return measureObjects(ctx, o.Store, h)
}

func (o storeOrigin) open(ctx context.Context, id commit.ID) (source, error) {
	b, err := openBlob(ctx, o.Store, id)
	if err != nil {
		return nil, err
	}
	return storeSource{b}, nil
}

func (o storeOrigin) ofBlob(error) bool { return true }

type storeSource struct{ *blob.Blob }

func (s storeSource) writeBundles(ctx context.Context, w io.Writer, at iter.Seq[commit.Pos]) error {
	return proof.Write(ctx, w, s.Blob, at)
}

// isGateway reports whether a store's name is the URL of a gateway.
func isGateway(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// redacted is the name of a store without a password.
func redacted(name string) string {
	if u, err := url.Parse(name); err == nil && isGateway(name) {
		return u.Redacted()
	}
	return name
}

// gatewayOrigin is a gateway, which need not be trusted.
type gatewayOrigin struct{ *remote.Gateway }

func (o gatewayOrigin) header(ctx context.Context, id commit.ID) (commit.Header, error) {
	b, err := o.Open(ctx, id)
	if err != nil {
		return commit.Header{}, err
	}
	return b.Header(), nil
}

func (o gatewayOrigin) objects(context.Context, commit.Header) ([]objectReport, error) {
	return nil, nil
}

func (o gatewayOrigin) open(ctx context.Context, id commit.ID) (source, error) {
	b, err := o.Open(ctx, id)
	if err != nil {
		return nil, unknown(id, err)
	}
	return gatewaySource{b}, nil
}

func (o gatewayOrigin) ofBlob(err error) bool { return errors.As(answer(err), new(refusal)) }

type gatewaySource struct{ *remote.Blob }

func (s gatewaySource) writeBundles(ctx context.Context, w io.Writer, at iter.Seq[commit.Pos]) error {
	return s.WriteBundles(ctx, w, at)
}

func (gatewaySource) Close() error { return nil }
