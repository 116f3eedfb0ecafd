package gateway_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob/gateway"
)

// TestLog has a line for each request, with its level and why it was refused.
func TestLog(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 300*group))
	lost := s.write(t, stream(2, 100))
	s.loseGroup(t, lost.ID(), 0)
	var out lockedBuffer
	srv := serve(t, s, gateway.Options{Log: slog.New(slog.NewJSONHandler(&out, nil))})
	type line struct {
		Level, Method, Path, Range, Refusal, Error, Client string
		Status                                             int
		Bytes                                              int64
		Broken                                             bool
	}
	srv.get(t, pathOf(h), "Range: bytes=0-99")
	srv.get(t, pathOf(lost))
	srv.do(t, http.MethodDelete, "/blobs.json", nil)
	srv.get(t, "/a%0Ab")
	s.loseGroup(t, h.ID(), 299)
	srv.get(t, pathOf(h))
	srv.last(t, 5)
	var got []line
	for text := range bytes.Lines([]byte(out.String())) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		if l.Client == "" {
			t.Errorf("no client: %s", text)
		}
		l.Client = ""
		if strings.HasPrefix(l.Error, "blob: group ") {
			l.Error = "lost"
		}
		if l.Broken {
			l.Bytes = 0
		}
		got = append(got, l)
	}
	want := []line{
		{Level: "INFO", Method: "GET", Path: pathOf(h), Range: "bytes=0-99", Status: 206, Bytes: 100},
		{Level: "WARN", Method: "GET", Path: pathOf(lost), Status: 500, Bytes: 28, Refusal: "lost", Error: "lost"},
		{Level: "INFO", Method: "DELETE", Path: "/blobs.json", Status: 405, Bytes: 15, Refusal: "method", Error: "gateway: want GET, HEAD"},
		{Level: "INFO", Method: "GET", Path: "/a%0Ab", Status: 404, Bytes: 13, Refusal: "path", Error: "gateway: nothing here"},
		{Level: "WARN", Method: "GET", Path: pathOf(h), Status: 200, Refusal: "lost", Error: "lost", Broken: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
