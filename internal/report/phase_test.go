package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/finding"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/sweep"
	"hallmark/internal/stat"
)

// sweptRun is a run whose models are a dense one and three stages, on two probes, with hostile text wherever text from outside can come.
func sweptRun(t testing.TB, text string) *assay.Assay {
	a := one(t)
	answers := []string{"gggabcdefh", "ggggggggxx", "xxxxxxxxxg", "xxxxxxxxxx"}
	of := .5
	s := &assay.Swept{Axis: "sparsity", Corpus: &assay.SweptCorpus{Name: "heldout.jsonl" + text, Texts: 3, Scored: 2, Hash: "sha256:ab", Warnings: []string{"1 of 3 texts were not scored " + text}}}
	for i, name := range []string{"dense", "R1", "R2", "R3 " + text} {
		p := 20. / float64(1+i)
		m := assay.SweptModel{SweepStage: assay.SweepStage{Name: name, Sparsity: float64(i) * .2, OfAll: &of}, Model: "hf:" + text, Perplexity: &consistency.Perplexity{Cases: 2, Tokens: 9, PerToken: &p, PerTokenInterval: &stat.Interval{Estimate: p, Lo: p - 1, Hi: p + 2}}}
		if i > 0 {
			m.Against = &consistency.PerplexityRatio{N: 9, Median: &stat.Interval{Estimate: .5, Lo: .4, Hi: .6}, PerToken: &stat.Interval{Estimate: .55, Lo: .45, Hi: .65}}
		}
		s.Models = append(s.Models, m)
	}
	for _, probe := range []string{"facts", "sums " + text} {
		var stages []sweep.Stage
		for i, m := range s.Models {
			st := sweep.Stage{Name: m.Name, Sparsity: m.Sparsity, PHR: map[string]float64{"q0": .1 * float64(i), "q1": .2}}
			for q := range 60 {
				c := &consistency.Case{ID: fmt.Sprintf("q%d", q), Gold: []string{"g"}}
				for v, r := range answers[i] {
					form := string(r)
					if r == 'x' {
						form += text
					}
					if q%3 == 0 { // not all cases alike
						form = "g"
					}
					if err := c.Add(v, consistency.Answer{Form: form}); err != nil {
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
		o.Listed = 2
		res, err := sweep.Analyze(stages, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range res.Stages {
			if c := res.Stages[i].Collapsed; c != nil {
				for k := range c.Listed {
					c.Listed[k].Prompt, c.Listed[k].Gold = "What is it? "+text, "g "+text
				}
			}
		}
		res.Warnings = append(res.Warnings, "a warning "+text)
		s.Probes = append(s.Probes, assay.SweptProbe{Suite: "demo", Probe: probe, Cases: 60, Result: res})
	}
	s.Findings = []finding.Finding{{Sentence: "Stability peaks " + text, Path: "sweep.probes.0.peak", Advice: "Read " + text}}
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

// Whatever a stage, a probe, a prompt or an answer holds is shown as text, and no format breaks.
func TestSweepIsSafe(t *testing.T) {
	for _, text := range []string{hostile, "=1+1", "a|b\n|--|", "{{.}}", "\u202e", strings.Repeat("wide 漢字 ", 60)} {
		a := sweptRun(t, text)
		for _, f := range formats {
			if f.name != "json" {
				checkVisible(t, f.name, f.render(t, a))
			}
		}
		elements(t, page1(t, a))
		limit := Style{}.width()
		for line := range strings.Lines(string(renderer(renderTerminal(Style{}))(t, a))) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > limit {
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
		`class="f-best phase"`, "▲ peak", "Does bias² + variance foretell?", "Steadier and wrong at R2", `data-path="probes.0.stages.1.semantic_stability.estimate"`,
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
	a.Document.Sweep = &assay.Swept{Models: []assay.SweptModel{{}, {}}, Probes: []assay.SweptProbe{{Result: &sweep.Result{Stages: []sweep.Row{{}, {}}}}, {}}}
	for _, f := range formats {
		if len(f.render(t, a)) == 0 {
			t.Errorf("%s: nothing written", f.name)
		}
	}
	elements(t, page1(t, a))
}

// Markdown has every figure with its interval and its difference, the corpus by name, and what became steadier and wrong.
func TestSweepMarkdown(t *testing.T) {
	md := string(renderer(Markdown)(t, sweptRun(t, "")))
	for _, want := range []string{
		"| bias² + variance | R1 | ", "| posterior hallucination rate | R1 | ", "| perplexity of the corpus; ratio | R1 | 10.000 [9.000–12.000] | 0.550 [0.450–0.650] |",
		"The corpus heldout.jsonl&#58; 2 texts", "Steadier and wrong at R2: 40 questions, 40 of them right at dense", "x ×9, g ×1 |",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q in\n%s", want, md[strings.Index(md, "#### Sweep on"):])
		}
	}
}

func newPhaseOf(t *testing.T, a *assay.Assay) *phaseView {
	t.Helper()
	v, err := newView(a)
	if err != nil {
		t.Fatal(err)
	}
	return v.Phase
}

func renderTerminal(s Style) func(io.Writer, *assay.Assay) error {
	return func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, s) }
}
