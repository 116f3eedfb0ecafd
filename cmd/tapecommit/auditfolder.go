package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// What the files of an audit of many blobs are called, behind the ID. Files that are
// called otherwise are not looked at.
const (
	challengeSuffix = ".challenge"
	answerSuffix    = ".answer"
)

// isFolder reports whether an operand names a folder.
func isFolder(operand string) bool {
	info, err := os.Stat(operand)
	return err == nil && info.IsDir()
}

func auditPath(folder string, id commit.ID, suffix string) string {
	return filepath.Join(folder, id.String()+suffix)
}

// auditFile is the file about a blob in a folder, which is made where it is not there.
func auditFile(folder string, id commit.ID, suffix string) (string, error) {
	return auditPath(folder, id, suffix), os.MkdirAll(folder, 0o777)
}

// challengesIn lists the blobs that a folder has challenges for, in order, and the files
// that are called challenges and name no blob: a challenge that was renamed must not look
// like one that was passed.
func challengesIn(folder string) (ids []commit.ID, misnamed []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), challengeSuffix)
		if !ok {
			continue
		}
		if id, err := commit.ParseID(name); err == nil {
			ids = append(ids, id)
		} else {
			misnamed = append(misnamed, e.Name())
		}
	}
	if len(ids)+len(misnamed) == 0 {
		return nil, nil, wrongUsef("no challenges in %s: they are called <id>%s", folder, challengeSuffix)
	}
	return ids, misnamed, nil
}

var errMisnamed = refusalf("not called <id>%s: nobody can tell its blob", challengeSuffix)

// openAudit opens the file about a blob in a folder that may come from elsewhere.
func openAudit(folder string, id commit.ID, suffix string) (*input, error) {
	path := auditPath(folder, id, suffix)
	f, info, err := openRegular(path)
	if errors.Is(err, errIrregular) {
		return nil, refusal{err}
	}
	if err != nil {
		return nil, err
	}
	return &input{Reader: f, name: path, size: info.Size(), file: f}, nil
}

// challengeIn reads the challenge for a blob in a folder.
func challengeIn(folder string, id commit.ID) (proof.Challenge, error) {
	in, err := openAudit(folder, id, challengeSuffix)
	if err != nil {
		return proof.Challenge{}, err
	}
	defer in.Close()
	c, err := parseChallenge(in)
	if err == nil && c.ID != id {
		err = refusalf("%s: the challenge is for blob %v", in.name, c.ID)
	}
	return c, err
}

// challengeFolder writes challenges for blobs into a folder, those that can be made. Unless
// it is forced, it writes none where there is one: with its seed goes what an answer to it
// can be judged by.
func (p *program) challengeFolder(ctx context.Context, d drafter, ids []commit.ID, folder string, force bool) error {
	for _, id := range ids {
		path := auditPath(folder, id, challengeSuffix)
		if _, err := os.Lstat(path); err == nil && !force {
			return wrongUsef("%s is there: --force puts another in its place, and answers to it cannot be judged any more", path)
		}
	}
	failed := 0
	for _, id := range ids {
		c, err := d.draft(ctx, id)
		switch {
		case err == errEmpty && d.several:
			p.note("%v is empty: there are no slices to ask for", id)
			continue
		case errors.As(err, new(refusal)) && d.several && ctx.Err() == nil:
			p.note("%v: no challenge: %v", id, err)
			failed++
			continue
		case err != nil:
			return err
		}
		path, err := auditFile(folder, id, challengeSuffix)
		if err != nil {
			return err
		}
		err = place(path, func(w io.Writer) error {
			_, err := w.Write(c)
			return err
		})
		if err != nil {
			return err
		}
	}
	if failed > 0 {
		return refusalf("%d of %s not challenged", failed, count(len(ids), "blob"))
	}
	return nil
}

// answerFolder answers the challenges in a folder, those that there are answers to.
func (p *program) answerFolder(ctx context.Context, s blob.Store, challenges, folder string) error {
	ids, misnamed, err := challengesIn(challenges)
	if err != nil {
		return err
	}
	for _, name := range misnamed {
		p.note("%q: no answer: %v", name, errMisnamed)
	}
	failed := len(misnamed)
	for _, id := range ids {
		path, err := auditFile(folder, id, answerSuffix)
		if err != nil {
			return err
		}
		c, err := challengeIn(challenges, id)
		if err == nil {
			err = p.answer(ctx, s, c, path)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(refusal)):
			p.note("%v: no answer: %v", id, err)
			failed++
		case err != nil:
			return err
		}
	}
	if failed > 0 {
		return refusalf("%d of %s without an answer", failed, count(len(ids)+len(misnamed), "challenge"))
	}
	return nil
}

// judgeFolders judges the answers in a folder to the challenges in another, and says what
// all of them mean.
func (p *program) judgeFolders(challenges, answers string, asJSON bool) error {
	ids, misnamed, err := challengesIn(challenges)
	if err != nil {
		return err
	}
	sum := auditSum{Refused: len(misnamed)}
	for _, name := range misnamed {
		if asJSON {
			p.printJSON(struct {
				File  string `json:"file"`
				Error string `json:"error"`
			}{name, errMisnamed.Error()})
		} else {
			p.printf("%q  refused: %v\n", name, errMisnamed)
		}
	}
	for _, id := range ids {
		r, err := judgeIn(challenges, answers, id)
		switch {
		case err == nil:
			sum.add(r)
		case errors.Is(err, fs.ErrNotExist):
			sum.Unanswered++
			err = errNoAnswer
		case errors.As(err, new(refusal)):
			sum.Refused++
		default:
			return err
		}
		if asJSON {
			p.printAuditJSON(id, r, err)
		} else {
			p.printAudit(id, r, err)
		}
		if p.stdout.err != nil {
			return p.stdout.err
		}
	}
	sum.conclude()
	if asJSON {
		p.printJSON(sum)
	} else {
		for _, line := range sum.Meaning {
			p.note("%s", line)
		}
	}
	if sum.Passed < sum.Blobs {
		return refusalf("%d of %s not shown to be there", sum.Blobs-sum.Passed, count(sum.Blobs, "blob"))
	}
	return nil
}

var errNoAnswer = errors.New("no answer")

// judgeIn judges the answer about one blob.
func judgeIn(challenges, answers string, id commit.ID) (auditReport, error) {
	c, err := challengeIn(challenges, id)
	if err != nil {
		return auditReport{}, err
	}
	in, err := openAudit(answers, id, answerSuffix)
	if err != nil {
		return auditReport{}, err
	}
	defer in.Close()
	return judge(c, in)
}

// printAudit prints what was found of one blob.
func (p *program) printAudit(id commit.ID, r auditReport, err error) {
	switch {
	case err == errNoAnswer:
		p.printf("%v  no answer\n", id)
	case err != nil:
		p.printf("%v  refused: %v\n", id, err)
	case r.Unproven > 0:
		p.printf("%v  unproven\n", id)
	default:
		p.printf("%v  %d of %d good\n", id, r.Good, r.Count)
		for _, s := range r.Samples {
			if s.Verdict != proof.Good {
				p.printf("  %v %v\n", commit.Pos(s.Slice), s.Verdict)
			}
		}
	}
}

// printAuditJSON prints it as a value.
func (p *program) printAuditJSON(id commit.ID, r auditReport, err error) {
	if err == nil {
		p.printJSON(r)
		return
	}
	p.printJSON(struct {
		ID    commit.ID `json:"id"`
		Error string    `json:"error"`
	}{id, err.Error()})
}
