package oracle

import (
	"slices"

	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
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

var polarModel = newModel("yes or no", .62, .80, .60)

func (o *byPolarity) Judge(r Reading) Ruling {
	said := reading.Polarities(r.Text, o.q)
	first := slices.IndexFunc(said, func(s reading.Said) bool { return s.Plain })
	other := func(s reading.Said) bool { // of a list of yes and no one answers: "EU member: no. EEA member: yes"
		return s.Plain && s.Polarity != said[first].Polarity && (s.Opens || said[first].Opens)
	}
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

// saidItem tells whether a place that says yes or no says what the text gives: its classes are yes, no and unused.
var saidItem = newModel("polar item", 1, 1, 1)

// look returns what is seen of a text: each place that says yes or no counts for the gold or against it.
func (o *byPolarity) look(t *evidence.Text, said []reading.Said) features {
	sign := func(p reading.Polarity) float64 { return 2*flag(p == o.gold) - 1 }
	var opens, says, sum float64
	var forIt, against float64 // the strongest evidence
	for i, s := range said {
		x := o.place(t, said, i)
		observedItem(saidItem, x, s.Polarity == o.gold)
		v := saidItem.odds(x)
		forIt, against = max(forIt, v*sign(s.Polarity)), max(against, -v*sign(s.Polarity))
		sum += v * sign(s.Polarity)
		switch sentence := t.Words[s.Words.Start].Sentence; {
		case s.Plain && sentence == 0:
			opens = sign(s.Polarity)
		case s.Plain:
			says = sign(s.Polarity)
		}
	}
	lead, strength := forIt-against, max(forIt, against)
	if opens != 0 { // what stands behind a yes or no is its reason
		says, lead, sum, strength = 0, 0, 0, 0
	}
	myth := 0.
	if _, rejects := t.Cue(t.Whole(), evidence.Rejects); rejects {
		myth = sign(reading.No)
	}
	denied := func(k int) float64 { // whether a sentence denies something, before another clause begins
		in := t.Sentences[k].Words
		for i := in.Start + 1; i < in.End; i++ {
			if reading.Is(t.Words[i].Fold, "cut") {
				in.End = i
			}
		}
		return sign(reading.No) * flag(!t.Sentences[k].Question && some(t, in, "negator"))
	}
	warns := sign(reading.No) * float64(max(-2, min(2, o.warned(t)))*o.q.Warns)
	asks := slices.ContainsFunc(t.Sentences[1:], func(s evidence.Sentence) bool { return s.Question })
	return append(manner(t), is("declines of itself", declinesOfItself(t)), feature{"first denies", denied(0)},
		feature{"last denies", denied(len(t.Sentences) - 1)}, feature{"opens", opens}, feature{"says", says},
		feature{"lead", lead}, feature{"sum", max(-6, min(6, sum))}, feature{"strength", strength},
		feature{"myth", myth}, feature{"warns", warns}, feature{"warns", warns},
		feature{"lapsed", sign(reading.No) * flag(some(t, t.Whole(), "lapsing"))},
		is("opens with it", opens != 0), is("says it", says != 0), is("nothing", len(said) == 0),
		is("nothing firm", !slices.ContainsFunc(said, reading.Said.Firm)), is("ends asking", asks))
}

// warned counts the words that warn, less those that approve, beside the question's; a denial before one turns it.
func (o *byPolarity) warned(t *evidence.Text) (n int) {
	for i, w := range t.Words {
		d := int(flag(reading.Is(w.Fold, "warning"))) - int(flag(reading.Is(w.Fold, "approving")))
		if d == 0 || o.q.Holds(w.Fold) {
			continue
		}
		if reading.Is(t.Fold(i-1), "negator") || reading.Is(t.Fold(i-2), "negator") {
			d = -d
		}
		n += d
	}
	return n
}

// place is what is seen of one place that says yes or no.
func (o *byPolarity) place(t *evidence.Text, said []reading.Said, i int) features {
	s := said[i]
	k := int(t.Words[s.Words.Start].Sentence)
	first, tells := t.Words[s.Told.Start].Fold, s.Told
	concludes := func(w string) bool { return reading.Is(w, "concluding") }
	concluded := concludes(t.Words[s.Words.Start].Fold) || concludes(first) || concludes(t.Fold(tells.Start-1))
	for n := tells.Start; n < tells.End; n++ {
		concluded = concluded || concludes(t.Words[n].Fold)
	}
	as := func(in []reading.Said, same bool) bool {
		return slices.ContainsFunc(in, func(m reading.Said) bool {
			return (m.Polarity == s.Polarity) == same && m.Firm()
		})
	}
	rest := append(slices.Clone(said[:i]), said[i+1:]...)
	_, hedges := t.Cue(s.Words, evidence.Hedges)
	asked := k > 0 && t.Sentences[k-1].Question
	repeated := asked && 2*count(t.Sentences[k-1].Words, func(i int) bool { return o.q.Holds(t.Words[i].Fold) }) >=
		o.q.Weight()
	no := s.Polarity == reading.No
	statement := flag(!s.Plain && !s.Short)
	before := evidence.Span{Start: s.Words.Start, End: tells.Start}
	return features{{"bias", 1}, is("by a word", s.Plain), is("by a short form", s.Short),
		{"share", statement * s.Share}, {"whole", statement * flag(s.Share > .95)},
		{"firm", statement * flag(s.Firm())}, {"predicate", statement * s.Predicate},
		{"tail", statement * flag(s.Tail)},
		{"headed", statement * flag(s.Headed)}, {"fresh", statement * float64(min(s.Fresh, 5))},
		{"other name", statement * flag(s.OtherName)}, {"other name alone", statement * flag(s.OtherName && !s.Headed)},
		is("no", no), is("no by a statement", no && statement > 0), is("turned", s.Turns), is("in first", k == 0),
		is("in last", k == len(t.Sentences)-1), is("concluded", concluded), is("first", i == 0),
		is("last", i == len(said)-1), is("only", len(said) == 1), is("agreed", as(rest, true)),
		is("disputed", as(rest, false)), is("hedges", hedges), is("attributed", some(t, s.Words, "attribution")),
		is("contrast before", some(t, before, "contrast")), is("cut", reading.Is(first, "cut")),
		is("pronoun", reading.Is(first, "pronoun")), is("opens", tells.Start-s.Words.Start < 2),
		is("asked before", asked && !repeated), is("asked again before", asked && repeated),
		is("by a mark", s.Mark), many("length", s.Words.End-s.Words.Start)}
}
