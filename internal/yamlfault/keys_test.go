package yamlfault

import (
	"fmt"
	"strings"
	"testing"
)

type inlined struct {
	Deep *int `yaml:"deep"`
}

type loaded struct {
	Name    string             `yaml:"name"`
	List    []inlined          `yaml:"list"`
	By      map[string]inlined `yaml:"by"`
	Inlined inlined            `yaml:",inline"`
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		want string // part of the fault, or ""
	}{
		{"name: x\ndeep: 1\nlist: [{deep: 2}]\nby: {a: {deep: 3}, b: {}}\n", 0, ""},
		{"by: {a: &x {deep: 3}, b: *x, c: {<<: *x}}\n", 0, ""},
		{"name: x\nnone: 1\n", 2, `unknown key "none"; known are name, list, by, deep`},
		{"list:\n- deep: 1\n- depp: 2\n", 3, `unknown key "depp"; known are deep`},
		{"by:\n  a: {deep: 1}\n  a: {deep: 2}\n", 3, `key "a" twice, first on line 2`},
		{"by:\n  a: {x: 1}\n", 2, `unknown key "x"`},
		{"name: x\nname: y\n", 2, `key "name" twice, first on line 1`},
		{"name: x\n[a]: y\n", 2, "a key must be a word"},
		{"a: &a\n  b: *a\n", 1, "unknown key"},
		{"by: &a\n  b: *a\n", 2, "unknown key"},
		{"name: {a: 1}\n", 1, ""},
		{"name: [1\n", 2, ""},
	} {
		var into loaded
		_, line, err := Load([]byte(tt.text), &into)
		if line != tt.line || (err == nil) != (tt.line == 0) || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: line %d, %v; want line %d and %q", tt.text, line, err, tt.line, tt.want)
		}
	}
}

// A quarter of a million keys are read once each: with the comparison of all with all this test would not end.
func TestLoadOfManyKeys(t *testing.T) {
	var by, other strings.Builder
	by.WriteString("by:\n")
	for i := range 250_000 {
		fmt.Fprintf(&by, "  k%d: {}\n", i)
		fmt.Fprintf(&other, "k%d: v\n", i)
	}
	var into loaded
	if _, _, err := Load([]byte(by.String()), &into); err != nil || len(into.By) != 250_000 {
		t.Errorf("%d keys, %v", len(into.By), err)
	}
	if _, line, err := Load([]byte(other.String()), &into); line != 1 || err == nil {
		t.Errorf("line %d, %v", line, err)
	}
}
