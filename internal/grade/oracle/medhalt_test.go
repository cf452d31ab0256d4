package oracle

import (
	"encoding/json"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/text/evidence"
)

// TestPublishedMedHALT compares the verdicts on a model's published answers to Med-HALT's own tests with those of the
// authors' evaluation (medhalt/eval/eval_full.py, run with CPython 3.11 on these rows): of FCT one answer is right,
// nine wrong and six without the field; of NOTA nine right, six wrong and one without. An answer without the field is
// wrong here, as it is no answer in the form that is asked for.
func TestPublishedMedHALT(t *testing.T) {
	for _, tt := range []struct {
		file, prompts string
		right         []int
	}{
		{"medhalt/sample/reasoning_FCT.json", "reasoning_FCT", []int{5}},
		{"medhalt/sample/reasoning_nota.json", "Reasoning_Nota", []int{0, 1, 3, 7, 10, 11, 12, 13, 15}},
	} {
		path := archtest.Published(t, tt.file)
		var rows []struct{ Output json.RawMessage }
		archtest.ReadJSON(t, path, &rows)
		s, err := (&benchmark.Reference{Name: "medhalt-test", Path: path, Instruction: archtest.Published(t,
			"medhalt/prompts/"+tt.prompts+"/prompts.json")}).Open()
		if err != nil || s.Cases.Len() != len(rows) {
			t.Fatal(err)
		}
		right := map[int]bool{}
		for _, i := range tt.right {
			right[i] = true
		}
		for i := range rows {
			o, err := newOracle(s.Cases.At(i))
			if err != nil {
				t.Fatal(err)
			}
			got := Judge(o, Reading{Text: evidence.Read(string(rows[i].Output))})
			if pass := got.Truth.Verdict == grade.Pass; pass != right[i] {
				t.Errorf("%s, row %d: %+v of %s", tt.file, i, got.Truth, rows[i].Output)
			}
		}
	}
}
