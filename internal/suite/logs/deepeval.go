package logs

import (
	"cmp"
	"encoding/json"
	"strconv"
)

// A deepEvalCase is a test case of a run of DeepEval, in the keys of its files or of its Python objects.
type deepEvalCase struct {
	Name      string   `json:"name"`
	Input     string   `json:"input"`
	Output    *string  `json:"actualOutput"`
	Output2   *string  `json:"actual_output"`
	Expected  string   `json:"expectedOutput"`
	Expected2 string   `json:"expected_output"`
	Retrieved []string `json:"retrievalContext"`
	Retrieve2 []string `json:"retrieval_context"`
	Context   []string `json:"context"`
	Success   *bool    `json:"success"`
	Metrics   []metric `json:"metricsData"`
	Metrics2  []metric `json:"metrics_data"`
}

type metric struct {
	Name    string   `json:"name"`
	Score   *float64 `json:"score"`
	Success *bool    `json:"success"`
	Error   *string  `json:"error"`
}

func (x *deepEvalCase) take(f *file, at int) error {
	r := Row{}
	r.ID, r.Prompt = strconv.Itoa(at), x.Input
	if e := cmp.Or(x.Expected, x.Expected2); e != "" {
		r.Gold = []string{e}
	}
	for _, list := range [][]string{x.Context, x.Retrieved, x.Retrieve2} {
		if len(list) > 0 {
			r.Context = list
		}
	}
	if r.Text = cmp.Or(x.Output, x.Output2); r.Text == nil {
		r.Failure = noOutput
	}
	for _, m := range append(x.Metrics, x.Metrics2...) {
		if m.Score != nil {
			r.enter(m.Name, *m.Score)
		}
	}
	r.judged("success", x.Success)
	return f.take(at, &r)
}

// readDeepEval reads a test run, under testRunData or bare, or the results that its Python gives.
func readDeepEval(f *file) error {
	f.lacks("no name of the model, no system prompt, no log-probabilities")
	d := newDocument(f)
	var keys func(key string) error
	keys = func(key string) error {
		switch key {
		case "testRunData":
			return d.object(key, keys)
		case "testCases", "test_results":
			return list(d, "the test cases", func(at int, x *deepEvalCase) error { return x.take(f, at) })
		case "metricsScores":
			return d.value(&deepEvalScores{f})
		}
		return d.skip()
	}
	if err := d.object("the log", keys); err != nil {
		return err
	}
	return d.end()
}

// deepEvalScores are the figures of a run: the scores of each metric.
type deepEvalScores struct{ f *file }

// UnmarshalJSON implements json.Unmarshaler.
func (s *deepEvalScores) UnmarshalJSON(b []byte) error {
	var list []struct {
		Metric string    `json:"metric"`
		Scores []float64 `json:"scores"`
	}
	if json.Unmarshal(b, &list) != nil {
		return nil // of a form that is not known; its samples have the scores
	}
	for _, m := range list {
		var sum float64
		for _, x := range m.Scores {
			sum += x
		}
		if len(m.Scores) > 0 {
			if s.f.source.Printed == nil {
				s.f.source.Printed = map[string]float64{}
			}
			s.f.source.Printed[m.Metric] = sum / float64(len(m.Scores))
		}
	}
	return nil
}
