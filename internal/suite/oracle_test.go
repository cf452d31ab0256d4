package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOracleFields reads the fields of each newer oracle, writes them and reads them back with the same hash; a
// module's bytes are part of the hash.
func TestOracleFields(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	const text = `suite: {name: s, as_of: 2026-11-01}
cases:
  - {id: a, prompt: Who heads it?, oracle: {type: temporal, valid_through: 2026-12, at: "2020", holders: [{value: Ada Voss, also: [A. Voss], from: 2019-03, through: 2024}, {value: Ben Okoro}]}}
  - {id: b, prompt: ISBN?, oracle: {type: identifier, kind: isbn, accept: [978-0-465-02656-2]}}
  - {id: c, prompt: Show it., oracle: {type: proof, ordered: true, parts: [[a, "/b+/"], [c]]}}
  - {id: d, prompt: Say it., oracle: {type: program, expression: "true"}}
  - {id: e, prompt: Say it., oracle: {type: all, of: [{type: program, module: m.wasm, accept: [x]}]}}
  - {id: f, prompt: Say it., oracle: {type: judge, criteria: be fair}}
`
	write := func(name, s string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("s.yaml", text)
	if _, err := readSuite(file); err == nil || !strings.Contains(err.Error(), "s.yaml:7: ") ||
		!strings.Contains(err.Error(), "m.wasm") {
		t.Error("a missing module:", err)
	}
	write("m.wasm", "one")
	s, err := readSuite(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, print := range map[string]func(*bytes.Buffer) error{
		"again.yaml": func(b *bytes.Buffer) error { return s.WriteYAML(b) }, "again.jsonl": func(b *bytes.Buffer) error {
			return s.WriteJSONL(b)
		},
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(name, b.Bytes())
		if err != nil || again.Hash() != s.Hash() {
			t.Error(name, "does not come back:", err)
		}
	}
	write("m.wasm", "two")
	if other, err := readSuite(file); err != nil || other.Hash() == s.Hash() {
		t.Error("another module, the same hash", err)
	}
	write("m.wasm", strings.Repeat("x", maxModule+1))
	if _, err := readSuite(file); err == nil || !strings.Contains(err.Error(), "larger than 8 MiB") {
		t.Error(err)
	}
	if s.Cases.At(0).NeedsToday() || (&Case{Oracle: &Oracle{Type: "temporal"}}).NeedsToday() ||
		!(&Case{Oracle: &Oracle{Type: "any", Of: []Oracle{{Type: "temporal",
			Holders: []Holder{{Value: "x"}}}}}}).NeedsToday() {
		t.Error("which cases need today")
	}
}

func TestOracleFaults(t *testing.T) {
	for _, c := range []struct{ oracle, want string }{
		{`{type: temporal}`, "needs holders or accept"},
		{`{type: temporal, holders: [{value: a, from: soon}]}`, `from "soon"`},
		{`{type: temporal, holders: [{value: a, from: 2020-05, through: 2019}]}`, "through 2019 lies before from 2020-05"},
		{`{type: temporal, holders: [{from: "2019"}]}`, "holder 1 has no value"},
		{`{type: temporal, accept: [a], at: 2020-13}`, `oracle.at "2020-13" is no date`},
		{`{type: identifier, accept: [a], kind: isbm}`, `unknown kind of identifier "isbm"`},
		{`{type: exact, accept: [a], kind: isbn}`, "does not read kind"},
		{`{type: proof}`, "needs steps or parts"},
		{`{type: proof, parts: [[]]}`, "a wording for each part"},
		{`{type: proof, parts: [[a, ""]]}`, "an empty text"},
		{`{type: program}`, "expression or module"},
		{`{type: program, expression: "true", code: AGFzbQ==}`, "one of the two"},
		{`{type: program, code: "?"}`, "no base64"},
		{`{type: temporal, at: "2020"}`, "needs holders or accept"},
		{`{type: temporal, accept: [a], at: "0000"}`, `oracle.at "0000" is no date`},
		{`{type: proof, steps: [a], reject: [b]}`, "where it rejects answers"},
		{`{type: retrieval, accept: [a]}`, "a context of the case"},
		{`{type: judge}`, "criteria or accept"},
	} {
		_, err := Parse("s.yaml", []byte("suite: {name: s}\ncases:\n  - {id: a, prompt: p, oracle: "+c.oracle+"}\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "s.yaml:3: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.oracle, err, c.want)
		}
	}
	s := Suite{Cases: ListOf([]Case{{ID: "a", Prompt: "p", Oracle: &Oracle{Type: "program", Module: "m.wasm"}}})}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), `the content of module "m.wasm"`) {
		t.Error(err)
	}
}
