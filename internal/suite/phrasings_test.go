package suite

import (
	"slices"
	"testing"
)

func TestPhrasings(t *testing.T) {
	s, err := Parse("s.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	before := s.Hash()
	w := s.Phrasings(func(c *Case) bool { return c.ID != "2" })
	if w.Name != "my-suite, other wordings" || w.Cases.Len() != 2 {
		t.Fatalf("got %q with %d cases; want two wordings of one case", w.Name, w.Cases.Len())
	}
	for i, want := range []string{"Name the capital of France.", "France's capital?"} {
		c := *w.Cases.At(i)
		if c.ID != []string{"cap-0001/1", "cap-0001/2"}[i] || c.Prompt != want || c.Phrasings != nil {
			t.Errorf("case %d is %q, %q with %d phrasings; want %q alone", i, c.ID, c.Prompt, len(c.Phrasings), want)
		}
		if c.Gold.Texts[0] != "Paris" || c.Oracle != s.Cases.At(0).Oracle || !slices.Equal(c.Tags, s.Cases.At(0).Tags) {
			t.Errorf("case %d lost its gold, oracle or tags: %+v", i, c)
		}
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
	if s.Hash() != before {
		t.Error("the suite itself was changed")
	}
	if w := s.Phrasings(func(c *Case) bool { return c.ID == "2" }); w.Cases.Len() != 0 {
		t.Errorf("%d wordings of a case without any", w.Cases.Len())
	}
}
