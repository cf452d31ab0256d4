package logs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
)

// An lmSample is a line of samples_TASK.jsonl: what came of one document by one filter. Its parts are read where they
// are needed: of a million lines, decoding each again and again took longer than all else of reading them.
type lmSample struct{ object }

// text is what a key says, "" where it is missing or null.
func (x lmSample) text(key string) string { return x.cell(key).text }

// part is the object at a key; false of anything else.
func (x lmSample) part(key string) (p lmSample, ok bool) {
	raw := x.object[key]
	return p, len(raw) > 0 && raw[0] == '{' && p.UnmarshalJSON(raw) == nil
}

// lmKeys are the keys of a sample that are no metrics.
var lmKeys = []string{"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
	"doc_hash", "prompt_hash", "target_hash"}

// readLMEval reads samples_TASK.jsonl of lm-evaluation-harness, and beside it results_….json for the model and the
// figures that were printed.
func readLMEval(f *file) error {
	f.source.Task = lmTask(f.name)
	f.lacks("the settings of the model are in its results file alone; no log-probabilities of single tokens")
	results := lmResultsBeside(f)
	var r Row
	documents := map[string]int{} // each filter has every one once
	err := eachLine(f, func(line int, x lmSample) error {
		resps, ok := elements(x.object["resps"])
		if !ok || len(resps) == 0 {
			return f.errorf(line, "the sample has no resps; write samples with --log_samples")
		}
		r = Row{Task: f.source.Task, Model: f.source.Model, Again: true}
		if r.ID = x.text("doc_id"); strings.HasPrefix(r.ID, "{") || strings.HasPrefix(r.ID, "[") {
			return f.errorf(line, "doc_id %s: want a number", jsonl.Excerpt([]byte(r.ID)))
		}
		documents[x.text("filter")]++
		r.Scores = x.scores()
		requests, err := x.requests()
		if err != nil {
			return f.errorf(line, "%w", err)
		}
		if sums := logProbabilities(resps); sums != nil {
			return x.scored(f, line, &r, requests, sums)
		}
		return x.generated(f, line, &r, requests, resps[0])
	})
	if err != nil {
		return err
	}
	n := results.NSamples[f.source.Task].Effective
	for _, filter := range slices.Sorted(maps.Keys(documents)) {
		if got := documents[filter]; got < n {
			return f.errorf(0, "holds %d of the %d samples of filter %q that its results file counts; copy it again, "+
				"or run it again", got, n, jsonl.Excerpt([]byte(filter)))
		}
	}
	return nil
}

// lmTask is the task in the name samples_TASK_2026-01-02T….jsonl.
func lmTask(name string) string {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	base = strings.TrimPrefix(base, "samples_")
	for i := len(base) - 1; i > 0; i-- {
		if base[i] == '_' && len(base) > i+5 && digits(base[i+1:]) == 4 && base[i+5] == '-' {
			return base[:i]
		}
	}
	return base
}

// scores are the metrics of a sample that are numbers, by the names that the table of results has: those of a filter
// with its name behind.
func (x lmSample) scores() map[string]float64 {
	filter, metrics := x.text("filter"), flexibly(x.object["metrics"]).texts
	out := map[string]float64{}
	for name, raw := range x.object {
		if slices.Contains(lmKeys, name) || len(metrics) > 0 && !slices.Contains(metrics, name) {
			continue
		}
		if v, ok := number(raw); ok {
			out[lmName(name, filter)] = v
		}
	}
	return out
}

func lmName(metric, filter string) string {
	if filter == "" || filter == "none" {
		return metric
	}
	return metric + "," + filter
}

// An lmRequest is what was sent: a context, and what its continuation or how it was to be generated.
type lmRequest struct {
	context, continuation string
	continues             bool
}

// requests reads the arguments of a sample, in either form in which releases write them.
func (x lmSample) requests() (out []lmRequest, err error) {
	add := func(context, second json.RawMessage) {
		c := flexibly(context)
		r := lmRequest{context: c.text()}
		if r.continues = len(second) > 0 && second[0] == '"'; r.continues {
			r.continuation = textOf(second)
		}
		out = append(out, r)
	}
	if named, ok := x.part("arguments"); ok {
		for i := range len(named.object) {
			a, ok := named.part("gen_args_" + strconv.Itoa(i))
			if !ok {
				break
			}
			add(a.object["arg_0"], a.object["arg_1"])
		}
		return out, nil
	}
	listed, ok := elements(x.object["arguments"])
	if !ok {
		return nil, errors.New("the sample has no arguments; write samples with --log_samples")
	}
	for _, raw := range listed {
		switch a, ok := elements(raw); {
		case !ok:
			return nil, fmt.Errorf("arguments hold %s; want lists of a context and its continuation",
				jsonl.Excerpt(raw))
		case len(a) == 1:
			add(a[0], nil)
		case len(a) > 1:
			add(a[0], a[1])
		}
	}
	return out, nil
}

// logProbabilities are those of a sample whose continuations were scored, nil where text was generated.
func logProbabilities(resps []json.RawMessage) (sums []float64) {
	for _, raw := range resps {
		repeats, ok := elements(raw)
		if !ok || len(repeats) == 0 {
			return nil
		}
		pair, ok := elements(repeats[0])
		if !ok || len(pair) != 2 {
			return nil
		}
		sum, err := strconv.ParseFloat(textOf(pair[0]), 64) // of a text, as releases write it, or a number
		if err != nil {
			return nil
		}
		sums = append(sums, sum)
	}
	return sums
}

// scored takes a sample whose options were scored: the answer is the one of the highest log-probability, the first of
// those that share it.
func (x lmSample) scored(f *file, line int, r *Row, requests []lmRequest, sums []float64) error {
	n := len(requests)
	for n > 1 && requests[n-1].context == "" { // of the options alone, for acc_mutual_info
		n--
	}
	if n > len(sums) || n == 0 {
		return f.errorf(line, "%d requests and %d responses; the sample is cut off", len(requests), len(sums))
	}
	same := !slices.ContainsFunc(requests[:n], func(q lmRequest) bool { return q.context != requests[0].context })
	r.Prompt = requests[0].context
	for _, q := range requests[:n] {
		text := q.context // of options before one continuation
		if same && q.continues {
			text = strings.TrimSpace(q.continuation)
		}
		r.Options = append(r.Options, text)
	}
	if !same {
		r.Prompt = x.asked()
	}
	if n == 1 { // one continuation: what was said in its place is not known
		r.Options, r.Gold = nil, []string{strings.TrimSpace(requests[0].continuation)}
		f.lacks("of one scored continuation the answer is not known: its scores alone")
		return f.take(line, r)
	}
	best := 0
	for i := range sums[:n] {
		if sums[i] > sums[best] {
			best = i
		}
	}
	r.Text = &r.Options[best]
	x.right(r)
	return f.take(line, r)
}

// right finds the right options by the target: an index, several, or their text.
func (x lmSample) right(r *Row) {
	target := flexibly(x.object["target"])
	for _, t := range target.texts {
		i, err := strconv.Atoi(strings.TrimSpace(t))
		if err != nil || i < 0 || i >= len(r.Options) {
			i = slices.Index(r.Options, strings.TrimSpace(t))
		}
		if i < 0 {
			continue
		}
		if len(target.texts) == 1 {
			r.Option = &i
			return
		}
		r.Gold = append(r.Gold, r.Options[i])
	}
}

// asked is the question in the document, where the contexts are the options.
func (x lmSample) asked() string {
	doc, _ := x.part("doc")
	for _, name := range append(slices.Clone(defaults[question]), "sentence", "ctx", "goal", "premise") {
		if c := doc.cell(name); strings.TrimSpace(c.text) != "" {
			return c.text
		}
	}
	return ""
}

// generated takes a sample of generated text: each repeat is a draw, of which the first has the scores.
func (x lmSample) generated(f *file, line int, r *Row, requests []lmRequest, resp json.RawMessage) error {
	if len(requests) > 0 {
		var chat []message
		r.Prompt = requests[0].context
		if strings.HasPrefix(r.Prompt, "[{") && json.Unmarshal([]byte(r.Prompt), &chat) == nil {
			f.ask(r, chat)
		}
	}
	r.Gold = flexibly(x.object["target"]).texts
	repeats, ok := elements(resp)
	if !ok || slices.ContainsFunc(repeats, func(b json.RawMessage) bool { return b[0] != '"' && b[0] != 'n' }) {
		return f.errorf(line, "resps hold no text: where the likelihood of a text was measured there are no answers; "+
			"import tasks that generate or choose")
	}
	for i, raw := range repeats {
		text := textOf(raw)
		r.Text, r.Repeat = &text, i
		if i > 0 {
			r.Scores = nil
		}
		if err := f.take(line, r); err != nil {
			return err
		}
	}
	return nil
}

// lmResults is what is read of results_….json.
type lmResults struct {
	Results   map[string]map[string]json.RawMessage `json:"results"`
	ModelName string                                `json:"model_name"`
	Version   string                                `json:"lm_eval_version"`
	NSamples  map[string]struct {
		Effective int `json:"effective"`
	} `json:"n-samples"`
	Config struct {
		Model     string          `json:"model"`
		ModelArgs json.RawMessage `json:"model_args"`
	} `json:"config"`
}

func (x *lmResults) model() string {
	var args map[string]any
	if x.ModelName == "" && json.Unmarshal(x.Config.ModelArgs, &args) == nil {
		for _, key := range []string{"model", "pretrained"} {
			if name, ok := args[key].(string); ok {
				return name
			}
		}
	}
	return x.ModelName
}

// printed are the figures of a task, but their standard errors.
func (x *lmResults) printed(task string) map[string]float64 {
	out := map[string]float64{}
	for name, raw := range x.Results[task] {
		metric, filter, ok := strings.Cut(name, ",")
		v, isNumber := number(raw)
		if !ok || !isNumber || strings.HasSuffix(metric, "_stderr") {
			continue
		}
		out[lmName(metric, filter)] = v
	}
	return out
}

// readLMEvalResults reads results_….json that was named on the command line.
func readLMEvalResults(f *file) error {
	var x lmResults
	d := newDocument(f)
	if err := d.value(&x); err != nil {
		return err
	}
	f.source.Tool, f.source.Version, f.source.Model = toolOf(LMEval), x.Version, x.model()
	if len(x.Results) == 0 {
		return f.errorf(0, "has no results; the run did not end")
	}
	for task := range x.Results {
		f.to.wrote(task, x.model(), x.printed(task))
	}
	return d.end()
}

// lmResultsBeside reads the results that lie beside samples: of the same time, or the only ones.
func lmResultsBeside(f *file) (x lmResults) {
	if f.path == "" {
		return x
	}
	stamp := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path)),
		"samples_"+f.source.Task)
	for _, name := range []string{"results" + stamp + ".json", "results_" + f.source.Task + ".json"} {
		b, err := inputfile.Read(filepath.Join(filepath.Dir(f.path), name), mostValue)
		if err != nil {
			continue // it is not there
		}
		if x = (lmResults{}); json.Unmarshal(b, &x) != nil || x.Results[f.source.Task] == nil {
			continue // of something else
		}
		f.source.Model, f.source.Version = x.model(), x.Version
		f.source.Printed = x.printed(f.source.Task)
		return x
	}
	f.lacks("no results_….json lies beside the samples: the model is called by --model-name, and no printed " +
		"figure is held against ours")
	return lmResults{}
}
