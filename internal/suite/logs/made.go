package logs

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
	"hallmark/internal/text/evidence"
)

// id is that of the case of a question: with its task where the logs have several.
func (c *collector) id(e *entry) string {
	if task := c.tasks[e.task]; len(c.tasks) > 1 && task != "" {
		return task + "/" + e.id
	}
	return e.id
}

// in returns the places of the questions in a suite, or reports one that it does not have.
func (c *collector) in(s *suite.Suite) ([]int32, error) {
	known := make(map[string]int32, s.Cases.Len())
	for i := range s.Cases.Len() {
		known[s.Cases.ID(i)] = int32(i)
	}
	places := make([]int32, len(c.cases))
	for i := range c.cases {
		e := &c.cases[i]
		at, ok := known[c.id(e)]
		if places[i] = at; !ok {
			return nil, fmt.Errorf("%s: sample %q is not in suite %q; leave --suite out to take the questions from "+
				"the log", c.files[e.place.file], jsonl.Excerpt([]byte(c.id(e))), s.Name)
		}
	}
	return places, nil
}

// suite makes a suite of the questions, in the natural order of their ids: the same of the same questions, whichever
// rows come first. It returns the places of the questions in it, too, and has not checked it.
func (c *collector) suite(scoresAlone bool) (*suite.Suite, []int32) {
	s := &suite.Suite{Name: c.name()}
	order := make([]int32, len(c.cases))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &c.cases[i], &c.cases[j]
		return cmp.Or(cmp.Compare(c.tasks[a.task], c.tasks[b.task]), natural(a.id, b.id))
	})
	phrased := !scoresAlone && c.phrased()
	s = s.Packing(len(order), func(yield func(int, *suite.Case) bool) {
		for at, i := range order {
			e := &c.cases[i]
			x := e.made(c.id(e), scoresAlone)
			if task := c.tasks[e.task]; len(c.tasks) > 1 && task != "" {
				x.Tags = append(x.Tags, task)
			}
			if phrased {
				x.Phrasings = c.others[i]
			}
			if !yield(at, &x) {
				return
			}
		}
	})
	if slices.ContainsFunc(c.cases, func(e entry) bool {
		return e.rest != nil && slices.ContainsFunc(e.rest.Tags, func(t string) bool {
			return strings.HasPrefix(t, cluster+":")
		})
	}) {
		s.Cluster = cluster
	}
	places := make([]int32, len(order))
	for at, i := range order {
		places[i] = int32(at)
	}
	return s, places
}

// name is that of the suite: the task, or the first file.
func (c *collector) name() string {
	if len(c.tasks) == 1 && c.tasks[0] != "" {
		return c.tasks[0]
	}
	base := filepath.Base(c.files[0])
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// phrased reports whether every case has a prompt of its own in each wording, so that they can stand as phrasings.
func (c *collector) phrased() bool {
	if len(c.wordings) < 2 {
		return false
	}
	for i := range c.cases {
		seen, others := map[string]bool{"": true}, c.others[int32(i)]
		for _, p := range append([]string{c.cases[i].prompt}, others...) {
			if seen[p] {
				return false
			}
			seen[p] = true
		}
		if len(others)+1 < len(c.wordings) {
			return false
		}
	}
	return true
}

// made is the case of a question.
func (e *entry) made(id string, scoresAlone bool) suite.Case {
	q := e.question()
	x := suite.Case{ID: id, System: q.System, Prompt: e.prompt, Tags: slices.Clone(q.Tags), Demonstrations: q.Shown}
	if strings.TrimSpace(x.Prompt) == "" {
		x.Prompt = fmt.Sprintf("(the log does not say what %s asks)", id)
	}
	for i, text := range q.Context {
		x.Context = append(x.Context, evidence.Passage{ID: "L" + strconv.Itoa(i+1), Text: text})
	}
	right := 1
	switch {
	case scoresAlone:
		x.Options, x.Gold = imported.Verdicts, suite.Gold{Option: &right}
	case q.Option != nil && *q.Option < len(q.Options):
		x.Options, x.Gold = q.Options, suite.Gold{Option: q.Option}
	case len(q.Options) > 1 && len(q.Gold) > 0:
		x.Options = q.Options
		if at := slices.Index(q.Options, q.Gold[0]); len(q.Gold) == 1 && at >= 0 {
			x.Gold = suite.Gold{Option: &at}
		} else {
			x.Options, x.Gold = nil, suite.Gold{Texts: q.Gold}
		}
	case len(q.Gold) > 0:
		x.Gold = suite.Gold{Texts: q.Gold}
	}
	return x
}

// natural compares ids so that 9 comes before 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		i, j := digits(a), digits(b)
		if i > 0 && j > 0 {
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if d := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(i, j)); d != 0 {
				return d
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
