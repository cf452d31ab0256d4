package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
)

// Whatever number a flag of plan is given, there is a document with numbers from 0, or one line of what is wrong.
// HALLMARK_LONG=1 gives each flag each number, else a sixth of them.
func TestPlanOfExtremes(t *testing.T) {
	t.Chdir(t.TempDir())
	values := []string{"0", "1", "-1", "2", "1e-300", "1e300", "NaN", "Inf", "-Inf", ".5", "2e-10", "1e-12",
		"9223372036854775807", "-9223372036854775808"}
	forms := []string{
		"plan --base X --detect .1", "plan --base .5 --detect X", "plan --base .5 --detect .1 --power X",
		"plan --base .5 --detect .1 --paired X",
		"plan --base .5 --detect X --paired .1", "plan --base X --detect .1 --paired 0",
		"plan --base .5 --detect .1 --paired 0 --power X",
		"plan --base .5 --detect X --known", "plan --base X --detect .1 --known",
		"plan --base .5 --detect .1 --known --power X",
		"plan --base .5 --half-width X", "plan --base X --half-width .1", "plan --base .5 --half-width .1 --power X",
		"plan --base .5 --n X", "plan --base X --n 100", "plan --base .5 --n 100 --power X",
		"plan --base .5 --n X --detect .1", "plan --base .5 --n 100 --detect X",
		"plan --base .5 --n X --paired .1", "plan --base .5 --n X --detect .1 --paired .1",
		"plan --base .5 --n 100 --detect .1 --paired X", "plan --base .5 --n X --known",
		"plan --base .5 --n X --detect .1 --known", "plan --base .5 --detect .1 --classes X",
		"plan --base .5 --n 1000000000 --classes X",
		"plan posterior --error X", "plan posterior --outer-sd X", "plan posterior --inner-sd X",
		"plan posterior --extend X", "plan posterior --outer-sd X --error 1e-6",
		"plan posterior --inner-sd X --outer-sd 0 --error 1e-5 --extend 100000",
		"plan run --max-tokens X", "plan run --limit X", "plan run --sampled X", "plan run --repeats X",
		"plan run --tau X", "plan run --price X,X", "plan run --rpm X", "plan run --tpm X",
		"plan run -j X", "plan run --max-retries X", "plan run --variants phrasings=X",
		"plan run --m X --method posterior", "plan run --k X --method posterior",
	}
	for i, form := range forms {
		for j, v := range values {
			if !archtest.Long() && (i+j)%6 > 0 {
				continue
			}
			if strings.HasPrefix(form, "plan run") && len(v) < 4 && v != "0" && v != "-1" { // which makes a plan each time
				continue
			}
			line := strings.ReplaceAll(form, "X", v)
			var out, errs bytes.Buffer
			switch code := hallmark(strings.Fields(line), strings.NewReader(""), &out, &errs); {
			case code == exit.Done:
				var doc any
				if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
					t.Errorf("%s: %v", line, err)
				}
				notNegative(t, line, "", doc)
			case code != exit.Mistake || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || len(errs.String()) > 400:
				t.Errorf("%s: exit %d, %q, %s", line, code, out.String(), errs.String())
			}
		}
	}
}

// notNegative holds that no number of a document is below 0, but a fall that was asked for, and that sizes are from 1.
func notNegative(t *testing.T, line, key string, doc any) {
	t.Helper()
	switch doc := doc.(type) {
	case map[string]any:
		for k, v := range doc {
			notNegative(t, line, k, v)
		}
	case []any:
		for _, v := range doc {
			notNegative(t, line, key, v)
		}
	case float64:
		size := key == "n" || key == "cases" || key == "answers" || key == "m"
		if doc < 0 && key != "detect" && key != "paired" || size && doc < 1 {
			t.Errorf("%s: %s is %v", line, key, doc)
		}
	}
}
