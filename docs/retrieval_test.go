package docs

import (
	"io"
	"os"
	"strings"
	"testing"

	"hallmark/internal/text/retrieve"
)

// The example of docs/retrieval.md is what the package gives: the words of each passage, and its score.
func TestRetrievalExample(t *testing.T) {
	page, err := os.ReadFile("retrieval.md")
	if err != nil {
		t.Fatal(err)
	}
	tab, ok := tables(t, string(page))["bm25"]
	if !ok || len(tab.rows) != 4 {
		t.Fatal("the page has no example of four passages")
	}
	is := func(row int, column, got string) {
		if have := tab.cell(row, column); have != got {
			t.Errorf("retrieval.md:%d: %s: the page says %q, the program %q", tab.line+row, column, have, got)
		}
	}
	var lines strings.Builder
	for i := range tab.rows {
		id, rest, _ := strings.Cut(tab.cell(i, "passage"), ": ")
		title, text, parted := strings.Cut(rest, " / ")
		if !parted {
			title, text = "", rest
		}
		lines.WriteString(`{"id": "` + id + `", "title": "` + title + `", "text": "` + text + `"}` + "\n")
		is(i, "words that are indexed", strings.Join(retrieve.Words(title+" "+text), " "))
	}
	file := retrieve.File{Name: "example", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(lines.String())), nil
	}}
	x, err := retrieve.Build([]retrieve.File{file}, retrieve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const column = `score for "Rivers bridge?"`
	scores := make([]string, len(tab.rows))
	for _, h := range x.Search("Rivers bridge?", 9) {
		scores[h.Passage] = tab.like(h.Passage, column, h.Score)
	}
	for i, s := range scores {
		is(i, column, s)
	}
}
