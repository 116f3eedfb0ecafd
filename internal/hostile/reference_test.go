package hostile_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/internal/hostile"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// agree compares what the second model says of each vector of a kind with what the vector says. The model knows no
// names of rules.
func agree[I, R any](t *testing.T, kind string, check func(*testing.T, I) (R, error), equal func(a, b R) bool) {
	t.Run(kind, func(t *testing.T) {
		for _, v := range read[I, R](t, kind) {
			got, err := check(t, v.Input)
			switch {
			case v.Rule != "" && err == nil:
				t.Errorf("%s is accepted: %v", v.Name, got)
			case v.Rule == "" && (err != nil || !equal(got, *v.Result)):
				t.Errorf("%s: %v, %v; want %v", v.Name, got, err, *v.Result)
			}
		}
	})
}

func same[R comparable](a, b R) bool { return a == b }

// TestReference gives the vectors to internal/reference, as far as it has a check for them.
func TestReference(t *testing.T) {
	agree(t, "header", func(t *testing.T, in hostile.HeaderIn) (out hostile.HeaderOut, err error) {
		h, err := reference.OpenHeader(reference.Hash(in.ID), in.Header)
		if err != nil {
			return out, err
		}
		out = hostile.HeaderOut{K: h.K, N: h.N, SliceSize: h.SliceSize, Length: h.Length, Groups: h.Groups()}
		if h.Groups() > 0 {
			out.LastSlice = h.SizeOf(h.Groups() - 1)
		}
		return out, nil
	}, same)

	agree(t, "proof", func(t *testing.T, in hostile.ProofIn) (out hostile.ProofOut, err error) {
		var bodies [][]byte
		for _, b := range in.Slices {
			bodies = append(bodies, b)
		}
		if err := reference.CheckProof(reference.Hash(in.ID), in.At, bodies, in.Proof); err != nil {
			return out, err
		}
		h, err := reference.OpenHeader(reference.Hash(in.ID), in.Proof[4:68])
		if err != nil {
			return out, err
		}
		return hostile.ProofOut{Nodes: len(h.NodesOf(in.At))}, nil
	}, same)

	agree(t, "bundles", func(t *testing.T, in hostile.BundlesIn) (out hostile.BundlesOut, err error) {
		for i := range in.Want {
			if i > 0 && in.Want[i] <= in.Want[i-1] {
				return out, errors.New("not in order") // the model takes what is wanted as it comes
			}
		}
		out.At, _, err = reference.OpenBundles(reference.Hash(in.ID), in.Bundles, in.Want)
		return out, err
	}, func(a, b hostile.BundlesOut) bool { return slices.Equal(a.At, b.At) })

	agree(t, "challenge", func(t *testing.T, in hostile.ChallengeIn) (out hostile.ChallengeOut, err error) {
		c, err := reference.ParseChallenge(in.Challenge)
		if err != nil {
			return out, err
		}
		out = hostile.ChallengeOut{Lanes: c.Lanes, Count: c.Count}
		if in.Header == nil {
			return out, nil
		}
		h, err := reference.OpenHeader(c.ID, in.Header)
		if err != nil {
			return out, err
		}
		out.At, err = c.Samples(h)
		return out, err
	}, func(a, b hostile.ChallengeOut) bool {
		return a.Lanes == b.Lanes && a.Count == b.Count && slices.Equal(a.At, b.At)
	})

	agree(t, "answer", func(t *testing.T, in hostile.AnswerIn) (out hostile.AnswerOut, err error) {
		c, err := reference.ParseChallenge(in.Challenge)
		if err != nil {
			return out, err
		}
		verdicts, err := reference.Judge(c, in.Answer)
		if err != nil {
			return out, err
		}
		for _, v := range verdicts {
			out.Verdicts = append(out.Verdicts, string(v))
		}
		h, err := reference.OpenHeader(c.ID, in.Answer[4:68])
		if err != nil {
			return out, err
		}
		out.At, err = c.Samples(h)
		return out, err
	}, func(a, b hostile.AnswerOut) bool {
		return slices.Equal(a.At, b.At) && slices.Equal(a.Verdicts, b.Verdicts)
	})

	agree(t, "evidence", func(t *testing.T, in hostile.EvidenceIn) (out hostile.EvidenceOut, err error) {
		f, err := reference.CheckEvidence(reference.Hash(in.ID), in.Evidence)
		return hostile.EvidenceOut{Group: f.Group, Wrong: f.Wrong, Padding: f.Padding}, err
	}, same)
}

// TestReferenceGroups does with the model's parts what it has no check for: a group as it is stored.
func TestReferenceGroups(t *testing.T) {
	agree(t, "group", func(t *testing.T, in hostile.GroupIn) (out hostile.GroupOut, err error) {
		h, err := reference.OpenHeader(reference.Hash(in.ID), in.Manifest[:64])
		if err != nil {
			return out, err
		}
		if len(in.Leaves) != 32*h.N || len(in.Slices) != h.N {
			return out, errors.New("not n slices and leaf hashes")
		}
		var leaves []reference.Hash
		for i := range h.N {
			leaves = append(leaves, reference.Hash(in.Leaves[32*i:]))
		}
		root := reference.Hash(in.Roots[32*(in.Group-1024*int64(in.Window)):])
		proven := reference.TapeRoot(5, leaves) == root
		for i, slice := range in.Slices {
			switch {
			case !proven:
				out.Verdicts = append(out.Verdicts, "unproven")
			case slice == nil:
				out.Verdicts = append(out.Verdicts, "absent")
			case len(slice) == h.SizeOf(in.Group) && reference.Leaf(slice) == leaves[i]:
				out.Verdicts = append(out.Verdicts, "good")
			default:
				out.Verdicts = append(out.Verdicts, "wrong")
			}
		}
		return out, nil
	}, func(a, b hostile.GroupOut) bool { return slices.Equal(a.Verdicts, b.Verdicts) })
}
