package commit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

func idOf(header []byte) commit.ID {
	return sha256.Sum256(append([]byte("BLOB"), header...))
}

// valid is the header of 5 groups of 3 in 7 slices, the last group short.
func valid(t testing.TB) []byte {
	h := commit.Header{Params: commit.Params{K: 3, N: 7, SliceSize: 128}, Length: 4*3*128 + 100, Root: commit.Hash{1, 2, 3}}
	b, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpenHeaderRefuses(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		rule commit.Rule
		bend func(b []byte) []byte
	}{
		{"nothing", commit.HeaderSize, func(b []byte) []byte { return nil }},
		{"a byte fewer", commit.HeaderSize, func(b []byte) []byte { return b[:63] }},
		{"a byte more", commit.HeaderSize, func(b []byte) []byte { return append(b, 0) }},
		{"magic", commit.HeaderMagic, func(b []byte) []byte { b[3] = '2'; return b }},
		{"scheme 0", commit.HeaderScheme, func(b []byte) []byte { b[4] = 0; return b }},
		{"scheme 2", commit.HeaderScheme, func(b []byte) []byte { b[4] = 2; return b }},
		{"codec 0", commit.HeaderCodec, func(b []byte) []byte { b[5] = 0; return b }},
		{"k of 0", commit.HeaderCode, func(b []byte) []byte { b[6] = 0; return b }},
		{"k is n", commit.HeaderCode, func(b []byte) []byte { b[6] = 7; return b }},
		{"k and n swapped", commit.HeaderCode, func(b []byte) []byte { b[6], b[7] = b[7], b[6]; return b }},
		{"200 and 100", commit.HeaderCode, func(b []byte) []byte { b[6], b[7] = 200, 100; return b }},
		{"n of 21", commit.HeaderCode, func(b []byte) []byte { b[7] = 21; return b }},
		{"n of 255", commit.HeaderCode, func(b []byte) []byte { b[7] = 255; return b }},
		{"slices of 0", commit.HeaderSliceSize, func(b []byte) []byte { le.PutUint32(b[8:], 0); return b }},
		{"slices of 100", commit.HeaderSliceSize, func(b []byte) []byte { le.PutUint32(b[8:], 100); return b }},
		{"slices of 4160", commit.HeaderSliceSize, func(b []byte) []byte { le.PutUint32(b[8:], 4160); return b }},
		{"slices of 2^32-64", commit.HeaderSliceSize, func(b []byte) []byte { le.PutUint32(b[8:], 1<<32-64); return b }},
		{"reserved low", commit.HeaderReserved, func(b []byte) []byte { b[12] = 1; return b }},
		{"reserved high", commit.HeaderReserved, func(b []byte) []byte { b[15] = 0x80; return b }},
		{"length of 2^63", commit.HeaderLength, func(b []byte) []byte { le.PutUint64(b[16:], 1<<63); return b }},
		{"length of 2^64-1", commit.HeaderLength, func(b []byte) []byte { le.PutUint64(b[16:], math.MaxUint64); return b }},
		{"length of 2^62", commit.HeaderLength, func(b []byte) []byte { le.PutUint64(b[16:], 1<<62); return b }},
		{"2^27 groups and a byte", commit.HeaderLength, func(b []byte) []byte { le.PutUint64(b[16:], 3*128<<27+1); return b }},
		{"a group fewer", commit.HeaderGroups, func(b []byte) []byte { b[24]--; return b }},
		{"a group more", commit.HeaderGroups, func(b []byte) []byte { b[24]++; return b }},
		{"2^32 groups more", commit.HeaderGroups, func(b []byte) []byte { b[28]++; return b }},
		{"length of the next group", commit.HeaderGroups, func(b []byte) []byte { le.PutUint64(b[16:], 5*3*128+1); return b }},
		{"empty with a root", commit.HeaderRoot, func(b []byte) []byte { clear(b[16:32]); return b }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.bend(valid(t))
			if _, err := commit.OpenHeader(idOf(b), b); !errors.Is(err, c.rule) {
				t.Errorf("error %v, want rule %s", err, c.rule)
			}
		})
	}
	t.Run("another blob's", func(t *testing.T) {
		b := valid(t)
		id := idOf(b)
		for i := range b {
			bent := bytes.Clone(b)
			bent[i] ^= 1
			if _, err := commit.OpenHeader(id, bent); !errors.Is(err, commit.HeaderID) {
				t.Errorf("byte %d: error %v", i, err)
			}
		}
	})
}

func TestHeaderOfTheLargestBlob(t *testing.T) {
	h := commit.Header{Params: commit.Params{K: 19, N: 20, SliceSize: 4096}, Length: 19 * 4096 << 27}
	b, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := commit.OpenHeader(idOf(b), b)
	if err != nil || got != h {
		t.Fatalf("%+v, %v", got, err)
	}
	if g := got.Groups(); g != 1<<27 || got.Height() != 32 {
		t.Errorf("%d groups, height %d", g, got.Height())
	}
	last := commit.Pos{Group: 1<<27 - 1, Lane: 19}
	if p := got.Position(last); p != 20<<27-1 || got.PosAt(p) != last {
		t.Errorf("position %d is %v", p, got.PosAt(p))
	}
	h.Length++
	if _, err := h.AppendBinary(nil); !errors.Is(err, commit.HeaderLength) {
		t.Errorf("a byte more: %v", err)
	}
}

func FuzzOpenHeader(f *testing.F) {
	f.Add(valid(f))
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := commit.OpenHeader(idOf(b), b)
		if err != nil {
			var rule commit.Rule
			if !errors.As(err, &rule) || !strings.HasPrefix(string(rule), "header-") {
				t.Fatalf("error without a rule: %v", err)
			}
			return
		}
		if again, err := h.AppendBinary(nil); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("encoded again as %x, %v", again, err)
		}
		if g := h.Groups(); g < 0 || g > commit.MaxGroups || h.LaneOffset(g) < 0 {
			t.Fatalf("%d groups", g)
		}
	})
}

func TestParseID(t *testing.T) {
	const good = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	id, err := commit.ParseID(good)
	if err != nil || id.String() != good {
		t.Fatalf("%v, %v", id, err)
	}
	var same commit.ID
	if text, err := id.MarshalText(); err != nil || same.UnmarshalText(text) != nil || same != id {
		t.Errorf("text round trip: %v", same)
	}
	for _, bad := range []string{
		"", good[1:], good + "0", strings.ToUpper(good), good[:63] + "g", " " + good[1:], good[:63] + "\n",
		"0x" + good[2:], strings.Repeat("/", 64), strings.Repeat("é", 32), "../" + good[3:],
	} {
		if _, err := commit.ParseID(bad); !errors.Is(err, commit.ErrID) {
			t.Errorf("ParseID(%q): %v", bad, err)
		}
		if err := same.UnmarshalText([]byte(bad)); err == nil || same != id {
			t.Errorf("UnmarshalText(%q): %v", bad, err)
		}
	}
}
