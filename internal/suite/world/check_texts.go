package world

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"hallmark/internal/text/evidence"
	"hallmark/internal/text/identifier"
)

// maxDefinition bounds the text of a definition, in bytes, and maxSteps what its patterns take for each of them.
const maxDefinition, maxSteps = 4096, 4000

// Patterns compiles what a definition must have: of each part one of the wordings, in any case of letters.
func Patterns(parts [][]string) ([][]*regexp.Regexp, error) {
	all := make([][]*regexp.Regexp, len(parts))
	steps := 0
	for i, phrasings := range parts {
		for _, s := range phrasings {
			re, err := regexp.Compile("(?i)" + s)
			if err != nil {
				return nil, fmt.Errorf("%q is no regular expression of package regexp: %v", clip(s), err)
			}
			if steps += stepsOf("(?i)" + s); steps > maxSteps {
				return nil, fmt.Errorf(
					"with %q its wordings take more than %d steps for each letter; make them fewer or shorter",
					clip(s), maxSteps)
			}
			all[i] = append(all[i], re)
		}
	}
	return all, nil
}

// stepsOf returns how many instructions a regular expression has, each of which may be taken at each letter of a text.
func stepsOf(pattern string) int {
	re, _ := syntax.Parse(pattern, syntax.Perl) // it was compiled
	program, _ := syntax.Compile(re.Simplify())
	return len(program.Inst)
}

// lacks returns the first of the parts of which a text holds none of the wordings, and false where it holds one of
// each.
func lacks(text string, parts [][]*regexp.Regexp) (int, bool) {
	for i, phrasings := range parts {
		if !slices.ContainsFunc(phrasings, func(re *regexp.Regexp) bool { return re.MatchString(text) }) {
			return i, true
		}
	}
	return 0, false
}

// patterns compiles parts of a definition; it is false where a wording is empty or no pattern.
func (c *checker) patterns(at, term string, parts [][]string) ([][]*regexp.Regexp, bool) {
	if slices.ContainsFunc(parts, func(w []string) bool { return len(w) == 0 || slices.ContainsFunc(w, blank) }) {
		c.bad(at, "an empty part of %q; give at least one wording", clip(term))
		return nil, false
	}
	all, err := Patterns(parts)
	if err != nil {
		c.bad(at, "a part of %q: %v", clip(term), err)
	}
	return all, err == nil
}

func (c *checker) definitions() {
	for at, d := range entries("definitions", c.w.Definitions) {
		c.filled(at, "the term of a definition", d.Term)
		c.once("definitions", at, "term", strings.ToLower(d.Term))
		c.placed(at, d.Placed)
		if len(d.Parts) == 0 {
			c.bad(at, "the definition of %q has no parts; give what every definition of it must hold", clip(d.Term))
		}
		parts, ok := c.patterns(at, d.Term, d.Parts)
		if !ok {
			return
		}
		distinct, ok := c.patterns(at, d.Term, d.Distinct)
		if !ok {
			return
		}
		for _, text := range []struct {
			name, text string
			wordings   [][]string
			parts      [][]*regexp.Regexp
		}{{"text", d.Text, d.Parts, parts}, {"short", d.Short, d.Parts, parts},
			{"apart", d.Apart, d.Distinct, distinct}} {
			if n := len(text.text); n > maxDefinition {
				c.bad(at+"/"+text.name, "%s of %q has %d bytes; at most %d", text.name, clip(d.Term), n, maxDefinition)
				continue
			}
			if text.name != "apart" || len(d.Distinct) > 0 {
				c.filled(at+"/"+text.name, fmt.Sprintf("%s of %q", text.name, clip(d.Term)), text.text)
			}
			if k, lacks := lacks(text.text, text.parts); lacks {
				c.bad(at+"/"+text.name, "%s of %q lacks its part %d, one of %q; say it, or widen the part", text.name,
					clip(d.Term), k+1, text.wordings[k])
			}
		}
		if n := evidence.WordCount(d.Short); n > ShortWords {
			c.bad(at+"/short", "short of %q has %d words; at most %d", clip(d.Term), n, ShortWords)
		}
		if d.Formula != "" && !strings.Contains(d.Short, d.Formula) {
			c.bad(at+"/short", "short of %q lacks its formula %q; put it in as it is written there", clip(d.Term),
				clip(d.Formula))
		}
		if (d.Beside == "") != (len(d.Distinct) == 0) {
			c.bad(at, "beside and distinct of %q go together: a related term, and what sets this one apart from it",
				clip(d.Term))
		}
	}
}

func (c *checker) lists() {
	for at, l := range entries("lists", c.w.Lists) {
		c.filled(at, "the name of a list", l.Name)
		c.once("lists", at, "list", l.Name)
		c.placed(at, l.Placed)
		if len(l.Items) < 2 {
			c.bad(at, "list %q has %d items; a list has two or more", clip(l.Name), len(l.Items))
		}
		all := len(l.Items) + len(l.Almost)
		for _, item := range l.Items {
			all += len(item.Also)
		}
		if all > maxNames {
			c.bad(at, "list %q has %d names; a case lists at most %d: part it", clip(l.Name), all, maxNames)
			continue
		}
		for here, item := range entries(at+"/items", l.Items) {
			c.filled(here, "the name of an item", item.Name)
			c.also(here, item.Name, item.Also)
			for _, n := range append([]string{item.Name}, item.Also...) {
				if n = foldName(n); c.seen[[2]string{at, n}] != here { // one may be written with and without accents
					c.once(at, here, "item", n)
				}
			}
		}
		for here, s := range entries(at+"/almost", l.Almost) {
			c.filled(here, "an entry of almost", *s)
			if c.seen[[2]string{at, foldName(*s)}] != "" {
				c.bad(here, "%q is an item of %q and almost one; keep one", clip(*s), clip(l.Name))
			}
		}
	}
}

func (c *checker) texts() {
	for at, t := range entries("texts", c.w.Texts) {
		c.filled(at, "the title of a text", t.Title)
		c.once("texts", at, "text", t.Title)
		c.placed(at, t.Placed)
		if len(t.Lines) == 0 {
			c.bad(at, "text %q has no lines", clip(t.Title))
		}
		for j, line := range t.Lines {
			if blank(line) || strings.ContainsAny(line, "\n\r") {
				c.bad(fmt.Sprintf("%s/lines/%d", at, j),
					"line %d of %q is empty or has a line break; one line is one entry", j+1, clip(t.Title))
			}
		}
		for here, q := range entries(at+"/asked", t.Asked) {
			c.filled(here, "a question", q.Question)
			c.also(here, q.Value, q.Also)
			switch {
			case q.Line < 0 || q.Line > len(t.Lines):
				c.bad(here, "line %d of %d; lines count from 1, and 0 is where none answers", q.Line, len(t.Lines))
			case q.Line == 0 && q.Value != "":
				c.bad(here,
					"the question %q has a value and no line that answers it; name the line or drop the value",
					clip(q.Question))
			case q.Line > 0 && blank(q.Value):
				c.bad(here, "the question %q has a line and no value; give what the line answers", clip(q.Question))
			case q.Line > 0 && !slices.ContainsFunc(append([]string{q.Value}, q.Also...), func(v string) bool {
				return holds(t.Lines[q.Line-1], v)
			}):
				c.bad(here, "line %d of %q does not hold %q; name the line that does, or put its wording under also:",
					q.Line, clip(t.Title), clip(q.Value))
			}
		}
	}
}

func (c *checker) units() {
	base := map[string]bool{}
	one := big.NewRat(1, 1)
	for at, u := range entries("units", c.w.Units) {
		c.filled(at, "name, plural or dimension of a unit", u.Name, u.Plural, u.Dimension)
		c.source(at, u.Source)
		for _, n := range slices.Compact([]string{u.Name, u.Plural}) {
			c.once("units", at, "unit", strings.ToLower(n))
		}
		for _, n := range u.Symbols {
			c.filled(at, "a symbol", n)
			c.once("units", at, "symbol", "symbol "+n)
		}
		f, ok := ratOf(u.Factor)
		switch {
		case !ok:
			c.bad(at+"/factor", "factor %q of %s is no number; want an exact decimal or a fraction, as 0.3048 or 5/9",
				clip(u.Factor), clip(u.Name))
			return
		case f.Sign() <= 0:
			c.bad(at+"/factor", "factor %q of %s is not above 0", clip(u.Factor), clip(u.Name))
		}
		if _, ok := ratOf(u.Offset); u.Offset != "" && !ok {
			c.bad(at+"/offset", "offset %q of %s is no number; want an exact decimal or a fraction", clip(u.Offset),
				clip(u.Name))
		}
		base[u.Dimension] = base[u.Dimension] || f.Cmp(one) == 0 && u.Offset == ""
	}
	for _, d := range slices.Sorted(maps.Keys(base)) {
		if !base[d] {
			i := slices.IndexFunc(c.w.Units, func(u Unit) bool { return u.Dimension == d })
			c.bad(fmt.Sprintf("units/%d", i),
				"no unit of dimension %q has factor 1 and no offset; give its base unit", clip(d))
		}
	}
}

func (c *checker) pages() {
	for at, p := range entries("pages", c.w.Pages) {
		c.filled(at, "of, what the page is of,", p.Of)
		c.placed(at, p.Placed)
		if why := IdentifierFault("url", p.URL); why != "" {
			c.bad(at, "address %q: %s", clip(p.URL), why)
		}
		c.once("addresses", at, "address", identifier.URLKey(p.URL))
		c.once("pages", at, "page of", p.Of)
	}
}

func (c *checker) names() {
	done := map[string]bool{}
	for _, kind := range slices.Sorted(maps.Keys(c.w.Names)) {
		at := "names/" + kind
		if len(c.w.Names[kind]) == 0 {
			c.bad(at, "no patterns for names of kind %q", clip(kind))
		}
		for j, p := range c.w.Names[kind] {
			c.filled(fmt.Sprintf("%s/%d", at, j), "a pattern", p)
			if strings.Count(p, "{") != strings.Count(p, "}") {
				c.bad(fmt.Sprintf("%s/%d", at, j), "pattern %q has braces that do not match", clip(p))
			}
			for _, part := range placeholder.FindAllString(p, -1) {
				if _, ok := c.w.Names[part[1:len(part)-1]]; !ok {
					c.bad(fmt.Sprintf("%s/%d", at, j), "pattern %q has %s, and names has no such kind; add it",
						clip(p), clip(part))
				}
			}
		}
		if !c.ends(kind, map[string]bool{}, done, 0) {
			c.bad(at, "the patterns of kind %q lead back to themselves, or hold one another more than %d deep; "+
				"write some out", clip(kind), maxDepth)
		}
	}
}

// ends reports whether the patterns of a kind come to an end: none leads back to one that is open. Done are the
// kinds that do.
func (c *checker) ends(kind string, open, done map[string]bool, depth int) bool {
	if done[kind] {
		return true
	}
	if open[kind] || depth > maxDepth {
		return false
	}
	open[kind] = true
	for _, p := range c.w.Names[kind] {
		for _, part := range placeholder.FindAllString(p, -1) {
			if !c.ends(part[1:len(part)-1], open, done, depth+1) {
				return false
			}
		}
	}
	delete(open, kind)
	done[kind] = true
	return true
}
