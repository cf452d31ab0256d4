// Package soundness checks logged answers before anybody draws conclusions from them: answers that are empty or error
// messages, golds that stand in the prompt, options chosen by their position, scores that rise with length, the same
// log under two names. Each
// check is a function over a Log; Look runs all of them and holds their tests against chance together.
package soundness

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Log is the answers of one model to one suite.
type Log struct {
	Model, Suite string
	Cases        []Case
	// ScoresAlone says that scores stand in the place of answers, so that nothing is known of what was said.
	ScoresAlone bool
}

// A Case is one question with the answers to it.
type Case struct {
	ID       string
	Question string // the prompt, without options
	Options  []string
	Right    int      // the right one of the options, from 0; -1: none is known
	Gold     []string // right answers as texts, also of options
	Decline  bool     // the right act is to decline
	Gradable bool     // a gold or an oracle says what is right
	Cluster  int32    // of cases that are one observation; 0: one by itself
	Answers  []Answer
}

// An Answer is one answer to a case.
type Answer struct {
	Variant, Repeat int
	Sampled         bool
	Missing         string // why there is none; "" where there is one
	Text            string
	Finish          string // as in package model; "" where nobody said
	Tokens          int    // generated; 0: not known
	Chosen          int    // the option, by its place in the case; -1: none was read
	Outcome         grade.Outcome
	Scores          map[string]float64
}

// A Severity says what an issue does to conclusions.
type Severity string

// The severities, the worst first.
const (
	Fault Severity = "fault" // answers or golds are not what they are taken for
	Doubt Severity = "doubt" // a figure may say something else than it seems to
	Note  Severity = "note"  // to be known to the reader
)

var severities = []Severity{Fault, Doubt, Note}

// An Issue is what a check found in a log.
type Issue struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	Model    string   `json:"model"` // "" where it is of a suite
	Suite    string   `json:"suite"`
	Text     string   `json:"text"`     // a sentence, with the count
	Remedy   string   `json:"remedy"`   // what to do about it
	Count    int      `json:"count"`    // answers or cases
	Of       int      `json:"of"`       // of so many
	Examples []string `json:"examples"` // ids of cases, at most two
	// Of issues that a test makes: the p value, and that adjusted for all tests of the document (stat.Holm).
	P        *float64 `json:"p,omitempty"`
	Adjusted *float64 `json:"p_holm,omitempty"`
	// Effect is the size of what was tested, in Unit.
	Effect *stat.Estimate `json:"effect,omitempty"`
	Unit   string         `json:"unit,omitempty"`
	// AUROC says how well the length of an answer alone tells the better answers from the others, in [0, 1].
	AUROC *stat.Estimate `json:"auroc,omitempty"`
	// Needs are the cases that would do.
	Needs *int `json:"needs,omitempty"`
}

// Options of Look.
type Options struct {
	Level     float64 // of intervals; a test finds something at 1 - Level after Holm's adjustment
	Seed      uint64
	HalfWidth float64 // of the interval that is wanted of a rate, in (0, .5)
}

// A Tally is what became of one check.
type Tally struct {
	Issues int `json:"findings"`
	Count  int `json:"count"` // answers or cases of its issues
	// Skipped says why it could not look at all, as no case shows options; "" where it did.
	Skipped string `json:"skipped,omitempty"`
}

// A Result is what was found.
type Result struct {
	Issues  []Issue          `json:"findings"` // worst first
	Faults  int              `json:"faults"`   // issues of each severity
	Doubts  int              `json:"doubts"`
	Notes   int              `json:"notes"`
	ByCheck map[string]Tally `json:"by_check"`
	// Tests are all that were made, also those that found nothing, in the order of the checks.
	Tests []Issue `json:"tests"`
}

// A check looks at one log. An issue with a p value is a test, which found something only where all tests together
// say so. skipped says why it could not look.
type check struct {
	name    string
	ofSuite bool // it looks at questions alone: once, however many models answered
	look    func(l *Log, o *Options) (found []Issue, skipped string)
}

// checks are all that look at one log, in the order of the documents.
var checks = []check{
	{"missing", false, missing}, {"error_text", false, errorTexts}, {"empty", false, empty}, {"cut_off", false, cutOff},
	{"failures_in_order", false, failuresInOrder}, {"repeated_answer", false, repeated},
	{"unbalanced", false, unbalanced}, {"gold_missing", true, goldMissing},
	{"gold_in_question", true, goldInQuestion}, {"gold_in_options", true, goldInOptions},
	{"right_position", true, rightPosition}, {"position_bias", false, positionBias},
	{"length_bias", false, lengthBias}, {"score_constant", false, ofEachScore(scoreConstant)},
	{"score_range", false, ofEachScore(scoreRange)}, {"score_disagrees", false, ofEachScore(scoreDisagrees)},
	{"too_few", false, tooFew},
}

// ofScores are the checks that need no texts.
var ofScores = []string{"missing", "unbalanced", "score_constant", "score_range", "too_few"}

// Beside lists the checks whose issues come from elsewhere, of a suite alone or of several logs.
var Beside = []string{"duplicate_question", "gold_unreadable", "same_log"}

// Names lists all checks.
func Names() []string {
	return append(lists.Map(checks, func(c check) string { return c.name }), Beside...)
}

// Look runs all checks on logs; others are issues that stand beside them. The tests of all are adjusted together by
// stat.Holm, so that the chance of any false finding by a test is at most 1 - o.Level.
func Look(logs []*Log, others []Issue, o Options) *Result {
	r := &Result{Issues: []Issue{}, Tests: []Issue{}, ByCheck: map[string]Tally{}}
	for _, name := range Names() {
		r.ByCheck[name] = Tally{}
	}
	all := slices.Clone(others)
	for _, c := range checks {
		why, looked := "", false
		seen := map[string]bool{}
		for _, l := range logs {
			if c.ofSuite && seen[l.Suite] {
				continue
			}
			seen[l.Suite] = true
			var found []Issue
			skipped := "scores stand in the place of answers"
			if !l.ScoresAlone || slices.Contains(ofScores, c.name) {
				found, skipped = c.look(l, &o)
			}
			looked = looked || skipped == ""
			why = cmp.Or(skipped, why)
			for _, f := range found {
				if f.Check, f.Suite = c.name, l.Suite; !c.ofSuite {
					f.Model = l.Model
				}
				all = append(all, f)
			}
		}
		if !looked {
			r.ByCheck[c.name] = Tally{Skipped: why}
		}
	}
	all = append(all, sameLogs(logs)...)
	r.adjust(all)
	for _, f := range all {
		if f.Adjusted != nil && *f.Adjusted >= 1-o.Level {
			continue
		}
		r.Issues = append(r.Issues, f)
		t := r.ByCheck[f.Check]
		t.Issues++
		t.Count += f.Count
		r.ByCheck[f.Check] = t
		*map[Severity]*int{Fault: &r.Faults, Doubt: &r.Doubts, Note: &r.Notes}[f.Severity]++
	}
	share := func(f *Issue) float64 { return float64(f.Count) / float64(max(f.Of, 1)) }
	slices.SortStableFunc(r.Issues, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)),
			cmp.Compare(share(&b), share(&a)))
	})
	return r
}

// adjust enters the tests, and gives each its adjusted p.
func (r *Result) adjust(all []Issue) {
	var tests []stat.Holmed
	for i := range all {
		if all[i].Examples == nil {
			all[i].Examples = []string{}
		}
		tests = append(tests, stat.Holmed{P: all[i].P, To: &all[i].Adjusted})
	}
	stat.AdjustHolm(tests)
	for i := range all {
		if all[i].P != nil {
			r.Tests = append(r.Tests, all[i])
		}
	}
}

// first are the answers that estimates rest on: that to the default prompt, of each case that has one.
func (l *Log) first() (out []answered) {
	for i := range l.Cases {
		c := &l.Cases[i]
		for k := range c.Answers {
			if a := &c.Answers[k]; a.Variant == 0 && a.Repeat == 0 && a.Missing == "" {
				out = append(out, answered{c, a})
				break
			}
		}
	}
	return out
}

// An answered is a case with one of its answers.
type answered struct {
	*Case
	*Answer
}

// each passes all answers that are there.
func (l *Log) each(visit func(*Case, *Answer)) (n int) {
	for i := range l.Cases {
		for k := range l.Cases[i].Answers {
			if a := &l.Cases[i].Answers[k]; a.Missing == "" {
				visit(&l.Cases[i], a)
				n++
			}
		}
	}
	return n
}

// A tally collects what one issue is of.
type tally struct {
	n   int
	ids []string
}

func (t *tally) add(c *Case) {
	t.n++
	if len(t.ids) < 2 && !slices.Contains(t.ids, c.ID) {
		t.ids = append(t.ids, c.ID)
	}
}

// issue makes an issue of what was collected, as "1 of 9 answers is empty" of what, is and are; none of nothing.
func (t *tally) issue(s Severity, of int, what, is, are, remedy string) []Issue {
	if t.n == 0 {
		return nil
	}
	if t.n > 1 {
		is = are
	}
	return []Issue{{Severity: s, Text: fmt.Sprintf("%d of %s %s", t.n, figure.Counted(of, what), is), Remedy: remedy,
		Count: t.n, Of: of, Examples: t.ids}}
}

// points writes a difference of shares.
func points(x float64) string { return figure.Fixed(100*math.Abs(x), 1) + " points" }

// percent writes a share.
func percent(x float64) string { return figure.InPercent(x, 1) }
