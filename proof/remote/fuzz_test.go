package remote_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// A said is a transport that has the same answer for whatever it is asked: a status and a body.
type said struct {
	status int
	body   []byte
	taken  *int64
}

func (s said) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(io.TeeReader(bytes.NewReader(s.body), s))}, nil
}

func (s said) Write(p []byte) (int, error) {
	*s.taken += int64(len(p))
	return len(p), nil
}

// openSaid opens a blob of the model, and then a gateway that says b has.
func openSaid(t testing.TB, header, body []byte, id commit.ID, status int, taken *int64) (*remote.Blob, error) {
	t.Helper()
	turn := roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/header") {
			return said{200, header, taken}.RoundTrip(r)
		}
		return said{status, body, taken}.RoundTrip(r)
	})
	return dial(t, "http://said", &http.Client{Transport: turn}).Open(context.Background(), id)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzBundle has a gateway answer anything when it is asked for slices: they are those of the blob or errors, and they are
// slices for one body only. What is taken of it is no more than that.
func FuzzBundle(f *testing.F) {
	truth := model(small, stream(21, 70*192))
	id := commit.ID(truth.ID())
	positions := []int64{321, 323, 325}
	at := []commit.Pos{{Group: 64, Lane: 1}, {Group: 64, Lane: 3}, {Group: 65}}
	honest := truth.Bundle(positions)
	f.Add(honest)
	f.Add(truth.Bundle([]int64{321, 323, 324}))
	f.Add(truth.Bundle([]int64{1, 3, 5}))
	f.Add(truth.Bundles([]int64{5, 321, 323, 325}))
	f.Add(truth.Proof(positions))
	f.Add(append(bytes.Clone(honest), honest...))
	f.Add(model(small, stream(22, 70*192)).Bundle(positions))
	f.Fuzz(func(t *testing.T, body []byte) {
		var taken int64
		b, err := openSaid(t, truth.Header.Bytes(), body, id, 200, &taken)
		if err != nil {
			t.Fatal(err)
		}
		taken = 0
		good := 0
		for _, r := range collect(t, b, truth, slices.Values(at)) {
			if r.err == nil {
				good++
			} else if rule := commit.Rule(""); !errors.As(r.err, &rule) {
				t.Fatal(r.err)
			}
		}
		if same := bytes.Equal(body, honest); same && good != len(at) || !same && good != 0 {
			t.Fatalf("%d slices of a body that is right: %v", good, same)
		}
		if most := max(72+8*64*5, len(honest)+1); taken > int64(most) {
			t.Fatalf("%d bytes taken", taken)
		}
	})
}

// FuzzHeader has a gateway answer anything when it is asked for the header. With own, the ID is that of what it says.
func FuzzHeader(f *testing.F) {
	truth := model(small, stream(23, 1000))
	for _, b := range [][]byte{truth.Header.Bytes(), model(small, nil).Header.Bytes(), nil, make([]byte, 64), append(truth.Header.Bytes(), 0)} {
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, own bool) {
		id := commit.ID(truth.ID())
		if own {
			id = commit.ID(sha256.Sum256(append([]byte("BLOB"), body...)))
		}
		var taken int64
		b, err := openSaid(t, body, nil, id, 200, &taken)
		if taken > 65 {
			t.Fatalf("%d bytes taken", taken)
		}
		if err != nil {
			if rule := commit.Rule(""); !errors.As(err, &rule) {
				t.Fatal(err)
			}
			return
		}
		if again, err := b.Header().AppendBinary(nil); err != nil || !bytes.Equal(again, body) || b.Header().ID() != id {
			t.Fatalf("opened %x as %x: %v", body, again, err)
		}
	})
}

// FuzzList has a gateway answer anything when it is asked for its blobs: IDs in ascending order come of it, then at most one
// error.
func FuzzList(f *testing.F) {
	x, y := commit.ID{1}.String(), commit.ID{2}.String()
	f.Add([]byte(`{"blobs":[{"id":"` + x + `","size":1},{"id":"` + y + `"}]}`))
	f.Add([]byte(`{"blobs":[{"id":"` + x + `"},{"id":"` + y + `"}],"next":"` + y + `"}`))
	f.Add([]byte(`{"blobs":[{"id":"` + y + `"},{"id":"` + x + `"}]}`))
	f.Add([]byte(`{"blobs":[],"next":"` + x + `"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var taken int64
		list, _ := ids(t, dial(t, "http://said", &http.Client{Transport: said{200, body, &taken}}))
		for i := 1; i < len(list); i++ {
			if bytes.Compare(list[i-1][:], list[i][:]) >= 0 {
				t.Fatalf("%v after %v", list[i], list[i-1])
			}
		}
		if taken > 2*int64(len(body)) {
			t.Fatalf("%d bytes taken of %d", taken, len(body))
		}
	})
}

// FuzzMessage has a gateway answer anything as an error: one line of few characters comes of it.
func FuzzMessage(f *testing.F) {
	f.Add(404, []byte("no such blob\n"))
	f.Add(500, []byte("a\xff\x00\r\nb"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var taken int64
		if status == 200 || status == 503 || status == 429 { // those are asked again
			status = 418
		}
		err := func() error {
			_, err := dial(t, "http://said", &http.Client{Transport: said{status, body, &taken}}).Open(context.Background(), commit.ID{})
			return err
		}()
		var s *remote.StatusError
		if !errors.As(err, &s) || s.Status != status || taken > 200 {
			t.Fatalf("%v, with %d bytes taken", err, taken)
		}
		if text := err.Error(); strings.ContainsAny(text, "\n\r\x00\x1b") || len(text) > 1200 {
			t.Fatalf("%q", text)
		}
	})
}
