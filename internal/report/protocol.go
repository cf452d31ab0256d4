package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// A Protocol is the filled template of the semantic stability protocol, as protocol.json of an evidence bundle has it: what was
// measured, how it is classed, and what may be concluded. Its words are this project's; what it follows is in Citation.
type Protocol struct {
	Title        string          `json:"title"`
	Purpose      string          `json:"purpose"`
	Run          string          `json:"run"`
	Hallmark     string          `json:"hallmark"`
	Banners      []string        `json:"banners"` // what a reader must know before any figure
	Rows         []ProtocolRow   `json:"rows"`
	Scope        []string        `json:"scope"`
	Requirements []ProtocolCheck `json:"requirements"`
	Steps        []ProtocolCheck `json:"steps"`
	Levels       []ProtocolLevel `json:"levels"`
	Footnote     string          `json:"footnote"`
	Alignment    []Provision     `json:"alignment"`
	AsCited      string          `json:"as_cited"`
	Definitions  []Definition    `json:"definitions"`
	Citation     string          `json:"citation"`
	Warnings     []string        `json:"warnings"` // of the run as a whole
}

// A ProtocolRow is the protocol's row of results: one model on one suite, or on one domain of it.
type ProtocolRow struct {
	System string `json:"system"`
	Suite  string `json:"suite"`
	Domain string `json:"domain"` // "" for the whole suite

	N                 int                   `json:"n"` // cases with at least two scored variants
	K                 consistency.Extremes  `json:"k"`
	SemanticStability *stat.Estimate        `json:"semantic_stability"`
	PCBelowHalf       *float64              `json:"pc_below_0.5"`
	PCAtLeast80       *float64              `json:"pc_at_least_0.8"`
	PCIntervals       *consistency.PCShares `json:"pc_intervals,omitempty"`
	Floor             *float64              `json:"pc_floor"` // mean of 1/k: the least that semantic stability can be
	Accuracy          *consistency.Accuracy `json:"accuracy"` // null: not measured
	Hallucination     *stat.Rate            `json:"hallucination"`

	RepeatAgreement *stat.Estimate `json:"repeat_agreement"` // of the identical prompt asked again; null: not measured, or the row is of a domain
	Greedy          bool           `json:"greedy"`
	Unscored        int            `json:"unscored"`

	Level          string   `json:"level,omitempty"`          // insufficient, limited, substantial or high
	Recommendation string   `json:"recommendation,omitempty"` // absent where accuracy was not measured
	Warnings       []string `json:"warnings"`
}

// A ProtocolCheck is something that the protocol asks for, and how this run meets it.
type ProtocolCheck struct {
	Asked string `json:"asked"`
	Done  string `json:"done"`
}

// A ProtocolLevel is a level of semantic stability with what the protocol recommends.
type ProtocolLevel struct {
	Level          string `json:"level"`
	Range          string `json:"range"`
	Recommendation string `json:"recommendation"`
}

// A Provision is a provision to which the protocol says it contributes.
type Provision struct {
	Framework    string `json:"framework"`
	Provision    string `json:"provision"`
	Contribution string `json:"contribution"`
}

// A Definition is a term with its formula.
type Definition struct {
	Term    string `json:"term"`
	Formula string `json:"formula"`
	Text    string `json:"text"`
}

// The levels share no edge: .9 itself is substantial. METHODS 3.
var protocolLevels = []ProtocolLevel{
	{"insufficient", "SS < 0.3", "Do not deploy. Reduce the variation first, then measure again."},
	{"limited", "0.3 ≤ SS < 0.6", "For uses of limited risk, under monitoring."},
	{"substantial", "0.6 ≤ SS ≤ 0.9", "For uses of high risk, where a person oversees the outcome."},
	{"high", "SS > 0.9", "The least that a safety component of a high-risk system should reach."},
}

const protocolFootnote = "A level speaks of robustness, that is whether answers agree with each other, and not of accuracy, that is whether they are right. " +
	"A system that gives the same wrong answer every time reaches the highest level. Semantic stability is therefore never reported alone, never a target by itself, and " +
	"supports no recommendation without an accuracy that was measured on questions of the same domain."

const noAccuracyBanner = "Accuracy was not measured. Some figures below rest on questions without reference answers: their semantic stability says only that answers agree with each other, " +
	"not that they are right. No recommendation is given for them."

// NewProtocol fills in the template from an assay: a row per model and suite, and per domain where the suite names more than one. Models or
// suites whose consistency was not measured have no row, with a warning.
func NewProtocol(a *assay.Assay) *Protocol {
	d := &a.Document
	p := &Protocol{
		Title: "Semantic stability: protocol report", Run: d.Run.ID, Hallmark: d.Run.Version, Banners: []string{}, Rows: []ProtocolRow{},
		Purpose: "This report states how far the answers of a system stay the same when a question is put in other words that mean the same, and beside it how often " +
			"they are right. It is meant for technical documentation, for conformity assessment and for whoever decides on a deployment.",
		Scope: []string{
			"Assessment of conformity before a system is deployed.",
			"Monitoring after it is on the market: the same suite again shows drift (hallmark compare --series).",
			"Technical documentation.",
			"Audits by third parties: this bundle holds the raw answers, and hallmark verify recomputes every number from them.",
		},
		Levels: protocolLevels, Footnote: protocolFootnote,
		Alignment: []Provision{
			{"EU AI Act (Regulation (EU) 2024/1689)", "Article 15(1)", "a figure for robustness against changes of the input"},
			{"EU AI Act (Regulation (EU) 2024/1689)", "Article 15(3)", "a measure by which a mitigation of inconsistency can be shown"},
			{"NIST AI RMF", "MEASURE 2.5", "reliability, as the consistency of outputs"},
			{"NIST AI RMF", "MEASURE 2.6", "a method of testing under perturbation"},
			{"ISO/IEC 42001", "6.1.4", "risk in figures that others can reproduce"},
		},
		AsCited: "As cited by the protocol. Which provision says what is the protocol’s reading, and not confirmed here: in the Regulation, for one, Article 15(3) is about declaring accuracy and 15(4) about " +
			"resilience against errors. Check each against the text in force before relying on it. Nothing here is legal advice.",
		Definitions: []Definition{
			{"Paraphrase consistency", "PC@k(x) = max over a of |{i : a_i = a}| / k", "The share of the k scored variants of question x that give its most common answer. It is never below 1/k, so figures of different k are not compared."},
			{"Semantic stability", "SS = mean over x of PC@k(x)", "The mean over the N questions. Answers are equal if their normal forms are, by the type of answer; text that nothing can read is one answer of its own, and an answer that could not be had is left out."},
			{"%PC<0.5, %PC≥0.8", "shares of questions", "Questions that mostly disagree with themselves, and those that mostly agree."},
			{"Accuracy", "mean over x of the share of variants that are right", "Over the questions with a reference answer. It stands beside every stability."},
			{"Repeat agreement", "chance that two asks of one identical prompt agree", "The floor under every stability: what moves without any change of the question is not the question’s."},
			{"Intervals", "95 %, the question as the unit", "Shares by Wilson’s score interval; means by Gaffke’s bound, which is never of zero width (docs/methods.md)."},
		},
		Citation: "Protocol: A. R. Flouro and S. P. Chadwick, Hallucinations Live in Variance, 2026, appendix A. Instrument: Hallmark " + d.Run.Version + ", run " + d.Run.ID + ".",
		Warnings: append([]string{}, d.Run.Warnings...),
	}
	for i := range d.Models {
		m := &d.Models[i]
		for _, s := range d.Run.Suites {
			r := m.On(s.Name)
			p.add(m, s.Name, r, d.Run.Warnings)
		}
	}
	if slices.ContainsFunc(p.Rows, func(r ProtocolRow) bool { return r.Accuracy == nil }) {
		p.Banners = append(p.Banners, noAccuracyBanner)
	}
	if len(p.Rows) == 0 {
		p.Banners = append(p.Banners, "Consistency was not measured in this run, so the protocol has no figure to report.")
	}
	p.checks(d)
	return p
}

// add adds the rows of one model on one suite.
func (p *Protocol) add(m *assay.ModelResult, suite string, r *assay.SuiteResult, notes []string) {
	if r == nil || r.Consistency == nil || r.Consistency.SemanticStability == nil {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s on %s: consistency was not measured, so it has no row", m.Model, suite))
		return
	}
	whole := protocolRow(m, suite, "", r.Consistency)
	if r.Rubric != nil {
		whole.Hallucination = r.Rubric.Hallucination
	}
	if again := r.RepeatAgreement; again != nil {
		whole.RepeatAgreement = again.Agreement
		whole.Warnings = append(whole.Warnings, again.Warnings...)
	} else {
		whole.Warnings = append(whole.Warnings, "the identical prompt was not asked again (--repeats), so what moves without any paraphrase is not known")
	}
	for _, n := range notes { // such as that another benchmark stands in for the one that is meant
		if strings.HasPrefix(n, "suite "+suite+": ") {
			whole.Warnings = append(whole.Warnings, n)
		}
	}
	p.Rows = append(p.Rows, whole)
	if len(r.ConsistencyByDomain) < 2 {
		return
	}
	var domains []string
	for d := range r.ConsistencyByDomain {
		domains = append(domains, d)
	}
	slices.Sort(domains)
	for _, d := range domains {
		row := protocolRow(m, suite, d, r.ConsistencyByDomain[d])
		if r.Rubric != nil {
			row.Hallucination = r.Rubric.ByDomain[d].Hallucination
		}
		p.Rows = append(p.Rows, row)
	}
}

func protocolRow(m *assay.ModelResult, suite, domain string, c *consistency.Result) ProtocolRow {
	row := ProtocolRow{
		System: m.Model, Suite: suite, Domain: domain, N: c.Questions, K: c.Variants, SemanticStability: c.SemanticStability,
		PCBelowHalf: c.PCBelowHalf, PCAtLeast80: c.PCAtLeast80, PCIntervals: c.PCIntervals, Floor: c.PCFloor, Accuracy: c.Accuracy,
		Greedy: m.Greedy, Unscored: c.Unscored, Level: c.RobustnessLevel, Warnings: append([]string{}, c.Warnings...),
	}
	if !m.Greedy {
		row.Warnings = append(row.Warnings, "the answers were sampled, as the system refuses temperature 0: part of what moves is not the paraphrase’s")
	}
	switch i := slices.IndexFunc(protocolLevels, func(l ProtocolLevel) bool { return l.Level == row.Level }); {
	case i < 0:
	case row.Accuracy == nil:
		row.Warnings = append(row.Warnings, "no recommendation: accuracy was not measured")
	default:
		row.Recommendation = protocolLevels[i].Recommendation
	}
	return row
}

// checks says how the run meets what the protocol asks for.
func (p *Protocol) checks(d *assay.Document) {
	run := &d.Run
	var systems, suites []string
	greedy, n := true, 0
	for _, m := range d.Models {
		systems = append(systems, m.Model)
		greedy = greedy && m.Greedy
	}
	for _, s := range run.Suites {
		suites = append(suites, fmt.Sprintf("%s (%s)", strings.TrimSpace(s.Name+" "+s.Version), count(s.Cases, "question")))
	}
	k := consistency.Extremes{}
	for i, r := range p.Rows {
		if r.Domain != "" {
			continue
		}
		n += r.N
		if i == 0 {
			k = r.K
		}
		k = consistency.Extremes{Min: min(k.Min, r.K.Min), Max: max(k.Max, r.K.Max)}
	}
	variants := "the phrasings that the suite writes out"
	if len(run.Variants) > 0 {
		var parts []string
		for _, kind := range sorted(run.Variants) {
			parts = append(parts, fmt.Sprintf("%s %d", kind, run.Variants[kind]))
		}
		variants = strings.Join(parts, ", ")
	}
	decoding := "temperature 0 throughout"
	if !greedy {
		decoding = "not met for every system: see the warnings of its rows"
	}
	p.Requirements = []ProtocolCheck{
		{"The system under evaluation.", strings.Join(systems, "; ")},
		{"A source of paraphrases, by rule, by template or by a model.", variants},
		{"Deterministic decoding.", decoding},
		{"Questions, of a benchmark or of the domain of use.", strings.Join(suites, "; ")},
	}
	p.Steps = []ProtocolCheck{
		{"Select N questions; 100 or more are recommended.", fmt.Sprintf("N = %s over all rows", grouped(n))},
		{"Make k variants of each that mean the same; 10 are recommended.", "k = " + span(k)},
		{"Ask every variant, decoding deterministically.", decoding},
		{"Compute PC@k of every question.", "cases.csv, column pc"},
		{"Report SS with %PC<0.5 and %PC≥0.8.", "the table of results"},
	}
}

func span(k consistency.Extremes) string {
	if k.Min == k.Max {
		return strconv.Itoa(k.Min)
	}
	return fmt.Sprintf("%d to %d", k.Min, k.Max)
}
