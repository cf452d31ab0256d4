package assay

import (
	"fmt"
	"testing"

	"hallmark/internal/metric/equivalence"
	"hallmark/internal/text/answer"
)

// valuesOf returns values of so many answers each, in the order in which they come.
func valuesOf(texts ...string) (values []*value) {
	for i, t := range texts {
		v := &value{words: answer.Words(t), text: t, label: answer.Value(answer.Words(t)), weight: len(texts) - i}
		v.trials = append(v.trials, &trial{class: v.label})
		values = append(values, v)
	}
	return values
}

// What is compared as a value: what is of another kind is another thing, and a unit is part of a number.
func TestMutual(t *testing.T) {
	for _, c := range []struct {
		question, a, b string
		want           equivalence.Outcome
	}{
		{"Who founded Fordham?", "Darwin", "Charles Darwin", equivalence.Equal},
		{"Who founded Fordham?", "John Smith", "Arthur Smith", equivalence.Different},
		{"When was Fordham founded?", "1891", "Peltelford", equivalence.Different},
		{"What is the dose of Iboroxin?", "50 mg", "night palsy", equivalence.Different},
		{"How long is the Ash?", "120 km", "120,000 m", equivalence.Equal},
		{"How long is the Ash?", "120 km", "120 miles", equivalence.Different},
		{"When was Fordham founded?", "7 June 1880", "1880-06-07", equivalence.Equal},
		{"Which colours are on the flag?", "red, white and blue", "blue, red and white", equivalence.Equal},
		{"Which colours are on the flag?", "red, white and blue", "red, white and green", equivalence.Different},
		{"Why is there a dam?", "to save water", "to save energy", equivalence.Unknown},
	} {
		x, y := answer.NewReference(c.a, answer.Context{Question: c.question}),
			answer.NewReference(c.b, answer.Context{Question: c.question})
		if got := mutual(x, y, c.a, c.b); got != c.want || mutual(y, x, c.b, c.a) != got {
			t.Errorf("%q and %q: %d, want %d both ways", c.a, c.b, got, c.want)
		}
	}
}

// A class has a name of its own, and none that is a gold's.
func TestSettleNames(t *testing.T) {
	values := valuesOf("120 km", "120,000 m", "25 km", "25 miles", "Lyon")
	values[2].label, values[3].label = answer.Value("25"), answer.Value("25")
	settle("How long is the Ash?", []answer.Form{answer.Value("lyon")}, values)
	var got []answer.Form
	for _, v := range values {
		got = append(got, v.trials[0].class)
	}
	if want := []string{"120 km", "120 km", "25", "25 miles", "lyon"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("classes %q, want %q", got, want)
	}
	values = valuesOf("Smith", "John Smith", "Arthur Smith")
	values[1].weight, values[2].weight = 1, 1
	settle("Who founded Fordham?", nil, values)
	if x := values[1].trials[0]; x.class != answer.Ungradable ||
		x.more().open != `whether "John Smith" is the same answer as "Smith" cannot be told` {
		t.Errorf("%q is %q: %q", values[1].text, x.class, x.more().open)
	}
}

// A case of ten different answers, the most that its comparison can cost.
func BenchmarkSettle(b *testing.B) {
	names := []string{"Sydney", "Melbourne", "Perth", "The Gold Coast", "Newcastle, New South Wales", "Adelaide", "Hobart",
		"Darwin", "Brisbane", "Alice Springs"}
	for b.Loop() {
		settle("What is the capital of Australia?", []answer.Form{answer.Value("canberra")}, valuesOf(names...))
	}
}
