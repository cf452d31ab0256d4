package rulebook

import (
	"flag"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

var update = flag.Bool("update", false, "write docs/rubric.md")

// TestPage holds docs/rubric.md to rubric.yaml.
func TestPage(t *testing.T) {
	var b strings.Builder
	if err := Specification().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	archtest.Golden(t, "../../../docs/rubric.md", []byte(b.String()), *update)
}
