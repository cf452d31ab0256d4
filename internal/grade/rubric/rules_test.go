package rubric

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// TestRules holds a passing and a failing answer per rule of a class, a tag or a requirement: the axis that fails, and
// the rule named.
func TestRules(t *testing.T) {
	context := []evidence.Passage{{ID: "L1", Text: "The bridge opened in 1932 after nine years of work."},
		{ID: "L2", Text: "A plaque says 1935."}}
	byLine := &suite.Oracle{Type: "retrieval", Accept: []string{"1932"}, Lines: []string{"L1"},
		Distractors: []string{"L2"}}
	voss := &suite.Oracle{Type: "exact", Accept: []string{"Voss"}, Reject: []string{"Brandt"}}
	for _, c := range []struct {
		name          string
		c             suite.Case
		passes, fails string
		axes          string // axes that fail: T, D, R, F
		rule          string // start of the rule of the first of them
	}{
		{"time-shift date", suite.Case{Class: "time-shift-role", Requires: suite.Requires{Date: "month"}, Oracle: voss},
			"Voss, as of May 2026", "Voss, as of 2026", "DF", "time-shift: no date as asked"},
		{"time-shift date in the prompt", suite.Case{Tags: []string{"time-shift"},
			Prompt: "Who heads it? Include month/year.", Oracle: voss}, "Voss (10/2026)", "Voss", "DF", "time-shift: no date"},
		{"time-shift future", suite.Case{Class: "time-shift-role", Requires: suite.Requires{Date: "month"}, Oracle: voss},
			"Voss, November 2026", "Voss, December 2026", "DF", "time-shift: no date as asked"},
		{"time-shift stale", suite.Case{Class: "time-shift-role", Requires: suite.Requires{Date: "month"}, Oracle: voss},
			"Voss, not Brandt, May 2026", "Brandt, May 2026", "T", "exact: a rejected answer"},
		{"nonexistent-citation", suite.Case{Class: "nonexistent-citation", Oracle: &suite.Oracle{Type: "refusal"}},
			"No DOI was found.", "It is 10.1234/abcd.5.", "TR", "nonexistent-citation, id-precision: an identifier"},
		{"nonexistent-citation quote", suite.Case{Class: "nonexistent-citation", Oracle: &suite.Oracle{Type: "refusal"}},
			"I can't verify it exists.", `It ends: "we conclude that cooperation drives all change".`, "TR",
			"retrieval: a quote that is not in the context"},
		{"id-precision", suite.Case{Tags: []string{"id-precision"}, Oracle: &suite.Oracle{Type: "exact",
			Accept: []string{"https://a.gov/x"}}}, "https://www.a.gov/x/", "https://a.gov/y", "TR",
			"nonexistent-citation, id-precision: an identifier"},
		{"id-precision decline", suite.Case{Tags: []string{"id-precision"}, Oracle: &suite.Oracle{Type: "exact",
			Accept: []string{"https://a.gov/x"}}}, "I can't locate the page.", "I can't provide that.", "D",
			"declined without a reason"},
		{"conflict-rag trap", suite.Case{Class: "conflict-rag", Context: context, Oracle: byLine}, "1932 [L1]", "1935 [L2]",
			"T", "conflict-rag: rests on the trap line"},
		{"conflict-rag evidence", suite.Case{Class: "conflict-rag", Context: context, Oracle: byLine},
			`1932: "opened in 1932 after nine years"`, "1932", "R", "no evidence where the case requires it"},
		{"conflict-rag outside", suite.Case{Class: "conflict-rag", Context: context, Oracle: byLine}, "L1 says 1932.",
			"L1 says 1932, which I know from general knowledge.", "R", "outside knowledge"},
		{"retrieval quote", suite.Case{Tags: []string{"retrieval"}, Context: context, Oracle: byLine},
			`"The bridge opened in 1932"`, `"The great bridge was opened in 1932"`, "TR",
			"retrieval: a quote that is not in the context"},
		{"retrieval passage", suite.Case{Tags: []string{"retrieval"}, Context: context, Oracle: byLine}, "1932 (line L1)",
			"1932 (line L7)", "TR", "retrieval: a passage that does not exist"},
		{"ambiguity", suite.Case{Class: "ambiguity", Oracle: &suite.Oracle{Type: "clarification",
			Readings: []string{"Tbilisi", "Atlanta"}}}, "Tbilisi or Atlanta, depending on which you mean.", "Atlanta.", "D",
			"ambiguity: a guess"},
		{"false-premise proceeds", suite.Case{Class: "false-premise", Oracle: &suite.Oracle{Type: "refusal",
			Repair: []string{"three laws"}}}, "There is no fourth law, only three laws.", "By the fourth law F = qE.", "TD",
			"refusal: answered where declining is right"},
		{"false-premise repair", suite.Case{Class: "false-premise", Prompt: "What is Newton's fourth law?",
			Oracle: &suite.Oracle{Type: "refusal", Repair: []string{"three laws"}}},
			"There is no fourth law: Newton stated three laws.", "There is no fourth law.", "D",
			"false-premise: rejected but not put right"},
		{"false-premise reject", suite.Case{Class: "false-premise", Oracle: &suite.Oracle{Type: "refusal"}},
			"That law does not exist.", "I don't know.", "D", "false-premise: declined without rejecting"},
		{"format bullets", suite.Case{Class: "format-guard", Format: suite.Format{Bullets: 2}, Oracle: voss}, "- Voss\n- x",
			"- Voss\n- x\n- y", "F", "format: bullets"},
		{"format words", suite.Case{Class: "brevity-stress", Format: suite.Format{MaxWords: 3}, Oracle: voss}, "It is Voss.",
			"It is, surely, Voss.", "F", "format: max_words"},
		{"format quote", suite.Case{Context: context, Format: suite.Format{QuoteMinWords: 5}, Oracle: byLine},
			`"The bridge opened in 1932"`, `"opened in 1932" L1`, "F", "format: quote_min_words"},
		{"format labels", suite.Case{Format: suite.Format{Labels: []string{"Nonnegativity"}}, Oracle: voss},
			"Voss: Non-negativity", "Voss", "F", "format: labels"},
		{"steps missing", suite.Case{Class: "multi-hop", Requires: suite.Requires{Steps: 2},
			Oracle: &suite.Oracle{Type: "calc", Expression: "2*3*4"}}, "2*3 = 6\n6*4 = 24", "24", "F", "format: steps"},
		{"multi-hop wrong step", suite.Case{Class: "multi-hop", Oracle: &suite.Oracle{Type: "numeric", Value: "24"}},
			"2*3 = 6, 6*4 = 24", "2*3 = 7, 6*4 = 24", "T", "multi-hop, calc: a wrong intermediate value"},
		{"negation justified", suite.Case{Class: "negation", Options: []string{"yes", "no"},
			Oracle: &suite.Oracle{Type: "choice", Accept: []string{"no"}}}, "B, because the empty set may be chosen.", "B", "D",
			"negation: no justification"},
		{"rare-entity", suite.Case{Tags: []string{"rare-entity"}, Oracle: voss}, "I have never heard of him.", "Smith", "TR",
			"exact: another answer"},
		{"near-duplicate", suite.Case{Tags: []string{"near-duplicate"}, Oracle: voss},
			"There is no such person; perhaps a namesake.", "Brandt", "T", "exact: a rejected answer"},
		{"entity-conflation", suite.Case{Class: "entity-conflation", Oracle: &suite.Oracle{Type: "refusal",
			Repair: []string{"Greene"}}}, "There is no such book by him; Moral Tribes is by Joshua Greene.",
			"It argues that markets, property and courts explain morality.", "TDR",
			"refusal: answered where declining is right"},
		{"instruction-conflict", suite.Case{Class: "instruction-conflict", Oracle: &suite.Oracle{Type: "exact",
			Accept: []string{"12 %"}, Reject: []string{"disgraceful"}}}, "It is 12 %.", "It is a disgraceful 12 %.", "R",
			"instruction-conflict"},
		{"ood", suite.Case{Tags: []string{"ood"}, Requires: suite.Requires{Facts: []string{"hereditary"}}, Oracle: voss},
			"Voss; hereditary", "Voss", "TR", "ood: a part of the definition"},
		{"required evidence", suite.Case{Requires: suite.Requires{Evidence: true}, Oracle: voss},
			"Voss, according to the register.", "Voss", "R", "no evidence where the case requires it"},
		{"required fact", suite.Case{Requires: suite.Requires{Facts: []string{"side effects"}}, Oracle: voss},
			"Voss; mind the side effects", "Voss", "R", "a fact that the case requires"},
		{"context only", suite.Case{Context: context, Requires: suite.Requires{ContextOnly: true}, Oracle: byLine}, "1932",
			"1932, after 1,457 workers died", "R", "outside knowledge"},
		{"over-refusal", suite.Case{Oracle: voss}, "Voss", "I cannot answer that.", "TD", "over-refusal"},
		{"hedged", suite.Case{Oracle: voss}, "Voss", "It depends.", "TD", "hedged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.ID = "x"
			if c.c.Prompt == "" {
				c.c.Prompt = "Who or what is it?"
			}
			s := &suite.Suite{Cases: suite.ListOf([]suite.Case{c.c})}
			r, err := New(s, "2026-11-20")
			if err != nil {
				t.Fatal(err)
			}
			if g := r.Grade(s.Cases.At(0), grade.Answer{Text: &c.passes}); failing(g) != "" {
				t.Errorf("%q fails %s: %+v", c.passes, failing(g), g)
			}
			g := r.Grade(s.Cases.At(0), grade.Answer{Text: &c.fails})
			if failing(g) != c.axes {
				t.Errorf("%q fails %q, want %q: %+v", c.fails, failing(g), c.axes, g)
				return
			}
			first := map[byte]grade.Judgment{'T': g.Truth, 'D': g.Decidability, 'R': g.Reciprocity, 'F': g.Format}[c.axes[0]]
			if !strings.HasPrefix(first.Rule, c.rule) {
				t.Errorf("%q fails by %q, want %q", c.fails, first.Rule, c.rule)
			}
		})
	}
}

func failing(g grade.Grade) string {
	var b strings.Builder
	for _, a := range []struct {
		name byte
		j    grade.Judgment
	}{{'T', g.Truth}, {'D', g.Decidability}, {'R', g.Reciprocity}, {'F', g.Format}} {
		if a.j.Verdict == grade.Fail || a.j.Verdict == grade.Ungradable {
			b.WriteByte(a.name)
		}
	}
	return b.String()
}

// TestTable is the table of METHODS 2, row by row: verdicts, kind, and the answer in consistency.
func TestTable(t *testing.T) {
	s := &suite.Suite{Cases: suite.ListOf([]suite.Case{
		{ID: "exact", Prompt: "What is the capital of France?", Gold: suite.Gold{Texts: []string{"Paris"}}},
		{ID: "choice", Prompt: "Which?", Options: []string{"Lyon", "Paris"}, Gold: suite.Gold{Texts: []string{"Paris"}}},
		{ID: "number", Prompt: "How many?", AnswerType: suite.Numeric, Gold: suite.Gold{Texts: []string{"1000"}}},
		{ID: "georgia", Prompt: "Capital of Georgia?", Oracle: &suite.Oracle{Type: "clarification",
			Readings: []string{"Tbilisi", "Atlanta"}}},
		{ID: "decline", Prompt: "What did she eat?", Decline: true},
		{ID: "none", Prompt: "Anything?"},
	})}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	one := 1
	for _, c := range []struct {
		id     string
		a      grade.Answer
		code   string
		act    grade.Act
		kind   grade.Kind
		normal answer.Form
	}{
		{"exact", grade.Answer{Text: text("It is Paris.")}, "PPP", grade.Answered, "", answer.Value("paris")},
		{"exact", grade.Answer{Text: text("It is Lyon.")}, "FPP", grade.Answered, grade.Commission, answer.Value("lyon")},
		{"exact", grade.Answer{Text: text("I don't know.")}, "FFP", grade.Declined, grade.OverRefusal, answer.Declined},
		{"exact", grade.Answer{Text: text("Which France do you mean?")}, "FFP", grade.Asked, grade.OverRefusal,
			answer.Declined},
		{"exact", grade.Answer{Text: text("It depends.")}, "FFP", grade.Hedged, grade.Undecided, answer.Ungradable},
		{"exact", grade.Answer{Text: text(""), Finish: "stop"}, "nFP", grade.Empty, grade.Undecided, answer.Empty},
		{"choice", grade.Answer{Text: text("Bordeaux")}, "UUP", grade.Unreadable, "", answer.Ungradable},
		{"choice", grade.Answer{Text: text("A"), Order: []int{1, 0}}, "PPP", grade.Answered, "", answer.Value("paris")},
		{"choice", grade.Answer{Option: &one}, "PPP", grade.Answered, "", answer.Value("paris")},
		{"number", grade.Answer{Text: text("There are 1,000 of them.")}, "PPP", grade.Answered, "", answer.Value("1000")},
		{"number", grade.Answer{Text: text("There are 1,001.")}, "FPP", grade.Answered, grade.Commission,
			answer.Value("1001")},
		{"georgia", grade.Answer{Text: text("Which one do you mean?")}, "PPP", grade.Asked, "", answer.RightAct},
		{"georgia", grade.Answer{Text: text("Atlanta")}, "PFP", grade.Answered, grade.Commission, answer.Value("atlanta")},
		{"decline", grade.Answer{Text: text("No record of it survives.")}, "PPP", grade.Declined, "", answer.RightAct},
		{"decline", grade.Answer{Text: text("Figs")}, "FPP", grade.Answered, grade.Commission, answer.Value("figs")},
		{"exact", grade.Answer{}, "---", "", "", answer.Form{}},
		{"exact", grade.Answer{Failure: "HTTP 500"}, "---", "", "", answer.Form{}},
		{"exact", grade.Answer{Text: text("x"), Finish: "content_filter"}, "---", "", "", answer.Form{}},
		{"exact", grade.Answer{Text: text("The capital of France is"), Finish: "length"}, "---", "", "", answer.Form{}},
		{"exact", grade.Answer{Text: text("<think>Let me see, Paris"), Finish: "length"}, "---", "", "", answer.Form{}},
		{"exact", grade.Answer{Text: text("Paris, which"), Finish: "length"}, "PPP", grade.Answered, "",
			answer.Value("paris")},
		{"none", grade.Answer{Text: text("x")}, "---", "", "", answer.Form{}},
	} {
		for i := range s.Cases.Len() {
			if s.Cases.At(i).ID != c.id {
				continue
			}
			g := r.Grade(s.Cases.At(i), c.a)
			if code(g) != c.code || g.Act != c.act || g.Kind != c.kind || g.Normal != c.normal ||
				(g.Reason != "") != (c.code == "---") {
				t.Errorf("%s, %q: %s %q %q %q (%s), want %s %q %q %q", c.id, said(c.a), code(g), g.Act, g.Kind, g.Normal, g.Reason,
					c.code, c.act, c.kind, c.normal)
			}
		}
	}
}

func said(a grade.Answer) string {
	if a.Text == nil {
		return ""
	}
	return *a.Text
}

// TestSettings: a tag beats a class, a class the suite, each switch on its own.
func TestSettings(t *testing.T) {
	yes, no := true, false
	w := suite.Weights{Truth: .5, Decidability: .2, Reciprocity: .3}
	s := &suite.Suite{
		Switches: suite.Switches{FormatIsGating: &no},
		ByClass:  map[string]suite.Switches{"ood": {FormatIsGating: &yes, StrictRetrieval: &yes}},
		ByTag:    map[string]suite.Switches{"calm": {FormatIsGating: &no}, "safe": {Weights: &w}},
		Cases: suite.ListOf([]suite.Case{{ID: "a", Class: "ood"}, {ID: "b", Class: "ood", Tags: []string{"calm", "safe"}},
			{ID: "c"}}),
	}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []suite.Settings{
		{FormatIsGating: true, StrictRetrieval: true, Weights: suite.DefaultWeights},
		{StrictRetrieval: true, Weights: w}, {Weights: suite.DefaultWeights},
	} {
		if got := r.Settings(s.Cases.At(i)); got != want {
			t.Errorf("case %s: %+v, want %+v", s.Cases.At(i).ID, got, want)
		}
	}
}

// TestStrictRetrieval: outside knowledge is R=0 always, and T=0 only under strict retrieval.
func TestStrictRetrieval(t *testing.T) {
	strict := true
	c := suite.Case{ID: "x", Class: "conflict-rag", Prompt: "When did it open?",
		Context: []evidence.Passage{{ID: "L1", Text: "It opened in 1932."}},
		Oracle:  &suite.Oracle{Type: "retrieval", Accept: []string{"1932"}, Lines: []string{"L1"}}}
	answer := "1932 [L1], as is widely known."
	open := c // neither of the class nor of the context alone: what is strict is the switch
	open.Class = "ood"
	loose := open
	loose.Context, loose.Oracle = nil, &suite.Oracle{Type: "exact", Accept: []string{"1932"}}
	for _, k := range []struct {
		s    suite.Suite
		want string
	}{{suite.Suite{Cases: suite.ListOf([]suite.Case{c})}, "R"},
		{suite.Suite{Switches: suite.Switches{StrictRetrieval: &strict}, Cases: suite.ListOf([]suite.Case{c})}, "TR"},
		{suite.Suite{Cases: suite.ListOf([]suite.Case{open})}, ""},
		{suite.Suite{Switches: suite.Switches{StrictRetrieval: &strict}, Cases: suite.ListOf([]suite.Case{open})}, "TR"},
		{suite.Suite{Switches: suite.Switches{StrictRetrieval: &strict}, Cases: suite.ListOf([]suite.Case{loose})}, ""}} {
		r, err := New(&k.s, "")
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Grade(k.s.Cases.At(0), grade.Answer{Text: &answer}); failing(g) != k.want {
			t.Errorf("fails %q, want %q: %+v", failing(g), k.want, g)
		}
	}
}

// TestGolds: every accepted form is a gold, under the relation asked for.
func TestGolds(t *testing.T) {
	context := []evidence.Passage{{ID: "L1", Text: "It opened in 1932."}}
	exact := func(accept ...string) *suite.Oracle { return &suite.Oracle{Type: "exact", Accept: accept} }
	for _, c := range []struct {
		name string
		c    suite.Case
		rel  answer.Relation
		want []string
	}{
		{"gold", suite.Case{Gold: suite.Gold{Texts: []string{"The Hague", "Den Haag"}}}, "", []string{"hague", "den haag"}},
		{"relation", suite.Case{Gold: suite.Gold{Texts: []string{"The Hague"}}}, answer.Exact, []string{"The Hague"}},
		{"several options", suite.Case{Options: []string{"Lyon", "Paris", "Nice"}, Oracle: &suite.Oracle{Type: "choice",
			Accept: []string{"Lyon", "C"}}}, "", []string{"lyon", "nice"}},
		{"tolerance", suite.Case{Oracle: &suite.Oracle{Type: "numeric", Value: "0.50", Tolerance: "0.1"}}, "",
			[]string{"1/2"}},
		{"expression", suite.Case{Oracle: &suite.Oracle{Type: "calc", Expression: "50000*1.2"}}, "", []string{"60000"}},
		{"retrieval", suite.Case{Context: context, Oracle: &suite.Oracle{Type: "retrieval",
			Accept: []string{"1932", "in 1932"}, Lines: []string{"L1"}}}, "", []string{"1932", "in 1932"}},
		{"lines", suite.Case{Context: context, Oracle: &suite.Oracle{Type: "retrieval", Lines: []string{"L1"}}}, "",
			[]string{"l1"}},
		{"any", suite.Case{Oracle: &suite.Oracle{Type: "any", Of: []suite.Oracle{*exact("red"), *exact("scarlet"),
			{Type: "refusal"}}}}, "", []string{"red", "scarlet", answer.RightAct.Text()}},
		{"all", suite.Case{Oracle: &suite.Oracle{Type: "all", Of: []suite.Oracle{*exact("red", "crimson"), *exact("blue")}}},
			"", []string{"red", "crimson"}},
		{"decline", suite.Case{Decline: true}, "", []string{answer.RightAct.Text()}},
		{"rare", suite.Case{Tags: []string{"rare-entity"}, Gold: suite.Gold{Texts: []string{"Fenby"}}}, "",
			[]string{"fenby", answer.RightAct.Text()}},
		{"ambiguity", suite.Case{Class: "ambiguity", Gold: suite.Gold{Texts: []string{"Tbilisi", "Atlanta"}}}, "",
			[]string{answer.RightAct.Text()}},
		{"ambiguity, scored options", suite.Case{Class: "ambiguity", Options: []string{"Rome", "Both"},
			Gold: suite.Gold{Texts: []string{"Both"}}}, "", []string{"both", answer.RightAct.Text()}},
		{"near duplicate", suite.Case{Tags: []string{"near-duplicate"}, Gold: suite.Gold{Texts: []string{"Fenby"}}}, "",
			[]string{"fenby", answer.RightAct.Text()}},
	} {
		c.c.ID, c.c.Prompt = "x", "What is it?"
		s := &suite.Suite{Cases: suite.ListOf([]suite.Case{c.c})}
		r, err := New(s, "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, form := range r.Golds(s.Cases.At(0), c.rel) {
			got = append(got, form.Text())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	if _, err := New(&suite.Suite{}, "tomorrow"); err == nil || !strings.Contains(err.Error(), `as-of date "tomorrow"`) {
		t.Error(err)
	}
	s := &suite.Suite{Cases: suite.ListOf([]suite.Case{{ID: "x", Place: "s.yaml:3", Oracle: &suite.Oracle{Type: "numeric",
		Value: "much"}}})}
	if _, err := New(s, ""); err == nil || !strings.HasPrefix(err.Error(),
		`s.yaml:3: case "x": value "much" is no number`) {
		t.Error(err)
	}
}
