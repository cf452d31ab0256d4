package hosted

import (
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/stub"
)

func TestContract(t *testing.T) {
	fails := func(f stub.Fault) func(t *testing.T) model.Model {
		return func(t *testing.T) model.Model {
			m, _ := serve(t, stub.Options{Script: []stub.Fault{f}}, Options{})
			return m
		}
	}
	for name, tt := range map[string]struct {
		so stub.Options
		o  Options
		mo modeltest.Options
	}{
		"chat": {mo: modeltest.Options{Sampled: true, LogProbs: true, TopLogProbs: 4,
			Score: []string{" red", " deep blue", " grün"}}},
		"completions": {o: Options{API: Completions}, mo: modeltest.Options{Sampled: true, LogProbs: true, TopLogProbs: 4,
			Score: []string{" red", " deep blue"}, Raw: true}},
		"anthropic": {o: Options{API: Messages}},
		"chat only": {so: stub.Options{NoCompletions: true}, mo: modeltest.Options{LogProbs: true}},
		"vLLM": {so: stub.Options{BOS: "<s>", Refuse: []string{"echo"}}, mo: modeltest.Options{LogProbs: true,
			Score: []string{" red", " blue"}}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.mo.Greedy, tt.mo.ScoreAlone = true, true
			tt.mo.Errors = map[string]modeltest.ErrorCase{
				"500":     {New: fails(stub.ServerError), Class: modeltest.Transient},
				"403":     {New: fails(stub.Forbidden), Class: modeltest.Gone},
				"context": {New: fails(stub.TooLong), Class: modeltest.Final},
			}
			server, _ := serve(t, tt.so, tt.o)
			modeltest.Run(t, func(t *testing.T) model.Model {
				tt.o.BaseURL = server.c.base
				m, _ := serve(t, stub.Options{}, tt.o)
				return m
			}, tt.mo)
		})
	}
}
