package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
)

// temporal accepts who held something at a date, out of a list of holders, and says of another holder when it was.
type temporal struct {
	*byGold
	others map[string]grade.Judgment // who did not hold it then, by the words of the name: what to say of each
	none   *refusal                  // nobody held it: what is right instead
	beyond string                    // why the case cannot be decided: its date lies after what the list covers
}

// days returns the first and the last day of a date of the case as numbers that compare; no date is no bound.
func days(text string) (first, last int) {
	d, ok := quantity.ParseDate(text)
	if !ok {
		return 0, math.MaxInt
	}
	first = d.Year*10000 + d.Month*100 + d.Day
	return first, d.Year*10000 + cmp.Or(d.Month, 99)*100 + cmp.Or(d.Day, 99)
}

func (e *env) temporal(s *suite.Oracle) (Oracle, error) {
	if len(s.Holders) == 0 && s.At == "" && s.ValidThrough == "" {
		return e.byGold(s)
	}
	at := s.At
	switch {
	case at != "":
	case e.asOf.Year > 0:
		at = e.asOf.String()
	default:
		return nil, errors.New(
			"a temporal oracle needs at:, the date that is asked about, or an as-of date of the suite or run")
	}
	o := &temporal{others: map[string]grade.Judgment{}}
	accept, reject := o.holders(s, at)
	accept = e.given(accept)
	o.byGold = e.byNames(accept, reject)
	if len(accept) == 0 && o.beyond == "" { // nobody held it then
		accept = []string{"nobody", "no one", "vacant", "did not exist", "not yet existed"}
		o.none = e.refusal(&suite.Oracle{Reject: reject, Accept: accept})
	}
	return o, nil
}

// holders returns the names that are right at the date, in one of their terms, and those that are not, with what to
// say of them.
func (o *temporal) holders(s *suite.Oracle, at string) (accept, reject []string) {
	first, last := days(at)
	_, covered := days(s.ValidThrough)
	if first > covered {
		o.beyond = fmt.Sprintf("the list of holders is known through %s, and the question is about %s",
			s.ValidThrough, at)
	}
	accept, reject = slices.Clone(s.Accept), slices.Clone(s.Reject)
	for _, h := range s.Holders {
		from, _ := days(h.From)
		_, through := days(h.Through)
		names := append([]string{h.Value}, h.Also...)
		if from <= last && first <= through { // both ends of a term belong to it
			accept = append(accept, names...)
			continue
		}
		reject = append(reject, names...)
		why := grade.Judgment{Rule: "temporal: not yet at the date"}
		if through < first {
			why.Rule = "temporal: a stale holder"
		}
		why.Evidence = fmt.Sprintf("; from %s to %s, asked about %s", cmp.Or(h.From, "…"), cmp.Or(h.Through, "…"), at)
		for _, name := range names {
			o.others[key(name)] = cmp.Or(o.others[key(name)], why)
		}
	}
	held := func(name string) bool {
		return slices.ContainsFunc(accept, func(a string) bool { return key(a) == key(name) })
	}
	return accept, slices.DeleteFunc(reject, held)
}

// key is the same for a name in whatever writing.
func key(name string) string { return strings.Join(evidence.Phrase(name), " ") }

func (o *temporal) Answerable() bool { return o.none == nil }

func (o *temporal) Golds() []string {
	if o.none != nil || o.beyond != "" {
		return nil
	}
	return o.byGold.Golds()
}

func (o *temporal) Judge(r Reading) Ruling {
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
	if f.Truth.Verdict == grade.Fail {
		why := o.others[key(f.Answer)]
		f.Truth.Rule = cmp.Or(why.Rule, f.Truth.Rule)
		f.Truth.Evidence += why.Evidence
	}
	return f
}
