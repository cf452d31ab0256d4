package report

import (
	"bufio"
	"bytes"
	"html/template"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/assay"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// everyBlock has a block of each kind with a text at every place that takes one.
func everyBlock(s string) []block {
	f := fig{Label: s, Note: s, OK: true, Estimate: stat.Estimate{Value: .5, Lo: .25, Hi: .75}, Bounded: true,
		Tone: "err", path: []string{"a", s},
		filter: "class=" + s}
	t := table{
		Caption: s, One: s, Many: s, Stacked: true,
		Columns: []column{{Head: s, Kind: ofNames}, {Head: s, Kind: ofCode}, {Head: s, Kind: ofRaw}, columnOf(s), ci,
			columnOfPlots(s, 1), {Head: s, Kind: ofBars}},
	}
	for range most + 2 {
		t.Rows = append(t.Rows, row{At: s, Cells: []cell{
			cellOf(labelOf(f)).noted(s), cellOf(s).under(s), cellOf(s), cellWithin(f), cellOf(within(f)), {Plot: f}, {Says: s,
				Bar: []part{{.5, "err", ""}}},
		}})
	}
	flat := []block{
		figures{Head: s, Value: s, Scale: 1, Figs: []fig{f}}, t, note{Text: say(s, strong(s, f),
			word{Text: s, To: s})}, note{Text: say(s), Kind: noteBanner},
		note{Text: say(s), Kind: noteModel}, warnings{List: []string{s, s}}, list{Items: []prose{say(s)}},
		findings{[]findingView{{s, s, s, []string{s}}}}, keys{[]fig{f}}, contents{[]link{{"a",
			s}}}, drawing{SVG: []template.HTML{legend(part{1, "ok", "x"})}},
		filed{ID: "cases-0", Cases: []caseView{newCase(&assay.CaseRow{ID: s, Class: s, Tags: []string{s}, Prompt: s, Gold: s,
			System: s, Answers: []assay.AnswerRow{{Text: s, Read: s, Prompt: s}}}, 100, 60, true)}},
	}
	return []block{article{At: s, Name: s, Headline: say(s), Body: []block{
		chapter{ID: "a", Name: s, Title: s, Over: s, Lede: say(s), At: s, Body: flat}, pair{Left: flat[:2], Right: flat[2:4]},
		chapter{Title: s, Inner: true, Over: s, Lede: say(s), Body: flat[:1]}, chapter{Title: s, Inner: true, Fold: true,
			Body: flat[:1]},
	}}}
}

// written are the blocks in each form.
func written(t testing.TB, width int, blocks ...block) (htmlPage, markdown, terminal []byte) {
	t.Helper()
	var html, comment, text bytes.Buffer
	if err := (page{Title: "t", Kind: "k", Blocks: blocks}).write(&html); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(&comment)
	w := &md{out}
	w.blocks(blocks...)
	out.Flush()
	p := newPrinter(&text, Style{Width: width})
	p.blocks(blocks...)
	if err := p.w.Flush(); err != nil {
		t.Fatal(err)
	}
	return html.Bytes(), comment.Bytes(), text.Bytes()
}

// Whatever text stands in a block, no form is broken by it: it neither acts on who reads it nor is it markup.
func TestBlocksAreSafe(t *testing.T) {
	for _, s := range []string{hostile, "", "\u202e", "a|b\n|--|", "{{.}}", "[x](javascript:alert(1)) @all #1 ~x~ $y$",
		strings.Repeat("wide 漢字 ", 60), "</details>"} {
		page, md, terminal := written(t, 80, everyBlock(s)...)
		for name, out := range map[string][]byte{"page": page, "markdown": md, "terminal": terminal} {
			checkVisible(t, name, out)
		}
		elements(t, page)
		if n := bytes.Count(bytes.ToLower(page), []byte("<script")); n != 1 {
			t.Errorf("%q: %d scripts in the page", s, n)
		}
		own := strings.NewReplacer("<details>", "", "</details>", "", "<summary>", "", "</summary>", "").Replace(string(md))
		for _, bad := range []string{"<", "](", "@all"} {
			if strings.Contains(own, bad) {
				t.Errorf("%q: Markdown has %q alive:\n%s", s, bad, md)
			}
		}
		for line := range strings.Lines(string(terminal)) {
			if n := TextWidth(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line of %d cells: %s", n, line)
			}
		}
	}
}

// A table is never wider than the terminal, and its first column is never left out.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(72, 120).Draw(t, "width")
		text := rapid.StringN(0, 40, 60)
		kinds := rapid.SampledFrom([]kind{ofText, ofNames, ofCode, ofRaw, ofFigures, ofBounds, ofCounts, ofPlots, ofBars})
		tab := table{Stacked: rapid.Bool().Draw(t, "stacked"), One: "row", Many: "rows"}
		for range rapid.IntRange(1, 12).Draw(t, "columns") {
			tab.Columns = append(tab.Columns, column{Head: text.Draw(t, "head"), Kind: kinds.Draw(t, "kind"), Scale: 1,
				Wide: rapid.Bool().Draw(t, "wide")})
		}
		tab.Columns[0].Kind = ofText
		for i := range rapid.IntRange(1, 20).Draw(t, "rows") {
			r := row{}
			for range tab.Columns {
				r.Cells = append(r.Cells, cellOf(text.Draw(t, "text")).under(text.Draw(t, "sub")))
			}
			r.Cells[0] = cellOf("row " + string(rune('A'+i)))
			tab.Rows = append(tab.Rows, r)
		}
		var b bytes.Buffer
		p := newPrinter(&b, Style{Width: width})
		p.blocks(tab)
		p.w.Flush()
		for line := range strings.Lines(b.String()) {
			if n := TextWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Fatalf("a line of %d cells at %d: %s", n, width, line)
			}
		}
		if !strings.Contains(b.String(), "row A") {
			t.Fatalf("the first row has no head:\n%s", b.String())
		}
	})
}

// What stands in a terminal stands on the page, in the same order.
func TestFormsHaveTheSameChapters(t *testing.T) {
	v := newView(pocketLike(t))
	titles := func(form where) (out []string) {
		var look func(blocks []block)
		look = func(blocks []block) {
			for _, b := range standing(form, blocks...) {
				switch b := b.(type) {
				case article:
					look(b.Body)
				case pair:
					look(b.Left)
					look(b.Right)
				case chapter:
					if !b.Inner {
						out = append(out, b.Title)
					}
				}
			}
		}
		look(v.blocks(func(*section) block { return nil }))
		return out
	}
	page, at := titles(onPage), 0
	for _, title := range titles(inTerminal) {
		for at < len(page) && page[at] != title {
			at++
		}
		if at == len(page) {
			t.Fatalf("%q is not on the page, or in another order: %q", title, page)
		}
	}
	if md := titles(inMarkdown); len(md) < 9 || len(page) < len(md) {
		t.Errorf("%q in Markdown, %q on the page", md, page)
	}
}

// A figure that no catalogue has is a mistake that shows at once.
func TestUncataloguedFigurePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a figure without an entry is shown")
		}
	}()
	treeOf(struct{}{}).of("nothing", "of", "the kind")
}

// Every entry of the catalogues says what its figure is called, in a tone that there is.
func TestCatalogue(t *testing.T) {
	c := catalogue()
	for path, want := range map[string]string{
		"rubric/hallucination": "rubric failure rate (H)", "consistency/taxonomy/randomness": "prompt-sensitive",
		"rubric/by_class/any name/outcomes/incorrect": "wrong answers",
		"posterior/by_n/4/by_eps_percent/75/phr":      "posterior hallucination rate",
	} {
		if e, ok := c.Find(strings.Split(path, "/")...); !ok || e.Label != want {
			t.Errorf("%s: %q, %v", path, e.Label, ok)
		}
	}
	if e, _ := c.Find("rubric", "weighted_quality"); e.Unit != figure.Mean {
		t.Errorf("%+v", e)
	}
}
