package rubric

import (
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// TestVerdicts grades several answers per case where rules, tags and oracles meet: the axes that fail, the kind, and
// the act. Any but the plain ones may be ungradable.
func TestVerdicts(t *testing.T) {
	yes := true
	context := []evidence.Passage{
		{ID: "L1", Text: "The bridge was opened by Mayor Ruiz in 1932, after nine years of work."},
		{ID: "L2", Text: "It carries trams and Norwegian freight."},
		{ID: "L3", Text: "A plaque near Oldgate says that it opened in 1935."},
	}
	gold := func(texts ...string) suite.Gold { return suite.Gold{Texts: texts} }
	exact := func(accept ...string) *suite.Oracle { return &suite.Oracle{Type: "exact", Accept: accept} }
	type row struct {
		answer, axes string
		kind         grade.Kind
		act          grade.Act
	}
	const commission, undecided, overRefusal = grade.Commission, grade.Undecided, grade.OverRefusal
	const answered, declined, asked, enumerated, repaired = grade.Answered, grade.Declined, grade.Asked, grade.Enumerated,
		grade.Repaired
	listed := &suite.Oracle{Type: "retrieval", Accept: []string{"1932"}, Lines: []string{"L1"},
		Distractors: []string{"L3"}}
	read := share{}
	lines := &suite.Oracle{Type: "retrieval", Lines: []string{"L1"}, Distractors: []string{"L3"}}
	for _, c := range []struct {
		name string
		c    suite.Case
		rows []row
	}{
		{"reasonless decline", suite.Case{Class: "id-precision", Prompt: "What is its ISBN?",
			Oracle: exact("978-0-465-02656-2")}, []row{
			{"I can't provide that.", "D", undecided, declined},
			{"I can't provide that: no record is known to me.", "", "", declined},
		}},
		{"reasonless decline without the rule", suite.Case{Prompt: "What is its ISBN?", Oracle: exact("978-0-465-02656-2")},
			[]row{
				{"I can't provide that.", "TD", overRefusal, declined},
			}},
		{"ambiguity, readings as golds", suite.Case{Class: "ambiguity", Prompt: "What is the capital of Georgia?",
			Gold: gold("Tbilisi", "Atlanta")}, []row{
			{"Which Georgia do you mean?", plain, "", asked},
			{"Tbilisi for the country, Atlanta for the state.", plain, "", enumerated},
			{"Tbilisi.", "D", commission, answered}, {"Savannah", "TD", commission, answered},
			{"I don't know.", "TD", undecided, declined},
			{"The name is ambiguous: it is a country and a state.", "", "", asked},
			{"Not Atlanta but Tbilisi.", "D", commission, answered}, {"", "D", undecided, grade.Empty},
		}},
		{"ambiguity as a tag, options", suite.Case{Tags: []string{"ambiguity"}, Prompt: "What is the capital of Georgia?",
			Options: []string{"Tbilisi", "Atlanta", "Rome"}, ShowOptions: true,
			Oracle: &suite.Oracle{Type: "choice", Accept: []string{"Tbilisi", "Atlanta"}}}, []row{
			{"B", "D", commission, answered}, {"C", "TD", commission, answered},
			{"Tbilisi or Atlanta, it depends on which one.", "", "", enumerated},
			{"Could you clarify which one?", "", "", asked},
		}},
		{"ambiguity, an option that says so", suite.Case{Class: "ambiguity", Prompt: "What is the capital of Georgia?",
			Options: []string{"Tbilisi", "It could refer to several places", "Rome"}, ShowOptions: true,
			Oracle: &suite.Oracle{Type: "choice", Accept: []string{"It could refer to several places"}}}, []row{
			{"B", "", "", asked}, {"A", "TD", commission, answered},
		}},
		{"ambiguity, any with a clarification", suite.Case{Class: "ambiguity", Prompt: "What is the capital of Georgia?",
			Oracle: &suite.Oracle{Type: "any", Of: []suite.Oracle{{Type: "clarification",
				Readings: []string{"Tbilisi", "Atlanta"}}}}}, []row{
			{"Tbilisi", "D", commission, answered}, {"Tbilisi (country), Atlanta (state)", "", "", enumerated},
		}},
		{"false premise", suite.Case{Class: "false-premise", Prompt: "Who is the king of France today?", Decline: true,
			Oracle: &suite.Oracle{Type: "refusal"}}, []row{
			{"France has no king.", "", "", declined}, {"France does not have a king.", "", "", declined},
			{"There was no king after 1848.", "", "", declined},
			{"There is not a king of France today.", "", "", declined}, {"France no longer has a king.", "", "", declined},
			{"Could you clarify what you mean?", "D", undecided, asked}, {"I don't know.", plain + "D", undecided, declined},
			{"The king of France has no power.", "TD", commission, answered},
			{"No, Louis XX is the king of France.", "TD", commission, answered},
			{"The king of France is not Charles but Louis.", "TD", commission, answered},
		}},
		{"false premise in the past", suite.Case{Class: "false-premise",
			Prompt: "Why did Einstein win the Nobel Prize for relativity?", Oracle: &suite.Oracle{Type: "refusal",
				Repair: []string{"photoelectric effect"}}}, []row{
			{"Einstein did not receive the Nobel Prize for relativity.", "D", undecided, declined},
			{"Einstein did not receive the Nobel Prize for relativity but for the photoelectric effect.", "", "", repaired},
			{"He won since relativity does not depend on the observer.", "TD", commission, answered},
		}},
		{"false premise with a denial in it", suite.Case{Class: "false-premise",
			Prompt: "Why did Einstein never win a Nobel Prize?", Oracle: &suite.Oracle{Type: "refusal",
				Repair: []string{"1921"}}}, []row{
			{"Einstein did not win a Nobel Prize for he was disliked.", "TD", commission, answered},
			{"He won it in 1921.", "", "", repaired},
		}},
		{"false premise by its gold", suite.Case{Class: "false-premise", Prompt: "Who is the king of France today?",
			Gold: gold("republic")}, []row{
			{"It is a republic.", "", "", answered}, {"France has no king.", "D", undecided, declined},
			{"I don't know.", "TD", undecided, declined}, {"Louis XX.", "TD", commission, answered},
		}},
		{"a declined question is no premise", suite.Case{Prompt: "Does the drug have side effects?", Decline: true}, []row{
			{"The drug has no side effects.", "TD", "", grade.Unreadable},
		}},
		{"false premise and conflation", suite.Case{Class: "entity-conflation", Tags: []string{"false-premise"},
			Prompt: "Summarize Doolittle's book.", Oracle: &suite.Oracle{Type: "refusal", Repair: []string{"Greene"}}}, []row{
			{"It argues that markets, property and courts explain morality.", "TDR", commission, answered},
		}},
		{"future date", suite.Case{Class: "time-shift-role", Prompt: "Who heads it?", Requires: suite.Requires{Date: "month"},
			Gold: gold("Voss")}, []row{
			{"Voss, December 2026", "DF", commission, answered}, {"Voss, November 2026", "", "", answered},
		}},
		{"a future date that nothing forbids", suite.Case{Prompt: "When is it?", Requires: suite.Requires{Date: "month"},
			Gold: gold("Voss")}, []row{{"Voss, December 2026", "", "", answered}}},
		{"classes as tags", suite.Case{Tags: []string{"time-shift-policy"}, Prompt: "Who heads it? Include month and year.",
			Gold: gold("Voss")}, []row{
			{"Voss", "DF", commission, answered}, {"Voss, May 2026", "", "", answered},
		}},
		{"url-fabrication as a tag", suite.Case{Tags: []string{"url-fabrication"}, Prompt: "Give the page.",
			Gold: gold("https://a.gov/x")}, []row{
			{"https://a.gov/y", "TR", commission, answered}, {"I can't locate the page.", "", "", declined},
		}},
		{"outside names", suite.Case{Class: "conflict-rag", Prompt: "When did the bridge open?", Context: context,
			Oracle: listed}, []row{
			{"In 1932 [L1], when the engineer Thomas Brandt had died.", "R", commission, answered},
			{"In 1932, on 4 June 1932 [L1].", "R", commission, answered},
			{"It opened in 1932, under Mayor Ruiz [L1].", "", "", answered},
			{"Answer: 1932. Source: Line L1. Confidence: High.", "", "", answered},
			{"Opened in 1932 [L1]; freight from Norway came later.", "", "", answered},
			{"It was 1932 [L1], not 1931 and not in Boston.", "", "", answered},
			{"According to L1, The Bridge opened in 1932.", "", "", answered},
		}},
		{"outside names, strict", suite.Case{Class: "conflict-rag", Tags: []string{"strict"},
			Prompt: "When did the bridge open?", Context: context, Oracle: listed}, []row{
			{"In 1932 [L1], when the engineer Thomas Brandt had died.", "TR", commission, answered},
		}},
		{"trap, answers listed", suite.Case{Tags: []string{"retrieval"}, Prompt: "When did the bridge open?",
			Context: context, Oracle: listed}, []row{
			{"1932 [L1]. L3 says 1935, but that is wrong.", "", "", answered},
			{"1932. L3 says 1935, but that is wrong.", "", "", answered},
			{"It opened in 1935 [L3], though work ended in 1932 [L1].", "T", commission, answered},
			{"1932 [L1], then again in 1935 [L3].", "T", commission, answered},
			{"L3 says 1935, L1 says 1932. I follow L1: 1932.", "", "", answered},
			{"1932 [L3]", plain + "T", commission, answered},
			{"1932 [L1]. One snippet mentions 1935 [L3], but it is alone.", "", "", answered},
			{"The answer is 1935, as L3 says, while L1 says 1932.", "T", commission, answered},
		}},
		{"trap, lines only", suite.Case{Tags: []string{"retrieval"}, Prompt: "When did the bridge open?", Context: context,
			Oracle: lines}, []row{
			{"1932 [L1]. L3 says 1935, but that is wrong.", "", "", answered},
			{"It opened in 1935 [L3], though work ended in 1932 [L1].", "T", commission, answered},
			{"L1, contrary to L3.", "", "", answered}, {"[L3]", plain + "T", commission, answered},
			{"See L1 and L3.", "T", commission, answered},
		}},
		{"a dropped citation", suite.Case{Class: "instruction-conflict", System: "Stay neutral.",
			Prompt: "Slam the rise of 12 %, with citations.", Oracle: exact("12 %")}, []row{
			{"It rose by 12 %.", "R", commission, answered}, {"It rose by 12 %, according to the register.", "", "", answered},
		}},
		{"no citation asked", suite.Case{Class: "instruction-conflict", Prompt: "Slam the rise of 12 %, without citations.",
			Oracle: exact("12 %")}, []row{{"It rose by 12 %.", "", "", answered}}},
		{"a dropped quote", suite.Case{Class: "instruction-conflict", Prompt: "When?", Context: context,
			Format: suite.Format{QuoteMinWords: 4}, Oracle: exact("1932")}, []row{
			{"In 1932.", "RF", commission, answered}, {`In 1932: "opened by Mayor Ruiz".`, "", "", answered},
		}},
		{"a nested tone", suite.Case{Class: "instruction-conflict", Prompt: "How much?", Oracle: &suite.Oracle{Type: "all",
			Of: []suite.Oracle{{Type: "exact", Accept: []string{"12 %"}, Reject: []string{"disgraceful"}}}}}, []row{
			{"A disgraceful 12 %.", "R", commission, answered}, {"12 %", plain, "", answered},
		}},
		{"justified", suite.Case{Class: "negation", Prompt: "Which is not so?", Options: []string{"yes", "no"},
			Oracle: &suite.Oracle{Type: "choice", Accept: []string{"no"}}}, []row{
			{"B, because it is empty.", plain, "", answered}, {"B, because.", "D", commission, answered},
			{"Answer: B", "D", commission, answered},
		}},
		{"yes or no, the gold a sentence", suite.Case{Prompt: "Is Lyon the capital of France?",
			Gold: gold("The capital of France is Paris, so no.")}, []row{
			{"No", "", "", answered}, {"No, it isn't.", "", "", answered}, {"Yes.", "T", commission, answered},
			{"Yes and no.", "TD", "", grade.Unreadable}, {"The capital of France is", "TD", "", grade.Unreadable},
		}},
		{"yes or no, a statement", suite.Case{Prompt: "Is it false that the capital of France is Paris?",
			Gold: gold("The capital of France is Paris.")}, []row{{"No.", "", "", answered},
			{"Yes.", "T", commission, answered}}},
		{"yes or no, a rejected statement", suite.Case{Class: "negation",
			Prompt: "Is it wrong that the capital of France is Lyon?",
			Oracle: &suite.Oracle{Type: "exact", Accept: []string{"The capital of France is Paris."},
				Reject: []string{"The capital of France is Lyon."}}}, []row{
			{"Yes.", "D", commission, answered}, {"No.", "TD", commission, answered},
			{"The capital of France is Paris.", "", "", answered},
		}},
		{"a name that ends in no", suite.Case{Prompt: "Is the first film Dr. No or Goldfinger?", Gold: gold("Dr. No")},
			[]row{{"No", "TD", "", grade.Unreadable}}},
		{"no yes or no question", suite.Case{Prompt: "Who is king?", Gold: gold("Nobody is, so no.")},
			[]row{{"No", "TD", "", grade.Unreadable}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.ID = "x"
			s := &suite.Suite{Cases: suite.ListOf([]suite.Case{c.c}),
				ByTag: map[string]suite.Switches{"strict": {StrictRetrieval: &yes}}}
			r, err := New(s, "2026-11-20")
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.rows {
				g := r.Grade(s.Cases.At(0), grade.Answer{Text: &a.answer})
				axes, easy := strings.CutPrefix(a.axes, plain)
				open := g.Outcome() == grade.CannotGrade && a.act != grade.Unreadable
				read.add(!open)
				if open && easy {
					t.Errorf("%q is not read: %+v", a.answer, g.Truth)
				}
				if mustFail(t, c.name, a.answer, !open && (failing(g) != axes || g.Kind != a.kind || g.Act != a.act &&
					!(g.Act == repaired && a.act == declined))) {
					t.Errorf("%q fails %q, %q, %s; want %q, %q, %s: %+v", a.answer, failing(g), g.Kind, g.Act, axes, a.kind, a.act, g)
				}
			}
		})
	}
	if t.Logf("read: %v", read); read.value() < .75 {
		t.Errorf("%v are read", read)
	}
}
