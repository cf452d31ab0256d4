package guard

import (
	"encoding/json"
	"slices"

	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/model"
)

// Remember returns a guarded answer as an entry of a memory. It is false where there is nothing to remember: the
// response is no guard's or has no text, the guard had nothing to hold it to, or it was itself remembered; where
// options were scored or a plain text continued; and where earlier turns belong to the question, which a memory
// does not keep.
func Remember(req model.Request, resp model.Response) (memory.Entry, bool) {
	var t Trace
	if json.Unmarshal(resp.Raw, &t) != nil || t.Act == "" || t.Act == Unguarded || t.Act == Remembered {
		return memory.Entry{}, false
	}
	e, ok := RememberAsIs(req, resp)
	e.Abstains = t.Act == Abstained
	if t.Reason != "" {
		e.Reasons = append(e.Reasons, t.Reason)
	}
	return e, ok
}

// RememberAsIs returns any answer as an entry, whatever adjudication would say of it: the control that shows what
// adjudication adds.
func RememberAsIs(req model.Request, resp model.Response) (memory.Entry, bool) {
	if resp.Text == nil || *resp.Text == "" || len(req.Options) > 0 || req.Raw || len(req.Messages) > 0 {
		return memory.Entry{}, false
	}
	return memory.Entry{System: req.System, Question: req.Prompt, Answer: *resp.Text}, true
}

// recall answers a request from the memory, and is false where nothing is remembered of its question.
func (g *Guard) recall(req model.Request) (model.Response, bool) {
	if g.c.Memory == nil || len(req.Options) > 0 || req.Raw || len(req.Messages) > 0 {
		return model.Response{}, false
	}
	e, ok := g.c.Memory.Find(req.System, req.Prompt)
	if !ok {
		return model.Response{}, false
	}
	t := Trace{Act: Remembered, Reason: "adjudicated before"}
	if len(e.Reasons) > 0 {
		t.Reason += ": " + excerpt(e.Reasons[0])
	}
	return model.Response{Text: &e.Answer, Finish: model.FinishStop, Raw: slices.Clip(t.json())}, true
}
