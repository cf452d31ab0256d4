package assay

import (
	"cmp"
	_ "embed" // the figures of the parts that belong to no package of metrics
	"encoding/json"
	"strings"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/assay/gate"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite/imported"
	"hallmark/internal/text/evidence"
)

// A Document is what `hallmark run --json` prints and what reports are made from. Everything in it but
// ThisInvocation is a function of the plan and the stored records.
type Document struct {
	Run        RunInfo       `json:"run"`
	Grading    grade.Grading `json:"grading"`
	Statistics Statistics    `json:"statistics"`
	Models     []ModelResult `json:"models"`
	Grid       *Grid         `json:"grid,omitempty"`  // there where several models or suites were measured
	Sweep      *Swept        `json:"sweep,omitempty"` // there where the models are the stages of a sweep
	// there with several models, where detection was asked for
	Across *Across `json:"across_models,omitempty"`
	// of what answers are missing; absent where the run is whole
	Incomplete []Incomplete `json:"incomplete,omitempty"`
	// what came of the thresholds that the user declared, of each model and suite; of no stored result
	Accept         []gate.Acceptance `json:"accept,omitempty"`
	ThisInvocation *Invocation       `json:"this_invocation,omitempty"`
}

// StatisticsVersion is that of the formulas which make figures of verdicts. It is raised where one of them makes
// another value, bound or p of the same answers: a bundle of another version is held against this one but for what
// was redone (docs/decisions/0040). Documents without one are of version 1; version 2 has intervals by cluster, the
// unbiased pair of bias² and variance, rates over variants that weigh cases alike, paired intervals that agree with
// their p, the intervals of AUROC and of the posterior rate of samples that cover, and the tokens of the calls that
// the study's cost is of.
const StatisticsVersion = "2"

// Statistics says in a document by which version its figures were computed.
type Statistics struct {
	Version string `json:"version"`
}

// RunInfo names the run and the parameters that its figures depend on.
type RunInfo struct {
	ID       string         `json:"id"`
	Name     string         `json:"name,omitempty"` // what the user calls it, where a store says so
	Suites   []SuiteInfo    `json:"suites"`
	Seed     uint64         `json:"seed"`
	AsOf     string         `json:"as_of"` // the run's today; empty where no case needs one
	Version  string         `json:"version"`
	Methods  []string       `json:"methods"`
	Tau      float64        `json:"tau"`
	Variants map[string]int `json:"variants,omitempty"`
	Sampled  int            `json:"sampled"`
	Warnings []string       `json:"warnings"`
	Equal    string         `json:"equal,omitempty"`
	Choices  string         `json:"choices,omitempty"`
	// Retrieval is there where passages were searched for every question.
	Retrieval *RetrievalInfo `json:"retrieval,omitempty"`
	// Imported are the logs of other tools that the answers come from, where they come from such.
	Imported []*imported.Source `json:"imported,omitempty"`
	Command  []string           `json:"command"` // names the plan again on a command line
}

// SuiteInfo names a suite by its content.
type SuiteInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash"`
	Cases   int    `json:"cases"`
	// File is what names it on a command line, in the folder where it was asked; "" where its name does
	File string `json:"file,omitempty"`
}

// A ModelResult is what was measured on one model. With one suite its methods stand in it directly, with several
// under Suites by name.
type ModelResult struct {
	Model    string `json:"model"`
	Name     string `json:"name,omitempty"` // what the user calls it, where a store says so
	Identity string `json:"identity"`
	Greedy   bool   `json:"greedy"`
	*SuiteResult
	Suites   map[string]*SuiteResult `json:"suites,omitempty"`
	Tokens   Tokens                  `json:"tokens"`
	USD      float64                 `json:"usd"`
	Unscored []Unscored              `json:"unscored"`
}

// Called is the model as people name it: as its user calls it, else by its reference.
func (m *ModelResult) Called() string { return cmp.Or(m.Name, m.Model) }

// On returns what was measured on the suite of that name; nil where nothing was.
func (m *ModelResult) On(suite string) *SuiteResult {
	if m.Suites != nil {
		return m.Suites[suite]
	}
	return m.SuiteResult
}

// A SuiteResult holds the methods' results on one suite. A method that was not asked for, or that the suite cannot
// carry, is nil and absent.
type SuiteResult struct {
	Rubric             *rate.Result        `json:"rubric,omitempty"`
	Consistency        *consistency.Result `json:"consistency,omitempty"`
	ConsistencySampled *Sampled            `json:"consistency_sampled,omitempty"`
	// ConsistencyByDomain holds the same figures of each domain by itself, where the suite names domains.
	ConsistencyByDomain map[string]*consistency.Result `json:"consistency_by_domain,omitempty"`
	RepeatAgreement     *RepeatAgreement               `json:"repeat_agreement,omitempty"`
	// which kind of variant moves the answers
	Families *consistency.Families `json:"families,omitempty"`
	Contrast *Contrast             `json:"contrast,omitempty"`
	// there where answers are compared for semantic equivalence
	Equivalence *EquivalenceResult `json:"equality,omitempty"`
	CrossTab    *crosstab.Result   `json:"joint,omitempty"`
	Detection   *detect.Summary    `json:"detection,omitempty"`
	// there where cases are problems of learning in context
	Posterior *language.Result `json:"posterior,omitempty"`
	// there once people judged answers of the run
	Audit *annotate.Result `json:"audit,omitempty"`
	// there where a judge decides cases
	Judged *Judged `json:"judged,omitempty"`
	// there where variants are paraphrases
	Paraphrases *Paraphrases `json:"paraphrases,omitempty"`
	// by methods in packages of their own, by their names
	Measured map[string]method.Result `json:"measured,omitempty"`
	Designed []Designed               `json:"designed,omitempty"`
	Findings []Finding                `json:"findings,omitempty"`
}

// Sampled is the consistency of repeated samples of the default prompt at temperature 1: what greedy agreement cannot
// see.
type Sampled struct {
	*consistency.Result
	Samples int `json:"draws"`
	// PredictiveEntropy is the mean over cases of the plug-in entropy of a case's drawn answers, in nats; biased low
	// by about (answers - 1)/(2 samples).
	PredictiveEntropy *stat.Estimate `json:"predictive_entropy"`
	// SemanticEntropy is over classes of answers that say the same; absent where none are compared for semantic
	// equivalence.
	SemanticEntropy *SemanticEntropy `json:"semantic_entropy,omitempty"`
	// UnseenByGreedy says how many cases are consistent where decoded greedily and split where drawn; absent where
	// only the samples were measured, or the model refuses to be decoded greedily.
	UnseenByGreedy *Unseen `json:"unseen_by_greedy,omitempty"`
}

// RepeatAgreement is the test–retest agreement under every stability figure: how often the identical greedy prompt,
// asked again, gives the identical answer.
type RepeatAgreement struct {
	Repeats   int            `json:"repeats"`
	Cases     int            `json:"cases"`
	Agreement *stat.Estimate `json:"agreement"` // mean chance that two repeats of a case agree
	Warnings  []string       `json:"warnings"`
}

// Designed sets, for one tag of a suite whose truth was designed, how many of its cases fell into each category.
type Designed struct {
	Category   string `json:"category"`
	N          int    `json:"n"`
	Factual    int    `json:"prompt_agnostic_factual"`
	Error      int    `json:"prompt_agnostic_error"`
	Randomness int    `json:"randomness"`
	Declined   int    `json:"declined"` // of Error: declined by the modal answer, though answerable
	Expected   string `json:"expected"` // the category that the design calls for; "" for none
	// AsDesigned is the share of the cases that fell into it; null where no category is called for.
	AsDesigned *stat.Estimate `json:"as_designed"`
	// PHolm is of one half of the cases falling into it: the exact test, adjusted by Holm for the number of categories
	// that are called for.
	PHolm *float64 `json:"p_holm,omitempty"`
	// Recovered says that most of the cases fell into it, or that most did not, by PHolm; null where
	// this cannot be said at this n, or no category is called for.
	Recovered *bool `json:"recovered"`
	// SampledAmbiguous is the share of the cases whose draws at temperature 1 do not all agree.
	SampledAmbiguous *stat.Estimate `json:"sampled_ambiguous,omitempty"`
	// UnseenByGreedy is the share of the cases that are consistent where decoded greedily and split where drawn.
	UnseenByGreedy *stat.Estimate `json:"unseen_by_greedy,omitempty"`
}

// Tokens are totals over the records used, whoever asked for them.
type Tokens struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

// Unscored names one planned answer or verdict that is missing.
type Unscored struct {
	Suite   string `json:"suite,omitempty"`
	CaseID  string `json:"case_id"`
	Variant int    `json:"variant"`
	Repeat  int    `json:"repeat,omitempty"`
	Axis    string `json:"axis"` // "all": the whole answer; "paraphrases": those of the case
	Reason  string `json:"reason"`
}

// Invocation is what belongs to this very call of the command and to no result.
type Invocation struct {
	Seconds float64 `json:"seconds"`
	Started string  `json:"started"`
	Calls   Calls   `json:"calls"`
	Report  string  `json:"report,omitempty"`
	// Published sets figures that the plan file quotes beside those of this run.
	Published *Beside `json:"published,omitempty"`
}

// Calls count what this invocation did.
type Calls struct {
	Asked   int `json:"asked"`
	Reused  int `json:"reused"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped,omitempty"`
	Retries int `json:"retries"`
}

// A CaseRow joins all methods on one case of one suite and model: the one table of METHODS 1, and the drill-down
// behind every figure of a report.
type CaseRow struct {
	Model      string             `json:"model"`
	Suite      string             `json:"suite"`
	ID         string             `json:"case_id"`
	Class      string             `json:"class,omitempty"`
	Domain     string             `json:"domain,omitempty"`
	Difficulty string             `json:"difficulty,omitempty"`
	Tags       []string           `json:"tags,omitempty"`
	System     string             `json:"system,omitempty"`
	Prompt     string             `json:"prompt"`
	Context    []evidence.Passage `json:"context,omitempty"`
	// Retrieved are the passages that were found and shown before any variant, each once.
	Retrieved []evidence.Passage `json:"retrieved,omitempty"`
	Options   []string           `json:"options,omitempty"`
	Gold      string             `json:"gold,omitempty"` // as shown; "decline" where the right act is to decline

	// The rubric, on variant 0: verdicts in the order truth, decidability, reciprocity, format.
	Axes         [4]Axis `json:"axes"`
	Hallucinated *bool   `json:"hallucinated"` // nil: unscored or not asked
	Kind         string  `json:"kind,omitempty"`
	Act          string  `json:"act,omitempty"`
	// Outcome is correct, incorrect, not_attempted or ungradable, "" where nothing came back or the case has
	// nothing to be graded by. Grader decided it, with Confidence in [0, 1] where it says one.
	Outcome    string  `json:"outcome,omitempty"`
	Grader     string  `json:"grader,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`

	// Consistency; R is 0 where the case was not asked in two scored variants.
	R         int     `json:"r"`
	PC        float64 `json:"pc,omitempty"`
	SC        float64 `json:"sc,omitempty"`
	Ambiguous bool    `json:"ambiguous"`
	Mode      string  `json:"mode,omitempty"` // as shown
	// prompt_agnostic_factual, prompt_agnostic_error, randomness, or ""
	Category string `json:"category,omitempty"`
	// stable_correct, stable_wrong, unstable_correct, unstable_wrong, or ""
	Quadrant  string      `json:"quadrant,omitempty"`
	Answers   []AnswerRow `json:"answers"`
	Sampled   []AnswerRow `json:"sampled,omitempty"`
	SampledSC *float64    `json:"sampled_sc,omitempty"`

	Detection *Detected `json:"detection,omitempty"`
	// PHR is the posterior hallucination rate of the case; nil where it was not measured.
	PHR *float64 `json:"phr,omitempty"`
	// Posterior is what else that method says of the case.
	Posterior *posterior.Query `json:"posterior,omitempty"`

	Equality string `json:"equality,omitempty"` // meaning, where answers are compared so
	// SemanticEntropy is that of the samples, in nats, over classes of answers that say the same; weighted by the
	// answers' likelihood where log-probabilities came with all of them.
	SemanticEntropy         *float64 `json:"semantic_entropy,omitempty"`
	SemanticEntropyWeighted *float64 `json:"semantic_entropy_weighted,omitempty"`
}

// Detected is a case as detectors see it: the labels of the answer to its default prompt, nil where they are not
// known, and what each says of that answer; higher is more likely hallucinated.
type Detected struct {
	Correct    *bool              `json:"correct"`    // the answer is a gold
	Consistent *bool              `json:"consistent"` // the answers over the prompt variants agree to tau at least
	Scores     map[string]float64 `json:"scores"`
}

// MarshalJSON leaves out the figures of a case that has none, and only those: a self-consistency of 0 is a figure.
func (r CaseRow) MarshalJSON() ([]byte, error) {
	type plain CaseRow
	out := struct {
		plain
		PC *float64 `json:"pc,omitempty"`
		SC *float64 `json:"sc,omitempty"`
	}{plain: plain(r)}
	if r.R > 0 {
		out.PC, out.SC = &r.PC, &r.SC
	}
	return json.Marshal(out)
}

// An Axis is one verdict with its reason.
type Axis = grading.Axis

// An AnswerRow is one answer: the variant's prompt, what came back, and how it was read.
type AnswerRow struct {
	Variant int `json:"variant"`
	Repeat  int `json:"repeat,omitempty"`
	// how the variant differs: "" is the default; the kind of variants asked for, or sampled
	Kind string `json:"kind,omitempty"`
	// the part of the prompt that differs, such as wording, separators, order
	Family string `json:"family,omitempty"`
	Prompt string `json:"prompt"` // the question as asked in this variant
	Text   string `json:"text"`   // what came back, raw; hostile: escape it
	Read   string `json:"read"`   // the answer as compared: normal form or act; "" where unscored
	// right, wrong, declined, ungradable, unscored, or "" where there is no gold
	Verdict string `json:"verdict,omitempty"`
	// for each place, the index of the option that stood there; none: the order of Options
	Order   []int  `json:"order,omitempty"`
	Failure string `json:"failure,omitempty"` // why it is unscored
	// ids of the passages found for it, best first, or those that a pipeline says it used
	Retrieved []string `json:"retrieved,omitempty"`
}

// An Incomplete says of a model on a suite that planned answers of it are not there. What is reported is of the others.
type Incomplete struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	Cases int    `json:"cases"` // those of the suite that the plan asks
	// Unanswered of them have no answer to the default prompt, of which the rubric's figures are.
	Unanswered int `json:"unanswered"`
	// Missing are the planned answers that are not there, of all prompts and samples.
	Missing int `json:"missing"`
	// Unasked are answers and verdicts whose calls were never made, for the budget, --offline or an interruption. The
	// same command makes them.
	Unasked int    `json:"unasked"`
	Reason  string `json:"reason"` // of the first that is not there
}

// notMade is part of each reason of what was never asked for.
const notMade = "kept the call from"

// incomplete lists the models and suites of which planned answers are missing, or verdicts were never asked for. It is
// nil where the run is whole.
func (d *Document) incomplete() (all []Incomplete) {
	for i := range d.Models {
		m := &d.Models[i]
		for _, s := range d.Run.Suites {
			x := Incomplete{Model: m.Model, Suite: s.Name, Cases: s.Cases}
			for _, u := range m.Unscored {
				if u.Suite != "" && u.Suite != s.Name {
					continue
				}
				unasked := strings.Contains(u.Reason, notMade)
				if u.Axis != WholeAnswer && !unasked {
					continue
				}
				x.Reason = cmp.Or(x.Reason, u.Reason)
				if unasked {
					x.Unasked++
				}
				if u.Axis == WholeAnswer {
					x.Missing++
					if u.Variant == 0 && u.Repeat == 0 {
						x.Unanswered++
					}
				}
			}
			if x.Reason != "" {
				all = append(all, x)
			}
		}
	}
	return all
}

//go:embed figures.txt
var ownFigures string

// Catalogue lists the figures of a model on a suite, by their paths from there: label, unit and meaning of each
// stand in it once, for whatever shows a figure. Each added method has a catalogue of its own, of what is at
// measured.NAME.
func Catalogue() *figure.Catalogue {
	return figure.NewCatalogue(
		figure.Under("rubric", rate.Figures()), figure.Under("consistency", consistency.Figures),
		figure.Under("consistency_sampled", consistency.Figures),
		figure.Under("detection", detect.Figures), figure.Under("detection", detect.Across),
		figure.Under("joint", crosstab.Figures), figure.Under("posterior", posterior.Figures), figure.Read(ownFigures),
	)
}
