package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
)

const (
	loadClients  = 64
	loadSize     = 32 << 20
	loadLongest  = 8 << 20
	loadRequests = 10 // by each client, times $TAPECOMMIT_LOAD
)

// TestLoad reads ranges of 1 B to 8 MiB by 64 clients at once, of a blob with two lanes lost and one wrong, and then of
// the plain file by net/http. No byte may be wrong, no request fail, and memory must not grow. It prints a table. To
// see more of it: TAPECOMMIT_LOAD=50 go test -run TestLoad -v ./blob/gateway
func TestLoad(t *testing.T) {
	times := 1
	if s := os.Getenv("TAPECOMMIT_LOAD"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("TAPECOMMIT_LOAD=%q: want a number", s)
		}
		times = n
	}
	requests := loadRequests * times
	if raceEnabled() {
		requests = times // each costs twenty times as much
	}
	plain := stream(1, loadSize)
	s := newStore(t)
	h := s.write(t, plain)
	s.lose(t, h.ID(), "lane-02", "lane-07")
	for g := range int64(h.Groups()) {
		s.flip(t, h.ID(), g*4096+g%4000, "lane-04")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "plain"), plain, 0o666); err != nil {
		t.Fatal(err)
	}

	const memory = 48 << 20
	var stats blob.Stats
	srv := serve(t, s, gateway.Options{Stats: &stats, Memory: memory, Wait: time.Minute, Stall: time.Minute})
	files := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer files.Close()

	served := load(t, "gateway", srv.URL+pathOf(h), plain, requests)
	beside := load(t, "net/http FileServer", files.URL+"/plain", plain, requests)
	if stats.Rebuilt.Load() == 0 || stats.Wrong.Load() == 0 || stats.Missing.Load() == 0 {
		t.Errorf("rebuilt %d, wrong %d, missing %d slices: the damage did nothing", stats.Rebuilt.Load(), stats.Wrong.Load(), stats.Missing.Load())
	}
	t.Logf("%d clients, ranges of 1 B to %d MiB of %d MiB, lengths spread evenly over their logarithms; 2 of 20 lanes lost, 1 wrong;\n"+
		"clients and servers in one process, %d CPUs, %s, %s/%s\n"+
		"served by            requests      MiB   MiB/s    median       99%%   live heap at most, first half / second\n%v\n%v",
		loadClients, loadLongest>>20, loadSize>>20, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH, served, beside)

	// What reads give back waits a while in pools, so that up to as much again is not free yet.
	if limit := uint64(2*memory + 32<<20); max(served.peaks[0], served.peaks[1]) > limit {
		t.Errorf("%d MiB were live on the heap, want at most %d", max(served.peaks[0], served.peaks[1])>>20, limit>>20)
	}
}

// raceEnabled reports whether the race detector is at work.
func raceEnabled() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// A loadResult is a line of the table.
type loadResult struct {
	name  string
	bytes int64
	took  time.Duration
	each  []time.Duration // sorted
	peaks [2]uint64       // bytes that were live on the heap, above what was before, in each half
}

func (r loadResult) String() string {
	at := func(q float64) time.Duration {
		return r.each[int(q*float64(len(r.each)-1))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("%-20s %8d %8d %7.0f %9v %9v   %d MiB / %d MiB", r.name, len(r.each), r.bytes>>20,
		float64(r.bytes)/(1<<20)/r.took.Seconds(), at(0.5), at(0.99), r.peaks[0]>>20, r.peaks[1]>>20)
}

// load lets each client make n requests.
func load(t *testing.T, name, url string, plain []byte, n int) loadResult {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: loadClients, DisableCompression: true}
	defer transport.CloseIdleConnections()
	r := loadResult{name: name}
	runtime.GC()
	base := heap()
	var peaks [2]atomic.Uint64
	var done atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := time.Now()
	for c := range loadClients {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(c)))
			buf := make([]byte, 64<<10)
			for range n {
				length := int(math.Exp(rng.Float64() * math.Log(loadLongest)))
				first := rng.IntN(len(plain) - length)
				start := time.Now()
				if err := fetch(transport, url, first, plain[first:first+length], buf); err != nil {
					t.Errorf("%s: bytes %d-%d: %v", name, first, first+length-1, err)
					return
				}
				took := time.Since(start)
				mu.Lock()
				r.bytes += int64(length)
				r.each = append(r.each, took)
				mu.Unlock()
				half := min(int(2*done.Add(1)/int64(n*loadClients)), 1)
				if now := heap(); now > base {
					raise(&peaks[half], now-base)
				}
			}
		})
	}
	wg.Wait()
	r.took = time.Since(began)
	if t.Failed() {
		t.FailNow()
	}
	slices.Sort(r.each)
	r.peaks = [2]uint64{peaks[0].Load(), peaks[1].Load()}
	return r
}

// heap is how many bytes were live on the heap when the collector looked last.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func raise(peak *atomic.Uint64, to uint64) {
	for was := peak.Load(); to > was && !peak.CompareAndSwap(was, to); was = peak.Load() {
	}
}

// fetch gets a range and compares it with want as it comes.
func fetch(c http.RoundTripper, url string, first int, want, buf []byte) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", first, first+len(want)-1))
	res, err := c.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusPartialContent {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	for {
		n, err := res.Body.Read(buf)
		if n > len(want) || !bytes.Equal(buf[:n], want[:n]) {
			return fmt.Errorf("wrong bytes, %d before the end", len(want))
		}
		want = want[n:]
		switch {
		case err == io.EOF && len(want) == 0:
			return nil
		case err != nil:
			return fmt.Errorf("%d bytes before the end: %w", len(want), err)
		}
	}
}
