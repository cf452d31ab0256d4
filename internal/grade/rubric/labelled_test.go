package rubric

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// labelledSet holds answers that were labelled by reading, a line each, and their cases; docs/grading.md says how they
// were made. They were written beside older readers, and all but kept.txt are what the deciders are fitted on: how they
// are read guards against losses and estimates nothing.
const labelledSet = "testdata/labelled"

// An opinion is an answer with the verdicts that a reader gave it: a letter each for truth, decidability, reciprocity
// and, where the case asks for one, format.
type opinion struct {
	line   int
	c      *suite.Case
	want   string
	act    grade.Act
	answer string
}

// outcome returns the outcome that the verdicts and the act stand for, CannotGrade for what nobody can read.
func (o opinion) outcome() grade.Outcome {
	lapse := strings.HasPrefix(o.c.Class, "time-shift") || slices.Contains(o.c.Tags, "time-shift") ||
		o.c.Class == "negation"
	switch {
	case strings.TrimSpace(o.answer) == "":
		return grade.NotAttempted
	case strings.HasPrefix(o.want, "PP"), strings.HasPrefix(o.want, "PF") && o.act == grade.Answered &&
		lapse: // the date or the reason is missing
		return grade.Correct
	case o.want[0] == 'U':
		return grade.CannotGrade
	case o.act == grade.Declined || o.act == grade.Asked || o.act == grade.Hedged:
		return grade.NotAttempted
	}
	return grade.Incorrect
}

// labelledCases reads the cases of heldout.txt and development.txt.
func labelledCases(t testing.TB) *suite.Suite {
	t.Helper()
	return &suite.Suite{Name: "labelled", Cases: suite.ListOf(lines[suite.Case](t, "testdata/cases.jsonl"))}
}

// opinions reads one file of the labelled set.
func opinions(t testing.TB, s *suite.Suite, name string) []opinion {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := map[string]*suite.Case{}
	for i := range s.Cases.Len() {
		cases[s.Cases.At(i).ID] = s.Cases.At(i)
	}
	acts := []grade.Act{grade.Answered, grade.Declined, grade.Asked, grade.Enumerated, grade.Repaired, grade.Hedged,
		grade.Unreadable}
	var all []opinion
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		if sc.Text() == "" || sc.Text()[0] == '#' {
			continue
		}
		parts := strings.SplitN(sc.Text(), " |", 4) // an empty answer leaves nothing behind the last bar
		if len(parts) != 4 {
			t.Fatalf("%s:%d: want four columns: case | verdicts | act | answer", name, n)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		o := opinion{line: n, c: cases[parts[0]], want: parts[1], act: grade.Act(parts[2]),
			answer: strings.ReplaceAll(parts[3], "⏎", "\n")}
		switch {
		case o.c == nil:
			t.Fatalf("%s:%d: no case %q", name, n, parts[0])
		case strings.Trim(o.want, "PFU-n") != "" || len(o.want) < 3 || len(o.want) > 4:
			t.Fatalf("%s:%d: verdicts %q; want three or four of P, F, U, - and n", name, n, o.want)
		case !slices.Contains(acts, o.act):
			t.Fatalf("%s:%d: unknown act %q", name, n, o.act)
		}
		all = append(all, o)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// code writes the verdicts on truth, decidability and reciprocity as the labelled set does.
func code(g grade.Grade) string {
	var b strings.Builder
	for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity} {
		b.WriteByte(map[grade.Verdict]byte{grade.Pass: 'P', grade.Fail: 'F', grade.Ungradable: 'U', grade.Unscored: '-',
			grade.NotApplicable: 'n'}[j.Verdict])
	}
	return b.String()
}

// A share counts how often two opinions agreed.
type share struct{ agree, n int }

func (s *share) add(agree bool) {
	s.n++
	if agree {
		s.agree++
	}
}

func (s share) value() float64 { return float64(s.agree) / float64(max(s.n, 1)) }

func (s share) String() string {
	e := stat.Wilson(s.agree, s.n, .95)
	return fmt.Sprintf("%3d of %3d  %.3f [%.3f, %.3f]", s.agree, s.n, e.Value, e.Lo, e.Hi)
}

// truths are the outcomes that an answer can truly have.
var truths = grade.Outcomes[:3]

// A matrix counts answers by the outcome that was read and the one that is true.
type matrix map[[2]grade.Outcome]int

// of returns how many answers of a true outcome there are, and how many of them are decided.
func (m matrix) of(truth grade.Outcome) (n, decided int) {
	for _, read := range grade.Outcomes {
		n += m[[2]grade.Outcome{read, truth}]
	}
	return n, n - m[[2]grade.Outcome{grade.CannotGrade, truth}]
}

// String gives a line for each true outcome: what is read of it, as shares of what is decided, and the coverage.
func (m matrix) String() string {
	var b strings.Builder
	for _, truth := range truths {
		n, decided := m.of(truth)
		fmt.Fprintf(&b, "  %-13s %4d, decided %.3f, of these read as", truth, n, float64(decided)/float64(max(1, n)))
		for _, read := range truths {
			k := m[[2]grade.Outcome{read, truth}]
			fmt.Fprintf(&b, "  %s %4d %.4f", read, k, float64(k)/float64(max(1, decided)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// labelledParts are the files of the labelled set. Nobody looks at the answers of kept.txt that are read otherwise:
// counts only.
var labelledParts = []struct{ name, cases string }{
	{"dev", "cases"}, {"more", "more"}, {"again", "cases"}, {"third", "cases"}, {"other", "other"}, {"other2", "other"},
	{"fourth", "cases"}, {"fifth", "cases"}, {"sixth", "cases"},
	{"seventh", "cases"}, {"eighth", "cases"}, {"ninth", "further"}, {"tenth", "cases"}, {"eleventh", "more"},
	{"twelfth", "cases"}, {"thirteenth", "cases"}, {"fourteenth", "other"},
	{"fifteenth", "cases"}, {"sixteenth", "cases"}, {"seventeenth", "cases"}, {"kept", "cases"},
	{"../heldout", "../cases"}, {"../development", "../cases"},
}

type opinionSet struct {
	name string
	r    *Rubric
	all  []opinion
}

// labelledSets reads the labelled set once, each file with its rubric.
func labelledSets(t testing.TB) []opinionSet {
	t.Helper()
	if labelledRead == nil {
		labelledRead = readLabelledSets(t)
	}
	return labelledRead
}

var labelledRead []opinionSet

func readLabelledSets(t testing.TB) (sets []opinionSet) {
	t.Helper()
	for _, part := range labelledParts {
		s := labelledCases(t)
		if part.cases != "../cases" { // which have no gold
			path := filepath.Join(labelledSet, part.cases+".jsonl")
			data, err := suite.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if s, err = suite.Parse(path, data); err != nil {
				t.Fatal(err)
			}
		}
		r, err := New(s, cmp.Or(s.AsOf, "2026-11-01"))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, opinionSet{part.name, r, opinions(t, s, filepath.Join(labelledSet, part.name+".txt"))})
	}
	return sets
}

// TestLabelledSet measures what is read of the labelled answers against the outcomes that they have, and holds it. With
// -v it lists what is read otherwise.
func TestLabelledSet(t *testing.T) {
	all := matrix{}
	for _, set := range labelledSets(t) {
		m := matrix{}
		for _, o := range set.all {
			g := set.r.Grade(o.c, grade.Answer{Text: &o.answer})
			read, truth := g.Outcome(), o.outcome()
			m[[2]grade.Outcome{read, truth}]++
			all[[2]grade.Outcome{read, truth}]++
			if set.name != "kept" && read != truth && read != grade.CannotGrade && truth != grade.CannotGrade {
				t.Logf("%s:%d: %s: read %s, labelled %s (%s %s): %q\n  T %s: %s\n  D %s: %s", set.name, o.line, o.c.ID, read, truth,
					o.want, o.act, o.answer, g.Truth.Rule, g.Truth.Evidence, g.Decidability.Rule, g.Decidability.Evidence)
			}
			if code(g) == "PPP" && !slices.Contains(set.r.Golds(o.c, ""), g.Normal) {
				t.Errorf("%s:%d: passes as %q, which is not among the golds %q", set.name, o.line, g.Normal, set.r.Golds(o.c, ""))
			}
		}
		t.Logf("%s: %d answers\n%v", set.name, len(set.all), m)
	}
	t.Logf("all\n%v", all)
	for _, truth := range truths {
		n, decided := all.of(truth)
		if least := covered[truth]; float64(decided) < least*float64(n) {
			t.Errorf("%.3f of what is %s is decided, below %.3f", float64(decided)/float64(n), truth, least)
		}
		for _, read := range truths {
			if k := all[[2]grade.Outcome{read, truth}]; read != truth && float64(k) > mostMisread*float64(decided) {
				t.Errorf("%d of %d that are %s are read as %s, above %.3f", k, decided, truth, read, mostMisread)
			}
		}
	}
}

// What the labelled set holds the deciders to: the share of each true outcome that is decided at least, and the share
// of it that is decided as each other outcome at most.
var covered = map[grade.Outcome]float64{grade.Correct: .91, grade.Incorrect: .88, grade.NotAttempted: .86}

const mostMisread = .03
