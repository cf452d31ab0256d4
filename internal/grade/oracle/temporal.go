package oracle

import (
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/quantity"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// temporal accepts who held something at a date, out of a list of holders, and says of another holder when it was.
type temporal struct {
	*byGold
	at   quantity.Date
	held map[string]suite.Holder // by the name as the list has it, of those who did not hold it then
	none *refusal                // nobody held it: what is right instead
	// beyond says why the case cannot be decided: its date lies after what the list covers.
	beyond string
}

// date reads a date of the case.
func date(what, text string) (quantity.Date, error) {
	d, ok := quantity.ParseDate(text)
	if !ok {
		return d, fmt.Errorf("%s is no date; write it as 2026, 2026-11 or 2026-11-20", what)
	}
	return d, nil
}

// days returns the first and the last day of a date as numbers that compare.
func days(d quantity.Date) (first, last int) {
	first, last = d.Year*10000+101, d.Year*10000+1231
	if d.Month > 0 {
		first, last = (d.Year*100+d.Month)*100+1, (d.Year*100+d.Month)*100+31
	}
	if d.Day > 0 {
		first, last = first+d.Day-1, first+d.Day-1
	}
	return first, last
}

// when places a holder's term: -1 before the date, 0 at it, 1 after it. Both ends of a term belong to it, at the precision
// that they have.
func when(h suite.Holder, at quantity.Date) (int, error) {
	first, last := days(at)
	for i, end := range []string{h.Through, h.From} {
		if end == "" {
			continue
		}
		d, err := date(fmt.Sprintf("%q of holder %q", end, h.Value), end)
		if err != nil {
			return 0, err
		}
		if a, b := days(d); i == 0 && b < first || i == 1 && a > last {
			return 2*i - 1, nil
		}
	}
	return 0, nil
}

func (e *env) temporal(s *suite.Oracle) (Oracle, error) {
	if len(s.Holders) == 0 && s.At == "" && s.ValidThrough == "" {
		return e.byGold(s)
	}
	o := &temporal{at: e.asOf, held: map[string]suite.Holder{}}
	var err error
	if s.At != "" {
		if o.at, err = date(fmt.Sprintf("at: %q", s.At), s.At); err != nil {
			return nil, err
		}
	}
	if o.at.Year == 0 {
		return nil, errors.New("a temporal oracle needs at:, the date that the question asks about, or an as-of date of the suite or run")
	}
	if s.ValidThrough != "" {
		d, err := date(fmt.Sprintf("valid_through: %q", s.ValidThrough), s.ValidThrough)
		if err != nil {
			return nil, err
		}
		first, _ := days(o.at)
		if _, last := days(d); first > last {
			o.beyond = fmt.Sprintf("the list of holders is known through %s, and the question is about %s", s.ValidThrough, o.at)
		}
	}
	accept, reject, err := o.holders(s)
	if err != nil {
		return nil, err
	}
	if len(accept) == 0 {
		accept = e.c.Answers()
	}
	o.byGold = e.byNames(accept, reject)
	switch {
	case len(accept) > 0 || o.beyond != "":
	case len(s.Holders) > 0: // nobody held it then
		o.none = e.refusal(&suite.Oracle{Reject: reject, Accept: []string{"nobody", "no one", "vacant", "did not exist", "not yet existed"}})
	default:
		return nil, errors.New("a temporal oracle needs holders: or accept:, or a gold")
	}
	return o, nil
}

// holders returns the names that are right at the date and those that are not, and keeps the terms of these. Who held it
// twice is right if one of the terms is; of several terms that missed the date the one nearest to it is told.
func (o *temporal) holders(s *suite.Oracle) (accept, reject []string, err error) {
	accept, reject = slices.Clone(s.Accept), slices.Clone(s.Reject)
	var others []string
	for _, h := range s.Holders {
		place, err := when(h, o.at)
		if err != nil {
			return nil, nil, err
		}
		names := append([]string{h.Value}, h.Also...)
		if place == 0 {
			accept = append(accept, names...)
			continue
		}
		others = append(others, names...)
		for _, n := range names {
			if before, twice := o.held[n]; !twice || o.past(before) && place < 0 || !o.past(before) && place > 0 && h.From < before.From {
				o.held[n] = h
			}
		}
	}
	for _, n := range others {
		if !slices.ContainsFunc(accept, func(a string) bool { return samePhrase(a, n) }) && !slices.Contains(reject, n) {
			reject = append(reject, n)
		}
	}
	return accept, reject, nil
}

// past reports whether a term ended before the date.
func (o *temporal) past(h suite.Holder) bool {
	place, _ := when(h, o.at)
	return place < 0
}

func samePhrase(a, b string) bool { return slices.Equal(evidence.Phrase(a), evidence.Phrase(b)) }

func (o *temporal) Answerable() bool { return o.none == nil }

func (o *temporal) Golds() []string {
	if o.none != nil || o.beyond != "" {
		return nil
	}
	return o.byGold.Golds()
}

func (o *temporal) Judge(r Reading) Finding {
	switch {
	case o.beyond != "":
		return unscored("temporal: beyond the date through which the list is known", o.beyond)
	case o.none != nil:
		f := o.none.Judge(r)
		f.Truth.Evidence = f.Truth.Rule + ": " + f.Truth.Evidence
		f.Truth.Rule = "temporal: nobody held it then"
		return f
	case len(r.Words) == 0:
		return unread("an empty answer", r.Text)
	}
	s := o.look(r.Text, func(it item) bool { return it.rejected && tellsApart(r.Text, it.words) })
	f := o.finding(r.Text, &s)
	if s.bad == nil || f.Answer != s.bad.text {
		return f
	}
	for name, h := range o.held {
		if samePhrase(name, s.bad.text) {
			f.Truth.Rule = "temporal: not yet at the date"
			if o.past(h) {
				f.Truth.Rule = "temporal: a stale holder"
			}
			f.Truth.Evidence += "; " + termText(h) + ", asked about " + o.at.String()
		}
	}
	return f
}

// tellsApart reports whether words of another time stand in the clause of a name: "he succeeded Ada Voss, who led it until 2024".
func tellsApart(t *evidence.Text, s evidence.Span) bool {
	in, clause := t.Sentences[t.Words[s.Start].Sentence].Words, t.Words[s.Start].Clause
	for i := in.Start; i < in.End; i++ {
		if c := t.Words[i].Clause; (c == clause || c == clause+1 && i < s.End+5) && reading.OtherTime(t.Words[i].Fold) {
			return true
		}
	}
	return false
}

// termText says when a holder held something.
func termText(h suite.Holder) string {
	switch {
	case h.From != "" && h.Through != "":
		return "from " + h.From + " through " + h.Through
	case h.From != "":
		return "from " + h.From + " on"
	}
	return "through " + h.Through
}
