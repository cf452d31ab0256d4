package oracle

import (
	"cmp"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quotation"
)

// DefaultQuoteWords is how many words in a row make a quote without marks, where the case does not say: the
// source's six.
const DefaultQuoteWords = 6

// retrieval accepts answers that quote or name the right passages of the context and give an accepted text, if
// there are any.
type retrieval struct {
	*env
	answer      Oracle // nil where no answer is listed
	lines, trap []string
	words       int
}

// The models of retrieval: with a listed answer and without.
var (
	citedValue = newModel("cited value", .84, .60, .60)
	citedLine  = newModel("cited line", .60, .60, .60)
)

func (e *env) retrieval(s *suite.Oracle) (Oracle, error) {
	o := &retrieval{env: e, lines: s.Lines, trap: s.Distractors, words: cmp.Or(e.c.Format.QuoteMinWords,
		DefaultQuoteWords)}
	var err error
	switch {
	case len(s.Accept) > 0 || !e.c.Gold.IsZero():
		o.answer, err = e.byGold(s)
	case len(o.lines) == 0: // declining is right
		return e.refusal(&suite.Oracle{Reject: s.Reject}), nil
	}
	return o, err
}

// Golds are the accepted answers; without any, whatever rests on the right lines is one answer, their names.
func (o *retrieval) Golds() []string {
	if o.answer != nil {
		return o.answer.Golds()
	}
	return []string{strings.Join(slices.Sorted(slices.Values(o.lines)), ",")}
}

// A basis is what an answer rests on.
type basis struct {
	ids, shown         []string // the passages that it names, quotes or repeats
	right, trap, other bool     // whether one of them holds the evidence, misleads, or does neither
	unknown            bool     // whether one is named that does not exist
	quotes, misquotes  bool     // whether a quotation stands in the context, and one does not
}

func (o *retrieval) rests(b *basis, id, shown string) {
	b.ids, b.shown = append(b.ids, id), append(b.shown, shown)
	switch {
	case slices.Contains(o.trap, id):
		b.trap = true
	case len(o.lines) == 0 || slices.Contains(o.lines, id):
		b.right = true
	default:
		b.other = true
	}
}

// basis returns what an answer names, quotes or repeats word for word. A trap that is named to be set aside is none.
func (o *retrieval) basis(t *evidence.Text) (b basis) {
	aside := map[int32]bool{} // by sentence, as one may name a trap often
	for _, c := range quotation.Citations(t, o.passages) {
		trap, in := slices.Contains(o.trap, c.ID), t.Words[c.Words.Start].Sentence
		if _, seen := aside[in]; trap && !seen {
			aside[in] = setsAside(t, t.Sentences[in].Words)
		}
		switch {
		case !c.Known:
			b.unknown = true
		case trap && aside[in]:
			b.ids, b.shown = append(b.ids, c.ID), append(b.shown, c.ID)
		default:
			o.rests(&b, c.ID, c.ID)
		}
	}
	for _, q := range quotation.Quotes(t) {
		if len(q.Words) < min(3, o.words) {
			continue
		}
		places := quotation.Locate(q, o.passages)
		b.quotes, b.misquotes = b.quotes || len(places) > 0, b.misquotes || len(places) == 0
		for _, p := range places {
			o.rests(&b, p.ID, quoted(q.Text)+" in "+p.ID)
		}
	}
	if len(b.ids) > 0 {
		return b
	}
	fresh := func(w evidence.Word) bool { return !o.q.Says(w.Fold) && !evidence.IsStop(w.Fold) }
	if p, s := quotation.Longest(t, o.passages, o.words); slices.ContainsFunc(t.Words[s.Start:s.End], fresh) {
		o.rests(&b, p.ID, quoted(t.Slice(s))+" in "+p.ID)
	}
	return b
}

// setsAside reports whether a sentence rejects what it names, sets it against another, or says that it is no longer so.
func setsAside(t *evidence.Text, s evidence.Span) bool {
	_, rejects := t.Cue(s, evidence.Rejects, evidence.Contrasts, evidence.Negates)
	return rejects || some(t, s, "lapsing")
}

func (o *retrieval) Judge(r Reading) Ruling {
	t := r.Text
	b := o.basis(t)
	x := append(manner(t), is("right", b.right), is("trap", b.trap), is("trap only", b.trap && !b.right),
		is("other", b.other), is("unknown", b.unknown), is("quotes", b.quotes), is("misquotes", b.misquotes),
		many("cites", len(b.ids)))
	model, value := citedLine, Ruling{}
	if o.answer != nil {
		model, value = citedValue, o.answer.Judge(r)
		p := cmp.Or(value.chances, ruled(value)) // where no model was asked
		x = append(x, feature{"value right", p[0]}, feature{"value wrong", p[1]}, feature{"value withheld", p[2]},
			is("value unsure", value.Truth.Verdict == grade.Ungradable))
	}
	open := unread("retrieval: what the answer commits to or rests on cannot be told", t)
	text, ev := cmp.Or(value.Answer, strings.Join(b.ids, ",")),
		evidence.Excerpt(strings.Join(b.shown, ", "), 2*quoteRunes)
	return o.decide(t, model.ask(x), open, func(right bool) Ruling {
		wrong := value.Truth.Verdict == grade.Fail
		switch {
		case right && wrong:
			return open
		case right && o.answer == nil:
			return answered(pass("retrieval: the right line", ev), o.Golds()[0])
		case right:
			return answered(pass("retrieval: an accepted answer", value.Truth.Evidence+"; "+ev), o.Golds()[0])
		case b.trap && !b.right:
			return answered(fail("conflict-rag: rests on the trap line", ev), text)
		case wrong:
			return answered(value.Truth, text)
		case len(b.ids) > 0:
			return answered(fail("retrieval: rests on the wrong line", ev), text)
		}
		return answered(fail("retrieval: no accepted answer, and no line of the context", quoted(t.Plain)), text)
	})
}

// ruled is how probable each class is where a rule decided.
func ruled(f Ruling) weight {
	if class := slices.Index(classes[:], f.Outcome()); class >= 0 {
		return certain(class)
	}
	return weight{.34, .33, .33}
}
