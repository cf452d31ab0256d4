package model

import "testing"

func TestFamily(t *testing.T) {
	for ref, want := range map[string]string{
		"openai:gpt-4o-mini": "gpt", "gpt-4o": "gpt", "import:gpt-4o": "gpt", "anthropic:claude-haiku-4-5": "claude",
		"openai-api/anthropic/claude-3": "claude", "http://localhost:8000/v1#Qwen2-7B": "qwen", "llama3:8b": "llama",
		"hf:models/llama-3": "llama", "exec:judge.sh": "", "phantom:gpt.yaml": "", "exact:relu": "", "pocket": "",
		"openai:o1": "", "": "", "openai": "openai", "8b": "",
	} {
		if got := Family(ref); got != want {
			t.Errorf("%q is of the family %q, want %q", ref, got, want)
		}
	}
}
