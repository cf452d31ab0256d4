package oracle

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

func readAs(t *testing.T, prompt, gold, text string) grade.Outcome {
	t.Helper()
	o, err := newOracle(&suite.Case{ID: "a", Prompt: prompt, Gold: suite.Gold{Texts: []string{gold}}})
	if err != nil {
		t.Fatal(err)
	}
	return Judge(o, Reading{Text: evidence.Read(text)}).Outcome()
}

// TestAsked reads answers to questions that name their options, each with either option as the gold: what is right with
// one is wrong with the other.
func TestAsked(t *testing.T) {
	const rivers, metals, born = "Which river is longer, the Oder or the Elbe?", "Which metal is denser, tin or lead?",
		"Who was born first, Ada Voss or Ben Holm?"
	for _, c := range []struct {
		prompt, gives, other, text string
	}{
		{rivers, "Elbe", "Oder", "The Elbe"},
		{rivers, "Elbe", "Oder", "The Elbe is longer than the Oder."},
		{rivers, "Elbe", "Oder", "The latter."},
		{rivers, "Oder", "Elbe", "the former"},
		{metals, "lead", "tin", "**Lead** is denser.\n- Lead: 11.3 g/cm³\n- Tin: 7.3 g/cm³"},
		{born, "Ada Voss", "Ben Holm", "Voss"},
		{born, "Ada Voss", "Ben Holm", "Ada Voss was born first, in 1901, four years before Holm."},
	} {
		if got := readAs(t, c.prompt, c.gives, c.text); got != grade.Correct {
			t.Errorf("%s %q: %s where it is right", c.prompt, c.text, got)
		}
		if got := readAs(t, c.prompt, c.other, c.text); got != grade.Incorrect {
			t.Errorf("%s %q: %s where it is wrong", c.prompt, c.text, got)
		}
	}
	for _, text := range []string{"I don't know which of the two is longer.", "I can't say."} {
		if got := readAs(t, rivers, "Elbe", text); got != grade.NotAttempted {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestListedPolarity: of a list of yes and no one line answers, and "yes" and "no" alone are two answers.
func TestListedPolarity(t *testing.T) {
	const prompt = "Is Norway a member of the European Union?"
	for text, want := range map[string]grade.Outcome{
		"- **EU member:** No\n- **EEA member:** Yes, since 1994": grade.Correct,
		"Yes. No.":        grade.Incorrect,
		"No, it is not.":  grade.Correct,
		"Yes, since 1994": grade.Incorrect,
	} {
		if got := readAs(t, prompt, "No", text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
