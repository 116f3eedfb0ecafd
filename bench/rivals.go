package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"strings"
)

// rivalNote is what there is to know of a rival besides its figures.
type rivalNote struct {
	Name   string  `json:"name"`
	Note   string  `json:"note,omitempty"`   // version, and what it chose
	Own    float64 `json:"own,omitempty"`    // its time here, in times of its own benchmark's
	Absent string  `json:"absent,omitempty"` // why it did not run
	Void   string  `json:"void,omitempty"`   // why its figures do not count
}

// rust is the rivals in Rust.
type rust struct {
	all    []contestant
	notes  []rivalNote
	callNs float64 // what a call takes that does nothing
}

// newRust builds the library and holds each rival to its crate's own benchmark. Where it cannot be built the rivals are
// absent, and where a benchmark cannot they are void.
func newRust(ctx context.Context, log io.Writer) (r rust, err error) {
	lib, c, err := buildRust(ctx, log)
	if err != nil {
		for _, name := range []string{tape, commonware} {
			r.notes = append(r.notes, rivalNote{Name: name, Absent: err.Error()})
		}
		return r, ctx.Err()
	}
	call := lib.call()
	if r.callNs, err = bestOf(&call); err != nil {
		return r, err
	}
	r.all, r.notes = lib.contestants()
	sources, noSources := c.sources(ctx)
	for _, crate := range []string{"tape-sha256", "commonware-cryptography"} {
		var own map[string]float64
		err := noSources
		if err == nil {
			own, err = c.own(ctx, crate, sources[crate], r.all)
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		for _, rival := range r.all {
			if crateOf(rival.name) != crate {
				continue
			}
			n := rivalNote{Name: rival.name, Note: crate + " " + sources[crate].version, Own: own[rival.name]}
			if rival.name == tape {
				n.Note += ", chooses " + lib.tapeChoice()
			}
			switch {
			case err != nil:
				n.Void = "its own benchmark did not run: " + err.Error()
			case n.Own == 0:
				n.Void = "its own benchmark has no line for it"
			case n.Own > ownTolerance:
				n.Void = fmt.Sprintf("%.2f times as slow as in its own benchmark", n.Own)
			}
			r.notes = append(r.notes, n)
		}
	}
	return r, nil
}

// crateOf is the crate of a rival in Rust.
func crateOf(rival string) string {
	if strings.HasPrefix(rival, tape) {
		return "tape-sha256"
	}
	return "commonware-cryptography"
}

// own compares the rivals of a crate with its own benchmarks: how many times slower each is here.
func (c *cargo) own(ctx context.Context, crate string, s crateSource, rivals []contestant) (map[string]float64, error) {
	all := make(map[string]float64)
	for _, b := range ownBenches() {
		if b.crate != crate {
			continue
		}
		program, err := c.bench(ctx, s, b.name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(c.log, "benchmark %s of %s, in turns with the same here\n", b.name, crate)
		worst, err := b.compare(ctx, program, rivals)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, worst)
	}
	return all, nil
}

func buildRust(ctx context.Context, log io.Writer) (*rustLib, *cargo, error) {
	c, err := newCargo(log)
	if err != nil {
		return nil, nil, err
	}
	name, err := c.build(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("not built: %w", err)
	}
	lib, err := openRust(name)
	if err != nil {
		return nil, nil, fmt.Errorf("not loaded: %w", err)
	}
	return lib, c, nil
}

// goNotes are on the rivals in Go, as this program was built with them.
func goNotes() []rivalNote {
	info, _ := debug.ReadBuildInfo()
	notes := []rivalNote{{Name: standard, Note: runtime.Version()}}
	for _, d := range info.Deps {
		if d.Path == "github.com/minio/sha256-simd" {
			notes = append(notes, rivalNote{Name: minio, Note: d.Version})
		}
	}
	return notes
}
