package commit

import "fmt"

// Builder makes a manifest of group roots as they come. It keeps one node for
// each full window and the roots of the last; the zero Builder has none.
type Builder struct {
	windows []Hash // nodes at WindowHeight of the full windows
	roots   []Hash // of the window that is not full
}

// Add appends the roots of the groups that come next. It keeps nothing of roots.
func (b *Builder) Add(roots []Hash) {
	for len(roots) > 0 {
		n := min(len(roots), WindowGroups-len(b.roots))
		b.roots = append(b.roots, roots[:n]...)
		roots = roots[n:]
		if len(b.roots) == WindowGroups {
			b.windows = append(b.windows, reduce(b.roots, GroupHeight, WindowHeight))
			b.roots = b.roots[:0]
		}
	}
}

// Groups returns how many group roots were added.
func (b *Builder) Groups() int { return len(b.windows)*WindowGroups + len(b.roots) }

// Manifest returns the manifest of the groups added; more may follow. It fails
// where p and length are not valid or give another number of groups.
func (b *Builder) Manifest(p Params, length int64) (*Manifest, error) {
	h := Header{Params: p, Length: length, Root: Empty(GroupHeight)}
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if h.Groups() != b.Groups() {
		return nil, fmt.Errorf("commit: %d bytes fill %d groups, not the %d added", length, h.Groups(), b.Groups())
	}
	windows := append([]Hash(nil), b.windows...)
	if len(b.roots) > 0 {
		rest := append([]Hash(nil), b.roots...)
		windows = append(windows, reduce(rest, GroupHeight, min(WindowHeight, h.Height())))
	}
	if len(windows) > 0 {
		top := append([]Hash(nil), windows...)
		h.Root = reduce(top, min(WindowHeight, h.Height()), h.Height())
	} else {
		windows = []Hash{h.Root}
	}
	return newManifest(h, windows)
}

// reduce returns the node of height top over nodes of height base and the padding
// behind them. It overwrites nodes.
func reduce(nodes []Hash, base, top int) Hash {
	for h := base; h < top; h++ {
		n := (len(nodes) + 1) / 2
		hashParents(nodes[:n], nodes, h)
		nodes = nodes[:n]
	}
	return nodes[0]
}
