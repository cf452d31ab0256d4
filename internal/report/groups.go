package report

import (
	"cmp"
	_ "embed" // the words for what goes wrong
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat/figure"
)

//go:embed groups.json
var groupsFile []byte

// A fault is what goes wrong where a rule fails.
type fault struct {
	Rule  string // how the rule begins
	Says  string // what is given in place of the right answer
	Holds bool   // what helps depends on whether the answer stays when the prompt changes
	Do    string
}

// faults has what goes wrong by rule, the first that fits first, and what helps where answers stay or move.
var faults = func() (s struct {
	What                     []fault
	Held, Voted, Split, Once string
}) {
	if err := json.Unmarshal(groupsFile, &s); err != nil {
		panic("report: groups.json: " + err.Error())
	}
	return s
}()

// shownGroups, examplesOf and keptOf are how many groups are shown, examples of each, and answers of a group among
// which these are chosen. onceIn is how many times as often as over all a group has to have a value to be said to.
const (
	shownGroups = 3
	examplesOf  = 3
	keptOf      = 40
	onceIn      = 1.5
)

// A failureGroup is the wrong answers that go wrong in the same way.
type failureGroup struct {
	what     fault
	standing string // prompt-agnostic, prompt-sensitive or once
	n        int
	voted    int               // of them, those whose most common answer is right
	at       map[[2]string]int // by what cases are sorted by, and its value
	kept     []*assay.CaseRow
}

// standingOf says whether a wrong answer stays when the prompt changes.
func standingOf(r *assay.CaseRow) string {
	switch {
	case r.R < 2 || r.Category == "":
		return "once"
	case r.Category == consistency.PromptAgnosticError:
		return "prompt-agnostic"
	}
	return "prompt-sensitive"
}

// faultOf is what goes wrong in an answer: by the first axis that fails.
func faultOf(r *assay.CaseRow) fault {
	for _, a := range r.Axes {
		if a.Verdict != "fail" {
			continue
		}
		for _, f := range faults.What {
			if strings.HasPrefix(a.Rule, f.Rule) {
				return f
			}
		}
		return fault{Rule: a.Rule, Says: clip(oneLine(cmp.Or(a.Rule, "a fault in "+a.Name)), 80), Holds: true}
	}
	return fault{Says: "what people call wrong", Holds: true}
}

// sortedBy yields what a case is sorted by, as its slices are.
func sortedBy(r *assay.CaseRow, yield func(by, value string)) {
	for _, of := range [][2]string{{"class", r.Class}, {"domain", r.Domain}, {"difficulty", r.Difficulty}} {
		if of[1] != "" {
			yield(of[0], of[1])
		}
	}
	for _, t := range r.Tags {
		if key, value, keyed := strings.Cut(t, ":"); keyed && key != "" && value != "" {
			yield(key, value)
		} else if t != r.Class {
			yield("tag", t)
		}
	}
}

// failureGroups sorts the wrong answers to the default prompt by what went wrong and by whether they stay when the
// prompt moves: the largest group first. all counts the graded answers by what cases are sorted by.
func (s *section) failureGroups() (groups []*failureGroup, wrong int, all map[[2]string]int, answered int) {
	by := map[[2]string]*failureGroup{}
	all = map[[2]string]int{}
	for _, r := range s.Rows.All() {
		if r.Outcome == "" {
			continue
		}
		answered++
		sortedBy(r, func(by, value string) { all[[2]string{by, value}]++ })
		if r.Outcome != "incorrect" {
			continue
		}
		wrong++
		what, standing := faultOf(r), standingOf(r)
		key := [2]string{what.Says, standing}
		if !what.Holds {
			key[1] = ""
		}
		g := by[key]
		if g == nil {
			g = &failureGroup{what: what, standing: standing, at: map[[2]string]int{}}
			by[key], groups = g, append(groups, g)
		}
		g.n++
		right := 0 // of the variants
		for _, a := range r.Answers {
			if a.Verdict == "right" {
				right++
			}
		}
		if 2*right > r.R && standing == "prompt-sensitive" {
			g.voted++
		}
		sortedBy(r, func(by, value string) { g.at[[2]string{by, value}]++ })
		if len(g.kept) < keptOf {
			g.kept = append(g.kept, r)
		}
	}
	slices.SortStableFunc(groups, func(a, b *failureGroup) int { return cmp.Compare(b.n, a.n) })
	return groups, wrong, all, answered
}

// mostly returns the value that the group has most often beyond what all answers have, if it has it onceIn times as
// often and on three answers or more.
func (g *failureGroup) mostly(all map[[2]string]int, answered int) (at [2]string, ok bool) {
	most := 0.
	inOrder := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(g.at), inOrder) {
		n, expected := float64(g.at[key]), float64(g.n)*float64(all[key])/float64(answered)
		if beyond := n - expected; n >= 3 && n >= onceIn*expected && beyond > most {
			most, at, ok = beyond, key, true
		}
	}
	return at, ok
}

// title is what the group is called.
func (g *failureGroup) title() string {
	says := strings.ToUpper(g.what.Says[:1]) + g.what.Says[1:]
	if !g.what.Holds {
		return says
	}
	return says + map[string]string{"prompt-agnostic": ", the same in every prompt variant",
		"prompt-sensitive": ", and it changes with the prompt variant", "once": ""}[g.standing]
}

// action is what helps.
func (g *failureGroup) action() string {
	switch {
	case !g.what.Holds:
		return g.what.Do
	case g.standing == "prompt-agnostic":
		return faults.Held
	case g.standing == "prompt-sensitive" && g.voted > 0:
		return fmt.Sprintf(faults.Voted, figure.Grouped(g.voted), figure.Grouped(g.n))
	case g.standing == "prompt-sensitive":
		return faults.Split
	}
	return faults.Once
}

// questionsOf names the questions with a value: questions tagged “geo”, questions of the class “multi-hop”.
func questionsOf(by, value string) string {
	value = "“" + clip(orNameless(value), 80) + "”"
	switch by = clip(oneLine(by), 40); by {
	case rate.Tagged:
		return "questions tagged " + value
	case "class", "domain", "difficulty":
		return "questions of the " + by + " " + value
	}
	return "questions with " + by + " " + value
}

// examples are answers of the group, those with the value that it has most first.
func (g *failureGroup) examples(at [2]string) []*assay.CaseRow {
	has := func(r *assay.CaseRow) (yes bool) {
		sortedBy(r, func(by, value string) { yes = yes || at == [2]string{by, value} })
		return yes
	}
	out := slices.Clone(g.kept)
	slices.SortStableFunc(out, func(a, b *assay.CaseRow) int {
		return cmp.Compare(strconv.FormatBool(has(b)), strconv.FormatBool(has(a)))
	})
	return out[:min(examplesOf, len(out))]
}

// groups sets out what goes wrong: the largest groups of wrong answers, with examples and what helps.
func (s *section) groups() block {
	groups, wrong, all, answered := s.failureGroups()
	if wrong == 0 {
		return nil
	}
	c := s.chapter("groups").over(count(wrong, "wrong answer") + " to the default prompt")
	lede := fmt.Sprintf("%s of %s answers are wrong.", grouped(wrong), grouped(answered))
	if len(groups) > 1 {
		lede += fmt.Sprintf(" By what is given in place of the right answer, and whether it stays when the prompt is "+
			"worded otherwise, they make %d groups", len(groups))
		if len(groups) > shownGroups {
			lede += fmt.Sprintf("; these are the largest %d", shownGroups)
		}
		lede += "."
	}
	c.Lede = say(lede)
	for i, g := range groups[:min(shownGroups, len(groups))] {
		c.Body = append(c.Body, s.group(i+1, g, wrong, all, answered))
	}
	return c
}

// group sets out one of them.
func (s *section) group(place int, g *failureGroup, wrong int, all map[[2]string]int, answered int) block {
	share := func(n, of int) string { return figure.Percent(float64(n) / float64(of)) }
	says := fmt.Sprintf("%s of %s (%s; %s of all answers).", grouped(g.n), count(wrong, "wrong answer"),
		share(g.n, wrong), share(g.n, answered))
	at, some := g.mostly(all, answered)
	do := g.action()
	if some {
		name := questionsOf(at[0], at[1])
		says += fmt.Sprintf(" %s of them (%s) are answers to %s, which make up %s of all answers.", grouped(g.at[at]),
			share(g.at[at], g.n), name, share(all[at], answered))
		do += fmt.Sprintf(" Begin with the %s.", name)
	}
	t := table{Columns: []column{rawOf("question"), rawOf("answer"), rawOf("right answer"), codeOf("case")},
		Brief: examplesOf, One: "example", Many: "examples"}
	for _, r := range g.examples(at) {
		t.add(excerpt(r.Prompt), excerpt(cmp.Or(answerOf(r), "(empty)")), excerpt(cmp.Or(r.Gold, "none")),
			clip(oneLine(r.ID), 40))
	}
	return chapter{Inner: true, Title: fmt.Sprintf("%d. %s", place, g.title()), Lede: say(says), Tone: "err",
		Over: share(g.n, wrong), Body: []block{sentence(says).only(inTerminal), t,
			sentence(strong("What helps: "), do)}}
}

// exampleText is how many characters an example shows of a text.
const exampleText = 220

// excerpt is hostile text in one line, without what is in its middle where it is long.
func excerpt(s string) string {
	r := []rune(oneLine(s))
	if len(r) > exampleText {
		return string(r[:exampleText*2/3]) + " … " + string(r[len(r)-exampleText/3:])
	}
	return string(r)
}
