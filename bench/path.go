package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

const (
	readRuns   = 4  // of groups, in the blob that is read: its lanes stay in a large cache
	writeRuns  = 16 // in the blob that is written: making a Writer is no matter
	tileGroups = 8  // that are coded and hashed before the next are touched
)

func runsLen(runs int) int64 { return groupsLen(runs * commit.RunGroups) }

// A path is writing a blob and reading it back, in memory at the defaults, and the parts of that alone.
//
// What is written is the plaintext of the blob that is read, as often as it takes. Coding and hashing alone go through
// one run of groups again and again, tile by tile; like the memory of a Writer it is more than the L2 cache holds.
type path struct {
	ctx    context.Context
	plain  []byte
	store  blob.Store
	header commit.Header // of plain
	wrote  commit.Header // of what is written

	run    *slicer.Batch
	data   [][]byte // the data slices of plain
	leaves []commit.Hash
	roots  []commit.Hash
	code   reedsolomon.Encoder
	lanes  [][]byte // of one tile
}

func newPath(ctx context.Context) (*path, error) {
	p := &path{
		ctx:    ctx,
		plain:  make([]byte, runsLen(readRuns)),
		store:  blob.NewMem(),
		leaves: make([]commit.Hash, commit.RunGroups*defaults.N),
		roots:  make([]commit.Hash, commit.RunGroups),
		lanes:  make([][]byte, defaults.N),
	}
	rand.NewChaCha8([32]byte{}).Read(p.plain)
	var err error
	if p.header, err = p.write(p.store, 1, 1); err != nil {
		return nil, err
	}
	if p.wrote, err = p.write(blob.Discard, writeRuns/readRuns, 1); err != nil {
		return nil, err
	}
	if p.run, err = slicer.New(defaults, commit.RunGroups); err != nil {
		return nil, err
	}
	if _, err := p.run.Fill(bytes.NewReader(p.plain)); err != nil {
		return nil, err
	}
	p.data = spaced(many(len(p.plain)/defaults.SliceSize, defaults.SliceSize))
	for i, s := range p.data {
		copy(s, p.plain[i*defaults.SliceSize:])
	}
	// As the slicer makes it: in the caller's goroutine.
	p.code, err = reedsolomon.New(defaults.K, defaults.N-defaults.K,
		reedsolomon.WithMaxGoroutines(1), reedsolomon.WithInversionCache(false))
	return p, err
}

// write writes the plaintext so many times in a row.
func (p *path) write(s blob.Store, times, workers int) (commit.Header, error) {
	w, err := blob.NewWriter(p.ctx, s, blob.Options{Workers: workers})
	if err != nil {
		return commit.Header{}, err
	}
	defer w.Close()
	for range times {
		if _, err := w.ReadFrom(bytes.NewReader(p.plain)); err != nil {
			return commit.Header{}, err
		}
	}
	return w.Commit()
}

func (p *path) writeOnce(workers int) error {
	h, err := p.write(blob.Discard, writeRuns/readRuns, workers)
	if err == nil && h != p.wrote {
		err = fmt.Errorf("wrote %v, want %v", h.ID(), p.wrote.ID())
	}
	return err
}

func (p *path) readOnce(workers int) error {
	b, err := blob.Open(p.ctx, p.store, p.header.ID(), blob.Options{Workers: workers})
	if err != nil {
		return err
	}
	defer b.Close()
	n := 0
	for s, err := range b.Slices(p.ctx, p.header.Cover(0, p.header.Length)) {
		if err != nil {
			return err
		}
		n += len(s.Bytes())
	}
	if n != len(p.plain) {
		return fmt.Errorf("read %d bytes, want %d", n, len(p.plain))
	}
	return nil
}

// codeOnce encodes as many groups as are written, a tile at a time as one group of long slices.
func (p *path) codeOnce() error {
	const size = tileGroups * commit.MaxSliceSize
	for range writeRuns {
		for g := 0; g < commit.RunGroups; g += tileGroups {
			for i := range p.lanes {
				p.lanes[i] = p.run.Lane(i)[g*commit.MaxSliceSize:][:size]
			}
			if err := p.code.Encode(p.lanes); err != nil {
				return err
			}
		}
	}
	return nil
}

// hashOnce hashes leaves and joins of as many groups as are written.
func (p *path) hashOnce() error {
	const n = tileGroups * commit.MaxSlices
	slices := p.run.Slices()
	for range writeRuns {
		for i := 0; i < len(slices); i += n {
			commit.HashLeaves(p.leaves[i:][:n], slices[i:][:n])
		}
		commit.GroupRoots(p.roots, p.leaves, defaults.N)
	}
	return nil
}

// dataOnce hashes the slices that a read hashes.
func (p *path) dataOnce() error {
	const n = tileGroups * commit.MaxSlices
	for i := 0; i < len(p.data); i += n {
		commit.HashLeaves(p.leaves[:n], p.data[i:][:n])
	}
	return nil
}

// slowKernel is how many times the default's time a kernel takes that is left out here, as a minute for each would be.
const slowKernel = 5

// kernels are those that are timed.
func (p *path) kernels() ([]string, error) {
	j := job{run: func(times int) error {
		for range times {
			commit.HashLeaves(p.leaves[:defaults.N], p.data[:defaults.N])
		}
		return nil
	}}
	var names []string
	var limit float64
	for _, k := range append([]string{""}, kernels()...) {
		j.ready = pin(k)
		ns, err := bestOf(&j)
		if err != nil {
			return nil, err
		}
		if k == "" {
			limit = slowKernel * ns
		} else if ns < limit {
			names = append(names, k)
		}
	}
	return names, nil
}

// heat is the whole path, by the default choice and by each kernel on one core, and by the default choice on more.
func (p *path) heat(cores int) (heat, error) {
	names, err := p.kernels()
	if err != nil {
		return nil, err
	}
	var h heat
	add := func(shape, by, kernel string, cores int, once func() error) {
		h = append(h, &entry{
			key:     key{shape, by, cores},
			collect: shape == writePath || shape == readPath,
			parts:   1, // of some length each
			slot:    pathSlot,
			jobs: []job{{ready: pin(kernel), run: func(times int) error {
				for range times {
					if err := once(); err != nil {
						return err
					}
				}
				return nil
			}}},
		})
	}
	whole := func(by, kernel string, workers int) {
		add(writePath, by, kernel, workers, func() error { return p.writeOnce(workers) })
		add(readPath, by, kernel, workers, func() error { return p.readOnce(workers) })
	}
	parts := func(by, kernel string) {
		add(hashAlone, by, kernel, 1, p.hashOnce)
		add(dataAlone, by, kernel, 1, p.dataOnce)
	}
	add(codeAlone, coderOnly, "", 1, p.codeOnce)
	whole(byDefault, "", 1)
	parts(byDefault, "")
	for _, k := range names {
		whole(k, k, 1)
		parts(k, k)
	}
	if cores > 1 {
		whole(byDefault, "", cores)
	}
	return h, nil
}
