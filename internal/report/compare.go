package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/assay/gate"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat/figure"
)

// A comparison is two runs beside each other.
type comparison struct {
	t     tree
	whole bool // a terminal shows both answers to all questions that only one run failed
}

var comparedFigures = sync.OnceValue(func() *figure.Catalogue { return figure.NewCatalogue(rate.Compared()) })

func newComparison(r *rate.Reduction) comparison {
	t := treeOf(r)
	t.named = comparedFigures()
	return comparison{t: t}
}

// Compare writes a paired comparison for a terminal: the outcomes of both runs, what changed from base to other, each
// reduction with its interval, the classes with the test adjusted for their number, and how outcomes moved. The names
// are those of the two runs, as a reader knows them. A reduction is relative: 50 % means that half of base's rate is
// gone; below 0 there is more than before.
func Compare(w io.Writer, r *rate.Reduction, base, other string, style Style, accept ...gate.Acceptance) error {
	c := newComparison(r)
	c.whole = style.Whole
	p := newPrinter(w, style)
	p.line(p.bold("hallmark compare"), clip(gap(oneLine(base)+" → "+oneLine(other)), p.width-16))
	p.blocks(slices.Concat(c.first(accept), c.blocks())...)
	return p.w.Flush()
}

// CompareMarkdown writes a comparison for a comment on a change: the tables of the page, and the first of the questions
// that only one run failed, with both answers.
func CompareMarkdown(w io.Writer, r *rate.Reduction, base, other string, accept ...gate.Acceptance) error {
	c := newComparison(r)
	m := &md{bufio.NewWriter(w)}
	m.blocks(c.first(accept)...)
	m.line("base: %s<br>other: %s\n", escape(base), escape(other))
	m.blocks(c.blocks()...)
	return m.w.Flush()
}

// ComparePage writes a comparison as one HTML file that needs nothing else, as HTML does, in two layers: what can be
// said, the answers that regressed and that were fixed, and the warnings; then, folded, rates with their differences
// and reductions, over-refusal as the price, the cases that only one run failed, the classes, the confusion map as
// differences and how outcomes moved.
func ComparePage(w io.Writer, r *rate.Reduction, base, other string, accept ...gate.Acceptance) error {
	c := newComparison(r)
	says := compared(c.t, bothRuns)
	first := []block{noteOf(noteSecond, says.Detail), noteOf(noteAsked, "Compared: ", strong("base"),
		", "+oneLine(base)+", with ", strong("other"), ", "+oneLine(other)+"."), keys{c.keys()}, c.bothAnswers(),
		doubts(c.t)}
	return page{Title: "Comparison – Hallmark", Kind: "comparison", Heading: says.Verdict,
		First: append(limits(c.t), verdicts(accept)), Blocks: layered(first, c.figures()),
		How: said.How["compare"]}.write(w)
}

// first are what a terminal and Markdown begin with: what limits the comparison, declared thresholds, and what can be
// said.
func (c comparison) first(accept []gate.Acceptance) []block {
	return append(limits(c.t), acceptedBlock(accept), compared(c.t, bothRuns).block())
}

// keys are the readings at the top of the page.
func (c comparison) keys() []fig {
	at := func(side string) fig { return c.t.of("outcomes", side, "incorrect") }
	of := "of " + count(c.t.Whole("outcomes", "base", "n"), "answer")
	return known(at("base").named("wrong in base").toned("err").note(of),
		at("other").named("wrong in other").toned("err").note(of),
		at("difference").named("change, in points").inPoints(),
		c.t.of("only_other_failed").named("regressed").note("failed the rubric in other alone"),
		c.t.of("only_base_failed").named("fixed").note("failed the rubric in base alone"))
}

// blocks sets out a comparison for a terminal and Markdown.
func (c comparison) blocks() []block {
	all := c.figures()
	return slices.Concat(all[:3], []block{c.bothAnswers()}, all[3:], []block{doubts(c.t)})
}

// figures set out all figures of a comparison.
func (c comparison) figures() []block {
	return append([]block{c.outcomes(), c.rubric(), c.discordant(), c.stability(), c.shift(), c.classes(),
		c.confusion(), c.moves(), c.flow()}, c.measured()...)
}

// doubts are the warnings of the whole.
func doubts(t tree) block {
	return chapterOf("compare/warnings", warnings{List: t.texts("warnings")})
}

// columnsOfBoth are those of figures of both runs: a terminal has their intervals of the change alone.
func columnsOfBoth(head string) []column {
	return []column{textOf(head), columnOf("base"), ci.only(inFull), columnOf("other"), ci.only(inFull)}
}

// changed are the cells of a change: in a terminal with its sign, shares in points.
func changed(d fig) []cell {
	if !d.OK {
		return []cell{cellOf(d), cellOf("")}
	}
	text := d.Unit.Change(d.Value)
	if d.Ranged {
		text = inPoints(d)
	}
	return []cell{cellOf(d).briefly(text), cellOf(within(d)).briefly(d.Unit.Change(d.Lo) + " to " +
		d.Unit.Change(d.Hi))}
}

// gone are the cells of what is gone of base's rate, in the tone of what that means; where base has too few cases for a
// percentage, in a terminal what is gone in points, as the difference stands beside them elsewhere.
func gone(f, more fig, few bool) []cell {
	if few && f.OK {
		x := more // quality is cut by what its loss is less
		if more.Unit == share {
			x.Value, x.Lo, x.Hi = -more.Value, -more.Hi, -more.Lo
		}
		cut := func(v float64) string { return strings.TrimPrefix(x.Unit.Change(v), "+") }
		points := map[bool]string{true: " points"}[more.Unit == share]
		return []cell{cellOf("–").briefly(cut(x.Value) + points), cellOf("").briefly(cut(x.Lo) + " to " + cut(x.Hi))}
	}
	x := cellOf(f)
	switch {
	case f.OK && f.Bounded && f.Lo > 0:
		x.Tone = "ok"
	case f.OK && f.Bounded && f.Hi < 0:
		x.Tone = "err"
	}
	return []cell{x, cellOf(within(f))}
}

// ofFew says why a percentage does not stand where base has too few cases for one; "" where it does everywhere.
func ofFew(few bool, in where) note {
	if !few {
		return note{}
	}
	return sentence("Where a rate of base is of too few questions, a percentage of it would say nothing: read " +
		"the points.").only(in)
}

// outcomes sets out the shares of both runs that have a difference.
func (c comparison) outcomes() block {
	t := table{Columns: append(columnsOfBoth("share"), columnOf("change"), ci, fullOf("cut by"), ci.only(inFull))}
	few := c.t.texts("outcomes", "few_in_base")
	for _, key := range []string{"incorrect", "correct", "not_attempted", "ungradable"} {
		at := func(side string) fig { return c.t.of("outcomes", side, key) }
		if d := at("difference"); d.OK {
			t.add(d.Label, bounded(at("base")), bounded(at("other")), changed(d),
				gone(at("reduction"), d, slices.Contains(few, key)))
		}
	}
	n := c.t.of("outcomes", "base", "n")
	out := chapterOf("compare/outcomes", append([]block{t, ofFew(len(few) > 0, inFull)}, c.corrected()...)...)
	out.Over = fmt.Sprintf("over %s answered in both runs; the difference in points", count(int(n.Value), "question"))
	return out.lede("What the answers to the default prompt did, over the ", n,
		" questions answered in both runs. The difference is other less base, in points.")
}

// corrected says what corrects the difference, where people's labels do.
func (c comparison) corrected() []block {
	if c.t.Text("outcomes", "grading", "state") != rate.CorrectedByLabels {
		return nil
	}
	was := c.t.of("outcomes", "grading", "as_read")
	return []block{sentence(fmt.Sprintf("The change is corrected by what people said of both answers to %s, a common "+
		"sample of both runs; by the verdicts as they are, wrong answers changed by %s points (95 %% interval %s to "+
		"%s). The shares of the two runs are as read.", count(c.t.Whole("outcomes", "grading", "drawn"), "question"),
		inPoints(was), share.Change(was.Lo), share.Change(was.Hi)))}
}

// comparedKeys are the rates that are compared, and where what is gone of each stands.
var comparedKeys = [][2]string{
	{"hallucination", "reduction/hallucination"}, {"truth_error", "reduction/truth_error"},
	{"decidability_error", "reduction/decidability_error"}, {"reciprocity_error", "reduction/reciprocity_error"},
	{"commission", "commission_reduction"}, {"over_refusal"}, {"undecided"}, {"format_error"},
}

// rubric sets out the rates of both runs, and over-refusal as the price.
func (c comparison) rubric() block {
	t := table{Columns: append(columnsOfBoth("rate"), fullOf("change"), ci.only(inFull), columnOf("cut by"), ci)}
	few := c.t.texts("few_in_base")
	add := func(key string, more, cut fig, cutOf string) {
		if base, other := c.t.of("base", key), c.t.of("other", key); base.OK || other.OK || more.OK {
			t.add(base.Label, bounded(base), bounded(other), changed(more),
				gone(cut, more, slices.Contains(few, cutOf)))
		}
	}
	for _, x := range comparedKeys {
		cut := fig{}
		if x[1] != "" {
			cut = c.t.of(strings.Split(x[1], "/")...)
		}
		add(x[0], c.t.of("difference", x[0]), cut, x[0])
	}
	quality := c.t.of("quality_difference")
	add("weighted_quality", quality, c.t.of("reduction", "quality_loss"), "quality_loss")
	says := ""
	if quality.OK {
		says = fmt.Sprintf("Quality differs by %s (95 %% interval %s), other less base.", quality.Text(),
			quality.Range())
	}
	n := c.t.of("n")
	out := chapterOf("compare/rates", t, ofFew(len(few) > 0, 0), sentence(says).only(inTerminal), sentence(c.price()))
	out.Over = fmt.Sprintf("over %s scored in both runs", count(int(n.Value), "question"))
	return out.lede("Over the ", n, " questions scored in both runs. The difference is other less base, in points; "+
		"the cut is the part of base’s rate that is gone.")
}

// price says what a reduction cost in answers that were withheld.
func (c comparison) price() string {
	at := c.t.under("over_refusal")
	d, of := at("difference"), at("of_answerable", "other")
	if !d.OK {
		return ""
	}
	verb := "did not change beyond chance"
	switch {
	case d.Lo > 0:
		verb = "grew"
	case d.Hi < 0:
		verb = "fell"
	}
	s := fmt.Sprintf("The price: over-refusal %s, from %s to %s (difference %s points, 95 %% interval %s to %s; p %s).",
		verb, at("base").Text(), at("other").Text(), share.Change(d.Value), share.Change(d.Lo), share.Change(d.Hi),
		at("mcnemar_p").equal().text(inTerminal))
	if of.OK {
		s += fmt.Sprintf(" Of the questions that have an answer, other declines %s (%s).", of.Text(), of.Range())
	}
	return s
}

// maxDiscordant is how many cases of each kind a page lists.
const maxDiscordant = 500

// discordant lists the questions that only one run failed, of both kinds.
func (c comparison) discordant() block {
	base, other := c.t.of("only_base_failed"), c.t.of("only_other_failed")
	kind := func(title, failed string) []block {
		t := table{One: "question", Many: "questions", Columns: []column{codeOf("case"), textOf("class"),
			textOf("failed as"), textOf("on")}}
		n := 0
		for _, x := range c.t.items("discordant", "cases") {
			if (x.Text("failed") == "other") != (failed == "other") {
				continue
			}
			if n++; n <= maxDiscordant {
				t.add(oneLine(x.Text("case_id")), orNameless(x.Text("class")), oneLine(x.Text("as")),
					strings.Join(x.texts("axes"), ", "))
			}
		}
		t.Left = max(0, n-maxDiscordant)
		c := inner(title, t)
		if n == 0 {
			c = inner(title, aside("None.").only(onPage))
		}
		return []block{c.over(count(n, "question"))}
	}
	out := chapterOf("compare/discordant", pair{Left: kind("Only base failed: fixed in other", "base"),
		Right: kind("Only other failed: regressed in other", "other")})
	return out.lede(base, " only in base, ", other, " only in other; McNemar’s exact test p ",
		c.t.of("mcnemar_p").equal(), ".")
}

// classes sets out the rubric's rate of both runs by class.
func (c comparison) classes() block {
	t := table{One: "class", Many: "classes", Columns: append(columnsOfBoth("class"), columnOf("n"), columnOf("cut by"),
		ci, columnOf("p"))}
	some := false
	for _, name := range c.t.Names("by_class") {
		at := c.t.under("by_class", name)
		few, _ := c.t.Bool("by_class", name, "few_in_base")
		some = some || few
		cut := gone(at("reduction"), at("difference"), few)
		if few { // no difference stands beside it
			cut = []cell{cellOf(cut[0].Brief), cellOf(cut[1].Brief)}
		}
		t.add(orNameless(name), bounded(at("base")), bounded(at("other")), at("n"), cut, at("mcnemar_p_holm"))
	}
	return chapterOf("compare/classes", t, ofFew(some, 0))
}

// confusion sets out the confusion maps as differences.
func (c comparison) confusion() block {
	out := chapterOf("compare/confusion")
	for _, m := range confusionMaps(c.t.branch("confusion"), "", "difference of failures in points", c.failing) {
		out.Body = append(out.Body, inner("By "+m.head, m.drawn, closed("As a table, with intervals",
			m.table)).only(onPage))
		if m.head == "class" {
			m.table.In = inText
			out.Body = append(out.Body, m.table)
		}
	}
	return out
}

// moves sets out how many questions went from which outcome to which.
func (c comparison) moves() block {
	t := table{Columns: append(heads("base"), each(standings, columnOf)...), In: inFull}
	var moved []string
	for _, from := range standings {
		r := rowOf(from)
		some := false
		for _, to := range standings {
			f := c.t.of("transitions", from, to)
			r.Cells, some = append(r.Cells, cellOf(f)), some || f.OK
			if f.Value > 0 && from != to {
				moved = append(moved, fmt.Sprintf("%s → %s %s", from, to, f.Text()))
			}
		}
		if some {
			t.Rows = append(t.Rows, r)
		}
	}
	out := chapterOf("moves", t, sentence(strings.Join(moved, "; ")).only(inTerminal))
	return out.lede(only(inFull, "Questions by their outcome in base (down) and in other (across)."))
}

// inPoints writes a difference in points, or the ends of its range.
func inPoints(d fig) string {
	switch {
	case !d.OK:
		return "–"
	case d.Ranged && figure.WholeChange(d.Value) == figure.WholeChange(d.Most):
		return share.Change(d.Value) + " to " + share.Change(d.Most)
	case d.Ranged:
		return figure.WholeChange(d.Value) + " to " + figure.WholeChange(d.Most)
	}
	return share.Change(d.Value)
}
