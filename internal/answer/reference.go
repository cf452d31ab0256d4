package answer

import (
	"slices"
	"strings"

	"hallmark/internal/quantity"
)

// A Kind is the sort of a gold answer, which says how values are compared with it.
type Kind string

const (
	NameKind    Kind = "name"   // a name, a term, a title
	NumberKind  Kind = "number" // see quantity.Parse
	DateKind    Kind = "date"   // see quantity.ParseDate
	PolarKind   Kind = "polar"  // yes or no
	ListKind    Kind = "list"   // several of the others
	PhraseKind  Kind = "phrase" // words that name no thing, or a sentence: others may say the same
	FormulaKind Kind = "formula"
)

// A Context is what is known of a question beside its gold.
type Context struct {
	Question string
	Rivals   []string // answers that are known to be something else
	Exact    bool     // the words must be the same: see Words
}

// maxValue bounds a value in bytes: what is longer is no span that names an answer.
const maxValue = 400

// A Reference is a gold made ready to be compared with values. It is safe for concurrent use.
type Reference struct {
	x        *lexicon
	gold     string
	context  Context
	kind     Kind
	asks     trait // what the question asks for
	question []token
	regions  []thing   // the countries and states that the question names
	names    [][]token // the gold and what it has in brackets
	codes    []thing   // what it is a code of
	members  []string
	items    []*Reference // the members made ready
	rivals   []*Reference
	number   quantity.Quantity
	date     quantity.Date
}

// NewReferences makes several golds of one question ready, and the rivals that they share once. Blank golds are left out.
func NewReferences(golds []string, o Context) (refs []*Reference) {
	rivals := o.read()
	for _, g := range golds {
		if strings.TrimSpace(g) != "" {
			refs = append(refs, newReference(g, o, rivals))
		}
	}
	return refs
}

// NewReference makes gold ready.
func NewReference(gold string, o Context) *Reference { return newReference(gold, o, o.read()) }

// read makes the rivals ready.
func (o Context) read() (rivals []*Reference) {
	for _, rival := range o.Rivals {
		rivals = append(rivals, newReference(rival, Context{Question: o.Question}, nil))
	}
	return rivals
}

func newReference(gold string, o Context, rivals []*Reference) *Reference {
	x := words()
	q, f := x.read(o.Question).tokens, x.read(gold)
	r := &Reference{x: x, gold: gold, context: o, question: q, codes: f.codes, rivals: rivals}
	for i, t := range q {
		r.asks |= t.traits
		if i > 0 && q[i-1].traits&asking != 0 && t.traits&role != 0 { // "Which architect"
			r.asks |= asPerson
		}
		for j := i; j < min(i+4, len(q)) && t.traits&(capital|stop|light) == capital; j++ { // "In" is no Indiana
			r.regions = append(r.regions, x.regions(q[i:j+1])...)
		}
	}
	// "The Magic Flute (Die Zauberflöte)"
	r.names = slices.DeleteFunc([][]token{f.main, f.aside}, func(ts []token) bool { return len(ts) == 0 })
	r.kind = r.kindOf(gold)
	return r
}

// Kind returns the sort of the gold.
func (r *Reference) Kind() Kind { return r.kind }

// regions returns the countries and states that texts name.
func (x *lexicon) regions(texts ...[]token) (found []thing) {
	for _, ts := range texts {
		for _, t := range x.names[key(ts)] {
			if t.sort == "country" || t.sort == "state" {
				found = append(found, t)
			}
		}
	}
	return found
}

// kindOf decides how values are compared. The order matters: a list of years is a list, and "Yes" names nothing.
func (r *Reference) kindOf(gold string) Kind {
	if len(r.names) == 0 {
		return NameKind
	}
	ts := r.names[0]
	if ts[0].traits&(yes|no) != 0 && (len(ts) == 1 || ts[1].traits&broken != 0) {
		return PolarKind
	}
	if members := cutList(gold); len(members) > 1 && len(members) < 25 && r.lists(gold) {
		r.members = members
		for _, it := range members {
			r.items = append(r.items, NewReference(it, Context{Question: r.context.Question}))
		}
		return ListKind
	}
	var isNumber, isDate bool
	work := r.asks&asWork != 0 // 1984 may be a title
	r.number, isNumber = quantity.Parse(gold)
	r.date, isDate = quantity.ParseDate(gold)
	switch {
	case !work && isDate && (!isNumber || r.asks&asDate != 0):
		return DateKind
	case !work && isNumber:
		return NumberKind
	case strings.ContainsAny(gold, "=^²³"):
		return FormulaKind
	case isPhrase(ts):
		return PhraseKind
	}
	return NameKind
}

// isPhrase reports whether words are a sentence, or begin as no name does.
func isPhrase(ts []token) bool {
	capitals := of(ts[1:], capital).count()
	begins := len(ts) > 1 && capitals == 0 && ts[0].traits&(verb|light) != 0 && ts[0].traits&initials == 0
	return begins || len(ts) > 7 && 3*capitals < len(ts)
}

// lists reports whether a gold of several parts lists them.
func (r *Reference) lists(gold string) bool {
	and := strings.Contains(gold, " and ") || strings.Contains(gold, " & ")
	several := and || strings.Count(gold, ", ") > 1
	return strings.ContainsAny(gold, ";\n") || several && r.asks&asPlural != 0 || and && r.asks&asPerson != 0
}

// cutList cuts a text at commas, semicolons, slashes, lines and "and", and drops bullets and numbers of lines.
func cutList(s string) (items []string) {
	s = strings.NewReplacer(" and ", ";", " & ", ";").Replace(s)
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;/\n、；", r) }) {
		part = strings.TrimPrefix(strings.TrimLeft(part, " \t-*•0123456789.)"), "and ")
		if part != "" {
			items = append(items, part)
		}
	}
	return items
}

// Keys returns folded words for finding mentions in a long text: a value that has words of the gold holds at least one of them,
// or one with another ending or spelling.
func (r *Reference) Keys() (keys []string) {
	for _, ts := range r.names {
		keys = append(keys, key(ts))
		for _, t := range ts {
			if t.traits&(article|light) == 0 {
				keys = append(keys, t.word)
			}
		}
	}
	return keys
}

// Members returns the golds of a list, as written; nil where the gold is none.
func (r *Reference) Members() []string { return r.members }
