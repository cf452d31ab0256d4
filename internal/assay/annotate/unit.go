// Package annotate brings people's verdicts to a run: it draws a sample of the
// answers that need people, writes it as sheets for two or more raters, reads
// the sheets back, and says how far the raters agree and what their verdicts do
// to the rates of the grader.
package annotate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/run"
	"hallmark/internal/stat/correct"
)

// A Stratum is why people are shown an answer.
type Stratum string

// The strata, in the order in which an answer is put into one.
const (
	Audit       Stratum = "human-audit" // the case bears the tag human-audit
	Judged      Stratum = "judge"       // a model decided it
	Undecided   Stratum = "unread"      // no oracle could read it, or a grader left an axis open
	Reciprocity Stratum = "reciprocity" // true and decided, but found to go beyond its evidence: an edge of the rule
	Rest        Stratum = "rest"        // an oracle decided it; a sample of these checks the oracles
)

// Strata lists the strata in order.
var Strata = []Stratum{Audit, Judged, Undecided, Reciprocity, Rest}

// AuditTag is the tag of the cases that a suite sets aside for people.
const AuditTag = "human-audit"

// An Item is one graded answer to the default prompt of a case, or to one of its variants.
type Item struct {
	ID    string // opaque: names run, model, suite and case, and tells none
	Model string // as the run names it; raters do not see it
	Shown        // with others only where it stands among the answers to all variants of its case

	Grade   grade.Grade
	Gates   bool // a failed format counts as hallucination here
	Format  bool // the case asks for a format
	Stratum Stratum
	Cluster int32 // numbers what its case is an observation of, with others; 0: of itself alone (suite.Clusters)

	// Of an answer that stands among those to all variants of its case:
	Variant int
	Value   string // answers of a case with one value say the same; "" where it has none that could be compared
}

// ItemID returns the name of an answer: 16 hexadecimal digits of the hash of run, model, suite and case.
func ItemID(run, model, suite, caseID string) string {
	h := sha256.New()
	for _, part := range []string{run, model, suite, caseID} {
		sum := sha256.Sum256([]byte(part)) // of fixed length, so that no two lists run into one
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// StratumOf returns why people would be shown an answer; judged says that a model's opinion decides the case.
func StratumOf(tags []string, judged bool, g grade.Grade) Stratum {
	switch {
	case slices.Contains(tags, AuditTag):
		return Audit
	case judged:
		return Judged
	}
	for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity} {
		if j.Verdict == grade.Ungradable || j.Verdict == grade.Unscored {
			return Undecided
		}
	}
	if g.Reciprocity.Verdict == grade.Fail && g.Truth.Verdict == grade.Pass && g.Decidability.Verdict == grade.Pass {
		return Reciprocity
	}
	return Rest
}

// byReading reports whether the sample of a stratum is drawn by how its answers were read.
func byReading(s Stratum) bool { return s == Rest || s == Judged }

// A part is the items of one model on one suite in one stratum; of what a grader decided those that were read alike.
type part struct {
	model, suite string
	stratum      Stratum
	read         grade.Outcome // "" but in strata that are drawn by it
}

// ordered returns the items of each part in the order of the seeded sample: a sample of n is the first n. The parts
// come sorted. With split some strata are parted by how their answers were read, as samples are drawn; earlier
// releases drew from them whole.
func ordered(items []Item, seedValue uint64, split bool) (parts []part, in map[part][]*Item) {
	in = map[part][]*Item{}
	for i := range items {
		u := &items[i]
		p := part{u.Model, u.Suite, u.Stratum, ""}
		if split && byReading(u.Stratum) {
			p.read = u.Grade.Outcome()
		}
		in[p] = append(in[p], u)
	}
	for p, list := range in {
		parts = append(parts, p)
		slices.SortFunc(list, func(a, b *Item) int { return strings.Compare(a.ID, b.ID) })
		seed.Stream(seedValue, "annotate", p.model, p.suite,
			string(p.stratum)+string(p.read)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.model, b.model), strings.Compare(a.suite, b.suite),
			slices.Index(Strata, a.stratum)-slices.Index(Strata, b.stratum),
			strings.Compare(string(a.read), string(b.read)))
	})
	return parts, in
}

// control is how many answers that oracles decided are shown by default, to check the oracles.
const control = 30

// Sample draws the items to be shown: without n all that need people and 30 of those that oracles decided; with n,
// of each model on each suite, at most n: half from those that need people and the others from the rest, three of
// each stratum, and the others in proportion (correct.Sample.Next). What graders decided is drawn by how it was
// read. Within a stratum it is a simple random sample without replacement from the stream (seed, "annotate", model,
// suite, stratum and reading), and a larger sample holds every smaller one. It does not change items.
func Sample(items []Item, n int, seedValue uint64) []Item {
	return draw(items, nil, n, seedValue)
}

// Next draws n further items of each model on each suite (0: as many as check the oracles), which people said
// nothing of, where a label lowers the variance of the share of incorrect answers most. said is what people say of
// the others, as Says returns it.
func Next(items []Item, said map[string]grade.Outcome, n int, seedValue uint64) []Item {
	if said == nil {
		said = map[string]grade.Outcome{}
	}
	return draw(items, said, n, seedValue)
}

func draw(items []Item, said map[string]grade.Outcome, n int, seedValue uint64) (out []Item) {
	parts, in := ordered(items, seedValue, true)
	for len(parts) > 0 {
		of := 1
		for of < len(parts) && parts[of].model == parts[0].model && parts[of].suite == parts[0].suite {
			of++
		}
		take := allot(parts[:of], in, n)
		if said != nil {
			take = next(parts[:of], in, said, cmp.Or(n, control))
		}
		for i, k := range take {
			for _, u := range in[parts[i]] {
				if _, labelled := said[u.ID]; k > 0 && !labelled {
					out = append(out, *u)
					k--
				}
			}
		}
		parts = parts[of:]
	}
	return out
}

// next returns how many further items of each part of one model and suite are drawn.
func next(parts []part, in map[part][]*Item, said map[string]grade.Outcome, n int) []int {
	strata := make([]correct.Counts, len(parts))
	for i, p := range parts {
		strata[i] = correct.Counts{N: len(in[p]), Labels: make([]int, 2)}
		for _, u := range in[p] {
			switch said[u.ID] {
			case "":
			case grade.Incorrect:
				strata[i].Labels[1]++
			default:
				strata[i].Labels[0]++
			}
		}
	}
	return correct.Counted(strata).Next(1, n)
}

// allot returns how many items of each part of one model and suite are drawn.
func allot(parts []part, in map[part][]*Item, n int) []int {
	of := func(rest bool) (strata []correct.Counts, size int) { // those of the others are empty
		for _, p := range parts {
			s := correct.Counts{Labels: make([]int, 1)}
			if rest == (p.stratum == Rest) {
				s.N = len(in[p])
			}
			strata, size = append(strata, s), size+s.N
		}
		return strata, size
	}
	people, needed := of(false)
	rest, others := of(true)
	forPeople, forRest := needed, min(others, control)
	if n > 0 {
		forPeople = min(needed, max((n+1)/2, n-others))
		forRest = min(others, n-forPeople)
	}
	take := correct.Counted(people).Next(0, forPeople)
	for i, k := range correct.Counted(rest).Next(0, forRest) {
		take[i] += k
	}
	return take
}

// Shuffled returns items in the order in which one rater sees them, so that no rater's tiring falls on the same
// answers.
func Shuffled(items []Item, rater string, seedValue uint64) []Item {
	out := slices.Clone(items)
	slices.SortFunc(out, func(a, b Item) int { return strings.Compare(a.ID, b.ID) })
	seed.Stream(seedValue, "annotate order", rater).Shuffle(len(out), func(i, j int) {
		out[i], out[j] = out[j], out[i]
	})
	return out
}

// Minutes returns about how many minutes a person takes to judge n answers, at ten seconds each.
func Minutes(n int) int { return (10*n + 59) / 60 }

// Adjudicator is the rater whose verdicts settle what others disagree on: they beat those of others and are in no
// agreement.
const Adjudicator = "adjudicator"

// raterName returns what is wrong with a rater's name, or "".
func raterName(s string) string {
	switch {
	case s == "":
		return "rater is empty; write who judged, a name or initials"
	case len(s) > 100:
		return "rater is longer than 100 bytes"
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "rater holds a control character"
	}
	return ""
}

// The strata of pairs of answers that a relation compared. Pairs are no answers: they are on sheets of their own,
// and in no audit of a grader.
const (
	PairJoined Stratum = "pair-joined" // they ended in one class
	PairApart  Stratum = "pair-apart"  // they ended in two
)

// PairTask is what a rater is told of a pair, where an answer has its system prompt.
const PairTask = "Two answers to one question: does the answer say the same as the reference, as an answer to the " +
	"question? truth: pass if it does, fail if not. Leave the other columns."

// PairSample is how many pairs of each stratum are drawn by default.
const PairSample = 50

// SamplePairs draws at most n pairs (0: PairSample) of each stratum of each model on each suite: a simple random
// sample without replacement from the stream that Sample uses, so that a larger one holds a smaller one. It does
// not change items.
func SamplePairs(items []Item, n int, seedValue uint64) (out []Item) {
	if n <= 0 {
		n = PairSample
	}
	parts, in := ordered(items, seedValue, true)
	for _, p := range parts {
		for _, u := range in[p][:min(n, len(in[p]))] {
			out = append(out, *u)
		}
	}
	return out
}

// Said returns, for each of the items that people judged on truth, the share that fails it: that of the
// adjudicator, else the mean over raters, so that an even split is one half.
func Said(items []Item, annotations []run.Annotation) (map[string]float64, error) {
	return saidOf(items, annotations, func(u *rated) (float64, bool) {
		v, ok, _ := u.people("truth")
		return v, ok
	})
}

// seenTwice is how many answers two raters are to label, by which it is seen how far labels err.
const seenTwice = 30

// contradicts reports whether people say otherwise than the grader that was sure enough to decide.
func (u *rated) contradicts() bool {
	said, read := u.settled(), u.Grade.Outcome()
	return said != "" && read != grade.CannotGrade && said != read
}

// alone says in words that the labels of a corrected rate were not seen twice where they should be, "" where they
// were or correct nothing: fewer than seenTwice answers have two raters, or one that contradicts the grader has
// one. Source: GRADING 4 (3 % of wrong labels at a true rate of .05 leave .54 to .80 covered).
func alone(all []*rated, of ...*Rates) string {
	if !slices.ContainsFunc(of, func(r *Rates) bool { return r != nil && r.Incorrect != nil }) {
		return ""
	}
	labelled, two, against := 0, 0, 0
	for _, u := range all {
		if u.settled() == "" && len(u.labels) < 2 {
			continue
		}
		labelled++
		switch {
		case len(u.labels) > 1:
			two++
		case u.contradicts():
			against++
		}
	}
	if two >= min(seenTwice, labelled) && against == 0 {
		return ""
	}
	return fmt.Sprintf("the interval leaves out that labels err: %d answers were labelled by two raters, where %d "+
		"are asked for, and %d labels that contradict the grader are of one rater alone: "+
		"`hallmark annotate export --second --rater NAME` draws what another is to see", two,
		min(seenTwice, labelled), against)
}

// Second draws the answers that a rater is to label who has labelled none of them: those of one rater alone that
// contradict the grader, and others of one rater at random, until n (0: 30) answers have two. The order is that of
// a hash of the seed and the answer.
func Second(items []Item, annotations []run.Annotation, rater string, n int, seedValue uint64) (out []Item, err error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	two := 0
	var others []Item
	at := map[string]uint64{}
	for i := range items {
		u := labels.of(&items[i])
		switch {
		case len(u.labels) > 1:
			two++
		case u.labels[rater] != nil:
		case len(u.labels) == 1 && u.contradicts():
			out = append(out, items[i])
		case len(u.labels) == 1 && u.settled() != "":
			others = append(others, items[i])
			at[items[i].ID] = seed.Stream(seedValue, "annotate", "second", items[i].ID).Uint64()
		}
	}
	slices.SortFunc(others, func(a, b Item) int {
		return cmp.Or(cmp.Compare(at[a.ID], at[b.ID]), strings.Compare(a.ID, b.ID))
	})
	left := max(0, cmp.Or(n, seenTwice)-two-len(out))
	return append(out, others[:min(left, len(others))]...), nil
}
