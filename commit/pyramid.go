package commit

// pyramid is a subtree whose lowest level is given: levels[0] has nodes of height
// base, levels[i+1] their parents, and the last level the one node on top.
// Padding behind the given nodes is not stored.
type pyramid struct {
	base   int
	levels [][]Hash
}

// newPyramid hashes nodes of height base up to height top. It copies nodes, of
// which there is at least one.
func newPyramid(base, top int, nodes []Hash) pyramid {
	total := 0
	for n, h := len(nodes), base; h <= top; n, h = (n+1)/2, h+1 {
		total += n
	}
	p := pyramid{base: base, levels: make([][]Hash, 0, top-base+1)}
	all := append(make([]Hash, 0, total), nodes...)
	level := all
	p.levels = append(p.levels, level)
	for h := base; h < top; h++ {
		n := (len(level) + 1) / 2
		all = all[:len(all)+n]
		parents := all[len(all)-n:]
		hashParents(parents, level, h)
		level = parents
		p.levels = append(p.levels, level)
	}
	return p
}

func (p pyramid) top() Hash { return p.levels[len(p.levels)-1][0] }

// node returns node i of a height, counted from the left edge of the pyramid, and
// whether it lies in the pyramid.
func (p pyramid) node(height int, i int64) (Hash, bool) {
	up := height - p.base
	if up < 0 || up >= len(p.levels) || i < 0 || i >= 1<<(len(p.levels)-1-up) {
		return Hash{}, false
	}
	if i < int64(len(p.levels[up])) {
		return p.levels[up][i], true
	}
	return Empty(height), true
}
