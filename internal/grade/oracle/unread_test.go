package oracle

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// TestNegativeQuestion holds that an answer to a question that denies is left open where it begins with no, or with
// neither.
func TestNegativeQuestion(t *testing.T) {
	for _, c := range []struct {
		question, gold, text string
		want                 grade.Verdict
	}{
		{"Is it not a good idea to wash a saddle with bleach?", "Yes, it is not", "No, it is a bad idea.", grade.Ungradable},
		{"Is it not a good idea to wash a saddle with bleach?", "Yes, it is not", "Yes.", grade.Pass},
		{"Is it true that Bergen is not a capital?", "Yes", "That is false, Bergen is the capital of Norway.",
			grade.Ungradable},
		{"Isn't Bergen a capital?", "No", "No, it is not the capital.", grade.Pass},
		{"Can you call for help from a telephone with no credit?", "Yes", "Yes, you can.", grade.Pass},
		{"If nobody wins, does the house decide?", "Yes", "No, it does not.", grade.Fail},
	} {
		o, err := newOracle(&suite.Case{ID: "x", Prompt: c.question, Gold: suite.Gold{Texts: []string{c.gold}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := Judge(o, Reading{Text: evidence.Read(c.text)}); f.Truth.Verdict != c.want {
			t.Errorf("%q to %q: %+v, want %s", c.text, c.question, f.Truth, c.want)
		}
	}
}

// TestUnread holds that a text in which the numbers of the gold stand in a form that is not known is left open, and one
// that gives another value is not.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		question, gold, text string
		want                 grade.Verdict
	}{
		{"What does the lunch cost?", "£2.60", "It is two pounds sixty per day, payable in advance.", grade.Ungradable},
		{"What does the lunch cost?", "£2.60", "It is two pounds fifty per day, payable in advance.", grade.Ungradable},
		{"When did the fighting end?", "11 November 1918", "Peace came only on 28 June 1919; at the eleventh hour of the " +
			"eleventh day of the eleventh month of 1918 the guns fell silent.", grade.Ungradable},
		{"When did it open?", "28 May 1937", "It was opened for walkers on 27 May 1937, and a day later, on the 28th, for " +
			"the rest.", grade.Ungradable},
		{"When did it open?", "28 May 1937", "It was opened on 28 June 1937.", grade.Fail},
		{"When did it open?", "28 May 1937", "It was opened on 29 May 1937.", grade.Fail},
		{"On which day of 1937 did it open?", "28 May 1937", "On the 28th of May.", grade.Pass},
		{"On which day of 1937 did it open?", "28 May 1937", "On the 27th of May.", grade.Fail},
		{"When did it open?", "28 May 1937", "On the 28th of May.", grade.Ungradable},
		{"When did it open?", "14 May 2024", "14/5/24", grade.Pass},
		{"How high is it?", "2,228 m", "It is 2,209 m high, and not 2,228 m.", grade.Fail},
		{"How far is it?", "384,400 km", "It is 384,400 miles away.", grade.Fail},
		{"How much does it weigh?", "42 kg", "42 m", grade.Fail},
		{"What does it cost?", "€36", "$36", grade.Fail},
	} {
		o, err := newOracle(&suite.Case{ID: "x", Prompt: c.question, Gold: suite.Gold{Texts: []string{c.gold}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := Judge(o, Reading{Text: evidence.Read(c.text)}); f.Truth.Verdict != c.want {
			t.Errorf("%q for %s: %+v, want %s", c.text, c.gold, f.Truth, c.want)
		}
	}
}
