package suite

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxGold is the length of the longest gold, in characters: a page. A gold is the answer, not the passage that
// holds it.
const maxGold = 2000

// Bounds of the texts of one case, each of which every answer is compared with.
const (
	// in one list: options, phrasings, golds, aliases, an oracle's accepted answers, steps, parts and the like
	maxTexts = 2000
	maxAll   = 10_000 // accepted in all parts of an oracle, wordings of parts and names of holders among them
	maxPairs = 40_000 // of an accepted and a rejected text, in all parts of an oracle
)

// What to do about a list that is too long, of texts that are shown or that an answer is compared with.
const (
	shown    = "leave out what the case does not need"
	compared = "an answer is compared with each: leave out what it does not need"
)

// tooMany says that a list of a case is longer than is read.
func tooMany(what string, n int, why string) string {
	return fmt.Sprintf("%d %s, at most %d are read; %s", n, what, maxTexts, why)
}

// lengthFault checks the lengths of the lists of a case, before anything is done with their entries.
func (c *Case) lengthFault() (key, text string) {
	for _, l := range []struct {
		key, what string
		n         int
		why       string
	}{
		{"phrasings", "phrasings", len(c.Phrasings), shown},
		{"demonstrations", "demonstrations", len(c.Demonstrations), shown},
		{"context", "passages", len(c.Context), shown},
		{"options", "options", len(c.Options), compared},
		{"gold", "golds", max(len(c.Gold.Texts), len(c.Gold.All)), compared},
		{"aliases", "aliases", len(c.Aliases), compared},
		{"requires", "requires.facts", len(c.Requires.Facts), compared},
		{"format", "format.labels", len(c.Format.Labels), compared},
	} {
		if l.n > maxTexts {
			return l.key, tooMany(l.what, l.n, l.why)
		}
	}
	return "", ""
}

// textFault checks that gold and aliases are texts that an answer can give.
func (c *Case) textFault(exact bool) (key, text string) {
	for _, t := range slices.Concat(c.Gold.Texts, c.Gold.All) {
		if text := unusable("gold", t, exact || len(c.Options) > 0); text != "" {
			return "gold", text
		}
	}
	for _, t := range c.Aliases {
		if text := unusable("alias", t, exact); text != "" {
			return "aliases", text
		}
	}
	return "", ""
}

// unusable says why a text is no gold or alias. Signs are one where they match as they are written.
func unusable(what, t string, exact bool) string {
	switch {
	case isBlank(t):
		return fmt.Sprintf("%s is blank; write the answer, or leave it out where there is none", what)
	case !exact && strings.IndexFunc(t, isWritten) < 0:
		return fmt.Sprintf("%s %q is only punctuation; write the answer, leave it out where there is none, or set "+
			"match: exact in a suite where the sign is the answer", what, t)
	}
	if n := utf8.RuneCountInString(t); n > maxGold {
		return fmt.Sprintf("%s is %d characters long, at most %d are read: it begins %s; write the answer alone, "+
			"and what must be in a longer one under requires.facts",
			what, n, maxGold, quoteSome([]string{t}))
	}
	return ""
}

// isWritten reports whether a rune is neither space nor punctuation. Other signs, as + and $, can be answers.
func isWritten(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsControl(r)
}

// aliasFault checks aliases against the gold, options and oracle of their own case.
func (c *Case) aliasFault(exact bool) (key, text string) {
	if len(c.Aliases) == 0 {
		return "", ""
	}
	switch {
	case len(c.Gold.All) > 0:
		return "aliases", "aliases are other names of one gold, and each of several must be named here; list the " +
			"wordings of each as oracle: {type: proof, parts: [[…], […]]}"
	case c.Gold.isNumber():
		return "aliases", fmt.Sprintf("aliases are other names of a gold, and this one is a number, %s; drop "+
			"them, or write the gold as a text", c.Gold)
	case c.Gold.IsZero():
		return "aliases", "aliases are other names of the gold, and the case has none; write it under gold, or " +
			"the right answers under oracle.accept"
	}
	rejected := c.Oracle.rejected()
	isRejected, isOption := nameKeys(rejected, exact), nameKeys(c.Options, exact)
	gold, choice := c.GoldOption()
	for _, a := range c.Aliases {
		name := nameKey(a, exact)
		if i, ok := isRejected[name]; ok {
			return "aliases", fmt.Sprintf(
				"alias %q is among the oracle's rejected answers as %q; drop it from one of the two", a, rejected[i])
		}
		if i, ok := isOption[name]; ok && choice && i != gold {
			return "aliases", fmt.Sprintf(
				"alias %q is option %d, which is wrong; drop the alias, or correct the gold", a, i)
		}
	}
	return "", ""
}

// rejected returns what an oracle and its parts reject.
func (o *Oracle) rejected() (all []string) {
	for p := range o.All() {
		all = append(all, p.Reject...)
	}
	return all
}

// nameKeys says which of the names is the first with a key.
func nameKeys(names []string, exact bool) map[string]int {
	first := map[string]int{}
	for i, name := range names {
		key := nameKey(name, exact)
		if _, known := first[key]; !known {
			first[key] = i
		}
	}
	return first
}

// nameKey is the same for names that are one: as they are written, or but for case and space.
func nameKey(s string, exact bool) string {
	if exact {
		return "=" + strings.TrimSpace(s)
	}
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}
