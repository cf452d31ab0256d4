package simulated_test

import (
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/simulated"
)

func TestContract(t *testing.T) {
	modeltest.Run(t, func(t *testing.T) model.Model {
		return simulated.New(parse(t, "randomness: .5\nprompt_agnostic_factual: .5"), cases)
	}, modeltest.Options{
		Prompts: []string{"a 0", "b 0", "c 0", "d 0", "e 0"}, Greedy: true, Sampled: true, LogProbs: true,
		Score: []string{"gold", "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"},
		Errors: map[string]modeltest.ErrorCase{
			"unknown": {Request: model.Request{Prompt: "unknown"}, Class: modeltest.Final},
			"simulated": {New: func(t *testing.T) model.Model {
				return simulated.New(parse(t, "randomness: 1\nfail: 1"), cases)
			},
				Request: model.Request{Prompt: "a 0"}, Class: modeltest.Final},
		},
	})
}
