package assay

import (
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/paraphrase"
)

// A sifting holds the candidates of one case against its prompt.
type sifting struct {
	p       *Plan
	res     *Paraphrases
	c       *suite.Case
	text    string
	record  func(run.Call) *run.Record
	n       int    // candidates held against it
	failure string // why a judge's reply is missing
}

// all returns the candidates that are admitted, in their order. Of rules no more are tried than are
// needed, and a judge is asked of no more than twice as many.
func (s *sifting) all(candidates []paraphrase.Candidate) (admitted []string) {
	x := s.p.Paraphrasing
	check := paraphrase.NewChecker(s.text)
	passed := 0
	seen := map[string]bool{}
	for _, phrasing := range s.c.Phrasings {
		seen[paraphrase.Normal(phrasing)] = slices.ContainsFunc(s.p.Variants, func(v prompt.Spec) bool {
			return v.Kind == prompt.Phrasings
		})
	}
	for _, cand := range candidates {
		if x.By == paraphrase.Version && (len(admitted) == s.res.Asked || passed == 2*s.res.Asked) {
			break
		}
		text := strings.TrimSpace(cand.Text)
		reason, why := s.filter(check, seen, text)
		if reason == "" && x.Judge != nil {
			passed++
			reason, why = s.judged(text)
		}
		if s.count(cand.Rule, reason == ""); reason == "" {
			admitted = append(admitted, text)
		} else {
			s.reject(text, reason, why)
		}
	}
	return admitted
}

// filter holds a candidate against the prompt and those before it; no reason: it passes.
func (s *sifting) filter(check *paraphrase.Checker, seen map[string]bool, text string) (reason paraphrase.Reason,
	why string) {
	reason, why = check.Check(text)
	if s.p.Paraphrasing.Filter == NoFilter && reason != paraphrase.Empty && reason != paraphrase.Same &&
		reason != paraphrase.Long {
		reason, why = "", ""
	}
	if key := paraphrase.Normal(text); reason == "" && seen[key] {
		reason, why = paraphrase.Twice, "the same as one before it"
	} else {
		seen[key] = true
	}
	return reason, why
}

// count counts a candidate, and by its rule where one made it.
func (s *sifting) count(rule string, admitted bool) {
	one := RuleCount{Candidates: 1}
	if admitted {
		one.Admitted = 1
	}
	s.n++
	s.res.Candidates++
	s.res.Admitted += one.Admitted
	if rule == "" {
		return
	}
	sum := s.res.ByRule[rule]
	setIn(&s.res.ByRule, rule, RuleCount{Candidates: sum.Candidates + 1, Admitted: sum.Admitted + one.Admitted})
}

// judged asks what a judge said of both directions.
func (s *sifting) judged(text string) (paraphrase.Reason, string) {
	reason, why := paraphrase.Reason(""), ""
	for i, call := range s.p.followCalls(s.text, text) {
		r := s.record(call)
		if r == nil || r.Response == nil || r.Response.Text == nil {
			s.failure = "the judge of paraphrases was not asked (the budget, --offline or an interruption kept " +
				"the call from being made)"
			if r != nil {
				s.failure = "the judge of paraphrases: " + r.Failure
			}
			reason, why = paraphrase.Unread, s.failure
			continue
		}
		yes, ok := paraphrase.ReadVerdict(*r.Response.Text)
		switch {
		case !ok:
			reason, why = paraphrase.Unread, "neither yes nor no"
		case !yes && reason == "":
			reason, why = paraphrase.Judge, [2]string{"it does not follow from the prompt",
				"the prompt does not follow from it"}[i]
		}
	}
	return reason, why
}

// reject counts and, of each reason the first few times, names a candidate.
func (s *sifting) reject(text string, reason paraphrase.Reason, why string) {
	s.res.Rejected[string(reason)]++
	if s.res.Rejected[string(reason)] > maxExamples {
		return
	}
	s.res.Examples = append(s.res.Examples, Rejection{s.c.ID, brief(text, maxExampleText), string(reason), why})
}
