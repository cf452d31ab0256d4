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
	held map[string]term // by the name as the list has it, of those who did not hold it then
	none *refusal        // nobody held it: what is right instead
	// beyond says why the case cannot be decided: its date lies after what the list covers.
	beyond string
}

// A term is when a holder held it.
type term struct {
	suite.Holder
	past bool // before the date asked about
}

// span returns the first and the last day of a date as numbers that compare.
func span(d quantity.Date) (first, last int) {
	number := func(m, day int) int { return (d.Year*100+m)*100 + day }
	switch {
	case d.Month == 0:
		return number(1, 1), number(12, 31)
	case d.Day == 0:
		return number(d.Month, 1), number(d.Month, 31)
	}
	return number(d.Month, d.Day), number(d.Month, d.Day)
}

// when places a holder's term: -1 before the date, 0 at it, 1 after it. Both ends of a term belong to it, at the precision that they have.
func when(h suite.Holder, at quantity.Date) (int, error) {
	first, last := span(at)
	for _, end := range []struct {
		text   string
		beyond int
	}{{h.Through, -1}, {h.From, 1}} {
		if end.text == "" {
			continue
		}
		d, ok := quantity.ParseDate(end.text)
		if !ok {
			return 0, fmt.Errorf("%q of holder %q is no date; write it as 2026, 2026-11 or 2026-11-20", end.text, h.Value)
		}
		if a, b := span(d); end.beyond < 0 && b < first || end.beyond > 0 && a > last {
			return end.beyond, nil
		}
	}
	return 0, nil
}

func (e *env) temporal(s *suite.Oracle) (Oracle, error) {
	if len(s.Holders) == 0 && s.At == "" && s.ValidThrough == "" {
		return e.byGold(s)
	}
	o := &temporal{at: e.asOf, held: map[string]term{}}
	if s.At != "" {
		d, ok := quantity.ParseDate(s.At)
		if !ok {
			return nil, fmt.Errorf("at: %q is no date; write it as 2026, 2026-11 or 2026-11-20", s.At)
		}
		o.at = d
	}
	if o.at.Year == 0 {
		return nil, errors.New("a temporal oracle needs at:, the date that the question asks about, or an as-of date of the suite or run")
	}
	if s.ValidThrough != "" {
		d, ok := quantity.ParseDate(s.ValidThrough)
		if !ok {
			return nil, fmt.Errorf("valid_through: %q is no date; write it as 2026, 2026-11 or 2026-11-20", s.ValidThrough)
		}
		first, _ := span(o.at)
		if _, last := span(d); first > last {
			o.beyond = fmt.Sprintf("the list of holders is known through %s, and the question is about %s", s.ValidThrough, o.at)
		}
	}
	spec := suite.Oracle{Type: "exact", Accept: slices.Clone(s.Accept), Reject: slices.Clone(s.Reject)}
	var others []string
	for _, h := range s.Holders {
		place, err := when(h, o.at)
		if err != nil {
			return nil, err
		}
		names := append([]string{h.Value}, h.Also...)
		if place == 0 {
			spec.Accept = append(spec.Accept, names...)
			continue
		}
		others = append(others, names...)
		for _, n := range names {
			// Of several terms that missed the date the one nearest to it is told.
			if before, twice := o.held[n]; !twice || place < 0 && before.past || place > 0 && !before.past && h.From < before.From {
				o.held[n] = term{h, place < 0}
			}
		}
	}
	for _, n := range others { // who held it twice is right if one of the terms is
		if !slices.ContainsFunc(spec.Accept, func(a string) bool { return samePhrase(a, n) }) && !slices.Contains(spec.Reject, n) {
			spec.Reject = append(spec.Reject, n)
		}
	}
	if len(spec.Accept) == 0 {
		spec.Accept = e.c.Answers()
	}
	o.byGold = e.byNames(spec.Accept, spec.Reject)
	switch {
	case len(spec.Accept) > 0 || o.beyond != "":
	case len(s.Holders) > 0: // nobody held it then
		o.none = e.refusal(&suite.Oracle{Reject: spec.Reject, Accept: []string{"nobody", "no one", "vacant", "did not exist", "not yet existed"}})
	default:
		return nil, errors.New("a temporal oracle needs holders: or accept:, or a gold")
	}
	return o, nil
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
			if h.past {
				f.Truth.Rule = "temporal: a stale holder"
			}
			f.Truth.Evidence += "; " + termText(h.Holder) + ", asked about " + o.at.String()
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
