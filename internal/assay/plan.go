// Package assay is one evaluation: it resolves a plan, turns it into calls,
// and turns the stored records of those calls into the result document and the
// table with a row per case. It calls no model: what the calls brought is read
// from the store, so that resuming, re-reporting and recomputing are one path.
package assay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/run"
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

// Defaults returns the parameters of a plan that asks for nothing special, without models and suites.
func Defaults() Plan {
	return Plan{
		Methods: []string{Rubric, Consistency}, Tau: .8, SC: WithoutReplacement, Repeats: 3, RetestCases: 20,
		Choices: ChoicesScore, OptionScore: prompt.Perplexity, MaxTokens: 512, Seed: 1,
	}
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
	q := *p
	q.Suites, q.Models, q.AsOf, q.Judge, q.Panel, q.Equivalence, q.Imported = nil, nil, "", nil, nil, nil, nil
	q.SuiteFiles = nil
	keyed := struct {
		Plan
		Judge   string            `json:"judge,omitempty"`
		Panel   []string          `json:"panel,omitempty"`
		Meaning *keyedEquivalence `json:"meaning,omitempty"`
		Models  []string          `json:"models"`
		Suites  [][2]string       `json:"suites"`
	}{Plan: q, Meaning: p.Equivalence.keyed()}
	if p.Judge != nil {
		keyed.Judge = p.Judge.Identity
	}
	for _, by := range p.Panel {
		keyed.Panel = append(keyed.Panel, by.Identity)
	}
	keyed.Retrieval, keyed.Sweep = p.Retrieval.key(), p.Sweep.key()
	if p.Templates != nil {
		keyed.Templates = &TemplateFile{Templates: p.Templates.Templates}
	}
	if p.GraderCheck != nil {
		keyed.GraderCheck = &GraderCheck{Check: p.GraderCheck.Check}
	}
	keyed.Paraphrasing = p.Paraphrasing.keyed()
	for _, m := range p.Models {
		keyed.Models = append(keyed.Models, m.Identity)
	}
	for _, s := range p.Suites {
		keyed.Suites = append(keyed.Suites, [2]string{string(s.Hash()), p.asOf(s)})
	}
	b, err := json.Marshal(keyed)
	if err != nil { // plain values only
		panic("assay: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
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

// cases returns the cases of a suite that the plan covers.
func (p *Plan) cases(s *suite.Suite) suite.List {
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

// Needs lists what the plan asks of every model, with the method or suite that asks for it.
type Needs struct {
	OptionScores string // why continuations must be scored; "" if they need not
	Sampling     string
	Greedy       string
	// Labels says why labels must be scored or listed; "" if they need not. Listed says that the likeliest tokens
	// of an answer would do.
	Labels string
	Listed bool
	// Texts says why texts that are in no suite must be scored; "" if they need not.
	Texts string
}

// Needs returns what the plan asks of its models.
func (p *Plan) Needs() Needs {
	var n Needs
	n.Greedy = "greedy decoding is the default of every method"
	if p.Sampled > 0 {
		n.Sampling = fmt.Sprintf("--sampled %d samples answers at temperature 1", p.Sampled)
	}
	for _, s := range p.Suites {
		scored := countCases(p.cases(s), func(c *suite.Case) bool { return len(c.Options) > 0 })
		if p.Choices == ChoicesScore && scored > 0 {
			n.OptionScores = fmt.Sprintf("suite %s has %d cases whose options are scored by their log-probability",
				s.Name, scored)
			break
		}
	}
	if p.Sweep != nil && p.Sweep.Corpus != nil {
		n.Texts = "--corpus scores texts by their log-probability (leave it out)"
	}
	posterior := p.posteriorCases()
	if posterior {
		n.Labels, n.Listed = "the posterior method needs the log-probabilities of labels (leave it out of --method)",
			p.Posterior.Estimator == ""
	}
	if n.Sampling == "" && posterior {
		n.Sampling = "the posterior method samples pairs at temperature 1 (leave it out of --method)"
	}
	return n
}

// Lacks returns one sentence for each need that a model's capabilities do not meet, with the flag that would do.
func (n Needs) Lacks(ref string, c model.Capabilities) []string {
	var lacks []string
	note := ""
	if c.Note != "" {
		note = " (" + c.Note + ")"
	}
	lack := func(what, need, remedy string) { lacks = append(lacks, ref+" "+what+note+", but "+need+remedy) }
	const unscored = "gives no log-probabilities of a given text"
	if n.OptionScores != "" && !c.OptionScores {
		lack(unscored, n.OptionScores, "; --choices generate shows the options with letters and reads the answer")
	}
	switch {
	case n.Texts == "":
	case c.Closed:
		lack("knows the prompts of the suites alone", n.Texts, "")
	case !c.OptionScores:
		lack(unscored, n.Texts, "")
	}
	if n.Labels != "" && n.OptionScores == "" && !c.OptionScores && !(n.Listed && c.TopLogProbs > 0) {
		lack(unscored, n.Labels, "")
	}
	if n.Sampling != "" && !c.Sampling {
		lack("cannot sample", n.Sampling, "; --sampled 0 does without")
	}
	return lacks
}

// Validate reports what is wrong with the plan's own parameters, and with cases that its parameters make impossible.
// Notes are what a reader of the results has to know.
func (p *Plan) Validate() (notes []string, err error) {
	for _, check := range []func() error{p.checkParameters, p.checkPosterior, p.bounded, p.checkModels} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for _, s := range p.Suites {
		if names[s.Name] {
			return nil, fmt.Errorf("two suites are named %q; give one of them another name", s.Name)
		}
		names[s.Name] = true
		if p.Limit > 0 && p.Limit < s.Cases.Len() {
			note(&notes, "suite %s: only the first %d of %d cases were asked (--limit)", s.Name, p.Limit, s.Cases.Len())
		}
		for _, w := range s.Warnings {
			note(&notes, "suite %s: %s", s.Name, w)
		}
		if err := p.checkCases(s); err != nil {
			return nil, err
		}
	}
	outside, err := p.checkSweep()
	if err != nil {
		return nil, err
	}
	equal, err := p.equalNotes()
	return slices.Concat(p.GradesNothing(), p.from().Notes, notes, p.goldNotes(), p.judgeNotes(), p.paraphraseNotes(),
		equal, outside), err
}

// checkParameters reports values that no plan has.
func (p *Plan) checkParameters() error {
	for _, m := range p.Methods {
		if !slices.Contains(Methods(), m) && (m != scored.Name || p.Imported == nil) {
			return fmt.Errorf("--method %s: this release has %s", m, strings.Join(Methods(), ", "))
		}
	}
	paraphrased := slices.ContainsFunc(p.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Paraphrases })
	return cmp.Or(
		fault(len(p.Models) == 0, "no model: name one with --model"),
		fault(len(p.Suites) == 0, "no suite: name one with --suite"),
		fault(len(p.Methods) == 0, "no method: --method takes %s", strings.Join(Methods(), ",")),
		fault(!(p.Tau >= 0 && p.Tau <= 1), "--tau %v: a threshold of self-consistency lies in [0, 1]", p.Tau),
		fault(p.Sampled < 0 || p.Sampled == 1, "--sampled %d: agreement needs at least 2 samples; 0 for none", p.Sampled),
		fault(p.Sampled > MaxRepeats, "--sampled %d: at most %d samples of a case", p.Sampled, MaxRepeats),
		fault(p.Repeats > MaxRepeats, "--repeats %d: at most %d times", p.Repeats, MaxRepeats),
		fault(p.CommonR < 0, "--common-r %d: a number of variants, 0 for the fewest of any question", p.CommonR),
		fault(p.Limit < 0, "--limit %d: a number of cases, 0 for all", p.Limit),
		fault(p.MaxTokens < 1, "--max-tokens %d: at least 1", p.MaxTokens),
		fault(p.Choices != ChoicesScore && p.Choices != ChoicesGenerate, "--choices %q: use %s or %s", p.Choices,
			ChoicesScore, ChoicesGenerate),
		fault(paraphrased && p.Paraphrasing == nil, "--variants paraphrases: nothing makes them; name a --paraphraser"),
	)
}

// fault is an error where something is amiss, else nil.
func fault(amiss bool, format string, args ...any) error {
	if !amiss {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// checkModels reports a model that stands twice.
func (p *Plan) checkModels() error {
	seen := map[string]string{}
	for _, m := range p.Models {
		switch first, twice := seen[m.Identity]; {
		case twice && first == m.Ref:
			return fmt.Errorf("--model %s stands twice", m.Ref)
		case twice:
			return fmt.Errorf("--model %s stands twice: it is the same model as %s", m.Ref, first)
		}
		seen[m.Identity] = m.Ref
	}
	return nil
}

// checkCases reports a case that the parameters make impossible.
func (p *Plan) checkCases(s *suite.Suite) error {
	asOf := p.asOf(s)
	for _, c := range p.cases(s).Pass() {
		if asOf == "" && c.NeedsToday() {
			return fmt.Errorf(
				"%s: case %q asks about today, but neither the suite's as_of nor --as-of says which day that is",
				c.Place, c.ID)
		}
		if n := len(c.Options); p.shows() && n > suite.MaxShown {
			return fmt.Errorf("%s: case %q has %d options to show; letters go to %d: score the texts of its options",
				c.Place, c.ID, n, suite.MaxShown)
		}
	}
	return nil
}

// A purpose says which figure a planned answer is for.
type purpose int8

const (
	forVariant purpose = iota // greedy, one for each variant
	forSample                 // sampled, variant 0
	forRetest                 // greedy again, variant 0
)

// A spot is the place of a planned answer: of which model, suite and case, and in which variant.
type spot struct {
	variant                    *prompt.Variant
	model, suite, item, repeat int32 // indices, and the number of the draw
	purpose                    purpose
}

// A planned answer is its place and the call that asks for it.
type planned struct {
	spot
	call run.Call
}

// MaxRepeats is the most often that a prompt can be drawn from, or asked again.
const MaxRepeats = 10_000

// maxCalls bounds the calls of a plan, each of which takes memory.
const maxCalls = 4_000_000

// maxPrompts bounds their prompts together, in bytes: each is laid out and hashed, which takes some seconds for a GB.
const maxPrompts = 4e9

// perExample is what an example in a prompt takes beside its text, in bytes: its place among the variant's, and two
// messages.
const perExample = 150

// bounded returns an error where a plan has more calls than are planned, without planning them. Variants that a
// case may lack count.
func (p *Plan) bounded() error {
	calls, prompts := 0., 0.
	lengths := p.newLengths()
	lengths.example = perExample
	for _, s := range p.Suites {
		for _, c := range p.cases(s).Pass() {
			n := p.variantsOf(c) + float64(p.Sampled)
			calls, prompts = calls+n, prompts+n*lengths.of(c)
		}
		calls += float64(min(p.cases(s).Len(), p.RetestCases)) * float64(p.Repeats)
	}
	if calls *= float64(len(p.Models)); calls > maxCalls {
		return fmt.Errorf("the plan has up to %.0f calls, and at most %d are planned; lower --limit, --variants, "+
			"--sampled or --repeats, or run fewer models and suites at a time", calls, maxCalls)
	}
	if prompts *= float64(len(p.Models)); prompts > maxPrompts {
		return fmt.Errorf("the prompts of the plan come to up to %.0f GB, and at most %d are planned; lower "+
			"--limit, --variants or --sampled, or shorten the prompts and the pools they draw from",
			math.Ceil(prompts/1e9), int(maxPrompts/1e9))
	}
	return nil
}

// variantsOf returns how many prompt variants of a case the plan asks for at most.
func (p *Plan) variantsOf(c *suite.Case) float64 {
	variants := 1.
	if len(p.Variants) == 0 {
		variants += float64(len(c.Phrasings))
	}
	for _, v := range p.Variants {
		switch {
		case v.N == 0:
			variants += float64(len(c.Phrasings))
		case v.Kind == prompt.Options: // in as many orders as there are
			orders := 1
			for i := 2; i <= len(c.Options) && orders < v.N; i++ {
				orders *= i
			}
			variants += float64(min(v.N, orders))
		default:
			variants += float64(v.N)
		}
	}
	return variants
}

// each visits the planned answers in the plan's order: by model, suite, case, then variants, samples and repeats.
func (p *Plan) each(visit func(planned) error) (notes []string, err error) {
	all, notes, err := p.answers()
	if err != nil {
		return nil, err
	}
	for a := range all {
		if err := visit(a); err != nil {
			return nil, err
		}
	}
	return notes, nil
}

// answers returns the planned answers in the order in which they are asked for, each laid out when it is come to,
// and notes on what could not be planned as asked.
func (p *Plan) answers() (all iter.Seq[planned], notes []string, err error) {
	variants := make([][][]prompt.Variant, len(p.Suites))
	for si, s := range p.Suites {
		var short []string
		given := p.given(s)
		given.Shared = p.Retrieval == nil // which finds passages by the words of a variant
		variants[si], short, err = prompt.OfSuite(p.asked(s), p.Variants, p.Seed, given)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, short...)
		if p.Has(Consistency) && !slices.ContainsFunc(variants[si], func(vs []prompt.Variant) bool {
			return len(vs) > 1
		}) {
			note(&notes, "suite %s: every case is asked with one prompt variant, so consistency was not measured; add "+
				"phrasings, or ask for --variants", s.Name)
		}
	}
	if err := p.Retrieval.find(variants); err != nil {
		return nil, nil, err
	}
	if t := p.templateNotes(); len(t) > 0 && p.laysOutOptions(variants) {
		notes = append(notes, t...)
	}
	return func(yield func(planned) bool) {
		for mi, m := range p.Models {
			for si, s := range p.Suites {
				cases := p.asked(s).Cases
				retest := p.retestCases(s, cases.Len())
				for ci, c := range cases.Pass() {
					for _, a := range p.asks(c, variants[si][ci], retest[ci]) {
						a.model, a.suite, a.item = int32(mi), int32(si), int32(ci)
						a.call = p.call(m, c, *a.variant, int(a.repeat), a.purpose)
						if !yield(a) {
							return
						}
					}
				}
			}
		}
	}, notes, nil
}

// laysOutOptions reports whether some options are scored after a prompt that each backend lays out its own way.
func (p *Plan) laysOutOptions(variants [][][]prompt.Variant) bool {
	for si, s := range p.Suites {
		for ci, c := range p.asked(s).Cases.Pass() {
			if len(c.Options) == 0 {
				continue
			}
			if r := prompt.Render(c, variants[si][ci][0], p.layout()); len(r.Options) > 0 && !r.Raw {
				return true
			}
		}
	}
	return false
}

// asks are the planned answers to one case, without their calls: its variants, samples, and repeats where the case is
// one of those asked again.
func (p *Plan) asks(c *suite.Case, variants []prompt.Variant, retest bool) (list []planned) {
	if !p.Has(Consistency) {
		variants = variants[:1]
	}
	for i := range variants {
		list = append(list, planned{spot: spot{variant: &variants[i], purpose: forVariant}})
	}
	drawn := p.Has(Consistency) || p.Has(Detection)
	if drawn && (len(c.Options) == 0 || p.Choices == ChoicesGenerate) { // what is scored is not drawn
		for r := range int32(p.Sampled) {
			list = append(list, planned{spot: spot{variant: &variants[0], repeat: r, purpose: forSample}})
		}
	}
	if retest && p.Has(Consistency) {
		for r := int32(1); r < int32(p.Repeats); r++ {
			list = append(list, planned{spot: spot{variant: &variants[0], repeat: r, purpose: forRetest}})
		}
	}
	return list
}

// shows reports whether options are shown with letters in every case, whatever the case says.
func (p *Plan) shows() bool { return p.Choices == ChoicesGenerate || p.OptionScore == prompt.Letters }

// asked returns a suite as it is asked: the cases that the plan covers, with their options shown where answers are
// generated or letters scored.
func (p *Plan) asked(s *suite.Suite) *suite.Suite {
	cases := p.cases(s)
	other := p.shows() && cases.Has(func(c *suite.Case) bool { return c.ShowOptions != (len(c.Options) > 0) })
	if other {
		shown := cases.Loose()
		for i := range shown {
			shown[i].ShowOptions = len(shown[i].Options) > 0
		}
		return s.With(suite.ListOf(shown))
	}
	if cases.Len() == s.Cases.Len() {
		return s
	}
	return s.With(cases)
}

// retestCases samples the cases that are asked again for the repeat agreement.
func (p *Plan) retestCases(s *suite.Suite, n int) map[int]bool {
	chosen := map[int]bool{}
	if p.Repeats >= 2 {
		for _, i := range seed.Stream(p.Seed, "floor", s.Name).Perm(n)[:min(n, p.RetestCases)] {
			chosen[i] = true
		}
	}
	return chosen
}

// call returns the call of one planned answer.
func (p *Plan) call(m UnderTest, c *suite.Case, v prompt.Variant, repeat int, why purpose) run.Call {
	layout := p.layout()
	if p.Retrieval != nil {
		layout.Retrieved, layout.RetrievedForm = p.Retrieval.top(v), p.Retrieval.Form
	}
	req := prompt.Render(c, v, layout)
	if len(req.Options) == 0 {
		req.MaxTokens = p.MaxTokens
	}
	p.withLogProbs(m, &req, v.Number, why)
	if why == forSample {
		req.Temperature, req.LogProbs = 1, m.LogProbs
		draw := drawSeed(p.Seed, c.ID, repeat)
		req.Seed = &draw
	} else if m.Sampling {
		req.Temperature = 1
	}
	if v.Kind == prompt.Imported { // whose prompt is not known, so that its number tells it apart
		repeat = v.Number
	}
	return run.Call{Model: m.Identity, Request: req, Repeat: repeat}
}

// layout is how the plan lays prompts out.
func (p *Plan) layout() prompt.RenderOptions {
	return prompt.RenderOptions{Form: p.Form, Generate: p.Choices == ChoicesGenerate, Contract: p.AnswerContract}
}

// drawSeed is the seed of one draw.
func drawSeed(seedValue uint64, id string, repeat int) int64 {
	return int64(seed.Stream(seedValue, "sample", id, fmt.Sprint(repeat)).Uint64() >> 12) // servers take 53 bits safely
}

// Calls returns the calls of the plan in their order, each laid out when it is come to, and notes on what could not
// be planned as asked.
func (p *Plan) Calls() (calls iter.Seq[run.Call], notes []string, err error) {
	all, notes, err := p.answers()
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(run.Call) bool) {
		for a := range all {
			if !yield(a.call) {
				return
			}
		}
		for _, m := range p.Models {
			for _, c := range p.corpusCalls(m) {
				if !yield(c) {
					return
				}
			}
		}
	}, notes, nil
}

// templateNotes warn where models that are set beside each other score options after different texts: no API scores
// the turn of an assistant, so a server is given plain text, while a model in process has its chat template.
func (p *Plan) templateNotes() []string {
	var served, inside []string
	for _, m := range p.Models {
		ref, err := model.ParseRef(m.Ref)
		switch {
		case err != nil:
		case ref.URL != "" || ref.Scheme == model.OpenAI:
			served = append(served, m.Name())
		case ref.Scheme == model.Pocket || ref.Scheme == model.HF:
			inside = append(inside, m.Name())
		}
	}
	if len(served) == 0 || len(inside) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("options are scored after the plain text of the question by %s, and after its "+
		"chat template by %s, which can move the figures more than the models differ; "+
		"--form qa gives all the same text", strings.Join(served, ", "), strings.Join(inside, ", "))}
}
