package answer

import (
	"slices"
	"strings"
)

// A Kind is the sort of a gold answer, which says how values are compared with it.
type Kind string

const (
	NameKind     Kind = "name"     // a name, a term, a title
	NumberKind   Kind = "number"   // read by Measures
	DateKind     Kind = "date"     // read by Measures
	PolarKind    Kind = "polar"    // yes or no
	ListKind     Kind = "list"     // several of the others
	PhraseKind   Kind = "phrase"   // a few words that name no thing: "to save water"
	SentenceKind Kind = "sentence" // other words may say the same
	FormulaKind  Kind = "formula"
)

// A Verdict says whether a value names the same thing as a gold.
type Verdict string

const (
	Same      Verdict = "same"
	Different Verdict = "different"
	Unsure    Verdict = "unsure"
)

// A Context is what is known of a question beside its gold.
type Context struct {
	Question string
	Aliases  []string // other golds, each as good
	Rivals   []string // answers that are known to be something else
	Exact    bool     // the words must be the same: see Words
}

// Measures reads numbers and dates. Compare returns false where the gold is neither.
type Measures interface {
	Kind(gold string) (Kind, bool)
	Compare(gold, value, question string) (Verdict, string)
}

// maxValue bounds a value in bytes: what is longer is no span that names an answer.
const maxValue = 400

// A Reference is a gold made ready to be compared with values. It is safe for concurrent use.
type Reference struct {
	gold     string
	context  Context
	kind     Kind
	polar    bool
	forms    []form // of the gold, of what it has in brackets, of the aliases
	names    [][]thing
	formula  string
	question form
	regions  []thing // the countries and states that the question names
	asks     sense   // what the question asks for
	items    []*Reference
	rivals   []*Reference
	measures Measures
	x        *lexicon
}

// NewReference makes gold ready. Numbers and dates are not read as such: see NewMeasured.
func NewReference(gold string, o Context) *Reference { return NewMeasured(gold, o, nil) }

// NewMeasured is NewReference with a reader of numbers and dates.
func NewMeasured(gold string, o Context, m Measures) *Reference {
	r := &Reference{gold: gold, context: o, measures: m, x: words()}
	r.question.read(o.Question[:min(len(o.Question), 4*maxValue)], nil, r.x)
	for _, t := range r.question.tokens {
		r.asks |= t.senses & (asPerson | asPlace | asPlural | asFormula)
	}
	r.regions = r.mentioned(r.question.tokens)
	for i, text := range append([]string{gold}, o.Aliases...) {
		r.addForm(text)
		if parts := r.alternatives(text); i > 0 || len(parts) > 1 {
			for _, p := range parts {
				r.addForm(p)
			}
		}
	}
	r.formula, _ = formula(gold, r.asks&asFormula != 0, r.x)
	r.kind = r.kindOf()
	for _, rival := range o.Rivals {
		r.rivals = append(r.rivals, NewMeasured(rival, Context{Question: o.Question}, m))
	}
	return r
}

// Kind returns the sort of the gold.
func (r *Reference) Kind() Kind { return r.kind }

func (r *Reference) addForm(text string) {
	var f form
	f.read(text[:min(len(text), 4*maxValue)], nil, r.x)
	if len(f.tokens) == 0 {
		return
	}
	r.forms = append(r.forms, f)
	r.names = append(r.names, r.things(f.main(), text))
	if in := f.asides(); len(in) > 0 { // "The Magic Flute (Die Zauberflöte)"
		r.forms = append(r.forms, form{tokens: in, cased: f.cased})
		r.names = append(r.names, r.things(in, ""))
	}
}

// alternatives cuts a gold that offers several: "color / colour".
func (r *Reference) alternatives(text string) []string {
	if r.asks&asPlural != 0 || strings.Count(text, "/") != 1 || strings.ContainsAny(text, "0123456789=") {
		return nil
	}
	return strings.Split(text, "/")
}

// mentioned returns the countries and states that a text names with up to three words.
func (r *Reference) mentioned(ts []token) (found []thing) {
	for i := range ts {
		for j := i + 1; j <= len(ts) && j <= i+4; j++ {
			if ts[i].shape&capital != 0 {
				found = append(found, regionsOf(r.things(ts[i:j], ""))...)
			}
		}
	}
	return found
}

func regionsOf(ts []thing) (regions []thing) {
	for _, t := range ts {
		if t.sort == "country" || t.sort == "state" {
			regions = append(regions, t)
		}
	}
	return regions
}

// things returns what the words name, or the text as a code.
func (r *Reference) things(ts []token, text string) []thing {
	var space [64]byte
	found := r.x.names[string((&form{}).key(ts, space[:0]))]
	if text != "" && len(text) <= 12 {
		if code := r.x.codes[plainFormula(text)]; code != nil {
			found = append(slices.Clip(found), code...)
		}
	}
	return found
}

// kindOf decides how values are compared. The order matters: a list of years is a list, and "Yes" names nothing.
func (r *Reference) kindOf() Kind {
	if len(r.forms) == 0 {
		return NameKind
	}
	ts := r.forms[0].tokens
	head := ts[0]
	if has(head, yes|no) && (len(ts) == 1 || ts[1].shape&broken != 0) && len(ts) <= maxTokens {
		r.polar = !has(head, no)
		return PolarKind
	}
	if items := r.listed(); items != nil {
		for _, it := range items {
			r.items = append(r.items, NewMeasured(it, Context{Question: r.context.Question}, r.measures))
			r.items[len(r.items)-1].items = nil
		}
		return ListKind
	}
	if r.measures != nil {
		if k, ok := r.measures.Kind(r.gold); ok {
			return k
		}
	}
	if r.formula != "" {
		return FormulaKind
	}
	verbs, content, capitals, lights := 0, 0, 0, 0
	for i, t := range ts {
		switch {
		case has(t, verb):
			verbs++
		case has(t, light|article):
			lights++
		default:
			content++
		}
		if i > 0 && t.shape&capital != 0 {
			capitals++
		}
	}
	switch {
	case len(ts) > 7 && capitals*2 < content && (verbs > 0 || content > 7):
		return SentenceKind
	case capitals == 0 && (has(head, verb) || has(head, light) && !has(head, title) && len(ts) > 1):
		return PhraseKind
	}
	return NameKind
}

// listed returns the members of a gold that lists several.
func (r *Reference) listed() []string {
	items := cutList(r.gold)
	commas := strings.Count(r.gold, ", ")
	joined := strings.Contains(r.gold, " and ") || strings.Contains(r.gold, " & ")
	switch {
	case len(items) < 2 || len(items) > 24:
		return nil
	case strings.ContainsAny(r.gold, ";\n"), commas >= 2 && joined && r.asks&asPlural != 0, commas >= 1 && !joined && len(items) >= 3 && r.asks&asPlural != 0, joined && commas == 0 && r.asks&asPlural != 0:
		return items
	case joined && r.asks&asPerson != 0:
		for _, it := range items { // "James Watson and Francis Crick"
			var f form
			f.read(it, nil, r.x)
			if len(f.tokens) < 2 || f.tokens[0].shape&capital == 0 || f.tokens[1].shape&capital == 0 {
				return nil
			}
		}
		return items
	}
	return nil
}

// cutList cuts a text at commas, semicolons, slashes, lines and "and", and drops bullets and numbers of lines.
func cutList(s string) (items []string) {
	for _, part := range strings.FieldsFunc(strings.NewReplacer(" and ", ";", " & ", ";").Replace(s), func(r rune) bool { return strings.ContainsRune(",;/\n、；", r) }) {
		part = strings.TrimLeft(strings.TrimSpace(part), "-*•0123456789.) ")
		part = strings.TrimPrefix(part, "and ")
		if part != "" {
			items = append(items, part)
		}
	}
	return items
}

// Keys returns folded words of which a value that is the same holds at least one, save where a letter is out of place: for finding
// mentions in a long text. It is nil where there are no such words.
func (r *Reference) Keys() []string {
	if r.kind != NameKind && r.kind != ListKind {
		return nil
	}
	var keys []string
	for i, f := range r.forms {
		for _, t := range f.tokens {
			if !has(t, article|light) {
				keys = append(keys, t.word)
				keys = append(keys, r.x.variants(t)...)
			}
		}
		keys = append(keys, acronyms(f.main())...)
		for name, ts := range r.x.names {
			if len(r.names[i]) > 0 && shares(ts, r.names[i]) {
				keys = append(keys, name)
			}
		}
		for _, t := range r.names[i] {
			keys = append(keys, strings.ToLower(t.code))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Members returns the golds of a list, as written; nil where the gold is none.
func (r *Reference) Members() []string {
	var members []string
	for _, it := range r.items {
		members = append(members, it.gold)
	}
	return members
}
