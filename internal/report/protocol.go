package report

import (
	_ "embed" // the words of the protocol
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// A Protocol is the filled template of the semantic stability protocol, as protocol.json of an evidence bundle has
// it: what was measured, how it is classed, and what may be concluded. Its words are this project's; what it
// follows is in Citation.
type Protocol struct {
	Title        string            `json:"title"`
	Purpose      string            `json:"purpose"`
	Run          string            `json:"run"`
	Hallmark     string            `json:"hallmark"`
	Banners      []string          `json:"banners"` // what a reader must know before any figure
	Rows         []ProtocolRow     `json:"rows"`
	Scope        []string          `json:"scope"`
	Requirements []ProtocolCheck   `json:"requirements"`
	Steps        []ProtocolCheck   `json:"steps"`
	Levels       []RobustnessLevel `json:"levels"`
	Footnote     string            `json:"footnote"`
	Alignment    []Provision       `json:"alignment"`
	AsCited      string            `json:"as_cited"`
	Definitions  []Definition      `json:"definitions"`
	Citation     string            `json:"citation"`
	Warnings     []string          `json:"warnings"` // of the run as a whole
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

	// of the identical prompt asked again; null: not measured, or the row is of a domain
	RepeatAgreement *stat.Estimate `json:"repeat_agreement"`
	Greedy          bool           `json:"greedy"`
	Unscored        int            `json:"unscored"`

	Robustness     string   `json:"level,omitempty"`          // insufficient, limited, substantial or high
	Recommendation string   `json:"recommendation,omitempty"` // absent where a warning says why
	Warnings       []string `json:"warnings"`
}

// A ProtocolCheck is something that the protocol asks for, and how this run meets it.
type ProtocolCheck struct {
	Asked string `json:"asked"`
	Done  string `json:"done"`
}

// A RobustnessLevel is a level of semantic stability with what the protocol recommends.
type RobustnessLevel struct {
	Name           string `json:"level"`
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

// protocolWords is the template as it is before anything is filled in. Its levels share no edge: .9 itself is
// substantial. METHODS 3.
//
//go:embed protocolwords.json
var protocolWords []byte

// NewProtocol fills in the template from an assay: a row per model and suite, and per domain where the suite names
// more than one. Models or suites whose consistency was not measured have no row, with a warning.
func NewProtocol(a *assay.Assay) *Protocol {
	d := &a.Document
	p := &Protocol{
		Run: d.Run.ID, Hallmark: d.Run.Version, Banners: []string{}, Rows: []ProtocolRow{},
		Warnings: append([]string{}, d.Run.Warnings...),
		Citation: "Protocol: A. R. Flouro and S. P. Chadwick, Hallucinations Live in Variance, 2026, appendix A. " +
			"Instrument: Hallmark " + d.Run.Version + ", run " + d.Run.ID + ".",
	}
	if err := json.Unmarshal(protocolWords, p); err != nil {
		panic("report: protocolwords.json: " + err.Error())
	}
	for i := range d.Models {
		m := &d.Models[i]
		for _, s := range d.Run.Suites {
			p.add(m, s.Name, m.On(s.Name), d.Run.Warnings)
		}
	}
	p.Banners = append(p.Banners, eachPartial(d.Incomplete)...)
	if slices.ContainsFunc(p.Rows, func(r ProtocolRow) bool { return r.Accuracy == nil }) {
		p.Banners = append(p.Banners, called("texts", "no accuracy"))
	}
	if len(p.Rows) == 0 {
		p.Banners = append(p.Banners, called("texts", "no consistency"))
	}
	p.checks(d)
	return p
}

// add adds the rows of one model on one suite.
func (p *Protocol) add(m *assay.ModelResult, suite string, r *assay.SuiteResult, notes []string) {
	if r == nil || r.Consistency == nil || r.Consistency.SemanticStability == nil {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s on %s: consistency was not measured, so it has no row",
			m.Model, suite))
		return
	}
	whole := p.row(m, suite, "", r.Consistency, r)
	if r.Rubric != nil {
		whole.Hallucination = r.Rubric.Hallucination
	}
	if again := r.RepeatAgreement; again != nil {
		whole.RepeatAgreement = again.Agreement
		whole.Warnings = append(whole.Warnings, again.Warnings...)
	} else {
		whole.Warnings = append(whole.Warnings, "the identical prompt was not asked again (--repeats), so its "+
			"test–retest agreement is not known")
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
	for _, d := range slices.Sorted(maps.Keys(r.ConsistencyByDomain)) {
		row := p.row(m, suite, d, r.ConsistencyByDomain[d], r)
		if r.Rubric != nil {
			row.Hallucination = r.Rubric.ByDomain[d].Hallucination
		}
		p.Rows = append(p.Rows, row)
	}
}

func (p *Protocol) row(m *assay.ModelResult, suite, domain string, c *consistency.Result,
	r *assay.SuiteResult) ProtocolRow {
	row := ProtocolRow{
		System: m.Model, Suite: suite, Domain: domain, N: c.Questions, K: c.Variants,
		SemanticStability: c.SemanticStability,
		PCBelowHalf:       c.PCBelowHalf, PCAtLeast80: c.PCAtLeast80, PCIntervals: c.PCIntervals, Floor: c.LeastPC,
		Accuracy: c.Accuracy,
		Greedy:   m.Greedy, Unscored: c.Unscored, Robustness: c.RobustnessLevel,
		Warnings: append([]string{}, c.Warnings...),
	}
	if !m.Greedy {
		row.Warnings = append(row.Warnings, "the answers were sampled, as the system refuses temperature 0: some "+
			"answers change by sampling and not by the paraphrase")
	}
	p.advise(&row, c, r)
	return row
}

// checks says how the run meets what the protocol asks for.
func (p *Protocol) checks(d *assay.Document) {
	run := &d.Run
	systems := each(d.Models, func(m assay.ModelResult) string { return m.Model })
	suites := each(run.Suites, func(s assay.SuiteInfo) string {
		return fmt.Sprintf("%s (%s)", strings.TrimSpace(s.Name+" "+s.Version), count(s.Cases, "question"))
	})
	n, k := 0, consistency.Extremes{}
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
		for _, kind := range slices.Sorted(maps.Keys(run.Variants)) {
			parts = append(parts, fmt.Sprintf("%s %d", kind, run.Variants[kind]))
		}
		variants = strings.Join(parts, ", ")
	}
	decoding := "temperature 0 throughout"
	if slices.ContainsFunc(d.Models, func(m assay.ModelResult) bool { return !m.Greedy }) {
		decoding = "not met for every system: see the warnings of its rows"
	}
	meet := func(checks []ProtocolCheck, done ...string) {
		for i := range checks {
			checks[i].Done = done[i]
		}
	}
	meet(p.Requirements, strings.Join(systems, "; "), variants, decoding, strings.Join(suites, "; "))
	meet(p.Steps, fmt.Sprintf("N = %s over all rows", grouped(n)), "k = "+span(k), decoding, "cases.csv, column pc",
		"the table of results")
}

func span(k consistency.Extremes) string {
	if k.Min == k.Max {
		return strconv.Itoa(k.Min)
	}
	return fmt.Sprintf("%d to %d", k.Min, k.Max)
}
