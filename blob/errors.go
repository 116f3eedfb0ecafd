package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
)

// contextError is the error of a context that is done: its cause, in which errors.Is finds ctx.Err() too.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &ended{cause, err}
}

// ended is why a context is done, and that it is.
type ended struct{ cause, err error }

func (e *ended) Error() string   { return e.cause.Error() }
func (e *ended) Unwrap() []error { return []error{e.cause, e.err} }

var (
	// ErrNoHeader is the error of a blob that is there, but has no header that leads to its ID.
	ErrNoHeader = errors.New("blob: no header leads to the ID")

	// ErrNoRoots is the error where neither stored group roots nor stored leaf hashes nor the slices lead to a node
	// above: of a window, or where the manifest is missing or wrong, of the blob.
	ErrNoRoots = errors.New("blob: nothing stored leads to the group roots")
)

// What a [Fault] is about, where it is not an error of the store.
var (
	ErrMissing error = &cause{"missing", fs.ErrNotExist}             // no such object, or no regular file
	ErrShort   error = &cause{"ends too early", io.ErrUnexpectedEOF} // the object ends before this
	ErrWrong   error = &cause{"wrong", nil}                          // not what the ID vouches for
	ErrSurplus error = &cause{"has bytes behind its end", nil}       // an object that is too long
)

type cause struct {
	text string
	is   error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.is }

// causeOf tells why an object did not give all that was asked for.
func causeOf(err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return ErrShort
	case errors.Is(err, fs.ErrNotExist):
		return ErrMissing
	}
	return err
}

// A Fault is one thing missing or wrong.
type Fault struct {
	// Object is the name of the object. It is empty where the fault is of a group: its Err is a [LostError] or an
	// [EncodingError].
	Object string

	// At is the slice, or the leaf hash of the slice. Its Lane is -1 where the fault is of the group's root, of all
	// its leaf hashes, or of the group itself; its Group is -1 too where the fault is of the object: the header
	// behind a lane, bytes behind the end, the manifest.
	At commit.Pos

	// Fixed says that Repair has mended it.
	Fixed bool

	// Err is ErrMissing, ErrShort, ErrWrong, ErrSurplus, an error of the store, or one of those named above, or wraps
	// one of these.
	Err error
}

// String tells object, group and slice, and what is wrong there.
func (f Fault) String() string { return f.where() + ": " + textOf(f.Err) }

func (f Fault) where() string {
	var where []string
	if f.Object != "" {
		where = append(where, f.Object)
	}
	switch {
	case f.At.Group < 0:
	case f.At.Lane < 0:
		where = append(where, fmt.Sprintf("group %d", f.At.Group))
	default:
		where = append(where, fmt.Sprintf("slice %v", f.At))
	}
	return strings.Join(where, ", ")
}

// textOf is the text of an error within another of this package.
func textOf(err error) string { return strings.TrimPrefix(err.Error(), "blob: ") }

// A LostError says that a group cannot be read: fewer than Need of its slices are right, or nothing that is stored
// tells which are.
type LostError struct {
	Group int
	Need  int // slices that it takes
	Right int // slices found that are known to be right

	// Unknown says that no leaf hashes lead to the root of the group, or that this is not known either: slices that
	// were found may be right.
	Unknown bool

	// Tried are the first Need slices found where the leaf hashes that follow from them do not lead to the root. If
	// the group was coded well, one of them is wrong. Suspects are the slices found, of these and others, that do not
	// match the leaf hashes stored, where others do match: a slice or its hash is wrong. Without the lanes that are
	// wrong a read may succeed; none is made without them by itself, for no two readers may get different bytes.
	Tried, Suspects commit.Lanes

	// Faults are of the other slices, in the order of their lanes, and then of the leaf hashes; where the root is not
	// known, of that alone.
	Faults []Fault
}

// Error names the group, the lanes, and what is wrong with each.
func (e *LostError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "blob: group %d is lost: ", e.Group)
	if e.Unknown {
		b.WriteString("no slice is known to be right")
	} else {
		fmt.Fprintf(&b, "%d slices are right", e.Right)
	}
	fmt.Fprintf(&b, ", %d are needed", e.Need)
	sep := ": "
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "%s%s %s", sep, f.Object, textOf(f.Err))
		sep = ", "
	}
	return b.String()
}

// newLostError picks the faults of a group from those of a run.
func newLostError(group, need int, right commit.Lanes, faults []Fault) *LostError {
	e := &LostError{Group: group, Need: need, Right: right.Len()}
	for _, f := range faults {
		if f.At.Group != group || f.Object == "" {
			continue
		}
		if errors.Is(f.Err, ErrNoRoots) {
			// Which slices were asked for besides depends on what was known of other groups.
			e.Unknown, e.Faults = true, []Fault{f}
			return e
		}
		var lost *lostLeaves
		if errors.As(f.Err, &lost) {
			e.Unknown, e.Tried, e.Suspects = true, lost.tried, lost.suspects
		}
		e.Faults = append(e.Faults, f)
	}
	sortFaults(e.Faults)
	return e
}

// lostLeaves is what is wrong with the stored leaf hashes of a group that could not be made again either.
type lostLeaves struct {
	err error
	doubt
}

func (e *lostLeaves) Error() string {
	if e.tried == 0 {
		return e.err.Error()
	}
	return fmt.Sprintf("%v (those made of %s do not lead to the root either%s)", e.err, namesOf(e.tried), e.advice())
}

func (e *lostLeaves) Unwrap() error { return e.err }

// A doubt is about the slices of a group of which it is not known which are right.
type doubt struct {
	have     commit.Lanes // slices that came
	tried    commit.Lanes // the first K of them, or none where there are fewer
	suspects commit.Lanes // those that do not match the stored leaf hashes, where others do
}

// advice tells which to doubt, and where enough others are there, how the group may be read.
func (d doubt) advice() string {
	need := d.tried.Len()
	if d.suspects == 0 {
		if d.have.Len() == need {
			return ""
		}
		return ": a read may succeed without one of these"
	}
	s, them := fmt.Sprintf("; lanes %v do not match the stored leaf hashes", d.suspects), "them"
	if d.suspects.Len() == 1 {
		s, them = fmt.Sprintf("; lane %v does not match the stored leaf hash", d.suspects), "it"
	}
	if (d.have &^ d.suspects).Len() < need {
		return s
	}
	return s + ": a read may succeed without " + them
}

// namesOf names lanes, of which there is at least one.
func namesOf(l commit.Lanes) string {
	if l.Len() == 1 {
		return fmt.Sprintf("lane %v", l)
	}
	return fmt.Sprintf("lanes %v", l)
}

// sortFaults sorts by group, lane and object; what is of a whole group or object stands behind the slices.
func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if d := cmpLast(a.At.Group, b.At.Group); d != 0 {
			return d
		}
		if d := cmpLast(a.At.Lane, b.At.Lane); d != 0 {
			return d
		}
		return strings.Compare(a.Object, b.Object)
	})
}

// cmpLast compares, with negative numbers behind all others.
func cmpLast(a, b int) int {
	switch {
	case a == b:
		return 0
	case a < 0 || b >= 0 && a > b:
		return 1
	}
	return -1
}

// An EncodingError says that whoever wrote the blob coded a group wrongly: K slices that all match their leaf hashes
// do not give the others.
type EncodingError struct {
	Group   int
	Wrong   commit.Lanes // lanes, of those looked at, whose leaf hash the code does not give
	Padding bool         // bytes behind the plaintext are not zero

	// Evidence shows it to anybody who has the ID: see evidence.Check. An error of a read has it, of the slices that
	// it met, unless the hashes beside the group could not be read. A Fault has none, for there may be one of each
	// group: evidence.Append makes it, of the Blob and the group.
	Evidence []byte
}

// Error names the group and the lanes.
func (e *EncodingError) Error() string {
	s := fmt.Sprintf("blob: group %d was coded wrongly by its writer", e.Group)
	sep := ": it does not give the slices of "
	for i := range commit.MaxSlices {
		if e.Wrong.Has(i) {
			s += sep + nameLane(i)
			sep = ", "
		}
	}
	switch {
	case e.Padding && e.Wrong != 0:
		s += ", and the padding is not zero"
	case e.Padding:
		s += ": the padding is not zero"
	}
	return s
}
