package generate

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestDocument holds that docs/generate.md shows the matrix of core as it is. The line on how cases are checked is a
// measurement of its day.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/generate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, c, err := makeCore()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	matrix, _, _ := strings.Cut(b.String(), "checked by")
	if !strings.Contains(string(page), matrix) {
		t.Errorf("docs/generate.md does not show the matrix of core; it is\n%s", b.String())
	}
}
