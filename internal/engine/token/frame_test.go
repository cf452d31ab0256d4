package token

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFrame: a template sets few tokens around each text, or it is refused.
func TestFrame(t *testing.T) {
	_, data := load(t, "llama3")
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{60: "", 70: "tokens or more around each text, want at most 64"} {
		single := []any{}
		for range n / 10 {
			single = append(single, map[string]any{"SpecialToken": map[string]any{"id": "x", "type_id": 0}})
		}
		single = append(single, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}})
		file["post_processor"] = map[string]any{"type": "TemplateProcessing", "single": single,
			"special_tokens": map[string]any{"x": map[string]any{"id": "x", "ids": []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
				"tokens": strings.Split("abababafab", "")}}}
		b, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(b); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d tokens: %v, want %q", n, err, want)
		}
	}
}
