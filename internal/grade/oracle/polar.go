package oracle

import (
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/reading"
)

// byPolarity decides answers to a question whose gold is yes or no.
type byPolarity struct {
	*env
	gold reading.Polarity
}

// polarGold returns the yes or no that every accepted answer is, or opens with where yes or no is asked for: "No, they cannot".
func polarGold(accept []string, q *reading.Question) (reading.Polarity, bool) {
	gold := reading.NoPolarity
	for _, a := range accept {
		t := evidence.Read(a)
		if len(t.Words) != 1 && (!q.Polar || t.Words[1].Clause == t.Words[0].Clause &&
			!reading.Is(t.Words[1].Fold, "pronoun", "speaker")) {
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

func (o *byPolarity) Golds() []string { return []string{o.gold.String()} }

var polarModel = newModel("yes or no", .70, .65, .60)

func (o *byPolarity) Judge(r Reading) Finding {
	said := reading.Polarities(r.Text, o.q)
	first := slices.IndexFunc(said, func(s reading.Said) bool { return s.Plain })
	if first >= 0 && slices.ContainsFunc(said, func(s reading.Said) bool { return s.Plain && s.Polarity != said[first].Polarity }) {
		f := answered(fail("exact: says both yes and no", quoted(r.Plain)), said[first].Polarity.String())
		f.Decidability = fail("two answers to one question", quoted(r.Plain))
		return f
	}
	b := polarModel.ask(o.look(r.Text, said))
	what, p, sure := b.best()
	f := unread("exact: neither yes nor no", r.Text)
	switch {
	case manner(r.Text).has("only withholds") && len(said) == 0:
		f = o.notAttempted(r.Text, 1, f)
	case !sure, len(said) == 0 && what != grade.NotAttempted:
	case what == grade.NotAttempted:
		f = o.notAttempted(r.Text, p, f)
	default:
		f = o.says(r.Text, what == grade.Correct)
	}
	f.Confidence, f.belief = p, b.p
	return f
}

func (o *byPolarity) says(t *evidence.Text, right bool) Finding {
	if right {
		return answered(pass("exact: "+o.gold.String(), quoted(t.Plain)), o.gold.String())
	}
	other := reading.Yes + reading.No - o.gold
	return answered(fail("exact: "+other.String()+", and "+o.gold.String()+" is right", quoted(t.Plain)), other.String())
}

// look returns what is seen of a text: each place that says yes or no counts for the gold or against it.
func (o *byPolarity) look(t *evidence.Text, said []reading.Said) features {
	sign := func(p reading.Polarity) float64 { return 2*flag(p == o.gold) - 1 }
	var opens, says, short, first, last, balance, strength, myth float64
	for _, s := range said {
		v := sign(s.Polarity) * s.Share
		balance += v / float64(len(said))
		strength = max(strength, s.Share)
		switch sentence := t.Words[s.Words.Start].Sentence; {
		case s.Plain && sentence == 0:
			opens = v
		case s.Plain:
			says = v
		case s.Share == 1:
			short = v
		case s.Firm() && sentence == 0:
			first = v
		case s.Firm():
			last = v
		}
	}
	if opens != 0 { // what stands behind a yes or no is its reason
		says, short, first, last, balance, strength = 0, 0, 0, 0, opens, 1
	}
	if _, rejects := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Rejects); rejects {
		myth = sign(reading.No)
	}
	denied := func(k int) float64 { // whether a sentence denies something
		s := t.Sentences[k]
		negates := func(w evidence.Word) bool { return reading.Is(w.Fold, "negator") }
		return flag(!s.Question && slices.ContainsFunc(t.Words[s.Words.Start:s.Words.End], negates))
	}
	no, x := sign(reading.No), manner(t)
	return append(x, is("declines of itself", declinesOfItself(t)), feature{"first denies", no * denied(0)}, feature{"last denies", no * denied(len(t.Sentences)-1)},
		feature{"opens", opens}, feature{"says", says}, feature{"short form", short}, feature{"first statement", first},
		feature{"last statement", last}, feature{"balance", balance}, feature{"strength", strength}, feature{"myth", myth},
		is("nothing", len(said) == 0),
		is("nothing firm", !slices.ContainsFunc(said, reading.Said.Firm)), is("ends asking", slices.ContainsFunc(t.Sentences[1:], func(s evidence.Sentence) bool { return s.Question })))
}
