package gateway

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/commit"
)

// FuzzRanges compares spans with the bytes that each range names by itself.
func FuzzRanges(f *testing.F) {
	for _, set := range []string{"0-0", "-5", "5-", "3-9,0-4, 7-7,,", "9-3", "a-", "-0", "0-99999999999999999999", "12-,13-,-1", "\t1-2 ,3-4"} {
		f.Add(set, 13)
	}
	f.Fuzz(func(t *testing.T, set string, size int) {
		size = int(uint(size) % 300)
		spans, ranged, err := spansOf(&http.Request{Header: http.Header{"Range": {"bytes=" + set}}}, commit.ID{}, int64(size))
		want, valid := naiveRanges(set, size)
		if !valid {
			if err == nil {
				t.Fatalf("%q of %d bytes: %v, want an error", set, size, spans)
			}
			return
		}
		if err != nil {
			if n := strings.Count(set, ","); n < maxParts || err.Error() != "too many ranges" {
				t.Fatalf("%q of %d bytes: %v", set, size, err)
			}
			return
		}
		if ranged != (size > 0) {
			t.Fatalf("%q of %d bytes: ranged is %v", set, size, ranged)
		}
		got := make([]bool, size)
		end := int64(-1)
		for _, s := range spans {
			if s.first <= end || s.end < s.first || s.end > int64(size) || s.end == s.first && size > 0 {
				t.Fatalf("%q of %d bytes: %v", set, size, spans)
			}
			end = s.end
			for i := s.first; i < s.end; i++ {
				got[i] = true
			}
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q of %d bytes: %v is wrong at %d", set, size, spans, i)
			}
		}
	})
}

// naiveRanges marks the bytes that a set of ranges names. It is not valid where the set is malformed or names none.
func naiveRanges(set string, size int) (marked []bool, valid bool) {
	marked = make([]bool, size)
	for spec := range strings.SplitSeq(set, ",") {
		spec = strings.Trim(spec, " \t")
		if spec == "" {
			continue
		}
		if strings.Trim(spec, "0123456789-") != "" || strings.Count(spec, "-") != 1 || spec == "-" {
			return nil, false
		}
		a, b, _ := strings.Cut(spec, "-")
		first, last := number(a), number(b)
		switch {
		case a == "":
			valid = valid || last > 0
			first, last = max(size-last, 0), size-1
		case b == "":
			valid = valid || first < size
			last = size - 1
		case digitsLess(b, a):
			return nil, false
		default:
			valid = valid || first < size
		}
		for i := first; i <= last && i < size; i++ {
			marked[i] = true
		}
	}
	return marked, valid
}

// number is the value of digits, or a large one.
func number(s string) int {
	n := 0
	for i := range len(s) {
		n = min(10*n+int(s[i]-'0'), 1e6)
	}
	return n
}

// digitsLess compares numbers of any length. Beyond int64 there is no difference between them.
func digitsLess(a, b string) bool {
	const huge = "9223372036854775807"
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	less := func(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
	if less(huge, a) {
		a = huge
	}
	if less(huge, b) {
		b = huge
	}
	return less(a, b)
}

// TestCover checks that no slice is read twice, whatever spans meet in it.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		h := commit.Header{Params: commit.Params{K: 1 + rng.IntN(4), N: 6, SliceSize: 64}, Length: 1 + rng.Int64N(2000)}
		var spans []span
		for range 1 + rng.IntN(20) {
			first := rng.Int64N(h.Length)
			spans = append(spans, span{first, first + 1 + rng.Int64N(min(h.Length-first, 40))})
		}
		want := map[commit.Pos]bool{}
		groups := map[int]bool{}
		spans = unite(spans)
		for _, s := range spans {
			for p := range h.Cover(s.first, s.end-s.first) {
				want[p] = true
				groups[p.Group] = true
			}
		}
		last := int64(-1)
		n := 0
		for p := range cover(h, spans) {
			if at := h.Position(p); at <= last {
				t.Fatalf("%v: slice %v out of order", spans, p)
			} else {
				last = at
			}
			if !want[p] {
				t.Fatalf("%v: slice %v", spans, p)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%v: %d slices, want %d", spans, n, len(want))
		}
		if got := groupsOf(h, spans); got < int64(len(groups)) {
			t.Fatalf("%v: %d groups, want at least %d", spans, got, len(groups))
		}
	}
}

// TestBudget lets goroutines claim amounts, and gives up some claims.
func TestBudget(t *testing.T) {
	const total = 10
	b := newBudget(total)
	var mu sync.Mutex
	taken := int64(0)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			amount := 1 + rng.Int64N(total+2)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%5 == 0 {
				go cancel()
			}
			give, err := b.take(ctx, amount)
			if err != nil {
				return
			}
			amount = min(amount, total)
			mu.Lock()
			taken += amount
			if taken > total || b.used() < taken {
				t.Errorf("%d of %d are taken", taken, total)
			}
			mu.Unlock()
			time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
			mu.Lock()
			taken -= amount
			mu.Unlock()
			give()
			give() // does nothing
		}()
	}
	wg.Wait()
	if b.used() != 0 || len(b.queue) != 0 {
		t.Errorf("%d are taken, %d wait", b.used(), len(b.queue))
	}
}

// TestBudgetOrder puts a large claim before small ones that would fit.
func TestBudgetOrder(t *testing.T) {
	b := newBudget(10)
	ctx := context.Background()
	give, err := b.take(ctx, 5)
	if err != nil {
		t.Fatal(err)
	}
	large := make(chan func())
	go func() {
		give, err := b.take(ctx, 10)
		if err != nil {
			t.Error(err)
		}
		large <- give
	}()
	waiting := func(n int) {
		for {
			b.mu.Lock()
			got := len(b.queue)
			b.mu.Unlock()
			if got == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	waiting(1)
	small := make(chan func())
	gone, cancel := context.WithCancel(ctx)
	go func() {
		give, err := b.take(ctx, 1)
		if err != nil {
			t.Error(err)
		}
		small <- give
	}()
	waiting(2)
	go func() {
		if _, err := b.take(gone, 1); err == nil {
			t.Error("a claim that was given up was served")
		}
		small <- nil
	}()
	waiting(3)
	cancel()
	if f := <-small; f != nil {
		t.Fatal("a small claim passed the large one")
	}
	give()
	(<-large)()
	(<-small)()
	if b.used() != 0 {
		t.Errorf("%d are taken", b.used())
	}
}

// TestReadMemory bounds what a read reserves, whatever the blob.
func TestReadMemory(t *testing.T) {
	h := commit.Header{Params: commit.Params{K: 10, N: 20, SliceSize: 4096}, Length: 1 << 40}
	const perGroup = 20 * 4096
	for groups, want := range map[int64]int64{0: 0, 1: 1, 2: 8, 8: 8, 9: 72, 64: 127, 65: 128, 1 << 26: 128} {
		if got := readMemory(h, groups) - pieceLen; got != want*perGroup {
			t.Errorf("%d groups: %d, want %d", groups, got, want*perGroup)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 10<<10 - 1: "10 KiB", 10 << 10: "10 KiB", 1<<20 - 1: "1024 KiB", 1 << 20: "1 MiB",
		5 << 40: "5 TiB", 1 << 59: "524288 TiB",
	} {
		if got := formatSize(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := formatLong(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
