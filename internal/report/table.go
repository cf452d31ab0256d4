package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/sheet"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/posterior"
)

// Columns are the columns of CSV, in order. Later releases add columns at the end and change none.
//
//	run, model, suite                    which run, model and suite the row belongs to
//	case_id, class, domain, difficulty   the case; tags are separated by spaces
//	prompt, gold, answer                 the default prompt; the gold as shown; the raw answer to it
//	truth, truth_rule, truth_evidence    verdict (pass, fail, ungradable, unscored, n/a) with its reason;
//	                                     likewise decidability, reciprocity, format
//	hallucinated                         H: true, false; empty: could not be graded, unscored or not asked
//	kind, act                            kind of failure; what the model did with the question
//	r, pc, sc, ambiguous, mode, category stability over r scored variants; empty where r < 2
//	right, wrong, declined, unread, unscored  counts of the answers over variants; unread: could not be
//	                                     graded
//	draws, sampled_sc                    draws at temperature 1 and their self-consistency
//	unscored_reason                      why the default prompt's answer is unscored
//	quadrant                             stable_correct, stable_wrong, unstable_correct, unstable_wrong
//	correct, consistent                  the labels of detection: true, false; empty: not known, or not asked
//	score_perplexity, …                  what each detector says of the answer to the default prompt, higher is more
//	                                     likely hallucinated; empty where there is no score
//	equality                             meaning where answers were compared by what they say, else empty
//	semantic_entropy, semantic_entropy_weighted  of the draws, in nats, over answers that say the
//	                                     same; empty where not compared so
//	phr  the posterior hallucination rate; empty where it was not measured
//	phr_lo, phr_hi, phr_75, mhr, mutual_information, label_entropy, error_rate, abstain
//	                                     its interval, the rate at eps .75, what goes with it, and whether it calls
//	                                     for abstaining
//	outcome                              correct, incorrect, not_attempted, ungradable; empty: nothing came back, or
//	                                     nothing to grade by
//	grader, confidence                   who decided the outcome, and how sure it is, from 0 to 1
var Columns = slices.Concat(csvColumns("cases"),
	each(detect.Names, func(name string) string { return "score_" + name }), csvColumns("cases, behind the scores"))

// CSV writes one row per case that joins every method, with the Columns as header, by RFC 4180 (UTF-8, CRLF). No text
// runs as a formula in a spreadsheet (sheet.Guard); control characters other than tab and line feed become visible,
// and a text is cut at 32,000 characters, which is about what a cell holds. Numbers are written in full.
func CSV(w io.Writer, a *assay.Assay) error {
	err := writeRows(w, Columns, func(yield func([]string) bool) {
		for _, r := range a.Cases.All() {
			answer, reason := "", ""
			counts := map[string]int{}
			for _, x := range r.Answers {
				counts[x.Verdict]++
				if x.Variant == 0 {
					answer, reason = x.Text, x.Failure
					if x.Verdict != "unscored" {
						reason = ""
					}
				}
			}
			is := []any{a.Document.Run.ID, r.Model, r.Suite, r.ID, r.Class, r.Domain, r.Difficulty,
				strings.Join(r.Tags, " "), r.Prompt, r.Gold, answer}
			for _, x := range r.Axes {
				is = append(is, x.Verdict, x.Rule, x.Evidence)
			}
			is = append(is, r.Hallucinated, r.Kind, r.Act)
			stable := make([]any, 6)
			if r.R >= 2 {
				stable = []any{r.R, r.PC, r.SC, r.Ambiguous, r.Mode, r.Category}
			}
			is = append(is, stable...)
			for _, v := range []string{"right", "wrong", "declined", "ungradable", "unscored"} {
				is = append(is, counts[v])
			}
			is = append(is, len(r.Sampled), r.SampledSC, reason, r.Quadrant)
			for _, x := range members(treeOf(r.Detection), labelsAndScores...) {
				is = append(is, x)
			}
			is = append(is, r.Equality, r.SemanticEntropy, r.SemanticEntropyWeighted, r.PHR)
			// numbers are never below 0, so they pass the guard as they are
			row := each(is, func(x any) string { return guard(treeOf(x).Cell()) })
			row = append(row, believed(r.Posterior)...) // of which information may be below 0
			confidence := ""
			if r.Outcome != "" {
				confidence = exact(r.Confidence)
			}
			if !yield(append(row, guard(r.Outcome), guard(r.Grader), confidence)) {
				return
			}
		}
	})
	return cmp.Or(err, a.Err())
}

// labelsAndScores are the members of what detectors say of a case.
var labelsAndScores = append([]string{"correct", "consistent"}, each(detect.Names,
	func(name string) string { return "scores/" + name })...)

// writeRows is sheet.Write.
func writeRows(w io.Writer, columns []string, rows iter.Seq[[]string]) error {
	if err := sheet.Write(w, columns, rows); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// members writes members of a part of the document in full, each named by its path with slashes; what is not there is
// empty.
func members(t tree, paths ...string) (row []string) {
	for _, path := range paths {
		row = append(row, t.Cell(strings.Split(path, "/")...))
	}
	return row
}

// A csvColumn is a column, or as many as a figure with its interval has, and where in a part of the document it stands.
type csvColumn struct {
	name, path string
	interval   bool
}

// csvOf are the columns of a table by words.json: NAME, or NAME=PATH with slashes where the path is another, and behind
// the name of a figure with its interval ±.
func csvOf(table string) (out []csvColumn) {
	for _, word := range strings.Fields(strings.Join(said.Columns[table], " ")) {
		name, path, elsewhere := strings.Cut(word, "=")
		c := csvColumn{path: path}
		if c.name, c.interval = strings.CutSuffix(name, "±"); !elsewhere {
			c.path = c.name
		}
		out = append(out, c)
	}
	return out
}

// csvColumns are the names of the columns of a table: NAME, NAME_lo and NAME_hi of a figure with its interval.
func csvColumns(table string) (names []string) {
	for _, c := range csvOf(table) {
		if names = append(names, c.name); c.interval {
			names = append(names, c.name+"_lo", c.name+"_hi")
		}
	}
	return names
}

// csvRow is what parts of a document have in the columns of a table, in full; the path of a column begins with the name
// of its part. The value of a figure is empty where a range stands in its place, which its bounds hold.
func csvRow(table string, parts map[string]tree) (row []string) {
	for _, c := range csvOf(table) {
		keys := strings.Split(c.path, "/")
		if t := parts[keys[0]].sub(keys[1:]...); c.interval {
			row = append(row, cmp.Or(members(t, "rate", "estimate", "mean")...), t.Cell("lo"), t.Cell("hi"))
		} else {
			row = append(row, t.Cell())
		}
	}
	return row
}

// believed are the cells of what the posterior method says of a case.
func believed(q *posterior.Query) []string {
	if q == nil || q.PHR == nil {
		return make([]string, 8)
	}
	return members(treeOf(q), "phr/lo", "phr/hi", "phr_75", "mhr/estimate", "mutual_information/estimate", "entropy",
		"error_rate", "abstain")
}

// guard returns text as a cell that no spreadsheet takes for a formula.
func guard(s string) string {
	s, left := cut(s, 32000)
	s = Visible(s)
	if left > 0 {
		s += fmt.Sprintf(" … %d more characters", left)
	}
	return sheet.Guard(s)
}

// JSON writes the result document as it stands, indented. It is the only format that shows ThisInvocation where that
// is set.
func JSON(w io.Writer, a *assay.Assay) error { return indented(w, a.Document) }

// indented writes a document.
func indented(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
