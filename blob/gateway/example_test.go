package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/proof"
)

// A client reads a range in plain HTTP, and then once more with proofs, which it checks with nothing but the ID.
func Example() {
	store := blob.NewMem()
	w, err := blob.NewWriter(context.Background(), store, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	io.WriteString(w, "what is read under an ID is what was written under it")
	header, err := w.Commit()
	if err != nil {
		panic(err)
	}
	id := header.ID()

	h, err := gateway.New(store, gateway.Options{})
	if err != nil {
		panic(err)
	}
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()

	req, err := http.NewRequest(http.MethodGet, server.URL+"/blobs/"+id.String(), nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Range", "bytes=0-11")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	fmt.Println(res.Status, res.Header.Get("Content-Range"))
	io.Copy(os.Stdout, res.Body)
	fmt.Println()

	res, err = http.Get(server.URL + "/blobs/" + id.String() + "/bundles?range=0-11")
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	for s, err := range proof.Open(id, res.Body, header.Cover(0, 12)) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("slice %v holds %d bytes, the first %q\n", s.Pos(), len(s.Bytes()), bytes.TrimRight(s.Bytes(), "\x00"))
	}
	// Output:
	// 206 Partial Content bytes 0-11/53
	// what is read
	// slice 0:0 holds 64 bytes, the first "what is read under an ID is what was written under it"
}
