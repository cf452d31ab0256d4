package answer

import (
	"slices"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/text/quantity"
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
	Kind    Kind     // the sort of the gold
	Members []string // the golds of a list, as written; nil where the gold is none

	*asked
	gold    string
	context Context
	names   [][]token    // the gold and what it has in brackets
	codes   []thing      // what it is a code of
	items   []*Reference // the members made ready
	rivals  []*Reference
	number  quantity.Quantity
	date    quantity.Date
}

// asked is a question that was read.
type asked struct {
	x        *lexicon
	question []token
	asks     trait   // what it asks for
	regions  []thing // the countries and states that it names
}

func ask(question string) *asked {
	x := words()
	q := &asked{x: x, question: x.read(question).tokens}
	for i, t := range q.question {
		q.asks |= t.traits
		if i > 0 && q.question[i-1].traits&asking != 0 && t.traits&role != 0 { // "Which architect"
			q.asks |= asPerson
		}
		// "In" is no Indiana
		for j := i; j < min(i+4, len(q.question)) && t.traits&(capital|stop|light) == capital; j++ {
			q.regions = append(q.regions, x.regions(q.question[i:j+1])...)
		}
	}
	return q
}

// NewReferences makes several golds of one question ready, and the rivals that they share, which reads the question
// once.
func NewReferences(golds []string, o Context) []*Reference {
	if len(golds) == 0 {
		return nil
	}
	q := ask(o.Question)
	rivals := lists.Map(o.Rivals, func(text string) *Reference {
		return q.reference(text, Context{Question: o.Question}, nil)
	})
	return lists.Map(golds, func(g string) *Reference { return q.reference(g, o, rivals) })
}

// NewReference makes gold ready.
func NewReference(gold string, o Context) *Reference { return NewReferences([]string{gold}, o)[0] }

func (q *asked) reference(gold string, o Context, rivals []*Reference) *Reference {
	f := q.x.read(gold)
	r := &Reference{asked: q, gold: gold, context: o, codes: f.codes, rivals: rivals}
	// "The Magic Flute (Die Zauberflöte)"
	r.names = slices.DeleteFunc([][]token{f.main, f.aside}, func(ts []token) bool { return len(ts) == 0 })
	r.Kind = r.kindOf(gold)
	return r
}

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
		r.Members = members
		for _, it := range members {
			r.items = append(r.items, r.reference(it, Context{Question: r.context.Question}, nil))
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

// Keys returns folded words for finding mentions in a long text: a value that has words of the gold holds at least
// one of them, or one with another ending or spelling.
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
