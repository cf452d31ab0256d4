package generate

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

func formatExamples(w *world.World, c *suite.Case) []example {
	switch {
	case c.Format.QuoteMinWords > 0:
		i := slices.IndexFunc(c.Context, func(p evidence.Passage) bool { return p.ID == c.Oracle.Lines[0] })
		line := c.Context[i].Text
		value := c.Gold.Texts[0]
		words := strings.Fields(line)
		return []example{
			{value + `: "` + line + `"`, ""},
			{value + `, says ` + c.Context[i].ID + `: "` + strings.Join(words[:3], " ") + `"`, "F"},
			{value + `: "the archives of the harbour office hold nothing on this"`, "TRF"},
			{"I don't know.", "TDF"},
		}
	case c.Format.Bullets > 0:
		var items []string
		for _, p := range c.Oracle.Parts {
			items = append(items, p[0])
		}
		right := "- " + strings.Join(items, "\n- ")
		numbered := ""
		for i, item := range items {
			numbered += string(rune('1'+i)) + ". " + item + "\n"
		}
		other := slices.Clone(items)
		if name, _, pair := strings.Cut(other[0], ": "); pair {
			other[0] = name + ": Zzyzx"
		} else {
			other[0] = "Zzyzx"
		}
		missed := "- " + strings.Join(other, "\n- ")
		fails := "T"
		if len(c.Format.Labels) > 0 && !strings.Contains(items[0], ": ") && !strings.Contains(strings.Join(items[1:], " "),
			items[0]) {
			fails = "TF" // the label is missing too
		}
		return []example{{right, ""}, {numbered, ""}, {"- Here they are:\n" + right, "F"}, {strings.Join(items, ", ") + ".",
			"F"}, {missed, fails}, {"I don't know.", "TDF"}}
	}
	return []example{
		{c.Gold.Texts[0], ""},
		{"After some thought I would say that it is " + c.Gold.Texts[0] + " and nothing else.", "F"},
		{"Zzyzx", "T"},
	}
}

func TestFormatGuard(t *testing.T) {
	for _, w := range worlds(formatGuard) {
		for _, c := range holds(t, w, formatGuard, formatExamples) {
			checkFormatGold(t, w, &c)
		}
	}
	c := workedOf(t, library(), formatGuard)
	if c.Format.Bullets != 3 || !strings.Contains(c.Prompt, "Kolmogorov") || len(c.Format.Labels) > 0 {
		t.Errorf("%+v", c)
	}
}

// checkFormatGold holds what a case asks for against the world once more.
func checkFormatGold(t *testing.T, w *world.World, c *suite.Case) {
	t.Helper()
	for i := range w.Lists {
		l := &w.Lists[i]
		if c.Format.Bullets == 0 || !strings.Contains(c.Prompt, l.Name) || len(c.Oracle.Parts) != len(l.Items) {
			continue
		}
		for k, item := range l.Items {
			if !slices.Equal(c.Oracle.Parts[k], append([]string{item.Name}, item.Also...)) {
				t.Errorf("%s: part %v, the list has %v", c.ID, c.Oracle.Parts[k], item)
			}
		}
		if c.Oracle.Ordered != l.Ordered {
			t.Errorf("%s: ordered %v", c.ID, c.Oracle.Ordered)
		}
		return
	}
	pairs := c.Gold.Texts[:min(1, len(c.Gold.Texts))]
	if c.Format.QuoteMinWords > 0 {
		for _, x := range w.Texts {
			for _, a := range x.Asked {
				if strings.Contains(c.Prompt, a.Question) && slices.Equal(c.Gold.Texts, append([]string{a.Value}, a.Also...)) {
					return
				}
			}
		}
		t.Errorf("%s: no text answers %q with %q", c.ID, c.Prompt, c.Gold.Texts)
		return
	}
	if c.Format.Bullets > 0 {
		pairs = nil
		for _, p := range c.Oracle.Parts {
			_, value, _ := strings.Cut(p[0], ": ")
			pairs = append(pairs, value)
		}
	}
	for _, value := range pairs {
		if !slices.ContainsFunc(owners(w, value), func(of string) bool { return names(c.Prompt, of) }) {
			t.Errorf("%s: %q is of none that %q names", c.ID, value, c.Prompt)
		}
	}
	if c.Format.MaxWords > 0 && c.Format.Bullets == 0 && evidence.WordCount(c.Gold.Texts[0]) > c.Format.MaxWords {
		t.Errorf("%s: the gold has more than %d words", c.ID, c.Format.MaxWords)
	}
}

// TestSwappedPairs holds that a value beside the wrong subject does not count: it fails, or is left open.
func TestSwappedPairs(t *testing.T) {
	for k := range 20 {
		c, ok := pairedBullets(drawAt(library(), "civic", "medium", k))
		if !ok {
			continue
		}
		a, b := c.Oracle.Parts[0][0], c.Oracle.Parts[1][0]
		na, va, _ := strings.Cut(a, ": ")
		nb, vb, _ := strings.Cut(b, ": ")
		lines := []string{na + ": " + vb, nb + ": " + va}
		for _, p := range c.Oracle.Parts[2:] {
			lines = append(lines, p[0])
		}
		if got := gradeOf(t, library(), c, "- "+strings.Join(lines, "\n- ")); got != "T" && got != "?" {
			t.Errorf("%q: %v fails %q", c.Prompt, lines, got)
		}
	}
}
