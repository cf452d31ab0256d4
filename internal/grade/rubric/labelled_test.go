package rubric

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// labelledCases reads the cases that the labelled answers belong to.
func labelledCases(t testing.TB) *suite.Suite {
	t.Helper()
	b, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := &suite.Suite{Name: "labelled"}
	for line := range strings.Lines(string(b)) {
		var c suite.Case
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("cases.jsonl: %v: %s", err, line)
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

type labelled struct {
	line   int
	c      *suite.Case
	t      string // verdicts on truth, decidability, reciprocity as P, F, U or -
	act    grade.Act
	answer string
}

func readLabelled(t testing.TB, s *suite.Suite, name string) []labelled {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []labelled
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", 4)
		if len(parts) == 3 && strings.HasSuffix(line, " |") { // an empty answer
			parts = append(parts[:2], strings.TrimSuffix(parts[2], " |"), "")
		}
		if len(parts) != 4 {
			t.Fatalf("%s:%d: want four columns", name, n)
		}
		l := labelled{line: n, t: strings.TrimSpace(parts[1]), act: grade.Act(strings.TrimSpace(parts[2])), answer: strings.ReplaceAll(parts[3], "⏎", "\n")}
		for i := range s.Cases {
			if s.Cases[i].ID == strings.TrimSpace(parts[0]) {
				l.c = &s.Cases[i]
			}
		}
		if l.c == nil {
			t.Fatalf("%s:%d: no case %q", name, n, parts[0])
		}
		all = append(all, l)
	}
	return all
}

func code(g grade.Grade) string {
	var b strings.Builder
	for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity} {
		b.WriteByte(map[grade.Verdict]byte{grade.Pass: 'P', grade.Fail: 'F', grade.Ungradable: 'U', grade.Unscored: '-', grade.NotApplicable: 'n'}[j.Verdict])
	}
	return b.String()
}

// TestLabelled measures agreement with answers labelled by reading. The held-out half was written and labelled before any oracle was
// written. At their first runs all three verdicts agreed on .985 of the held-out and .970 of the development half, H on .993 and .978;
// faults found since were mended, so that today's agreement is a regression test and no estimate. Labels and phrases are by one hand: the
// tests on published answers in package oracle are the independent check.
func TestLabelled(t *testing.T) {
	s := labelledCases(t)
	r, err := New(s, "2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct {
		name  string
		least float64 // agreement on the verdicts of all three axes
	}{{"heldout", .95}, {"development", .97}} {
		t.Run(set.name, func(t *testing.T) {
			all := readLabelled(t, s, "testdata/"+set.name+".txt")
			var verdicts, acts, h int
			for _, l := range all {
				g := r.Grade(l.c, grade.Answer{Text: &l.answer})
				got := code(g)
				if got == l.t {
					verdicts++
				} else {
					t.Logf("line %d: %s: %q: got %s %s, labelled %s %s\n  T %+v\n  D %+v\n  R %+v", l.line, l.c.ID, l.answer, got, g.Act, l.t, l.act, g.Truth, g.Decidability, g.Reciprocity)
				}
				if g.Act == l.act {
					acts++
				}
				if hallucinated, _ := g.Hallucinated(false); hallucinated == strings.Contains(l.t, "F") {
					h++
				}
				if n := g.Normal; n != "" && got == "PPP" && !slices.Contains(r.Golds(l.c, ""), n) {
					t.Errorf("line %d: %q passes as %q, which is not among the golds %q", l.line, l.answer, n, r.Golds(l.c, ""))
				}
				for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity} {
					if j.Rule == "" || len(j.Evidence) > 2000 {
						t.Errorf("line %d: a judgment without a rule, or with too much evidence: %+v", l.line, j)
					}
				}
			}
			n := float64(len(all))
			t.Logf("%d answers: all three verdicts agree on %.3f, H on %.3f, the act on %.3f", len(all), float64(verdicts)/n, float64(h)/n, float64(acts)/n)
			if float64(verdicts)/n < set.least {
				t.Errorf("agreement %.3f is below %.3f", float64(verdicts)/n, set.least)
			}
		})
	}
}
