package oracle

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// graded is what an oracle should make of a text: the verdicts on truth, decidability and reciprocity, as P, F, U, n
// or - for unscored, and the start of the rule on truth. A ? before the verdicts: it is hard, and may be ungradable.
type graded struct{ text, verdicts, rule string }

func verdicts(f Ruling) string {
	s := ""
	for _, j := range []grade.Judgment{f.Truth, f.Decidability, f.Reciprocity} {
		s += map[grade.Verdict]string{grade.Pass: "P", grade.Fail: "F", grade.Ungradable: "U", grade.Unscored: "-",
			grade.NotApplicable: "n"}[j.Verdict]
	}
	return s
}

// judge holds an oracle to a table.
func judge(t *testing.T, name string, c suite.Case, asOf string, rows []graded) {
	t.Helper()
	c.ID = "x"
	if c.Prompt == "" {
		c.Prompt = "What is it?"
	}
	day, _ := quantity.ParseDate(asOf)
	o, err := New(&c, day, program.Steps)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, row := range rows {
		f := Judge(o, Reading{Text: evidence.Read(row.text)})
		want, hard := strings.CutPrefix(row.verdicts, "?")
		open := hard && f.Act == grade.Unreadable
		if !open && (verdicts(f) != want || !strings.HasPrefix(f.Truth.Rule, row.rule)) {
			t.Errorf("%s: %q: %s %+v, want %s %q", name, row.text, verdicts(f), f.Truth, row.verdicts, row.rule)
		}
		if f.Truth.Rule == "" || f.Decidability.Rule == "" || f.Reciprocity.Rule == "" || f.Truth.Verdict == grade.Fail &&
			f.Truth.Evidence == "" {
			t.Errorf("%s: %q: a judgment without rule or evidence: %+v", name, row.text, f)
		}
	}
}

func TestIdentifier(t *testing.T) {
	of := func(kind string, accept ...string) suite.Case {
		return suite.Case{Oracle: &suite.Oracle{Type: "identifier", Kind: kind, Accept: accept}}
	}
	const no, looks, bad = "identifier: not in the index", "identifier: only looks like", "identifier: badly formed"
	judge(t, "isbn", of("isbn", "978-0-465-02656-2"), "", []graded{
		{"9780465026562", "PPP", "identifier: in the index"},
		{"ISBN-10: 0-465-02656-7, ISBN-13: 978-0-465-02656-2", "PPP", ""},
		{"978-0-465-02656-3", "FPF", bad}, {"ISBN 0-465-02656-2", "FPF", bad},
		{"The ISBN is 978-0-465-02656-3.", "FPF", bad}, {"ISBN 978-0-306-40615-7", "FPF", no},
		{"It is not ISBN 978-0-306-40615-7 but ISBN 978-0-465-02656-2.", "PPP", ""},
		{"ISBN 978-0-465-02656-2 or ISBN 978-0-306-40615-7", "FPF", no},
		{"ISBN 978-O-465-02656-2", "FPF", looks}, {"ISBN ９７８-0-465-02656-2", "FPF", bad},
		{"ISBN 978‐0‐465‐02656‐2", "PPP", "identifier: in the index"},
		{"I could not find it.", "FFP", "over-refusal"}, {"By Basic Books.", "UUP", "identifier: none"},
		{"", "nFP", "an empty answer"},
		{"Its page is https://basicbooks.com/geb, ISBN 978-0-465-02656-2.", "PPP", ""},
	})
	judge(t, "doi", of("doi", "10.1000/xyz123"), "", []graded{
		{"https://doi.org/10.1000/XYZ123", "PPP", ""}, {"doi:10.1000/xyz123.", "PPP", ""},
		{"10.1000/xyz124", "FPF", no}, {"10.1000/хyz123", "FPF", looks},
		{"10.1000/xyz\u200b123", "PPP", ""}, {"10.1000/xyz12", "FPF", no}, {"10.1000/xyz1234", "FPF", no},
	})
	judge(t, "any kind", of("", "https://www.congress.gov/bill/103rd-congress/house-bill/5110"), "", []graded{
		{"See http://congress.gov/bill/103rd-congress/house-bill/5110/", "PPP", ""},
		{"https://www.congress.gov/bill/103rd-congress/house-bill/5111", "FPF", no},
		{"https://www.сongress.gov/bill/103rd-congress/house-bill/5110", "FPF", looks},
		{"https://\u212aongress.gov/", "FPF", bad},
		{"https://congress.gov@evil.example/bill/103rd-congress/house-bill/5110", "FPF", bad},
		{"https://www.congress.gov/BILL/103rd-congress/house-bill/5110", "FPF", ""},
	})
	judge(t, "rfc", suite.Case{Prompt: "Which RFC obsoleted RFC 2068?", Oracle: &suite.Oracle{Type: "identifier",
		Kind: "rfc", Accept: []string{"2616"}, Reject: []string{"RFC 7230"}}}, "", []graded{
		{"RFC 2616 obsoleted RFC 2068.", "PPP", ""}, {"RFC2616", "PPP", ""}, {"2616", "PPP", ""},
		{"RFC-2616.", "PPP", ""}, {"RFC 7230", "FPF", "identifier: another entry"}, {"RFC 2068", "FPF", no},
		{"RFC 26160", "FPF", no},
	})
	judge(t, "others", of("", "ORCID 0000-0002-1825-0097", "ISSN 0378-5955", "DE89370400440532013000"), "", []graded{
		{"0000-0002-1825-0097", "PPP", ""}, {"0000-0002-1825-0098", "FPF", bad}, {"ISSN 0378-5955", "PPP", ""},
		{"DE89 3704 0044 0532 0130 00", "PPP", ""}, {"IBAN DE89 3704 0044 0532 0130 01", "FPF", bad},
	})
	judge(t, "nothing to be found", suite.Case{Decline: true, Oracle: &suite.Oracle{Type: "identifier"}}, "", []graded{
		{"No such paper was found.", "PPP", "refusal"}, {"The DOI is 10.1234/abc.", "FPF", no},
		{"No record of 10.1234/abc exists.", "?PPP", ""}, {"It argues for reciprocity.", "FPP", "refusal"},
	})
	for _, c := range []struct {
		o    suite.Oracle
		want string
	}{
		{suite.Oracle{Type: "identifier", Accept: []string{"Paris"}}, `"Paris" is no identifier; known kinds are arxiv`},
		{suite.Oracle{Type: "identifier", Kind: "isbn", Accept: []string{"978-0-465-02656-3"}}, `check digit`},
	} {
		if _, err := newOracle(&suite.Case{ID: "x", Prompt: "p", Oracle: &c.o}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.o.Accept, err, c.want)
		}
	}
}

func TestTemporal(t *testing.T) {
	heads := suite.Oracle{Type: "temporal", ValidThrough: "2026-06-30", Holders: []suite.Holder{
		{Value: "Ada Voss", Also: []string{"A. Voss"}, From: "2015-03", Through: "2020-05-31"},
		{Value: "Ben Okoro", From: "2020-06-01", Through: "2024"},
		{Value: "Cleo Marsh", From: "2025-01-01"}, {Value: "Dana Ruiz", From: "2027"},
	}}
	at := func(date string) suite.Case {
		o := heads
		o.At = date
		return suite.Case{Prompt: "Who heads Orbis Works?", Oracle: &o}
	}
	const right, stale, early = "exact: the same words", "temporal: a stale holder", "temporal: not yet"
	judge(t, "today", at(""), "2026-06-01", []graded{
		{"Cleo Marsh, as of June 2026.", "PPP", right}, {"Ben Okoro", "FPP", stale}, {"A. Voss", "FPP", stale},
		{"Dana Ruiz", "FPP", early}, {"Zed Quill", "FPP", "exact: another answer"},
		{"Cleo Marsh, who succeeded Ben Okoro.", "PPP", right},
		{"Ben Okoro led it until 2024; since then it has been Cleo Marsh.", "?PPP", right},
		{"Cleo Marsh has led it since January 2025, when she took over from Ben Okoro.", "?PPP", right},
		{"It was Cleo Marsh once; now it is Zed Quill.", "?FPP", ""},
		{"Ben Okoro heads it; Cleo Marsh is his deputy.", "?FPP", ""}, {"I don't know.", "FFP", "over-refusal"},
		{"", "nFP", "an empty"},
	})
	judge(t, "at a date", at("2018"), "2026-06-01", []graded{
		{"In 2018 it was Ada Voss.", "PPP", right}, {"Ben Okoro", "FPP", early},
		{"Ada Voss, until 2020; today it is Cleo Marsh.", "?PPP", right}, {"Cleo Marsh", "FPP", early},
	})
	judge(t, "in the month of a change", at("2020-06"), "", []graded{{"Ben Okoro", "PPP", right},
		{"Ada Voss", "FPP", stale}})
	judge(t, "in the year of a change", at("2020"), "", []graded{{"Ben Okoro", "PPP", right}, {"Ada Voss", "PPP", right},
		{"Cleo Marsh", "FPP", early}})
	judge(t, "beyond", at(""), "2026-07-01", []graded{{"Cleo Marsh", "---", "temporal: beyond the date"}, {"", "---", ""}})
	judge(t, "the last day", at(""), "2026-06-30", []graded{{"Cleo Marsh", "PPP", right}})
	judge(t, "before all", at("2001"), "", []graded{{"Nobody is known to have headed it.", "PPP",
		"temporal: nobody held it then"}, {"Ada Voss", "FPP", "temporal: nobody held it then"}})
	twice := suite.Case{Prompt: "Who is it?", Oracle: &suite.Oracle{Type: "temporal", At: "1894", Holders: []suite.Holder{
		{Value: "Cleveland", From: "1885", Through: "1889-03-03"}, {Value: "Harrison", From: "1889-03-04",
			Through: "1893-03-03"}, {Value: "Cleveland", From: "1893-03-04", Through: "1897"}}}}
	judge(t, "twice", twice, "", []graded{{"Cleveland", "PPP", right}, {"Harrison", "FPP", stale}})
	c := at("")
	c.ID = "x"
	if _, err := newOracle(&c); err == nil || !strings.Contains(err.Error(), "an as-of date") {
		t.Error(err)
	}
	o, err := New(&c, quantity.Date{Year: 2026, Month: 6, Day: 1}, program.Steps)
	if err != nil || len(o.Golds()) != 1 || o.Golds()[0] != "Cleo Marsh" {
		t.Error("golds", o, err)
	}
}

func TestProof(t *testing.T) {
	steps := suite.Case{Prompt: "Show the steps.", Oracle: &suite.Oracle{Type: "proof", Ordered: true,
		Steps: []string{"60,000", "54,000", "/56[, ]?700/"}}}
	const whole, part = "proof: every part", "proof: a part is missing"
	judge(t, "ordered", steps, "", []graded{
		{"50,000 × 1.2 = 60,000; less 10 % is 54 000; and 5 % of that back makes 56,700.", "PPP", whole},
		{"60000, then 54000, then 56700", "?PPP", whole}, {"54,000 and 60,000 and 56,700", "?FPP", ""},
		{"60,000, 56,700", "FPP", part}, {"60,000 is not followed by 54,000 but by 56,700", "FPP", part},
		{"nothing of it", "?FPP", part}, {"I can't say.", "FFP", "over-refusal"}, {"It depends.", "?FFP", "hedged"},
		{"the steps", "?FFP", ""}, {"", "nFP", ""},
		{"54,000 first? No: 60,000, then 54,000, then 56,700.", "?PPP", whole},
	})
	judge(t, "parts", suite.Case{Oracle: &suite.Oracle{Type: "proof",
		Parts:  [][]string{{"hereditary", "closed under taking subsets"}, {"/exchange|augment/"}},
		Accept: []string{"matroid"}}}, "", []graded{
		{"A matroid is closed under taking subsets and has the exchange property.", "PPP", "exact"},
		{"It is hereditary, with exchange.", "?FPP", "exact: another answer"},
		{"A matroid is hereditary.", "FPP", part},
	})
	judge(t, "two terms", suite.Case{Prompt: "Tell a compiler from an interpreter.", Oracle: &suite.Oracle{Type: "proof",
		Parts: [][]string{
			{"A compiler is a program that translates source code", "translates"}, {"before it runs"},
			{"An interpreter is a program that executes source code", "executes"}, {"line by line"}}}}, "", []graded{
		{"A compiler translates the whole before it runs; an interpreter executes it line by line.", "?PPP", whole},
		{"An interpreter translates the whole before it runs; a compiler executes it line by line.", "FPP",
			"proof: said of the other term"},
	})
	for _, c := range []struct {
		o    suite.Oracle
		want string
	}{
		{suite.Oracle{Steps: []string{"/(/"}}, "missing closing"},
		{suite.Oracle{Steps: []string{"/(a{30}){30}/"}}, "instructions are more than 400"},
		{suite.Oracle{Steps: []string{"/a*/"}}, "matches the empty text"},
		{suite.Oracle{Steps: []string{"→"}}, "no letter or digit"},
		{suite.Oracle{Steps: []string{"/" + strings.Repeat("a", 501) + "/"}}, "longer than 500"},
		{suite.Oracle{Steps: slices.Repeat([]string{"a"}, 65)}, "at most 64"},
	} {
		c.o.Type = "proof"
		if _, err := newOracle(&suite.Case{ID: "x", Prompt: "p", Oracle: &c.o}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.o.Steps, err, c.want)
		}
	}
}

func TestProgram(t *testing.T) {
	judge(t, "expression", suite.Case{Oracle: &suite.Oracle{Type: "program",
		Expression: `size(lines) == 2 && lines.all(l, l.contains("ab")) && words[0] != prompt`}}, "", []graded{
		{"ab\ncab", "PPP", "program: accepted"}, {"ab", "FPP", "program: rejected"},
		{"I don't know.", "FFP", "over-refusal"}, {"It depends.", "FFP", "hedged"}, {"", "nFP", ""},
	})
	judge(t, "an expression that breaks", suite.Case{Oracle: &suite.Oracle{Type: "program",
		Expression: `numbers[0] == 1.0`}}, "", []graded{{"1", "PPP", ""}, {"one", "PPP", ""},
		{"a few", "---", "program: could not decide"}})
	parts := func(kind string) suite.Case {
		return suite.Case{Oracle: &suite.Oracle{Type: kind,
			Of: []suite.Oracle{{Type: "program", Expression: `numbers[0] == 1.0`}, {Type: "exact", Accept: []string{"red"}}}}}
	}
	judge(t, "all", parts("all"), "", []graded{{"1 red", "PPP", ""}, {"red", "---", ""},
		{"blue", "F--", "exact: another answer"}, {"1 blue", "?FPP", ""}})
	judge(t, "any", parts("any"), "", []graded{{"1 blue", "PPP", ""}, {"red", "PPP", ""}, {"blue", "---", ""},
		{"2 blue", "FPP", ""}})
	for _, c := range []struct {
		o    suite.Oracle
		want string
	}{
		{suite.Oracle{Expression: "answer"}, "must give bool"},
		{suite.Oracle{Code: base64.StdEncoding.EncodeToString([]byte("x")), Module: "m.wasm"},
			`module "m.wasm": no module of WebAssembly`}, {suite.Oracle{Code: "?", Module: "m.wasm"},
			`module "m.wasm": illegal base64`},
	} {
		c.o.Type = "program"
		if _, err := newOracle(&suite.Case{ID: "x", Prompt: "p", Oracle: &c.o}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
