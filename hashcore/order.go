package hashcore

import "math"

// maxOrder is how many messages are put in order at a time.
const maxOrder = math.MaxUint8 + 1

func sameLengths(msgs [][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}

// sortByBlocks sets order to the messages, at most maxOrder, those of most blocks first, so
// that those behind the last full wave are short. It does not tell very long ones apart.
func (p *prefix) sortByBlocks(order []uint8, msgs [][]byte) {
	const longest = 127
	class := func(m []byte) int { return longest - min((p.n+len(m)+lengthSize)/blockSize, longest) }
	var begin [longest + 2]uint16 // of each class in order
	for _, m := range msgs {
		begin[class(m)+1]++
	}
	for c := range longest {
		begin[c+1] += begin[c]
	}
	for i, m := range msgs {
		at := &begin[class(m)]
		order[*at] = uint8(i)
		*at++
	}
}
