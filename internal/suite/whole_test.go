package suite

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What is hashed case after case are the bytes of the whole.
func TestWriteJSON(t *testing.T) {
	two := []Case{{ID: "a", Prompt: "Is 1 < 2 & 3?", Gold: Gold{Texts: []string{"yes", "]}"}}},
		{ID: "b", Prompt: "?", Decline: true}}
	for _, cases := range [][]Case{nil, {}, two[:1], two} {
		s := &Suite{Name: "s", Designed: map[string]string{"x": ""}, Cases: ListOf(cases)}
		var got, want bytes.Buffer
		if err := s.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&want).Encode(s); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d cases: %s, want %s", len(cases), &got, &want)
		}
	}
}
