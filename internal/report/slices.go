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

// name is how a sentence calls it: questions with topic “geography”, or questions tagged “multi-hop”.
func (x *sliceView) name() string { return questionsOf(x.by, x.value) }

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

// fewSlices is how many slices the first layer shows of a dimension where none differs for sure, and mostSure how many
// of those that do.
const (
	fewSlices = 5
	mostSure  = 12
)

// sliced sets out wrong answers by what cases are sorted by.
func (s *section) sliced() block {
	if len(s.t.Names("rubric", "slices", "by")) == 0 || s.Answers == 0 {
		return nil
	}
	c := s.chapter("slices")
	var apart []prose
	for i, by := range s.sliceDimensions() {
		views := s.sliceViews(by)
		var figs []fig
		for _, x := range views {
			figs = append(figs, x.wrong)
			if x.sure() && x.other == 0 {
				apart = append(apart, x.says())
			}
		}
		to := scaleFor(figs...)
		if i == 0 {
			c.Over += ", by " + oneLine(by) + "; " + to.ends()
		}
		c.Body = append(c.Body, s.dimension(by, views, to, i == 0)...)
	}
	c.Lede = say(s.apart(len(apart)))
	if len(apart) > 0 {
		c.Body = append([]block{list{Items: apart[:min(len(apart), 5)]}}, c.Body...)
	}
	how := "By luck: the p-value of Fisher’s exact test, adjusted by Holm’s method for how many slices there are. " +
		"Intervals are of each slice by itself."
	if left := s.t.texts("rubric", "slices", "left_out"); len(left) > 0 {
		how += " No slices: " + strings.Join(left, "; ") + "."
	}
	c.Body = append(c.Body, aside(how))
	return c
}

// apart says how many slices differ from the rest, and what the chance by luck is.
func (s *section) apart(n int) string {
	tested := s.t.Whole("rubric", "slices", "tested")
	says := "A slice is the questions that have something in common. "
	if tested == 0 {
		return says + "None could be compared with the rest: too few questions."
	}
	says += fmt.Sprintf("Of %s from the rest that %s tested, ", count(tested, "difference"),
		map[bool]string{true: "was", false: "were"}[tested == 1])
	switch n {
	case 0:
		says += "none is more than luck may explain."
	case 1:
		says += "one is more than luck explains."
	default:
		says += fmt.Sprintf("%d are more than luck explains.", n)
	}
	return says + " “By luck” is the chance of such a difference by luck alone, adjusted for how many were tested; " +
		"one below .05 counts as more than luck."
}

// dimension sets out the slices of a dimension: on a page those that differ for sure, or the worst, and the others
// folded. Those of another than the first dimension are folded whole.
func (s *section) dimension(by string, views []*sliceView, to scale, first bool) []block {
	title := "By " + oneLine(by)
	if by == rate.Tagged {
		title += ", a word that the suite gives a question"
	}
	all := s.sliceTable(by, views, to)
	if !first {
		return []block{closed(title, all)}
	}
	shown, rest := firstSlices(views)
	if len(rest) < 3 {
		return []block{inner(title, all)}
	}
	all.In = inText
	short, others := s.sliceTable(by, shown, to), s.sliceTable(by, rest, to)
	short.In, others.In = onPage, onPage
	return []block{inner(title, all, short), closed("The other "+count(len(rest), "row")+" by "+oneLine(by),
		others).only(onPage)}
}

// firstSlices are those that the first layer shows, and the others, both in their order.
func firstSlices(views []*sliceView) (shown, rest []*sliceView) {
	sure := 0
	for _, x := range views {
		if x.sure() {
			sure++
		}
	}
	room := max(0, fewSlices-sure) // for the worst of those that do not differ for sure
	for _, x := range views {
		switch {
		case x.sure() && len(shown) < mostSure:
			shown = append(shown, x)
		case !x.sure() && room > 0:
			room--
			shown = append(shown, x)
		default:
			rest = append(rest, x)
		}
	}
	return shown, rest
}

// sliceTable has a row for each of the slices.
func (s *section) sliceTable(by string, views []*sliceView, to scale) table {
	t := table{Stacked: true, One: "value", Many: "values", Listed: 20, Columns: heads(oneLine(by), "answers", "wrong",
		ci, columnOfPlots("", to), fullOf("not attempted"), column{Head: "above the rest, points",
			Kind: ofCounts}, "by luck")}
	for _, x := range views {
		label := cellOf(labelOf(x.wrong.named(orNameless(x.value))))
		if x.other > 0 {
			label = cellOf(count(x.other, "other value") + fmt.Sprintf(" of fewer than %d", rate.FewestOfSlice))
		}
		deep := len(x.at)
		t.addAt(s.part(x.at...), label, x.n.from(deep), bounded(x.wrong.from(deep)), cell{Plot: x.wrong},
			x.unsure.from(deep), x.inPoints(), x.holm.from(deep))
	}
	return t
}

// says is the sentence of a slice that differs.
func (x *sliceView) says() prose {
	more := "more"
	if x.apart.Value < 0 {
		more = "less"
	}
	name := x.name()
	return say(strong(strings.ToUpper(name[:1])+name[1:]), " are answered wrong "+more+" often than the rest: ",
		x.wrong, " of ", x.n, " answers against ", x.rest, " (chance by luck ", x.holm.equal(), ").")
}

// inPoints is the difference from the rest, with its interval beneath.
func (x *sliceView) inPoints() cell {
	if !x.apart.OK {
		return cellOf("–")
	}
	return cellOf(inPoints(x.apart)).under(share.Change(x.apart.Lo) + " to " + share.Change(x.apart.Hi))
}

// SliceColumns are the columns of Slices, in order. Later releases add columns at the end and change none.
//
//	run, model, suite     which run, model and suite the row belongs to
//	by, value             what cases are sorted by, and its value; empty for the values of few cases together
//	n, wrong              answers that came back, and those that are wrong
//	incorrect, …          the shares with their intervals; empty where they are ranges, which _lo and _hi bound
//	rest_n, rest_…        of the cases that are not of the slice
//	difference, …         incorrect less that of the rest, with p and Holm's over all rows of the model and suite
var SliceColumns = csvColumns("slices")

// ErrNoSlices says that a run has nothing to sort its cases by.
var ErrNoSlices error = Absent("no case of the run has a class, domain, difficulty or tag, or no answer is graded; a " +
	"column of the suite's table that is named otherwise is a tag (docs/suites.md)")

// SlicesCSV writes wrong answers by what cases are sorted by, a slice a row. The error is ErrNoSlices where there is
// none.
func SlicesCSV(w io.Writer, a *assay.Assay) error {
	var rows [][]string
	v := newView(a)
	for _, s := range v.Sections {
		of := v.t.Text(s.t.At()[0], s.t.At()[1], "model")
		for _, by := range s.t.Names("rubric", "slices", "by") {
			for _, x := range s.sliceViews(by) {
				rows = append(rows, csvRow("slices", map[string]tree{"run": treeOf(a.Document.Run.ID),
					"model": treeOf(guard(of)), "suite": treeOf(guard(s.Suite)), "by": treeOf(guard(by)),
					"value": treeOf(guard(x.value)), "of": x.t}))
			}
		}
	}
	if len(rows) == 0 {
		return ErrNoSlices
	}
	return writeRows(w, SliceColumns, slices.Values(rows))
}
