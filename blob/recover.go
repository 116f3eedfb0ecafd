package blob

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"

	"github.com/tapecommit/tapecommit/commit"
)

// Group roots are stored once, follow from the stored leaf hashes, and from the slices. None of these need be right, and
// which are shows only where they lead to the node above: of their window, or where the manifest is lost, of the whole
// blob. So there is no trying group by group; there are a few rules, cheapest first, each a choice for every group, and
// what a rule chooses is taken where it leads to the node.

// openWindow reads window i, or makes it again of whatever leads to its node.
func (b *Blob) openWindow(ctx context.Context, i int) (*commit.Window, error) {
	g := b.newGuess(i)
	for j, p := range phases() {
		if j == 1 {
			select {
			case b.recovering <- struct{}{}:
				defer func() { <-b.recovering }()
			case <-ctx.Done():
				return nil, contextError(ctx)
			}
		}
		if err := p.read(g, ctx); err != nil {
			return nil, err
		}
		for _, rule := range p.rules {
			if roots, ok := g.choose(rule); ok {
				if w, err := b.m.OpenWindow(i, roots); err == nil {
					return w, nil
				}
			}
		}
	}
	var d doubts
	d.add(g)
	return nil, fmt.Errorf("%w of groups [%d, %d)%v", ErrNoRoots, g.first, g.first+g.groups, d)
}

// recoverManifest makes the manifest of a known header again. It holds one window at a time.
func (b *Blob) recoverManifest(ctx context.Context, id commit.ID) (*commit.Manifest, error) {
	phases := phases()
	var d doubts
	for last, end := range phases {
		builders := make([]*commit.Builder, len(end.rules))
		for i := range builders {
			builders[i] = new(commit.Builder)
		}
		alive := len(builders)
		for i := 0; i < b.h.Windows() && alive > 0; i++ {
			g := b.newGuess(i)
			for _, p := range phases[:last+1] {
				if err := p.read(g, ctx); err != nil {
					return nil, err
				}
			}
			if last == len(phases)-1 {
				d.add(g)
			}
			for j, rule := range end.rules {
				if builders[j] == nil {
					continue
				}
				if roots, ok := g.choose(rule); ok {
					builders[j].Add(roots)
				} else {
					builders[j] = nil
					alive--
				}
			}
		}
		for _, builder := range builders {
			if builder == nil {
				continue
			}
			if m, err := builder.Manifest(b.h.Params, b.h.Length); err == nil && m.ID() == id {
				return m, nil
			}
		}
	}
	return nil, fmt.Errorf("%w of %v%v", ErrNoRoots, id, d)
}

// doubts are groups whose root nothing that is stored confirms, where all of it was read.
type doubts struct {
	any, more bool
	group     int // the first
	doubt         // about it
	need      int // slices
}

// add adds the groups of a window.
func (d *doubts) add(g *guess) {
	for x := range g.groups {
		switch {
		case g.settled(x):
		case d.any:
			d.more = true
			return
		default:
			*d = doubts{any: true, group: g.first + x, doubt: g.doubts[x], need: g.b.h.K}
		}
	}
}

// String tells of the first, as a part of an error.
func (d doubts) String() string {
	if !d.any {
		return ""
	}
	group := fmt.Sprintf("group %d", d.group)
	if d.more {
		group += " and of others"
	}
	if d.tried == 0 {
		return fmt.Sprintf(": %d slices of %s are there, %d are needed", d.have.Len(), group, d.need)
	}
	return fmt.Sprintf(": nothing confirms %s of %s%s", namesOf(d.tried), group, d.advice())
}

// A guess is what is stored about the group roots of one window. Nothing of it is checked.
type guess struct {
	b             *Blob
	first, groups int

	stored  roots   // as they are stored
	leaves  roots   // of the stored leaf hashes
	present roots   // of the hashes of the slices that there are, and stored ones elsewhere
	coded   roots   // of the groups coded again from the first K slices that there are
	sound   []bool  // groups of which more than K slices are there, and all of them are what coded has
	doubts  []doubt // about groups that are not settled

	hashes []commit.Hash // stored leaf hashes
	known  int           // how many of them came
	read   []bool        // groups whose slices were read
}

// roots are group roots, each there or not.
type roots struct {
	hash []commit.Hash
	ok   []bool
}

func newRoots(n int) roots { return roots{make([]commit.Hash, n), make([]bool, n)} }

func (b *Blob) newGuess(i int) *guess {
	first := i * commit.WindowGroups
	n := min(commit.WindowGroups, b.h.Groups()-first)
	return &guess{b: b, first: first, groups: n, stored: newRoots(n)}
}

// A rule chooses the root of group x, unless there is none.
type rule func(g *guess, x int) (commit.Hash, bool)

// A phase is some rules, with the reading that they take beyond that of the phases before.
type phase struct {
	read  func(*guess, context.Context) error
	rules []rule
}

func phases() []phase {
	return []phase{
		{(*guess).readRoots, []rule{(*guess).fromRoots}},
		{(*guess).readLeaves, []rule{(*guess).fromLeaves}},
		{(*guess).readDoubtful, []rule{(*guess).fromMost}},
		{(*guess).readSlices, []rule{(*guess).fromPresent, (*guess).fromCoded, (*guess).fromSound}},
	}
}

func (g *guess) fromRoots(x int) (commit.Hash, bool)  { return g.stored.hash[x], g.stored.ok[x] }
func (g *guess) fromLeaves(x int) (commit.Hash, bool) { return g.leaves.hash[x], g.leaves.ok[x] }

// agree reports whether two ways give group x the same root.
func (g *guess) agree(x int, a, b roots) bool { return a.ok[x] && b.ok[x] && a.hash[x] == b.hash[x] }

// settled reports whether there are two ways to the root of group x, when its slices were read.
func (g *guess) settled(x int) bool {
	_, ok := g.spokenFor(x)
	return ok || g.sound[x] || g.agree(x, g.stored, g.leaves)
}

// spokenFor is a stored root of group x, or that of its stored leaf hashes, which the slices speak for.
func (g *guess) spokenFor(x int) (commit.Hash, bool) {
	for _, a := range []roots{g.stored, g.leaves} {
		if g.agree(x, a, g.present) || g.agree(x, a, g.coded) {
			return a.hash[x], true
		}
	}
	return commit.Hash{}, false
}

// fromMost trusts slices that are a codeword, for there is more than one way to have them; elsewhere a stored root or
// stored leaf hashes that the slices speak for; and where none of this holds what is stored.
func (g *guess) fromMost(x int) (commit.Hash, bool) {
	if g.sound[x] {
		return g.coded.hash[x], true
	}
	if root, ok := g.spokenFor(x); ok {
		return root, true
	}
	return firstOf(x, g.stored, g.leaves, g.present, g.coded)
}

func (g *guess) fromPresent(x int) (commit.Hash, bool) { return firstOf(x, g.present, g.coded) }
func (g *guess) fromCoded(x int) (commit.Hash, bool)   { return firstOf(x, g.coded, g.present) }

// fromSound trusts slices that are a codeword, and elsewhere stored leaf hashes.
func (g *guess) fromSound(x int) (commit.Hash, bool) {
	if g.sound[x] {
		return g.coded.hash[x], true
	}
	return firstOf(x, g.leaves, g.stored, g.present, g.coded)
}

func firstOf(x int, ways ...roots) (commit.Hash, bool) {
	for _, r := range ways {
		if r.ok[x] {
			return r.hash[x], true
		}
	}
	return commit.Hash{}, false
}

// choose returns what a rule chooses for all groups, if it chooses for all.
func (g *guess) choose(rule rule) ([]commit.Hash, bool) {
	chosen := make([]commit.Hash, g.groups)
	for x := range chosen {
		ok := false
		if chosen[x], ok = rule(g, x); !ok {
			return nil, false
		}
	}
	return chosen, true
}

func (g *guess) readRoots(ctx context.Context) error {
	known, err := g.readHashes(ctx, nameRoots, g.stored.hash, int64(g.first))
	for x := range g.stored.ok[:known] {
		g.stored.ok[x] = true
	}
	return err
}

func (g *guess) readLeaves(ctx context.Context) (err error) {
	n := g.b.h.N
	g.hashes = make([]commit.Hash, g.groups*n)
	g.known, err = g.readHashes(ctx, nameLeaves, g.hashes, int64(g.first)*int64(n))
	g.leaves = newRoots(g.groups)
	commit.GroupRoots(g.leaves.hash, g.hashes, n)
	for x := range g.leaves.ok[:g.known/n] {
		g.leaves.ok[x] = true
	}
	return err
}

// readHashes reads hashes from entry first of an object on, and returns how many there were. Its error is that of ctx.
func (g *guess) readHashes(ctx context.Context, name string, dst []commit.Hash, first int64) (known int, err error) {
	b := make([]byte, len(dst)*hashLen)
	n, _ := g.b.readAt(ctx, name, b, first*int64(hashLen))
	return takeHashes(dst, b, n), contextError(ctx)
}

// readDoubtful reads the slices of groups whose stored root and leaf hashes do not agree.
func (g *guess) readDoubtful(ctx context.Context) error {
	g.present, g.coded = newRoots(g.groups), newRoots(g.groups)
	g.sound, g.read = make([]bool, g.groups), make([]bool, g.groups)
	g.doubts = make([]doubt, g.groups)
	return g.readGroups(ctx, func(x int) bool {
		return !g.stored.ok[x] || !g.leaves.ok[x] || g.stored.hash[x] != g.leaves.hash[x]
	})
}

// readSlices reads the slices of all groups.
func (g *guess) readSlices(ctx context.Context) error {
	return g.readGroups(ctx, func(int) bool { return true })
}

// readGroups reads the slices of the groups that are wanted and were not read.
func (g *guess) readGroups(ctx context.Context, want func(x int) bool) error {
	a := g.b.newAhead(ctx)
	defer a.stop()
	var failed error
	use := func(r *run) bool {
		failed = r.err
		return failed == nil
	}
	for lo := 0; lo < g.groups; lo += commit.RunGroups {
		mask := uint64(0)
		for x := lo; x < min(lo+commit.RunGroups, g.groups); x++ {
			if !g.read[x] && want(x) {
				mask |= 1 << (x - lo)
				g.read[x] = true
			}
		}
		if mask == 0 {
			continue
		}
		r := a.take(bits.OnesCount64(mask))
		r.begin(g.first + lo)
		for ; mask != 0; mask &= mask - 1 {
			r.touch(r.first+bits.TrailingZeros64(mask), 0)
		}
		if !a.start(r, func(r *run) error { return r.guess(g) }, use) {
			return failed
		}
	}
	a.finish(use)
	return failed
}

// guess is the job of readGroups: it fills in the roots of its rows that follow from the slices.
func (r *run) guess(g *guess) error {
	n := r.n()
	for x := range r.rows {
		r.rows[x].ask = r.all()
	}
	if err := r.askLanes(); err != nil {
		return err
	}
	if err := r.fetch(); err != nil {
		return err
	}
	from := (r.rows[0].group - g.first) * n
	to := (r.rows[len(r.rows)-1].group - g.first + 1) * n
	r.stored = append(r.stored[:0], g.hashes[from:to]...)
	r.known = min(max(g.known-from, 0), to-from)
	for x := range r.rows {
		at := r.rows[x].group - g.first
		var hashes [commit.MaxSlices]commit.Hash
		if g.present.ok[at] = r.hashPresent(hashes[:n], x); g.present.ok[at] {
			commit.GroupRoots(g.present.hash[at:at+1], hashes[:n], n)
		}
		ok, err := r.hashCoded(hashes[:n], x)
		if err != nil {
			return err
		}
		if g.coded.ok[at] = ok; ok {
			commit.GroupRoots(g.coded.hash[at:at+1], hashes[:n], n)
			g.sound[at] = r.isSound(x)
		}
		if !g.settled(at) {
			g.doubts[at] = r.doubt(x)
		}
	}
	return nil
}

// isSound reports whether more than K slices of row x are there, and are all what scratch has.
func (r *run) isSound(x int) bool {
	have := r.rows[x].have
	coded := r.scratch.Slices()
	for lane := range r.n() {
		if i := x*r.n() + lane; have.Has(lane) && !bytes.Equal(r.slices[i], coded[i]) {
			return false
		}
	}
	return have.Len() > r.b.h.K
}
