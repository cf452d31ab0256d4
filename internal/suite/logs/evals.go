package logs

import (
	"encoding/json"
	"strings"

	"hallmark/internal/base/jsonl"
)

// An evalsLine is a line of OpenAI Evals: what the run is, its report, or an event.
type evalsLine struct {
	Spec *struct {
		EvalName      string   `json:"eval_name"`
		BaseEval      string   `json:"base_eval"`
		CompletionFns []string `json:"completion_fns"`
	} `json:"spec"`
	FinalReport map[string]json.RawMessage `json:"final_report"`
	SampleID    json.RawMessage            `json:"sample_id"`
	EventID     *int                       `json:"event_id"`
	Type        string                     `json:"type"`
	Data        json.RawMessage            `json:"data"`
}

// An evalsEvent is the data of an event: of what was sampled, or how it matched.
type evalsEvent struct {
	Prompt  json.RawMessage `json:"prompt"`
	Sampled flexible        `json:"sampled"`
	// how it matched
	Correct  *bool    `json:"correct"`
	Expected flexible `json:"expected"`
	Choice   string   `json:"choice"`
}

// readOpenAIEvals reads the record of OpenAI Evals. Events of a sample follow each other in any order: what was sampled
// is held until the match of it comes, or the file ends.
func readOpenAIEvals(f *file) error {
	f.lacks("no log-probabilities; of several calls for a sample the last is its answer")
	open, order := map[string]*Row{}, []string{}
	places := map[string]int{}
	ended := false
	row := func(line int, sample string) *Row {
		if open[sample] == nil {
			open[sample], places[sample] = &Row{Task: f.source.Task, Model: f.source.Model}, line
			open[sample].ID = sample
			order = append(order, sample)
		}
		return open[sample]
	}
	err := eachLine(f, func(line int, x evalsLine) error {
		switch {
		case x.Spec != nil:
			f.source.Task = strings.Map(printable, x.Spec.EvalName)
			f.source.Model = strings.Join(x.Spec.CompletionFns, "+")
			return nil
		case x.FinalReport != nil:
			ended = true
			if v, ok := number(x.FinalReport["accuracy"]); ok {
				f.source.Printed = map[string]float64{"correct": v}
			}
			return nil
		case x.Type == "" && x.EventID == nil:
			return f.errorf(line, "is no line of OpenAI Evals: it has neither spec, final_report nor an event")
		}
		var sample string
		if json.Unmarshal(x.SampleID, &sample) != nil {
			sample = string(x.SampleID)
		}
		if sample == "" || sample == "null" {
			return nil // of the whole run
		}
		var e evalsEvent
		if x.Type == "sampling" || x.Type == "match" || x.Type == "metrics" {
			if err := json.Unmarshal(x.Data, &e); err != nil {
				return f.errorf(line, "data: %w", jsonl.Plain(err))
			}
		}
		return e.enter(f, line, &x, row(line, sample))
	})
	if err != nil {
		return err
	}
	if !ended {
		return f.errorf(0, "the run did not end: there is no final_report; run it again")
	}
	for _, sample := range order {
		r := open[sample]
		if r.Text == nil {
			r.Failure = "the log has no output of it"
		}
		if err := f.take(places[sample], r); err != nil {
			return err
		}
	}
	return nil
}

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
			text := e.Sampled.texts[0]
			r.Text = &text
		}
	case "match":
		if e.Correct != nil {
			if r.Scores == nil {
				r.Scores = map[string]float64{}
			}
			if r.Scores["correct"] = 0; *e.Correct {
				r.Scores["correct"] = 1
			}
		}
		if len(e.Expected.texts) > 0 {
			r.Gold = e.Expected.texts
		}
		if r.Text == nil && len(e.Sampled.texts) > 0 {
			text := e.Sampled.texts[0]
			r.Text = &text
		}
	case "metrics":
		var all map[string]json.RawMessage
		if err := json.Unmarshal(x.Data, &all); err != nil {
			return f.errorf(line, "data: %w", jsonl.Plain(err))
		}
		for name, raw := range all {
			if v, ok := number(raw); ok {
				if r.Scores == nil {
					r.Scores = map[string]float64{}
				}
				r.Scores[name] = v
			}
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
