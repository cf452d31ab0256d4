package oracle

import (
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/reading"
)

// byPolarity decides answers to a question whose gold is yes or no.
type byPolarity struct {
	*env
	gold reading.Polarity
}

// polarGold returns the yes or no that every accepted answer is, or opens with where yes or no is asked for: "No,
// they cannot".
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

var polarModel = newModel("yes or no", .70, .87, .60)

func (o *byPolarity) Judge(r Reading) Ruling {
	said := reading.Polarities(r.Text, o.q)
	first := slices.IndexFunc(said, func(s reading.Said) bool { return s.Plain })
	other := func(s reading.Said) bool { return s.Plain && s.Polarity != said[first].Polarity }
	if first >= 0 && slices.ContainsFunc(said, other) {
		return twoAnswers(fail("exact: says both yes and no", quoted(r.Plain)), said[first].Polarity.String())
	}
	x := o.look(r.Text, said)
	b := polarModel.ask(x)
	if x.has("only withholds") && len(said) == 0 {
		b.p = certain(2)
	}
	open := unread("exact: neither yes nor no", r.Text)
	// To "Is it not safe?" both "No, it is not" and "Yes, it is not" say the same.
	agrees := first >= 0 && said[first].Polarity == reading.Yes
	ambiguous := o.q.Negative && len(r.Words) > 2 && !agrees
	gold, wrong := o.gold.String(), (reading.Yes + reading.No - o.gold).String()
	return o.decide(r.Text, b, open, func(right bool) Ruling {
		switch {
		case len(said) == 0, ambiguous:
			return open
		case right:
			return answered(pass("exact: "+gold, quoted(r.Plain)), gold)
		}
		return answered(fail("exact: "+wrong+", and "+gold+" is right", quoted(r.Plain)), wrong)
	})
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
	if _, rejects := t.Cue(whole(t), evidence.Rejects); rejects {
		myth = sign(reading.No)
	}
	denied := func(k int) float64 { // whether a sentence denies something
		return flag(!t.Sentences[k].Question && some(t, t.Sentences[k].Words, "negator"))
	}
	no, x := sign(reading.No), manner(t)
	asks := slices.ContainsFunc(t.Sentences[1:], func(s evidence.Sentence) bool { return s.Question })
	return append(x, is("declines of itself", declinesOfItself(t)), feature{"first denies", no * denied(0)},
		feature{"last denies", no * denied(len(t.Sentences)-1)}, feature{"opens", opens}, feature{"says", says},
		feature{"short form", short}, feature{"first statement", first}, feature{"last statement", last},
		feature{"balance", balance}, feature{"strength", strength}, feature{"myth", myth},
		is("nothing", len(said) == 0),
		is("nothing firm", !slices.ContainsFunc(said, reading.Said.Firm)), is("ends asking", asks))
}
