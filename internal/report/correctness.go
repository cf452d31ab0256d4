package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strings"

	"hallmark/internal/metric/rate"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// outcomes sets out what the answers to the default prompt did; nil where none came back.
func (s *section) outcomes() block {
	if s.Answers == 0 {
		return nil
	}
	at := s.t.under("rubric", "outcomes")
	ungradable := at("ungradable")
	if !ungradable.Ranged && ungradable.Value == 0 {
		ungradable = ungradable.only(inFull)
	}
	shares := []fig{s.Wrong.lead(), at("correct"), at("not_attempted"), ungradable}
	says := called("texts", "as read")
	state, sums := "as read", "The four shares sum to 1."
	if s.correctedBy() != "" {
		state, sums = "corrected", "Correct, wrong and not attempted sum to 1, as they would be found by people."
		says = "The intervals hold the grader’s errors and the choice of questions. Classes and tags below are as read."
		if s.t.Text("rubric", "outcomes", "grading", "state") == rate.CorrectedByCheck {
			says += " It assumes that answers which truly do the same are read here as they were there."
		}
	} else if s.Ungradable > 0 {
		says += " " + count(s.Ungradable, "answer") +
			" could not be graded, so a share runs from as if none of these counted to as if each did."
	}
	to := scaleFor(shares...)
	return s.chapter("outcomes", figures{Head: "share of the answers", Value: state, Scale: to, Figs: shares},
		inner("", figures{Head: "rates within them", Value: state, Scale: to,
			Figs: []fig{at("incorrect_given_attempted"), at("unsupported")}}).only(inFull),
		asRead(s),
		aside(says, s.checked()).only(inFull),
	).over(count(s.Answers, "answer")+" to the default prompt; "+to.ends()).asks(grouped(s.Answers), sums)
}

// correctedBy says what the headline is corrected by; "" where it is as read.
func (s *section) correctedBy() string {
	switch s.t.Text("rubric", "outcomes", "grading", "state") {
	case rate.CorrectedByLabels:
		return fmt.Sprintf("what people said of %s of them",
			grouped(s.t.Whole("rubric", "outcomes", "grading", "labelled")))
	case rate.CorrectedByCheck:
		return "a check of the grader on other labelled answers"
	}
	return ""
}

// asRead sets the share as it was read beside the corrected one; nil where nothing was corrected.
func asRead(s *section) block {
	if s.correctedBy() == "" {
		return nil
	}
	read := s.t.of("rubric", "outcomes", "grading", "as_read").named("wrong answers, as read")
	return noteOf(noteSecond, "Corrected by ", s.correctedBy(), "; as the grader read them, ", strong(read),
		" are wrong (", within(read), ").")
}

// ends says from where to where plots on a scale run.
func (s scale) ends() string { return "plots run from 0 to " + figure.Exact(float64(s)*100) + " %" }

// rubric sets out the axes on which answers failed.
func (s *section) rubric(t tree, at figsOf) block {
	axes := []fig{at("hallucination").lead(), at("truth_error").child(), at("decidability_error").child(),
		at("reciprocity_error").child()}
	kinds := []fig{at("commission"), at("over_refusal"), at("undecided")}
	to := scaleFor(axes...)
	full := func(keys ...string) fig { return at(keys...).only(inFull) }
	n, ungradable, unscored := t.Whole("n"), t.Whole("unread"), t.Whole("unscored")
	var left []string
	if ungradable > 0 {
		left = append(left, count(ungradable, "answer")+" could not be graded")
	}
	if unscored > 0 {
		left = append(left, count(unscored, "question")+" unscored")
	}
	beside := known(full("over_variants", "outcomes", "incorrect"), full("over_variants", "hallucination"),
		full("over_refusal_of_answerable"), full("weighted_quality"), full("errors_per_case"), at("format_compliance"),
		full("unread"), full("unscored"))
	return s.chapter("correct",
		figures{Head: "share of questions", Value: "rate", Scale: to, Figs: axes},
		aside(strings.Join(left, ", ")).only(inTerminal), warnings{List: t.texts("warnings")},
		inner("What kind of failure", kindBar(axes[0], kinds),
			figures{Head: "share of questions", Value: "rate", Scale: to, Figs: kinds}).only(inFull),
		inner("Beside H", figures{Figs: beside}),
	).over(fmt.Sprintf("%s, default prompt; %s", count(n, "graded question"), to.ends())).asks(grouped(n))
}

func kindBar(h fig, kinds []fig) block {
	if !h.OK {
		return nil
	}
	commission, refusal, undecided := kinds[0], kinds[1], kinds[2]
	rest := math.Max(0, 1-commission.Value-refusal.Value-undecided.Value)
	label := fmt.Sprintf("of all questions, %s commission, %s over-refusal, %s undecided, the rest passed",
		commission.Text(), refusal.Text(), undecided.Text())
	parts := []part{{commission.Value, "err", "commission"}, {refusal.Value, "dec", "over-refusal"},
		{undecided.Value, "rnd", "undecided"}, {rest, "no", "passed"}}
	return picture(bar(16, label, parts...) + legend(parts...))
}

// legend names the fills of a bar.
func legend(parts ...part) template.HTML {
	var b strings.Builder
	b.WriteString(`<ul class="legend" aria-hidden="true">`)
	for _, p := range parts {
		b.WriteString("<li>" + string(svg.Swatch("f-"+p.Fill)) + template.HTMLEscapeString(p.Label) + "</li>")
	}
	b.WriteString(`</ul>`)
	return template.HTML(b.String())
}

// classes sets out wrong answers and the rubric's rates by class, domain and tag.
func (s *section) classes() block {
	c := s.chapter("classes")
	for _, by := range []struct{ key, head, many, picks string }{
		{"by_class", "class", "classes", "class="}, {"by_domain", "domain", "domains", ""},
		{"by_tag", "tag", "tags", "tag="},
	} {
		t := table{One: by.head, Many: by.many}
		var wrong []fig
		for _, name := range s.t.Names("rubric", by.key) {
			whole := s.t.under("rubric", by.key, name)
			at := func(keys ...string) fig { return whole(keys...).from(3) }
			f := at("outcomes", "incorrect").named(orNameless(name)).cases("")
			if by.picks != "" {
				f = f.cases(by.picks + slug(name))
			}
			wrong = append(wrong, f)
			t.addAt(s.part("rubric", by.key, name), labelOf(f), at("outcomes", "n"), bounded(f), cell{Plot: f},
				at("truth_error"), at("decidability_error"), at("reciprocity_error"))
		}
		to := scaleFor(wrong...)
		t.Columns = heads(by.head, "n", "wrong", ci, columnOfPlots("", to), fullOf("truth"), fullOf("decidability"),
			fullOf("reciprocity"))
		if len(t.Rows) == 0 {
			continue
		}
		if len(c.Body) == 0 {
			c.Over += "; " + to.ends()
		}
		c.fold("Rates by "+by.head, t)
	}
	return c
}

// orNameless is the name of a class or tag as it is shown.
func orNameless(name string) string { return cmp.Or(oneLine(name), "(none)") }

// dimensions are the columns of a confusion map, in order, as the document names them.
var dimensions = [4]string{"truth", "decidability", "reciprocity", "format"}

// confusion sets out which dimension fails on which class and tag.
func (s *section) confusion() block {
	c := s.chapter("confusion")
	for i, m := range confusionMaps(s.t.branch("rubric", "confusion"), s.part("rubric", "confusion")+".",
		"share of failures in percent", s.confused) {
		body := []block{m.drawn, closed("As a table, with counts and intervals", m.table).only(onPage)}
		if i == 0 {
			m.table.In = inText
			body = append(body, m.table)
		}
		c.fold("The same by "+m.head, body...)
	}
	return c
}

// A confusionMap is which dimensions fail on each class, or each tag: drawn, and as a table.
type confusionMap struct {
	head  string
	drawn block
	table table
}

// confusionMaps are those by class and by tag that have a row, each cell as cell makes it of its path. The paths of the
// rows' figures start from at, where that is not "", and what says what is drawn.
func confusionMaps(t tree, at, what string, cell func(path ...string) (cell, heatCell)) (out []confusionMap) {
	for _, by := range [][3]string{{"by_class", "class", "classes"}, {"by_tag", "tag", "tags"}} {
		m := confusionMap{head: by[1], table: table{Columns: append(heads(by[1]), each(dimensions[:], columnOf)...),
			One: by[1], Many: by[2]}}
		var names []string
		var drawn [][]heatCell
		for _, name := range t.Names(by[0]) {
			r, cells := rowOf(orNameless(name)), make([]heatCell, len(dimensions))
			for i, d := range dimensions {
				x, heat := cell(by[0], name, d)
				r.Cells, cells[i] = append(r.Cells, x), heat
			}
			if at != "" {
				r.At = at + Visible(by[0]+"."+name)
			}
			m.table.Rows, names, drawn = append(m.table.Rows, r), append(names, orNameless(name)), append(drawn, cells)
		}
		if m.drawn = picture(heat(by[1], names, drawn, what)); len(names) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// confused are the cells of a confusion map at a path: in the table, and as drawn, the darker the larger the share is,
// and in figures, so that no reading rests on colour.
func (s *section) confused(path ...string) (cell, heatCell) {
	of := s.t.under(append([]string{"rubric", "confusion"}, path...)...)
	at := func(keys ...string) fig { return of(keys...).from(4) }
	share, n, failed := at(), at("n"), at("failed")
	if !share.OK {
		return judgedOnNone(share, path[1:])
	}
	brief := figure.Fixed(100*share.Value, 0)
	if share.Bounded {
		brief += " (" + figure.Fixed(100*share.Lo, 0) + "–" + figure.Fixed(100*share.Hi, 0) + ")"
	}
	return cellOf(share).under(within(share), "; ", failed, " of ", n).briefly(brief),
		heatCell{true, share.Value, "err", strings.ReplaceAll(share.Text(), "\u202f%", ""), fmt.Sprintf(
			"%s, %s: %s of %s fail, %s (95 %% interval %s)", orNameless(path[1]), path[2], failed.Text(), n.Text(),
			share.Text(), share.Range())}
}

// judgedOnNone are the cells of a class on a dimension that no question was judged on.
func judgedOnNone(f fig, at []string) (cell, heatCell) {
	return cellOf(f).briefly("·"), heatCell{Title: orNameless(at[0]) + ", " + at[1] + ": judged on no question"}
}

// A heatCell is one cell of a drawn map.
type heatCell struct {
	OK          bool
	Weight      float64 // in [0, 1]: how dark
	Fill        string  // err or ok
	Text, Title string
}

// heat draws rows of four cells. Names are a suite's.
func heat(head string, names []string, rows [][]heatCell, what string) template.HTML {
	const height, top, label = 26., 20., .34
	var d svg.Drawing
	step := (1 - label) / 4
	for j, name := range dimensions {
		d.Text("dim", svg.Point{X: svg.Part(label + step*(float64(j)+.5)), Y: 13}, svg.Middle, name)
	}
	for i, name := range names {
		y := top + float64(i)*height
		d.Text("on", svg.Point{X: "0", Y: y + 17}, svg.Start, clip(oneLine(name), 34))
		for j, c := range rows[i] {
			x := label + step*float64(j)
			corner, width := svg.Point{X: svg.Part(x + .002), Y: y + 1}, svg.Part(step-.004)
			d.Group("", Visible(c.Title), func() {
				d.Rect("g", corner, width, height-2, "fill", "none")
				if c.OK && c.Weight > 0 { // never darker than that the figure stays readable on it
					d.Rect("f-"+c.Fill, corner, width, height-2, "fill-opacity",
						figure.Fixed(.06+.39*math.Min(1, c.Weight), 2))
				}
				text := "·"
				if c.OK {
					text = Visible(c.Text)
				}
				d.Text("on", svg.Point{X: svg.Part(x + step/2), Y: y + 17}, svg.Middle, text)
			})
		}
	}
	return d.On(svg.Frame{Class: "heat", Height: top + float64(len(rows))*height,
		Label: fmt.Sprintf("%s by %s and dimension; the table below has the same figures", what, head)})
}

// checked says what the check of the grader is, where it carries over to the answers.
func (s *section) checked() string {
	t := s.t.sub("rubric", "outcomes", "grading", "implied")
	if s.Calibration || s.correctedBy() != "" || !s.implied("incorrect").OK {
		return ""
	}
	return fmt.Sprintf(
		" What the check of the grader implies takes such errors into account: the check is of %s labelled "+
			"answers, read on %s by grading version %s.", s.implied("check_n").Text(), oneLine(t.Text("date")),
		oneLine(t.Text("grading_version")))
}

// implied is a figure of what the shipped check of the grader implies.
func (s *section) implied(key string) fig {
	return s.t.of("rubric", "outcomes", "grading", "implied", key)
}

// check says what the shipped check of the grader implies for the answers, or that it does not carry over to them.
// The check is of answers about the true world, and what the built-in model gets wrong was put there: of that it says
// nothing.
func (s *section) check() []block {
	if s.Calibration || s.correctedBy() != "" || !s.t.Has("rubric", "outcomes", "grading", "implied") {
		return nil
	}
	wrong, labelled, p := s.implied("incorrect"), s.implied("check_n"), s.implied("fit_p").equal()
	if !wrong.OK {
		return []block{noteOf(noteSecond, "How often answers are misread was checked on ", labelled,
			" labelled ones. That check does not carry over to these answers, which are not like those (chance of ",
			"such a difference by luck ", p, "): label some of them to learn how many are really wrong.")}
	}
	return []block{
		noteOf(noteSecond, "The shipped check of the grader implies that ", strong(wrong), " are wrong (95 % interval ",
			within(wrong), "), if these answers are read as its ", labelled, " labelled answers were (chance of such "+
				"a difference by luck ", p, ")."),
		warnings{List: s.t.texts("rubric", "outcomes", "grading", "implied", "warnings")},
	}
}
