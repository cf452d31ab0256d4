package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestColumnsBecomeTags: a column that the format does not know is a tag of each case where its values make groups.
func TestColumnsBecomeTags(t *testing.T) {
	csv := "question,gold,Topic,region of origin,note,split,n\n" +
		"a?,1,geo,North  Sea,first,test,1\nb?,2,geo,,second,test,2\nc?,3,history,North Sea,third,test,2\n"
	s, err := Parse("q.csv", []byte(csv))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"topic:geo", "region_of_origin:North Sea", "n:1"}, {"topic:geo", "n:2"},
		{"topic:history", "region_of_origin:North Sea", "n:2"},
	}
	for i, c := range s.Cases.All() {
		if !slices.Equal(c.Tags, want[i]) {
			t.Errorf("row %d: tags %q, want %q", i, c.Tags, want[i])
		}
	}
	said := strings.Join(s.Warnings, "\n")
	if want := "q.csv: columns that make no groups, and so no tags: note (a different value in each row), split (one " +
		"value in all rows)"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	lines := `{"question": "a?", "gold": "1", "topic": "geo", "links": ["x"]}` + "\n" +
		`{"question": "b?", "gold": "2", "topic": "geo"}` + "\n" + `{"question": "c?", "gold": "3", "tags": ["own"]}`
	if s, err = Parse("q.jsonl", []byte(lines)); err != nil {
		t.Fatal(err)
	}
	if got := s.Cases.At(1).Tags; !slices.Equal(got, []string{"topic:geo"}) {
		t.Errorf("of JSON Lines: %q", got)
	}
	if got := s.Cases.At(2).Tags; !slices.Equal(got, []string{"own"}) {
		t.Errorf("a row without the column: %q", got)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "links (a list in place of a text)") {
		t.Errorf("said %q", s.Warnings)
	}
}

// TestColumnsOfOracles: wrong answers, or right ones, in columns named as an oracle's keys make no tags of their words.
func TestColumnsOfOracles(t *testing.T) {
	s, err := Parse("q.csv", []byte("question,gold,Reject,accept\na?,1,2,x\nb?,2,2,x\nc?,3,1,y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases.All() {
		if len(c.Tags) > 0 {
			t.Errorf("case %s has the tags %q", c.ID, c.Tags)
		}
	}
	said := strings.Join(s.Warnings, "\n")
	for _, column := range []string{"Reject", "accept"} {
		if !strings.Contains(said, column+" (answers, which a table has under gold and aliases, and YAML under oracle:") {
			t.Errorf("of %s is said %q", column, said)
		}
	}
}

// TestColumnOfManyValues: 10,000 values are no groups, which is said once, and the hash is that without the column.
func TestColumnOfManyValues(t *testing.T) {
	var with, without, long strings.Builder
	with.WriteString("question,gold,url\n")
	without.WriteString("question,gold\n")
	long.WriteString("question,gold,remark\n")
	for i := range 10_000 {
		fmt.Fprintf(&with, "q %d?,%d,u%d\n", i, i, i)
		fmt.Fprintf(&without, "q %d?,%d\n", i, i)
		fmt.Fprintf(&long, "q %d?,%d,%s\n", i, i, strings.Repeat("x", 81))
	}
	read := func(csv string) *Suite {
		s, err := Parse("q.csv", []byte(csv))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b, c := read(with.String()), read(without.String()), read(long.String())
	if a.Hash() != b.Hash() || c.Hash() != b.Hash() {
		t.Error("a column that makes no groups changes the hash")
	}
	if got := strings.Join(a.Warnings, "\n"); got !=
		"q.csv: columns that make no groups, and so no tags: url (over 100 different values)" {
		t.Errorf("said %q", got)
	}
	if got := strings.Join(c.Warnings, "\n"); !strings.Contains(got, "remark (texts of over 80 characters)") {
		t.Errorf("said %q", got)
	}
}
