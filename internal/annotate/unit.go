// Package annotate brings people's verdicts to a run: it draws a sample of the
// answers that need people, writes it as sheets for two or more raters, reads
// the sheets back, and says how far the raters agree and what their verdicts do
// to the rates of the grader.
package annotate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/seed"
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

// A Unit is one graded answer to the default prompt of a case.
type Unit struct {
	ID    string // opaque: names run, model, suite and case, and tells none
	Model string // as the run names it; raters do not see it
	Suite string

	CaseID    string
	System    string
	Context   []evidence.Passage
	Prompt    string
	Options   []string
	Reference string // the gold as shown
	Answer    string // what came back, raw; hostile: escape it

	Grade   grade.Grade
	Gates   bool // a failed format counts as hallucination here
	Format  bool // the case asks for a format
	Stratum Stratum
}

// UnitID returns the name of an answer: 16 hexadecimal digits of the hash of run, model, suite and case.
func UnitID(run, model, suite, caseID string) string {
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

// A part is the units of one model on one suite in one stratum.
type part struct {
	model, suite string
	stratum      Stratum
}

// ordered returns the units of each part in the order of the seeded sample: a sample of n is the first n. The parts come sorted.
func ordered(units []Unit, seedValue uint64) (parts []part, in map[part][]*Unit) {
	in = map[part][]*Unit{}
	for i := range units {
		u := &units[i]
		p := part{u.Model, u.Suite, u.Stratum}
		in[p] = append(in[p], u)
	}
	for p, list := range in {
		parts = append(parts, p)
		slices.SortFunc(list, func(a, b *Unit) int { return strings.Compare(a.ID, b.ID) })
		seed.Stream(seedValue, "annotate", p.model, p.suite, string(p.stratum)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.model, b.model), strings.Compare(a.suite, b.suite), slices.Index(Strata, a.stratum)-slices.Index(Strata, b.stratum))
	})
	return parts, in
}

// control is how many answers that oracles decided are shown by default, to check the oracles.
const control = 30

// Sample draws the units to be shown: without n all that need people and 30 of those that oracles decided; with n, of each model on each suite,
// at most n: half from those that need people, as many of each stratum as its share (at least one), and the others from the rest. Within a
// stratum it is a simple random sample without replacement from the stream (seed, "annotate", model, suite, stratum), and a larger sample
// holds every smaller one. It does not change units.
func Sample(units []Unit, n int, seedValue uint64) []Unit {
	parts, in := ordered(units, seedValue)
	var out []Unit
	for len(parts) > 0 {
		of := 1
		for of < len(parts) && parts[of].model == parts[0].model && parts[of].suite == parts[0].suite {
			of++
		}
		for i, k := range allot(parts[:of], in, n) {
			for _, u := range in[parts[i]][:k] {
				out = append(out, *u)
			}
		}
		parts = parts[of:]
	}
	return out
}

// allot returns how many units of each part of one model and suite are drawn.
func allot(parts []part, in map[part][]*Unit, n int) []int {
	take := make([]int, len(parts))
	people, rest := 0, 0
	for i, p := range parts {
		size := len(in[p])
		take[i] = size
		if p.stratum == Rest {
			rest = size
			take[i] = min(size, control)
		} else {
			people += size
		}
	}
	if n <= 0 || n >= people+rest {
		if n > 0 {
			for i, p := range parts {
				take[i] = len(in[p])
			}
		}
		return take
	}
	forPeople := min(people, max((n+1)/2, n-rest))
	left := forPeople
	for i, p := range parts {
		size := len(in[p])
		if p.stratum == Rest {
			take[i] = min(size, n-forPeople)
			continue
		}
		take[i] = min(size, left, max(1, size*forPeople/max(1, people)))
		left -= take[i]
	}
	for i, p := range parts { // what rounding down left over
		if p.stratum != Rest {
			more := min(left, len(in[p])-take[i])
			take[i], left = take[i]+more, left-more
		}
	}
	return take
}

// Shuffled returns units in the order in which one rater sees them, so that no rater's tiring falls on the same answers.
func Shuffled(units []Unit, rater string, seedValue uint64) []Unit {
	out := slices.Clone(units)
	slices.SortFunc(out, func(a, b Unit) int { return strings.Compare(a.ID, b.ID) })
	seed.Stream(seedValue, "annotate order", rater).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Minutes returns about how many minutes a person takes to judge n answers, at ten seconds each.
func Minutes(n int) int { return (10*n + 59) / 60 }

// Axes are what a rater judges, in order.
var Axes = []string{"truth", "decidability", "reciprocity", "format"}

func judgments(g *grade.Grade) [4]*grade.Judgment {
	return [4]*grade.Judgment{&g.Truth, &g.Decidability, &g.Reciprocity, &g.Format}
}

// Adjudicator is the rater whose verdicts settle what others disagree on: they beat those of others and are in no agreement.
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
