package quotation

import (
	"strings"
	"testing"

	"hallmark/internal/text/evidence"
)

func TestQuotesAndCitations(t *testing.T) {
	ps := []Source{NewSource("L1", "World IPv6 Launch Day took place on 6 June 2012."),
		NewSource("L2", "It was permanent.")}
	for _, c := range []struct {
		in      string
		located string // per quote the passage, or - for none
		cited   string
	}{
		{`"took place on 6 June 2012" [L1]`, "L1", "L1"}, {"“Took place … 2012” (L1)", "L1", "L1"},
		{`"took place in 2012"`, "-", ""}, {"> It was permanent.", "L2", ""},
		{"lines L1 and L2", "", "L1 L2"}, {"line 2", "", "L2"}, {"[L9]", "", "L9?"},
		{"It isn't John's 'own goal line'", "-", ""}, {"'it was permanent'", "L2", ""},
		{`"[W]orld IPv6 […] took place on 6 June"`, "L1", ""},
		{`"World IPv6 Launch Day [of all networks] took place"`, "L1", ""}, {`"took place … World IPv6"`, "-", ""},
		{`"L2: It was permanent."`, "L2", "L2"}, {`"It was permanent. (L2)"`, "L2", "L2"},
		{`"took place on 6 June 2012. It was permanent."`, "L1", ""},
		{`"was permanent. World IPv6 Launch Day"`, "-", ""},
		{`{"answer": "It took place then", "quote": "It was permanent."}`, "L2", ""},
		{"»It was permanent.«", "L2", ""}, {"„It was permanent.“", "L2", ""}, {"line one", "", "L1"},
		{"the second line", "", "L2"}, {"line one of many", "", ""},
	} {
		x := evidence.Read(c.in)
		var located, cited []string
		for _, q := range Quotes(x) {
			id := "-"
			if all := Locate(q, ps); len(all) > 0 {
				id = all[0].ID
			}
			located = append(located, id)
		}
		for _, k := range Citations(x, ps) {
			cited = append(cited, k.ID+map[bool]string{false: "?"}[k.Known])
		}
		if a, b := strings.Join(located, " "), strings.Join(cited, " "); a != c.located || b != c.cited {
			t.Errorf("%q: quotes in %q, cites %q; want %q, %q", c.in, a, b, c.located, c.cited)
		}
	}
	for in, want := range map[string]string{"see doc-2 and doc": "doc-2", "[doc-9]": "doc-9"} {
		if c := Citations(evidence.Read(in), []Source{NewSource("doc-1", ""), NewSource("doc-2", "")}); len(c) != 1 ||
			c[0].ID != want {
			t.Errorf("%q cites %v, want %q", in, c, want)
		}
	}
	lettered := []Source{NewSource("A", "Section 2. It was permanent."), NewSource("B", "It was not.")}
	for in, want := range map[string]string{
		"A and B agree": "A B", "A: it was; B: it was not": "A B", "A bridge and B": "", "according to both A and B": "A B",
		"[D]": "D?", "§ 2": "A", "Sec. 2 says so": "A", "section two": "A", "Section 3": "",
	} {
		var cited []string
		for _, k := range Citations(evidence.Read(in), lettered) {
			cited = append(cited, k.ID+map[bool]string{false: "?"}[k.Known])
		}
		if got := strings.Join(cited, " "); got != want {
			t.Errorf("%q cites %q, want %q", in, got, want)
		}
	}
	if _, run := Longest(evidence.Read("as we read, world ipv6 launch day took place then"), ps,
		6); run.End-run.Start != 6 {
		t.Errorf("the longest run has %d words, want 6", run.End-run.Start)
	}
}

func FuzzQuotations(f *testing.F) {
	for _, s := range []string{"", "“a b” [L1] 1+1=2", "> a b c\n— L1", `{"quote": "a b"}`, "\xff\u202e",
		"line 3 of L1, §"} {
		f.Add(s)
	}
	ps := []Source{NewSource("L1", "a b c d e f g")}
	f.Fuzz(func(t *testing.T, s string) {
		x := evidence.Read(s)
		for _, q := range Quotes(x) {
			Locate(q, ps)
		}
		for _, c := range Citations(x, ps) {
			if c.Words.Start >= c.Words.End || c.Words.End > len(x.Words) {
				t.Fatalf("%q: a citation of the words %v", s, c.Words)
			}
		}
		if where, run := Longest(x, ps, 3); (run.End > run.Start) != (where.ID == "L1") {
			t.Fatalf("%q: a run of %v in %q", s, run, where.ID)
		}
	})
}
