package report

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"hallmark/internal/assay"
)

// TestImplied: what the check implies stands beside the headline in every form; where the check does not carry over,
// one sentence says so, and no figure. Of the built-in model it says nothing.
func TestImplied(t *testing.T) {
	const fits = "The shipped check of the grader implies that 31.2 % are wrong (95 % interval 6.2–75.0 %), " +
		"if these answers are read as its 1,900 labelled answers were (chance of such a difference by luck = 0.420)."
	const not = "How often answers are misread was checked on 1,900 labelled ones. That check does not carry over to " +
		"these " +
		"answers, which are not like those (chance of such a difference by luck = 0.0049): label some of them to learn how " +
		"many are really wrong."
	run := func(model string, implied obj) *assay.Assay {
		rows := demo(model, "demo")
		s := suiteOf(rows, true, true, true)
		if implied != nil {
			s["rubric"].(obj)["outcomes"].(obj)["grading"] = obj{"state": "as_read", "implied": implied}
		}
		s["model"], s["identity"] = model, model
		return build(t, runInfo(5, "demo"), []obj{s}, rows)
	}
	const lack = "2 answers are of a length (over 80 words) of which the check has none"
	for name, tt := range map[string]struct {
		a          *assay.Assay
		want, lack string
	}{
		"fits":   {run("m", impliedOf(true)), fits, lack},
		"not":    {run("m", impliedOf(false)), not, ""},
		"none":   {run("m", nil), "", ""},
		"pocket": {run("pocket", impliedOf(true)), "", ""},
	} {
		for form, write := range map[string]func(io.Writer, *assay.Assay) error{
			"terminal": func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, Style{Width: 100}) },
			"markdown": Markdown, "html": HTML,
		} {
			var b bytes.Buffer
			if err := write(&b, tt.a); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			switch form {
			case "html":
				text = html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(text, ""))
			case "markdown":
				text = strings.NewReplacer(`\`, "", "&#58;", ":").Replace(text)
			}
			text = narrow(strings.Join(strings.Fields(text), " "))
			silent := tt.want != "" || !strings.Contains(text, "check of the grader") &&
				!strings.Contains(text, "misread was checked")
			if !silent || !strings.Contains(text, tt.want) || !strings.Contains(text, tt.lack) {
				t.Errorf("%s, %s: does not say %q, %q:\n%s", name, form, tt.want, tt.lack, text)
			}
			if n := strings.Count(text, "does not carry over"); name == "not" && n != 1 {
				t.Errorf("%s, %s: says %d times that the check does not carry over", name, form, n)
			}
		}
		var b bytes.Buffer
		if err := GridCSV(&b, tt.a); err != nil {
			t.Fatal(err)
		}
		const figures = ",0.3125,0.0625,0.75,0.42,1900"
		end := map[string]string{"fits": figures, "not": ",,,,0.0049,1900", "none": ",,,,,", "pocket": figures}[name]
		if !strings.Contains(b.String(), end+",,1,sha256:") { // the technique, the seed and the suite stand behind it
			t.Errorf("%s: no row of the table has %q before its technique: %q", name, end, b.String())
		}
	}
}
