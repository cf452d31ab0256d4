package oracle

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// A period is read where two dates are put as its beginning and end, and left open elsewhere.
func TestPeriods(t *testing.T) {
	for _, tt := range []struct {
		gold, text string
		want       grade.Outcome
	}{
		{"1914–1918", "1914–1918", grade.Correct},
		{"1914–1918", "1914 - 1918", grade.Correct},
		{"1914–1918", "It lasted from 1914 to 1918.", grade.Correct},
		{"1914–1918", "It ran from July 1914, when the shots were fired, until 11 November 1918.", grade.Correct},
		{"1914–1918", "Between 1914 and 1918, with the treaty in 1919.", grade.Correct},
		{"1914–1918", "- Start: 28 July 1914\n- End: 11 November 1918", grade.Correct},
		{"from 1914 until 1918", "28 July 1914 – 11 November 1918", grade.Correct},
		{"1914-07-28 to 1918-11-11", "28 July 1914 – 11 November 1918", grade.Correct},
		{"1914–1918", "1915–1918", grade.Incorrect},
		{"1914–1918", "It lasted from 1914 to 1919.", grade.Incorrect},
		{"1914–1918", "- **Start:** 1914\n- **End:** 1917", grade.Incorrect},
		{"28 July 1914 – 11 November 1918", "1914–1918", grade.CannotGrade},
		{"1914–1918", "It lasted from 1914 to 1918, and the second from 1939 to 1945.", grade.CannotGrade},
		{"1914–1918", "It began in 1914.", grade.CannotGrade},
		{"1914–1918", "The treaties are of 1919 and 1920.", grade.CannotGrade},
		{"1914–1918", "I don't know.", grade.NotAttempted},
		{"1914–1918", "It lasted until about 1918, from 1914 on.", grade.CannotGrade},
		{"1914–1918", "From 1914 until about 1918.", grade.Correct},
		{"1914–1918", "He was born in 1879 and moved to Berlin in 1914.", grade.CannotGrade},
		{"1914–1918", "It began in 1914. It led to a treaty in 1919.", grade.CannotGrade},
		{"1914–1918", "1914 1918", grade.CannotGrade},
		{"1914–1918", "From 1918 to 1914.", grade.CannotGrade},
		{"44 BC – 27 BC", "From 44 BC to 27 BC.", grade.Correct},
		{"44 BC – 14 AD", "From 44 BC to 14 AD.", grade.Correct},
	} {
		c := &suite.Case{ID: "a", Prompt: "From which year to which year did it last?"}
		c.Gold.Texts = []string{tt.gold}
		o, err := newOracle(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := o.(*byPeriod); !ok {
			t.Errorf("%s is of %T", tt.gold, o)
			continue
		}
		if f := Judge(o, Reading{Text: evidence.Read(tt.text)}); f.Outcome() != tt.want {
			t.Errorf("%s of %s: %s, want %s (%+v)", tt.text, tt.gold, f.Outcome(), tt.want, f.Truth)
		}
	}
	for _, gold := range []string{"1914", "1500–1900 kcal", "1914–1918 war", "12–15"} {
		c := &suite.Case{ID: "a", Prompt: "When was it?"}
		c.Gold.Texts = []string{gold}
		if o, err := newOracle(c); err != nil {
			t.Error(err)
		} else if _, ok := o.(*byPeriod); ok {
			t.Errorf("%s is no period", gold)
		}
	}
}
