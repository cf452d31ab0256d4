package generate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// formatGuard asks for what the world knows in an exact structure (G7): so many bullets, these labels, at most so
// many words, a quote of a least length. Whether the content is right decides truth; a structural miss is the
// format's alone. With as many bullets as a list has items, an item that does not belong leaves one out that does,
// so what must be there decides.
var formatGuard = generator{
	class: "format-guard",
	has: func(d *draw) bool {
		return len(d.lists) > 0 || d.hasFacts(anything) || d.hasAnswers(leastQuote)
	},
	make:   makeFormatGuard,
	worked: workedList,
}

func makeFormatGuard(d *draw) (suite.Case, bool) {
	c, ok := first(d, listedItems, pairedBullets, fewWords, quotedAnswer)
	if ok {
		c.Tags = append([]string{"format-guard"}, c.Tags...)
	}
	return c, ok
}

// hasFacts reports whether there is a way to ask a relation of the domain that does not change and is such a one.
func (d *draw) hasFacts(such func(*relation) bool) bool {
	return slices.ContainsFunc(d.relations, func(r *relation) bool { return len(r.Ask) > 0 && such(r) })
}

// A wantedList is a list that is asked for: with its labels given, by name alone, by name in few words.
type wantedList struct {
	*world.List
	step int
}

func listedItems(d *draw) (suite.Case, bool) {
	var suited, easier []wantedList
	for _, l := range d.lists {
		for step := d.leastStep(); step < 3; step++ {
			switch level := above(l.Difficulty, step); {
			case level == d.hardness():
				suited = append(suited, wantedList{l, step})
			case level < d.hardness():
				easier = append(easier, wantedList{l, step})
			}
		}
	}
	if len(easier) > 0 && (len(suited) == 0 || !d.chance(2./3)) {
		suited = easier
	}
	if len(suited) == 0 {
		return suite.Case{}, false
	}
	return d.wantList(oneOf(d, suited)), true
}

// workedList is the source's: the axioms of probability by their names, in three bullets.
func workedList(d *draw) (suite.Case, bool) {
	for i := range d.w.Lists {
		if l := &d.w.Lists[i]; strings.Contains(l.Name, "Kolmogorov") && len(l.Items) == 3 {
			c := d.wantList(wantedList{l, 1})
			c.Tags = []string{"format-guard"}
			return placed(c, l.Domain, "medium")
		}
	}
	return suite.Case{}, false
}

func (d *draw) wantList(f wantedList) suite.Case {
	c := suite.Case{AnswerType: suite.Prose, Format: suite.Format{Bullets: len(f.Items)},
		Oracle: &suite.Oracle{Type: "proof", Ordered: f.Ordered}}
	var names []string
	words := 0
	for _, item := range f.Items {
		names = append(names, item.Name)
		words += evidence.WordCount(item.Name)
		c.Oracle.Parts = append(c.Oracle.Parts, append([]string{item.Name}, item.Also...))
	}
	templates := slices.Clone(said([]string{"list-labelled", "list-named", "list-in-few-words"}[f.step]))
	switch f.step {
	case 0:
		c.Format.Labels = names
	case 2:
		// Numbers before the items count as words.
		c.Format.MaxWords = words + len(names) + 5
	}
	if f.Ordered {
		for i := range templates {
			templates[i] += " Keep their order."
		}
	}
	phrase(&c, templates, "{n}", fmt.Sprint(len(names)), "{list}", f.Name, "{labels}", strings.Join(names, ", "),
		"{words}", fmt.Sprint(c.Format.MaxWords))
	return c
}

// A known fact is one with its relation.
type known struct {
	*relation
	*world.Fact
}

// names are the names of the value that are right.
func (k known) names() []string { return append([]string{k.Fact.Value}, k.Fact.Also...) }

// longest is how many words the longest of its names has.
func (k known) longest() (n int) {
	for _, name := range k.names() {
		n = max(n, evidence.WordCount(name))
	}
	return n
}

// asks are the ways to ask for the fact.
func (k known) asks() []string {
	var all []string
	for _, a := range k.Ask {
		all = append(all, strings.ReplaceAll(a, "{subject}", k.Fact.Subject))
	}
	return all
}

// knownTo returns a fact of the domain that is no harder than the case, of relations in which a subject has one value.
func (d *draw) knownTo(steps int) (known, bool) {
	tables := slices.DeleteFunc(slices.Clone(d.relations), func(r *relation) bool { return !single(r) })
	for _, r := range some(d, tables, len(tables)) {
		if f, ok := d.spelled(r, steps); ok {
			return known{r, f}, true
		}
	}
	return known{}, false
}

// single reports whether each subject of a relation has one value and there is a way to ask for it.
func single(r *relation) bool {
	return len(r.of) == len(r.Facts) && len(r.Ask) > 0 && !r.Dated
}

// knownTogether draws n facts of one relation with different subjects and values.
func (d *draw) knownTogether(n, steps int) ([]known, bool) {
	one, ok := d.knownTo(steps)
	if !ok || !d.labels(one.Fact.Subject) {
		return nil, false
	}
	all := []known{one}
	for _, i := range d.r.Perm(len(one.Facts)) {
		f := &one.Facts[i]
		if len(all) == n {
			break
		}
		alike := func(k known) bool { return overlaps(k.Fact.Subject, f.Subject) || overlaps(k.Fact.Value, f.Value) }
		if d.allows(f.Difficulty) && !misread(f.Value) && d.labels(f.Subject) && !slices.ContainsFunc(all, alike) {
			all = append(all, known{one.relation, f})
		}
	}
	return all, len(all) == n
}

// pairedBullets asks for one thing of several subjects, a labelled bullet each; the more, the harder.
func pairedBullets(d *draw) (suite.Case, bool) {
	steps := d.between(d.leastStep(), d.hardness())
	n := 2 + steps + d.between(0, 1)
	facts, ok := d.knownTogether(n, steps)
	if !ok {
		return suite.Case{}, false
	}
	c := suite.Case{AnswerType: suite.Prose, Format: suite.Format{Bullets: n}, Oracle: &suite.Oracle{Type: "proof"}}
	var subjects []string
	for _, k := range facts {
		label := withoutArticle(k.Fact.Subject)
		subjects, c.Format.Labels = append(subjects, k.Fact.Subject), append(c.Format.Labels, label)
		c.Oracle.Parts = append(c.Oracle.Parts, beside(label, k.names()))
	}
	supplied(d, &c, facts...)
	phrase(&c, said("paired-bullets"), "{n}", fmt.Sprint(n), "{name}", facts[0].Name, "{subjects}", series(subjects))
	return c, true
}

// supplied puts the facts into the context of a biomedical case, whose answers rest on supplied text alone.
func supplied(d *draw, c *suite.Case, facts ...known) {
	if d.domain != "biomedical" {
		return
	}
	var lines []string
	for _, k := range facts {
		lines = append(lines, k.stated(k.Fact.Subject, k.Fact.Value))
	}
	c.Context = lettered(lines)
}

// labels reports whether a subject can be a label: it has no comma, and no shorter name that others have too, as
// the country of Georgia.
func (d *draw) labels(subject string) bool {
	return !strings.Contains(subject, ",") && !slices.ContainsFunc(d.w.Homonyms, func(h world.Homonym) bool {
		return slices.ContainsFunc(h.Bearers, func(b world.Bearer) bool { return b.Name == subject })
	})
}

// withoutArticle drops the article with which a name begins, since a list of names goes without.
func withoutArticle(name string) string {
	for _, a := range []string{"the ", "The ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(name, a); ok {
			return rest
		}
	}
	return name
}

// beside returns the wordings by which a line names one of the values behind its subject, the one asked for first.
func beside(subject string, values []string) []string {
	all := []string{subject + ": " + values[0]}
	for _, v := range values {
		all = append(all, `/`+bounded(subject)+`[^\n]*`+bounded(v)+`/`)
	}
	return all
}

// bounded returns the pattern of a text that stands as words of its own.
func bounded(s string) string {
	p := strings.ReplaceAll(regexp.QuoteMeta(s), " ", `\s+`)
	if strings.Trim(s, "0123456789") == "" && len(s) > 3 { // in groups of three or not
		p = ""
		for i, c := range s {
			if i > 0 && (len(s)-i)%3 == 0 {
				p += `[,\s]?`
			}
			p += string(c)
		}
	}
	if isWordByte(s[0]) {
		p = `\b` + p
	}
	if isWordByte(s[len(s)-1]) {
		p += `\b`
	}
	return p
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_'
}

// fewWords asks for one fact in as many words as its longest right name has.
func fewWords(d *draw) (suite.Case, bool) {
	k, ok := d.knownTo(0)
	if !ok {
		return suite.Case{}, false
	}
	n := k.longest()
	c := suite.Case{AnswerType: suite.Short, Gold: suite.Gold{Texts: k.names()}, Format: suite.Format{MaxWords: n}}
	c.Oracle = &suite.Oracle{Type: "exact", Accept: k.names()}
	supplied(d, &c, k)
	limit := "1 word"
	if n > 1 {
		limit = fmt.Sprintf("%d words", n)
	}
	askedBy(&c, said("few-words"), k.asks(), "{n}", limit)
	return c, true
}

// askedBy is phrase where each form holds one of the ways to ask, in turn.
func askedBy(c *suite.Case, forms, asks []string, values ...string) {
	start := int(digest(append(slices.Clone(values), asks...)) % uint64(len(asks)))
	put := make([]string, len(forms))
	for i, f := range forms {
		put[i] = strings.ReplaceAll(f, "{ask}", asks[(start+i)%len(asks)])
	}
	phrase(c, put, append([]string{"{asked}", asks[0]}, values...)...)
}

// leastQuote is the number of words in a row that a quote needs.
const leastQuote = 6

// maxLines bounds the lines of a text that are shown.
const maxLines = 12

// quotable reports whether a line of the text answers the question and has as many words.
func quotable(t *world.Text, a *world.Question, words int) bool {
	return a.Line > 0 && a.Line <= len(t.Lines) && len(evidence.Phrase(t.Lines[a.Line-1])) >= words
}

// hasAnswers reports whether a text of the domain answers a question in a line of as many words.
func (d *draw) hasAnswers(words int) bool {
	return slices.ContainsFunc(d.texts, func(t *world.Text) bool {
		return slices.ContainsFunc(t.Asked, func(a world.Question) bool { return quotable(t, &a, words) })
	})
}

// quotedAnswer asks a text and for a verbatim quote of a least length; the longer, the harder.
func quotedAnswer(d *draw) (suite.Case, bool) {
	step := d.between(d.leastStep(), d.hardness())
	texts := slices.Clone(d.texts)
	texts = slices.DeleteFunc(texts, func(t *world.Text) bool { return len(t.Asked) == 0 })
	t, ok := near(d, texts, step, func(t *world.Text) (string, bool) { return t.Difficulty, true })
	if !ok {
		return suite.Case{}, false
	}
	f, ok := find(d, t.Asked, func(a *world.Question) bool { return quotable(t, a, leastQuote+2*step) })
	if !ok {
		return suite.Case{}, false
	}
	least := leastQuote + 2*step
	lines, at := linesAround(t.Lines, f.Line)
	c := suite.Case{Tags: []string{"retrieval"}, Context: lettered(lines), Format: suite.Format{QuoteMinWords: least},
		AnswerType: suite.Short}
	c.Gold = suite.Gold{Texts: append([]string{f.Value}, f.Also...)}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Lines: []string{lineID(at)}}
	phrase(&c, said("quoted"), "{question}", f.Question, "{n}", fmt.Sprint(least))
	return c, true
}

// linesAround returns at most maxLines lines around the line, which is counted from 1, and its place among them.
func linesAround(lines []string, line int) (shown []string, at int) {
	start := max(0, min(line-1-maxLines/2, len(lines)-maxLines))
	return lines[start:min(len(lines), start+maxLines)], line - start
}

// lettered makes passages of lines: L1, L2, …
func lettered(lines []string) []evidence.Passage {
	var ps []evidence.Passage
	for i, l := range lines {
		ps = append(ps, evidence.Passage{ID: lineID(i + 1), Text: l})
	}
	return ps
}

// lineID names the n-th line, from 1.
func lineID(n int) string { return fmt.Sprintf("L%d", n) }

// series joins all names as prose does.
func series(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
