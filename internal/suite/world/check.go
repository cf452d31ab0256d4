package world

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/base/pattern"
	"hallmark/internal/suite"
)

// maxNames bounds the names in a list, all of which stand in each case about it: more than that a suite does not read.
const maxNames = 2000

// Check finds the first fault of a world that was made by a program and not read: it names the path of what is
// wrong, such as relations/3/facts/5, and what would be right. Read and Parse have checked theirs.
func (w *World) Check() error { return w.check(nil, place{}) }

// A checker holds the first fault that is found.
type checker struct {
	w      *World
	places map[string]place
	first  place                // the beginning of the file that says the world's name
	seen   map[[2]string]string // where a name stood first, by what it must differ among and the name
	err    error
}

// bad records a fault at the value of a path, or of the nearest one around it that has a place.
func (c *checker) bad(path, format string, args ...any) {
	if c.err != nil {
		return
	}
	at := place{file: fmt.Sprintf("world %q: %s", c.w.Name, path)}
	for p := path; c.places != nil; {
		if found, ok := c.places[p]; ok {
			at = found
			break
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			at = cmp.Or(c.places["name"], c.first, place{file: "world"}) // of a file without so much as a name
			break
		}
		p = p[:i]
	}
	c.err = at.faultf(format, args...)
}

func (w *World) check(places map[string]place, first place) error {
	c := &checker{w: w, places: places, first: first, seen: map[[2]string]string{}}
	for _, step := range []func(){c.header, c.relations, c.works, c.homonyms, c.premises, c.definitions, c.lists,
		c.texts, c.units, c.pages, c.names} {
		if step(); c.err != nil {
			return c.err
		}
	}
	return nil
}

func (c *checker) header() {
	w := c.w
	if blank(w.Name) {
		c.bad("name", "the world has no name; give it one with name:")
	}
	if w.AsOf == "" {
		c.bad("as_of", "the world has no as_of; say on which day it is told, as 2026-11-01")
	}
	c.date("as_of", w.AsOf)
	for _, key := range slices.Sorted(maps.Keys(w.Sources)) {
		at := "sources/" + key
		if blank(w.Sources[key].Title) {
			c.bad(at, "source %q has no title; say where the tables come from", clip(key))
		}
		c.date(at+"/through", w.Sources[key].Through)
	}
	if len(w.Relations)+len(w.Works)+len(w.Homonyms)+len(w.Premises)+len(w.Definitions)+len(w.Lists)+len(w.Texts)+
		len(w.Units)+len(w.Pages) == 0 {
		c.bad("name", "the world has no table; give it relations, works, texts or another")
	}
}

// date checks a date that may be absent.
func (c *checker) date(at, day string) {
	if day == "" {
		return
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		c.bad(at, "%q is no date; want one as 1990-05-20", clip(day))
	}
}

// placed checks what every table has: domain, source and difficulty.
func (c *checker) placed(at string, p Placed) {
	if !slices.Contains(suite.Domains, p.Domain) {
		c.bad(at+"/domain", "unknown domain %q; known are %s", clip(p.Domain), strings.Join(suite.Domains, ", "))
	}
	c.source(at, p.Source)
	c.difficulty(at, p.Difficulty)
}

func (c *checker) source(at, source string) {
	if _, ok := c.w.Sources[source]; ok {
		return
	}
	if source == "" {
		c.bad(at+"/source", "no source; name one of sources: (%s)", known(c.w.Sources))
	}
	c.bad(at+"/source", "source %q is not declared; declare it under sources: with a title, or name one of %s",
		clip(source), known(c.w.Sources))
}

func known[T any](m map[string]T) string {
	if len(m) == 0 {
		return "none is declared"
	}
	return clip(strings.Join(slices.Sorted(maps.Keys(m)), ", "))
}

func (c *checker) difficulty(at, difficulty string) {
	if difficulty != "" && !slices.Contains(suite.Difficulties, difficulty) {
		c.bad(at+"/difficulty", "unknown difficulty %q; known are %s", clip(difficulty),
			strings.Join(suite.Difficulties, ", "))
	}
}

// texts checks that each of some texts is there.
func (c *checker) filled(at, name string, texts ...string) {
	for _, s := range texts {
		if blank(s) {
			c.bad(at, "%s is empty or missing; write it out", name)
		}
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// once checks that no name stands twice among those of a kind, and says on which entry it stood first.
func (c *checker) once(among, at, what, name string) {
	if before, twice := c.seen[[2]string{among, name}]; twice {
		c.bad(at, "%s %q twice, first at %s; keep one", what, clip(name), c.shown(before))
		return
	}
	c.seen[[2]string{among, name}] = at
}

var placeholder = pattern.New(`\{[^{}]*\}`)

// form checks that a pattern holds the needed placeholders and none but the allowed.
func (c *checker) form(at, what, text string, need, allowed []string) {
	found := placeholder.FindAllString(text, -1)
	for _, p := range need {
		if !slices.Contains(found, p) {
			c.bad(at, "%s %q has no %s; put it where the text goes", what, clip(text), p)
		}
	}
	for _, p := range found {
		if !slices.Contains(need, p) && !slices.Contains(allowed, p) {
			c.bad(at, "%s %q has %s, which nothing fills; known are %s", what, clip(text), clip(p),
				strings.Join(append(need, allowed...), ", "))
		}
	}
}

// entries are those of a table, each with its path.
func entries[T any](path string, table []T) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for i := range table {
			if !yield(fmt.Sprintf("%s/%d", path, i), &table[i]) {
				return
			}
		}
	}
}

func (c *checker) relations() {
	for at, r := range entries("relations", c.w.Relations) {
		c.filled(at, "the name of a relation", r.Name)
		c.filled(at, fmt.Sprintf("subject, the kind of the subjects, of relation %q", clip(r.Name)), r.Subject)
		c.filled(at, fmt.Sprintf("value, the kind of the values, of relation %q", clip(r.Name)), r.Value)
		c.once("relations", at, "relation", r.Name)
		c.placed(at, Placed{Domain: r.Domain, Source: r.Source})
		if len(r.Ask) == 0 {
			c.bad(at, "relation %q has no ask; give at least one way to ask, such as \"What is the capital of "+
				"{subject}?\"", clip(r.Name))
		}
		dated := false
		for j, form := range r.Ask {
			here := fmt.Sprintf("%s/ask/%d", at, j)
			c.filled(here, "a way to ask", form)
			allowed := []string(nil)
			if r.Dated {
				allowed = []string{"{date}"}
			}
			c.form(here, "ask", form, []string{"{subject}"}, allowed)
			dated = dated || strings.Contains(form, "{date}")
			if slices.Contains(r.Ask[:j], form) {
				c.bad(here, "ask %q twice; keep one", clip(form))
			}
		}
		if r.Dated && !dated {
			c.bad(at+"/ask", "no ask of the dated relation %q has {date}; put it where \"as of …\" goes", clip(r.Name))
		}
		c.form(at+"/state", "state", r.State, []string{"{subject}", "{value}"}, nil)
		c.facts(at, r)
	}
}

func (c *checker) facts(at string, r *Relation) {
	if len(r.Facts) == 0 {
		c.bad(at, "relation %q has no facts; give facts: or a file:", clip(r.Name))
	}
	last := map[string]int{}
	for i := range r.Facts {
		f := &r.Facts[i]
		here := fmt.Sprintf("%s/facts/%d", at, i)
		c.filled(here, "the subject of a fact", f.Subject)
		c.filled(here, "the value of a fact", f.Value)
		c.difficulty(here, f.Difficulty)
		c.also(here, f.Value, f.Also)
		c.value(here, r, f.Value)
		c.date(here, f.From)
		c.date(here, f.Through)
		if f.From != "" && f.Through != "" && f.Through < f.From {
			c.bad(here, "the fact ends on %s, before it begins on %s; swap them", f.Through, f.From)
		}
		before, seen := last[f.Subject]
		last[f.Subject] = i
		switch {
		case !r.Dated && (f.From != "" || f.Through != ""):
			c.bad(here, "the fact has a time, and relation %q is not dated; say dated: true or drop the time",
				clip(r.Name))
		case !r.Dated && seen:
			c.bad(here, "relation %q has two facts about %q, first at %s; keep one, or put the other name under also:",
				clip(r.Name), clip(f.Subject), c.shown(fmt.Sprintf("%s/facts/%d", at, before)))
		case seen:
			c.follows(here, &r.Facts[before], f)
		}
		if r.Unique && !r.Dated { // in time a value may hold its subject again
			c.once(at, here, fmt.Sprintf("relation %q is unique, and has value", clip(r.Name)), f.Value)
		}
	}
}

// follows checks that a fact stands behind the one before it on its subject in time.
func (c *checker) follows(here string, before, f *Fact) {
	switch {
	case before.Through == "":
		c.bad(here, "the fact about %q before this one has no end; give it a through: before %s",
			clip(f.Subject), f.From)
	case f.From == "":
		c.bad(here, "the fact about %q has no beginning and is not the first; give it a from: after %s",
			clip(f.Subject), before.Through)
	case f.From <= before.Through:
		c.bad(here, "the fact about %q begins on %s, and the one before it (%q) ends on %s; facts stand "+
			"in the order of time and do not overlap", clip(f.Subject), f.From, clip(before.Value), before.Through)
	}
}

// shown returns where a path stands, for messages.
func (c *checker) shown(path string) string {
	if p, ok := c.places[path]; ok {
		return p.String()
	}
	return path
}

func (c *checker) also(at, value string, also []string) {
	for i, a := range also {
		if blank(a) || a == value || slices.Contains(also[:i], a) {
			c.bad(at, "the other name %q is empty, the value itself or there twice; drop it", clip(a))
		}
	}
}

// value checks what a kind of value says of its form.
func (c *checker) value(at string, r *Relation, v string) {
	switch r.Value {
	case "year":
		if y, err := strconv.Atoi(v); err != nil || y < -4000 || y > 2999 || strconv.Itoa(y) != v {
			c.bad(at, "%q is no year; want one as 1969", clip(v))
		}
	case "number":
		if _, ok := ratOf(v); !ok {
			c.bad(at, "%q is no number; want a decimal without separators, as 8848 or 2.54", clip(v))
		}
	case "date":
		c.date(at, v)
	default:
		if slices.Contains(identifierKinds, r.Value) {
			if text := IdentifierFault(r.Value, v); text != "" {
				c.bad(at, "%s %q: %s", r.Value, clip(v), text)
			}
		}
	}
}

// ratOf reads a decimal or a fraction of bounded size.
func ratOf(s string) (*big.Rat, bool) {
	if i := strings.IndexAny(s, "eE"); len(s) > 100 || i >= 0 && len(s)-i > 5 || strings.ContainsAny(s, "_xXpPoObB") {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func (c *checker) works() {
	for at, k := range entries("works", c.w.Works) {
		c.filled(at, "the title of a work", k.Title)
		c.filled(at, fmt.Sprintf("kind (book, paper, rfc, …) of %q", clip(k.Title)), k.Kind)
		c.placed(at, k.Placed)
		if len(k.Authors) == 0 {
			c.bad(at, "work %q has no authors; name at least one", clip(k.Title))
		}
		c.filled(at, fmt.Sprintf("an author of %q", clip(k.Title)), k.Authors...)
		if k.Year == 0 || k.Year < -4000 || k.Year > 2999 {
			c.bad(at, "work %q has no year of publication; give one as 1995", clip(k.Title))
		}
		c.once("works", at, "work", fmt.Sprintf("%s: %s (%d)", strings.Join(k.Authors, ", "), k.Title, k.Year))
		for _, kind := range slices.Sorted(maps.Keys(k.Identifiers)) {
			text := k.Identifiers[kind]
			here := at + "/identifiers/" + kind
			if why := IdentifierFault(kind, text); why != "" {
				c.bad(here, "%s %q of %q: %s", clip(kind), clip(text), clip(k.Title), why)
			}
			c.once("identifiers", here, kind, identifierKey(kind, text))
		}
		for _, t := range k.Twins {
			c.filled(at, "a twin", t)
			if slices.Contains(k.Authors, t) || t == k.Title {
				c.bad(at, "%q is a twin of %q and is its author or title; name another", clip(t), clip(k.Title))
			}
		}
	}
}

func (c *checker) homonyms() {
	for at, h := range entries("homonyms", c.w.Homonyms) {
		c.filled(at, "the name of a homonym", h.Name)
		c.filled(at, "asked of a homonym", h.Asked)
		c.placed(at, h.Placed)
		c.once("homonyms", at, "question", h.Asked)
		if !strings.Contains(h.Asked, h.Name) {
			c.bad(at, "the question %q does not name %q; it must be asked of the shared name", clip(h.Asked),
				clip(h.Name))
		}
		if len(h.Bearers) < 2 {
			c.bad(at, "%q has %d bearers; a homonym has two or more", clip(h.Name), len(h.Bearers))
		}
		for here, b := range entries(at+"/bearers", h.Bearers) {
			c.filled(here, "the name of a bearer", b.Name)
			c.filled(here, "the value of a bearer", b.Value)
			c.filled(here, "about, a sentence that mentions the bearer,", b.About)
			c.once(at+"/bearers", here, "bearer", b.Name)
			c.once(at+"/values", here, "value", b.Value)
			c.also(here, b.Value, b.Also)
			if !contains(b.About, h.Name) && !contains(b.About, b.Name) {
				c.bad(here, "about does not mention %q or %q; say of which bearer it is", clip(h.Name), clip(b.Name))
			}
			for _, v := range append([]string{b.Value}, b.Also...) {
				if holds(b.About, v) {
					c.bad(here, "about answers the question: it holds %q; say something else of the bearer", clip(v))
				}
			}
		}
	}
}

// contains reports whether a text holds a name, however it is written, also within a word.
func contains(text, name string) bool { return strings.Contains(foldName(text), foldName(name)) }

// holds reports whether a text holds a phrase, word by word and however it is written.
func holds(text, phrase string) bool {
	p := foldName(phrase)
	return p != "" && strings.Contains(" "+foldName("x "+text)+" ", " "+p+" ")
}

func (c *checker) premises() {
	for at, p := range entries("premises", c.w.Premises) {
		c.filled(at, "false, the name of what is false,", p.False)
		c.filled(at, fmt.Sprintf("asked of %q", clip(p.False)), p.Asked)
		c.filled(at, fmt.Sprintf("truth of %q", clip(p.False)), p.Truth)
		c.placed(at, p.Placed)
		c.once("premises", at, "question", p.Asked)
		c.filled(at, fmt.Sprintf("an entry of repair or follows of %q", clip(p.False)),
			slices.Concat(p.Repair, p.Follows)...)
		if !slices.ContainsFunc(p.Repair, func(s string) bool { return holds(p.Truth, s) }) {
			c.bad(at, "the truth of %q holds none of its repair texts; give one that every correction holds",
				clip(p.False))
		}
		for _, s := range p.Follows {
			if holds(p.Truth, s) {
				c.bad(at, "the truth of %q holds %q, which follows from the falsehood alone; change one",
					clip(p.False), clip(s))
			}
		}
	}
}
