package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"

	"github.com/tapecommit/tapecommit/commit"
)

// Blobs of one answer.
const (
	pageBlobs = 100
	jsonBlobs = 1000
)

// A list is a part of the blobs in a store.
type list struct {
	Blobs []listing  `json:"blobs"`
	Next  *commit.ID `json:"next,omitempty"` // where there are more: those after it
}

// list lists up to limit blobs, from the one behind the ID in the query's "after" on.
func (h *Handler) list(r *http.Request, limit int) (*list, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refusef(http.StatusBadRequest, "query", "query: %v", err)
	}
	after, all := commit.ID{}, true
	if s := query.Get("after"); s != "" {
		if after, err = commit.ParseID(s); err != nil {
			return nil, refusef(http.StatusBadRequest, "query", "query: after=%q is no ID", s)
		}
		all = false
	}
	leave, err := h.enter(r.Context(), h.listings, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	return h.listAfter(r.Context(), limit, func(id commit.ID) bool {
		return all || string(id[:]) > string(after[:])
	})
}

func (h *Handler) listAfter(ctx context.Context, limit int, wanted func(commit.ID) bool) (*list, error) {
	l := &list{Blobs: []listing{}}
	for id, err := range h.store.IDs(ctx) {
		if err != nil {
			return nil, err
		}
		if !wanted(id) {
			continue
		}
		if len(l.Blobs) == limit {
			l.Next = &l.Blobs[limit-1].ID
			return l, nil
		}
		b, err := h.look(ctx, id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed meanwhile
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // which keeps nobody from the others
			h.o.Log.Warn("list", "id", id.String(), "error", err.Error())
			b = listing{ID: id, Health: damaged, Faults: []string{unreadable}}
		}
		l.Blobs = append(l.Blobs, b)
	}
	return l, nil
}

func (h *Handler) serveJSON(x *response, r *http.Request) error {
	l, err := h.list(r, jsonBlobs)
	if err != nil {
		return err
	}
	return sendJSON(x, r, l)
}

func sendJSON(x *response, r *http.Request, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return sendWhole(x, r, "application/json", append(b, '\n'))
}
