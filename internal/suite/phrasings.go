package suite

import "strconv"

// Phrasings returns the suite of the same questions in other words: for each case that keep accepts, one case per
// written phrasing, in order, with that phrasing as its prompt and none beside it. The ids are those of the cases
// with "/1", "/2" … behind them, and the name says whose phrasings they are. The suite has no cases where no
// phrasing is written. It shares all else with s, which it does not change.
func (s *Suite) Phrasings(keep func(*Case) bool) *Suite {
	var cases []Case
	for _, c := range s.Cases.All() {
		if !keep(c) {
			continue
		}
		for k, text := range c.Phrasings {
			w := *c
			w.ID, w.Prompt, w.Phrasings = c.ID+"/"+strconv.Itoa(k+1), text, nil
			cases = append(cases, w)
		}
	}
	out := s.With(ListOf(cases))
	out.Name, out.Warnings = s.Name+", other wordings", nil
	return out
}
