package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/tapecommit/tapecommit/commit"
)

// defaults are how a blob is cut unless somebody says otherwise.
var defaults = commit.Params{K: 10, N: 20, SliceSize: commit.MaxSliceSize}

const (
	leafPrefix  = "LEAF"
	shredPrefix = "\x00SOLANA_MERKLE_SHREDS_LEAF"

	joinsPerGroup = 10 + 5 + 3 + 2 + 1 // of 20 slices, by height
	joinBlocks    = 2                  // of 73 bytes
)

// A shape is a kind of batch: the messages of one call, and the trees over them.
type shape struct {
	name   string // what -run chooses by
	title  string // in tables
	prefix string
	sizes  []int // of the bodies; none where only joins are made
	groups int   // of 20 slices, whose roots are computed too, or 0
}

// bytes is what throughput speaks of: the bodies, or the children where there are none.
func (s *shape) bytes() int {
	if len(s.sizes) == 0 {
		return s.groups * joinsPerGroup * 2 * len(commit.Hash{})
	}
	n := 0
	for _, size := range s.sizes {
		n += size
	}
	return n
}

// blocks is how many blocks of 64 bytes are compressed, prefixes, padding and joins included.
func (s *shape) blocks() int {
	n := s.groups * joinsPerGroup * joinBlocks
	for _, size := range s.sizes {
		n += (len(s.prefix) + size + 1 + 8 + 63) / 64
	}
	return n
}

func (s *shape) String() string { return s.name }

// many is so many messages of one size.
func many(count, size int) []int {
	sizes := make([]int, count)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

const (
	mixedCount = 160
	mixedMean  = 2048
)

// mixed is lengths spread evenly over 1 to 4095, in no order: pairs that make up twice the mean.
func mixed() []int {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := many(mixedCount, mixedMean)
	for i := 0; i < len(sizes); i += 2 {
		d := r.IntN(mixedMean)
		sizes[i] += d
		sizes[i+1] -= d
	}
	r.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

// Names of shapes that ratios speak of.
const (
	oneGroup    = "group"
	manyGroups  = "groups-8"
	shreds      = "shreds"
	mixedSizes  = "mixed"
	equalSizes  = "equal"
	writePath   = "write"
	readPath    = "read"
	codeAlone   = "code"
	hashAlone   = "hash"
	dataAlone   = "data"
	maxBatch    = 40
	batchPrefix = "slices-"
)

// batchName is the shape of so many slices without joins.
func batchName(count int) string { return fmt.Sprint(batchPrefix, count) }

func groupShape(name, title string, groups int) shape {
	return shape{name, title, leafPrefix, many(groups*defaults.N, defaults.SliceSize), groups}
}

// mainShapes are the columns of the tables. Those of one list take turns with each other, too.
func mainShapes() [][]shape {
	return [][]shape{
		{groupShape(oneGroup, "1 group", 1)},
		{groupShape(manyGroups, "8 groups", 8)},
		{{shreds, "64 × 1057 B", shredPrefix, many(64, 1057), 0}},
		{{"64x64B", "64 × 64 B", "", many(64, 64), 0}},
		{{"64x1KiB", "64 × 1 KiB", "", many(64, 1024), 0}},
		{
			{mixedSizes, "mixed lengths", leafPrefix, mixed(), 0},
			{equalSizes, "equal lengths", leafPrefix, many(mixedCount, mixedMean), 0},
		},
		{{"joins-1", "joins, 1 group", "", nil, 1}},
		{{"joins-8", "joins, 8 groups", "", nil, 8}},
	}
}

// batchShapes are 1 to 40 slices: what dispatch does with tails.
func batchShapes() []shape {
	shapes := make([]shape, maxBatch)
	for i := range shapes {
		n := i + 1
		shapes[i] = shape{batchName(n), fmt.Sprint(n), leafPrefix, many(n, defaults.SliceSize), 0}
	}
	return shapes
}

// shapeNamed is the shape of that name.
func shapeNamed(name string) (shape, error) {
	for _, list := range append(mainShapes(), batchShapes()) {
		for _, s := range list {
			if s.name == name {
				return s, nil
			}
		}
	}
	return shape{}, fmt.Errorf("no shape %q", name)
}
