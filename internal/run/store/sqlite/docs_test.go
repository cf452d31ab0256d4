package sqlite

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/store.md describes every column, and its query runs.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../../../docs/store.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer s.Close()
	rows, err := s.reader.Query("SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE " +
		"t.type = 'table' ORDER BY t.name, c.cid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	tables := map[string]string{} // the part of the page on each table
	for _, part := range regexp.MustCompile(`(?m)^    (model|record|run|annotation|usage|hold|kept|tally)\b.*\n((?:      .*\n)*)`).FindAllStringSubmatch(string(page), -1) {
		tables[part[1]] = part[2]
	}
	n := 0
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			t.Fatal(err)
		}
		n++
		if !regexp.MustCompile(`(?m)^      ` + column + ` +` + kind + `\b`).MatchString(tables[table]) {
			t.Errorf("docs/store.md does not describe %s.%s %s", table, column, kind)
		}
	}
	if err := rows.Err(); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	rs := records(0, 5)
	rs[1].Response, rs[1].Failure = nil, "an early failure"
	rs = append(rs, rs[1])
	rs[5].Failure = "the newest failure"
	if err := s.Add(t.Context(), rs); err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(string(page), "sqlite3 .hallmark/hallmark.db \"")
	query, _, ok := strings.Cut(query, `"`)
	if !ok {
		t.Fatal("docs/store.md shows no query")
	}
	got, err := s.reader.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	var lines []string
	for got.Next() {
		var model, prompt, when string
		var text, failure *string
		if err := got.Scan(&model, &prompt, &text, &failure, &when); err != nil {
			t.Fatal(err)
		}
		if failure != nil {
			text = failure
		}
		lines = append(lines, prompt+" "+*text+" "+when)
	}
	if err := got.Err(); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 5 || !strings.Contains(strings.Join(lines, "\n"),
		"Question 1: what is it? the newest failure 1970-01-01 00:00:01") {
		t.Errorf("the query gives %q", lines)
	}
}
