package generate

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

// TestPhrases holds that the phrases can be read, that every table has all domains, and that the generators say each
// form: by its name, or by a name that they put together.
func TestPhrases(t *testing.T) {
	p := words()
	for name, domains := range map[string][]string{
		"terms": slices.Collect(maps.Keys(p.Terms)), "twins": slices.Collect(maps.Keys(p.Twins)),
		"events": slices.Collect(maps.Keys(p.Events)), "matters": slices.Collect(maps.Keys(p.Matters)),
		"stories": slices.Collect(maps.Keys(p.Stories)), "nobodies": slices.Collect(maps.Keys(p.Nobodies)),
	} {
		for _, d := range suite.Domains {
			if !slices.Contains(domains, d) {
				t.Errorf("%s has none of domain %s", name, d)
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") {
			source.Write(text)
		}
	}
	for _, m := range regexp.MustCompile(`said\("([^"]*)"\)`).FindAllStringSubmatch(source.String(), -1) {
		if len(p.Forms[m[1]]) == 0 {
			t.Errorf("nothing is said for %s", m[1])
		}
	}
	parts := regexp.MustCompile(`"([a-z-]+)"`).FindAllStringSubmatch(source.String(), -1)
	for form := range p.Forms {
		if !slices.ContainsFunc(parts, func(m []string) bool {
			return m[1] == form || strings.HasSuffix(m[1], "-") && strings.HasPrefix(form, m[1]) ||
				strings.HasPrefix(m[1], "-") && strings.HasSuffix(form, m[1])
		}) {
			t.Errorf("nobody says %s", form)
		}
	}
}
