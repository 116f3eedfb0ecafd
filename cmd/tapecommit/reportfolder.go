package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/commit"
)

// reportFolder is the folder of a store: reports on its blobs are kept there beside them.
// The empty one has none.
type reportFolder string

// What the files about a blob are called, behind its ID.
const (
	verifySuffix = ".verify.json" // a keptReport
	scrubSuffix  = ".scrub.json"  // a position
)

// reports is where the reports of a store are kept.
func (s *storeFlag) reports(cmd *cobra.Command) reportFolder {
	name, err := s.name(cmd)
	if err != nil || isGateway(name) {
		return ""
	}
	return reportFolder(name)
}

func (f reportFolder) path(id commit.ID, suffix string) string {
	return filepath.Join(string(f), id.String()+suffix)
}

// last returns the last report on a blob. That there is none is fs.ErrNotExist.
func (f reportFolder) last(id commit.ID) (*keptReport, error) {
	var r keptReport
	if err := f.read(id, verifySuffix, &r, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// shown returns the last report on a blob, or nil. A file that holds none is noted.
func (f reportFolder) shown(p *program, id commit.ID) *keptReport {
	r, err := f.last(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.note("%v", err)
	}
	return r
}

// position returns where a scrub of a blob was stopped. That there is none is
// fs.ErrNotExist.
func (f reportFolder) position(id commit.ID) (*position, error) {
	var at position
	if err := f.read(id, scrubSuffix, &at, &at.keptReport); err != nil {
		return nil, err
	}
	if !at.valid() {
		return nil, fmt.Errorf("%s: no position", f.path(id, scrubSuffix))
	}
	return &at, nil
}

// read reads a file about a blob into v, of which r is the report.
func (f reportFolder) read(id commit.ID, suffix string, v any, r *keptReport) error {
	if f == "" {
		return fs.ErrNotExist
	}
	path := f.path(id, suffix)
	b, modified, err := readSmall(path, maxReport)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s: something follows the report", path)
	}
	if r.Time.IsZero() { // verify --json printed it
		r.Time = modified
	}
	if err := r.validate(id); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readSmall reads a regular file of at most limit bytes, and tells when it was modified.
func readSmall(path string, limit int64) ([]byte, time.Time, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: larger than %d bytes", path, limit)
	}
	return b, info.ModTime(), err
}

// write puts v in the place of a file about a blob, whole or not at all.
func (f reportFolder) write(id commit.ID, suffix string, v any) error {
	path := f.path(id, suffix)
	// A rename takes the place of files only.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return place(path, func(w io.Writer) error {
		_, err := w.Write(append(marshal(v), '\n'))
		return err
	})
}

// remove removes a file about a blob, if it is there.
func (f reportFolder) remove(id commit.ID, suffix string) error {
	if f == "" {
		return nil
	}
	return os.RemoveAll(f.path(id, suffix))
}

// forget removes all that is kept of a blob.
func (f reportFolder) forget(id commit.ID) error {
	return errors.Join(f.remove(id, verifySuffix), f.remove(id, scrubSuffix))
}

// mended drops what is kept of damage to a blob that was written anew since, and what was
// left where the keeping was ended by a kill.
func (f reportFolder) mended(id commit.ID) error {
	sweepTemps(string(f))
	if r, err := f.last(id); err == nil && !r.OK {
		if err := f.remove(id, verifySuffix); err != nil {
			return err
		}
	}
	return f.leave(id)
}

// leave makes a scrub forget what it saw of a blob, not which blob it is at.
func (f reportFolder) leave(id commit.ID) error {
	if at, err := f.position(id); err == nil && at.All {
		return f.write(id, scrubSuffix, begin(id, true))
	}
	return f.remove(id, scrubSuffix)
}
