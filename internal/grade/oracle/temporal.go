package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/quantity"
	"hallmark/internal/suite"
)

// temporal accepts who held something at a date, out of a list of holders, and says of another holder when it was.
type temporal struct {
	*byGold
	at     string
	others []suite.Holder // who did not hold it then
	none   *refusal       // nobody held it: what is right instead
	beyond string         // why the case cannot be decided: its date lies after what the list covers
}

// days returns the first and the last day of a date of the case as numbers that compare; no date is no bound.
func days(what, text string) (first, last int, err error) {
	if text == "" {
		return 0, math.MaxInt, nil
	}
	d, ok := quantity.ParseDate(text)
	if !ok {
		return 0, 0, fmt.Errorf("%s %q is no date; write it as 2026, 2026-11 or 2026-11-20", what, text)
	}
	first = d.Year*10000 + d.Month*100 + d.Day
	last = d.Year*10000 + cmp.Or(d.Month, 99)*100 + cmp.Or(d.Day, 99)
	return first, last, nil
}

// place says whether a holder's term lies before the date (-1), holds it (0) or lies after it (1). Both of its ends belong to it.
func (o *temporal) place(h suite.Holder) (int, error) {
	first, last, err := days("at:", o.at)
	from, _, fromErr := days("from: of holder "+h.Value, h.From)
	_, through, throughErr := days("through: of holder "+h.Value, h.Through)
	switch err = cmp.Or(err, fromErr, throughErr); {
	case through < first:
		return -1, err
	case from > last:
		return 1, err
	}
	return 0, err
}

func (e *env) temporal(s *suite.Oracle) (Oracle, error) {
	if len(s.Holders) == 0 && s.At == "" && s.ValidThrough == "" {
		return e.byGold(s)
	}
	o := &temporal{at: s.At}
	if o.at == "" && e.asOf.Year > 0 {
		o.at = e.asOf.String()
	}
	if o.at == "" {
		return nil, errors.New("a temporal oracle needs at:, the date that is asked about, or an as-of date of the suite or run")
	}
	first, _, err := days("at:", o.at)
	_, covered, coveredErr := days("valid_through:", s.ValidThrough)
	accept, reject, holdersErr := o.holders(s)
	if err := cmp.Or(err, coveredErr, holdersErr); err != nil {
		return nil, err
	}
	if first > covered {
		o.beyond = fmt.Sprintf("the list of holders is known through %s, and the question is about %s", s.ValidThrough, o.at)
	}
	if len(accept) == 0 {
		accept = e.c.Answers()
	}
	o.byGold = e.byNames(accept, reject)
	switch {
	case len(accept) > 0 || o.beyond != "":
	case len(s.Holders) > 0: // nobody held it then
		accept = []string{"nobody", "no one", "vacant", "did not exist", "not yet existed"}
		o.none = e.refusal(&suite.Oracle{Reject: reject, Accept: accept})
	default:
		return nil, errors.New("a temporal oracle needs holders: or accept:, or a gold")
	}
	return o, nil
}

// holders returns the names that are right at the date, in one of their terms, and those that are not, and keeps whose these are.
func (o *temporal) holders(s *suite.Oracle) (accept, reject []string, err error) {
	accept, reject = slices.Clone(s.Accept), slices.Clone(s.Reject)
	for _, h := range s.Holders {
		switch place, err := o.place(h); {
		case err != nil:
			return nil, nil, err
		case place == 0:
			accept = append(accept, names(h)...)
		default:
			o.others = append(o.others, h)
			reject = append(reject, names(h)...)
		}
	}
	return accept, slices.DeleteFunc(reject, func(name string) bool { return oneOf(accept, name) }), nil
}

// names returns all names of a holder.
func names(h suite.Holder) []string { return append([]string{h.Value}, h.Also...) }

// oneOf reports whether a name is one of several, in whatever writing.
func oneOf(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Equal(evidence.Phrase(n), evidence.Phrase(name)) })
}

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
	}
	f := o.byGold.Judge(r)
	i := slices.IndexFunc(o.others, func(h suite.Holder) bool { return oneOf(names(h), f.Answer) })
	if i < 0 || f.Truth.Verdict != grade.Fail {
		return f
	}
	h := o.others[i]
	f.Truth.Rule = "temporal: not yet at the date"
	if place, _ := o.place(h); place < 0 {
		f.Truth.Rule = "temporal: a stale holder"
	}
	f.Truth.Evidence += fmt.Sprintf("; from %s to %s, asked about %s", cmp.Or(h.From, "…"), cmp.Or(h.Through, "…"), o.at)
	return f
}
