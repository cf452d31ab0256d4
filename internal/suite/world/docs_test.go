package world

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

// The page's example is a world, and its tables count what earth holds.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../../docs/worlds.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	files := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)`([a-z.]+)`:\n\n```(?:yaml|csv)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		files[m[1]] = m[2]
	}
	if len(files) != 2 {
		t.Fatalf("%d files of the example", len(files))
	}
	w, err := Read(folder(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := w.Relation("harbour master").At("Alvermund", "2012-05-01"); !ok || f.Value != "Bo Lindravel" {
		t.Errorf("the harbour master of the example: %v", f)
	}
	if len(w.Relation("capital").Facts) != 3 || len(w.Definitions) != 1 || len(w.Works) != 1 {
		t.Error("the example lost a table")
	}
	// The message that the page shows is the one that comes.
	files["world.yaml"] = strings.Replace(files["world.yaml"], "isbn: 978-1-4028-9462-6", "isbn: 978-1-4028-9462-7", 1)
	dir := folder(t, files)
	_, err = Read(dir)
	if err == nil {
		t.Fatal("a wrong check digit is not seen")
	}
	if shown := strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)); !strings.Contains(page, shown) {
		t.Errorf("the page does not show the message %q", shown)
	}
	folded := strings.Join(strings.Fields(page), " ") // wherever its lines end
	for _, row := range earthRows() {
		if !strings.Contains(folded, row) {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
}

// earthRows are the rows of the page's tables about earth.
func earthRows() []string {
	w := Earth()
	var rows []string
	for i := range w.Relations {
		r := &w.Relations[i]
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %d | %s |", r.Name, r.Subject, r.Value, r.Domain, len(r.Facts),
			w.Sources[r.Source].Title))
	}
	kinds := []struct {
		name string
		n    func(domain string) int
	}{
		{"definitions", func(d string) int {
			return count(w.Definitions, func(x *Definition) bool {
				return x.Domain == d
			})
		}},
		{"lists", func(d string) int { return count(w.Lists, func(x *List) bool { return x.Domain == d }) }},
		{"premises", func(d string) int { return count(w.Premises, func(x *Premise) bool { return x.Domain == d }) }},
		{"homonyms", func(d string) int { return count(w.Homonyms, func(x *Homonym) bool { return x.Domain == d }) }},
		{"works", func(d string) int { return count(w.Works, func(x *Work) bool { return x.Domain == d }) }},
		{"texts", func(d string) int { return count(w.Texts, func(x *Text) bool { return x.Domain == d }) }},
		{"pages", func(d string) int { return count(w.Pages, func(x *Page) bool { return x.Domain == d }) }},
	}
	for _, k := range kinds {
		row, sum := "| "+k.name, 0
		for _, d := range suite.Domains {
			row += fmt.Sprintf(" | %d", k.n(d))
			sum += k.n(d)
		}
		rows = append(rows, fmt.Sprintf("%s | %d |", row, sum))
	}
	facts, isbn, doi, arxiv := 0, 0, 0, 0
	for i := range w.Relations {
		facts += len(w.Relations[i].Facts)
	}
	for i := range w.Works {
		ids := w.Works[i].Identifiers
		isbn, doi, arxiv = isbn+len(ids["isbn"])/13, doi+min(1, len(ids["doi"])), arxiv+min(1, len(ids["arxiv"]))
	}
	rows = append(rows, fmt.Sprintf("Together: %d relations with %d facts, and %d units in %d dimensions. Of the %d "+
		"works, %d have an ISBN-13, %d a DOI, %d an arXiv number and %d are RFCs; %d name somebody they are wrongly given "+
		"to.",
		len(w.Relations), facts, len(w.Units), dimensions(w), len(w.Works), isbn, doi, arxiv, worksOf(w, "rfc"),
		count(w.Works, func(k *Work) bool {
			return len(k.Twins) > 0
		})))
	return rows
}

func count[T any](list []T, is func(*T) bool) int {
	n := 0
	for i := range list {
		if is(&list[i]) {
			n++
		}
	}
	return n
}

func dimensions(w *World) int {
	seen := map[string]bool{}
	for _, u := range w.Units {
		seen[u.Dimension] = true
	}
	return len(seen)
}
