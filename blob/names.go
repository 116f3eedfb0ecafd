package blob

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
)

// The names of a blob's objects.
const (
	nameManifest = "manifest"
	nameRoots    = "roots"
	nameLeaves   = "leaves"
)

var laneNames = [commit.MaxSlices]string{
	"lane-00", "lane-01", "lane-02", "lane-03", "lane-04", "lane-05", "lane-06", "lane-07", "lane-08", "lane-09",
	"lane-10", "lane-11", "lane-12", "lane-13", "lane-14", "lane-15", "lane-16", "lane-17", "lane-18", "lane-19",
}

// objectNames is all of them.
var objectNames = append([]string{nameManifest, nameRoots, nameLeaves}, laneNames[:]...)

// nameLane is the name of lane i.
func nameLane(i int) string { return laneNames[i] }

// checkName refuses what is not the name of an object, so that no name leads out
// of a blob's folder.
func checkName(name string) error {
	if !slices.Contains(objectNames, name) {
		return fmt.Errorf("blob: %q names no object: %w", name, fs.ErrInvalid)
	}
	return nil
}
