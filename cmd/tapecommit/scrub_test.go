package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// A scrubbed is a store of blobs of some groups, which is scrubbed in the time of a bubble.
type scrubbed struct {
	*testing.T
	store  string
	ids    []commit.ID // in order
	stdout bytes.Buffer
	stderr bytes.Buffer
}

const (
	scrubGroups = 300                     // 5 runs
	scrubRun    = 64 * (3*64 + 3*32 + 32) // bytes of a run: slices, leaf hashes, roots
)

func newScrubbed(t *testing.T, blobs, groups int) *scrubbed {
	s := &scrubbed{T: t, store: filepath.Join(t.TempDir(), "store")}
	for i := range blobs {
		text := runs(t, 0, reference.Stream(uint64(i), 2*64*groups), "write", "--store", s.store, "-k", "2", "-n", "3", "--slice-size", "64", "-")
		s.ids = append(s.ids, parsedID(t, strings.TrimSpace(text)))
	}
	slices.SortFunc(s.ids, func(a, b commit.ID) int { return bytes.Compare(a[:], b[:]) })
	return s
}

func parsedID(t *testing.T, text string) commit.ID {
	t.Helper()
	id, err := commit.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// run runs the program for at most that long.
func (s *scrubbed) run(limit time.Duration, args ...string) int {
	ctx, cancel := context.WithTimeout(s.Context(), limit)
	defer cancel()
	s.stdout.Reset()
	s.stderr.Reset()
	return run(ctx, append(args, "--store", s.store), nil, &s.stdout, &s.stderr)
}

// flip spoils the slice of a group in lane 0.
func (s *scrubbed) flip(id commit.ID, group int) {
	s.Helper()
	path := filepath.Join(s.store, id.String(), "lane-00")
	b, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	b[64*group] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		s.Fatal(err)
	}
}

// bytes is how much a scrub reads of a blob. The roots are read once to check leaf hashes
// against them, and once to check themselves; the header is, more often.
func (s *scrubbed) bytes(id commit.ID) int {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(s.store, id.String()))
	if err != nil {
		s.Fatal(err)
	}
	n := 32 * scrubGroups
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			s.Fatal(err)
		}
		n += int(info.Size())
	}
	return n
}

func (s *scrubbed) position(id commit.ID) *position {
	s.Helper()
	at, err := reportFolder(s.store).position(id)
	if err != nil {
		s.Fatal(err)
	}
	return at
}

func (s *scrubbed) last(id commit.ID) *keptReport {
	s.Helper()
	r, err := reportFolder(s.store).last(id)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// noPosition checks that no scrub is to be gone on with.
func (s *scrubbed) noPosition() {
	s.Helper()
	if left, err := filepath.Glob(filepath.Join(s.store, "*.scrub.json")); err != nil || len(left) > 0 {
		s.Errorf("positions are left: %q, %v", left, err)
	}
}

// says checks what the last run printed.
func (s *scrubbed) says(lines ...string) {
	s.Helper()
	for _, line := range lines {
		if !regexp.MustCompile("(?m)" + line).MatchString(s.stdout.String()) {
			s.Errorf("the report does not say %q:\n%s", line, &s.stdout)
		}
	}
}

// TestScrubPace reads no faster than the rate, and not much slower.
func TestScrubPace(t *testing.T) {
	const blobs, rate = 3, 1024
	s := newScrubbed(t, blobs, scrubGroups)
	size := blobs * s.bytes(s.ids[0])
	seconds := func(bytes int) time.Duration { return time.Duration(bytes) * time.Second / rate }
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			args []string
			size int
		}{
			{[]string{"verify", "--all", "--rate", "1KiB/s"}, size},
			{[]string{"verify", "--rate", "1024/s", s.ids[0].String()}, s.bytes(s.ids[0])},
		} {
			began := time.Now()
			if code := s.run(time.Hour, c.args...); code != 0 {
				t.Fatalf("%q: exit code %d: %s", c.args, code, &s.stderr)
			}
			// What was read last, up to two runs, is not waited for.
			took, least, most := time.Since(began), seconds(c.size-2*scrubRun), seconds(c.size+1024*blobs)
			if took < least || took > most {
				t.Errorf("%q took %v for %d bytes, want %v to %v", c.args, took, c.size, least, most)
			}
		}
		began := time.Now()
		if code := s.run(time.Hour, "verify", "--all"); code != 0 || time.Since(began) != 0 {
			t.Errorf("without a rate: exit code %d, waited %v", code, time.Since(began))
		}
	})
	s.noPosition()
}

// TestPauseSavesNothingUp reads slower than the rate for a while, and not faster for it
// afterwards.
func TestPauseSavesNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScrub(100)
		time.Sleep(time.Hour)
		s.stats.Bytes.Add(1000)
		began := time.Now()
		if err := s.pause(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("waited %v for bytes that took an hour, %v", time.Since(began), err)
		}
		for range 3 {
			time.Sleep(4 * time.Second) // of 10 that they may take
			s.stats.Bytes.Add(1000)
			if err := s.pause(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("3000 bytes took %v", took)
		}
		s.stats.Bytes.Add(1 << 63) // longer than a Duration
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := s.pause(ctx); err != context.DeadlineExceeded || time.Since(began) != time.Hour+30*time.Second {
			t.Errorf("waited until %v, %v", time.Since(began), err)
		}
		signal := errors.New("a signal came")
		ended, end := context.WithCancelCause(t.Context())
		end(signal)
		if err := s.pause(ended); err != signal {
			t.Errorf("ended by a signal: %v", err)
		}
	})
}

// TestScrubStopped stops a scrub of one blob, which another goes on with.
func TestScrubStopped(t *testing.T) {
	s := newScrubbed(t, 1, scrubGroups)
	id := s.ids[0]
	s.flip(id, 3)
	s.flip(id, 299)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		go func() { // what a kill at that time would leave
			time.Sleep(110 * time.Second)
			if at := s.position(id); at.Next == 0 || at.Faults != 1 || len(at.Damage) != 1 {
				t.Errorf("the position under way is %+v", at)
			}
		}()
		if code := s.run(150*time.Second, "verify", id.String(), "--rate", "512/s"); code != 130 {
			t.Fatalf("exit code %d: %s", code, &s.stderr)
		}
		at := s.position(id)
		if at.Next == 0 || at.Groups != at.Next || at.All || at.Faults != 1 || !at.Began.Equal(began) {
			t.Fatalf("position %+v", at)
		}
		s.says("^lane-00 group 3: wrong$", fmt.Sprintf("^not finished: .*; the next scrub goes on with group %d$", at.Next))
		if _, err := reportFolder(s.store).last(id); err == nil {
			t.Error("there is a report on a blob of which not all was looked at")
		}

		for _, asJSON := range []bool{false, true} {
			args := []string{"verify", id.String(), "--rate", "1MiB/s"}
			if asJSON {
				args = append(args, "--json")
				if err := reportFolder(s.store).write(id, scrubSuffix, at); err != nil {
					t.Fatal(err)
				}
			}
			if code := s.run(time.Hour, args...); code != 1 {
				t.Fatalf("exit code %d: %s", code, &s.stderr)
			}
			if strings.Contains(s.stdout.String(), "group 3:") {
				t.Errorf("it looked at the groups before, too:\n%s", &s.stdout)
			}
			if !asJSON {
				s.says(fmt.Sprintf("^groups 0-%d: looked at by the scrub that was stopped on .* UTC: 1 fault$", at.Next-1),
					"^lane-00 group 299: wrong$", fmt.Sprintf("^damaged: 1 fault in groups %d-299$", at.Next))
			} else {
				var r struct {
					From, Groups, Faults int
					Before               struct{ Faults int }
					Damage               []faultSpan
				}
				if err := json.Unmarshal(s.stdout.Bytes(), &r); err != nil || r.From != at.Next || r.Groups != 300-at.Next || r.Faults != 1 || r.Before.Faults != 1 || len(r.Damage) != 1 {
					t.Errorf("%+v, %v: %s", r, err, &s.stdout)
				}
			}
			r := s.last(id)
			if r.Groups != 300 || r.Faults != 2 || r.OK || len(r.Damage) != 2 || !r.Began.Equal(began) || !r.Time.After(began) {
				t.Errorf("report %+v", r)
			}
			s.noPosition()
		}

		// The first part is damaged, what is left is not: the answer is still no.
		s.flip(id, 299)
		if err := reportFolder(s.store).write(id, scrubSuffix, at); err != nil {
			t.Fatal(err)
		}
		if code := s.run(time.Hour, "verify", id.String(), "--rate", "1MiB/s"); code != 1 {
			t.Errorf("exit code %d: %s", code, &s.stdout)
		}
		s.says(fmt.Sprintf("^whole: all slices of groups %d-299 are right$", at.Next))

		// Without a rate all is looked at, whatever the position.
		if err := reportFolder(s.store).write(id, scrubSuffix, at); err != nil {
			t.Fatal(err)
		}
		if code := s.run(time.Hour, "verify", id.String()); code != 1 {
			t.Errorf("exit code %d", code)
		}
		s.says("^lane-00 group 3: wrong$", "^damaged: 1 fault in 300 groups$")
		s.noPosition()
	})
}

// TestScrubAllStopped stops a scrub of all blobs in the second, which is repaired then.
func TestScrubAllStopped(t *testing.T) {
	s := newScrubbed(t, 4, scrubGroups)
	s.flip(s.ids[1], 3)
	scrubAll := []string{"verify", "--all", "--rate", "1KiB/s"}
	looked := func() []string {
		return regexp.MustCompile("(?m)^[0-9a-f]{64}$").FindAllString(s.stdout.String(), -1)
	}
	synctest.Test(t, func(t *testing.T) {
		if code := s.run(150*time.Second, scrubAll...); code != 130 {
			t.Fatalf("exit code %d: %s", code, &s.stderr)
		}
		at := s.position(s.ids[1])
		if at.Next == 0 || !at.All || len(looked()) != 2 {
			t.Fatalf("%+v after %q", at, looked())
		}
		if !s.last(s.ids[0]).OK {
			t.Error("no report on the first")
		}
		// It goes on there, and is stopped before it reads anything.
		if code := s.run(0, scrubAll...); code != 130 || s.position(s.ids[1]).Next != at.Next {
			t.Errorf("exit code %d, position %+v", code, s.position(s.ids[1]))
		}
		// A repair mends what was found; the scrub goes on with that blob from its begin.
		if code := s.run(time.Hour, "repair", s.ids[1].String()); code != 0 {
			t.Fatalf("repair: exit code %d: %s", code, &s.stderr)
		}
		if r := s.last(s.ids[1]); !r.OK || r.Faults != 1 || r.Fixed != 1 {
			t.Errorf("report %+v", r)
		}
		if at := s.position(s.ids[1]); at.Next != 0 || !at.All || at.Faults != 0 {
			t.Errorf("position %+v", at)
		}
		if code := s.run(time.Hour, scrubAll...); code != 0 || len(looked()) != 3 {
			t.Errorf("exit code %d, looked at %q: %s", code, looked(), &s.stderr)
		}
		if want := "going on with " + s.ids[1].String() + ", where a scrub was stopped, and not with the 1 blob before it"; !strings.Contains(s.stderr.String(), want) {
			t.Errorf("stderr %q", &s.stderr)
		}
		s.noPosition()
		if r := s.last(s.ids[1]); !r.OK || r.Faults != 0 || r.Groups != 300 {
			t.Errorf("report %+v", r)
		}
		if code := s.run(time.Hour, scrubAll...); code != 0 || len(looked()) != 4 {
			t.Errorf("exit code %d, looked at %q", code, looked())
		}

		// A verify of all without a rate takes the place of a scrub that was stopped.
		if code := s.run(150*time.Second, scrubAll...); code != 130 || !s.position(s.ids[1]).All {
			t.Errorf("exit code %d", code)
		}
		if code := s.run(time.Hour, "verify", "--all"); code != 0 || len(looked()) != 4 {
			t.Errorf("exit code %d, looked at %q", code, looked())
		}
		s.noPosition()
	})
}

// TestScrubBetween stops a scrub of all while it waits for what it read of a blob.
func TestScrubBetween(t *testing.T) {
	s := newScrubbed(t, 2, 64)
	synctest.Test(t, func(t *testing.T) {
		if code := s.run(time.Second, "verify", "--all", "--rate", "1KiB/s"); code != 130 {
			t.Fatalf("exit code %d", code)
		}
		if !s.last(s.ids[0]).OK {
			t.Error("no report on the first")
		}
		if at := s.position(s.ids[1]); at.Next != 0 || !at.All {
			t.Errorf("position %+v", at)
		}
		if _, err := reportFolder(s.store).position(s.ids[0]); err == nil {
			t.Error("the first has a position too")
		}
	})
}

// TestPositionForged finds files that hold no position: all of the blob is looked at.
func TestPositionForged(t *testing.T) {
	s := newScrubbed(t, 1, scrubGroups)
	id := s.ids[0]
	s.flip(id, 3)
	path := reportFolder(s.store).path(id, scrubSuffix)
	format := `{"id":"%v","groups":%d,"damage":[],"time":"2026-01-02T03:04:05Z","ok":true,"faults":0,"fixed":0,"lost":0,"miscoded":0,"error":"","next":%d,"all":true}`
	for _, content := range []string{
		"", "{", "null", "[]", "{}",
		fmt.Sprintf(format, id, 256, 192), fmt.Sprintf(format, id, 255, 255), fmt.Sprintf(format, id, -64, -64),
		fmt.Sprintf(format, id, 320, 320), fmt.Sprintf(format, id, 1<<27, 1<<27), fmt.Sprintf(format, id, 1<<28, 1<<28),
		fmt.Sprintf(format, commit.ID{}, 256, 256),
		strings.Replace(fmt.Sprintf(format, id, 256, 256), "{", `{"more":1,`, 1),
		fmt.Sprintf(format, id, 256, 256) + "{}",
		fmt.Sprintf(format, id, 256, 256) + strings.Repeat(" ", maxReport),
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", id.String()}, {"verify", "--all"}} {
			if code := s.run(time.Hour, append(args, "--rate", "1GiB/s")...); code != 1 {
				t.Errorf("%.80q: exit code %d: %s", content, code, &s.stderr)
			}
			s.says("^lane-00 group 3: wrong$", "^damaged: 1 fault in 300 groups$")
		}
		s.noPosition()
	}

	// One that there could be is taken, and the report says so.
	if err := os.WriteFile(path, fmt.Appendf(nil, format, id, 256, 256), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := s.run(time.Hour, "verify", "--all", "--rate", "1GiB/s"); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.says("^groups 0-255: looked at by the scrub that was stopped on 2026-01-02 03:04 UTC: 0 faults$", "^whole: all slices of groups 256-299 are right$")

	// Another thing at that path is neither waited for nor in the way.
	for _, kind := range []func() error{
		func() error { return os.MkdirAll(filepath.Join(path, "sub"), 0o777) },
		func() error { return os.Symlink("/dev/zero", path) },
	} {
		if err := kind(); err != nil {
			t.Fatal(err)
		}
		if code := s.run(time.Hour, "verify", "--all", "--rate", "1GiB/s"); code != 1 {
			t.Errorf("exit code %d: %s", code, &s.stderr)
		}
		s.noPosition()
	}
}

// TestRateFlag wants bytes a second.
func TestRateFlag(t *testing.T) {
	for text, want := range map[string]byteRate{
		"20MiB/s": 20 << 20, "1/s": 1, "3GiB/s": 3 << 30, "1000000/s": 1e6,
		"20MiB": 0, "0/s": 0, "/s": 0, "": 0, "-1/s": 0, "1.5MiB/s": 0, "1MB/s": 0, "MiB/s": 0, "20MiB/s/s": 0, "20 MiB/s": 0, "99999999999GiB/s": 0,
	} {
		var r byteRate
		if err := r.Set(text); (err == nil) != (want > 0) || r != want {
			t.Errorf("%q: %d, %v, want %d", text, r, err, want)
		}
		if want > 0 {
			var again byteRate
			if err := again.Set(r.String()); err != nil || again != r {
				t.Errorf("%q comes back as %q", text, &r)
			}
		}
	}
}
