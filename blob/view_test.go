package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
)

// TestView damages a blob in memory, where slices are not copied, in every way up to what can be mended: all of it is read
// all the same, and by ranges.
func TestView(t *testing.T) {
	ctx := context.Background()
	plain := randomBytes(newRand(6), 20*192+50)
	s := blob.NewMem()
	id := write(t, s, blob.Options{Params: small}, plain).ID()
	open := func() blob.Repairable {
		o, err := s.Open(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return o.(blob.Repairable)
	}
	check := func(after string) {
		t.Helper()
		if got := read(t, s, id); !bytes.Equal(got, plain) {
			t.Fatalf("after %s: read gives other bytes", after)
		}
	}
	check("nothing")
	o := open()
	rng := newRand(7)
	for i := range 200 {
		name := lane(rng.IntN(small.N))
		size, err := o.Size(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		off := rng.Int64N(size + 1)
		was := make([]byte, size)
		if n, err := o.ReadAt(ctx, name, was, 0); n != len(was) {
			t.Fatal(err)
		}
		if i%2 == 0 {
			err = o.WriteAt(ctx, name, []byte("damage"), off)
		} else {
			err = o.Truncate(ctx, name, off)
		}
		if err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("damage to %s at %d", name, off))
		if err := o.WriteAt(ctx, name, was, 0); err != nil {
			t.Fatal(err)
		}
		if err := o.Truncate(ctx, name, size); err != nil {
			t.Fatal(err)
		}
	}
	check("repair")
}

// TestViewLasts changes the store under a slice that was yielded: it stays what was checked.
func TestViewLasts(t *testing.T) {
	ctx := context.Background()
	plain := randomBytes(newRand(8), 20*192)
	s := blob.NewMem()
	id := write(t, s, blob.Options{Params: small}, plain).ID()
	o, err := s.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, s, id)
	var got []byte
	for v, err := range b.Slices(ctx, b.Header().Cover(0, b.Header().Length)) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range small.N {
			size, err := o.Size(ctx, lane(i))
			if err != nil {
				t.Fatal(err)
			}
			if err := o.(blob.Repairable).WriteAt(ctx, lane(i), make([]byte, size-108), 108); err != nil {
				t.Fatal(err)
			}
			if err := o.(blob.Repairable).Truncate(ctx, lane(i), 1000); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, v.Bytes()...)
		if len(got) == 8*192 {
			break
		}
	}
	if !bytes.Equal(got, plain[:8*192]) {
		t.Error("what was checked has changed")
	}
}
