package report

import (
	"cmp"
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

// A caseView is one case as the drill-down shows it: what it is found by, and what is known of it.
type caseView struct {
	Anchor, ID, Title, Class, State, KindSlug, Category  string
	Failed, Tags                                         []string
	VerdictWord, VerdictTone, CategoryWord, CategoryTone string
	Body                                                 []block
}

// Bounds on what a page shows of one case, beside the bound on a text.
const (
	maxPassages  = 40
	maxRetrieved = 3 // of those that were found for its variants
	maxOptions   = 40
	maxTags      = 40
	maxColumns   = 60 // variants side by side
)

// newCase sets out one row; each text is cut at limit characters, and the answers stand side by side over so many
// variants at most. Without answers it leaves these out.
func newCase(r *assay.CaseRow, limit, variants int, answers bool) caseView {
	c := caseView{
		ID: clip(oneLine(r.ID), 120), Title: clip(oneLine(r.Prompt), titleOf), Class: slug(r.Class),
		Category: r.Category,
		KindSlug: r.Kind, Tags: each(r.Tags[:min(len(r.Tags), maxTags)], slug),
	}
	c.State, c.VerdictWord, c.VerdictTone = verdict(r)
	c.CategoryWord, c.CategoryTone = called("categories", r.Category), called("tones of categories", r.Category)
	axes := fields{}
	for _, a := range r.Axes {
		if a.Verdict == "fail" {
			c.Failed = append(c.Failed, slug(a.Name))
		}
		if a.Verdict != "" {
			axes.add(a.Name,
				text{Shown: strings.TrimSpace(clip(oneLine(a.Rule), 400) + " " + clip(oneLine(a.Evidence), 800))}).
				lead(a.Verdict, called("tones of verdicts", a.Verdict))
		}
	}
	on := "on the default prompt"
	if r.Act != "" {
		on += "; the model " + oneLine(r.Act)
	}
	if !answers {
		if !unremarkable(r) {
			c.Body = inShort(r, axes, limit)
		}
		return c
	}
	c.Body = append(question(r, limit), fields{In: inTerminal, List: c.outcome()},
		inner("Verdicts", axes).over(on).lede(on))
	if m := newMatrix(r, variants); m != nil {
		by := inner("Side by side", m.table).over(m.note).lede(m.note)
		if len(m.Rows) < 2 {
			by.In = inTerminal
		}
		c.Body = append(c.Body, by)
	}
	c.Body = append(append(c.Body, byReading(r, limit)...), draws(r))
	return c
}

// unremarkable reports whether nothing is to be seen in a case: it passed, and no variant moved it. Where there is no
// room for its answers, its question and its verdict stand alone.
func unremarkable(r *assay.CaseRow) bool {
	return r.Hallucinated != nil && !*r.Hallucinated && r.Category != "randomness" &&
		r.Category != "prompt_agnostic_error"
}

// inShort is what a page says of a case for whose answers it has no room: the gold, the answer to the default prompt,
// and the verdicts that fail.
func inShort(r *assay.CaseRow, axes fields, limit int) []block {
	var f fields
	if len([]rune(oneLine(r.Prompt))) > titleOf {
		f.add("question", newText(r.Prompt, limit))
	}
	f.add("gold", text{Shown: cmp.Or(clip(oneLine(r.Gold), shortOf), "none")})
	f.add("answer", text{Shown: cmp.Or(clip(oneLine(answerOf(r)), shortOf), "(empty)")})
	f.List = append(f.List, slices.DeleteFunc(axes.List, func(x field) bool { return x.Lead != "fail" })...)
	return []block{f}
}

// titleOf is how many characters of its question a case is listed by, and shortOf how many of its gold and its answer
// stand where there is no room for more.
const (
	titleOf = 180
	shortOf = 160
)

// outcome is how the case came out, which a page has in its summary.
func (c *caseView) outcome() (out []field) {
	if c.VerdictWord != "" || c.CategoryWord != "" {
		f := field{Name: "outcome", Lead: c.VerdictWord, Tone: c.VerdictTone, Texts: []text{{Shown: c.CategoryWord}}}
		if f.Lead != "" && c.CategoryWord != "" {
			f.Lead += ";"
		}
		out = append(out, f)
	}
	return out
}

// question is what was asked, and what is known of it but the verdicts.
func question(r *assay.CaseRow, limit int) []block {
	var f fields
	put := func(name, s string) {
		if s != "" {
			f.add(name, text{Shown: s})
		}
	}
	put("class", meta(r))
	if r.System != "" {
		f.add("system", newText(r.System, limit))
	}
	for _, p := range r.Context[:min(len(r.Context), maxPassages)] {
		f.add("context "+clip(oneLine(p.ID), 80), newText(p.Text, limit))
	}
	for _, p := range r.Retrieved[:min(len(r.Retrieved), maxRetrieved)] {
		f.add("found: "+clip(oneLine(p.ID), 80), newText(p.Text, limit))
	}
	f.add("question", newText(r.Prompt, limit))
	for i, o := range r.Options[:min(len(r.Options), maxOptions)] {
		put(fmt.Sprintf("option %d", i+1), clip(oneLine(o), 300))
	}
	put("gold", cmp.Or(clip(oneLine(r.Gold), 600), "none"))
	if r.R >= 2 {
		put("stability", stability(r))
	}
	put("detectors", scoresOf(r.Detection))
	if r.Posterior != nil {
		put("posterior", Visible(r.Posterior.Advice))
	}
	return []block{f}
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
	s := fmt.Sprintf("%d scored prompt variants; consistency %s, self-consistency %s", r.R, decimal(r.PC),
		decimal(r.SC))
	if r.Mode != "" {
		s += "; most common answer: " + clip(oneLine(r.Mode), 200)
	}
	if word := called("quadrants", r.Quadrant); word != "" {
		s += "; " + word
	}
	if r.SampledSC != nil {
		s += "; self-consistency of samples " + decimal(*r.SampledSC)
	}
	if r.SemanticEntropy != nil {
		s += "; semantic entropy of samples " + decimal(*r.SemanticEntropy) + " nats"
	}
	if r.SemanticEntropyWeighted != nil {
		s += " (" + decimal(*r.SemanticEntropyWeighted) + " by likelihood)"
	}
	if r.Equality != "" {
		s += "; answers compared by " + oneLine(r.Equality)
	}
	return s
}

// byReading sets out a row's answers by how they were read, the largest group first and the unscored last.
func byReading(r *assay.CaseRow, limit int) (out []block) {
	unscored := func(a assay.AnswerRow) bool { return a.Verdict == "unscored" }
	groups := byCount(r.Answers, func(a assay.AnswerRow) string {
		if unscored(a) {
			return ""
		}
		return "read as " + a.Read
	})
	last := slices.IndexFunc(groups, func(g []assay.AnswerRow) bool { return unscored(g[0]) })
	if last >= 0 {
		groups = append(slices.Delete(slices.Clone(groups), last, last+1), groups[last])
	}
	for _, g := range groups {
		label := cmp.Or(clip(oneLine(g[0].Read), 300), "(empty)")
		if unscored(g[0]) {
			label = "no answer that could be scored"
		}
		answers := fields{Beside: true}
		for _, a := range g {
			prompt := newText(a.Prompt, limit)
			switch {
			case a.Prompt == r.Prompt && a.Order != nil:
				prompt = text{Shown: "options in the order " + places(a.Order)}
			case a.Prompt == r.Prompt:
				prompt = text{Shown: "as the question stands"}
			}
			answers.add(variantName(a), prompt, answered(a, limit))
		}
		of := strings.TrimSuffix(fmt.Sprintf("%d of %d · %s", len(g), len(r.Answers), g[0].Verdict), " · ")
		out = append(out, chapter{Title: label, Over: of, Lede: say(of), Inner: true, Raw: true,
			Tone: called("tones of verdicts", g[0].Verdict), Body: []block{answers}})
	}
	return out
}

// byCount groups a list by a key, the largest group first and of equal ones that which begins first.
func byCount[T any, K comparable](list []T, key func(T) K) [][]T {
	groups := Parted(list, key)
	slices.SortStableFunc(groups, func(a, b []T) int { return len(b) - len(a) })
	return groups
}

// Parted parts a list by a key, in the order in which the keys come.
func Parted[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range list {
		i, seen := at[key(x)]
		if !seen {
			i = len(groups)
			at[key(x)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// answered is an answer, or why there is none, with what was retrieved for it.
func answered(a assay.AnswerRow, limit int) text {
	t, failure := newText(a.Text, limit), clip(oneLine(a.Failure), 400)
	switch {
	case a.Verdict == "unscored" && failure != "":
		t = text{Shown: failure}
	case a.Verdict != "unscored" && a.Text == "":
		t = text{Shown: "empty"}
	case a.Verdict == "ungradable" && failure != "":
		t.Shown += " (" + failure + ")"
	}
	t.Shown = "→ " + t.Shown
	if len(a.Retrieved) > 0 {
		t.Shown += "\nretrieved " + clip(oneLine(strings.Join(a.Retrieved, ", ")), 200)
	}
	return t
}

func variantName(a assay.AnswerRow) string {
	if a.Kind == "" || a.Variant == 0 {
		return fmt.Sprintf("%d default", a.Variant)
	}
	return fmt.Sprintf("%d %s", a.Variant, clip(oneLine(a.Kind), 40))
}

// draws counts the readings of the answers drawn at temperature 1, the most frequent first.
func draws(r *assay.CaseRow) block {
	type drawn struct{ reading, verdict string }
	all := byCount(each(r.Sampled, func(a assay.AnswerRow) drawn {
		if a.Verdict == "unscored" {
			return drawn{clip(oneLine(a.Failure), 300), a.Verdict}
		}
		return drawn{clip(oneLine(a.Read), 300), a.Verdict}
	}), func(d drawn) drawn { return d })
	t := table{Brief: max(1, len(all)), Columns: []column{rawOf("read as"),
		countsOf("times"), textOf("verdict")}, Rows: each(all, func(g []drawn) row {
		return rowOf(g[0].reading, strconv.Itoa(len(g)), g[0].verdict)
	})}
	return inner("Sampled at temperature 1", t).over(count(len(r.Sampled), "sample"))
}

// places writes an order of options as places from 1: 2, 1, 3.
func places(order []int) string {
	order = order[:min(len(order), maxOptions)]
	return strings.Join(each(order, func(i int) string { return strconv.Itoa(i + 1) }), ", ")
}
