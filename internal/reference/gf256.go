package reference

// The field GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. Addition is xor.

const polynomial = 0x11d

// products[a][b] is a b.
var products = func() (t [256][256]byte) {
	for a := range 256 {
		for b := range 256 {
			product := 0
			for bit := range 8 {
				if b>>bit&1 == 1 {
					product ^= a << bit
				}
			}
			for bit := 14; bit >= 8; bit-- {
				if product>>bit&1 == 1 {
					product ^= polynomial << (bit - 8)
				}
			}
			t[a][b] = byte(product)
		}
	}
	return t
}()

func power(a byte, n int) byte {
	product := byte(1)
	for range n {
		product = products[product][a]
	}
	return product
}

func inverse(a byte) byte {
	for b := range 256 {
		if products[a][b] == 1 {
			return byte(b)
		}
	}
	panic("reference: zero has no inverse")
}

// matrix is rows of elements of the field.
type matrix [][]byte

func newMatrix(rows, columns int) matrix {
	m := make(matrix, rows)
	for r := range m {
		m[r] = make([]byte, columns)
	}
	return m
}

func (m matrix) times(other matrix) matrix {
	product := newMatrix(len(m), len(other[0]))
	for r := range product {
		for c := range product[r] {
			for i := range other {
				product[r][c] ^= products[m[r][i]][other[i][c]]
			}
		}
	}
	return product
}

// inverse is that of a square matrix that has one, by Gauss and Jordan.
func (m matrix) inverse() matrix {
	size := len(m)
	work := newMatrix(size, 2*size) // m, then what becomes its inverse
	for r := range m {
		copy(work[r], m[r])
		work[r][size+r] = 1
	}
	for c := range size {
		pivot := c
		for work[pivot][c] == 0 {
			pivot++
		}
		work[c], work[pivot] = work[pivot], work[c]
		scale := inverse(work[c][c])
		for i := range work[c] {
			work[c][i] = products[work[c][i]][scale]
		}
		for r := range work {
			if r == c {
				continue
			}
			factor := work[r][c]
			for i := range work[r] {
				work[r][i] ^= products[factor][work[c][i]]
			}
		}
	}
	for r := range work {
		work[r] = work[r][size:]
	}
	return work
}
