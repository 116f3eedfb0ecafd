package commit

import "fmt"

// Manifest is a header and, where the blob has more than one window, the nodes at
// WindowHeight: known to belong together. It can be used by many goroutines.
type Manifest struct {
	h    Header
	id   ID
	tree pyramid // from the windows' nodes to the root
}

// OpenManifest parses the one manifest that id names. It keeps nothing of b.
func OpenManifest(id ID, b []byte) (*Manifest, error) {
	h, err := OpenHeader(id, b[:min(len(b), HeaderLen)])
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != h.ManifestLen() {
		return nil, fmt.Errorf("commit: manifest of %d bytes, want %d: %w", len(b), h.ManifestLen(), ManifestSize)
	}
	if len(b) == HeaderLen {
		return newManifest(h, []Hash{h.Root})
	}
	windows := make([]Hash, h.Windows())
	for i := range windows {
		windows[i] = Hash(b[HeaderLen+i*len(Hash{}):])
	}
	return newManifest(h, windows)
}

// newManifest makes a manifest of a valid header and the nodes of its windows,
// and checks that these lead to the root.
func newManifest(h Header, windows []Hash) (*Manifest, error) {
	base := min(WindowHeight, h.Height())
	m := &Manifest{h: h, id: h.ID(), tree: newPyramid(base, h.Height(), windows)}
	if got := m.tree.top(); got != h.Root {
		return nil, fmt.Errorf("commit: manifest's nodes lead to %x, not to the root %x: %w", got, h.Root, ManifestNodes)
	}
	return m, nil
}

// Header returns the header.
func (m *Manifest) Header() Header { return m.h }

// ID returns the ID that m was opened with, or made.
func (m *Manifest) ID() ID { return m.id }

// AppendBinary appends the encoding that OpenManifest takes.
func (m *Manifest) AppendBinary(b []byte) ([]byte, error) {
	b, err := m.h.AppendBinary(b)
	if err != nil || m.h.ManifestLen() == HeaderLen {
		return b, err
	}
	for _, w := range m.tree.levels[0] {
		b = append(b, w[:]...)
	}
	return b, nil
}

// Node returns a node, a padding node too, and whether m holds it: m has those of
// WindowHeight and above, and the root.
func (m *Manifest) Node(at Node) (Hash, bool) { return m.tree.node(at.Height, at.Index) }

// Window is up to WindowGroups group roots, checked against a manifest. It can be
// used by many goroutines.
type Window struct {
	m    *Manifest
	i    int
	tree pyramid // from the group roots to the window's node
}

// OpenWindow checks the roots of the groups from WindowGroups i on: a full
// window's, or those that are left. It copies roots. It panics where the blob has
// no such window.
func (m *Manifest) OpenWindow(i int, roots []Hash) (*Window, error) {
	if uint(i) >= uint(m.h.Windows()) {
		panic(fmt.Sprintf("commit: window %d of %d", i, m.h.Windows()))
	}
	if want := min(WindowGroups, m.h.Groups()-i*WindowGroups); len(roots) != want {
		return nil, fmt.Errorf("commit: window %d with %d group roots, want %d: %w", i, len(roots), want, WindowSize)
	}
	top := min(WindowHeight, m.h.Height())
	w := &Window{m: m, i: i, tree: newPyramid(GroupHeight, top, roots)}
	if want, _ := m.tree.node(top, int64(i)); w.tree.top() != want {
		return nil, fmt.Errorf("commit: group roots of window %d lead to %x, not to %x: %w", i, w.tree.top(), want, WindowRoots)
	}
	return w, nil
}

// Manifest returns the manifest that opened w.
func (w *Window) Manifest() *Manifest { return w.m }

// First returns the first group of w.
func (w *Window) First() int { return w.i * WindowGroups }

// Roots returns the roots of the groups of w; they are read-only.
func (w *Window) Roots() []Hash { return w.tree.levels[0] }

// Node returns a node, a padding node too, and whether w holds it: w has those
// from GroupHeight to WindowHeight that lie above its groups, and none higher
// than the root.
func (w *Window) Node(at Node) (Hash, bool) {
	up := w.tree.base + len(w.tree.levels) - 1 - at.Height
	if up < 0 {
		return Hash{}, false
	}
	return w.tree.node(at.Height, at.Index-int64(w.i)<<up)
}
