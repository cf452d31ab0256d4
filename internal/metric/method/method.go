// Package method is what a way of measuring is: a value that says what is to be asked, from what was answered, and
// what the answers amount to. A method in a package of its own is entered in one line, in assay.Added; --method
// then takes it, runs and forecasts ask for it, documents, pages and gates have its figures, and runs are compared by
// them.
package method

import (
	"iter"

	"hallmark/internal/grade"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Method measures one model on one suite. Its values depend on what it is given alone, so that a run that is
// resumed or read again gives the same.
type Method interface {
	// Name is that of --method, and of the method's part of a result, at measured.NAME: lower-case letters, digits
	// and hyphens.
	Name() string
	// Title is the heading of its part of a page, and Lede a sentence on what its figures are of.
	Title() string
	Lede() string
	// Figures lists its figures in the order of the page, with their places in what Estimate returns.
	Figures() []figure.Entry
	// Next returns the calls whose records it needs and t.Record does not have; none once it has all. It is asked
	// again after these were asked, and may then want more. A call that brought nothing has a record with a
	// failure: it is not to be wanted again in other words for ever.
	Next(t *Table) iter.Seq[run.Call]
	// Most is how many calls one answer, of a case in one variant, draw or repeat, gives rise to at most, by which
	// a forecast counts answers that are not there.
	Most() int
	// Estimate returns what it measured, whose JSON is its part of the result; nil where the suite cannot carry it.
	// Where nothing was answered its estimates are nil: by that result a gate is checked before a run.
	Estimate(t *Table) (Result, error)
}

// A Result is what a method measured: a struct whose JSON is its part of a document, with the figures of the
// method's catalogue at their places. It may be ByCase as well.
type Result any

// A Table is one model on one suite.
type Table struct {
	Model    string // as results name it
	Identity string // of the model, which a call to it carries
	Sampling bool   // it refuses temperature 0: a request to it has temperature 1
	Suite    string
	Seed     uint64  // of the run
	Level    float64 // confidence of its intervals
	// Scores are the names of the scores that came along with imported answers.
	Scores []string

	// Cases are those that the run covers, in their order.
	Cases iter.Seq[Case]
	// Record returns the record of a call that Next returned: one with a failure where none is stored, nil of a
	// call that Next did not return yet.
	Record func(run.Call) *run.Record
}

// A Case is one with the answers to it.
type Case struct {
	*suite.Case
	Cluster int32    // of cases that are one observation, as suite.Clusters has it; 0: one by itself
	Answers []Answer // in the plan's order: variants, draws, repeats
}

// An Answer is one answer to a case.
type Answer struct {
	Use     string // "" for that to a variant, sample for a draw, repeat for one that was asked again
	Variant int    // 0 is the default prompt
	Repeat  int    // of a draw or repeat
	Prompt  string // the question as it was asked

	Missing  string          // why there is no answer; "" where there is one
	Text     string          // the answer as it is shown: the text, or that of the chosen option
	Response *model.Response // nil where there is none; without alternatives to tokens

	// In Next an answer has not been read: what follows is there in Estimate alone.
	Grade *grade.Grade
	// Class numbers what answers to the case say, from 1: those of one number say the same. 0: it is not known.
	Class int
}

// Asked returns the request that asks a model something, at the temperature that the model takes.
func (t *Table) Asked(prompt string, maxTokens int) run.Call {
	req := model.Request{Prompt: prompt, MaxTokens: maxTokens}
	if t.Sampling {
		req.Temperature = 1
	}
	return run.Call{Model: t.Identity, Request: req}
}
