package prompt

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// The layouts that continue a text without Q: and A:, to the letter.
func TestContinuations(t *testing.T) {
	two := []string{"He left.", "He stayed."}
	demos := []suite.Demonstration{{Input: "Salt is a mineral.", Label: "SUPPORTS"}}
	for _, tt := range []struct {
		name   string
		c      suite.Case
		prompt string
		opt    RenderOptions
		want   model.Request
	}{
		{"a space at the end goes to the options", suite.Case{Prompt: "It rained. ", Form: suite.Continue, Options: two},
			"It rained. ", RenderOptions{}, model.Request{
				Raw: true, Prompt: "It rained.", Options: []string{" He left.", " He stayed."}}},
		{"only one space", suite.Case{Prompt: "It rained .   ", Form: suite.Continue, Options: two}, "It rained .   ",
			RenderOptions{}, model.Request{
				Raw: true, Prompt: "It rained .  ", Options: []string{" He left.", " He stayed."}}},
		{"a line break stays", suite.Case{Prompt: "It rained.\n", Form: suite.Continue, Options: two}, "It rained.\n",
			RenderOptions{}, model.Request{
				Raw: true, Prompt: "It rained.\n", Options: two}},
		{"no space: they stand together", suite.Case{Prompt: "Answer:", Form: suite.Continue, Options: two}, "Answer:",
			RenderOptions{}, model.Request{
				Raw: true, Prompt: "Answer:", Options: two}},
		{"a paraphrase ends as the prompt does", suite.Case{Prompt: "It rained. ", Form: suite.Continue, Options: two},
			"Rain fell.", RenderOptions{}, model.Request{
				Raw: true, Prompt: "Rain fell.", Options: []string{" He left.", " He stayed."}}},
		{"passages and instruction stand before",
			suite.Case{System: "Go on.", Context: []evidence.Passage{{ID: "d1", Text: "Rain is wet."}}, Prompt: "It rained. ",
				Form: suite.Continue, Options: two}, "It rained. ", RenderOptions{}, model.Request{
				Raw: true, Prompt: "Go on.\n\n[d1] Rain is wet.\n\nIt rained.", Options: []string{" He left.", " He stayed."}}},
		{"answered in text: shown", suite.Case{Prompt: "It rained. ", Form: suite.Continue, Options: two}, "It rained. ",
			RenderOptions{Generate: true}, model.Request{
				Raw: true, Prompt: "It rained. \nA. He left.\nB. He stayed.\nAnswer:", Stop: []string{"\n\n"}}},
		{"a claim", suite.Case{Prompt: "Ice is hot.", Form: suite.Claim, Options: []string{"SUPPORTS", "REFUTES"},
			Demonstrations: demos}, "Ice is hot.", RenderOptions{}, model.Request{
			Raw: true, Prompt: "Claim: Salt is a mineral.\nLabel: SUPPORTS\n\nClaim: Ice is hot.\nLabel:",
			Options: []string{" SUPPORTS", " REFUTES"}}},
		{"letters under a bare question", suite.Case{System: "Be exact.", Prompt: "What fell?", Form: suite.Answer,
			Options: two, ShowOptions: true,
			Demonstrations: []suite.Demonstration{{Input: "Who?\nA. I\nB. You", Label: "B"}}}, "What fell?", RenderOptions{},
			model.Request{
				Raw: true, Prompt: "Be exact.\n\nWho?\nA. I\nB. You\nAnswer: B\n\nWhat fell?\nA. He left.\nB. He stayed.\nAnswer:",
				Options: []string{" A", " B"}}},
	} {
		got := Render(&tt.c, Variant{Prompt: tt.prompt, Demonstrations: tt.c.Demonstrations}, tt.opt)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// Worked by hand: three tokens of -1 on 30 characters are -.1 a character, one token of -1.5 on 3 characters -.5; by
// token -1 and -1.5, by sum -3 and -1.5.
func TestScorings(t *testing.T) {
	scores := []model.OptionScore{{LogProbs: []float64{-1, -1, -1}}, {LogProbs: []float64{-1.5}}}
	texts := []string{"äbcdefghijklmnopqrstuvwxyz0123", "yes"}
	for by, want := range map[Scoring]int{Perplexity: 0, Letters: 0, Sum: 1, Characters: 0} {
		c, err := Choose(scores, by, texts, rand.New(rand.NewPCG(1, 2)))
		if err != nil || c.Position != want {
			t.Errorf("%s: %+v, %v; want option %d", by, c, err, want)
		}
	}
	// With 4 characters each, the sum decides.
	if c, err := Choose(scores, Characters, []string{"aaaa", "bbbb"}, rand.New(rand.NewPCG(1, 2))); err != nil ||
		c.Position != 1 {
		t.Errorf("of one length: %+v, %v", c, err)
	}
}

// The question is found among demonstrations with its options behind it, and not in one that only begins alike.
func TestLeakWithOptions(t *testing.T) {
	c := suite.Case{ID: "q", Prompt: "Who?", Options: []string{"I", "You"}, ShowOptions: true, Pool: "p", Shots: 1,
		Rows: []suite.Demonstration{
			{Input: "Who?\nA. You\nB. I", Label: "A"}, {Input: "Who? Where?\nA. I\nB. You", Label: "B"},
			{Input: "Whom?\nA. I\nB. You", Label: "B"},
		}}
	vs, _ := Variants(&c, []Spec{{LeakyDraws, 3}}, 1, Given{})
	leaks := 0
	for _, v := range vs {
		if v.Leak != (v.Demonstrations[0].Label == "A") {
			t.Errorf("%+v", v)
		}
		if v.Leak {
			leaks++
		}
	}
	if leaks != 1 || vs[0].Leak || c.Others(9) != 2 || c.Others(1) != 1 {
		t.Errorf("%d leaks in %+v", leaks, vs)
	}
}
