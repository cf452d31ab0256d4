package suite

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The example of the documentation reads, and its table of oracles names every type with the fields it reads.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/suites.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	s, err := Parse("example.yaml", example[1])
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z`, ]+) \\| (.*?) \\|").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(row[1], ",") {
			documented[strings.Trim(name, "` ")] += row[2]
		}
	}
	for _, name := range OracleTypes {
		for _, field := range oracles[name] {
			if !strings.Contains(documented[name], "`"+field+"`") {
				t.Errorf("the page does not say that %s reads %s", name, field)
			}
		}
	}
	for _, col := range columns {
		for _, name := range slices.Concat(col.names, plainKeys) {
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("the page does not name the column %s", name)
			}
		}
	}
}
