package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestStrict(t *testing.T) {
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"k%d": {"a": 1},`, i)
	}
	for _, tt := range []struct {
		data       string
		ok, folded bool // as it stands, and where case does not count
	}{
		{`{}`, true, true}, {`[]`, true, true}, {` "a" `, true, true}, {"{\"a\": 1}\n", true, true},
		{`{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": {"a": "a", "c": "a"}}`, true, true},
		{`[{"a": 1}, {"a": 1}, "a", "a"]`, true, true},
		{`{"a": "}, \"a\": {", "b": "\\"}`, true, true},
		{`{"a": 1, "A": 2}`, true, false}, {`{"s": 1, "ſ": 2}`, true, false}, {`{"k": 1, "\u212a": 2}`, true, false},
		{`{"a": 1, "a": 1}`, false, false}, {`{"a": 1, "\u0061": 1}`, false, false}, {`{"é": 1, "\u00e9": 1}`, false, false},
		{`[[{"x": {"a": [], "b": 2, "a": {}}}]]`, false, false}, {`{"a": {"b": 1}, "c": [{"b": 1}], "a": 3}`, false, false},
		{`{` + many.String() + `"z": 1}`, true, true}, {`{` + many.String() + `"k7": 1}`, false, false},
		{`{` + many.String() + `"z": 1, "z": 2}`, false, false},
		{``, false, false}, {"\n", false, false}, {`{} {}`, false, false}, {`{}x`, false, false},
		{`{"a": 1`, false, false}, {`1 2`, false, false},
	} {
		for fold, want := range map[bool]bool{false: tt.ok, true: tt.folded} {
			if err := Strict([]byte(tt.data), fold); (err == nil) != want {
				t.Errorf("%.80q, fold %v: %v", tt.data, fold, err)
			}
		}
	}
}

// FuzzStrict: what is taken is one document, and written again by encoding/json it has as many keys.
func FuzzStrict(f *testing.F) {
	f.Add(`{"a": {"b": [1, {"c": ""}]}, "\u0061b": null}`)
	f.Fuzz(func(t *testing.T, data string) {
		if Strict([]byte(data), false) != nil {
			return
		}
		var v any
		dec := json.NewDecoder(strings.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := Strict(again, false); err != nil || colons(again) != colons([]byte(data)) {
			t.Errorf("%q has other keys than %q: %v", data, again, err)
		}
	})
}

// colons counts the colons outside of strings: one a key.
func colons(data []byte) (n int) {
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := stringEnd(data, i)
			i = end - 1
		case ':':
			n++
		}
	}
	return n
}
