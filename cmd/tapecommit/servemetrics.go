package main

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
)

// metrics are what serve tells of itself.
type metrics struct {
	registry *prometheus.Registry
	stats    blob.Stats

	requests  *prometheus.CounterVec
	refused   *prometheus.CounterVec
	broken    prometheus.Counter
	bytes     *prometheus.CounterVec
	took      *prometheus.HistogramVec
	firstByte *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapecommit_requests_total",
			Help: "Requests by route and status; status 0 had no answer.",
		}, []string{"route", "status"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapecommit_refused_total",
			Help: "Requests that were not served as asked, by reason.",
		}, []string{"reason"}),
		broken: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tapecommit_broken_total",
			Help: "Answers that were broken off in the middle of the body.",
		}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapecommit_sent_bytes_total",
			Help: "Bytes of bodies sent, by route.",
		}, []string{"route"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tapecommit_request_seconds",
			Help:    "Time from the header of a request to the end of its answer, by route.",
			Buckets: latencies,
		}, []string{"route"}),
		firstByte: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tapecommit_first_byte_seconds",
			Help:    "Time from the header of a request to the first byte of its answer's body, by route.",
			Buckets: latencies,
		}, []string{"route"}),
	}
	m.registry.MustRegister(m.requests, m.refused, m.broken, m.bytes, m.took, m.firstByte,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for name, c := range map[string]struct {
		help  string
		value *atomic.Uint64
	}{
		"tapecommit_store_bytes_total":     {"Bytes read from the store or written to it.", &m.stats.Bytes},
		"tapecommit_slices_verified_total": {"Slices read that match their leaf hashes.", &m.stats.Verified},
		"tapecommit_slices_rebuilt_total":  {"Slices made from others that match their leaf hashes.", &m.stats.Rebuilt},
		"tapecommit_slices_missing_total":  {"Slices asked for that did not come whole.", &m.stats.Missing},
		"tapecommit_slices_wrong_total":    {"Slices read that do not match their leaf hashes.", &m.stats.Wrong},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: c.help},
			func() float64 { return float64(c.value.Load()) }))
	}
	return m
}

// latencies are in seconds, from a small read of what is in memory to a large download.
var latencies = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}

// watch adds what a gateway is at.
func (m *metrics) watch(g *gateway.Handler) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "tapecommit_requests_at_work",
			Help: "Requests that are being served.",
		}, func() float64 { n, _ := g.Load(); return float64(n) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "tapecommit_reserved_bytes",
			Help: "Memory that requests have reserved for slices.",
		}, func() float64 { _, n := g.Load(); return float64(n) }),
	)
}

// observe counts a request that has ended.
func (m *metrics) observe(e gateway.Exchange) {
	m.requests.WithLabelValues(e.Route, strconv.Itoa(e.Status)).Inc()
	if e.Refusal != "" {
		m.refused.WithLabelValues(e.Refusal).Inc()
	}
	if e.Broken {
		m.broken.Inc()
	}
	m.bytes.WithLabelValues(e.Route).Add(float64(e.Bytes))
	m.took.WithLabelValues(e.Route).Observe(e.Took.Seconds())
	if e.FirstByte > 0 {
		m.firstByte.WithLabelValues(e.Route).Observe(e.FirstByte.Seconds())
	}
}

func (m *metrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
	})
}
