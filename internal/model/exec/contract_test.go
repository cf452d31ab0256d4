//go:build unix

package exec

import (
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
)

func TestContract(t *testing.T) {
	modeltest.Run(t, func(t *testing.T) model.Model { return open(t, "echo", Options{Processes: 3}) }, modeltest.Options{
		Greedy: true,
		Errors: map[string]modeltest.ErrorCase{
			"program": {Request: model.Request{Prompt: `{"error":"x"}`}, Class: modeltest.Final},
			"death": {New: func(t *testing.T) model.Model { return open(t, "die-at-start", Options{}) },
				Request: model.Request{Prompt: "p"}, Class: modeltest.Gone},
		},
	})
	modeltest.Run(t, func(t *testing.T) model.Model { return open(t, "score", Options{}) },
		modeltest.Options{Greedy: true, Score: []string{"a", "bc"}, ScoreAlone: true})
}
