package logs

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite/imported"
)

// promptfooVersion is the version of results that is read.
const promptfooVersion = 3

// passed is the name of promptfoo's verdict among scores, beside its score and those that have names.
const passed = "pass"

// A promptfooResult is one test with one prompt and one provider.
type promptfooResult struct {
	TestIdx   int    `json:"testIdx"`
	PromptIdx int    `json:"promptIdx"`
	PromptID  string `json:"promptId"`
	Prompt    struct {
		Raw   string `json:"raw"`
		Label string `json:"label"`
	} `json:"prompt"`
	Provider json.RawMessage            `json:"provider"`
	Vars     map[string]json.RawMessage `json:"vars"`
	Response *struct {
		Output   json.RawMessage
		Finished string `json:"finishReason"`
	} `json:"response"`
	Error       string                     `json:"error"`
	Success     *bool                      `json:"success"`
	Score       json.RawMessage            `json:"score"`
	NamedScores map[string]json.RawMessage `json:"namedScores"`
	TestCase    struct {
		Description string            `json:"description"`
		Assert      []promptfooAssert `json:"assert"`
	} `json:"testCase"`
	FailureReason int `json:"failureReason"` // 2 is an error of the provider
}

// A promptfooAssert is a check, or a set of them.
type promptfooAssert struct {
	Type   string            `json:"type"`
	Value  json.RawMessage   `json:"value"`
	Assert []promptfooAssert `json:"assert"`
}

// golds are the answers that checks accept: those that compare with a text. A check of another kind says nothing of
// the right answer.
func golds(checks []promptfooAssert) (out []string) {
	for _, a := range checks {
		var x flexible
		switch a.Type {
		case "equals", "contains", "icontains", "similar", "factuality", "model-graded-factuality":
			if json.Unmarshal(a.Value, &x) == nil && len(x.texts) == 1 {
				out = append(out, x.texts[0])
			}
		case "contains-any", "icontains-any":
			if json.Unmarshal(a.Value, &x) == nil && x.list {
				out = append(out, x.texts...)
			}
		case "assert-set":
			out = append(out, golds(a.Assert)...)
		}
	}
	return out
}

// A promptfooer takes results, and counts the draws of each test with each prompt and provider.
type promptfooer struct {
	f     *file
	draws map[[2]string]int
}

func newPromptfooer(f *file) *promptfooer {
	f.lacks("no log-probabilities; a right answer only where a check compares with a text")
	return &promptfooer{f, map[[2]string]int{}}
}

func (p *promptfooer) take(at int, x *promptfooResult) error {
	r := Row{Model: providerOf(x.Provider), Wording: cmp.Or(x.Prompt.Label, x.PromptID)}
	r.ID = "test " + strconv.Itoa(x.TestIdx+1)
	var chat []message
	r.Prompt = x.Prompt.Raw
	if strings.HasPrefix(strings.TrimSpace(r.Prompt), "[") && json.Unmarshal([]byte(r.Prompt), &chat) == nil &&
		len(chat) > 0 && chat[0].Role != "" {
		p.f.ask(&r, chat)
	}
	r.Gold = golds(x.TestCase.Assert)
	switch {
	case x.Response != nil && len(x.Response.Output) > 0 && string(x.Response.Output) != "null":
		r.Text, r.Finish = new(textOf(x.Response.Output)), imported.FinishOf(x.Response.Finished)
	case x.Error != "":
		r.Failure = "the call failed: " + firstLine(x.Error)
	default:
		r.Failure = noOutput
	}
	if x.Success != nil && (r.Text != nil || x.FailureReason != 2) {
		r.judged(passed, x.Success)
		r.score("score", x.Score)
		for name, raw := range x.NamedScores {
			r.score(name, raw)
		}
	}
	return p.next(at, &r)
}

// next numbers the draws of what was asked in the same way before.
func (p *promptfooer) next(at int, r *Row) error {
	key := [2]string{r.ID, r.Model + "\x00" + r.Wording}
	r.Repeat = p.draws[key]
	p.draws[key]++
	return p.f.take(at, r)
}

func providerOf(raw json.RawMessage) string {
	var name string
	var of struct{ ID, Label string }
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	if json.Unmarshal(raw, &of) == nil {
		return cmp.Or(of.Label, of.ID)
	}
	return ""
}

// readPromptfoo reads results in JSON Lines.
func readPromptfoo(f *file) error {
	p := newPromptfooer(f)
	return eachLine(f, func(line int, x promptfooResult) error { return p.take(line, &x) })
}

// readPromptfooJSON reads results in one document.
func readPromptfooJSON(f *file) error {
	d, p := newDocument(f), newPromptfooer(f)
	var version, taken int
	var stats struct{ Successes, Failures, Errors int }
	err := d.object("the log", func(key string) error {
		if key == "metadata" {
			var of struct {
				Version string `json:"promptfooVersion"`
			}
			err := d.value(&of)
			f.source.Version = of.Version
			return err
		}
		if key != "results" {
			return d.skip()
		}
		return d.object("results", func(key string) error {
			switch key {
			case "version":
				if err := d.value(&version); err != nil || version == promptfooVersion {
					return err
				}
				return f.errorf(0, "holds promptfoo results of version %d, and this release reads version %d; export "+
					"them again with `promptfoo export`", version, promptfooVersion)
			case "stats":
				return d.value(&stats)
			case "results":
				return list(d, "results", func(at int, x *promptfooResult) error {
					taken++
					return p.take(at, x)
				})
			}
			return d.skip()
		})
	})
	if err != nil {
		return err
	}
	if n := stats.Successes + stats.Failures + stats.Errors; taken < n {
		return f.errorf(0, "holds %d of the %d results that its stats count; export them again with `promptfoo export`",
			taken, n)
	}
	if n := stats.Successes + stats.Failures; n > 0 {
		f.source.Printed = map[string]float64{passed: float64(stats.Successes) / float64(n)}
	}
	return d.end()
}

// readPromptfooCSV reads the table of results: the variables of a test, and for each prompt with each provider its
// output and what was made of it.
func readPromptfooCSV(f *file) error {
	var names []string
	var first, n int
	f.lacks("a CSV has no right answers and no prompts: with the JSON of the same results answers are graded")
	p := newPromptfooer(f)
	return f.cells(',', func(header []string) error {
		if names = header; len(names) > mostColumns {
			return f.errorf(1, "%d columns, at most %d are read", len(names), mostColumns)
		}
		if first = slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "[") }); first < 0 {
			return f.errorf(1, "no column of outputs, as [provider] prompt; export the results again")
		}
		return nil
	}, func(line int, cells []string) error {
		n++
		for i := first; i < len(names); i++ {
			provider, wording, ok := strings.Cut(strings.TrimPrefix(names[i], "["), "] ")
			if !ok || !strings.HasPrefix(names[i], "[") {
				continue
			}
			r := Row{Model: provider, Wording: wording, Text: &cells[i]}
			r.ID = "test " + strconv.Itoa(n)
			r.Prompt = variables(names[:first], cells[:first])
			tableScores(names, cells, i, &r)
			if err := p.next(line, &r); err != nil {
				return err
			}
		}
		return nil
	})
}

// variables is what a table says was asked.
func variables(names, cells []string) string {
	var parts []string
	for i, name := range names {
		if name != "Description" && strings.TrimSpace(cells[i]) != "" {
			parts = append(parts, cells[i])
		}
	}
	return strings.Join(parts, "\n")
}

// tableScores reads the columns behind an output: its status, its score and those that have names.
func tableScores(names, cells []string, at int, r *Row) {
	r.Scores = map[string]float64{}
	for i := at + 1; i < len(names) && !strings.HasPrefix(names[i], "["); i++ {
		switch names[i] {
		case "Status":
			if cells[i] == "ERROR" {
				r.Text, r.Failure, r.Scores = nil, "the call failed", nil
				return
			}
			if x, ok := words[cells[i]]; ok {
				r.Scores[passed] = x
			}
		case "Score":
			if x, err := strconv.ParseFloat(cells[i], 64); err == nil {
				r.Scores["score"] = x
			}
		case "Named Scores":
			var named map[string]float64
			if strings.HasPrefix(cells[i], "{") && json.Unmarshal([]byte(cells[i]), &named) == nil {
				maps.Copy(r.Scores, named)
			}
		}
	}
}
