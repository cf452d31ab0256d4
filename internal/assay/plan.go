// Package assay is one evaluation: it resolves a plan, turns it into calls,
// and turns the stored records of those calls into the result document and the
// table with a row per case. It calls no model: what the calls brought is read
// from the store, so that resuming, re-reporting and recomputing are one path.
package assay

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// The methods of this release, in the order of the documents that define them.
const (
	Rubric      = "rubric"
	Consistency = "consistency"
	Detection   = "detection"
	Posterior   = "posterior"
)

// How multiple-choice cases are answered.
const (
	// the model's log-probability of each option, or of its letter where they are shown, decides
	ChoicesScore    = "score"
	ChoicesGenerate = "generate" // the options are shown with letters and the answer is read
)

// How two variants of a case are drawn for self-consistency.
const (
	WithoutReplacement = "without-replacement"
	WithReplacement    = "with-replacement"
)

// A Plan is all that decides a run's results, resolved: two runs with equal plans are the same run. Its JSON is stored
// with the run; Suites carries their content, so that a stored run can be shown without the files it came from.
type Plan struct {
	Models  []UnderTest    `json:"models"`
	Suites  []*suite.Suite `json:"suites"`
	Methods []string       `json:"methods"`

	// SuiteFiles are what names each suite on a command line, "" where its own name does; they decide nothing.
	SuiteFiles []string `json:"suite_files,omitempty"`

	Variants []prompt.Spec `json:"variants"`
	// Templates are those of a file, for variants of that kind; nil: the generated ones.
	Templates *TemplateFile `json:"templates,omitempty"`
	// Paraphrasing says where the variants of that kind come from; nil where there are none.
	Paraphrasing *Paraphrasing `json:"paraphrasing,omitempty"`

	Tau            float64 `json:"tau"`
	Equal          string  `json:"equal,omitempty"` // empty: by the reader
	SC             string  `json:"sc"`              // without-replacement or with-replacement
	ExcludeDefault bool    `json:"exclude_default"`
	// variants at which ambiguity is also given; 0: the fewest of any question
	CommonR int `json:"common_r,omitempty"`
	Sampled int `json:"sampled"` // samples of variant 0 at temperature 1
	// identical greedy asks of the cases asked again for test–retest agreement; below 2: none
	Repeats     int `json:"repeats"`
	RetestCases int `json:"floor_cases"`
	Limit       int `json:"limit"` // 0: all cases

	Choices     string         `json:"choices"`
	OptionScore prompt.Scoring `json:"option_score"`
	Form        suite.Form     `json:"form,omitempty"` // layout of every case; empty: each case's own
	MaxTokens   int            `json:"max_tokens"`

	// Retrieval is what is searched for every question; nil for nothing.
	Retrieval *Retrieval `json:"retrieval,omitempty"`
	// Posterior are the parameters of that method; nil where it was not asked for.
	Posterior *PosteriorOptions `json:"posterior,omitempty"`
	// Judge is the model that decides what no oracle can, asked about the stored answers; nil where none was named.
	Judge *UnderTest `json:"judge,omitempty"`
	// Panel are further judges: of several the majority decides.
	Panel []*UnderTest `json:"panel,omitempty"`
	// JudgeAll says that judges decide every answer, and not only those that rules leave.
	JudgeAll bool `json:"judge_all,omitempty"`
	// AnswerContract asks for a last line that has the answer alone, by which it is read: prompt.Contract.
	AnswerContract bool `json:"answer_contract,omitempty"`
	// Imported says where the answers come from, where they were not asked for.
	Imported *Imported `json:"imported,omitempty"`
	// GraderCheck is what the same grader made of other labelled answers, by which the outcomes are corrected; nil
	// where none was named.
	GraderCheck *GraderCheck `json:"grader_check,omitempty"`
	// Meaning says how answers are compared for semantic equivalence; nil where none are.
	Equivalence *Equivalence `json:"meaning,omitempty"`
	// Sweep orders the models along an axis; nil where they are just several.
	Sweep *Sweep `json:"sweep,omitempty"`

	Seed uint64 `json:"seed"`
	AsOf string `json:"as_of,omitempty"` // empty: each suite's own

	reworded *rewording // the paraphrases, once Reword read them
}

// A GraderCheck is a check of the grader that the user made.
type GraderCheck struct {
	From  string         `json:"from,omitempty"` // the name of the file, which decides nothing
	Check *grading.Check `json:"check"`
}

// A TemplateFile holds the templates of a file, which a plan uses in place of the generated ones.
type TemplateFile struct {
	From      string            `json:"from,omitempty"` // the name of the file, which decides nothing
	Templates []prompt.Template `json:"templates"`
}

// An UnderTest is a model under test as the plan names it.
type UnderTest struct {
	Ref      string `json:"ref"`      // as the user wrote it, such as pocket
	Identity string `json:"identity"` // all that can change its answers
	// Sampling says that the model refuses temperature 0, so that "greedy" is its own default decoding.
	Sampling bool `json:"sampling,omitempty"`
	// Can is what the model was found to be able to do when the run began, where detection is a method: what
	// detectors ask depends on it. In a sweep without detection it lists no alternatives, as only the likelihood of
	// answers is wanted.
	Can *model.Capabilities `json:"can,omitempty"`
	// LogProbs says that its samples come with the log-probabilities of their tokens, which is asked for where
	// entropy is weighted by them.
	LogProbs bool `json:"logprobs,omitempty"`
	// Listing is how labels are read of a model that scores no given text, found when the run began, where
	// posterior is a method.
	Listing *language.Listing `json:"listing,omitempty"`
	// Guard holds the flags of the constraint layer around it; nil where there is none. The identity says all of it.
	Guard []string `json:"guard,omitempty"`
	// Replayed says that its answers are read from the store only.
	Replayed bool `json:"-"`
}

// Name is the model as results name it: the reference, and that it is guarded.
func (m UnderTest) Name() string {
	if m.Guard != nil {
		return m.Ref + " (guarded)"
	}
	return m.Ref
}

// A Listing is what a list of runs shows of a plan.
type Listing struct {
	Models []string `json:"models"`
	// Identities are the models' identities, in the order of Models.
	Identities []string `json:"identities"`
	Suites     []string `json:"suites"`
	Methods    []string `json:"methods"`
}

// Listing returns what a list of runs shows of the plan, which may be as long as its suites.
func (p *Plan) Listing() Listing {
	l := Listing{Methods: p.Methods}
	for _, m := range p.Models {
		l.Models, l.Identities = append(l.Models, m.Name()), append(l.Identities, m.Identity)
	}
	for _, s := range p.Suites {
		l.Suites = append(l.Suites, s.Name)
	}
	return l
}

// ID returns the run's id: 16 hexadecimal digits of the hash over everything in the plan that decides its results,
// with suites by their content hash and the day that counts as today on them, and models by their identity.
func (p *Plan) ID() string {
	keyed := struct {
		*Plan
		Judge   string            `json:"judge,omitempty"`
		Panel   []string          `json:"panel,omitempty"`
		Meaning *keyedEquivalence `json:"meaning,omitempty"`
		Models  []string          `json:"models"`
		Suites  [][2]string       `json:"suites"`
	}{Plan: p.keyed(), Meaning: p.Equivalence.keyed(), Judge: part(p.Judge).Identity}
	for _, by := range p.Panel {
		keyed.Panel = append(keyed.Panel, by.Identity)
	}
	for _, m := range p.Models {
		keyed.Models = append(keyed.Models, m.Identity)
	}
	for _, s := range p.Suites {
		keyed.Suites = append(keyed.Suites, [2]string{string(s.Hash()), p.asOf(s)})
	}
	return hashed(keyed)[:16]
}

// hashed is the hash of a value's JSON, in hexadecimal digits.
func hashed(value any) string {
	b, err := json.Marshal(value)
	if err != nil { // plain values only
		panic("assay: " + err.Error())
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// Recall takes over from a stored plan of the same run what its models were found to be able to do, and what its
// suites were called.
func (p *Plan) Recall(stored []byte) error {
	var earlier Plan
	if err := json.Unmarshal(stored, &earlier); err != nil {
		return fmt.Errorf("the stored plan of run %s does not read: %w", p.ID(), jsonl.Plain(err))
	}
	p.SuiteFiles = earlier.SuiteFiles
	before := map[[2]string]*UnderTest{}
	for flag, m := range earlier.Helpers() {
		before[[2]string{flag, m.Identity}] = m
	}
	for flag, m := range p.Helpers() {
		if e := before[[2]string{flag, m.Identity}]; e != nil {
			m.Sampling = e.Sampling
		}
	}
	if p.Equivalence != nil && earlier.Equivalence != nil {
		p.Equivalence.Model.Sampling = earlier.Equivalence.Model.Sampling
	}
	for i := range p.Models {
		m := &p.Models[i]
		for _, e := range earlier.Models {
			if e.Identity == m.Identity {
				m.Sampling, m.Can, m.LogProbs, m.Listing = e.Sampling, e.Can, e.LogProbs, e.Listing
			}
		}
	}
	return nil
}

// Helpers are the models of the plan that are not under test, each under the flag that names it.
func (p *Plan) Helpers() iter.Seq2[string, *UnderTest] {
	return func(yield func(string, *UnderTest) bool) {
		for _, by := range p.judges() {
			if !yield("judge", by) {
				return
			}
		}
		x := p.Paraphrasing
		if x == nil || x.Model != nil && !yield("paraphraser", x.Model) {
			return
		}
		if x.Judge != nil {
			yield("paraphrase-judge", x.Judge)
		}
	}
}

// Has reports whether the plan asks for a method.
func (p *Plan) Has(method string) bool { return slices.Contains(p.Methods, method) }

// Covered returns the cases of a suite that the plan covers.
func (p *Plan) Covered(s *suite.Suite) suite.List {
	all := s.Cases
	if p.Limit > 0 && p.Limit < all.Len() {
		return all.First(p.Limit)
	}
	return all
}

// countCases counts the cases that are so.
func countCases(cases suite.List, is func(*suite.Case) bool) (n int) {
	for _, c := range cases.Pass() {
		if is(c) {
			n++
		}
	}
	return n
}

// asOf returns the "today" of a suite under the plan.
func (p *Plan) asOf(s *suite.Suite) string { return cmp.Or(p.AsOf, s.AsOf) }
