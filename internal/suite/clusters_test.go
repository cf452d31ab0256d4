package suite

import (
	"fmt"
	"slices"
	"testing"

	"hallmark/internal/text/evidence"
)

func TestClusters(t *testing.T) {
	passage := []evidence.Passage{{ID: "L1", Text: "It is Rome."}}
	cases := []Case{
		{ID: "a", Prompt: "Which?", Domain: "x", Tags: []string{"entity:Rome"}},
		{ID: "b", Prompt: "What?", Domain: "y", Tags: []string{"other", "entity:Rome"}},
		{ID: "c", Prompt: " Which?\n", Domain: "x", Gold: Gold{Texts: []string{"another"}}},
		{ID: "d", Prompt: "Which?", Context: passage},
		{ID: "e", Prompt: "Which?", Context: passage, Tags: []string{"entity:Lyon"}},
		{ID: "f", Prompt: "Which?", Options: []string{"a", "b"}},
		{ID: "g", Prompt: "Which?", System: "s"},
		{ID: "h", Prompt: "Which?", Domain: "y"},
	}
	for key, want := range map[string][]int32{
		"":       {1, 0, 1, 2, 2, 0, 0, 1},
		"domain": {1, 2, 1, 0, 0, 0, 0, 2},
		"entity": {1, 1, 0, 0, 0, 0, 0, 0},
		"class":  nil,
		"ent":    nil,
	} {
		if got := Clusters(List{loose: cases}, key); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", key, got, want)
		}
	}
}

func TestClusterOfNoCase(t *testing.T) {
	const file = "suite: {name: s, cluster: entity}\ncases:\n  - {id: a, prompt: P, gold: G, tags: [%s]}\n"
	if _, err := Parse("s.yaml", fmt.Appendf(nil, file, "entity:x")); err != nil {
		t.Error(err)
	}
	want := `s.yaml:1: cluster is "entity", and no case has a tag as entity:NAME; give cases such tags, or say class or domain`
	if _, err := Parse("s.yaml", fmt.Appendf(nil, file, "entit:x")); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
