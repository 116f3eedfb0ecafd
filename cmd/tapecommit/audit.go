package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func (p *program) audit() *cobra.Command {
	return group("audit", "Audit an archive: challenge, answer, judge",
		p.auditChallenge(), p.auditAnswer(), p.auditJudge())
}

// defaultSamples is how many slices a challenge asks for that does not say.
const defaultSamples = 100

func (p *program) auditChallenge() *cobra.Command {
	var store storeFlag
	var all, force bool
	var lanes, seed, folder string
	var count decimal
	cmd := &cobra.Command{
		Use:   "challenge ID... | --all",
		Short: "Write a challenge to stdout: which slices an archive is to show",
		Long: `Write a challenge to stdout: a random choice of slices that an archive is to show.
Without --lanes all lanes are asked about, and without --count 100 slices, or all
where there are fewer; the blob's header, from the store, says how many there are.
With both of them, and without --store, no store is looked at.

For several blobs, or all of the store, there is a challenge each, in FOLDER, as
<id>.challenge. A blob with fewer slices than --count is asked for all of them, and an
empty one for none. Challenges are kept, to judge by: where one of these files is there
already, nothing is written, unless with --force.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return errors.New("want one of ID and --all")
			case !all && len(args) == 0:
				return errors.New("missing ID")
			case (all || len(args) > 1) && folder == "":
				return errors.New("challenges of several blobs want --output")
			}
			return nil
		},
		ValidArgsFunction: store.complete,
	}
	store.addReading(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "challenge every blob in the store")
	cmd.Flags().StringVar(&lanes, "lanes", "", "ask about these `LANES` only, such as 0-9,12")
	cmd.Flags().Var(&count, "count", "how many slices to ask for")
	cmd.Flags().StringVar(&seed, "seed", "", "64 hex digits that make the choice, instead of random ones")
	cmd.Flags().StringVarP(&folder, "output", "o", "", "write into `FOLDER` instead of to stdout")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite challenges that are in FOLDER")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fs := cmd.Flags()
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		if err := wantFile(cmd, "output"); err != nil {
			return err
		}
		d := drafter{count: int(count), several: all || len(ids) > 1}
		if fs.Changed("count") && d.count < 1 {
			return wrongUsef("--count is too little")
		}
		if fs.Changed("lanes") {
			if d.lanes, err = parseLanes(lanes); err != nil {
				return err
			}
		}
		if fs.Changed("seed") {
			if d.seed, err = parseSeed(seed); err != nil {
				return err
			}
		}
		if folder == "" {
			if err := p.noTerminal("a challenge"); err != nil {
				return err
			}
		}
		if all || d.lanes == 0 || d.count == 0 || fs.Changed("store") {
			if d.from, err = store.origin(cmd); err != nil {
				return err
			}
		}
		if all {
			for id, err := range d.from.IDs(cmd.Context()) {
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
		}
		if folder != "" {
			return p.challengeFolder(cmd.Context(), d, ids, folder, force)
		}
		out, err := d.draft(cmd.Context(), ids[0])
		if err != nil {
			return err
		}
		p.stdout.Write(out)
		return nil
	}
	return cmd
}

// drafter makes challenges as the flags say.
type drafter struct {
	lanes   commit.Lanes // 0 for all
	count   int          // 0 for the default
	seed    *[32]byte    // nil for a random one each
	several bool         // blobs, which may not all have as many slices
	from    origin       // of headers; nil where none is looked at
}

var errEmpty = wrongUse{errors.New("the blob is empty: it has no slices to ask for")}

// draft makes the challenge for a blob.
func (d drafter) draft(ctx context.Context, id commit.ID) ([]byte, error) {
	c := proof.Challenge{ID: id, Lanes: d.lanes, Count: d.count}
	if d.seed != nil {
		c.Seed = *d.seed
	} else {
		rand.Read(c.Seed[:])
	}
	if d.from != nil {
		h, err := d.from.header(ctx, id)
		if err != nil {
			return nil, unknown(id, err)
		}
		if h.Groups() == 0 {
			return nil, errEmpty
		}
		if c.Lanes == 0 {
			c.Lanes = 1<<h.N - 1
		}
		most := int(min(population(c, h), math.MaxInt32))
		if c.Count == 0 {
			c.Count = min(defaultSamples, most)
		} else if d.several {
			c.Count = min(c.Count, most)
		}
		if _, err := c.Samples(h); err != nil {
			return nil, wrongUsef("blob %v: %w", id, err)
		}
	}
	out, err := c.AppendBinary(nil)
	if err != nil {
		return nil, wrongUse{err}
	}
	return out, nil
}

// population is the number of slices that a challenge chooses from.
func population(c proof.Challenge, h commit.Header) int64 {
	return int64(c.Lanes.Len()) * int64(h.Groups())
}

func (p *program) auditAnswer() *cobra.Command {
	var store storeFlag
	var folder string
	cmd := &cobra.Command{
		Use:   "answer CHALLENGE|-",
		Short: "Answer a challenge from a store, to stdout",
		Long: `Answer a challenge from what is stored, to stdout. A slice that is missing or wrong
is declared absent and not rebuilt: the answer says what is here.

CHALLENGE may be a folder of challenges. The answers go into the FOLDER of --output, as
<id>.answer; those to challenges that there is no answer to are left out, and the exit
code is 1.`,
		Args: operands("CHALLENGE"),
	}
	store.add(cmd)
	cmd.Flags().StringVarP(&folder, "output", "o", "", "write into `FOLDER` instead of to stdout")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := wantFile(cmd, "output"); err != nil {
			return err
		}
		several := isFolder(args[0])
		switch {
		case several && folder == "":
			return wrongUsef("the answers to a folder of challenges want --output")
		case folder == "":
			if err := p.noTerminal("an answer"); err != nil {
				return err
			}
		}
		s, err := store.open(cmd)
		if err != nil {
			return err
		}
		if several {
			return p.answerFolder(cmd.Context(), s, args[0], folder)
		}
		c, err := p.readChallenge(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		path := ""
		if folder != "" {
			if path, err = auditFile(folder, c.ID, answerSuffix); err != nil {
				return err
			}
		}
		return p.answer(cmd.Context(), s, c, path)
	}
	return cmd
}

// answer writes the answer to a challenge into a file, or to stdout.
func (p *program) answer(ctx context.Context, s blob.Store, c proof.Challenge, path string) error {
	b, err := openBlob(ctx, s, c.ID)
	if err != nil {
		return err
	}
	defer b.Close()
	fill := func(w io.Writer) error { return answer(c.Answer(ctx, w, b.Stored())) }
	if path == "" {
		return p.deliver("", fill)
	}
	return place(path, fill)
}

// challengeLen is the size of a challenge in bytes.
const challengeLen = 76

// readChallenge reads a challenge from a file or stdin.
func (p *program) readChallenge(ctx context.Context, name string) (proof.Challenge, error) {
	in, err := p.openInput(ctx, name)
	if err != nil {
		return proof.Challenge{}, err
	}
	defer in.Close()
	return parseChallenge(in)
}

// parseChallenge reads a challenge and nothing else.
func parseChallenge(in *input) (proof.Challenge, error) {
	raw, err := io.ReadAll(io.LimitReader(in, challengeLen+1))
	if err != nil {
		return proof.Challenge{}, err
	}
	c, err := proof.ParseChallenge(raw)
	if err != nil {
		return proof.Challenge{}, refusalf("%s: %w", in.name, err)
	}
	return c, nil
}

func (p *program) auditJudge() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "judge CHALLENGE ANSWER",
		Short: "Judge an answer: a verdict for each slice, and what it means",
		Long: `Judge the answer to a challenge. For each slice asked for there is a line, "G:I" and
a verdict: good (it is in the answer), wrong (something else is), absent (declared
so) or unproven (the answer does not lead to the ID). What that means is said on
stderr; with --json it is part of the value. One of the two may be - for stdin.

CHALLENGE and ANSWER may be folders, of challenges and of the answers to them: a whole
archive is judged, with a line for each blob, lines for the slices of it that are not
good, and what all of that means. A challenge that is not called <id>.challenge is
refused. Judge with challenges that you kept, not with such as came back.`,
		Args: operands("CHALLENGE", "ANSWER"),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch challenges, answers := isFolder(args[0]), isFolder(args[1]); {
		case args[0] == "-" && args[1] == "-":
			return wrongUsef("only one of CHALLENGE and ANSWER can be stdin")
		case challenges && answers:
			return p.judgeFolders(args[0], args[1], *asJSON)
		case challenges || answers:
			return wrongUsef("CHALLENGE and ANSWER want to be two files or two folders")
		}
		c, err := p.readChallenge(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		in, err := p.openInput(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		defer in.Close()
		r, err := judge(c, in)
		if err != nil {
			return err
		}
		if *asJSON {
			if err := p.printJSON(r); err != nil {
				return err
			}
		} else {
			for _, s := range r.Samples {
				p.printf("%v %v\n", commit.Pos(s.Slice), s.Verdict)
			}
			for _, line := range r.Meaning {
				p.note("%s", line)
			}
		}
		if r.Good < r.Count {
			return refusalf("%d of %s not shown to be there", r.Count-r.Good, count(r.Count, "slice"))
		}
		return nil
	}
	return cmd
}

// judge judges an answer while it is read.
func judge(c proof.Challenge, in *input) (auditReport, error) {
	var head prefix
	samples, err := c.Judge(io.TeeReader(in, &head))
	switch {
	case in.err != nil:
		return auditReport{}, in.err
	case err != nil:
		return auditReport{}, refusalf("%s: %w", in.name, err)
	}
	h, err := commit.OpenHeader(c.ID, head.b[len("TPA1"):])
	if err != nil {
		return auditReport{}, refusalf("%s: %w", in.name, err)
	}
	return newAuditReport(c, h, samples), nil
}

// prefix keeps the magic and the header of an answer, of all that is written to it.
type prefix struct{ b []byte }

func (p *prefix) Write(b []byte) (int, error) {
	const want = len("TPA1") + commit.HeaderLen
	p.b = append(p.b, b[:min(len(b), want-len(p.b))]...)
	return len(b), nil
}
