package consistency

import (
	_ "embed" // the catalogue

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Result is the public JSON of `analyze consistency`. Fields that need gold answers are absent without them, and
// over the questions that have them otherwise.
type Result struct {
	Questions int      `json:"questions"` // cases used: those with at least two scored variants
	NotAsked  int      `json:"not_asked"` // cases left out, as they have fewer
	N         int      `json:"n"`         // scored answers of the cases used
	Variants  Extremes `json:"variants"`  // scored answers a case
	Unscored  int      `json:"unscored"`  // answers that are missing, of all cases
	// Ungradable counts the answers of all cases that could not be graded: they are not in N. Unread is the same,
	// kept for old scripts.
	Ungradable int `json:"ungradable"`
	Unread     int `json:"unread"`
	// Range bounds the figures below where more than 5 % of the answers could not be graded.
	Range *Ranges `json:"range,omitempty" gate:"figure"`
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters int      `json:"clusters,omitempty"`
	Skipped  int      `json:"skipped,omitempty"`
	Warnings []string `json:"warnings"`

	SemanticStability *stat.Estimate `json:"semantic_stability"`
	PCBelowHalf       *float64       `json:"pc_below_0.5"`
	PCAtLeast80       *float64       `json:"pc_at_least_0.8"`
	PCIntervals       *PCShares      `json:"pc_intervals,omitempty"`
	LeastPC           *float64       `json:"pc_floor"` // mean of 1/r: the least that semantic stability can be
	RobustnessLevel   string         `json:"robustness_level,omitempty"`
	Ambiguity         *stat.Estimate `json:"ambiguity"`
	AmbiguityAtR      *AmbiguityAtR  `json:"ambiguity_at_r,omitempty"`
	SelfConsistency   *stat.Average  `json:"self_consistency"`
	PromptSensitive   *stat.Estimate `json:"prompt_sensitive"` // share of cases with SC < tau; needs no gold
	AnswerEntropy     *float64       `json:"answer_entropy_nats"`
	Tau               float64        `json:"tau"`
	Level             float64        `json:"level"`

	Accuracy *Accuracy `json:"accuracy,omitempty"`
	// accuracy on variant 0 less prompt-agnostic factual
	Overstatement *stat.Estimate `json:"overstatement,omitempty"`
	// of no difference; McNemar's exact test
	OverstatementP         *float64                       `json:"overstatement_p,omitempty"`
	OldTerms               *OldTerms                      `json:"old_terms,omitempty"`
	Taxonomy               *Taxonomy[float64]             `json:"taxonomy,omitempty"`
	TaxonomyIntervals      *Taxonomy[*stat.Estimate]      `json:"taxonomy_intervals,omitempty"`
	Taus                   []TauPoint                     `json:"sweep,omitempty"`
	Quadrants              *Quadrants[float64]            `json:"quadrants,omitempty"`
	QuadrantIntervals      *Quadrants[*stat.Estimate]     `json:"quadrant_intervals,omitempty"`
	Declined               *DeclinedShares                `json:"declined,omitempty"`
	Decomposition          *Decomposition[float64]        `json:"decomposition,omitempty" gate:"figure"`
	DecompositionIntervals *Decomposition[*stat.Estimate] `json:"decomposition_intervals,omitempty" gate:"figure"`
	Documents              *Documents                     `json:"documents,omitempty"`
	PerQuestion            []Question                     `json:"per_question,omitempty"`
}

// Extremes are the smallest and largest of some counts.
type Extremes struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// PCShares are the two shares of PC.
type PCShares struct {
	BelowHalf *stat.Estimate `json:"below_0.5"`
	AtLeast80 *stat.Estimate `json:"at_least_0.8"`
}

// AmbiguityAtR is the ambiguity expected if each case had R variants, drawn from its own without replacement.
type AmbiguityAtR struct {
	R int `json:"r"`
	stat.Estimate
}

// Accuracy is over the cases with gold: the mean over cases of the share of right answers, and how much it moves
// with the variant.
type Accuracy struct {
	stat.Average
	SD        float64  `json:"sd"`                // sample standard deviation over variants of each variant's accuracy
	Default   *float64 `json:"default,omitempty"` // on variant 0, over the cases that have it
	Questions int      `json:"questions"`
}

// A Taxonomy holds three shares of cases that sum to 1, as numbers, with their intervals or as ranges; it has no other
// members.
type Taxonomy[T float64 | *stat.Estimate | stat.Range] struct {
	Factual    T `json:"prompt_agnostic_factual"`
	Error      T `json:"prompt_agnostic_error"`
	Randomness T `json:"randomness"`
}

// Quadrants holds shares of cases, as numbers or with their intervals: stable is SC >= tau, correct is a right mode.
type Quadrants[T float64 | *stat.Estimate] struct {
	StableCorrect   T `json:"stable_correct"`
	StableWrong     T `json:"stable_wrong"`
	UnstableCorrect T `json:"unstable_correct"`
	UnstableWrong   T `json:"unstable_wrong"`
}

// A TauPoint holds the taxonomy at one threshold: what Analyze gives with Tau as its threshold. The three shares
// need gold.
type TauPoint struct {
	Tau             float64        `json:"tau"`
	Factual         *stat.Estimate `json:"prompt_agnostic_factual,omitempty"`
	Error           *stat.Estimate `json:"prompt_agnostic_error,omitempty"`
	Randomness      *stat.Estimate `json:"randomness,omitempty"`
	PromptSensitive *stat.Estimate `json:"prompt_sensitive"` // of all cases, with or without gold
}

// OldTerms are the terms of a benchmark that asks each question once, and where its cases stand in the taxonomy.
// They are over the cases with gold and a scored variant 0.
type OldTerms struct {
	Questions     int     `json:"questions"`
	Factual       OldTerm `json:"factual"`       // the answer to variant 0 is right
	Hallucination OldTerm `json:"hallucination"` // it is wrong
	// DefaultInMinority counts the stable cases where the answer to variant 0 is right and the mode wrong, or the
	// reverse.
	DefaultInMinority int `json:"default_in_minority"`
}

// An OldTerm is a share of cases with its interval, and how many of them are in each category.
type OldTerm struct {
	stat.Estimate
	Factual    int `json:"prompt_agnostic_factual"`
	Error      int `json:"prompt_agnostic_error"`
	Randomness int `json:"randomness"`
}

// DeclinedShares is present where a row says that an answer or a gold is declined.
type DeclinedShares struct {
	Share float64 `json:"share"` // of the scored answers
	// prompt-agnostic errors whose mode is declined; absent if there are none
	OfPromptAgnosticErrs *float64 `json:"of_prompt_agnostic_error,omitempty"`
}

// A Decomposition holds means over the cases with gold, as numbers or with their intervals; BiasSquared + Variance
// = Error.
type Decomposition[T float64 | *stat.Estimate] struct {
	Error     T `json:"error"`
	Pair[T]     // unbiased, whatever the number of variants
	ModeError T `json:"mode_error"` // share of cases whose mode is wrong
	// PlugIn is the pair as published papers have it, which sums to Error too. It holds for these numbers of variants
	// only, and nothing is decided by it.
	PlugIn Pair[T] `json:"plug_in"`
}

// Documents says how often the variant moved what was retrieved, over the cases with documents for at least two
// variants.
type Documents struct {
	Questions int `json:"questions"`
	// share of cases with two different best documents
	Ambiguity    *stat.Estimate `json:"ambiguity"`
	AmbiguityAtK *stat.Estimate `json:"ambiguity_at_k"` // share with two different sets of documents
	K            int            `json:"k"`              // most documents retrieved for one variant
	// Ambiguity within each category of the taxonomy
	ByCategory map[string]*stat.Estimate `json:"by_category,omitempty"`
	// ByCategoryAtK is AmbiguityAtK within each category, and QuestionsByCategory how many cases these are over.
	ByCategoryAtK       map[string]*stat.Estimate `json:"by_category_at_k,omitempty"`
	QuestionsByCategory map[string]int            `json:"questions_by_category,omitempty"`
}

// A Question is one case of the result.
type Question struct {
	Standing
	Mode     string  `json:"mode"`
	Category string  `json:"category,omitempty"` // needs gold
	Quadrant string  `json:"quadrant,omitempty"` // needs gold
	Correct  *bool   `json:"correct,omitempty"`  // the mode is right; needs gold
	Answers  []Count `json:"answers"`            // commonest first; of equal counts, lowest variant first

	Stable   bool `json:"-"` // SC >= tau, with or without gold
	Declined bool `json:"-"` // the mode is a decline
}

// A Count is an answer and how many variants gave it.
type Count struct {
	Answer string `json:"answer"`
	Count  int    `json:"count"`
}

// The categories of the taxonomy.
const (
	PromptAgnosticFactual = "prompt_agnostic_factual"
	PromptAgnosticError   = "prompt_agnostic_error"
	Randomness            = "randomness"
)

// The quadrants of stability and correctness.
const (
	StableCorrect   = "stable_correct"
	StableWrong     = "stable_wrong"
	UnstableCorrect = "unstable_correct"
	UnstableWrong   = "unstable_wrong"
)

//go:embed figures.txt
var figures string

// Figures is the catalogue of what Result has.
var Figures = figure.Read(figures)
