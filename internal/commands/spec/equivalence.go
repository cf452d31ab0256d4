package spec

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// An Equivalence says how answers are compared for semantic equivalence.
type Equivalence struct {
	Entailment string
	Reply      string
	Check      string
	Told       assay.Equivalence // what else of it flags say: how many answers are compared
}

// By returns the reference of the model that compares answers, "" where none is named.
func (e *Equivalence) By(judges []string) string {
	return cmp.Or(append([]string{e.Entailment}, judges...)...)
}

// resolveEquivalence enters into a plan how answers are compared for semantic equivalence, but for the model. A
// model compares them under --equal meaning, and by default where a suite has answers in prose.
func (r *Run) resolveEquivalence(plan *assay.Plan) error {
	q := &r.Equivalence
	by := q.By(r.Judges)
	prose := slices.ContainsFunc(plan.Suites, func(s *suite.Suite) bool {
		return s.Cases.Has(func(c *suite.Case) bool { return c.AnswerType == suite.Prose && assay.Wordy(c) })
	})
	wanted := r.Plan.Equal == assay.EqualSemantic || r.Plan.Equal == "" && prose && by != ""
	if err := q.check(r.Plan.Equal, by, wanted); err != nil || !wanted || !plan.Has(assay.Consistency) {
		return err
	}
	plan.Equivalence = &assay.Equivalence{Question: equivalence.Version, Most: q.Told.Most,
		Score: q.Reply == assay.ReplyScored}
	if ref, err := model.ParseRef(by); err == nil && q.Reply == "" {
		plan.Equivalence.Score = ref.Scheme == model.Pocket || ref.Scheme == model.HF
	}
	if q.Check == "" {
		return nil
	}
	var err error
	plan.Equivalence.Check, err = knownPairs(q.Check)
	return err
}

// check refuses what does not go together. Wanted says that answers are compared for semantic equivalence.
func (q *Equivalence) check(equal, by string, wanted bool) error {
	switch {
	case q.Reply != "" && q.Reply != assay.ReplyText && q.Reply != assay.ReplyScored:
		return fmt.Errorf("--entailment-reply %q: use %s or %s", q.Reply, assay.ReplyText, assay.ReplyScored)
	case equal == assay.EqualSemantic && by == "":
		return errors.New(
			"--equal meaning: no model compares the answers; name one with --entailment REF, or with --judge REF")
	case wanted:
	case q.Entailment != "" && equal != "":
		return fmt.Errorf("--entailment: answers are compared by --equal %s; use --equal meaning", equal)
	case q.Entailment != "":
		return errors.New("--entailment: no case of the suite has answer_type: prose, so that nothing is compared " +
			"by meaning; --equal meaning compares all answers in words")
	case q.Check != "":
		return errors.New(
			"--equal-check: nothing is compared for semantic equivalence; use it with --equal meaning and --entailment REF")
	}
	return nil
}

// mostPairsBytes bounds a file of known pairs.
const mostPairsBytes = 256 << 20

// knownPairs reads pairs of answers of which it is known whether they say the same, one JSON object a line.
func knownPairs(path string) ([]assay.KnownPair, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--equal-check %s: %v", path, inputfile.Cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() || info.Size() > mostPairsBytes {
		return nil, fmt.Errorf("--equal-check %s: want a file of one JSON object a line, of at most %d MiB", path,
			mostPairsBytes>>20)
	}
	return readKnownPairs(path, f)
}

// readKnownPairs reads the rows of --equal-check; the file is named in errors.
func readKnownPairs(path string, f io.Reader) ([]assay.KnownPair, error) {
	type row struct {
		Question *string `json:"question"`
		A        *string `json:"a"`
		B        *string `json:"b"`
		Equal    *bool   `json:"equal"`
	}
	var pairs []assay.KnownPair
	lines := map[[3]string]int{}
	err := jsonl.Each(path, f, func(line int, r row) error {
		switch {
		case r.Question == nil || r.A == nil || r.B == nil || r.Equal == nil:
			return errors.New(`a pair needs "question", "a", "b" and "equal", as {"question": "Capital of France?", "a": "Paris", "b": "It is Paris.", "equal": true}`)
		case strings.TrimSpace(*r.A) == "" || strings.TrimSpace(*r.B) == "":
			return errors.New("an answer of the pair is blank; write two texts")
		case max(len(*r.Question), len(*r.A), len(*r.B)) > assay.MostPairText:
			return fmt.Errorf("a text is longer than %d KiB", assay.MostPairText>>10)
		case !utf8.ValidString(*r.Question + *r.A + *r.B):
			return errors.New("a text is not UTF-8")
		case !*r.Equal && answer.Words(*r.A) == answer.Words(*r.B):
			return errors.New("the two answers are the same words, yet \"equal\" is false")
		case len(pairs) == assay.MostKnown:
			return fmt.Errorf("more than %d pairs; a sample of a few hundred will do", assay.MostKnown)
		}
		key := [3]string{*r.Question, min(*r.A, *r.B), max(*r.A, *r.B)}
		if first, twice := lines[key]; twice {
			return fmt.Errorf("the pair stands on line %d already; leave one of them out", first)
		}
		lines[key] = line
		pairs = append(pairs, assay.KnownPair{Question: *r.Question, A: *r.A, B: *r.B, Equal: *r.Equal})
		return nil
	}, nil)
	return pairs, err
}
