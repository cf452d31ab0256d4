package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/figure"
)

// phase writes a sweep for a terminal: for each probe the table of stages, the parts of the error, the diagram, what
// collapsed and whether the condition foretold it.
func (p *printer) phase(v *phaseView) {
	p.head("SWEEP", "stability by "+orDash(v.Axis)+", each probe by itself")
	name := min(24, p.width/4)
	p.line(p.dim(fit("model", name) + fit("probe", name) + atRight(10, "SS", "PC < .5", "PC ≥ .8")))
	for _, b := range v.Probes {
		for _, r := range b.Rows {
			p.line(fit(r.Stage, name-1)+" ", fit(b.Probe, name-1)+" ", atRight(10, r.SS.Text(), r.Below.Text(), r.AtLeast.Text()))
		}
	}
	for i := range v.Probes {
		p.phaseProbe(v, &v.Probes[i])
	}
	if v.Corpus.OK {
		p.painted("  ", "PPL is that of the corpus. "+v.CorpusNote(), p.dim)
		p.warnings(v.CorpusWarnings)
	}
	if len(v.Findings) > 0 {
		p.head("FINDINGS", "")
		p.findings(v.Findings)
	}
}

func (p *printer) phaseProbe(v *phaseView, b *phaseProbe) {
	p.head(clip(strings.ToUpper(b.Probe), p.width/2), fmt.Sprintf("%s; Δ against %s", count(int(b.Cases.Value), "question"), b.Dense))
	ppl := func(r phaseRow) fig {
		if v.Corpus.OK {
			return r.Corpus
		}
		return r.PPL
	}
	head := "sparsity"
	if b.HasOfAll() {
		head = "sparsity (all)"
	}
	hasPHR := b.has(func(r phaseRow) fig { return r.PHR })
	titles := fit("stage", 12) + fitLeft(head, 15) + fitLeft("stability", 10) + fitLeft("95 %", 12) + fitLeft("Δ", 7) + fitLeft("accuracy", 9) + fitLeft("PPL", 7)
	if hasPHR {
		titles += fitLeft("PHR", 7)
	}
	p.line(p.dim(titles))
	for _, r := range b.Rows {
		mark := " "
		if r.Peak {
			mark = "▲"
		} else if r.Tone == "best" {
			mark = "≈"
		}
		sparsity := narrow(r.Sparsity.Text())
		if r.OfAll.OK {
			sparsity = fmt.Sprintf("%s (%s) %%", points(r.Sparsity.Value), points(r.OfAll.Value))
		}
		phr := ""
		if hasPHR {
			phr = fitLeft(narrow(r.PHR.Text()), 7)
		}
		p.line(fit(r.Stage, 10), p.shade("best", mark), " ", fitLeft(sparsity, 15), fitLeft(narrow(r.SS.Text()), 10), p.dim(fitLeft(strings.TrimSuffix(narrow(r.SS.Range()), " %"), 12)),
			fitLeft(strings.TrimSuffix(narrow(r.DSS.Signed()), " %"), 7), fitLeft(narrow(r.Accuracy.Text()), 9), fitLeft(ppl(r).put(figure.Perplexity), 7), phr)
	}
	p.line(p.dim("▲ the peak, ≈ not told from it: optimal"))
	if b.HasGold() {
		p.line(p.dim(fit("", 10) + fitLeft("bias²", 5) + fitLeft("variance", 9) + "  " + fit("Δ bias²", 17) + fit("Δ variance", 17) + "regime"))
		for _, r := range b.Rows {
			p.line(fit(r.Stage, 10), fitLeft(r.Bias.put(rough), 5), fitLeft(r.Variance.put(rough), 9), "  ", fit(between(r.DBias), 17), fit(between(r.DVariance), 17), p.shade(r.RegimeTone, clip(orDash(r.Regime), p.width-60)))
		}
	}
	p.diagram(b)
	if b.Peak != "" {
		p.para("  ", narrow(b.Peak))
	}
	p.collapsed(b)
	if c := b.Condition; c != nil {
		p.para("  ", c.Note())
		for _, h := range c.Hits {
			p.para("    ", narrow(h.Text()))
		}
		p.warnings(c.Warnings)
	}
	p.warnings(b.Warnings)
}

// collapsed writes the questions that became steadier and wrong, of the stage with the most.
func (p *printer) collapsed(b *phaseProbe) {
	most := worst(b)
	if most == nil {
		return
	}
	p.line(p.dim("  steadier and wrong at "), most.Stage, p.dim(clip(fmt.Sprintf(": %s, %s of the questions; %s", most.Collapsed.Text(), narrow(most.Share.Text()), most.Apart(b.Dense)), p.width-24-columns(most.Stage))))
	for _, c := range most.Listed[:min(3, len(most.Listed))] {
		p.line("  ", clip(fmt.Sprintf("%s (gold: %s)", c.Prompt, c.Gold), p.width-2))
		p.line(clip(fmt.Sprintf("    %s PC %s: %s", fit(b.Dense, 8), c.Dense.PC.Text(), c.Dense.Answers), p.width))
		p.line(clip(fmt.Sprintf("    %s PC %s: %s", fit(most.Stage, 8), c.Stage.PC.Text(), c.Stage.Answers), p.width))
	}
}

// between is a difference with its interval, in hundredths: +.35 [.25 .43].
func between(f fig) string {
	if !f.OK {
		return "–"
	}
	sign := ""
	if f.Value > 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s%s [%s %s]", sign, rough(f.Value), rough(f.Lo), rough(f.Hi))
}

// worst is the stage with the most cases that became steadier and wrong; nil where none has.
func worst(b *phaseProbe) *phaseRow {
	var most *phaseRow
	for i := range b.Rows {
		if r := &b.Rows[i]; len(r.Listed) > 0 && (most == nil || r.Collapsed.Value > most.Collapsed.Value) {
			most = r
		}
	}
	return most
}

// shade colours text by its phase.
func (p *printer) shade(tone, s string) string {
	if tone == "best" {
		return p.paint("32", s)
	}
	return p.tone(tone, s)
}

// diagram draws stability over sparsity in letters: the first of the phase's word, between the bounds of its interval.
func (p *printer) diagram(b *phaseProbe) {
	const rows, left = 11, 6
	lo, hi := 1., 0.
	for _, r := range b.Rows {
		if r.SS.OK {
			lo, hi = math.Min(lo, math.Min(r.SS.Lo, r.SS.Value)), math.Max(hi, math.Max(r.SS.Hi, r.SS.Value))
		}
	}
	if hi <= lo {
		return
	}
	lo, hi = math.Floor(lo*10)/10, math.Ceil(hi*10-1e-9)/10
	if hi <= lo {
		hi = lo + .1
	}
	width := min(66, p.width-left-2)
	type dot struct{ text, tone string }
	grid := make([][]dot, rows)
	for y := range grid {
		grid[y] = make([]dot, width)
	}
	at := func(v float64) int {
		return max(0, min(rows-1, int(math.Round((hi-v)/(hi-lo)*(rows-1)))))
	}
	places := b.places()
	for i, r := range b.Rows {
		if !r.SS.OK {
			continue
		}
		x := max(0, min(width-1, int(math.Round(places[i]*float64(width-1)))))
		if r.SS.Bounded {
			for y := at(r.SS.Hi); y <= at(r.SS.Lo); y++ {
				grid[y][x] = dot{"│", r.Tone}
			}
		}
		letter := map[string]string{"variance-dominated": "V", "optimal": "O", "bias-dominated": "B", "both better": "+", "both worse": "−", "undecided": "?"}[r.Phase]
		if letter == "" {
			letter = "●"
		}
		grid[at(r.SS.Value)][x] = dot{letter, r.Tone}
	}
	for y, row := range grid {
		label := ""
		if y%5 == 0 {
			label = strconv.FormatFloat(100*(hi-(hi-lo)*float64(y)/(rows-1)), 'f', 0, 64) + " %"
		}
		line := fitLeft(label, left-1) + " "
		for _, d := range row {
			if d.text == "" {
				line += " "
				continue
			}
			line += p.shade(d.tone, d.text)
		}
		p.line(line)
	}
	axis := []rune(strings.Repeat("─", width))
	p.line(strings.Repeat(" ", left), p.dim(string(axis)))
	p.line(fit(strings.Repeat(" ", left)+"0 %", left+width-14), fitLeft(narrow(percent(b.reach())), 14))
	p.painted(strings.Repeat(" ", left), "across: sparsity. V variance-dominated, O optimal, B bias-dominated, + both better, − both worse, ? undecided, ● no regime", p.dim)
}

// table begins a table: a head that begins with > stands over numbers.
func (m *md) heads(heads ...string) {
	rule := "|"
	for i, h := range heads {
		if number, ok := strings.CutPrefix(h, ">"); ok {
			heads[i] = number
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	m.row(heads...)
	m.line("%s", rule)
}

// row writes a row of a table.
func (m *md) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

// with is a figure with its interval in brackets.
func (f fig) with() string {
	if f.Bounded {
		return f.Text() + " [" + f.Range() + "]"
	}
	return f.Text()
}

// phase writes a sweep as tables.
func (m *md) phase(v *phaseView) {
	for _, b := range v.Probes {
		m.line("#### Sweep on %s, %s\n", escape(b.Title), count(int(b.Cases.Value), "question"))
		m.heads("stage", ">sparsity", ">of all", ">stability", ">Δ", ">accuracy", ">Δ", ">PC < .5", ">PC ≥ .8", ">bias²", ">variance",
			">perplexity", ">peak in", "phase", "regime")
		for _, r := range b.Rows {
			m.row(escape(r.Stage), r.Sparsity.Text(), r.OfAll.Text(), r.SS.with(), r.DSS.with(), r.Accuracy.with(), r.DAccuracy.with(), r.Below.Text(),
				r.AtLeast.Text(), r.Bias.with(), r.Variance.with(), r.PPL.Text(), r.PeakShare.Text(), orDash(r.Phase), orDash(r.Regime))
		}
		m.line("")
		if b.Peak != "" {
			m.line("%s\n", escape(b.Peak))
		}
		m.heads("figure", "stage", ">value", ">against "+escape(b.Dense))
		for _, t := range b.Tables() {
			for _, c := range t.Cells {
				m.row(escape(t.Label), escape(c.Stage), c.Value.with(), c.From.with())
			}
		}
		m.line("")
		for _, r := range b.Collapses() {
			m.line("Steadier and wrong at %s: %s, %s; of these:\n", escape(r.Stage), count(int(r.Collapsed.Value), "question"), escape(r.Apart(b.Dense)))
			m.heads("question", "gold", ">PC", escape(b.Dense), ">PC", escape(r.Stage))
			for _, c := range r.Listed {
				m.row(escape(c.Prompt), escape(c.Gold), c.Dense.PC.Text(), escape(c.Dense.Answers), c.Stage.PC.Text(), escape(c.Stage.Answers))
			}
			m.line("")
		}
		if c := b.Condition; c != nil {
			m.line("%s\n", escape(c.Note()))
			for _, h := range c.Hits {
				m.line("- %s", escape(h.Text()))
			}
			m.line("")
		}
		m.warnings(b.Warnings)
	}
	if note := v.CorpusNote(); note != "" {
		m.line("%s\n", escape(note))
	}
	m.warnings(v.CorpusWarnings)
	m.findings(v.Findings)
	m.line("")
}

// SweepColumns are the columns of SweepCSV, in order. Later releases add columns at the end and change none. A figure
// and its interval are NAME, NAME_lo and NAME_hi; d_NAME is its difference from the first model, ratio_NAME its ratio
// to it; what was not measured is empty.
var SweepColumns = slices.Concat(
	[]string{"run", "suite", "probe", "cases", "stage", "model", "sparsity", "sparsity_of_all", "size", "questions", "variants_min", "variants_max", "unscored"},
	wide("semantic_stability", "pc_below_0.5", "pc_at_least_0.8", "accuracy", "bias_squared", "variance", "net", "phr",
		"d_semantic_stability", "d_pc_below_0.5", "d_pc_at_least_0.8", "d_accuracy", "d_bias_squared", "d_variance", "d_net", "d_phr",
		"below_peak", "collapsed", "ratio_perplexity", "ratio_corpus_perplexity"),
	[]string{"perplexity", "corpus_perplexity", "regime", "optimal", "peak", "peak_share", "collapsed_cases", "collapsed_lost",
		"perplexity_lo", "perplexity_hi", "corpus_perplexity_lo", "corpus_perplexity_hi"},
	wide("ratio_corpus_perplexity_per_token"), []string{"collapsed_declined"},
)

// ErrNoSweep says that the models of a run are no stages of a sweep.
var ErrNoSweep error = Absent("the run's models are no sweep; --sweep makes them one")

// SweepCSV writes a row for each stage and probe of a sweep. The error is ErrNoSweep for a run that is none. Cells
// are guarded as those of CSV.
func SweepCSV(w io.Writer, a *assay.Assay) error {
	if a.Document.Sweep == nil {
		return ErrNoSweep
	}
	var rows [][]string
	s := treeOf(a.Document.Sweep)
	models := s.items("models")
	for _, probe := range s.items("probes") {
		for j, stage := range probe.items("stages")[:min(probe.Len("stages"), len(models))] {
			row := append([]string{a.Document.Run.ID}, sweepRecord(probe, stage, models[j])...)
			for i := range row {
				if _, err := strconv.ParseFloat(row[i], 64); err != nil { // a difference below 0 is a number and no formula
					row[i] = guard(row[i])
				}
			}
			rows = append(rows, row)
		}
	}
	return writeRows(w, SweepColumns, slices.Values(rows))
}

func sweepRecord(probe, stage, model tree) []string {
	peak := probe.Has("peak") && probe.Text("peak", "stage") == stage.Text("stage")
	bounds := func(t tree, path string) []string { return estimates(t, path)[1:] }
	return slices.Concat(members(probe, "suite", "probe", "cases"), members(stage, "stage"), members(model, "model"), members(stage, "sparsity"),
		members(model, "sparsity_of_all", "size"), members(stage, "questions", "variants/min", "variants/max", "unscored"),
		estimates(stage, "semantic_stability", "pc_below_0.5", "pc_at_least_0.8", "accuracy", "bias_squared", "variance", "net", "phr"),
		estimates(stage.sub("against_dense"), "semantic_stability/difference", "pc_below_0.5", "pc_at_least_0.8", "accuracy/difference",
			"decomposition/bias_squared/difference", "decomposition/variance/difference", "decomposition/other_beats_base/difference", "phr"),
		estimates(stage, "below_peak", "collapsed/share", "against_dense/perplexity/median"), estimates(model, "corpus_against_dense/median"),
		members(stage, "perplexity/per_token"), members(model, "corpus_perplexity/per_token"), members(stage, "regime", "optimal"),
		[]string{strconv.FormatBool(peak)}, members(stage, "peak_share", "collapsed/cases", "collapsed/lost"),
		bounds(stage, "perplexity/per_token_interval"), bounds(model, "corpus_perplexity/per_token_interval"),
		estimates(model, "corpus_against_dense/per_token"), members(stage, "collapsed/declined"))
}
