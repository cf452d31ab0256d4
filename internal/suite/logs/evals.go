package logs

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/stat/figure"
)

// An evalsLine is a line of OpenAI Evals: what the run is, its report, or an event.
type evalsLine struct {
	Spec *struct {
		EvalName      string   `json:"eval_name"`
		BaseEval      string   `json:"base_eval"`
		CompletionFns []string `json:"completion_fns"`
		RunConfig     struct {
			MaxSamples json.RawMessage `json:"max_samples"`
		} `json:"run_config"`
	} `json:"spec"`
	FinalReport map[string]json.RawMessage `json:"final_report"`
	SampleID    json.RawMessage            `json:"sample_id"`
	EventID     *int                       `json:"event_id"`
	Type        string                     `json:"type"`
	Data        json.RawMessage            `json:"data"`
}

// An evalsEvent is the data of an event: of what was sampled, or how it matched.
type evalsEvent struct {
	Prompt  json.RawMessage            `json:"prompt"`
	Sampled flexible                   `json:"sampled"`
	Usage   map[string]json.RawMessage `json:"usage"` // of which what is no number counts as nothing
	// how it matched
	Correct  *bool    `json:"correct"`
	Expected flexible `json:"expected"`
	Choice   string   `json:"choice"`
}

// An evalsLog is what was read of a record so far.
type evalsLog struct {
	f      *file
	open   map[string]*evalsSample
	order  []string
	all    bool // that were in the data were asked: no limit was set
	report map[string]json.RawMessage
	tokens map[string]int64 // of the calls, as the report counts them
}

// An evalsSample is a row, the line where it begins, and which events of it came.
type evalsSample struct {
	Row
	line             int
	sampled, matched bool
}

// unmatched reports whether a sample came and nothing of how it matched.
func (x *evalsSample) unmatched() bool { return x.sampled && !x.matched }

// sample is the one of an id, which begins at a line where it is new.
func (l *evalsLog) sample(line int, id string) *evalsSample {
	x := l.open[id]
	if x == nil {
		x = &evalsSample{Row: Row{Task: l.f.source.Task, Model: l.f.source.Model}, line: line}
		x.ID = id
		l.open[id], l.order = x, append(l.order, id)
	}
	return x
}

// readOpenAIEvals reads the record of OpenAI Evals. Events of a sample follow each other in any order, and the report
// may stand before them: what was sampled is held until the file ends.
func readOpenAIEvals(f *file) error {
	f.lacks("no log-probabilities; of several calls for a sample the last is its answer")
	l := &evalsLog{f: f, open: map[string]*evalsSample{}, tokens: map[string]int64{}}
	if err := eachLine(f, l.line); err != nil {
		return err
	}
	if l.report == nil {
		return f.errorf(0, "the run did not end: there is no final_report; run it again")
	}
	if err := l.whole(); err != nil {
		return err
	}
	for _, id := range l.order {
		x := l.open[id]
		if x.Text == nil {
			x.Failure = noOutput
		}
		if err := f.take(x.line, &x.Row); err != nil {
			return err
		}
	}
	return nil
}

// line reads a line.
func (l *evalsLog) line(line int, x evalsLine) error {
	f := l.f
	switch {
	case x.Spec != nil:
		f.source.Task = strings.Map(printable, x.Spec.EvalName)
		f.source.Model = strings.Join(x.Spec.CompletionFns, "+")
		l.all = string(x.Spec.RunConfig.MaxSamples) == "null"
		return nil
	case x.FinalReport != nil:
		l.report = x.FinalReport
		if v, ok := number(x.FinalReport["accuracy"]); ok {
			f.source.Printed = map[string]float64{"correct": v}
		}
		return nil
	case x.Type == "" && x.EventID == nil:
		return f.errorf(line, "is no line of OpenAI Evals: it has neither spec, final_report nor an event")
	}
	var e evalsEvent
	if x.Type == "sampling" || x.Type == "match" || x.Type == "metrics" {
		if err := json.Unmarshal(x.Data, &e); err != nil {
			return f.errorf(line, "data: %w", jsonl.Plain(err))
		}
	}
	for key, raw := range e.Usage {
		var n int64
		_ = json.Unmarshal(raw, &n)
		l.tokens[key] += n
	}
	id := textOf(x.SampleID)
	if id == "" || id == "null" {
		return nil // of the whole run
	}
	s := l.sample(line, id)
	s.sampled, s.matched = s.sampled || x.Type == "sampling", s.matched || x.Type == "match"
	return e.enter(f, line, &x, &s.Row)
}

// whole reports a log that was cut off behind its report, which may stand before the events: its calls have fewer
// tokens than the report counts; or the last sample was not matched, as all others were; or numbers of samples are
// missing, and the mean is not the one that was printed.
func (l *evalsLog) whole() error {
	if len(l.order) == 0 {
		return nil
	}
	const again = "it is cut off, or the run that wrote it was stopped; copy it again, or run it again"
	for _, key := range slices.Sorted(maps.Keys(l.tokens)) {
		var n int64
		if json.Unmarshal(l.report["usage_"+key], &n) == nil && l.tokens[key] < n {
			return l.f.errorf(0, "the report counts %d tokens (usage_%s), and the calls in the log %d, of %s: "+again,
				n, key, l.tokens[key], l.there())
		}
	}
	unmatched, last := 0, l.open[l.order[len(l.order)-1]]
	var right, matched float64
	for _, x := range l.open {
		if x.unmatched() {
			unmatched++
		}
		if v, ok := x.Scores["correct"]; ok {
			right, matched = right+v, matched+1
		}
	}
	if unmatched == 1 && last.unmatched() && len(l.order) > 1 {
		return l.f.errorf(last.line, "sample %q was sampled and not matched, as the others were, and is the last of "+
			"%s: "+again, jsonl.Excerpt([]byte(last.ID)), l.there())
	}
	if l.atLeast() <= len(l.order) {
		return nil
	}
	if p, ok := l.f.source.Printed["correct"]; ok && math.Abs(right/matched-p) > 1e-9 {
		return l.f.errorf(0, "the report says an accuracy of %s, and its samples give %s, of which there are "+
			"%s: "+again, figure.Exact(p), figure.Exact(right/matched), l.there())
	}
	l.f.lacks(fmt.Sprintf("by the numbers in their ids %s are in %s, which may be cut off", l.there(), l.f.source.File))
	return nil
}

// there says how many samples there are, and of how many.
func (l *evalsLog) there() string {
	if most := l.atLeast(); most > len(l.order) {
		return fmt.Sprintf("%d of at least %d samples", len(l.order), most)
	}
	return figure.Counted(len(l.order), "sample")
}

// atLeast is how many samples were asked at least, by the numbers at the end of their ids, where all of the data were
// asked; 0 where the ids do not say.
func (l *evalsLog) atLeast() (n int) {
	for _, id := range l.order {
		i, err := strconv.Atoi(id[strings.LastIndexByte(id, '.')+1:])
		if !l.all || err != nil || i < 0 || i > maxSamples {
			return 0
		}
		n = max(n, i+1)
	}
	return n
}

// maxSamples bounds the numbers that are taken for places in the data.
const maxSamples = 1 << 30

// enter puts an event into the row of its sample.
func (e *evalsEvent) enter(f *file, line int, x *evalsLine, r *Row) error {
	switch x.Type {
	case "sampling":
		var chat []message
		if json.Unmarshal(e.Prompt, &r.Prompt) != nil && json.Unmarshal(e.Prompt, &chat) == nil {
			r.Question = Question{ID: r.ID, Gold: r.Gold}
			r.ask(chat)
		}
		if len(e.Sampled.texts) > 0 {
			r.Text = &e.Sampled.texts[0]
		}
	case "match":
		r.judged("correct", e.Correct)
		if len(e.Expected.texts) > 0 {
			r.Gold = e.Expected.texts
		}
		if r.Text == nil && len(e.Sampled.texts) > 0 {
			r.Text = &e.Sampled.texts[0]
		}
	case "metrics":
		var all map[string]json.RawMessage
		if err := json.Unmarshal(x.Data, &all); err != nil {
			return f.errorf(line, "data: %w", jsonl.Plain(err))
		}
		for name, raw := range all {
			r.score(name, raw)
		}
	}
	return nil
}

// printable leaves out what is no name on one line.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
