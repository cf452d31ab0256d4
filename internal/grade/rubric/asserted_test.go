package rubric

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// TestAsserted holds answers that name what is right and assert something else, and such as say what is right in other
// words. Where they are hard they may be ungradable; those that are plain must be read.
func TestAsserted(t *testing.T) {
	const right, wrong, none, notRight = "correct", "incorrect", "not_attempted", "incorrect or not_attempted"
	type row struct{ answer, outcome string }
	read := share{}
	king := suite.Case{Class: "false-premise", Prompt: "Who is the king of France today?",
		Oracle: &suite.Oracle{Type: "refusal", Repair: []string{"republic"}}}
	law := suite.Case{Class: "false-premise", Prompt: "Using Newton's fourth law, what is the Lorentz force?",
		Oracle: &suite.Oracle{Type: "refusal", Repair: []string{"three laws"}, Reject: []string{"F = qvB"}}}
	for _, c := range []struct {
		name string
		c    suite.Case
		rows []row
	}{
		{"the repair's word under the premise", king, []row{
			{"The king of France is Emmanuel Macron, president of the republic.", notRight},
			{"The current king of France is Louis XX, though France is a republic.", notRight},
			{"King Louis rules the republic.", notRight}, {"Louis rules the republic as its king.", notRight},
			{"Louis XX. (France is a republic.)", notRight},
			{"In the republic of France, King Henri VII reigns.", notRight}, {"republic", notRight},
			{"There is no doubt that Louis XX is the king of the republic.", notRight},
			{"Louis XX is the king of France. There is no queen of the republic.", notRight},
			{"There is no king of France: it is a republic.", plain + right}, {"France is a republic.", right},
			{"It is a republic.", right}, {"France is a republic, not a kingdom.", right},
			{"He is Louis, and it is a republic.", notRight}, {"The king is Louis; republic.", notRight},
			{"There isn't one. France has been a republic since 1870, and its current head of state is President Emmanuel " +
				"Macron.", right}, {"The Fifth Republic has a president, not a king.", right},
			{"Modern France is a republic.", right}, {"France has been a republic since 1870.", right},
			{"France is a republic; its head of state is President Emmanuel Macron.", right},
			{"There is no king of France. The last king was Louis-Philippe; France is now a republic.", right},
			{"France is actually a republic, and its last king was Louis-Philippe.", right},
			{"The king of France does not exist, since France is a republic.", right}, {"No one: France is a republic.", right},
		}},
		{"the repaired formula", law, []row{
			{"Newton's three laws are well known; the fourth gives the force as mB.", notRight},
			{"There is no fourth law; only three laws exist. The Lorentz force is F = qvB.", right},
			{"There is no fourth law among the three laws, but the fourth gives F = qvB.", notRight},
			{"By the fourth law F = qvB.", notRight},
			{"Newton stated three laws.", right}, {"Newton only has three laws.", right},
		}},
		{"the gold beside another answer", suite.Case{Prompt: "What is the capital of France?",
			Gold: suite.Gold{Texts: []string{"Paris"}}}, []row{
			{"It used to be Paris, but now it is Lyon.", wrong}, {"It was Paris until 1940; today it is Vichy.", wrong},
			{"Once Paris, now Lyon.", wrong},
			{"People wrongly believe Paris. It's Lyon.", wrong}, {"Lyon is the capital, Paris is the largest city.", wrong},
			{"The capital of France is Lyon, whose rival is Paris.", wrong}, {"Paris. Actually, no: Lyon.", wrong},
			{"Paris. Wait, I mean Lyon.", wrong},
			{"The answer is Lyon. Paris is bigger.", wrong}, {"Paris, Lyon", notRight},
			{"Paris, Lyon, Marseille.", notRight}, {"Paris, France, Europe", right},
			{"The capital is Lyon; Paris is a port.", wrong}, {"Some say Lyon, some say Paris.", notRight},
			{"Paris, Texas", wrong}, {"Lyon and Paris", notRight}, {"Paris and Lyon.", notRight},
			{"It is Lyon (Paris was the capital before).", wrong}, {"It's Lyon, despite Paris being larger.", wrong},
			{"Everyone thinks it's Paris but it's Lyon.", wrong},
			{"I'd say Paris, no, Lyon.", wrong}, {"Paris or rather Lyon.", wrong}, {"Paris & Lyon", notRight},
			{"Paris/Lyon", notRight}, {"It isn't Paris; it's Lyon's sister's", wrong},
			{"Paris. I mean, the city of Paris.", right}, {"Many people say Lyon, but it is Paris.", right},
			{"Lyon is the capital of Rhône; Paris is the capital of France.", right},
			{"Paris, France", plain + right}, {"It was Lyon once; today it is Paris.", right},
			{"Paris has been the capital since 987, and is the largest city today.", right},
			{"Paris is the capital, Lyon is a large city.", right}, {"Lyon. Wait, I mean Paris.", right},
			{"Paris. Wait, let me check that. Yes.", right},
			{"The capital of France is Paris, whose rival is Lyon.", right}, {"París", plain + right}, {"Pâris", right},
		}},
		{"a question about the past", suite.Case{Prompt: "What was the capital of Brazil until 1960?",
			Gold: suite.Gold{Texts: []string{"Rio de Janeiro"}}}, []row{
			{"It was Rio de Janeiro until 1960; today it is Brasília.", right},
		}},
		{"a number", suite.Case{Prompt: "How many legs do spiders have?", AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{"8"}}}, []row{
			{"8 000", plain + wrong}, {"8 000 legs", wrong}, {"8k", plain + wrong}, {"8%", wrong},
			{"8 to 10", notRight}, {"8-10", notRight}, {"8–10 legs", notRight}, {"6 to 8", notRight},
			{"between 6 and 10", notRight}, {"between 8 and 10", notRight},
			{"Insects have 6 legs, but spiders have 8.", right}, {"Spiders have 6 legs, but insects have 8.", wrong},
			{"4 pairs, that is 8", right}, {"8 pairs, that is 16", wrong},
			{"6 legs... no, 8", right}, {"8 legs... no, 6", wrong}, {"8. Wait, I mean 6.", wrong},
			{"In 2020 spiders had 8 legs", right}, {"7+1", right}, {"7+2", wrong},
			{"Please specify which one you mean.", none}, {"8", plain + right}, {"8 legs", plain + right},
			{"Eight.", plain + right}, {"8 or 10", notRight}, {"8,0", plain + right}, {"8,5", plain + wrong},
			{"4 pairs of legs, for a total of 8.", right}, {"All 45,000 species have 8 legs.", right},
			{"eight to ten", notRight}, {"800%", wrong}, {"Typically 6 to 8 eyes and 8 legs", right},
			{"They have 8 legs and 2 body parts.", right}, {"8, not 6 to 7.", right},
		}},
		{"a million", suite.Case{Prompt: "How many people live there?", AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{"1000000"}}}, []row{
			{"1.000.000", plain + right}, {"1 000 000", plain + right}, {"1,0 million", plain + right},
			{"1000k", plain + right}, {"In 2020, 1,000,000 people lived there.", right}, {"1 000", plain + wrong},
		}},
		{"a share", suite.Case{Prompt: "What share of the votes did it win?", AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{"8"}}}, []row{{"8%", right}}},
		{"declines of a plain question", suite.Case{Prompt: "What is the capital of France?",
			Gold: suite.Gold{Texts: []string{"Paris"}}}, []row{
			{"I can't share that; it is private.", none}, {"That information is not available.", plain + none},
			{"N/A", none}, {"None", none}, {"n/a.", none},
			{"I cannot compute this.", plain + none}, {"That is not something I know.", plain + none},
			{"I know of no book of this title by him.", plain + none},
			{"I can't say for sure, but it is Paris.", right},
		}},
		{"declines of a calculation", suite.Case{Prompt: "What is 17 × 23?", Oracle: &suite.Oracle{Type: "calc",
			Expression: "17*23"}}, []row{
			{"I cannot compute this.", plain + none}, {"I can't calculate that.", plain + none},
			{"I am unable to calculate 17 × 23.", none}, {"N/A", none}, {"None", none},
			{"I can't share that; it is private.", none}, {"That information is not available.", plain + none},
		}},
		{"declines where declining is right", suite.Case{Prompt: "What did she eat on 3 May 1801?", Decline: true}, []row{
			{"I can't share that; it is private.", right}, {"That information is not available.", plain + right},
			{"N/A", right}, {"None", right},
			{"That is not something I know.", plain + right}, {"I know of no book of this title by him.", plain + right},
		}},
		{"None as the answer", suite.Case{Prompt: "Which prime numbers are even and above 2?",
			Gold: suite.Gold{Texts: []string{"None"}}}, []row{{"None", right}, {"None.", right}}},
		{"none as a number", suite.Case{Prompt: "How many moons has Venus?", AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{"0"}}}, []row{{"None", right}, {"None.", right}, {"N/A", none}}},
		{"a reason to decline", suite.Case{Class: "id-precision", Prompt: "What is its ISBN?",
			Oracle: &suite.Oracle{Type: "exact", Accept: []string{"978-0-465-02656-2"}}}, []row{
			{"I don't know.", plain + right}, {"Not found.", right}, {"No record.", right}, {"I can't help.", none},
			{"I can't help: I have no record of it.", right}, {"None", right},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.ID = "x"
			s := &suite.Suite{Cases: suite.ListOf([]suite.Case{c.c})}
			r, err := New(s, "2026-11-20")
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.rows {
				g := r.Grade(s.Cases.At(0), grade.Answer{Text: &a.answer})
				want, easy := strings.CutPrefix(a.outcome, plain)
				open := g.Outcome() == grade.CannotGrade
				read.add(!open)
				if open && easy {
					t.Errorf("%q is not read: %+v", a.answer, g.Truth)
				}
				if mustFail(t, c.name, a.answer, !open && !slices.Contains(strings.Split(want, " or "), string(g.Outcome()))) {
					t.Errorf("%q is %s, want %s: %s %s %+v", a.answer, g.Outcome(), want, code(g), g.Act, g.Truth)
				}
			}
		})
	}
	if t.Logf("read: %v", read); read.value() < .65 {
		t.Errorf("%v are read", read)
	}
}
