package run_test

import (
	"slices"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

func TestArrange(t *testing.T) {
	turn := func(text string) []model.Message { return []model.Message{{Role: "user", Text: text}} }
	calls := []run.Call{
		{Model: "b", Request: model.Request{Prompt: "x y"}},
		{Model: "a", Request: model.Request{Prompt: "x"}, Repeat: 1},
		{Model: "b", Request: model.Request{Messages: turn("p"), Prompt: "z"}},
		{Model: "b", Request: model.Request{Prompt: "x"}, Repeat: 2},
		{Model: "b", Request: model.Request{Prompt: "x"}, Repeat: 0},
		{Model: "b", Request: model.Request{System: "s", Prompt: "x"}},
		{Model: "b", Request: model.Request{Messages: turn("o"), Prompt: "z"}},
	}
	want := []run.Call{calls[3], calls[4], calls[0], calls[6], calls[2], calls[5], calls[1]}
	got := slices.Collect(run.Arrange(slices.Values(calls)))
	if !slices.EqualFunc(got, want, func(a, b run.Call) bool { return a.Key() == b.Key() }) {
		t.Errorf("got %v, want %v", got, want)
	}
}
