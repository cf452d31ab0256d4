package oracle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// A lesson is what a model was asked about a labelled answer.
type lesson struct {
	id, text, lot string
	c             *suite.Case
	m             *model
	x             features
	want          int
	f             Ruling
	mirrored      bool // the same answer to the case whose gold is the other of two
}

// hardLots are lots that were written to be hard: a sixth of their answers avoids the words of the question, an eighth
// takes back what it said. Of their cases every third is a lesson, so that they do not outweigh what assistants write.
var hardLots = map[string]bool{"plain-42": true, "plain-43": true}

const labelledDir = "../rubric/testdata/labelled"

// lessons asks the deciders about the answers that may be seen of the labelled set and of the development lots, and
// notes what each model was asked, with the label.
func lessons(t *testing.T) (all []lesson) {
	heard, heardItem := observed, observedItem
	defer func() { observed, observedItem = heard, heardItem }()
	mirrored := false
	one := func(lot string, c *suite.Case, o Oracle, text, outcome string) {
		switch o.(type) {
		case nil, *allOf, *anyOf, *ambiguous: // of whose parts a label says nothing
			return
		}
		if strings.TrimSpace(text) == "" || hardLots[lot] && int(c.ID[len(c.ID)-1])%3 != 0 {
			return
		}
		if options, _ := askedOptions(c.Prompt, c.Answers()); len(options) > 0 { // no other decider knows of options
			if _, asked := o.(*byAsked); !asked {
				return
			}
		}
		want := slices.IndexFunc(classes[:], func(c grade.Outcome) bool { return string(c) == outcome })
		if want < 0 {
			return
		}
		var items []lesson
		n, golds := len(all), 0
		note := func(m *model, x features, want int) lesson {
			return lesson{lot + "/" + c.ID, text, lot, c, m, slices.Clone(x), want, Ruling{}, mirrored}
		}
		observed = func(m *model, x features) {
			all = append(all[:n], note(m, x, want))
		} // of a passage's value and of the whole, the whole
		observedItem = func(m *model, x features, gold bool) {
			if gold {
				golds++
			}
			items = append(items, note(m, x, 1-int(flag(gold))))
		}
		f := Judge(o, Reading{Text: evidence.Read(text)})
		for i := n; i < len(all); i++ {
			all[i].f = f
		}
		closed := len(items) > 0 && (items[0].m == saidItem || items[0].m == sideItem) // nothing else is an answer
		if want == 0 &&
			(golds > 0 || closed) { // a right answer shows which of its numbers is the one given
			all = append(all, items...)
		}
	}
	add := func(lot string, c *suite.Case, o Oracle, text, outcome string) {
		one(lot, c, o, text, outcome)
		if c, o := mirror(c, o); o != nil {
			mirrored = true
			one(lot, c, o, text, turnedRound(outcome))
			mirrored = false
		}
	}
	for _, part := range []struct{ cases, files string }{
		{"cases.jsonl", "dev again third fourth fifth sixth seventh eighth tenth twelfth thirteenth fifteenth sixteenth " +
			"seventeenth"},
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
				add(name, s[cells[0]], oracles[cells[0]], strings.ReplaceAll(cells[3], "⏎", "\n"), outcomeOf(s[cells[0]], cells[1],
					cells[2]))
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

// mirror returns a case of two possible answers with the other one as its gold, and its oracle: nil where there are not
// two. What an answer commits to is the same whichever is right, so that a model of it should be too.
func mirror(c *suite.Case, o Oracle) (*suite.Case, Oracle) {
	other := ""
	switch o := o.(type) {
	case *byPolarity:
		other = (reading.Yes + reading.No - o.gold).String()
	case *byAsked:
		if len(o.sides) != 2 {
			return nil, nil
		}
		other = o.sides[1-o.gold].text
	default:
		return nil, nil
	}
	m := *c
	m.Gold.Texts, m.Aliases = []string{other}, nil
	if c.Oracle != nil {
		oracle := *c.Oracle
		oracle.Accept = nil
		m.Oracle = &oracle
	}
	turned, err := newOracle(&m)
	if err != nil || fmt.Sprintf("%T", turned) != fmt.Sprintf("%T", o) {
		return nil, nil
	}
	if b, ok := turned.(*byAsked); ok && len(b.sides) != 2 {
		return nil, nil
	}
	return &m, turned
}

// turnedRound is the outcome of an answer where the other of two golds is right.
func turnedRound(outcome string) string {
	switch outcome {
	case string(grade.Correct):
		return string(grade.Incorrect)
	case string(grade.Incorrect):
		return string(grade.Correct)
	}
	return outcome
}

func compiledLot(t *testing.T, path string) (map[string]*suite.Case, map[string]Oracle) {
	data, err := suite.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	cases, oracles := map[string]*suite.Case{}, map[string]Oracle{}
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		cases[c.ID] = c
		if o, err := newOracle(c); err == nil {
			oracles[c.ID] = o
		}
	}
	return cases, oracles
}

// outcomeOf is the outcome of the verdicts and the act of the labelled set.
func outcomeOf(c *suite.Case, verdicts, act string) string {
	switch {
	case strings.HasPrefix(verdicts, "PF") && act == "answered" && (strings.HasPrefix(c.Class, "time-shift") ||
		slices.Contains(c.Tags, "time-shift") || c.Class == "negation"):
		return string(grade.Correct) // the date or the reason is missing: no fault of the core
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
var ridge = .3

// fit returns the weights of a model that make the labels most probable, less the penalty.
func fit(all []lesson) *model {
	const k = len(classes)
	m := *all[0].m
	seen := map[string]bool{}
	for _, l := range all {
		for _, f := range l.x {
			seen[f.name] = seen[f.name] || f.value != 0
		}
	}
	maps.DeleteFunc(seen, func(_ string, in bool) bool { return !in })
	names := slices.Sorted(maps.Keys(seen))
	at := map[string]int{}
	for i, name := range names {
		at[name] = i * k
	}
	type entry struct {
		at    int
		value float64
	}
	rows := make([][]entry, len(all))
	for i, l := range all {
		for _, f := range l.x {
			if f.value != 0 {
				rows[i] = append(rows[i], entry{at[f.name], f.value})
			}
		}
	}
	probabilities := func(w []float64, row []entry) (p [k]float64) {
		for _, e := range row {
			for c := range p {
				p[c] += w[e.at+c] * e.value
			}
		}
		top, sum := slices.Max(p[:]), 0.
		for c := range p {
			p[c] = math.Exp(p[c] - top)
			sum += p[c]
		}
		for c := range p {
			p[c] /= sum
		}
		return p
	}
	penalty := func(i int) float64 {
		if names[i/k] == "bias" {
			return 1e-3
		}
		return ridge
	}
	p := optimize.Problem{
		Func: func(w []float64) float64 {
			loss := 0.
			for i, l := range all {
				loss -= math.Log(probabilities(w, rows[i])[l.want] + 1e-300)
			}
			for i, v := range w {
				loss += penalty(i) / 2 * v * v
			}
			return loss
		},
		Grad: func(g, w []float64) {
			for i, v := range w {
				g[i] = penalty(i) * v
			}
			for i, l := range all {
				q := probabilities(w, rows[i])
				q[l.want]--
				for _, e := range rows[i] {
					for c := range q {
						g[e.at+c] += q[c] * e.value
					}
				}
			}
		},
	}
	res, err := optimize.Minimize(p, make([]float64, len(names)*k), &optimize.Settings{GradientThreshold: 1e-3,
		MajorIterations: 300}, &optimize.LBFGS{})
	if res == nil {
		panic(err)
	}
	weights := map[string]weight{}
	for i, name := range names {
		weights[name] = weight(res.X[i*k : i*k+k])
	}
	m.weights = func() map[string]weight { return weights }
	return &m
}

// folds is how many parts the cases are cut into for the cross-validation.
const folds = 8

// TestFit fits the models and prints what they read of cases that they were not fitted on. HALLMARK_FIT=1 writes the
// weights, HALLMARK_FIT=asked those of the models whose names begin so.
func TestFit(t *testing.T) {
	if os.Getenv("HALLMARK_FIT") == "" {
		t.Skip("HALLMARK_FIT is not set")
	}
	all := lessons(t)
	byModel := map[string][]lesson{}
	for _, l := range all {
		byModel[l.m.name] = append(byModel[l.m.name], l)
	}
	names := slices.Sorted(maps.Keys(byModel))
	out := readByOthers(all, byModel)
	print := func(title string, margin float64, keep func(scored) bool) {
		m := map[[2]int]int{}
		n := [3]int{}
		for _, s := range out {
			if !keep(s) {
				continue
			}
			n[s.want]++
			if s.p >= margin {
				m[[2]int{s.want, s.what}]++
			}
		}
		fmt.Printf("%-22s %.2f", title, margin)
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
	for _, margin := range []float64{.5, .85, .9, .93, .95} {
		print("options in the question", margin, func(s scored) bool { return strings.HasPrefix(s.m.name, "asked") })
		print("plain lots", margin, func(s scored) bool {
			return strings.HasPrefix(s.lot, "plain") && !strings.HasSuffix(s.m.name, "item")
		})
	}
	for _, name := range append([]string{"plain"}, names...) { // what is read as each class, by class read
		for c := range classes {
			fmt.Printf("%-14s read %-13s", name, classes[c])
			for _, margin := range []float64{.5, .6, .7, .75, .8, .85, .9, .93, .95} {
				var n [3]int
				for _, s := range out {
					if (s.m.name == name || name == "plain" && strings.HasPrefix(s.lot, name) &&
						!strings.HasSuffix(s.m.name, "item")) && s.what == c && s.p >= margin {
						n[s.want]++
					}
				}
				fmt.Printf(" | %.2f %3d %3d %3d", margin, n[0], n[1], n[2])
			}
			fmt.Println()
		}
	}
	for _, name := range names {
		for _, margin := range []float64{.5, .9, .95} {
			print(name, margin, func(s scored) bool { return s.m.name == name })
		}
	}
	list(out, os.Getenv("HALLMARK_LIST"))
	writeWeights(t, byModel, strings.TrimPrefix(os.Getenv("HALLMARK_FIT"), "1"))
}

// A scored lesson is one with its likeliest class, and how likely that is.
type scored struct {
	lesson
	what int
	p    float64
}

// readByOthers reads each lesson by a model that was fitted to those of other cases.
func readByOthers(all []lesson, byModel map[string][]lesson) (out []scored) {
	fold := map[string]int{}
	for _, l := range all {
		if _, ok := fold[l.id]; !ok {
			fold[l.id] = len(fold) % folds
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byModel)) {
		for k := range folds {
			var train, test []lesson
			for _, l := range byModel[name] {
				if fold[l.id] == k {
					test = append(test, l)
				} else {
					train = append(train, l)
				}
			}
			m := fit(train)
			for _, l := range test {
				if l.mirrored {
					continue
				}
				p := m.probabilities(l.x)
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
	return out
}

// list prints the lessons of a lot that are read otherwise than they are, the surest first.
func list(out []scored, lot string) {
	sort.SliceStable(out, func(i, j int) bool { return out[i].p > out[j].p })
	for _, s := range out {
		if lot != "" && strings.HasPrefix(s.lot+" "+s.m.name, lot) && !strings.HasSuffix(s.m.name, "item") &&
			(s.what != s.want || s.p < .9 || os.Getenv("HALLMARK_ALL") != "") {
			var fs []string
			for _, f := range s.x {
				if f.value != 0 {
					fs = append(fs, fmt.Sprintf("%s=%.2g", f.name, f.value))
				}
			}
			fmt.Printf("%-22s p %.3f read %-12s want %-12s [%s] Q %s G %v\n    > %s\n    %s | %s\n", s.id, s.p, classes[s.what],
				classes[s.want], s.m.name, evidence.Excerpt(s.c.Prompt, 100), s.c.Answers(), evidence.Excerpt(s.text, 500),
				s.f.Truth.Evidence, strings.Join(fs, " "))
		}
	}
}

// writeWeights writes the weights of the models whose names begin so; the others keep theirs.
func writeWeights(t *testing.T, byModel map[string][]lesson, only string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Weights of the models of this package: model, feature, and its weight for correct, incorrect and " +
		"not_attempted (of a number: for being the one that\n# is given, and not). Written by TestFit.\n")
	kept := strings.Split(weightsText, "\n")
	for _, name := range slices.Sorted(maps.Keys(byModel)) {
		if !strings.HasPrefix(name, only) {
			for _, line := range kept {
				if strings.HasPrefix(line, name+"\t") {
					b.WriteString(line + "\n")
				}
			}
			continue
		}
		m := fit(byModel[name])
		for _, feature := range slices.Sorted(maps.Keys(m.weights())) {
			fmt.Fprintf(&b, "%s\t%s", name, feature)
			for _, w := range m.weights()[feature] {
				fmt.Fprintf(&b, "\t%.3f", w)
			}
			b.WriteString("\n")
		}
	}
	if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
