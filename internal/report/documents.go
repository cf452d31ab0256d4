package report

import (
	"fmt"

	"hallmark/internal/metric/consistency"
)

// documentFigs are the figures of what was retrieved: how often the best document depends on the wording, over all questions and
// within each category, and the same of all documents found.
func documentFigs(t tree) []fig {
	at := func(name, label string, keys ...string) fig {
		f := t.fig(label, share, "ink", append([]string{"consistency", "documents"}, keys...)...)
		if name != "" {
			f = f.child().note("of " + count(t.Whole("consistency", "documents", "questions_by_category", name), "question"))
		}
		return f
	}
	figs := []fig{at("", "ambiguity of retrieved documents", "ambiguity").note("questions whose best document depends on the wording")}
	for _, c := range []struct{ name, label string }{
		{consistency.PromptAgnosticFactual, "where right, whatever the wording"},
		{consistency.PromptAgnosticError, "where wrong, whatever the wording"},
		{consistency.Randomness, "where the answer moves"},
	} {
		figs = append(figs, at(c.name, c.label, "by_category", c.name))
	}
	return append(figs, at("", "ambiguity of all documents found", "ambiguity_at_k").
		note(fmt.Sprintf("questions for which the best %d are not the same for all wordings", t.Whole("consistency", "documents", "k"))))
}
