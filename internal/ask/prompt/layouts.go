package prompt

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/seed"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite"
)

//go:embed layouts.yaml
var layoutsFile embed.FS

// looks are what layouts are drawn from, and the conditions: layouts.yaml, which says what each is for.
type looks struct {
	Wordings []struct {
		Intro    string `yaml:"intro"`
		Question string `yaml:"question"`
		Choices  string `yaml:"choices"`
		Answer   string `yaml:"answer"`
	} `yaml:"wordings"`
	Separators [][]string `yaml:"separators"`
	Spacings   []string   `yaml:"spacings"`
	Choices    []string   `yaml:"choices"`
	Conditions []Template `yaml:"conditions"`
}

var looking = sync.OnceValue(func() (l looks) {
	strictyaml.Carried(layoutsFile, "layouts.yaml", &l)
	for i := range l.Conditions {
		l.Conditions[i].Family = Condition
	}
	return l
})

// casings of the names of parts and of the introduction.
var casings = []casing{func(s string) string { return s }, strings.ToUpper, strings.ToLower, titled}

// A layout is a point in the space of generated templates: which wording, separators, spacing, casing and choice.
type layout [5]int

// axes are the families in the order of a layout's indices.
var axes = [len(layout{})]Family{Wording, Separators, Spacing, Casing, Labels}

// template makes the template of a layout.
func (l layout) template(family Family) Template {
	of := looking()
	w, sep, space, to := of.Wordings[l[0]], of.Separators[l[1]], of.Spacings[l[2]], casings[l[3]]
	t := Template{
		Family:   family,
		Question: cased(w.Question, to) + space + questionMark + sep[0] + cased(w.Choices, to) + space + choicesMark,
		Reply:    sep[0] + cased(w.Answer, to) + strings.TrimRight(space, " \t\n"),
		Choice:   of.Choices[l[4]], Between: sep[1],
	}
	if w.Intro != "" {
		t.Intro = cased(w.Intro, to) + sep[0]
	}
	return t
}

// A shape is what of a case decides which layouts differ.
type shape struct{ options, demonstrations, topic bool }

func shapeOf(c *suite.Case) shape {
	return shape{len(c.Options) > 0 && c.ShowOptions, len(c.Demonstrations) > 0 || len(c.Rows) > 0, topic(c) != ""}
}

// drawn are the layouts that a shape can tell apart.
func (s shape) drawn(l layout) bool {
	return (s.topic || !strings.Contains(looking().Wordings[l[0]].Intro, topicMark)) &&
		(l[4] == 0 || s.options && !s.demonstrations)
}

// key tells two layouts apart that look alike in this shape.
func (s shape) key(t Template) string {
	q := t.Question
	if !s.options {
		q, t.Choice, t.Between = alone(q), "", ""
	}
	return strings.Join([]string{t.Intro, q, t.Reply, t.Choice, t.Between}, "\x00")
}

// layouts returns n templates for cases of a shape, the same for all of them, so that a template can be followed
// through a suite. First come those that change one thing each, the families in turn: wording; and, from the plain
// wording "Question: … Answer:", separators, spacing, casing and, where options are shown and no demonstration
// shows its own, the look of an option. When these are used up, layouts that change several are drawn from all
// there are, none twice. It returns fewer where there are no more.
func (s shape) layouts(n int, from uint64) []Template {
	var out []Template
	seen := map[string]bool{}
	counts := map[Family]int{}
	add := func(l layout, family Family) {
		if !s.drawn(l) || len(out) == n {
			return
		}
		t := l.template(family)
		if k := s.key(t); !seen[k] {
			seen[k] = true
			counts[family]++
			t.Name = fmt.Sprintf("%s %d", family, counts[family])
			out = append(out, t)
		}
	}
	of := looking()
	sizes := [len(axes)]int{len(of.Wordings), len(of.Separators), len(of.Spacings), len(casings), len(of.Choices)}
	all := 1
	for _, size := range sizes {
		all *= size
	}
	for i := range slices.Max(sizes[:]) {
		for axis, size := range sizes {
			if i < size && (i > 0 || axis == 0) { // the plain wording is the first of each
				l := layout{}
				l[axis] = i
				add(l, axes[axis])
			}
		}
	}
	if len(out) < n {
		for _, k := range seed.Stream(from, "variant", string(Templates), "several").Perm(all) {
			l := layout{}
			for axis, size := range sizes {
				l[axis], k = k%size, k/size
			}
			if add(l, Several); len(out) == n {
				break
			}
		}
	}
	return out
}
