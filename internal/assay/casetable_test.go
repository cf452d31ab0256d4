package assay

import "testing"

// A case is found by its id, else by words of its question; an id that is also in a question is the id.
func TestFind(t *testing.T) {
	table := Rows([]CaseRow{
		{Model: "m", ID: "a", Prompt: "What is the Capital of France?"}, {Model: "m", ID: "france", Prompt: "Where is it?"},
		{Model: "n", ID: "a", Prompt: "What is the Capital of France?"},
		{Model: "n", ID: "b", Prompt: "The capital of Italy?"},
	})
	for _, tt := range []struct {
		what       string
		most       int
		rows, left int
	}{
		{"a", 10, 2, 0}, {"france", 10, 1, 0}, {"capital of france", 10, 2, 0}, {" CAPITAL ", 10, 3, 0}, {"capital", 2, 2, 1},
		{"spain", 10, 0, 0}, {"", 10, 0, 0}, {" ", 10, 0, 0},
	} {
		if rows, left := table.Find(tt.what, tt.most); len(rows) != tt.rows || left != tt.left {
			t.Errorf("%q: %d rows and %d left, want %d and %d", tt.what, len(rows), left, tt.rows, tt.left)
		}
	}
}
