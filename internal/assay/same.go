package assay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// EqualReader is the equality of answers that name the same value as the grader reads them. It is the default, for
// which Plan.Equal is empty.
const EqualReader = "reader"

// readsValues reports whether answers to a case are compared as values: by the reader, and no options, which are
// compared by content.
func (p *Plan) readsValues(c *suite.Case) bool {
	return p.Equal == "" && len(c.Options) == 0 && !p.semantic(c)
}

// A value is one distinct value among the answers to a case, in words.
type value struct {
	words  string
	text   string      // as it is written: of several ways the first of the alphabet
	label  answer.Form // the normal form by which results name it
	trials []*trial
	// weight orders values by how many variants they answer; those of draws and repeats alone come behind, so that
	// the figures over variants do not depend on what else was asked.
	weight int
}

// unite gives the answers to a case that name the same value one class, after each of them was read: all that are
// right that of the first gold, and others that of the commonest way to write it. An answer that may be the same as
// another without being it for sure is left out: docs/decisions/0017.
func (p *Plan) unite(rub *rubric.Rubric, c *suite.Case, golds []answer.Form, trials []trial) {
	if !p.readsValues(c) {
		return
	}
	if rub.Gradable(c) {
		refs := rub.References(c)
		narrow(c, sync.OnceValue(func() bool { return len(refs) == 1 && isList(c.Prompt, refs[0]) }), golds, trials)
	}
	first := slices.IndexFunc(golds, func(g answer.Form) bool { return g != answer.RightAct })
	var values []*value
	byWords := map[string]*value{}
	for i := range trials {
		x := &trials[i]
		words := answer.Words(x.grade.Answer)
		_, valued := x.grade.Normal.Value()
		switch {
		case !x.class.Compares() || words == "" || x.class == answer.Hedged || !valued:
			continue // an act, or nothing to compare
		case slices.Contains(golds, x.class) && (x.grade.Truth.Verdict != grade.Fail ||
			slices.Contains(golds, answer.Value(words))):
			x.class = golds[first]
			continue
		}
		v := byWords[words]
		if v == nil {
			v = &value{words: words, text: x.grade.Answer, label: x.grade.Normal}
			byWords[words], values = v, append(values, v)
		}
		v.text = min(v.text, x.grade.Answer)
		if v.trials = append(v.trials, x); x.purpose == forVariant {
			v.weight += len(trials)
		}
	}
	for _, v := range values {
		v.weight = cmp.Or(v.weight, len(v.trials))
	}
	slices.SortFunc(values, func(a, b *value) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.words, b.words))
	})
	settle(c.Prompt, golds, values)
}

// isList reports whether text, an answer or a gold, lists several things of which each counts.
func isList(question, text string) bool {
	return answer.NewReference(text, answer.Context{Question: question}).Kind == answer.ListKind
}

// narrow reads the value that wrong answers put forward where the grader names none: of a list it says which golds
// are there, and where it decides by the text as a whole it quotes the text.
func narrow(c *suite.Case, list func() bool, golds []answer.Form, trials []trial) {
	for i := range trials {
		x := &trials[i]
		g := x.grade
		if g.Act != grade.Answered || g.Truth.Verdict != grade.Fail ||
			!list() && len(strings.Fields(g.Answer)) <= putWords {
			continue
		}
		said := rubric.Value(c, x.said())
		v := put(c, evidence.Read(said), said)
		if n := oracle.Normal(rubric.Relation(c), v); !n.IsZero() && !slices.Contains(golds, n) {
			g.Answer, g.Normal, x.class = v, n, n
		}
	}
}

// settle forms the classes of values, the commonest first, and names them.
func settle(question string, golds []answer.Form, values []*value) {
	counts, texts := make([]int, len(values)), make([]string, len(values))
	for i, v := range values {
		counts[i], texts[i] = v.weight, v.text
	}
	var refs []*answer.Reference
	if len(values) > 1 {
		refs = answer.NewReferences(texts, answer.Context{Question: question})
	}
	near := make([]string, len(values)) // another value that each one may be, for the page
	verdict := func(i, j int) equivalence.Outcome {
		o := mutual(refs[i], refs[j], values[i].text, values[j].text)
		if o != equivalence.Different {
			near[i], near[j] = cmp.Or(near[i], values[j].text), cmp.Or(near[j], values[i].text)
		}
		return o
	}
	labels := map[answer.Form]bool{}
	for _, g := range golds {
		labels[g] = true
	}
	for i, of := range equivalence.Settle(counts, verdict) {
		v := values[i]
		switch {
		case of == equivalence.LeftOut:
			for _, x := range v.trials {
				x.class, x.own().open = answer.Ungradable,
					fmt.Sprintf("whether %.60q is the same answer as %.60q cannot be told", v.text, near[i])
			}
			continue
		case of < i:
			v.label = values[of].label
		case labels[v.label]: // 25 of "25 m" is that of "25 km" too
			v.label = answer.Value(v.words)
		}
		labels[v.label] = true
		for _, x := range v.trials {
			x.class = v.label
		}
	}
}

// mutual compares two values as answers to one question, in both directions. A number, a date or a yes beside words
// is another thing also where only the words can tell.
func mutual(a, b *answer.Reference, left, right string) equivalence.Outcome {
	v, _ := a.Compare(right)
	w, _ := b.Compare(left)
	exact := func(r *answer.Reference) bool {
		return slices.Contains([]answer.Kind{answer.NumberKind, answer.DateKind, answer.PolarKind,
			answer.FormulaKind}, r.Kind)
	}
	switch {
	case v == answer.Same && w == answer.Same:
		return equivalence.Equal
	case v == answer.Same || w == answer.Same:
		return equivalence.Unknown
	case v == w && v == answer.Different, v != w && a.Kind != b.Kind && (exact(a) || exact(b)):
		return equivalence.Different
	}
	return equivalence.Unknown
}

// undecided returns the grade of an answer to a case that has neither gold nor oracle: it can be compared over
// variants, and no axis applies.
func (p *Plan) undecided(c *suite.Case, a grade.Answer, text string) grade.Grade {
	j := grade.Judgment{Verdict: grade.NotApplicable, Rule: "no gold and no oracle to grade by"}
	g := grade.Grade{Truth: j, Decidability: j, Reciprocity: j, Format: j}
	switch g.Reason = a.Missing(); {
	case g.Reason != "":
		return g
	case a.Text != nil && strings.TrimSpace(*a.Text) == "":
		g.Normal = answer.Empty
		return g
	}
	if rubric.Blotted(c, a) {
		g.Normal = answer.Ungradable
		return g
	}
	g.Answer = rubric.Value(c, text)
	if p.readsValues(c) && c.AnswerType != suite.Prose {
		t := evidence.Read(g.Answer)
		if _, declines := t.Declines(); declines {
			g.Normal, g.Answer = answer.Declined, ""
			return g
		}
		if t.Cut {
			g.Normal = answer.Ungradable
			return g
		}
		g.Answer = put(c, t, g.Answer)
	}
	g.Normal = cmp.Or(oracle.Normal(rubric.Relation(c), g.Answer), answer.Ungradable)
	return g
}

// Bounds on what is read as a value where no decider says what is answered.
const (
	putSentences = 3  // of a text in which an answer is looked for that it does not mark
	putWords     = 8  // of the value
	listWords    = 40 // of a list
)

// put returns the words that a short text gives as the answer to a question of who, what, which, when, where or
// how, or yes or no: its strongest claim, one that is a list before others, and of equally strong ones the one with
// the fewest words. Else it returns the text.
func put(c *suite.Case, t *evidence.Text, text string) string {
	q := reading.NewQuestion(append([]string{c.Prompt}, c.Phrasings...)...)
	said := slices.DeleteFunc(reading.Polarities(t, q), func(s reading.Said) bool { return !s.Firm() })
	if q.Polar && len(said) > 0 {
		if slices.ContainsFunc(said, func(s reading.Said) bool { return s.Polarity != said[0].Polarity }) {
			return text
		}
		return said[0].Polarity.String()
	}
	if q.Wh == "" || q.Wh == "why" {
		return text
	}
	weakest := reading.Label
	if len(t.Sentences) > putSentences {
		weakest = reading.Marked
	}
	claims := slices.DeleteFunc(reading.Claims(t, q), func(c reading.Claim) bool {
		return c.Role > weakest || c.Stance > evidence.Uncertain
	})
	if isList(c.Prompt, text) {
		if best, ok := strongest(claims, func(x reading.Claim) bool {
			return size(x) <= listWords && isList(c.Prompt, t.Slice(x.Words))
		}); ok {
			return t.Slice(best.Words)
		}
	}
	best, ok := strongest(claims, func(x reading.Claim) bool { return size(x) <= putWords })
	if !ok || best.Role == reading.Bare && isList(c.Prompt, text) { // its first item
		return text
	}
	return t.Slice(best.Words)
}

func size(c reading.Claim) int { return c.Words.End - c.Words.Start }

// strongest returns the claim of the strongest role with the fewest words, of those that are wanted.
func strongest(claims []reading.Claim, wanted func(reading.Claim) bool) (best reading.Claim, ok bool) {
	for _, c := range claims {
		if wanted(c) && (!ok || cmp.Or(cmp.Compare(c.Role, best.Role), cmp.Compare(size(c), size(best))) < 0) {
			best, ok = c, true
		}
	}
	return best, ok
}
