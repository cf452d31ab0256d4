package report

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"hallmark/internal/assay"
)

func TestSameBytes(t *testing.T) {
	for _, format := range formats {
		a, b := one(t), one(t)
		if format.name != "json" {
			b.Document.ThisInvocation = &assay.Invocation{Seconds: 12.5, Started: "2026-11-20T00:00:00Z", Report: "elsewhere"}
		}
		if x, y := format.render(t, a), format.render(t, b); !bytes.Equal(x, y) {
			t.Errorf("%s: the same run gives other bytes", format.name)
		}
	}
}

// formats are all outputs of a whole run.
var formats = []struct {
	name   string
	render func(t testing.TB, a *assay.Assay) []byte
}{
	{"html", page1},
	{"terminal", renderer(func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, Style{Width: 100}) })},
	{"markdown", renderer(Markdown)}, {"junit", renderer(JUnit)}, {"csv", renderer(CSV)}, {"grid", renderer(GridCSV)},
	{"json", renderer(JSON)}, {"sweep", renderer(SweepCSV)}, {"phase", renderer(PhaseSVG)},
	{"decomposition", renderer(DecompositionSVG)},
}

func renderer(f func(io.Writer, *assay.Assay) error) func(testing.TB, *assay.Assay) []byte {
	return func(t testing.TB, a *assay.Assay) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := f(&b, a); err != nil && !errors.As(err, new(Absent)) {
			t.Fatal(err)
		}
		return b.Bytes()
	}
}

// TestNothingMeasured asserts that every format bears runs that hold nothing.
func TestNothingMeasured(t *testing.T) {
	bare := one(t)
	bare.Document.Models[0].SuiteResult = nil
	empty := one(t)
	*empty.Document.Models[0].SuiteResult = assay.SuiteResult{}
	none := one(t)
	none.Cases, none.Document.Models = assay.CaseTable{}, nil
	suiteless := one(t)
	suiteless.Document.Run.Suites = nil
	ungradable := one(t)
	for _, row := range ungradable.Cases.All() {
		row.Axes, row.Answers = [4]assay.Axis{}, nil
	}
	for name, a := range map[string]*assay.Assay{"no result": bare, "empty result": empty, "no model": none,
		"no answers": ungradable, "no suite": suiteless, "zero": {}} {
		for _, f := range formats {
			if out := f.render(t, a); len(out) == 0 && !slices.Contains([]string{"sweep", "phase", "decomposition"}, f.name) {
				t.Errorf("%s, %s: nothing written", name, f.name)
			}
		}
		elements(t, page1(t, a))
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorsAreReturned(t *testing.T) {
	a := pocketLike(t)
	for name, f := range map[string]func(io.Writer, *assay.Assay) error{
		"html": HTML, "markdown": Markdown, "junit": JUnit, "csv": CSV, "grid": GridCSV, "json": JSON, "sweep": SweepCSV,
		"terminal": func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, Style{}) },
		"case":     func(w io.Writer, a *assay.Assay) error { return Case(w, a.Cases.At(0), Style{}) },
	} {
		if f(failingWriter{}, a) == nil {
			t.Errorf("%s: a failed write goes unsaid", name)
		}
	}
}
