package reference

// RFC6962Leaf is the leaf hash of RFC 6962, section 2.1.
func RFC6962Leaf(b []byte) Hash {
	return sum([]byte{0}, b)
}

func rfc6962Join(l, r Hash) Hash {
	return sum([]byte{1}, l[:], r[:])
}

// RFC6962Root is MTH of RFC 6962, section 2.1.
func RFC6962Root(leaves []Hash) Hash {
	switch len(leaves) {
	case 0:
		return sum()
	case 1:
		return leaves[0]
	}
	k := split(len(leaves))
	return rfc6962Join(RFC6962Root(leaves[:k]), RFC6962Root(leaves[k:]))
}

// RFC6962Path is PATH of RFC 6962, section 2.1.1: the siblings of leaf m, lowest first.
func RFC6962Path(leaves []Hash, m int) []Hash {
	if len(leaves) == 1 {
		return nil
	}
	k := split(len(leaves))
	if m < k {
		return append(RFC6962Path(leaves[:k], m), RFC6962Root(leaves[k:]))
	}
	return append(RFC6962Path(leaves[k:], m-k), RFC6962Root(leaves[:k]))
}

// split is the largest power of two below n.
func split(n int) int {
	k := 1
	for k < n-k {
		k *= 2
	}
	return k
}

// RFC6962Check is the algorithm of RFC 9162, section 2.1.3.2, step by step.
func RFC6962Check(root, leaf Hash, index, size uint64, path []Hash) bool {
	if index >= size {
		return false
	}
	fn, sn, r := index, size-1, leaf
	for _, p := range path {
		if sn == 0 {
			return false
		}
		if fn%2 == 1 || fn == sn {
			r = rfc6962Join(p, r)
			for fn%2 == 0 && fn != 0 {
				fn /= 2
				sn /= 2
			}
		} else {
			r = rfc6962Join(r, p)
		}
		fn /= 2
		sn /= 2
	}
	return sn == 0 && r == root
}
