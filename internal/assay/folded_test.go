package assay

import (
	"reflect"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/text/answer"
)

// A grade that was folded is whole again as it was, those alike but for their answers share one, and what cannot be
// made from the answer stays as it is.
func TestFold(t *testing.T) {
	texts := map[*trial]string{}
	of := func(said, text string, confidence float64, evidence ...string) *trial {
		g := grade.Grade{
			Truth: grade.Judgment{Verdict: grade.Pass, Rule: "exact: the same words"}, Act: grade.Answered, Grader: "rules",
			Normal: answer.Value(said), Answer: said, Confidence: confidence,
		}
		for i, e := range evidence {
			g.Axes()[i].Evidence = e
		}
		c := &trial{grade: &g, class: g.Normal}
		texts[c] = text
		return c
	}
	other := of("Rome", "Rome", 1)
	other.class = answer.Value("roma")
	trials := []*trial{
		of("Paris", "Paris.", .9, "“Paris”", "“Paris”"), of("Oslo", "It is Oslo.", .8, "“Oslo”", "“Oslo”"),
		of("Bern", "It is Bern.", .8, "“It is Bern.”"),
		of("", "", 0), of("Lima", "Lima", 1, "a page"), of("Lima", "Peru", 1), other, of("Kyiv", "Kyiv", 1, quotesAnswer),
	}
	known := shapes{}
	for i, c := range trials {
		want := *c.grade
		known.fold(c, texts[c])
		if c.folded != (i < 4) {
			t.Errorf("%d: folded %v", i, c.folded)
		}
		if got := *c.unfolded(texts[c]); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: whole again it is\n%+v, want\n%+v", i, got, want)
		}
	}
	if trials[0].grade != trials[1].grade || trials[0].grade == trials[2].grade || len(known) != 3 {
		t.Errorf("%d shapes, want 3: one of the first two cells", len(known))
	}
	for i := range mostShapes {
		known[grade.Grade{Credit: float64(i + 1)}] = nil
	}
	if c := of("Paris", "Paris.", .9, "“Paris”", "", "“Paris”"); len(known) >= mostShapes {
		if known.fold(c, texts[c]); c.folded {
			t.Error("a shape more than the most was taken")
		}
	}
}
