package guard

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/text/evidence"
)

// FuzzReadEntries: what is read by lines is what the whole document says, with the lines of its entries.
func FuzzReadEntries(f *testing.F) {
	for _, s := range []string{
		"name: a\ncomplete: true\nentities:\n  - {\"name\": \"Ada\", \"kind\": \"person\", \"aliases\": [\"A\\u00e9\"]}\n" +
			"\n# note\n  - {\"name\": \"B\"}\npassages:\n- {\"id\": \"P1\", \"text\": \"a - b: c\"}\n",
		"entities:\n- {\"name\": \"a\"}\n  - {\"name\": \"b\"}\n", "entities:\n- {\"name\": \"a\", \"name\": \"b\"}\n",
		"entities:\n- {\"Name\": \"a\"}\n",
		"entities:\n- {\"name\": 5}\n", "entities:\n- {\"name\": \"\\ud83d\\ude00\"}\n", "entities: []\n",
		"entities:\nentities:\n- {\"name\": \"a\"}\n",
		"name: \"a\nentities:\n- {\"name\": \"a\"}\n\"\n", "name: |\nentities:\n- {}\n",
		"name: [\n]\nentities:\n- {\"name\": \"a\"}", "name: &a x\nentities:\n- {\"name\": \"a\"}\n",
		"name: a # b\r\nentities: \r\n- {\"name\": \"a\"}\r\n",
		"identifiers:\n- {\"id\":\"x\"}\n---\nentities:\n- {\"name\": \"a\"}\n",
		"name: {complete: true,\ncomplete: false}\n",
		"entities:\n- {\"name\": \"a\x7f\"}\n", "entities:\n- {\"name\": \"a\u0085b\"}\n",
		"entities:\n- {\"name\": \"a\u2028b\"}\n", "name:\n- {\"name\": \"a\"}\n",
		"entities:\n- {\"name\":\r\"a\"}\n- {\"name\": \"b\"}\n", "#", "entities", "entities:\n- ", "entities:\n#\xe8",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, lines := readEntries(data)
		if x == nil || len(bytes.TrimSpace(data)) == 0 {
			return
		}
		want := &Inventory{}
		root, err := load("x", data, want)
		if err != nil {
			t.Fatalf("%q is read by lines, and refused whole: %v", data, err)
		}
		if x.Name != want.Name || x.Complete != want.Complete || fmt.Sprintf("%q", x.Entities) != fmt.Sprintf("%q",
			want.Entities) ||
			fmt.Sprintf("%q", x.Identifiers) != fmt.Sprintf("%q", want.Identifiers) ||
			!reflect.DeepEqual(x.Passages, want.Passages) {
			t.Fatalf("%q: by lines %+v, whole %+v", data, x, want)
		}
		for list, n := range map[string]int{"entities": len(x.Entities), "identifiers": len(x.Identifiers),
			"passages": len(x.Passages)} {
			for i := range n {
				if at := root.Get(list).Items[i].Line; lines[list][i] != at {
					t.Fatalf("%q: %s %d on line %d, not %d", data, list, i, lines[list][i], at)
				}
			}
		}
	})
}

// TestManyEntries: an index with a line for each entry takes little; one in another form, or of more values, is refused
// before it is read.
func TestManyEntries(t *testing.T) {
	archtest.OneGoroutine(t)
	x := &Inventory{Name: "many", Passages: []evidence.Passage{{ID: "P1", Text: "A text: \"of\" words."}}}
	for i := range 60_000 {
		x.Entities = append(x.Entities, Entity{Name: fmt.Sprintf("Entity %d", i), Kind: "person"})
	}
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		t.Fatal(err)
	}
	if got, _ := readEntries(b.Bytes()); got == nil || got.Hash() != x.Hash() {
		t.Error("what Write wrote is not read by lines")
	}
	for name, tt := range map[string]struct{ text, want string }{
		"lines": {b.String(), ""},
		"no JSON": {"entities:\n" + strings.Repeat("- {name: a}\n", maxTree/2+1),
			"x.yaml:1: more than 400000 values or lines; in an index of so many each entry stands on a line of its own"},
		"aliases": {"entities:\n- {name: x, aliases: [" + strings.Repeat("a,", maxValues) + "b]}\n",
			"x.yaml:1: more than 4000000 values or lines"},
		"a bad line": {b.String() + "  - {\"id\": \"\", \"text\": \"x\"}\n", "x.yaml:60006: passage 2 lacks its id"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadInventory("x.yaml", strings.NewReader(tt.text))
		runtime.ReadMemStats(&after)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if held := int64(after.HeapSys-before.HeapSys) >> 20; held > 300 {
			t.Errorf("%s: %d MiB more of the system's memory for %d", name, held, len(tt.text)>>20)
		}
	}
}
