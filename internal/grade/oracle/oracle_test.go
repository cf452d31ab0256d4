package oracle

import (
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// golden holds one passing and one failing answer per type of oracle, with the rule that decides truth.
var golden = []struct {
	c                suite.Case
	passes, passRule string
	fails, failRule  string
	declines         string
	declineAct       grade.Act
	declineTruth     grade.Verdict
}{
	{suite.Case{Oracle: &suite.Oracle{Type: "exact", Accept: []string{"Paris"}, Reject: []string{"Lyon"}}},
		"It is **Paris**.", "exact: the same words", "Lyon", "exact: a rejected answer", "I don't know.", grade.Declined,
		grade.Fail},
	{suite.Case{Options: []string{"Lyon", "Paris"}, Oracle: &suite.Oracle{Type: "choice", Accept: []string{"Paris"}}},
		"(B)", "choice: the right option", "A) Lyon", "choice: another option", "I can't say.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "numeric", Value: "42", Tolerance: "0.5", Unit: "km"}},
		"About 42.3 km.", "numeric: the right value", "43 km", "numeric: another value", "I have no data on it.",
		grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "numeric", Value: "42", Unit: "km"}},
		"42,000 m", "numeric: the right value", "42 kg", "numeric: another value", "Unknown.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "calc", Expression: "2*3+4", Steps: []string{"6", "10"}}},
		"2*3 = 6, so 6+4 = 10", "calc: the right value", "2*3 = 5 and 6 + 4 = 10", "calc: a wrong intermediate value",
		"I can't determine that: insufficient data.", grade.Declined, grade.Fail},
	{suite.Case{Context: []evidence.Passage{{ID: "L1", Text: "The bridge opened in 1932 after years of work."},
		{ID: "L2", Text: "Some say 1933."}},
		Oracle: &suite.Oracle{Type: "retrieval", Accept: []string{"1932"}, Lines: []string{"L1"},
			Distractors: []string{"L2"}}},
		"1932 [L1]", "retrieval: an accepted answer", "1932, see L2", "conflict-rag: rests on the trap line",
		"The context does not say.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "identifier", Kind: "isbn", Accept: []string{"978-0-465-02656-2"}}},
		"It is ISBN 0-465-02656-7.", "identifier: in the index", "ISBN 978-0-306-40615-7", "identifier: not in the index",
		"I have no record of it.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "temporal", At: "2021",
		Holders: []suite.Holder{{Value: "Ada Voss", Through: "2019"}, {Value: "Ben Okoro", From: "2020"}}}},
		"Ben Okoro, who took over from Ada Voss.", "exact: the same words", "Ada Voss", "temporal: a stale holder",
		"I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "proof", Ordered: true,
		Parts: [][]string{{"hereditary", "closed under subsets"}, {"/augment(ation|able)/"}}}},
		"It is closed under subsets, and independent sets are augmentable.", "proof: every part is there",
		"It is hereditary.", "proof: a part is missing", "I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "program", Expression: "numbers.size() == 2 && numbers[0] * numbers[1] == " +
		"6.0"}},
		"2 and 3", "program: accepted", "2 and 4", "program: rejected", "I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "refusal"}},
		"There is no such book.", "refusal: declined, which is right", "The book says that all is well.",
		"refusal: answered where declining is right", "I don't know.", grade.Declined, grade.Pass},
	{suite.Case{Oracle: &suite.Oracle{Type: "clarification", Readings: []string{"Tbilisi", "Atlanta"}}},
		"Which Georgia do you mean?", "ambiguity: asked for the reading", "Rome", "ambiguity: the answer under no reading",
		"I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "all", Of: []suite.Oracle{{Type: "exact", Accept: []string{"red"}},
		{Type: "exact", Accept: []string{"blue"}}}}},
		"red and blue", "exact: the same words", "green", "exact: another answer", "I don't know.", grade.Declined,
		grade.Fail},
	{suite.Case{Oracle: &suite.Oracle{Type: "any", Of: []suite.Oracle{{Type: "exact", Accept: []string{"red"}},
		{Type: "refusal"}}}},
		"red", "exact: the same words", "green", "exact: another answer", "I could not find it.", grade.Declined, grade.Pass},
	{suite.Case{Gold: suite.Gold{Texts: []string{"red", "scarlet"}}},
		"Scarlet", "exact: the same words", "green", "exact: another answer", "I don't know.", grade.Declined, grade.Fail},
	{suite.Case{AnswerType: suite.Numeric, Gold: suite.Gold{Texts: []string{"7"}}},
		"seven", "numeric: the right value", "8", "numeric: another value", "I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Options: []string{"x", "y"}, Gold: suite.Gold{Option: new(int)}},
		"Answer: A", "choice: the right option", "y", "choice: another option", "I don't know.", grade.Declined, grade.Fail},
	{suite.Case{Decline: true},
		"Nobody knows.", "refusal: declined, which is right", "Figs.", "refusal: answered where declining is right",
		"No idea.", grade.Declined, grade.Pass},
}

// newOracle is the oracle of a case that does not depend on which day is today.
func newOracle(c *suite.Case) (Oracle, error) { return New(c, quantity.Date{}, program.Steps) }

func TestGolden(t *testing.T) {
	for _, g := range golden {
		g.c.ID, g.c.Prompt = "x", "What is it?"
		o, err := newOracle(&g.c)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []struct {
			text, rule string
			verdict    grade.Verdict
		}{{g.passes, g.passRule, grade.Pass}, {g.fails, g.failRule, grade.Fail}} {
			if f := Judge(o, Reading{Text: evidence.Read(a.text)}); f.Truth.Verdict != a.verdict || f.Truth.Rule != a.rule ||
				f.Truth.Evidence == "" {
				t.Errorf("%q: %+v, want %s by %q", a.text, f.Truth, a.verdict, a.rule)
			}
		}
		if f := Judge(o, Reading{Text: evidence.Read(g.declines)}); f.Act != g.declineAct ||
			f.Truth.Verdict != g.declineTruth {
			t.Errorf("%q: %s, %+v; want %s, %s", g.declines, f.Act, f.Truth, g.declineAct, g.declineTruth)
		}
		if f := Judge(o, Reading{Text: evidence.Read(" \n")}); f.Act != grade.Empty ||
			f.Truth.Verdict != grade.NotApplicable || f.Decidability.Verdict != grade.Fail {
			t.Errorf("an empty answer: %+v", f)
		}
	}
}

// TestLetters: options count by content, whatever letter stood for them.
func TestLetters(t *testing.T) {
	o, err := newOracle(&suite.Case{ID: "x", Options: []string{"Lyon", "Paris", "Nice"},
		Gold: suite.Gold{Texts: []string{"Paris"}}})
	if err != nil {
		t.Fatal(err)
	}
	if f := Judge(o, Reading{Text: evidence.Read("C"), Order: []int{2, 0, 1}}); f.Truth.Verdict != grade.Pass ||
		f.Answer != "Paris" || f.Option != 1 {
		t.Errorf("the third of a shuffled order: %+v", f)
	}
	preferred := 0
	if f := Judge(o, Reading{Text: evidence.Read(""), Option: &preferred}); f.Truth.Verdict != grade.Fail ||
		f.Answer != "Lyon" {
		t.Errorf("scores: %+v", f)
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		o    suite.Oracle
		want string
	}{
		{suite.Oracle{Type: "exact"}, `s.yaml:7: case "x": an exact oracle needs accept:`},
		{suite.Oracle{Type: "choice", Accept: []string{"x"}},
			`s.yaml:7: case "x": the accepted answer "x" is not among the options`},
		{suite.Oracle{Type: "numeric", Value: "much"}, `s.yaml:7: case "x": value "much" is no number`},
		{suite.Oracle{Type: "numeric", Value: "1", Tolerance: "-1"}, `s.yaml:7: case "x": tolerance "-1"`},
		{suite.Oracle{Type: "calc", Expression: "1/0"}, `s.yaml:7: case "x": expression "1/0": division by zero`},
		{suite.Oracle{Type: "calc", Expression: "1+1", Value: "3"},
			`s.yaml:7: case "x": expression "1+1" is 2 and not the value 3`},
	} {
		_, err := newOracle(&suite.Case{ID: "x", Place: "s.yaml:7", Oracle: &c.o})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	if _, err := newOracle(&suite.Case{ID: "x"}); err == nil {
		t.Error("a case without oracle and gold compiles")
	}
}
