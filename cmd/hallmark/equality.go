package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"hallmark/internal/answer"
	"hallmark/internal/assay"
	"hallmark/internal/inputfile"
	"hallmark/internal/jsonl"
	"hallmark/internal/metric/equality"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// equalityFlags say how answers are compared by meaning.
type equalityFlags struct {
	entailment string
	reply      string
	most       int
	check      string
}

func (f *equalityFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.entailment, "entailment", "", "model `REF` that compares answers by meaning, for --equal meaning and for prose; default: that of --judge (docs/equality.md)")
	fs.StringVar(&f.reply, "entailment-reply", "", "its reply: text that is read, or score by the log-probability of yes and no; default: score in process, else text")
	fs.IntVar(&f.most, "equal-most", 10, "answers of a case, the commonest, that are compared with all others by meaning")
	fs.StringVar(&f.check, "equal-check", "", "pairs in `FILE` that are known to say the same or not, to measure how often the comparison errs")
}

// by returns the reference of the model that compares answers, "" where none is named.
func (f *equalityFlags) by(judges []string) string {
	return cmp.Or(append([]string{f.entailment}, judges...)...)
}

// resolveMeaning enters into a plan how answers are compared by meaning, but for the model. A model compares them under --equal meaning,
// and by default where a suite has answers in prose.
func (f *runFlags) resolveMeaning(plan *assay.Plan) error {
	q := &f.equality
	by := q.by(f.judges)
	prose := false
	for _, s := range plan.Suites {
		for i := range s.Cases {
			prose = prose || s.Cases[i].AnswerType == suite.Prose && assay.Wordy(&s.Cases[i])
		}
	}
	wanted := f.equal == assay.EqualMeaning || f.equal == "" && prose && by != ""
	switch {
	case q.reply != "" && q.reply != assay.ReplyText && q.reply != assay.ReplyScored:
		return fmt.Errorf("--entailment-reply %q: use %s or %s", q.reply, assay.ReplyText, assay.ReplyScored)
	case q.most < 1 || q.most > assay.MostCompared:
		return fmt.Errorf("--equal-most %d: want 1 to %d answers", q.most, assay.MostCompared)
	case f.equal == assay.EqualMeaning && by == "":
		return errors.New("--equal meaning: no model compares the answers; name one with --entailment REF, or with --judge REF")
	case !wanted && q.entailment != "" && f.equal != "":
		return fmt.Errorf("--entailment: answers are compared by --equal %s; use --equal meaning", f.equal)
	case !wanted && q.entailment != "":
		return errors.New("--entailment: no case of the suite has answer_type: prose, so that nothing is compared by meaning; --equal meaning compares all answers in words")
	case !wanted && q.check != "":
		return errors.New("--equal-check: nothing is compared by meaning; use it with --equal meaning and --entailment REF")
	case !wanted || !plan.Has(assay.Consistency):
		return nil
	}
	plan.Meaning = &assay.Meaning{Question: equality.Version, Most: q.most, Score: q.reply == assay.ReplyScored}
	if ref, err := model.ParseRef(by); err == nil && q.reply == "" {
		plan.Meaning.Score = ref.Scheme == model.Pocket || ref.Scheme == model.HF
	}
	if q.check == "" {
		return nil
	}
	var err error
	plan.Meaning.Check, err = knownPairs(q.check)
	return err
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
		return nil, fmt.Errorf("--equal-check %s: want a file of one JSON object a line, of at most %d MiB", path, mostPairsBytes>>20)
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

// probeMeaning asks the model that compares answers what it can do, and says what it lacks.
func (a *app) probeMeaning(ctx context.Context, m *assay.Meaning, s *subjects, budget *purse) (lacks string, err error) {
	prober, ok := s.models[m.Model.Identity].(model.Prober)
	c := model.Capabilities{Temperature0: true}
	if ok {
		if c, err = a.abilities(budget.Meter(ctx, s.models[m.Model.Identity]), prober); err != nil {
			return "", fmt.Errorf("--entailment %s: the check of its abilities failed: %w", m.Model.Ref, err)
		}
	}
	m.Model.Sampling = !c.Temperature0
	if m.Score && !c.OptionScores {
		return fmt.Sprintf("%s gives no log-probabilities of a given text, but --entailment-reply score needs those of yes and no; --entailment-reply text reads its reply", m.Model.Ref), nil
	}
	return "", nil
}
