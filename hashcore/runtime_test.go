package hashcore

import (
	"io"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
	"testing"
)

// batch64MiB is many messages, all of one slice, and their digest.
func batch64MiB() (msgs [][]byte, digest Digest) {
	body := random(4096)
	msgs = make([][]byte, 64<<20/len(body))
	for i := range msgs {
		msgs[i] = body
	}
	return msgs, want([]byte("LEAF"), body)
}

// whileCollecting runs f while another goroutine collects garbage without a pause.
func whileCollecting(f func()) {
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	f()
}

// TestCollector hashes a large batch, with its messages known to the call alone, under a
// collector that never rests: a kernel that hid a pointer from it or kept it from stopping
// the world would fail or hang here.
func TestCollector(t *testing.T) {
	msgs, digest := batch64MiB()
	eachKernel(t, func(t *testing.T) {
		msgs := msgs
		if plainGo() {
			msgs = msgs[:1024]
		}
		whileCollecting(func() {
			dst := make([]Digest, len(msgs))
			Sum(dst, "LEAF", msgs)
			for i := range dst {
				if dst[i] != digest {
					t.Fatalf("message %d: wrong", i)
				}
			}
			nodes := make([]Digest, 2*len(dst))
			copy(nodes, dst)
			copy(nodes[len(dst):], dst)
			parent := want([]byte("LEFT"), digest[:], []byte("RIGHT"), digest[:])
			SumPairs(dst, schemes[0].f, nodes)
			for i := range dst {
				if dst[i] != parent {
					t.Fatalf("pair %d: wrong", i)
				}
			}
		})
	})
}

// TestGrowingStack hashes what lies on the stacks of new goroutines. They grow, and so move,
// when kernels are called with pointers into them.
func TestGrowingStack(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		for _, size := range []int{1, 2, 4, 5, 8, 20, 32, 70} {
			for spread := range 2 {
				done := make(chan int)
				go func() {
					var data [1000]byte
					var msgs [70][]byte
					var dst [70]Digest
					for i := range data {
						data[i] = byte(i * size)
					}
					for i := range msgs {
						msgs[i] = data[i:][:900-12*i*spread]
					}
					Sum(dst[:size], "LEAF", msgs[:size])
					wrong := 0
					for i, m := range msgs[:size] {
						if dst[i] != want([]byte("LEAF"), m) {
							wrong++
						}
					}
					done <- wrong
				}()
				if wrong := <-done; wrong > 0 {
					t.Errorf("%d of %d messages: wrong", wrong, size)
				}
			}
		}
	})
}

// TestProfile hashes under a CPU profile, whose signals look at the stack inside kernels.
func TestProfile(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skipf("no CPU profile here: %v", err)
	}
	defer pprof.StopCPUProfile()
	msgs, digest := batch64MiB()
	eachKernel(t, func(t *testing.T) {
		msgs := msgs[:8192]
		if plainGo() {
			msgs = msgs[:1024]
		}
		dst := make([]Digest, len(msgs))
		Sum(dst, "LEAF", msgs)
		for i := range dst {
			if dst[i] != digest {
				t.Fatalf("message %d: wrong", i)
			}
		}
	})
}

// BenchmarkCollector reports how long the collector waited for the world to stop: the time
// that all but a hundredth of its stops were below, and the longest. With the kernel stdlib
// nothing keeps it waiting but the machine.
func BenchmarkCollector(b *testing.B) {
	msgs, _ := batch64MiB()
	dst := make([]Digest, len(msgs))
	eachKernelBench(b, "", func(b *testing.B) {
		b.SetBytes(64 << 20)
		before := stops()
		whileCollecting(func() {
			for b.Loop() {
				Sum(dst, "LEAF", msgs)
			}
		})
		after := stops()
		var total, sum uint64
		for i := range after.Counts {
			after.Counts[i] -= before.Counts[i]
			total += after.Counts[i]
		}
		var most, longest float64
		for i, n := range after.Counts {
			if n == 0 {
				continue
			}
			longest = after.Buckets[i+1]
			if sum += n; most == 0 && sum >= total-total/100 {
				most = longest
			}
		}
		b.ReportMetric(most*1e6, "99%-stop-µs")
		b.ReportMetric(longest*1e6, "max-stop-µs")
	})
}

func stops() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}
