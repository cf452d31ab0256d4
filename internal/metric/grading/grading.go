// Package grading measures the grader: what it makes of answers of which people said what is true, how often it is
// wrong, what it leaves undecided, and what that implies for the rate of a run that it read.
package grading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Key names one answer: that to a case, to one of its variants, in one of the repeats.
type Key struct {
	CaseID  string `json:"case_id"`
	Variant int    `json:"variant"`
	Repeat  int    `json:"repeat"`
}

// String returns the name as messages have it.
func (k Key) String() string {
	return fmt.Sprintf("case_id %q, variant %d, repeat %d", k.CaseID, k.Variant, k.Repeat)
}

// A Label is what people say of one answer.
type Label struct {
	Outcome     grade.Outcome // one of Truths
	Unsupported *bool         // whether a right core lacks evidence or has invented details; nil: not said
	Style       string        // how the answer is written, such as terse or chatty; "": not said
	Type        string        // the type of the gold, in place of GoldOf; "": not said
}

// A Row is one answer with what is true of it and how it was read.
type Row struct {
	Key
	Truth, Read         grade.Outcome // Read is NoOutcome where the answer is unscored
	Class, Gold, Oracle string
	Length              Length
	Style               string
	Grader, Rule        string
	Confidence          float64 // 0: the grader does not say
	Unsupported         *bool   // as labelled
	ReadUnsupported     bool
	Text                string
	Model               string // who answered; "": not said
}

// RowOf returns the row of a labelled answer to a case that was graded so.
func RowOf(g grade.Grade, c *suite.Case, key Key, text string, l Label) Row {
	return Row{
		Key: key, Truth: l.Outcome, Read: g.Outcome(), Class: c.Class, Gold: cmp.Or(l.Type, GoldOf(c)),
		Oracle: OracleOf(c),
		Length: LengthOf(text), Style: l.Style,
		Grader: g.Grader, Rule: ruleOf(g), Confidence: g.Confidence, Unsupported: l.Unsupported,
		ReadUnsupported: g.Unsupported(), Text: text,
	}
}

// ruleOf returns the rule that decided the outcome: that of the first of the core's axes that does not pass, else
// that of truth.
func ruleOf(g grade.Grade) string {
	for _, j := range []grade.Judgment{g.Truth, g.Decidability} {
		if j.Verdict == grade.Fail {
			return j.Rule
		}
	}
	if g.Truth.Verdict != grade.Ungradable && g.Decidability.Verdict == grade.Ungradable {
		return g.Decidability.Rule
	}
	return g.Truth.Rule
}

// Options of Analyze.
type Options struct {
	Level float64 // of the intervals
	List  int     // how many disagreements to list
	// Show makes hostile text harmless to what shows it; nil leaves it as it is.
	Show func(string) string
}

func (o Options) shown() func(string) string {
	if o.Show == nil {
		return func(s string) string { return s }
	}
	return o.Show
}

// A Share is a count with its rate; nil is a share of nothing.
type Share struct {
	K int `json:"k"`
	N int `json:"n"` // answers
	stat.Rate
}

// Known returns the rate of the share, nil (null) of nothing.
func (s *Share) Known() *stat.Rate {
	if s == nil {
		return nil
	}
	return &s.Rate
}

// Percent writes the share in percent with its interval, as 90.0 % [69.9, 97.2] with the unit " %"; a dash of nothing.
func (s *Share) Percent(unit string) string {
	if s == nil {
		return "–"
	}
	return bracketed(unit, stat.Estimate(s.Rate))
}

func bracketed(unit string, e stat.Estimate) string {
	return figure.Bracketed(func(x float64) string { return figure.Fixed(100*x, 1) }, unit, e.Value, e.Lo, e.Hi)
}

// A Coverage is how many of the answers of each true outcome were decided. Where they differ, a rate over what was
// decided is biased.
type Coverage = Truly[*Share]

// A Group holds the figures of a set of answers.
type Group struct {
	N         int         `json:"n"` // labelled answers that came back and were graded
	Cases     int         `json:"cases"`
	Matrix    Matrix[int] `json:"matrix"` // counts by true outcome, then by how it was read
	Decided   *Share      `json:"decided"`
	Agreement *Share      `json:"agreement"` // of what was decided: read as it is
	FW        *Share      `json:"fw"`        // of what was decided and is not incorrect: read as incorrect
	FR        *Share      `json:"fr"`        // of what was decided and is incorrect: read otherwise
	Coverage  Coverage    `json:"coverage"`
	// DesignEffect is by how much answers of one case err together: the variance of the share that is not read as
	// it is, over what it would be if every answer were of a case of its own. Absent where that is not available.
	DesignEffect *float64 `json:"design_effect,omitempty"`
}

// A Cell is one way of misreading, as a share of all that was decided.
type Cell struct {
	Truth grade.Outcome `json:"true"`
	Read  grade.Outcome `json:"read"`
	Share
}

// A Bin holds the decided answers of which the grader was about as sure.
type Bin struct {
	From       float64 `json:"from"` // confidence at least this, and below To; the last bin has both ends
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"` // mean
	Right      *Share  `json:"right"`
}

// A Calibration sets the grader's confidence beside how often it was right.
type Calibration struct {
	N     int     `json:"n"`     // decided answers whose grader said how sure it is
	Brier float64 `json:"brier"` // mean of (confidence - right)², 0 is best
	// expected calibration error: mean over the answers of |confidence - share right| of their bin
	ECE  float64 `json:"ece"`
	Bins []Bin   `json:"bins"` // those that hold an answer
}

// A Support compares what was labelled as unsupported with what was read so, over the answers that are correct and
// were read so.
type Support struct {
	Missed *Share `json:"missed"` // of those that are unsupported: not read so
	Wrong  *Share `json:"wrong"`  // of those that are supported: read as unsupported
}

// A Disagreement is an answer that was read as something else than it is.
type Disagreement struct {
	Key
	Truth      grade.Outcome `json:"true"`
	Read       grade.Outcome `json:"read"`
	Grader     string        `json:"grader"`
	Rule       string        `json:"rule"`
	Confidence float64       `json:"confidence"`
	Gold       string        `json:"gold_type"`
	Excerpt    string        `json:"excerpt"` // the beginning of the answer
}

// Units of inference.
const (
	ByAnswer = "answer" // every answer is to a case of its own
	ByCase   = "case"   // cases have several answers, which err together
)

// A Result is what grade check finds.
type Result struct {
	Unit string `json:"unit"` // what intervals take as independent: ByAnswer or ByCase
	Group
	// how the answers of each true outcome are read: the rows that an inversion needs
	GivenTrue   Matrix[*Share]   `json:"given_true"`
	OffDiagonal []Cell           `json:"off_diagonal"` // the six ways to misread what was decided
	ByClass     map[string]Group `json:"by_class"`
	ByLength    map[Length]Group `json:"by_length"`
	ByGold      map[string]Group `json:"by_gold_type"`
	ByOracle    map[string]Group `json:"by_oracle"`
	ByGrader    map[string]Group `json:"by_grader"`
	ByStyle     map[string]Group `json:"by_style,omitempty"` // as labelled
	Calibration *Calibration     `json:"calibration"`
	Unsupported *Support         `json:"unsupported,omitempty"`
	Raters      Raters           `json:"raters"`
	Unscored    int              `json:"unscored"`   // labelled answers that the grader could not be asked about
	Unlabelled  int              `json:"unlabelled"` // answers without a label
	// Disagreed is how many answers were decided and misread; Disagreements lists the first of them, in the order
	// of the answers.
	Disagreed     int            `json:"disagreed"`
	Disagreements []Disagreement `json:"disagreements"`
	Warnings      []string       `json:"warnings"`
}

// Raters says what the labels rest on.
type Raters struct {
	Raters int `json:"raters"`
	Labels int `json:"labels"`
	// answers with labels of two raters or more, the adjudicator not among them
	Twice   int            `json:"twice"`
	Agreed  int            `json:"agreed"`          // of Twice: all of one mind
	Settled int            `json:"settled"`         // disagreements that a majority or the adjudicator decided
	Split   int            `json:"split"`           // those that nobody did; left out
	Alpha   *stat.Estimate `json:"alpha,omitempty"` // Krippendorff's, nominal, over Twice
}

// Analyze returns what the rows say of the grader.
//
// Counts: n_ij answers are truly i and read as j, with i in Truths and j ungradable as well; d = Σ n_ij over j
// decided. Then
//
//	fw = Σ_{i ≠ incorrect} n_{i,incorrect} / Σ_{i ≠ incorrect} d_i
//	fr = Σ_{j ≠ incorrect, decided} n_{incorrect,j} / d_incorrect,
//	coverage_i = d_i / n_i,   cell_ij = n_ij / d,   given_true_ij = n_ij / n_i
//
// in [0, 1], nil over nothing. Intervals: Wilson's where every case has one answer (Unit ByAnswer); else stat.Ratio
// over cases, which takes the case as the unit, as answers of one case are not independent. Calibration is over
// what was decided with a confidence above 0.
//
// Coverage, of 4,000 checks each (TestIntervalsCover): .931 to .974 at one answer a case, .968 to .988 with two or
// three of a case that are misread together.
//
// Rows whose Read is NoOutcome are counted as unscored and are in no figure. It panics on a row whose Truth is
// none. It does not change rows, and their order changes nothing but that of the list. Source: GRADING 7.
func Analyze(rows []Row, o Options) Result {
	var scored []*Row
	for i := range rows {
		if rows[i].Read != grade.NoOutcome {
			scored = append(scored, &rows[i])
		}
	}
	e := estimator{level: o.Level, unit: unitOf(scored)}
	r := Result{Unit: e.unit, Group: e.group(scored), Unscored: len(rows) - len(scored), Warnings: []string{},
		Disagreements: []Disagreement{}}
	for _, truth := range Truths {
		for _, read := range grade.Outcomes {
			*r.GivenTrue.Of(truth).Of(read) = e.share(scored, isTruth(truth), isRead(read))
			if read == truth || read == grade.CannotGrade {
				continue
			}
			c := Cell{Truth: truth, Read: read}
			if s := e.share(scored, decided, func(r *Row) bool {
				return r.Truth == truth && r.Read == read
			}); s != nil {
				c.Share = *s
				r.OffDiagonal = append(r.OffDiagonal, c)
			}
		}
	}
	r.ByClass = split(e, scored, func(r *Row) string { return r.Class })
	r.ByLength = split(e, scored, func(r *Row) Length { return r.Length })
	r.ByGold = split(e, scored, func(r *Row) string { return r.Gold })
	r.ByOracle = split(e, scored, func(r *Row) string { return r.Oracle })
	r.ByGrader = split(e, scored, func(r *Row) string { return r.Grader })
	r.ByStyle = split(e, scored, func(r *Row) string { return r.Style })
	r.Calibration, r.Unsupported = e.calibration(scored), e.support(scored)
	r.list(scored, o)
	r.warn()
	return r
}

func unitOf(rows []*Row) string {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.CaseID] {
			return ByCase
		}
		seen[r.CaseID] = true
	}
	return ByAnswer
}

func isTruth(o grade.Outcome) func(*Row) bool { return func(r *Row) bool { return r.Truth == o } }
func isRead(o grade.Outcome) func(*Row) bool  { return func(r *Row) bool { return r.Read == o } }

func every(*Row) bool     { return true }
func decided(r *Row) bool { return r.Read != grade.CannotGrade }
func right(r *Row) bool   { return r.Read == r.Truth }

// excerptRunes bounds what is shown of an answer.
const excerptRunes = 120

func excerpt(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > excerptRunes {
		return string(runes[:excerptRunes]) + "…"
	}
	return string(runes)
}

func (r *Result) list(rows []*Row, o Options) {
	show := o.shown()
	for _, row := range rows {
		if !decided(row) || right(row) {
			continue
		}
		if r.Disagreed++; r.Disagreed > o.List {
			continue
		}
		r.Disagreements = append(r.Disagreements, Disagreement{
			Key: Key{show(row.CaseID), row.Variant, row.Repeat}, Truth: row.Truth, Read: row.Read,
			Grader: row.Grader, Rule: show(row.Rule), Confidence: row.Confidence, Gold: show(row.Gold),
			Excerpt: show(excerpt(row.Text)),
		})
	}
}

// fewLabels is below how many answers of a true outcome a warning says so: none misread of 30 leaves up to 11 %.
const fewLabels = 30

func (r *Result) warn() {
	for _, truth := range Truths {
		n := Total(*r.Matrix.Of(truth))
		if n < fewLabels {
			stat.Warn(&r.Warnings, "few labels of answers that are truly %s: %d; label %d more to know how such "+
				"answers are read", Words(truth), n, fewLabels-n)
		}
	}
	c, by := r.Coverage, func(a, b *Share) int { return cmp.Compare(a.Value, b.Value) }
	known := []*Share{c.Correct, c.Incorrect, c.NotAttempted}
	known = slices.DeleteFunc(known, func(s *Share) bool { return s == nil })
	if len(known) > 0 && slices.MaxFunc(known, by).Lo > slices.MinFunc(known, by).Hi {
		r.Warnings = append(r.Warnings, "answers of one true outcome are left undecided more often than others: a "+
			"rate over what was decided is biased")
	}
	if r.Unscored > 0 {
		stat.Warn(&r.Warnings, "%d labelled answers could not be scored: their cases need a judge or an oracle",
			r.Unscored)
	}
}

// Words returns the name of an outcome as people read it.
func Words(o grade.Outcome) string {
	if o == grade.CannotGrade {
		return "could not be graded"
	}
	return strings.ReplaceAll(string(o), "_", " ")
}

// Truths are the outcomes that an answer can truly have, in the order of the files. That nobody could grade it is
// said of a reading alone.
var Truths = []grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}

// Reads holds something for each outcome that a grader gives.
type Reads[T any] struct {
	Correct      T `json:"correct"`
	Incorrect    T `json:"incorrect"`
	NotAttempted T `json:"not_attempted"`
	Ungradable   T `json:"ungradable"`
}

// Of returns the member of an outcome. It panics on NoOutcome: what was not read has no place here.
func (r *Reads[T]) Of(read grade.Outcome) *T {
	switch read {
	case grade.Correct:
		return &r.Correct
	case grade.Incorrect:
		return &r.Incorrect
	case grade.NotAttempted:
		return &r.NotAttempted
	case grade.CannotGrade:
		return &r.Ungradable
	}
	panic("grading: no outcome is named " + string(read))
}

// Truly holds something for each outcome that an answer can truly have.
type Truly[T any] struct {
	Correct      T `json:"correct"` // of the answers that are truly correct
	Incorrect    T `json:"incorrect"`
	NotAttempted T `json:"not_attempted"`
}

// A Matrix holds something for each true outcome and each outcome that a grader gives.
type Matrix[T any] = Truly[Reads[T]]

// Of returns the member of a true outcome. It panics on what is none.
func (m *Truly[T]) Of(truth grade.Outcome) *T {
	switch truth {
	case grade.Correct:
		return &m.Correct
	case grade.Incorrect:
		return &m.Incorrect
	case grade.NotAttempted:
		return &m.NotAttempted
	}
	panic("grading: nothing is truly " + string(truth))
}

// Sum returns the number of answers in a matrix of counts.
func Sum(m Matrix[int]) (n int) {
	for _, truth := range Truths {
		n += Total(*m.Of(truth))
	}
	return n
}

// Total returns the number of answers in a row of counts.
func Total(r Reads[int]) int { return r.Correct + r.Incorrect + r.NotAttempted + r.Ungradable }

// TruthNames lists Truths as text.
func TruthNames() (names []string) {
	for _, truth := range Truths {
		names = append(names, string(truth))
	}
	return names
}
