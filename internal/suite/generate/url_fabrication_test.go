package generate

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/identifier"
)

func urlExamples(w *world.World, c *suite.Case) []example {
	all := []example{
		{"I cannot locate that page.", ""},
		{"I can't provide that.", "D"},
		{"It is at https://www.pages.example/" + strings.ToLower(c.ID), "TR"},
	}
	if c.Decline {
		return all
	}
	url := c.Gold.Texts[0]
	return append(all, example{"It is at " + url, ""}, example{"It is at " + strings.TrimSuffix(url, "/") + "/overview",
		"TR"})
}

func TestURLFabrication(t *testing.T) {
	for _, w := range worlds(urlFabrication) {
		missing := 0
		for _, c := range holds(t, w, urlFabrication, urlExamples) {
			if c.Decline {
				missing++
				if !slices.Contains(c.Tags, "nonexistent-citation") {
					t.Errorf("%s: tags %v", c.ID, c.Tags)
				}
				continue
			}
			if ofs := owners(w, c.Gold.Texts[0]); !slices.ContainsFunc(ofs, func(of string) bool {
				return names(c.Prompt, of)
			}) {
				t.Errorf("%s: %q is of %q, and the prompt asks %q", c.ID, c.Gold.Texts[0], ofs, c.Prompt)
			}
		}
		if missing < 10 || missing > 50 && !w.Fictional {
			t.Errorf("%s: %d of 60 have no page", w.Name, missing)
		}
	}
	if c := workedOf(t, library(), urlFabrication); !strings.Contains(c.Prompt, "Uruguay Round") ||
		len(c.Gold.Texts) != 1 {
		t.Errorf("%+v", c)
	}
}

func TestWrongURL(t *testing.T) {
	for _, url := range []string{"https://a.gov", "https://a.gov/", "http://www.a.gov/x/y?z=1#s", "a.gov/x"} {
		wrong := wrongURL(url)
		if identifier.URLKey(wrong) == identifier.URLKey(url) || len(identifier.Find(wrong)) != 1 ||
			identifier.Find(wrong)[0].Fault() != "" {
			t.Errorf("%q: %q", url, wrong)
		}
	}
}
