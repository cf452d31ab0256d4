package report

import (
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/detect"
)

func detectorLabel(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(oneLine(name), "_", " "), "p true", "P(True)")
}

// detectors sets out how well detectors tell the classes of both axes apart, in their usual order.
func (s *section) detectors(of tree, _ figsOf) block {
	auroc := columnOfPlots("", 1).wide()
	auroc.Axis = axis("0", ".5 chance", "1")
	t := table{Columns: heads("detector", fullOf("scored"), "correctness", auroc, fullOf("wrong"), fullOf("right"),
		"consistency", auroc, fullOf("prompt-sensitive"), fullOf("prompt-agnostic"), fullOf("gain"))}
	var lacks, doubts []string
	var most [4]int // answers that are wrong and right, questions that are prompt-sensitive and that are not
	for _, name := range detect.Names {
		d := of.branch("detectors", name)
		label := detectorLabel(name)
		if why := of.Text("not_available", name); why != "" {
			lacks = append(lacks, label+", as "+oneLine(why))
			continue
		}
		if !d.Has() {
			continue
		}
		at := s.t.under("detection", "detectors", name)
		r := rowOf(cellOf(label).noted(called("detectors", name)), at("n"))
		for i, axis := range []string{"correctness", "consistency"} {
			tells, failing, passing := at(axis, "auroc"), at(axis, "failing"), at(axis, "passing")
			most[2*i], most[2*i+1] = max(most[2*i], int(failing.Value)),
				max(most[2*i+1], int(passing.Value))
			r.Cells = append(r.Cells, cellWithin(tells), cell{Plot: tells}, cellOf(failing), cellOf(passing))
		}
		r.Cells = append(r.Cells, cellWithin(at("gain")))
		t.Rows = append(t.Rows, r)
		doubts = append(doubts, doubtsOf(d, label)...)
	}
	missing := ""
	if len(lacks) > 0 {
		missing = "Not available: " + strings.Join(lacks, "; ") + "."
	}
	doubts = append(of.texts("warnings"), doubts...)
	return s.chapter("detect", t, aside(missing), warnings{List: doubts, In: inFull}).over(fmt.Sprintf("AUROC: %d "+
		"wrong from %d right, %d prompt-sensitive from %d stable; 0.5 is chance", most[0], most[1], most[2], most[3]))
}

// doubtsOf are the warnings of a detector, with what they are of.
func doubtsOf(d tree, label string) (out []string) {
	for _, axis := range []string{"", "correctness", "consistency"} {
		of, at := label, d
		if axis != "" {
			of, at = label+", "+axis, d.sub(axis)
		}
		out = append(out, each(at.texts("warnings"), func(w string) string { return of + ": " + w })...)
	}
	return out
}

// acrossModels sets models side by side on each suite, by signed-rank tests over them; of several runs also on all
// of them pooled.
func acrossModels(t tree, suites []string) (out []block) {
	if len(suites) == 1 {
		return append(out, acrossOn(t.sub("across_models"), ""))
	}
	for _, s := range suites {
		out = append(out, acrossOn(t.sub("across_models", "suites", s), oneLine(s)))
	}
	return append(out, acrossOn(t.sub("across_models", "pooled"), "all suites pooled"))
}

func acrossOn(t tree, suite string) block {
	rows := table{Columns: heads("detector", textOf("correctness").only(inTerminal),
		textOf("consistency").only(inTerminal), fullOf("correctness, p"), fullOf("by Holm"),
		textOf("failing score").only(inFull), fullOf("consistency, p"), fullOf("by Holm"),
		textOf("failing score").only(inFull), fullOf("gain"), fullOf("by Holm"))}
	few := false
	for _, name := range detect.Names {
		of := t.under("detection", "detectors", name)
		cells := make([]cell, 2, 10)
		some := false
		for i, axis := range []string{"correctness", "consistency"} {
			p, adjusted, models, higher := of(axis, "p"), of(axis, "p_holm"), of(axis, "models"), of(axis, "higher")
			in := "no model has both classes"
			cells[i] = cellOf("–")
			if p.OK {
				in = fmt.Sprintf("higher in %s of %s", higher.Text(), models.Text())
				cells[i] = cellOf(fmt.Sprintf("%s (%s) %s/%s", p.Text(), adjusted.Text(), higher.Text(), models.Text()))
			}
			cells = append(cells, cellOf(p), cellOf(adjusted), cellOf(in))
			some, few = some || p.OK, few || p.OK && models.Value < 6
		}
		if some {
			rows.add(detectorLabel(name), cells, of("gain", "mean"), of("gain", "p_holm"))
		}
	}
	if len(rows.Rows) == 0 {
		return nil
	}
	doubts := t.texts("detection", "warnings")
	if few {
		doubts = append(doubts, "fewer than 6 models can give no p below .05")
	}
	body := []block{rows, aside("in brackets by Holm; then in how many models the failing cases " +
		"score higher").only(inTerminal)}
	for _, f := range t.texts("detection", "findings") {
		body = append(body, sentence(f))
	}
	models := t.Whole("detection", "models")
	c := chapterOf("across", append(body, warnings{List: doubts})...).asks(models)
	c.ID, c.At, c.Over = "", Visible(strings.Join(t.At(), ".")), count(models,
		"model")+"; two-sided signed-rank p, and by Holm"
	if suite != "" {
		c.Title, c.Over = c.Title+" on "+suite, suite+": "+c.Over
	}
	return c
}

// scoresOf are the scores of a case in a line, "" where it has none.
func scoresOf(d *assay.Detected) string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, name := range detect.Names {
		if x, ok := d.Scores[name]; ok {
			parts = append(parts, detectorLabel(name)+" "+decimal(x))
		}
	}
	return strings.Join(parts, " · ")
}
