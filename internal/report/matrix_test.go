package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
)

// moved is a question of which the options changed places: chosen by content, so that the letter moves with it.
func moved() *assay.CaseRow {
	r := &assay.CaseRow{Model: "m", Suite: "s", ID: "c", Prompt: "Which?", Options: []string{"Amoxicillin", "Tetracycline",
		"Neither"}, Gold: "Amoxicillin", Category: "randomness"}
	for i, order := range [][]int{nil, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}} {
		a := assay.AnswerRow{Variant: i, Order: order, Text: "Amoxicillin", Read: "amoxicillin", Verdict: "right"}
		switch i {
		case 1, 2:
			a.Text, a.Read, a.Verdict = "Tetracycline", "tetracycline", "wrong"
		case 3:
			a.Text, a.Read, a.Verdict, a.Failure = "", "", "unscored", "500"
		}
		r.Answers = append(r.Answers, a)
	}
	return r
}

// texts are those of the cells of a row.
func texts(r row) string {
	return strings.Join(each(r.Cells, func(x cell) string { return x.text(inTerminal) }), " ")
}

func TestMatrix(t *testing.T) {
	m := newMatrix(moved(), 50)
	if m == nil || !strings.HasPrefix(m.note, "the letter") || len(m.Rows) != 2 || len(m.Columns) != 7 {
		t.Fatalf("%+v", m)
	}
	// The second and third variant show Tetracycline first and second.
	for i, want := range []string{"tetracycline · A B × 2 wrong", "amoxicillin A · · × 1 right"} {
		if got := texts(m.Rows[i]); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if m := newMatrix(moved(), 2); len(m.Columns) != 5 || !strings.HasSuffix(m.note, "; the first 2 of 4 variants") {
		t.Errorf("%+v", m)
	}
	one := moved()
	one.Answers = one.Answers[:1]
	if newMatrix(one, 50) != nil {
		t.Error("one answer has nothing beside it")
	}
	// Orders that are no permutation of the options, as in a table that someone wrote, give a mark and no letter.
	odd := moved()
	odd.Answers[0].Order, odd.Answers[1].Order, odd.Answers[2].Order = []int{7}, []int{-1}, []int{}
	for _, r := range newMatrix(odd, 50).Rows {
		if strings.Contains(texts(r), "A") {
			t.Errorf("%+v", r)
		}
	}
}

// Several models stand side by side before each stands alone; free answers are marked by dots.
func TestCasesSideBySide(t *testing.T) {
	a, b := moved(), moved()
	b.Model, b.Options, b.Category = "n"+hostile, nil, ""
	for i := range b.Answers {
		b.Answers[i].Order, b.Answers[i].Read, b.Answers[i].Verdict = nil, hostile, "wrong"
	}
	for _, width := range []int{0, 72, 120} {
		var out bytes.Buffer
		if err := Cases(&out, []*assay.CaseRow{a, b}, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		checkVisible(t, "cases", out.Bytes())
		for _, want := range []string{"SIDE BY SIDE", "m on s random\n", "  ●  ●  ●  ●", "  A  ·  ·  ×      1  right\n",
			"\ntetracycline  2 of 4 · wrong\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("at %d: no %q in\n%s", width, want, out.String())
			}
		}
		for line := range strings.Lines(out.String()) {
			if n := TextWidth(strings.TrimSuffix(line, "\n")); n > (Style{Width: width}).width() {
				t.Errorf("at %d: %d cells in %q", width, n, line)
			}
		}
	}
	var out bytes.Buffer
	if err := Cases(&out, []*assay.CaseRow{a}, Style{}); err != nil || strings.HasPrefix(out.String(), "\nSIDE") {
		t.Errorf("%v: one model\n%s", err, out.String())
	}
}

// Many variants wrap into blocks, the counts behind the last.
func TestMatrixWraps(t *testing.T) {
	r := moved()
	r.Options = nil
	base := r.Answers[0]
	r.Answers = nil
	for i := range 120 {
		a := base
		a.Variant, a.Order = i, nil
		r.Answers = append(r.Answers, a)
	}
	var out bytes.Buffer
	if err := Case(&out, r, Style{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\nvariant "); n < 5 || strings.Count(out.String(), " 120  right") != 1 {
		t.Errorf("%d blocks in\n%s", n, out.String())
	}
}
