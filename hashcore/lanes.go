package hashcore

// sumLanes is Sum with messages side by side.
//
// Lanes [0, busy) hold a message each. All advance together until a piece of one ends.
// That lane goes on with its next piece, or writes its digest and takes the next message.
// Once there is none, the last lane moves into its place, and p has a kernel for those left.
func sumLanes(p *plan, dst []Digest, pre *prefix, msgs [][]byte) {
	var (
		of      [maxLanes]int    // the message of the lane
		h       [maxLanes]state  // its state
		in      [maxLanes][]byte // its piece, as far as it is not hashed yet
		rest    [maxLanes][]byte // its body behind the piece; nil at the end
		slot    [maxLanes]int    // which scratch is its own
		scratch [maxLanes]block2
	)
	busy := min(p.lanes, len(msgs))
	next := busy
	for l := range busy {
		of[l], h[l], slot[l] = l, pre.mid, l
		in[l], rest[l] = pre.first(&scratch[l], msgs[l])
	}
	for busy > 0 {
		n := maxBlocks / busy
		for _, piece := range in[:busy] {
			n = min(n, len(piece)/blockSize)
		}
		p.advance(h[:], in[:], busy, n)
		for l := busy - 1; l >= 0; l-- {
			in[l] = in[l][n*blockSize:]
			switch {
			case len(in[l]) > 0:
			case rest[l] != nil:
				in[l], rest[l] = pre.next(&scratch[slot[l]], rest[l], len(msgs[of[l]]))
			default:
				put(&dst[of[l]], &h[l])
				if next < len(msgs) {
					of[l], h[l] = next, pre.mid
					in[l], rest[l] = pre.first(&scratch[slot[l]], msgs[next])
					next++
				} else {
					busy--
					of[l], h[l], in[l], rest[l], slot[l] = of[busy], h[busy], in[busy], rest[busy], slot[busy]
				}
			}
		}
	}
}

// sumOne is Sum for a message alone, by a kernel of one lane.
func sumOne(p *plan, dst *Digest, pre *prefix, msg []byte) {
	var scratch block2
	h := [1]state{pre.mid}
	piece, rest := pre.first(&scratch, msg)
	for {
		for len(piece) > 0 {
			n := min(maxBlocks, len(piece)/blockSize)
			in := [1][]byte{piece}
			p.advance(h[:], in[:], 1, n)
			piece = piece[n*blockSize:]
		}
		if rest == nil {
			break
		}
		piece, rest = pre.next(&scratch, rest, len(msg))
	}
	put(dst, &h[0])
}
