package bundle

import (
	"encoding/json"
	"testing"
)

// No figure is near to what is no number, and a table has each column once: else the one that is compared is not the one that is read.
func TestNear(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"0.3", "0.30000000000000004", true}, {"0.3", "0.3001", false}, {"inf", "0.3", false}, {"0.3", "-Infinity", false}, {"1e999", "1", false}, {"NaN", "0.3", false},
	} {
		if got := near(json.Number(tt.a), json.Number(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if _, err := readTable([]byte("case_id,outcome,outcome\na,correct,incorrect\n")); err == nil {
		t.Error("a column that is there twice is let pass")
	}
	if x, err := readTable([]byte("case_id,outcome\na,correct\n")); err != nil || x.cell(0, "outcome") != "correct" {
		t.Errorf("%+v, %v", x, err)
	}
}
