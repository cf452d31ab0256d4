package oracle

import (
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/reading"
)

// byPolarity decides answers to a question whose gold is yes or no.
type byPolarity struct {
	*env
	q    *reading.Question
	gold reading.Polarity
}

// polarGold returns the yes or no that every accepted answer is, or opens with where the question asks for one: "No, they cannot".
func polarGold(accept []string, q *reading.Question) (reading.Polarity, bool) {
	gold := reading.NoPolarity
	for _, a := range accept {
		t := evidence.Read(a)
		if len(t.Words) != 1 && (!q.Polar || len(t.Words) > 1 && t.Words[1].Clause == t.Words[0].Clause) {
			return gold, false
		}
		p := reading.PolarWord(t.Words[0].Fold)
		if p == reading.NoPolarity || gold != reading.NoPolarity && p != gold {
			return gold, false
		}
		gold = p
	}
	return gold, gold != reading.NoPolarity
}

func (o *byPolarity) Answerable() bool { return true }

func (o *byPolarity) Golds() []string { return []string{o.gold.String()} }

func (o *byPolarity) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	said := reading.Polarities(r.Text, o.q)
	if len(said) == 0 {
		if f, ok := o.withheld(r.Text); ok {
			return f
		}
		return unread("exact: neither yes nor no", r.Text)
	}
	first := said[0]
	if slices.ContainsFunc(said, func(s reading.Said) bool { return s.Polarity != first.Polarity && s.Plain }) {
		f := answered(fail("exact: says both yes and no", quoted(r.Plain)), first.Polarity.String())
		f.Decidability = fail("two answers to one question", quoted(r.Plain))
		return f
	}
	if first.Polarity == o.gold {
		return answered(pass("exact: "+o.gold.String(), quoted(r.Slice(first.Words))), o.gold.String())
	}
	return answered(fail("exact: "+first.Polarity.String()+", and "+o.gold.String()+" is right", quoted(r.Slice(first.Words))), first.Polarity.String())
}
