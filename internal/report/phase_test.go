package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/sweep"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// sweptRun is a run whose models are a dense one and three stages, on two probes, with hostile text wherever text from
// outside can come.
func sweptRun(t testing.TB, text string) *assay.Assay {
	a := one(t)
	answers := []string{"gggabcdefh", "ggggggggxx", "xxxxxxxxxg", "xxxxxxxxxx"}
	of := .5
	s := &assay.Swept{Axis: "sparsity", Corpus: &assay.SweptCorpus{Name: "heldout.jsonl" + text, Texts: 3, Scored: 2,
		Hash: "sha256:ab", Warnings: []string{"1 of 3 texts were not scored " + text}}}
	for i, name := range []string{"dense", "R1", "R2", "R3 " + text} {
		p := 20. / float64(1+i)
		m := assay.SweptModel{SweepStage: assay.SweepStage{Name: name, Sparsity: float64(i) * .2, OfAll: &of},
			Model: "hf:" + text, Perplexity: &consistency.Perplexity{Cases: 2, Tokens: 9, PerToken: &p,
				PerTokenInterval: &stat.Estimate{Value: p, Lo: p - 1, Hi: p + 2}}}
		if i > 0 {
			m.Against = &consistency.PerplexityRatio{N: 9, Median: &stat.Estimate{Value: .5, Lo: .4, Hi: .6},
				PerToken: &stat.Estimate{Value: .55, Lo: .45, Hi: .65}}
		}
		s.Models = append(s.Models, m)
	}
	for _, probe := range []string{"facts", "sums " + text} {
		var stages []sweep.Stage
		for i, m := range s.Models {
			st := sweep.Stage{Name: m.Name, Sparsity: m.Sparsity, PHR: map[string]float64{"q0": .1 * float64(i), "q1": .2}}
			for q := range 60 {
				c := &consistency.Case{ID: fmt.Sprintf("q%d", q), Gold: []answer.Form{answer.Value("g")}}
				for v, r := range answers[i] {
					form := string(r)
					if r == 'x' {
						form += text
					}
					if q%3 == 0 { // not all cases alike
						form = "g"
					}
					if err := c.Add(v, consistency.Answer{Form: answer.Value(form)}); err != nil {
						t.Fatal(err)
					}
				}
				st.Cases = append(st.Cases, c)
				st.Answers = append(st.Answers, consistency.Likelihood{ID: c.ID, Tokens: 2, Nats: 1 + float64(q%5)/9})
				g := .3 + .2*float64(i) + .01*float64(q%7)
				if i == 3 {
					g = .1
				}
				st.Scored = append(st.Scored, sweep.Scored{ID: c.ID, Variants: [][]float64{{g, 1 - g}, {g / 2, 1 - g/2}}})
			}
			stages = append(stages, st)
		}
		o := sweep.DefaultOptions()
		res, err := sweep.Analyze(stages, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range res.Stages {
			if c := res.Stages[i].Collapsed; c != nil {
				c.Listed = c.Listed[:min(2, len(c.Listed))]
				for k := range c.Listed {
					c.Listed[k].Prompt, c.Listed[k].Gold = "What is it? "+text, "g "+text
				}
			}
		}
		res.Warnings = append(res.Warnings, "a warning "+text)
		s.Probes = append(s.Probes, assay.SweptProbe{Suite: "demo", Probe: probe, Cases: 60, Result: res})
	}
	s.Findings = []assay.Finding{{Sentence: "Stability peaks " + text, Path: "sweep.probes.0.peak",
		Advice: "Read " + text}}
	a.Document.Sweep = s
	return a
}

func TestSweepGolden(t *testing.T) {
	a := sweptRun(t, "<b>")
	golden(t, "sweep-80.txt", a, renderTerminal(Style{Width: 80}))
	golden(t, "sweep-120-color.txt", a, renderTerminal(Style{Width: 120, Color: true}))
	golden(t, "sweep.csv", a, SweepCSV)
}

// The diagram as a file is well-formed, and has each stage of each probe.
func TestPhaseSVG(t *testing.T) {
	a := sweptRun(t, "<b>")
	svg := renderer(PhaseSVG)(t, a)
	stages := 0
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.HasPrefix(string(text), "R3 <b>") {
			stages++
		}
	}
	if probes := len(a.Document.Sweep.Probes); stages != probes {
		t.Errorf("R3 stands in %d of %d diagrams", stages, probes)
	}
	if err := PhaseSVG(io.Discard, one(t)); !errors.Is(err, ErrNoSweep) {
		t.Errorf("a run that is no sweep: %v", err)
	}
}

// The parts of the error are drawn true: more bias² further right, more variance further up, the line of equal error
// through the dense model, and every stage on the side of it that its error says.
func TestDecompositionSVG(t *testing.T) {
	probe := newPhaseOf(t, sweptRun(t, "")).Probes[0]
	drawing := string(probe.decomposition().on(""))
	type spot struct{ x, y float64 }
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var dots []spot
	for _, m := range regexp.MustCompile(`<circle cx="([\d.]+)%" cy="([\d.]+)"`).FindAllStringSubmatch(drawing, -1) {
		dots = append(dots, spot{number(m[1]), number(m[2])})
	}
	if len(dots) != len(probe.Rows) {
		t.Fatalf("%d dots of %d stages", len(dots), len(probe.Rows))
	}
	line := regexp.MustCompile(`class="dash" x1="([\d.]+)%" x2="([\d.]+)%" y1="([\d.]+)" y2="([\d.]+)"`).FindStringSubmatch(drawing)
	if line == nil {
		t.Fatal("no line of equal error")
	}
	x1, x2, y1, y2 := number(line[1]), number(line[2]), number(line[3]), number(line[4])
	on := func(x float64) float64 { return y1 + (y2-y1)*(x-x1)/(x2-x1) }
	if at := on(dots[0].x); math.Abs(at-dots[0].y) > .3 {
		t.Errorf("the line passes the dense model at %.1f, which stands at %.1f", at, dots[0].y)
	}
	sides := map[bool]int{}
	for i, r := range probe.Rows[1:] {
		dense, dot := probe.Rows[0], dots[i+1]
		if (r.bias().Value > dense.bias().Value) != (dot.x > dots[0].x) ||
			(r.variance().Value > dense.variance().Value) != (dot.y < dots[0].y) {
			t.Errorf("%s stands at %v, dense at %v", r.Stage, dot, dots[0])
		}
		less := r.of["net"].Value < dense.of["net"].Value
		if sides[less]++; less != (dot.y > on(dot.x)) {
			t.Errorf("%s has an error of %.3f beside %.3f and stands at %v, where the line is at %.1f", r.Stage,
				r.of["net"].Value, dense.of["net"].Value, dot, on(dot.x))
		}
	}
	if len(sides) < 2 {
		t.Errorf("all stages stand on one side: %v", sides)
	}
	if svg := renderer(DecompositionSVG)(t, sweptRun(t, "<b>")); strings.Count(string(svg), "R3 &lt;b&gt;<") != 2 {
		t.Errorf("R3 does not stand once in each of two drawings:\n%s", svg)
	}
	if err := DecompositionSVG(io.Discard, one(t)); !errors.Is(err, ErrNoSweep) {
		t.Errorf("a run that is no sweep: %v", err)
	}
	a := sweptRun(t, "")
	for _, b := range a.Document.Sweep.Probes {
		for i := range b.Stages {
			b.Stages[i].BiasSquared, b.Stages[i].Variance = nil, nil
		}
	}
	if err := DecompositionSVG(io.Discard, a); !errors.Is(err, ErrNoGold) {
		t.Errorf("a sweep without golds: %v", err)
	}
}

// at moves the stages of a sweep to other sparsities.
func at(a *assay.Assay, sparsity ...float64) *assay.Assay {
	s := a.Document.Sweep
	for i, x := range sparsity {
		s.Models[i].Sparsity = x
		for _, b := range s.Probes {
			b.Stages[i].Sparsity = x
		}
	}
	return a
}

// Stages of one sparsity, or nearly, are drawn side by side in their order and as near to it as they fit; others stay
// where they are.
func TestPhasePlaces(t *testing.T) {
	for _, tt := range []struct{ sparsity, want []float64 }{
		{[]float64{0, .2, .4, .6}, []float64{0, 1 / 3.18, 2 / 3.18, 3 / 3.18}},
		{[]float64{0, .3, .3, .6}, []float64{0, .5/1.06 - .0125, .5/1.06 + .0125, 1 / 1.06}},
		{[]float64{0, .3, .303, .6}, []float64{0, .5025/1.06 - .0125, .5025/1.06 + .0125, 1 / 1.06}},
		{[]float64{0, 0, 0, 0}, []float64{0, .025, .05, .075}},
		{[]float64{0, .6, .6, .6}, []float64{0, 1/1.06 - .025, 1 / 1.06, 1/1.06 + .025}},
	} {
		got := newPhaseOf(t, at(sweptRun(t, ""), tt.sparsity...)).Probes[0].places()
		for i := range got {
			if math.Abs(got[i]-tt.want[i]) > 1e-12 {
				t.Errorf("%v is drawn at %v, want %v", tt.sparsity, got, tt.want)
				break
			}
		}
	}
	// As many as a sweep may have, all of one sparsity, stay in order and on the axis.
	p := phaseProbe{Rows: make([]phaseRow, 100)}
	for i, x := range p.places() {
		if x < 0 || x > 1 || i > 0 && x <= p.places()[i-1] {
			t.Fatalf("place %d is %v", i, x)
		}
	}
}

// In a diagram of stages of one sparsity each has a point of its own and a name that meets no other text, and the axis
// names the sparsity once.
func TestPhaseOfOneSparsity(t *testing.T) {
	texts := regexp.MustCompile(`<text[^>]* x="([0-9.]+)%" y="([0-9.]+)" text-anchor="(start|middle|end)">([^<]*)<`)
	points := regexp.MustCompile(`<circle cx="([0-9.]+%)"`)
	for _, tt := range []struct {
		sparsity []float64
		ticks    []string
	}{
		{[]float64{0, .321, .321, .321}, []string{"0.0", "32.1"}},
		{[]float64{0, 0, .321, .323}, []string{"0.0", "32.1–32.3"}},
		{[]float64{0, 0, 0, 0}, []string{"0.0"}},
		{[]float64{0, .6, .6, .6}, []string{"0.0", "60.0"}},
		{[]float64{0, .2, .4, .6}, []string{"0.0", "20.0", "40.0", "60.0"}},
	} {
		a := at(sweptRun(t, "quantized"), tt.sparsity...)
		diagram := string(newPhaseOf(t, a).Probes[0].phaseDiagram().on(""))
		spots := map[string]bool{}
		for _, m := range points.FindAllStringSubmatch(diagram, -1) {
			spots[m[1]] = true
		}
		if len(spots) != 4 {
			t.Errorf("%v: points at %v, want four places", tt.sparsity, spots)
		}
		type box struct {
			text           string
			left, right, y float64
		}
		var boxes []box
		names := ""
		for _, m := range texts.FindAllStringSubmatch(diagram, -1) {
			x, errX := strconv.ParseFloat(m[1], 64)
			y, errY := strconv.ParseFloat(m[2], 64)
			if errX != nil || errY != nil {
				t.Fatal(errX, errY)
			}
			wide := 6 * float64(TextWidth(m[4]))
			left := 7.2*x - map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[m[3]]
			b := box{m[4], left, left + wide, y}
			if left < 0 || b.right > 730 || y < 10 || y > 300 {
				t.Errorf("%v: %q is beyond the diagram: %+v", tt.sparsity, m[4], b)
			}
			for _, o := range boxes {
				if b.left < o.right && o.left < b.right && math.Abs(b.y-o.y) < 11 {
					t.Errorf("%v: %q and %q meet", tt.sparsity, o.text, b.text)
				}
			}
			boxes = append(boxes, b)
			names += m[4] + "|"
		}
		for _, want := range append([]string{"dense", "R1", "R2", "R3 quantized ▲ peak"}, tt.ticks...) {
			if n := strings.Count("|"+names, "|"+want+"|"); n != 1 {
				t.Errorf("%v: %q stands %d times in %s", tt.sparsity, want, n, names)
			}
		}
		terminal := string(renderer(renderTerminal(Style{Width: 80}))(t, a))
		_, terminal, _ = strings.Cut(terminal, "Δ against")
		terminal, _, _ = strings.Cut(terminal, "across: sparsity")
		for _, letter := range []string{"●", "+", "O"} {
			if !strings.Contains(terminal, letter) {
				t.Errorf("%v: no %s in the terminal's diagram\n%s", tt.sparsity, letter, terminal)
			}
		}
	}
}

// Whatever a stage, a probe, a prompt or an answer holds is shown as text, and no format breaks.
func TestSweepIsSafe(t *testing.T) {
	texts := []string{hostile, "=1+1", "a|b\n|--|{{.}}\u202e", strings.Repeat("wide 漢字 ", 60)}
	if archtest.Long() {
		texts = append(texts, "a|b\n|--|", "{{.}}", "\u202e")
	}
	for _, text := range texts {
		a := sweptRun(t, text)
		for _, f := range formats {
			if f.name != "json" {
				checkVisible(t, f.name, f.render(t, a))
			}
		}
		elements(t, page1(t, a))
		limit := Style{}.width()
		for line := range strings.Lines(string(renderer(renderTerminal(Style{}))(t, a))) {
			if n := TextWidth(strings.TrimSuffix(line, "\n")); n > limit {
				t.Errorf("a line of %d cells: %s", n, line)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(string(renderer(SweepCSV)(t, a)))).ReadAll()
		if err != nil || len(rows) != 9 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, row := range rows[1:] {
			for i, cell := range row {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("%s holds a formula: %q", SweepColumns[i], cell)
				}
			}
		}
	}
}

// The figures of the sweep's table are the document's, colours say what the phases are, and the peak is marked.
func TestSweepPage(t *testing.T) {
	page := string(page1(t, sweptRun(t, "")))
	for _, want := range []string{
		`class="f-best phase"`, "▲ peak", "Does bias² &#43; variance foretell?", "Steadier and wrong at R2",
		`data-path="probes.0.stages.1.semantic_stability.estimate"`,
		"perplexity of the corpus; ratio", "median ratio", "The corpus heldout.jsonl: 2 texts that every model scored",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if rows := len(newPhaseOf(t, sweptRun(t, "")).Probes[0].Rows); rows != 4 {
		t.Errorf("%d rows", rows)
	}
	// Nothing measured at all.
	a := one(t)
	a.Document.Sweep = &assay.Swept{Models: []assay.SweptModel{{}, {}},
		Probes: []assay.SweptProbe{{Result: &sweep.Result{Stages: []sweep.Row{{}, {}}}}, {}}}
	for _, f := range formats {
		if len(f.render(t, a)) == 0 && f.name != "decomposition" {
			t.Errorf("%s: nothing written", f.name)
		}
	}
	elements(t, page1(t, a))
}

// Markdown has every figure with its interval and its difference, the corpus by name, and what became steadier and
// wrong.
func TestSweepMarkdown(t *testing.T) {
	md := string(renderer(Markdown)(t, sweptRun(t, "")))
	for _, want := range []string{
		"| bias² + variance | R1 | ", "| posterior hallucination rate | R1 | ",
		"| perplexity of the corpus; ratio | R1 | 10.000 | 9.000–12.000 | 0.550 | 0.450–0.650 |",
		"The corpus heldout.jsonl&#58; 2 texts", "Steadier and wrong at R2",
		"40 questions, 66.7 % of all; 40 of them right at dense", "x ×9, g ×1 |",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q in\n%s", want, md)
		}
	}
}

func newPhaseOf(t *testing.T, a *assay.Assay) *phaseView {
	t.Helper()
	v := newView(a)
	return v.Phase
}

func renderTerminal(s Style) func(io.Writer, *assay.Assay) error {
	return func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, s) }
}
