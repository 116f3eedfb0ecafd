package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"

	"github.com/tapecommit/tapecommit/commit"
)

// maxPage bounds a page of the list in bytes. A gateway lists 1,000 blobs on one.
const maxPage = 8 << 20

// IDs yields the blobs that the gateway says it has, in ascending order; each is worth what opening it shows. After an
// error it ends.
func (g *Gateway) IDs(ctx context.Context) iter.Seq2[commit.ID, error] {
	return func(yield func(commit.ID, error) bool) {
		var query url.Values
		var last *commit.ID
		for more := true; more; {
			p, err := g.page(ctx, query)
			for i := 0; err == nil && i < len(p.Blobs); i++ {
				id := p.Blobs[i].ID
				if id == nil {
					err = errors.New("an entry without an ID")
				} else if last != nil && bytes.Compare(id[:], last[:]) <= 0 {
					err = fmt.Errorf("%v after %v: not in ascending order", id, last) // it might never end
				} else if last = id; !yield(*id, nil) {
					return
				}
			}
			if more = err == nil && p.Next != nil; more {
				if len(p.Blobs) == 0 || *p.Next != *last {
					err = fmt.Errorf("goes on after %v, which is not where the page ends", p.Next)
				}
				query = url.Values{"after": {p.Next.String()}}
			}
			if err != nil {
				yield(commit.ID{}, fmt.Errorf("remote: list of %s: %w", g.base.Redacted(), err))
				return
			}
		}
	}
}

// A page is a part of the list, as far as it matters here.
type page struct {
	Blobs []struct {
		ID *commit.ID `json:"id"`
	} `json:"blobs"`
	Next *commit.ID `json:"next"` // the last of the page, where there are more
}

func (g *Gateway) page(ctx context.Context, query url.Values) (p page, err error) {
	answer, err := g.get(ctx, query, "blobs.json")
	if err != nil {
		return p, err
	}
	defer answer.Close()
	b, err := io.ReadAll(io.LimitReader(answer, maxPage+1))
	if err != nil {
		return p, err
	}
	if len(b) > maxPage {
		return p, fmt.Errorf("a page of more than %d bytes", maxPage)
	}
	err = json.Unmarshal(b, &p)
	return p, err
}
