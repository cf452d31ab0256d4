package oracle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// A lesson is a labelled answer that the models are fitted on.
type lesson struct {
	id, text, lot string
	c             *suite.Case
	s             seen
	want          int
}

const labelledDir = "../rubric/testdata/labelled"

// lessons reads the answers that may be seen of the labelled set and of the development lots, where the case is decided by listed golds.
func lessons(t *testing.T) (all []lesson) {
	add := func(lot string, c *suite.Case, o Oracle, text, outcome string) {
		b, ok := o.(*byGold)
		if !ok || strings.TrimSpace(text) == "" {
			return
		}
		for k, name := range classes {
			if string(name) == outcome {
				all = append(all, lesson{lot + "/" + c.ID, text, lot, c, b.look(evidence.Read(text)), k})
			}
		}
	}
	for _, part := range []struct{ cases, files string }{
		{"cases.jsonl", "dev again third fourth fifth sixth seventh eighth tenth twelfth thirteenth fifteenth sixteenth seventeenth"},
		{"more.jsonl", "more eleventh"}, {"other.jsonl", "other other2 fourteenth"}, {"further.jsonl", "ninth"},
	} {
		s, oracles := compiledLot(t, filepath.Join(labelledDir, part.cases))
		for _, name := range strings.Fields(part.files) {
			data, err := os.ReadFile(filepath.Join(labelledDir, name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(data), "\n") {
				cells := strings.SplitN(line, " | ", 4)
				if strings.HasPrefix(line, "#") || len(cells) < 4 || s[cells[0]] == nil {
					continue
				}
				add(name, s[cells[0]], oracles[cells[0]], strings.ReplaceAll(cells[3], "⏎", "\n"), outcomeOf(cells[1], cells[2]))
			}
		}
	}
	dirs, _ := filepath.Glob("../rubric/testdata/lots/*/answers.jsonl")
	for _, dir := range append(dirs, strings.Fields(os.Getenv("HALLMARK_LOTS"))...) {
		dir = strings.TrimSuffix(dir, "/answers.jsonl")
		path := filepath.Join(dir, "suite.csv")
		if _, err := os.Stat(path); err != nil {
			path = filepath.Join(dir, "suite.jsonl")
		}
		s, oracles := compiledLot(t, path)
		f, err := os.Open(filepath.Join(dir, "answers.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			var row struct {
				CaseID            string `json:"case_id"`
				Response, Outcome string
			}
			if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			add(filepath.Base(dir), s[row.CaseID], oracles[row.CaseID], row.Response, row.Outcome)
		}
		f.Close()
	}
	return all
}

func compiledLot(t *testing.T, path string) (map[string]*suite.Case, map[string]Oracle) {
	s, err := suite.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	cases, oracles := map[string]*suite.Case{}, map[string]Oracle{}
	for i := range s.Cases {
		c := &s.Cases[i]
		cases[c.ID] = c
		if o, err := New(c); err == nil {
			oracles[c.ID] = o
		}
	}
	return cases, oracles
}

// outcomeOf is the outcome of the verdicts and the act of the labelled set.
func outcomeOf(verdicts, act string) string {
	switch {
	case strings.HasPrefix(verdicts, "PP"):
		return string(grade.Correct)
	case strings.HasPrefix(verdicts, "U"):
		return ""
	case act == "declined" || act == "asked" || act == "hedged":
		return string(grade.NotAttempted)
	}
	return string(grade.Incorrect)
}

// ridge is the penalty on squared weights but the bias.
const ridge = 1.5

// fit returns the weights that make the labels most probable, less the penalty.
func fit(all []lesson) (m model) {
	const k = len(classes)
	n := int(nFeatures) * k
	unpack := func(w []float64) (m model) {
		for i, v := range w {
			m[i/k][i%k] = v
		}
		return m
	}
	p := optimize.Problem{
		Func: func(w []float64) float64 {
			m := unpack(w)
			loss := 0.
			for _, l := range all {
				loss -= math.Log(m.probabilities(&l.s.x)[l.want] + 1e-300)
			}
			for i, v := range w {
				if i >= k {
					loss += ridge / 2 * v * v
				} else {
					loss += 1e-3 * v * v
				}
			}
			return loss
		},
		Grad: func(g, w []float64) {
			m := unpack(w)
			for i, v := range w {
				g[i] = ridge * v
				if i < k {
					g[i] = 2e-3 * v
				}
			}
			for _, l := range all {
				q := m.probabilities(&l.s.x)
				for c := range q {
					d := q[c]
					if c == l.want {
						d--
					}
					for f, x := range l.s.x {
						if x != 0 {
							g[f*k+c] += d * x
						}
					}
				}
			}
		},
	}
	res, err := optimize.Minimize(p, make([]float64, n), &optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 400}, &optimize.LBFGS{})
	if res == nil {
		panic(err)
	}
	return unpack(res.X)
}

// folds is how many parts the cases are cut into for the cross-validation.
const folds = 8

// TestFit fits the models and prints what they read of cases that they were not fitted on. HALLMARK_FIT=1 writes the weights.
func TestFit(t *testing.T) {
	if os.Getenv("HALLMARK_FIT") == "" {
		t.Skip("HALLMARK_FIT is not set")
	}
	all := lessons(t)
	fold := map[string]int{}
	for _, l := range all {
		if _, ok := fold[l.id]; !ok {
			fold[l.id] = len(fold) % folds
		}
	}
	split := func(present bool, keep func(int) bool) (part []lesson) {
		for _, l := range all {
			if (l.s.good != nil) == present && keep(fold[l.id]) {
				part = append(part, l)
			}
		}
		return part
	}
	type scored struct {
		lesson
		what int
		p    float64
	}
	var out []scored
	for _, present := range []bool{true, false} {
		for k := range folds {
			m := fit(split(present, func(f int) bool { return f != k }))
			for _, l := range split(present, func(f int) bool { return f == k }) {
				p := m.probabilities(&l.s.x)
				best := 0
				for c := range p {
					if p[c] > p[best] {
						best = c
					}
				}
				out = append(out, scored{l, best, p[best]})
			}
		}
	}
	lot := os.Getenv("HALLMARK_LIST")
	for _, margin := range []float64{.5, .8, .85, .9, .93, .95, .97} {
		for _, only := range []string{"", "plain"} {
			m := map[[2]int]int{}
			n := [3]int{}
			for _, s := range out {
				if !strings.HasPrefix(s.lot, only) {
					continue
				}
				n[s.want]++
				if s.p >= margin {
					m[[2]int{s.want, s.what}]++
				}
			}
			fmt.Printf("margin %.2f %-6s", margin, only)
			for w := range classes {
				d := m[[2]int{w, 0}] + m[[2]int{w, 1}] + m[[2]int{w, 2}]
				fmt.Printf(" | %s n=%d cov %.2f", classes[w][:5], n[w], float64(d)/float64(max(1, n[w])))
				for c := range classes {
					if c != w {
						fmt.Printf(" %s %.3f", classes[c][:3], float64(m[[2]int{w, c}])/float64(max(1, d)))
					}
				}
			}
			fmt.Println()
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].p > out[j].p })
	for _, s := range out {
		if lot != "" && strings.HasPrefix(s.lot, lot) && (s.what != s.want || s.p < .9) {
			var fs []string
			for f, x := range s.s.x {
				if x != 0 {
					fs = append(fs, fmt.Sprintf("%s=%.2g", featureName(feature(f)), x))
				}
			}
			fmt.Printf("%-22s p %.3f read %-12s want %-12s Q %s G %v\n    > %s\n    good %v bad %v  %s\n", s.id, s.p, classes[s.what], classes[s.want], evidence.Excerpt(s.c.Prompt, 100), s.c.Answers(), evidence.Excerpt(s.text, 500), shown(s.s.good), shown(s.s.bad), strings.Join(fs, " "))
		}
	}
	var b strings.Builder
	b.WriteString("# Weights of the models of commit.go: model, feature, and its weight for correct, incorrect and not_attempted. Written by TestFit.\n")
	for _, part := range []string{"put", "absent"} {
		m := fit(split(part == "put", func(int) bool { return true }))
		for f := range nFeatures {
			fmt.Fprintf(&b, "%s\t%s", part, featureName(f))
			for c := range classes {
				fmt.Fprintf(&b, "\t%.3f", m[f][c])
			}
			b.WriteString("\n")
		}
	}
	if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func shown(it *item) string {
	if it == nil {
		return "-"
	}
	return fmt.Sprintf("“%s” role %d stance %d (%s)", it.text, it.role, it.stance, it.why)
}
