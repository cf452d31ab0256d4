package rubric

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// A lotAnswer is an answer of a labelled lot.
type lotAnswer struct {
	CaseID   string `json:"case_id"`
	Response string `json:"response"`
	Outcome  string `json:"outcome"`
	Style    string `json:"style"`
}

// readLot returns the suite and the answers of a folder, and the type of each case's gold where the folder says so.
func readLot(t *testing.T, dir string) (*suite.Suite, []lotAnswer, map[string]string) {
	t.Helper()
	path := filepath.Join(dir, "suite.csv")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, "suite.jsonl")
	}
	data, err := suite.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, m := range lines[struct{ CaseID, Type string }](t, filepath.Join(dir, "meta.jsonl")) {
		types[m.CaseID] = m.Type
	}
	return s, lines[lotAnswer](t, filepath.Join(dir, "answers.jsonl")), types
}

func lines[T any](t testing.TB, path string) (rows []T) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var raw map[string]any
		if err := json.Unmarshal(sc.Bytes(), &raw); err != nil {
			t.Fatal(err)
		}
		if id, ok := raw["case_id"]; ok {
			raw["CaseID"] = id
		}
		again, _ := json.Marshal(raw)
		var row T
		if err := json.Unmarshal(again, &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestLots prints how the answers of labelled lots are read: HALLMARK_LOTS names their folders.
func TestLots(t *testing.T) {
	dirs := strings.Fields(os.Getenv("HALLMARK_LOTS"))
	if len(dirs) == 0 {
		t.Skip("HALLMARK_LOTS names no folder")
	}
	for _, dir := range dirs {
		s, answers, types := readLot(t, dir)
		r, err := New(s, s.AsOf)
		if err != nil {
			t.Fatal(err)
		}
		cases := map[string]*suite.Case{}
		for i := range s.Cases.Len() {
			cases[s.Cases.At(i).ID] = s.Cases.At(i)
		}
		count := map[string]map[[2]string]int{}
		add := func(group, read, want string) {
			if count[group] == nil {
				count[group] = map[[2]string]int{}
			}
			count[group][[2]string{read, want}]++
		}
		list := os.Getenv("HALLMARK_LIST")
		for _, a := range answers {
			c := cases[a.CaseID]
			g := r.Grade(c, grade.Answer{Text: &a.Response})
			read := string(g.Outcome())
			add("", read, a.Outcome)
			add("style "+a.Style, read, a.Outcome)
			if c.Class != "" {
				add("class "+c.Class, read, a.Outcome)
			}
			if ty := types[a.CaseID]; ty != "" {
				add("type "+ty, read, a.Outcome)
			}
			if read != a.Outcome && (list == "all" || list == "wrong" && read != "ungradable" || list != "" &&
				strings.Contains(c.Class+types[a.CaseID], list)) {
				gold := goldOf(c)
				fmt.Printf("%-12s read %-13s want %-13s [%s] q=%s gold=%s\n    T %s (%s)\n    > %s\n", a.CaseID, read, a.Outcome,
					g.Truth.Rule, evidence.Excerpt(c.Prompt, 110), gold, g.Decidability.Rule, evidence.Excerpt(g.Truth.Evidence, 120),
					evidence.Excerpt(a.Response, 900))
			}
		}
		fmt.Printf("== %s: %d answers\n", dir, len(answers))
		var groups []string
		for g := range count {
			groups = append(groups, g)
		}
		sort.Strings(groups)
		for _, g := range groups {
			fmt.Printf("%-28s %s\n", g, summary(count[g]))
		}
	}
}

func goldOf(c *suite.Case) string {
	if c.Oracle != nil {
		b, _ := json.Marshal(c.Oracle)
		return evidence.Excerpt(string(b), 200)
	}
	return strings.Join(c.Gold.Texts, " | ")
}

// summary gives the off-diagonal shares of what is decided, by true outcome and by what was read, and the coverage of
// each true outcome.
func summary(m map[[2]string]int) string {
	var b strings.Builder
	for _, want := range []string{"correct", "incorrect", "not_attempted"} {
		n, decided := 0, 0
		var cells []string
		for _, read := range []string{"correct", "incorrect", "not_attempted", "ungradable"} {
			k := m[[2]string{read, want}]
			n += k
			if read != "ungradable" {
				decided += k
			}
		}
		for _, read := range []string{"correct", "incorrect", "not_attempted"} {
			if k := m[[2]string{read, want}]; read != want && k > 0 {
				cells = append(cells, fmt.Sprintf("%s %d=%.3f", read[:3], k, float64(k)/float64(max(1, decided))))
			}
		}
		fmt.Fprintf(&b, "| %s n=%d cov %.2f err[%s] ", want[:5], n, float64(decided)/float64(max(1, n)),
			strings.Join(cells, " "))
	}
	return b.String()
}
