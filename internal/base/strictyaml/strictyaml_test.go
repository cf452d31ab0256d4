package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

type inner struct {
	Deep *int `yaml:"deep"`
}

type outer struct {
	Name  string           `yaml:"name"`
	Share *float64         `yaml:"share"`
	Sure  bool             `yaml:"sure"`
	Seed  uint64           `yaml:"seed"`
	List  []inner          `yaml:"list"`
	By    map[string]inner `yaml:"by"`
	inner `yaml:",inline"`
	Other string `yaml:"-"`
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		want string // part of the fault, or ""
	}{
		{"name: x\ndeep: 1\nlist: [{deep: 2}]\nby: {a: {deep: 3}, b: {}}\n", 0, ""},
		{`{"name": "x", "share": 0.5, "sure": true, "list": null}`, 0, ""},
		{"by: {a: &x {deep: 3}, b: *x, c: {<<: *x}, d: {deep: 1, <<: [*x, *x]}}\n", 0, ""},
		{"name: x\nnone: 1\n", 2, `unknown key "none" in a thing; did you mean "name"?`},
		{"list:\n- deep: 1\n- depp: 2\n", 3, `unknown key "depp" in list; did you mean "deep"?`},
		{"name: x\nalsoo: y\n", 2, `unknown key "alsoo" in a thing; did you mean "also"?`},
		{"by:\n  a: {deep: 1}\n  a: {deep: 2}\n", 3, `key "a" twice, first on line 2`},
		{"by:\n  a: {quite else: 1}\n", 2, `unknown key "quite else" in by.a; known are deep`},
		{"by:\n  a: {deep: 1.5}\n", 2, `by.a.deep must be a whole number, not "1.5"`},
		{"seed: -1\n", 1, `seed must be a whole number from 0, not "-1"`},
		{"share: much\n", 1, `share must be a number, not "much"`},
		{"share: [1]\n", 1, `share must be a number, not a list`},
		{"sure: yes\n", 1, `sure must be true or false, not "yes"`},
		{"list: {deep: 1}\n", 1, `list must be a list, not keys and values`},
		{"list:\n- deep: 1\n-\n", 3, `list has an empty entry`},
		{"name: x\nname: y\n", 2, `key "name" twice, first on line 1`},
		{"name: x\n[a]: y\n", 2, "a key must be a word"},
		{"by: &a\n  b: *a\n", 1, "aliases nest too deep"},
		{"by: {<<: 5}\n", 1, "<< must name keys and values, not a value"},
		{"name: {a: 1}\n", 1, "name must be a text, not keys and values"},
		{"name: [1\n", 2, "not valid YAML"},
		{"name:\n\tb: 1\n", 2, "; indent with spaces, not tabs"},
		{"name: 1\nby: @home\n", 2, "; indent with spaces, not tabs, and quote texts that begin with a mark"},
		{strings.Repeat("[", 40) + strings.Repeat("]", 40), 1, "more than 32 lists and maps in one another"},
		{"5\n", 1, "a thing must be keys and values, not a value"},
	} {
		var into outer
		n, err := Read("f", []byte(tt.text))
		if err == nil {
			err = (&Decoder{File: "f", Also: []string{"also"}}).Decode(n, &into, "a thing")
		}
		if (err == nil) != (tt.line == 0) {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var f *Fault
		if err != nil && (!errors.As(err, &f) || f.Line != tt.line || !strings.Contains(f.Text, tt.want)) {
			t.Errorf("%q: %v; want line %d and %q", tt.text, err, tt.line, tt.want)
		}
	}
}

// A key that stands in the mapping itself goes before one that << names.
func TestMerge(t *testing.T) {
	n, err := Read("f", []byte("by: {a: &x {deep: 3}, b: {deep: 1, <<: *x}, c: {<<: *x}}\n"))
	var into outer
	if err == nil {
		err = (&Decoder{File: "f"}).Decode(n, &into, "it")
	}
	if err != nil || *into.By["b"].Deep != 1 || *into.By["c"].Deep != 3 {
		t.Errorf("%v, %v", into.By, err)
	}
}

// Several files make one value, of which each part is known by its place; one that is taken is read no further.
func TestExtend(t *testing.T) {
	var into outer
	var places []string
	d := &Decoder{Extend: true, Special: func(n *Node, v reflect.Value, what string) (bool, error) {
		if v.Kind() == reflect.String && n.Text == "?" {
			v.SetString("taken at " + what)
			return true, nil
		}
		return false, nil
	}, Placed: func(path string, line int) { places = append(places, fmt.Sprint(path, ":", line)) }}
	for i, text := range []string{"list:\n- {deep: 1}\nby: {a: {deep: 1}}\n",
		"list: [{deep: 2}]\nby: {b: {}}\nname: '?'\n", "by: {a: {}}\n"} {
		d.File = fmt.Sprint("f", i)
		n, err := Read(d.File, []byte(text))
		if err == nil {
			err = d.Decode(n, &into, "it")
		}
		if (err != nil) != (i == 2) {
			t.Fatalf("file %d: %v", i, err)
		}
	}
	if len(into.List) != 2 || *into.List[1].Deep != 2 || len(into.By) != 2 || into.Name != "taken at name" {
		t.Errorf("%+v", into)
	}
	if got := strings.Join(places[:5], " "); got != "list:1 list/0:2 list/0/deep:2 by:3 by/a:3" {
		t.Errorf("places: %s", got)
	}
}

// A quarter of a million keys are read once each: were each compared with all others, this test would not end.
func TestManyKeys(t *testing.T) {
	archtest.OneGoroutine(t)
	var by strings.Builder
	by.WriteString("by:\n")
	for i := range 250_000 {
		fmt.Fprintf(&by, "  k%d: {}\n", i)
	}
	n, err := Read("f", []byte(by.String()))
	var into outer
	if err == nil {
		err = (&Decoder{File: "f"}).Decode(n, &into, "it")
	}
	if err != nil || len(into.By) != 250_000 {
		t.Errorf("%d keys, %v", len(into.By), err)
	}
}

func TestReadJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"a": 1, "b": [true, null, "x"]}`, ""},
		{`{"a": 1,` + "\n" + `"a": 2}`, `f:8: key "a" twice, first on line 7; keep one`},
		{`{"a": 1} 2`, "f:7: text after the end of the JSON value"},
		{"{\n\n", "f:7: the JSON value is cut off"},
		{strings.Repeat("[", 40) + strings.Repeat("]", 40), "f:7: more than 32 lists and objects in one another"},
	} {
		_, err := ReadJSON("f", []byte(tt.text), 7)
		if got := fmt.Sprint(err); (err != nil) != (tt.want != "") || err != nil && got != tt.want {
			t.Errorf("%q: %v; want %q", tt.text, err, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"tolerance", "significant", "value"}
	for word, want := range map[string]string{"tolerence": "tolerance", "Value": "value", "entirely other": ""} {
		if got, ok := Nearest(word, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q", word, got)
		}
	}
	if d := Typos("answre", "answer"); d != 1 {
		t.Errorf("answre is %d from answer", d)
	}
}
