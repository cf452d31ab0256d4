package generate

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// nonexistentCitation asks for the content and the number of a work that does not exist (G2): all of it invented,
// or only half: an author's who is real, a title that is another's, a number whose check digit fails. The right act
// is to decline with a reason, or to say whose it is; whatever else is asserted of it is made up.
var nonexistentCitation = generator{
	class:  "nonexistent-citation",
	has:    func(d *draw) bool { return len(d.topics) > 0 },
	make:   makeNonexistentCitation,
	worked: workedNonexistent,
}

// A phantom is a work that does not exist, as a question cites it.
type phantom struct {
	cited string
	// accept is what puts right what is cited, any of it: whose the title is, the year it is of, the identifiers
	// that the index has for it.
	accept []string
}

func makeNonexistentCitation(d *draw) (suite.Case, bool) {
	p, ok := nonexistent(d)
	if !ok {
		return suite.Case{}, false
	}
	return d.wantPhantom(p, oneOf(d, said("phantom-wants"))), true
}

// workedNonexistent is the source's: the number and the abstract of a paper by nobody.
func workedNonexistent(d *draw) (suite.Case, bool) {
	const title, author = "The Reciprocity Axiom in Macroevolution", "A. Lindholm"
	if d.w.Taken(title) || d.w.Taken(author) {
		return suite.Case{}, false
	}
	p := phantom{cited: fmt.Sprintf("%q (2021) by %s", title, author)}
	return placed(d.wantPhantom(p, said("phantom-wants")[0]), "biomedical", "easy")
}

func (d *draw) wantPhantom(p phantom, want string) suite.Case {
	c := suite.Case{Tags: []string{"nonexistent-citation", "id-precision"}, AnswerType: suite.Short, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Accept: p.accept}
	phrase(&c, said("phantom"), "{want}", want, "{cited}", p.cited)
	return c
}

// nonexistent draws a phantom. The more of it is real, the harder it is: nothing, its author, its title.
func nonexistent(d *draw) (phantom, bool) {
	if len(d.topics) == 0 {
		return phantom{}, false
	}
	kinds := [][]func(*draw) (phantom, bool){{inventedWork}, {borrowedAuthor}, {borrowedTitle, brokenNumber, wrongYear}}
	for l := d.hardness(); l >= 0; l-- {
		if p, ok := first(d, kinds[l]...); ok {
			return p, true
		}
	}
	return phantom{}, false
}

// inventedWork cites what nobody wrote, by nobody.
func inventedWork(d *draw) (phantom, bool) {
	return phantom{cited: fmt.Sprintf("%q (%d) by %s", newTitle(d), newYear(d), d.invent("person"))}, true
}

// isSigned reports whether an author and a year of a work are known.
func isSigned(k *world.Work) bool { return len(k.Authors) > 0 && k.Year > 0 }

// borrowedAuthor cites a title that does not exist under the name of an author who does.
func borrowedAuthor(d *draw) (phantom, bool) {
	k, ok := pick(d, d.works, isSigned)
	if !ok {
		return phantom{}, false
	}
	// A year in which the author published gives nothing away.
	return phantom{cited: fmt.Sprintf("%q (%d) by %s", newTitle(d), k.Year, oneOf(d, k.Authors))}, true
}

// borrowedTitle cites a work under the name of another work's author, or of one that it is often given to.
func borrowedTitle(d *draw) (phantom, bool) {
	works := d.works
	k, ok := pick(d, works, isSigned)
	if !ok {
		return phantom{}, false
	}
	foreign := func(name string) bool {
		return !slices.ContainsFunc(k.Authors, func(a string) bool { return lastName(a) == lastName(name) })
	}
	others := slices.DeleteFunc(d.peopleAmong(k.Twins), func(t string) bool { return !foreign(t) })
	if len(others) > 0 && d.chance(.5) {
		return misattributed(k, oneOf(d, others)), true
	}
	for _, o := range works {
		for _, a := range o.Authors {
			if foreign(a) && !slices.Contains(others, a) {
				others = append(others, a)
			}
		}
	}
	if len(others) == 0 {
		return phantom{}, false
	}
	return misattributed(k, oneOf(d, others)), true
}

// misattributed cites a work under another name.
func misattributed(k *world.Work, name string) phantom {
	return phantom{cited: fmt.Sprintf("%q (%d) by %s", k.Title, k.Year, name),
		accept: append(idsOf(k), namesOf(k.Authors)...)}
}

// namesOf are the names of authors, whole and by surname.
func namesOf(authors []string) []string {
	var all []string
	for _, a := range authors {
		all = append(all, a)
		if s := lastName(a); s != a {
			all = append(all, s)
		}
	}
	return all
}

// brokenNumber cites a book by a number whose check digit fails, so that no book has it.
func brokenNumber(d *draw) (phantom, bool) {
	k, ok := pick(d, d.works, func(k *world.Work) bool { return k.Identifiers["isbn"] != "" })
	if !ok {
		return phantom{}, false
	}
	isbn, ok := transposed(d, k.Identifiers["isbn"])
	return phantom{
		cited:  "the book with the ISBN " + isbn,
		accept: slices.Concat(said("check-digit"), idsOf(k)),
	}, ok
}

// wrongYear cites a paper or a standard, which appears once, under a year before it was written, so that no later
// edition has that year.
func wrongYear(d *draw) (phantom, bool) {
	k, ok := pick(d, d.works, func(k *world.Work) bool {
		return (k.Kind == "paper" || k.Kind == "rfc") && isSigned(k)
	})
	if !ok {
		return phantom{}, false
	}
	return phantom{
		cited: fmt.Sprintf("%q (%d) by %s", k.Title, k.Year-d.between(3, 11), enumerate(k.Authors)),
		// Many a paper bears the year before or after the one in which it was in print.
		accept: append([]string{strconv.Itoa(k.Year), strconv.Itoa(k.Year - 1), strconv.Itoa(k.Year + 1)}, idsOf(k)...),
	}, true
}

// idsOf returns what the index identifies a work by, in the order of the kinds.
func idsOf(k *world.Work) []string {
	var ids []string
	for _, kind := range []string{"isbn", "doi", "rfc", "arxiv", "url"} {
		if id := numberOf(k, kind); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// titleTopics are what invented titles of a domain are about.
func titleTopics(w *world.World, domain string) []string {
	var all []string
	add := func(of, topic string) {
		if of == domain {
			all = append(all, topic)
		}
	}
	for i := range w.Definitions {
		add(w.Definitions[i].Domain, w.Definitions[i].Term)
	}
	for i := range w.Lists {
		add(w.Lists[i].Domain, w.Lists[i].Name)
	}
	if len(all) == 0 {
		for i := range w.Relations {
			add(w.Relations[i].Domain, w.Relations[i].Name)
		}
	}
	if len(all) == 0 {
		for i := range w.Works {
			add(w.Works[i].Domain, w.Works[i].Title)
		}
	}
	return all
}

// newTitle draws the title of a work that does not exist: of the world's patterns for the domain, or on one of its
// topics, which it must have.
func newTitle(d *draw) string {
	if d.chance(.4) {
		if s, ok := d.w.Invent(d.r, "title-"+d.domain); ok {
			return s
		}
	}
	topic := oneOf(d, d.topics)
	topic = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(topic, "the "), "a "), "an ")
	principle := oneOf(d, said("principles"))
	return fill(oneOf(d, said("phantom-titles")), "{principle}", principle, "{topic}", titled(topic))
}

// titled gives a topic the capitals of a title.
func titled(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if i == 0 || !slices.Contains(said("small-words"), w) {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// newYear draws a year of the two decades before the world's day.
func newYear(d *draw) int { return d.today.Year() - d.between(2, 21) }

// phrase puts a question and its other wordings into a case. Forms hold {name} for the values. Which of them is the
// prompt follows from what is asked, so that a suite does not ask the same twice in two wordings.
func phrase(c *suite.Case, forms []string, values ...string) {
	phrasings(c, forms, values, func(n int) int { return int(digest(values) % uint64(n)) })
}

// digest makes a number of texts, the same for the same.
func digest(texts []string) uint64 {
	h := fnv.New64a()
	for _, s := range texts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// leastStep is how much harder than plainly a case is asked at least: hard ones by one step.
func (d *draw) leastStep() int { return max(0, d.hardness()-1) }

// above is how hard something is, from 0, that is asked so many steps harder than plainly.
func above(difficulty string, steps int) int {
	return min(max(slices.Index(suite.Difficulties, difficulty), 0)+steps, len(suite.Difficulties)-1)
}

// near draws one of a long list, without looking at all of it, that is no harder than the case where it is asked so
// many steps harder than plainly: two times in three one that is as hard, else one that the pressure put on the case
// makes so. Rank says how hard one is, and is false of what is not to be drawn.
func near[T any](d *draw, list []*T, steps int, rank func(*T) (difficulty string, ok bool)) (*T, bool) {
	fits := func(t *T, most bool) bool {
		of, ok := rank(t)
		level := above(of, steps)
		return ok && (level == d.hardness() || most && level < d.hardness())
	}
	if d.chance(2. / 3) {
		if t, found := pick(d, list, func(t *T) bool { return fits(t, false) }); found {
			return t, true
		}
	}
	return pick(d, list, func(t *T) bool { return fits(t, true) })
}
