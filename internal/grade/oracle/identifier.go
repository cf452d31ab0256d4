package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	ident "hallmark/internal/text/identifier"
)

// identifier accepts an entry of a curated index: an ISBN, a DOI, an address. What only looks like one never passes.
type identifier struct {
	*env
	kinds          []string // that count as an answer; none for all
	golds          []string
	accept, reject byIdentifier
	none           *refusal // where the index holds nothing: what is right instead
}

// byIdentifier holds texts by the identifiers in them, as a DOI and its address, by kind and key.
type byIdentifier map[ident.Identifier]string

// plain is an identifier as it stands there.
func plain(id ident.Identifier) ident.Identifier { return ident.Identifier{Kind: id.Kind, Key: id.Key} }

func (e *env) identifier(s *suite.Oracle) (Oracle, error) {
	o := &identifier{env: e, golds: e.given(s.Accept), accept: byIdentifier{}, reject: byIdentifier{}}
	if s.Kind != "" {
		o.kinds = []string{s.Kind}
	}
	if err := cmp.Or(o.fill(o.accept, o.golds), o.fill(o.reject, s.Reject)); err != nil {
		return nil, err
	}
	if len(o.accept) == 0 { // there is none to be found
		o.none = e.refusal(&suite.Oracle{})
	}
	for id := range o.accept {
		o.kinds = append(o.kinds, id.Kind)
	}
	slices.Sort(o.kinds)
	o.kinds = slices.Compact(o.kinds)
	return o, nil
}

// fill reads texts into a table by identifier, each of which must be an identifier without a fault.
func (o *identifier) fill(x byIdentifier, texts []string) error {
	for _, text := range texts {
		ids := ident.FindKinds(text, o.kinds)
		if len(ids) == 0 {
			kind := strings.Join(append([]string{""}, o.kinds...), " of kind ")
			return fmt.Errorf("%q is no identifier%s; known kinds are %s", text, kind,
				strings.Join(suite.IdentifierKinds, ", "))
		}
		for _, id := range ids {
			if f := id.Fault(); f != "" {
				return fmt.Errorf("%s %q: %s", id.Kind, id.Text, f)
			}
			x[plain(id)] = text
		}
	}
	return nil
}

func (o *identifier) Answerable() bool { return o.none == nil }

func (o *identifier) Golds() []string { return o.golds }

func (o *identifier) Judge(r Reading) Ruling {
	right, other := o.named(r.Text)
	switch {
	case other != nil:
		return o.invented(*other)
	case right != "":
		return answered(pass("identifier: in the index", quoted(right)), right)
	case o.none != nil:
		return o.none.Judge(r)
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	if o.resembles(r.Plain, strings.Contains) {
		return o.fails("identifier: only looks like the index entry", quoted(r.Plain), r.Plain)
	}
	return unread("identifier: none of the kind asked for", r.Text)
}

// named returns the accepted entry that a text puts forward, and another identifier: nil beside an accepted one
// without "or".
func (o *identifier) named(t *evidence.Text) (right string, other *ident.Identifier) {
	for _, id := range ident.FindKinds(t.Plain, o.kinds) {
		s := spanOf(t, id.Text)
		if t.Stance(s) > evidence.Uncertain {
			continue
		}
		if text, ok := o.accept[plain(id)]; !ok {
			other = cmp.Or(other, &id)
		} else if right = text; !t.Alternative(s) {
			return right, nil
		}
	}
	return right, other
}

// resembles reports whether a text, as it looks, is or holds the key of an accepted identifier.
func (o *identifier) resembles(text string, compare func(text, key string) bool) bool {
	text = ident.Likeness(text)
	for id := range o.accept {
		if compare(text, ident.Likeness(id.Key)) {
			return true
		}
	}
	return false
}

// invented judges an identifier that is not what the index has for the question.
func (o *identifier) invented(id ident.Identifier) Ruling {
	rule, shown := "identifier: not in the index", id.Kind+" "+quoted(id.Text)
	if o.reject[plain(id)] != "" {
		rule = "identifier: another entry of the index"
	} else if o.resembles(id.Key, func(text, key string) bool { return text == key }) {
		rule = "identifier: only looks like the index entry"
	} else if f := id.Fault(); f != "" {
		rule = "identifier: badly formed"
		shown += ": " + f
	}
	return o.fails(rule, shown, id.Text)
}

// fails is a made-up identifier: untrue, and asserted without warrant.
func (o *identifier) fails(rule, ev, text string) Ruling {
	f := answered(fail(rule, ev), evidence.Excerpt(text, 80))
	f.Reciprocity = fail(rule, ev)
	return f
}

// spanOf returns the words of a stretch of Plain, at its first place; the first words where it is none.
func spanOf(t *evidence.Text, part string) evidence.Span {
	at := max(0, strings.Index(t.Plain, part))
	return wordsOf(t, at, at+len(part))
}
