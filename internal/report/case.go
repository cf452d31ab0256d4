package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

// A text is hostile text as a page shows it: visible, and cut where it is longer than the page's bound.
type text struct {
	Shown string
	Left  int // characters that the cut left out
}

func newText(s string, limit int) text {
	shown, left := cut(s, limit)
	return text{Visible(shown), left}
}

// A caseView is one case as the drill-down shows it.
type caseView struct {
	Anchor, ID, Title, Class, State, KindSlug, Category  string
	Failed, Tags                                         []string
	VerdictWord, VerdictTone, CategoryWord, CategoryTone string
	Meta, Gold, Stability, Scores, Act, Advice           string
	System                                               *text
	Context                                              []passageView
	Prompt                                               text
	Options                                              []string
	Axes                                                 []axisView
	Matrix                                               *matrixView
	Groups                                               []readingView
	Draws                                                []drawView
	LeftOut                                              string
}

type passageView struct {
	ID   string
	Text text
}

type axisView struct{ Name, Verdict, Tone, Rule, Evidence string }

// A readingView is the answers that were read alike.
type readingView struct {
	Reading, Verdict, Count string
	Answers                 []answerView
	n                       int
}

type answerView struct {
	Name, Failure, Retrieved string
	Prompt, Text             text
}

type drawView struct{ Count, Reading, Verdict string }

// Bounds on what a page shows of one case, beside the bound on a text.
const (
	maxPassages  = 40
	maxRetrieved = 3 // of those that were found for its variants
	maxOptions   = 40
	maxTags      = 40
	maxColumns   = 60 // variants side by side
)

// newCase sets out one row; each text is cut at limit characters. Without answers it leaves these out.
func newCase(r *assay.CaseRow, limit int, answers bool) caseView {
	c := caseView{
		ID: clip(oneLine(r.ID), 120), Title: clip(oneLine(r.Prompt), 180), Class: slug(r.Class), Category: r.Category,
		Prompt: newText(r.Prompt, limit), Gold: clip(oneLine(r.Gold), 600), KindSlug: r.Kind, Act: oneLine(r.Act),
	}
	if r.Gold == "" {
		c.Gold = "none"
	}
	for _, tag := range r.Tags[:min(len(r.Tags), maxTags)] {
		c.Tags = append(c.Tags, slug(tag))
	}
	c.State, c.VerdictWord, c.VerdictTone = verdict(r)
	for _, a := range r.Axes {
		if a.Verdict == "fail" {
			c.Failed = append(c.Failed, slug(a.Name))
		}
		if a.Verdict == "" {
			continue
		}
		c.Axes = append(c.Axes, axisView{Visible(a.Name), Visible(a.Verdict), verdictClass(a.Verdict), clip(oneLine(a.Rule), 400), clip(oneLine(a.Evidence), 800)})
	}
	if word, ok := categories[r.Category]; ok {
		c.CategoryWord, c.CategoryTone = word, categoryTone(r.Category)
	}
	c.Meta = meta(r)
	if r.System != "" {
		x := newText(r.System, limit)
		c.System = &x
	}
	for _, p := range r.Context[:min(len(r.Context), maxPassages)] {
		c.Context = append(c.Context, passageView{clip(oneLine(p.ID), 80), newText(p.Text, limit)})
	}
	for _, p := range r.Retrieved[:min(len(r.Retrieved), maxRetrieved)] {
		c.Context = append(c.Context, passageView{"found: " + clip(oneLine(p.ID), 80), newText(p.Text, limit)})
	}
	for _, o := range r.Options[:min(len(r.Options), maxOptions)] {
		c.Options = append(c.Options, clip(oneLine(o), 300))
	}
	if r.R >= 2 {
		c.Stability = stability(r)
	}
	c.Scores = scoresOf(r.Detection)
	if r.Posterior != nil {
		c.Advice = r.Posterior.Advice
	}
	if !answers {
		if n := len(r.Answers) + len(r.Sampled); n > 0 {
			c.LeftOut = fmt.Sprintf("%s not shown, to bound the size of this page: hallmark show RUN %s", count(n, "answer"), c.ID)
		}
		return c
	}
	c.Matrix = newMatrix(r, maxColumns)
	c.Groups = byReading(r, limit)
	c.Draws = draws(r)
	return c
}

// verdict returns a row's outcome on the rubric as a filter's value, in words and as a tone.
func verdict(r *assay.CaseRow) (state, word, tone string) {
	switch {
	case r.Hallucinated == nil && r.Axes[0].Verdict == "":
		return "", "", ""
	case r.Outcome == "ungradable":
		return "ungradable", "could not be graded", "no"
	case r.Hallucinated == nil:
		return "unscored", "unscored", "no"
	case *r.Hallucinated && r.Outcome == "correct":
		return "hallucinated", strings.Replace(failedAxes(r), "correct: ", "correct, but ", 1), "err"
	case *r.Hallucinated && r.Outcome != "" && r.Kind != "":
		return "hallucinated", strings.ReplaceAll(r.Outcome, "_", " ") + ": " + oneLine(r.Kind), "err"
	case *r.Hallucinated && r.Kind != "":
		return "hallucinated", oneLine(r.Kind), "err"
	case *r.Hallucinated:
		return "hallucinated", "hallucinated", "err"
	}
	return "passed", "passed", "ok"
}

func categoryTone(category string) string {
	return map[string]string{"prompt_agnostic_factual": "ok", "prompt_agnostic_error": "err", "randomness": "rnd"}[category]
}

func verdictClass(v string) string {
	switch v {
	case "pass", "fail", "ungradable", "unscored":
		return "v-" + v
	}
	return "v-na"
}

func meta(r *assay.CaseRow) string {
	var parts []string
	for _, s := range []string{r.Class, r.Domain, r.Difficulty} {
		if s != "" {
			parts = append(parts, clip(oneLine(s), 80))
		}
	}
	for _, tag := range r.Tags[:min(len(r.Tags), maxTags)] {
		if tag != r.Class {
			parts = append(parts, "#"+clip(oneLine(tag), 80))
		}
	}
	return strings.Join(parts, " · ")
}

func stability(r *assay.CaseRow) string {
	s := fmt.Sprintf("%d scored wordings; consistency %s, self-consistency %s", r.R, decimal(r.PC), decimal(r.SC))
	if r.Mode != "" {
		s += "; most common answer: " + clip(oneLine(r.Mode), 200)
	}
	if word, ok := quadrantWords[r.Quadrant]; ok {
		s += "; " + word
	}
	if r.SampledSC != nil {
		s += "; self-consistency of draws " + decimal(*r.SampledSC)
	}
	if r.SemanticEntropy != nil {
		s += "; semantic entropy of draws " + decimal(*r.SemanticEntropy) + " nats"
	}
	if r.SemanticEntropyWeighted != nil {
		s += " (" + decimal(*r.SemanticEntropyWeighted) + " by likelihood)"
	}
	if r.Equality != "" {
		s += "; answers compared by " + oneLine(r.Equality)
	}
	return s
}

// byReading groups a row's answers by how they were read, the largest group first and the unscored last.
func byReading(r *assay.CaseRow, limit int) []readingView {
	var groups []readingView
	index := map[string]int{}
	for _, a := range r.Answers {
		key, label := "r"+a.Read, clip(oneLine(a.Read), 300)
		if a.Verdict == "unscored" {
			key, label = "unscored", "no answer that could be scored"
		}
		i, seen := index[key]
		if !seen {
			i = len(groups)
			index[key] = i
			groups = append(groups, readingView{Reading: label, Verdict: a.Verdict})
			if label == "" {
				groups[i].Reading = "(empty)"
			}
		}
		v := answerView{Name: variantName(a), Failure: clip(oneLine(a.Failure), 400), Text: newText(a.Text, limit), Retrieved: clip(oneLine(strings.Join(a.Retrieved, ", ")), 200)}
		switch {
		case a.Verdict != "unscored" && a.Text == "":
			v.Failure = "empty"
		case a.Verdict == "ungradable" && a.Failure != "":
			v.Text.Shown, v.Failure = v.Text.Shown+" ("+v.Failure+")", ""
		case a.Verdict != "unscored":
			v.Failure = ""
		}
		if a.Prompt == r.Prompt {
			v.Prompt.Shown = "as the question stands"
			if a.Order != nil {
				v.Prompt.Shown = "options in the order " + places(a.Order)
			}
		} else {
			v.Prompt = newText(a.Prompt, limit)
		}
		groups[i].n++
		groups[i].Answers = append(groups[i].Answers, v)
	}
	slices.SortStableFunc(groups, func(a, b readingView) int {
		if x, y := a.Verdict == "unscored", b.Verdict == "unscored"; x != y {
			if x {
				return 1
			}
			return -1
		}
		return b.n - a.n
	})
	for i := range groups {
		groups[i].Count = fmt.Sprintf("%d of %d", groups[i].n, len(r.Answers))
	}
	return groups
}

func variantName(a assay.AnswerRow) string {
	if a.Kind == "" || a.Variant == 0 {
		return fmt.Sprintf("%d default", a.Variant)
	}
	return fmt.Sprintf("%d %s", a.Variant, clip(oneLine(a.Kind), 40))
}

// draws counts the readings of the answers drawn at temperature 1, the most frequent first.
func draws(r *assay.CaseRow) []drawView {
	type tallied struct {
		drawView
		n int
	}
	var out []tallied
	for _, a := range r.Sampled {
		v := drawView{Reading: clip(oneLine(a.Read), 300), Verdict: a.Verdict}
		if a.Verdict == "unscored" {
			v.Reading = clip(oneLine(a.Failure), 300)
		}
		i := slices.IndexFunc(out, func(t tallied) bool { return t.drawView == v })
		if i < 0 {
			i = len(out)
			out = append(out, tallied{v, 0})
		}
		out[i].n++
	}
	slices.SortStableFunc(out, func(a, b tallied) int { return b.n - a.n })
	var views []drawView
	for _, t := range out {
		t.Count = fmt.Sprintf("%d of %d", t.n, len(r.Sampled))
		views = append(views, t.drawView)
	}
	return views
}

// quadrantWords say where a case stands between stability and correctness.
var quadrantWords = map[string]string{
	"stable_correct": "stable and right", "stable_wrong": "stable and wrong", "unstable_correct": "unstable, mostly right", "unstable_wrong": "unstable, mostly wrong",
}

// places writes an order of options as places from 1: 2, 1, 3.
func places(order []int) string {
	out := make([]string, min(len(order), maxOptions))
	for i := range out {
		out[i] = strconv.Itoa(order[i] + 1)
	}
	return strings.Join(out, ", ")
}
