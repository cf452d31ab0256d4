package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/rate"
)

// A sliceView is the cases of one value, beside the rest.
type sliceView struct {
	by, value   string   // of tags without a key, by is "tag"
	other       int      // how many values are in it together; 0 of one value
	at          []string // its place in the section
	t           tree
	wrong, rest fig
	apart, holm fig
	n, unsure   fig
}

// name is how a sentence calls it: topic geography, or the tag multi-hop.
func (x *sliceView) name() string {
	if x.other > 0 {
		return fmt.Sprintf("other %s (%s)", oneLine(x.by), count(x.other, "value"))
	}
	return oneLine(x.by) + " " + orNameless(x.value)
}

// filter picks its cases on a page.
func (x *sliceView) filter() string {
	switch {
	case x.other > 0 || x.by == "domain" || x.by == "difficulty":
		return ""
	case x.by == "class":
		return "class=" + slug(x.value)
	case x.by == rate.Tagged:
		return "tag=" + slug(x.value)
	}
	return "tag=" + slug(x.by+":"+x.value)
}

// sliceViews are the slices of a dimension, those with the most wrong answers first and the others, together, last.
func (s *section) sliceViews(by string) (out []*sliceView) {
	add := func(x *sliceView, keys ...string) {
		at := append([]string{"rubric", "slices", "by", by}, keys...)
		of := s.t.under(at...)
		x.by, x.at, x.t = by, at, s.t.sub(at...)
		x.n, x.wrong, x.unsure, x.rest = of("n"), of("incorrect"), of("not_attempted"), of("rest", "incorrect")
		x.apart, x.holm = of("difference"), of("difference", "p_holm")
		x.wrong = x.wrong.cases(x.filter())
		out = append(out, x)
	}
	for _, value := range s.t.Names("rubric", "slices", "by", by, "of") {
		add(&sliceView{value: value}, "of", value)
	}
	slices.SortStableFunc(out, func(a, b *sliceView) int {
		return cmp.Or(cmp.Compare(b.wrong.Value, a.wrong.Value), cmp.Compare(a.holm.Value, b.holm.Value))
	})
	if s.t.Has("rubric", "slices", "by", by, "other") {
		add(&sliceView{other: s.t.Whole("rubric", "slices", "by", by, "few")}, "other")
	}
	return out
}

// sliceDimensions are what the cases are sorted by, those with a slice that differs for sure first.
func (s *section) sliceDimensions() []string {
	names := slices.Clone(s.t.Names("rubric", "slices", "by"))
	least := map[string]float64{}
	for _, by := range names {
		least[by] = 1
		for _, x := range s.sliceViews(by) {
			if x.holm.OK {
				least[by] = min(least[by], x.holm.Value)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(least[a], least[b]) })
	return names
}

// sure reports whether a slice differs from the rest with Holm's p below .05.
func (x *sliceView) sure() bool { return x.holm.OK && x.holm.Value < .05 }

// sliced sets out wrong answers by what cases are sorted by.
func (s *section) sliced() block {
	if len(s.t.Names("rubric", "slices", "by")) == 0 || s.Answers == 0 {
		return nil
	}
	c := chapter{ID: s.id("slices"), Name: "Slices", Title: "Where it is wrong",
		Over: "wrong answers to the default prompt"}
	tested := s.t.Whole("rubric", "slices", "tested")
	var apart []prose
	for i, by := range s.sliceDimensions() {
		views := s.sliceViews(by)
		t := table{Stacked: true, One: "value", Many: "values", Listed: 20}
		var figs []fig
		for _, x := range views {
			figs = append(figs, x.wrong)
			if x.sure() && x.other == 0 {
				apart = append(apart, x.says())
			}
		}
		to := scaleFor(figs...)
		t.Columns = []column{{Head: oneLine(by)}, columnOf("answers"), columnOf("wrong"), column95(), columnOfPlots("", to),
			columnOf("not attempted").only(inFull), {Head: "less the rest, points", Kind: ofCounts}, columnOf("p, Holm")}
		for _, x := range views {
			label := cellOf(labelOf(x.wrong.named(orNameless(x.value))))
			if x.other > 0 {
				label = cellOf(count(x.other, "other value") + fmt.Sprintf(" of fewer than %d", rate.FewestOfSlice))
			}
			deep := len(x.at)
			r := rowOf(label, x.n.from(deep), bounded(x.wrong.from(deep)), cell{Plot: x.wrong}, x.unsure.from(deep),
				x.inPoints(), x.holm.from(deep))
			r.At = s.part(x.at...)
			t.Rows = append(t.Rows, r)
		}
		if i == 0 {
			c.Over += ", by " + oneLine(by) + "; " + to.ends()
			c.Body = append(c.Body, chapter{Inner: true, Title: "By " + oneLine(by), Body: []block{t}})
		} else {
			c.Body = append(c.Body, chapter{Inner: true, Fold: true, Title: "By " + oneLine(by), Body: []block{t}})
		}
	}
	says := "No slice differs from the rest for sure"
	switch {
	case tested == 0:
		says = "No slice could be set beside the rest"
	case len(apart) == 1:
		says = "One slice differs from the rest"
	case len(apart) > 1:
		says = fmt.Sprintf("%d slices differ from the rest", len(apart))
	}
	says += fmt.Sprintf(" (%s tested; p is corrected for their number by Holm’s method, so that any of them is "+
		"found by chance in at most 5 %% of runs). Intervals are of each slice by itself.", count(tested, "difference"))
	c.Lede = say(says)
	if len(apart) > 0 {
		c.Body = append([]block{list{Items: apart[:min(len(apart), 5)]}}, c.Body...)
	}
	if left := s.t.texts("rubric", "slices", "left_out"); len(left) > 0 {
		c.Body = append(c.Body, note{Kind: noteAside, Text: say("No slices: " + strings.Join(left, "; ") + ".")})
	}
	return c
}

// says is the sentence of a slice that differs.
func (x *sliceView) says() prose {
	more := "more"
	if x.apart.Value < 0 {
		more = "less"
	}
	return say(strong(x.name()), " is wrong "+more+" often than the rest: ", x.wrong, " of ", x.n, " answers against ",
		x.rest, " (p ", x.holm.equal(), ").")
}

// inPoints is the difference from the rest, with its interval beneath.
func (x *sliceView) inPoints() cell {
	if !x.apart.OK {
		return cellOf("–")
	}
	return cellOf(inPoints(x.apart)).under(change(x.apart.Lo) + " to " + change(x.apart.Hi))
}

// SliceColumns are the columns of Slices, in order. Later releases add columns at the end and change none.
//
//	run, model, suite     which run, model and suite the row belongs to
//	by, value             what cases are sorted by, and its value; empty for the values of few cases together
//	n, wrong              answers that came back, and those that are wrong
//	incorrect, …          the shares with their intervals; empty where they are ranges, which _lo and _hi bound
//	rest_n, rest_…        of the cases that are not of the slice
//	difference, …         incorrect less that of the rest, with p and Holm's over all rows of the model and suite
var SliceColumns = slices.Concat([]string{"run", "model", "suite", "by", "value", "n", "wrong"},
	wide("incorrect", "not_attempted"), []string{"rest_n"}, wide("rest_incorrect", "difference"), []string{"p", "p_holm"})

// ErrNoSlices says that a run has nothing to sort its cases by.
var ErrNoSlices error = Absent("no case of the run has a class, domain, difficulty or tag, or no answer is graded; a " +
	"column of the suite's table that is named otherwise is a tag (docs/suites.md)")

// SlicesCSV writes wrong answers by what cases are sorted by, a slice a row. The error is ErrNoSlices where there is
// none.
func SlicesCSV(w io.Writer, a *assay.Assay) error {
	var rows [][]string
	for _, s := range newView(a).Sections {
		of := a.Document.Models[0].Model
		if at := s.t.At(); len(at) > 1 {
			of = newTree(a.Document).Text(at[0], at[1], "model")
		}
		for _, by := range s.t.Names("rubric", "slices", "by") {
			for _, x := range s.sliceViews(by) {
				row := []string{a.Document.Run.ID, guard(of), guard(s.Suite), guard(by), guard(x.value)}
				row = append(row, members(x.t, "n", "wrong")...)
				row = append(row, shares(x.t, "incorrect", "not_attempted")...)
				row = append(row, members(x.t, "rest/n")...)
				row = append(row, shares(x.t, "rest/incorrect", "difference")...)
				rows = append(rows, append(row, members(x.t, "difference/p", "difference/p_holm")...))
			}
		}
	}
	if len(rows) == 0 {
		return ErrNoSlices
	}
	return writeRows(w, SliceColumns, slices.Values(rows))
}

// shares writes shares in three cells each: the value, which a range has none of, and its bounds.
func shares(t tree, paths ...string) (row []string) {
	for _, path := range paths {
		value := t.Cell(append(strings.Split(path, "/"), "rate")...)
		value = cmp.Or(value, t.Cell(append(strings.Split(path, "/"), "estimate")...))
		row = append(row, value)
		row = append(row, members(t, path+"/lo", path+"/hi")...)
	}
	return row
}
