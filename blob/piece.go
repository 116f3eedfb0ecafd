package blob

import (
	"fmt"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/hashcore"
	"github.com/tapecommit/tapecommit/slicer"
)

// pieceGroups are the groups that a Writer stores at a time: 32 KiB of each lane at the default size of slices. More
// would be out of the L2 cache before they are used again; writes to a folder get no faster by it.
const pieceGroups = 8

// maxPieces is how many pieces a Writer has: one is filled, and of those that are done some wait for their turn.
func maxPieces(workers int) int { return 2*workers + 1 }

// quick are Uploads that do no more in Append than to copy: not worth a goroutine.
type quick interface{ quick() }

func (discard) quick()    {}
func (*memUpload) quick() {}

// tileGroups is how many groups are worked on before the next are touched: few enough to stay in the L2 cache from one
// pass over them to the next, where that has 512 KiB, and enough to fill the lanes of hashcore.
func tileGroups() int {
	if hashcore.Lanes() <= 8 {
		return pieceGroups / 2
	}
	return pieceGroups
}

// A piece is some groups on their way through a Writer, in memory that the Writer uses again.
type piece struct {
	w      *Writer
	groups int // that fit
	batch  *slicer.Batch
	leaves []commit.Hash
	roots  []commit.Hash
	bytes  []byte // roots, then leaves, as they are stored

	coded int    // groups that are encoded and hashed
	turn  int    // its place in the blob
	main  func() // work, as a goroutine without a closure of its own
	store func(int)
	crew  crew
}

// pieceSizes are the groups that a Writer's pieces hold: it begins with a small one, so that a small blob costs little.
var pieceSizes = []int{1, pieceGroups}

func (w *Writer) newPiece(groups int) (*piece, error) {
	batch, err := slicer.New(w.params, groups)
	if err != nil {
		return nil, err
	}
	p := &piece{
		w:      w,
		groups: groups,
		batch:  batch,
		leaves: make([]commit.Hash, groups*w.params.N),
		roots:  make([]commit.Hash, groups),
	}
	_, p.crew.inTurn = w.upload.(quick)
	p.main, p.store = p.work, p.append
	return p, nil
}

func (p *piece) full() bool { return p.batch.Len() == p.batch.Cap() }

// tileRest is how much plaintext fits before the end of a tile.
func (p *piece) tileRest() int { return p.tileLen() - p.batch.Len()%p.tileLen() }

func (p *piece) tileFull() bool { return p.batch.Len()%p.tileLen() == 0 }

func (p *piece) tileLen() int { return p.w.tile * p.w.params.K * p.w.params.SliceSize }

// makeRoom gives w a piece with room for at least a byte.
func (w *Writer) makeRoom() error {
	if w.length == int64(w.params.K)*int64(w.params.SliceSize)*commit.MaxGroups {
		return fmt.Errorf("blob: more than %d bytes in slices of %d", w.length, w.params.SliceSize)
	}
	switch {
	case w.cur == nil && w.length == 0:
		return w.grow(pieceSizes[0])
	case w.cur == nil:
		return w.nextPiece()
	case !w.cur.full():
		return nil
	}
	for _, groups := range pieceSizes {
		if groups > w.cur.groups {
			return w.grow(groups)
		}
	}
	panic("blob: a full piece was not launched")
}

// grow moves the first groups to a larger piece. Small pieces are left for the collector.
func (w *Writer) grow(groups int) error {
	p, err := w.newPiece(groups)
	if err != nil {
		return err
	}
	if old := w.cur; old != nil {
		old.batch.Finish()
		for i, s := range old.batch.Slices() {
			if i%w.params.N < w.params.K {
				p.batch.Append(s)
			}
		}
	}
	w.cur = p
	w.made = 1
	return nil
}

// nextPiece gives w an empty piece, and waits for one where there are enough.
func (w *Writer) nextPiece() error {
	select {
	case w.cur = <-w.free:
	default:
		if w.made < maxPieces(w.workers) {
			p, err := w.newPiece(pieceGroups)
			if err != nil {
				return err
			}
			w.cur = p
			w.made++
			return nil
		}
		select {
		case w.cur = <-w.free:
		case <-w.ctx.Done():
			return w.failed()
		}
	}
	w.cur.batch.Reset(0)
	w.cur.coded = 0
	return nil
}

// launch sends w.cur on its way.
func (w *Writer) launch() {
	p := w.cur
	w.cur = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	p.turn = w.launched
	w.launched++
	w.jobs.Add(1)
	go p.main()
}

// work encodes, hashes and stores the piece. It passes the turn on whatever happens.
func (p *piece) work() {
	w := p.w
	defer w.jobs.Done()
	groups := p.batch.Groups()
	w.coding <- struct{}{}
	p.code(groups)
	commit.GroupRoots(p.roots[:groups], p.leaves[:groups*w.params.N], w.params.N)
	<-w.coding
	w.await(p.turn)
	if w.failed() == nil {
		w.builder.Add(p.roots[:groups])
		p.bytes = appendHashes(p.bytes[:0], p.roots[:groups])
		p.bytes = appendHashes(p.bytes, p.leaves[:groups*w.params.N])
		p.crew.each(w.params.N+2, p.store)
	}
	w.pass()
	w.free <- p
}

// await waits until all pieces before that turn are stored, or gave up.
func (w *Writer) await(turn int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.turn != turn {
		w.turned.Wait()
	}
}

// pass passes the turn on.
func (w *Writer) pass() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn++
	w.turned.Broadcast()
}

// code encodes and hashes what is not yet of the first groups.
func (p *piece) code(groups int) {
	n := p.w.params.N
	slices := p.batch.Slices()
	for p.coded < groups && p.w.failed() == nil {
		lo, hi := p.coded, min(p.coded+p.w.tile, groups)
		p.batch.Encode(lo, hi)
		commit.HashLeaves(p.leaves[lo*n:hi*n], slices[lo*n:hi*n])
		p.coded = hi
	}
}

// append stores the piece in object i: a lane, the roots or the leaves.
func (p *piece) append(i int) {
	n := p.w.params.N
	roots := p.batch.Groups() * len(commit.Hash{})
	switch i {
	case n:
		p.w.append(nameRoots, p.bytes[:roots])
	case n + 1:
		p.w.append(nameLeaves, p.bytes[roots:])
	default:
		p.w.append(nameLane(i), p.batch.Lane(i))
	}
}

// appendHashes appends hashes as they are stored.
func appendHashes(b []byte, hashes []commit.Hash) []byte {
	for i := range hashes {
		b = append(b, hashes[i][:]...)
	}
	return b
}
