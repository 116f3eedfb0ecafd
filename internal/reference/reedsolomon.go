package reference

// codec is the n by k matrix that makes the n slices of a group of its k data slices: the Vandermonde
// matrix, whose row r is r^0, r^1, ..., times the inverse of its first k rows. So its own first k rows are
// those of the identity, and any k of its rows are independent.
func codec(k, n int) matrix {
	vandermonde := newMatrix(n, k)
	for r := range vandermonde {
		for c := range vandermonde[r] {
			vandermonde[r][c] = power(byte(r), c)
		}
	}
	return vandermonde.times(vandermonde[:k].inverse())
}

// EncodeGroup returns the n slices of a group: data, which is k slices of one size, and n-k of parity.
func EncodeGroup(n int, data [][]byte) [][]byte {
	return codec(len(data), n).times(data)
}

// DecodeGroup returns the k data slices of a group from the first k of its slices that are there, the
// others being nil.
func DecodeGroup(k int, slices [][]byte) [][]byte {
	code := codec(k, len(slices))
	var rows, there matrix
	for i, slice := range slices {
		if slice != nil && len(there) < k {
			rows, there = append(rows, code[i]), append(there, slice)
		}
	}
	if len(there) < k {
		panic("reference: fewer than k slices")
	}
	return rows.inverse().times(there)
}
