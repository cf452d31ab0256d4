package model_test

import (
	"testing"

	"hallmark/internal/model"
)

func TestOtherModel(t *testing.T) {
	for _, c := range []struct {
		asked, said string
		other       bool
	}{
		{"gpt-4o", "gpt-4o", false},
		{"gpt-4o", "", false},
		{"gpt-4o", "GPT-4o", false},
		{"gpt-4o", "gpt-4o-2024-08-06", false},
		{"gpt-4o-2024-08-06", "gpt-4o", false},
		{"gpt-4", "gpt-4-0613", false},
		{"gpt-3.5-turbo", "gpt-3.5-turbo-0125", false},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", false}, // what the alias stands for
		{"claude-3-5-sonnet", "claude-3-5-sonnet-20241022", false},
		{"claude-sonnet-4", "claude-sonnet-4-20250514-v1:0", false},
		{"gemini-1.5-pro", "gemini-1.5-pro-002", false},
		{"llama3", "llama3:latest", false},
		{"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct", false},
		{"org/name", "name", false},
		{"name", "/models/name.gguf", false},
		{"name", `C:\models\name.gguf`, false},
		{"name", "models/Name-Q4_K_M.gguf", true}, // other weights

		{"gpt-4o", "gpt-4o-mini", true},
		{"gpt-4o-mini", "gpt-4o", true},
		{"gpt-4o-2024-08-06", "gpt-4o-2024-05-13", true},
		{"gpt-4", "gpt-4o", true},
		{"gpt-4", "gpt-4.1", true},
		{"gpt-4", "gpt-4-turbo-2024-04-09", true},
		{"llama3", "llama3:70b", true},
		{"llama-3", "llama-3-8b", true},
		{"qwen2", "qwen2-72b-instruct", true},
		{"a", "b", true},
	} {
		if got := model.OtherModel(c.asked, c.said); got != c.other {
			t.Errorf("asked for %q, answered by %q: another model is %v, want %v", c.asked, c.said, got, c.other)
		}
	}
}

func TestMost(t *testing.T) {
	// By hand: 3+2 bytes, one message of 4, and 16 for each of three messages, 64 for the request.
	r := model.Request{System: "sys", Prompt: "ab", Messages: []model.Message{{Role: "user", Text: "1234"}}}
	if u, ok := model.Most(r); ok || u.PromptTokens != 9+3*16+64 || u.CompletionTokens != 0 {
		t.Errorf("without a longest answer: %+v, %v", u, ok)
	}
	r.MaxTokens = 7
	if u, ok := model.Most(r); !ok || u.PromptTokens != 121 || u.CompletionTokens != 7 {
		t.Errorf("%+v, %v", u, ok)
	}
	r.Options = []string{"x", "yz"}
	if u, ok := model.Most(r); !ok || u.PromptTokens != 2*121+3 || u.CompletionTokens != 2 {
		t.Errorf("options: %+v, %v", u, ok)
	}
	if r.Hidden = true; true {
		if u, ok := model.Most(r); !ok || u.PromptTokens != 3*121+3 {
			t.Errorf("hidden: %+v, %v", u, ok)
		}
	}
}
