package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	store         storeFlag
	listen        string
	metricsListen string

	writable  bool
	tokenFile string
	maxUpload byteSize
	code      codeFlags

	memory         byteSize
	maxRequests    decimal
	maxConnections decimal
	stall          time.Duration

	drain time.Duration
	grace time.Duration

	logFormat string
	logLevel  string
}

func (p *program) serve() *cobra.Command {
	f := serveFlags{memory: 256 << 20, maxUpload: 1 << 30, maxRequests: 256, maxConnections: 4096}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the blobs of a store over HTTP",
		Long: `Serve the blobs of a store over HTTP, and print the address that it listens on:

  GET /blobs/<id>           the bytes, or ranges of them
  GET /blobs/<id>/header    the 64 bytes of the header
  GET /blobs/<id>/bundles   what prove prints: ?range=A-B, or ?at=G:I&at=G:I
  GET /blobs                a list for programs; / is one for people
  POST /blobs               stores the body, or the field file of a form, with --writable
  GET /healthz, /readyz, /metrics

No byte of a blob is sent that was not checked against the ID. A part that is lost is
an error, and where that shows late, a broken connection.

With --writable, whoever uploads has to show a token of 16 bytes or more, which
stands in the file of --token-file or else in $TAPECOMMIT_TOKEN.

A first SIGTERM, SIGHUP or interrupt lets what runs come to its end: /readyz says no at once,
new requests are still answered for the time of --drain, and then what is left has
the time of --grace. The exit code is 0 where no request was cut. A second ends the
program at once. The log is on stderr.`,
		Args: operands(),
	}
	f.store.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.listen, "listen", "127.0.0.1:8080", "`ADDRESS` to listen on; port 0 takes any that is free")
	fs.StringVar(&f.metricsListen, "metrics-listen", "", "an `ADDRESS` of its own for /metrics")
	fs.BoolVar(&f.writable, "writable", false, "let blobs be uploaded")
	fs.StringVar(&f.tokenFile, "token-file", "", "the `FILE` with the token for uploads")
	fs.Var(&f.maxUpload, "max-upload", "bytes of an upload at most, as in 500MiB")
	f.code.add(fs)
	fs.Var(&f.memory, "memory", "bytes for slices of all requests together")
	fs.Var(&f.maxRequests, "max-requests", "requests that are served at a time; others wait")
	fs.Var(&f.maxConnections, "max-connections", "connections that are open at a time; others wait")
	fs.DurationVar(&f.stall, "stall", 30*time.Second, "what a client may take for 64 KiB, either way")
	fs.DurationVar(&f.drain, "drain", 2*time.Second, "how long to answer new requests after a signal")
	fs.DurationVar(&f.grace, "grace", 30*time.Second, "how long to wait then for requests to end")
	fs.StringVar(&f.logFormat, "log", "text", "form of the log: text or json")
	fs.StringVar(&f.logLevel, "log-level", "info", "least level that is logged: info, with each request, warn or error")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		log, err := f.logger(p.stderr)
		if err != nil {
			return err
		}
		options, err := f.options(cmd)
		if err != nil {
			return err
		}
		folder, err := f.store.resolve(cmd)
		if err != nil {
			return err
		}
		open := f.store.open
		if f.writable {
			open = f.store.create
		}
		store, err := open(cmd)
		if err != nil {
			return err
		}
		options.Log = log
		options.Report = reportFolder(folder).served
		return p.serveStore(cmd.Context(), &f, store, folder, options)
	}
	return cmd
}

// options are those of the gateway, as far as flags tell them.
func (f *serveFlags) options(cmd *cobra.Command) (gateway.Options, error) {
	o := gateway.Options{
		Memory:   int64(f.memory),
		Requests: int(f.maxRequests),
		Stall:    f.stall,
	}
	for name, bad := range map[string]bool{
		"memory":          f.memory < 1,
		"max-upload":      f.maxUpload < 1,
		"max-requests":    f.maxRequests < 1,
		"max-connections": f.maxConnections < 1,
		"stall":           f.stall <= 0,
		"drain":           f.drain < 0,
		"grace":           f.grace < 0,
	} {
		if bad {
			return o, wrongUsef("--%s is too little", name)
		}
	}
	params, err := f.code.params()
	if err != nil {
		return o, err
	}
	if !f.writable {
		if cmd.Flags().Changed("token-file") {
			return o, wrongUsef("--token-file without --writable")
		}
		return o, nil
	}
	token, err := f.token()
	if err != nil {
		return o, err
	}
	o.Uploads = &gateway.Uploads{Token: token, Limit: int64(f.maxUpload), Params: params}
	return o, nil
}

// token finds the token for uploads.
func (f *serveFlags) token() (string, error) {
	const least = 16
	token, from := os.Getenv("TAPECOMMIT_TOKEN"), "$TAPECOMMIT_TOKEN"
	if f.tokenFile != "" {
		b, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return "", err
		}
		token, from = strings.TrimRight(string(b), "\r\n"), f.tokenFile
	}
	switch {
	case token == "":
		return "", wrongUsef("--writable without a token: give --token-file or $TAPECOMMIT_TOKEN")
	case len(token) < least || strings.ContainsAny(token, "\r\n"):
		return "", wrongUsef("the token in %s: want a line of %d bytes or more", from, least)
	}
	return token, nil
}

// logger makes the log.
func (f *serveFlags) logger(w io.Writer) (*slog.Logger, error) {
	var o slog.HandlerOptions
	switch f.logLevel {
	case "info":
	case "warn":
		o.Level = slog.LevelWarn
	case "error":
		o.Level = slog.LevelError
	default:
		return nil, wrongUsef("log level %q: want info, warn or error", f.logLevel)
	}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, &o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, &o)), nil
	}
	return nil, wrongUsef("log %q: want text or json", f.logFormat)
}

// serveStore serves until ctx is done and what runs then has come to its end.
func (p *program) serveStore(ctx context.Context, f *serveFlags, store blob.Store, folder string, o gateway.Options) error {
	m := newMetrics()
	o.Stats = &m.stats
	o.Observe = m.observe
	g, err := gateway.New(store, o)
	if err != nil {
		return err
	}
	defer g.Close()
	m.watch(g)
	if os.Getenv("GOMEMLIMIT") == "" {
		// The collector would let the heap grow to twice what is live.
		debug.SetMemoryLimit(int64(f.memory) + int64(f.memory)/2 + 128<<20)
	}

	site := &site{gateway: g, folder: folder}
	public, err := listen(f.listen, int(f.maxConnections))
	if err != nil {
		return err
	}
	servers := []*server{newServer(public, site, o.Log)}
	if f.metricsListen == "" {
		site.metrics = m.handler(o.Log)
	} else {
		l, err := listen(f.metricsListen, int(f.maxConnections))
		if err != nil {
			return errors.Join(err, public.Close())
		}
		only := &onlyMetrics{m.handler(o.Log)}
		servers = append(servers, newServer(l, only, o.Log))
		o.Log.Info("listening for metrics", "address", l.Addr().String())
	}
	o.Log.Info("listening", "address", public.Addr().String(), "store", folder, "writable", f.writable)
	p.printf("http://%s\n", public.Addr())
	return runServers(ctx, servers, site, f.drain, f.grace, o.Log)
}

// served finds the last verify report on a blob for the gateway.
func (f reportFolder) served(_ context.Context, id commit.ID) (*gateway.Report, error) {
	r, err := f.last(id)
	if err != nil {
		return nil, err
	}
	return &r.Report, nil
}

// byteSize is a flag in bytes, in plain decimal and with a unit or none.
type byteSize int64

var byteUnits = []struct {
	name string
	size byteSize
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if *b > 0 && *b%u.size == 0 {
			return strconv.FormatInt(int64(*b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *byteSize) Set(s string) error {
	unit := byteSize(1)
	for _, u := range byteUnits {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = number, u.size
			break
		}
	}
	v, ok := parseDecimal(s)
	if !ok || v > int64(1<<62/unit) {
		return errors.New("want a decimal number, alone or with KiB, MiB or GiB")
	}
	*b = byteSize(v) * unit
	return nil
}

// listen listens for at most that many connections at a time.
func listen(address string, connections int) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		var bad *net.AddrError
		if errors.As(err, &bad) {
			return nil, wrongUse{fmt.Errorf("listen: %w", err)}
		}
		return nil, err
	}
	return newLimitedListener(l, connections), nil
}

// A site is all that is served at the address for everybody.
type site struct {
	gateway http.Handler
	metrics http.Handler // or nil
	folder  string
	stops   atomic.Bool // the program is about to end
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.stops.Load() {
		w.Header().Set("Connection", "close") // so that the client's next request goes elsewhere
	}
	switch r.URL.EscapedPath() {
	case "/healthz":
		say(w, r, http.StatusOK, "alive")
	case "/readyz":
		if s.stops.Load() {
			say(w, r, http.StatusServiceUnavailable, "stopping")
		} else if _, err := os.Stat(s.folder); err != nil {
			say(w, r, http.StatusServiceUnavailable, "the store is not there")
		} else {
			say(w, r, http.StatusOK, "ready")
		}
	case "/metrics":
		if s.metrics == nil {
			say(w, r, http.StatusNotFound, "nothing here")
			return
		}
		s.metrics.ServeHTTP(w, r)
	default:
		s.gateway.ServeHTTP(w, r)
	}
}

// onlyMetrics serves /metrics and nothing else.
type onlyMetrics struct{ metrics http.Handler }

func (m *onlyMetrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.EscapedPath() != "/metrics" {
		say(w, r, http.StatusNotFound, "nothing here")
		return
	}
	m.metrics.ServeHTTP(w, r)
}

// say answers with a line of text.
func say(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		status, text = http.StatusMethodNotAllowed, "want GET, HEAD"
	}
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
