package suite

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// mixed are cases that are packed and cases that are not, whose places and golds look alike.
const mixed = `{"suite": {"name": "mixed", "as_of": "2026-01-02"}}
{"id": "a", "prompt": "What is <b>?", "gold": "B", "tags": ["x", "y"], "class": "multi-hop"}
{"id": "b", "prompt": "Which?", "gold": ["C", "D"], "tags": ["x", "y"], "class": "multi-hop"}
{"id": "c", "prompt": "Why?", "tags": ["x"]}
{"id": "d", "prompt": "How many?", "gold": {"value": "3", "tolerance": "1"}, "answer_type": "numeric"}
{"id": "e", "prompt": "Which one?", "options": ["F", "G"], "gold": {"option": 1}}
{"id": "f", "prompt": "What is <g>?", "gold": "G", "tags": ["x", "y"], "class": "multi-hop"}
{"id": "g", "prompt": "Who?", "decline": true, "oracle": {"type": "refusal"}}
`

// A packed suite has the same cases, JSON and hash, and its JSON makes it again, without the places.
func TestPack(t *testing.T) {
	loose, err := Parse("mixed.jsonl", []byte(mixed))
	if err != nil {
		t.Fatal(err)
	}
	want, hash := loose.Cases.Loose(), loose.Hash()
	text, err := json.Marshal(loose)
	if err != nil {
		t.Fatal(err)
	}
	s := loose.Pack()
	if s.Cases.packs == nil || loose.Cases.packs != nil {
		t.Fatal("the suite is not packed")
	}
	if got := s.Cases.Loose(); !reflect.DeepEqual(got, want) {
		t.Errorf("packed, the cases are\n%+v\nwant\n%+v", got, want)
	}
	if shared := s.Cases.packs.cases; shared[0].rest != shared[5].rest || shared[0].own || !shared[4].own {
		t.Error("cases that differ in prompt and gold alone share nothing, or one with options shares")
	}
	for i, c := range want {
		if id := s.Cases.ID(i); id != c.ID {
			t.Errorf("the id at %d is %q, want %q", i, id, c.ID)
		}
	}
	if again, err := json.Marshal(s); err != nil || string(again) != string(text) {
		t.Errorf("packed, the JSON is %s (%v), want %s", again, err, text)
	}
	var back Suite
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Place = ""
	}
	if got := back.Cases.Loose(); !reflect.DeepEqual(got, want) || back.Name != "mixed" {
		t.Errorf("read again, the suite %q has\n%+v\nwant\n%+v", back.Name, got, want)
	}
	for _, x := range []*Suite{s, s, &back, &back} { // the second time as it is noted
		if got := x.Hash(); got != hash {
			t.Errorf("the hash is %s, want %s", got, hash)
		}
	}
	other := *s
	if other.AsOf = "2026-01-03"; other.Hash() == hash || s.Hash() != hash {
		t.Error("the hash of another header is that of the first")
	}
	if first := s.With(s.Cases.First(2)); first.Cases.Len() != 2 || first.Hash() == hash || s.Hash() != hash {
		t.Error("the first two cases have the hash of all")
	}
}

// A case that is packed takes 64 bytes beside its texts, as there may be a million.
func TestPackedIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(packed{}); n > 64 {
		t.Errorf("a packed case takes %d bytes", n)
	}
}

// What is no list of cases is refused.
func TestUnmarshalSuite(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": "s", "cases": {"id": "a"}}`: "cases must be a list",
		`{"name": "s", "cases": [{"id": 1}]}`: "number",
		`{"name": 1}`:                         "number",
	} {
		if err := json.Unmarshal([]byte(text), new(Suite)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	s := &Suite{Cases: ListOf([]Case{{ID: "old"}})}
	if err := json.Unmarshal([]byte(`{"name": "s", "cases": null}`), s); err != nil || s.Cases.Len() != 0 {
		t.Errorf("null cases: %v, %d cases", err, s.Cases.Len())
	}
}
