package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// A blob is read through a gateway by somebody who knows its ID and trusts nobody.
func Example() {
	ctx := context.Background()
	address, id := startGateway(ctx)

	g, err := remote.New(address, nil)
	if err != nil {
		panic(err)
	}
	b, err := g.Open(ctx, id)
	if err != nil {
		panic(err)
	}
	r := proof.NewReader(ctx, b) // an io.ReadSeeker, io.ReaderAt and io.WriterTo
	if _, err := r.Seek(11, io.SeekStart); err != nil {
		panic(err)
	}
	if _, err := io.Copy(os.Stdout, r); err != nil {
		panic(err)
	}
	// Output: do not trust
}

// startGateway is what somebody else does, elsewhere.
func startGateway(ctx context.Context) (address string, id commit.ID) {
	store := blob.NewMem()
	w, err := blob.NewWriter(ctx, store, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if _, err := io.Copy(w, strings.NewReader("verify, and do not trust")); err != nil {
		panic(err)
	}
	h, err := w.Commit()
	if err != nil {
		panic(err)
	}
	handler, err := gateway.New(store, gateway.Options{})
	if err != nil {
		panic(err)
	}
	return httptest.NewServer(handler).URL, h.ID()
}

// What a gateway lists is worth what opening it shows.
func ExampleGateway_IDs() {
	ctx := context.Background()
	address, _ := startGateway(ctx)
	g, err := remote.New(address, nil)
	if err != nil {
		panic(err)
	}
	for id, err := range g.IDs(ctx) {
		if err != nil {
			panic(err)
		}
		b, err := g.Open(ctx, id)
		if err != nil {
			panic(err)
		}
		fmt.Println(b.Header().Length, "bytes")
	}
	// Output: 24 bytes
}
