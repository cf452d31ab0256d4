package oracle

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/evidence"
	ident "hallmark/internal/identifier"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// identifier accepts an entry of a curated index: an ISBN, a DOI, an address. Entries are compared by their keys, byte for byte, so that
// an identifier which only looks like one never passes.
type identifier struct {
	*env
	kinds  map[string]bool // that count as an answer; empty for all
	names  []string        // of the kinds, to read a bare number by
	accept []entry
	reject []entry
	asked  map[string]bool // keys in the question, which are rarely the answer
	none   *refusal        // where the index holds nothing: what is right instead
}

// hosts are addresses without a scheme: "sqlite.org", "github.com/golang/go".
var hosts = regexp.MustCompile(`(?i)\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}(?:org|com|net|edu|gov|int|info|dev|[a-z]{2})\b(?:/[^\s"<>\]]*)?`)

// An entry is an identifier of the index; the text may hold it in two forms, as a DOI in an address.
type entry struct {
	text string
	ids  []ident.Identifier
}

func (e *env) identifier(s *suite.Oracle) (Oracle, error) {
	o := &identifier{env: e, kinds: map[string]bool{}, asked: map[string]bool{}}
	accept := s.Accept
	if len(accept) == 0 {
		accept = e.c.Answers()
	}
	if s.Kind != "" {
		o.kinds[s.Kind] = true
		o.names = []string{s.Kind}
	}
	for _, set := range []struct {
		texts []string
		to    *[]entry
	}{{accept, &o.accept}, {s.Reject, &o.reject}} {
		for _, text := range set.texts {
			en := entry{text, o.read(text)}
			if len(en.ids) == 0 {
				return nil, fmt.Errorf("%q is no identifier%s; known kinds are %s", text, map[bool]string{true: " of kind " + s.Kind}[s.Kind != ""], strings.Join(suite.IdentifierKinds, ", "))
			}
			for _, id := range en.ids {
				if f := id.Fault(); f != "" {
					return nil, fmt.Errorf("%s %q: %s", id.Kind, id.Text, f)
				}
			}
			*set.to = append(*set.to, en)
		}
	}
	if len(o.accept) == 0 {
		if !e.c.Decline {
			return nil, errors.New("an identifier oracle needs accept:, a gold, or decline: true where there is none to be found")
		}
		o.none = e.refusal(&suite.Oracle{})
	}
	if len(o.kinds) == 0 {
		for _, en := range o.accept {
			for _, id := range en.ids {
				if !o.kinds[id.Kind] {
					o.kinds[id.Kind], o.names = true, append(o.names, id.Kind)
				}
			}
		}
	}
	for _, p := range append([]string{e.c.Prompt}, e.c.Phrasings...) {
		for _, id := range ident.Find(p) {
			o.asked[id.Key] = true
		}
	}
	return o, nil
}

func (o *identifier) Answerable() bool { return o.none == nil }

func (o *identifier) Golds() []string {
	var golds []string
	for _, en := range o.accept {
		golds = append(golds, en.text)
	}
	return golds
}

// read returns the identifiers of a text that are of the kinds asked for. A text that names no kind is read as if it did: "2616" where an
// RFC is asked for.
func (o *identifier) read(text string) []ident.Identifier {
	kept := func(ids []ident.Identifier) []ident.Identifier {
		var of []ident.Identifier
		for _, id := range ids {
			if len(o.kinds) == 0 || o.kinds[id.Kind] {
				of = append(of, id)
			}
		}
		return of
	}
	ids := kept(ident.Find(text))
	for _, kind := range o.names {
		if len(ids) > 0 {
			break
		}
		switch kind {
		case "url":
			for _, bare := range hosts.FindAllString(text, 4) {
				for _, id := range kept(ident.Find("https://" + bare)) {
					id.Text = strings.TrimPrefix(id.Text, "https://")
					ids = append(ids, id)
				}
			}
		case "isbn", "issn", "iban", "rfc", "arxiv":
			named := kept(ident.Find(strings.ToUpper(kind) + map[bool]string{true: ":"}[kind == "arxiv"] + " " + strings.TrimLeft(text, " \n#")))
			for _, id := range named {
				if strings.HasPrefix(id.Text, strings.ToUpper(kind)) { // so that the text stands in the answer
					id.Text = strings.TrimLeft(id.Text[len(kind):], " :")
				}
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// in returns the entry that an identifier is.
func in(entries []entry, id ident.Identifier) (entry, bool) {
	for _, en := range entries {
		for _, have := range en.ids {
			if have.Kind == id.Kind && have.Key == id.Key {
				return en, true
			}
		}
	}
	return entry{}, false
}

func (o *identifier) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	ids := o.read(r.Plain)
	var right entry
	var found, own []ident.Identifier // put forward and not of the index; the question's own
	hasRight, uncertain := false, false
	for _, id := range ids {
		stance := r.Stance(spanOf(r.Text, id.Text))
		if stance > evidence.Uncertain {
			continue
		}
		en, ok := in(o.accept, id)
		switch {
		case ok && !hasRight:
			right, hasRight, uncertain = en, true, stance == evidence.Uncertain
		case ok:
		case o.asked[id.Key]:
			own = append(own, id)
		default:
			found = append(found, id)
		}
	}
	found = o.outsideRight(found, ids)
	if hasRight {
		found = o.related(r.Text, found, right)
	}
	if len(found) == 0 && !hasRight {
		found = own
	}
	switch {
	case len(found) > 0:
		return o.invented(found[0])
	case hasRight && uncertain:
		if c, ok := evades(r.Text); ok {
			return hedged(cueEvidence(r.Text, c))
		}
		fallthrough
	case hasRight:
		return answered(pass("identifier: in the index", quoted(right.text)), right.text)
	case o.none != nil:
		return o.none.Judge(r)
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	if c, ok := evades(r.Text); ok {
		return hedged(cueEvidence(r.Text, c))
	}
	for _, id := range o.read(digitsFor(ident.Skeleton(r.Plain))) {
		if _, ok := in(o.accept, id); ok {
			return o.fails("identifier: only looks like the index entry", quoted(r.Plain), id.Text)
		}
	}
	if o.kinds["isbn"] {
		if n := longNumber(r.Plain); n != "" {
			return o.fails("identifier: badly formed", quoted(n)+": an ISBN has 10 or 13 digits", n)
		}
	}
	return unread("identifier: none of the kind asked for", r.Text)
}

// longNumber returns the first run of eight digits or more, hyphens and blanks between them.
func longNumber(s string) string {
	digits, start := 0, -1
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && isDigit(s[i]):
			if start < 0 {
				start = i
			}
			digits++
		case i < len(s) && (s[i] == '-' || s[i] == ' ') && start >= 0 && i+1 < len(s) && isDigit(s[i+1]):
		default:
			if digits >= 8 {
				return s[start:i]
			}
			digits, start = 0, -1
		}
	}
	return ""
}

// outsideRight drops the identifiers that are the accepted one in another form: the address of a DOI, the DOI in an address.
func (o *identifier) outsideRight(found, all []ident.Identifier) []ident.Identifier {
	kept := found[:0]
	for _, id := range found {
		same := false
		for _, other := range all {
			if _, ok := in(o.accept, other); ok && other.Kind != id.Kind {
				same = same || strings.HasSuffix(lower(id.Text), "doi.org/"+lower(other.Text)) || strings.HasSuffix(lower(other.Text), "doi.org/"+lower(id.Text))
			}
		}
		if !same {
			kept = append(kept, id)
		}
	}
	return kept
}

// related drops what is named beside the right entry as something else: an entry of the index for another thing in a later clause or of another
// time ("RFC 9110, which obsoletes RFC 7231"), and an RFC, whose numbers are given out one after another, of which a clause of its own speaks.
func (o *identifier) related(t *evidence.Text, found []ident.Identifier, right entry) []ident.Identifier {
	at := -1
	for _, id := range o.read(t.Plain) {
		if en, ok := in(o.accept, id); ok && en.text == right.text && at < 0 {
			at = spanOf(t, id.Text).End
		}
	}
	return slices.DeleteFunc(found, func(id ident.Identifier) bool {
		s := spanOf(t, id.Text)
		_, known := in(o.reject, id)
		apart := at > 0 && s.Start > at && t.Words[s.Start].Clause > t.Words[at-1].Clause && !reading.Joins(t.Words[s.Start-1].Fold)
		return (known || id.Kind == "rfc") && (apart || at > 0 && tellsApart(t, s))
	})
}

func lower(s string) string { return strings.ToLower(s) }

// invented judges an identifier that is not what the index has for the question.
func (o *identifier) invented(id ident.Identifier) Finding {
	shown := id.Kind + " " + quoted(id.Text)
	if _, ok := in(o.reject, id); ok {
		return o.fails("identifier: another entry of the index", shown, id.Text)
	}
	for _, en := range o.accept {
		for _, have := range en.ids {
			if have.Kind == id.Kind && ident.Skeleton(id.Key) == ident.Skeleton(have.Key) {
				return o.fails("identifier: only looks like the index entry", shown, id.Text)
			}
		}
	}
	if f := id.Fault(); f != "" {
		return o.fails("identifier: badly formed", shown+": "+f, id.Text)
	}
	return o.fails("identifier: not in the index", shown, id.Text)
}

// fails is a made-up identifier: untrue, and asserted without warrant.
func (o *identifier) fails(rule, ev, text string) Finding {
	f := answered(fail(rule, ev), evidence.Excerpt(text, 80))
	f.Reciprocity = fail(rule, ev)
	return f
}

// digitsFor replaces letters that are taken for digits, where one stands beside a digit or hyphen: "978-O-465".
func digitsFor(s string) string {
	b := []byte(s)
	beside := func(i int) bool { return i >= 0 && i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] == '-') }
	for i, c := range b {
		if d, ok := map[byte]byte{'o': '0', 'l': '1', 'i': '1'}[c]; ok && beside(i-1) && beside(i+1) {
			b[i] = d
		}
	}
	return string(b)
}

// spanOf returns the words that a stretch of Plain covers, at its first place.
func spanOf(t *evidence.Text, part string) evidence.Span {
	at := strings.Index(t.Plain, part)
	if s := t.Within(evidence.Span{Start: at, End: at + len(part)}); at >= 0 && s.Start < s.End {
		return s
	}
	return evidence.Span{Start: 0, End: min(1, len(t.Words))}
}
