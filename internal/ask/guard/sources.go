package guard

import (
	"slices"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/identifier"
	"hallmark/internal/text/quotation"
)

// empirical: quotes, lines and identifiers are found in the context or in the inventory.
func (j *judging) empirical(r *reading) *Objection {
	q := j.q
	if q.unknown != "" && !r.abstains() {
		return fails(Empirical, unknownName, "“%s” is neither in the context nor in the index, which is complete",
			q.unknown)
	}
	least := 6 // words: shorter quotations are titles and mentions, where there is nothing to quote
	if len(q.passages) > 0 {
		least = 3
	}
	for _, quote := range quotation.Quotes(r.t) {
		if len(quote.Words) < least || quotation.NewSource("", q.question).Contains(quote.Words) {
			continue
		}
		if !q.located(quote) {
			return fails(Empirical, notFound, "the quotation “%s” is neither in the context nor in the index",
				quote.Text)
		}
	}
	return firstOf(r, q.cited, q.identified)
}

// located reports whether a quotation is found in the context or in the inventory.
func (q *query) located(quote quotation.Quote) bool {
	return len(quotation.Locate(quote, q.passages)) > 0 || len(quotation.Locate(quote, q.inventory.passages)) > 0
}

// cited holds the lines that an answer names against what they say.
func (q *query) cited(r *reading) *Objection {
	if len(q.passages) == 0 || len(r.cites) == 0 || r.abstains() {
		return nil
	}
	right := q.holders(r)
	for _, c := range r.cites {
		if !c.Known {
			return fails(Empirical, notFound, "there is no line %s", c.ID).fixed(q.recite(r, c, right))
		}
		if len(r.claims) > 0 && !slices.Contains(right, c.ID) {
			return fails(Empirical, notFound, "line %s does not say “%s”", c.ID, r.core()).fixed(q.recite(r, c, right))
		}
	}
	return nil
}

// holders are the lines that hold all that an answer says; of several, those that also name what the question names.
func (q *query) holders(r *reading) []string {
	var some, named []string
	for i, t := range q.reading {
		if !holdsAll(t, r.claims) {
			continue
		}
		some = append(some, q.raw[i].ID)
		if len(q.names) > 0 && holdsAll(t, q.names) {
			named = append(named, q.raw[i].ID)
		}
	}
	if len(named) > 0 {
		return named
	}
	return some
}

// recite is the answer with the line that holds it in the place of the one it names, if there is exactly one such line.
func (q *query) recite(r *reading, c quotation.Citation, right []string) string {
	if len(right) != 1 || len(r.claims) == 0 {
		return ""
	}
	w := r.t.Words[c.Words.Start]
	if r.t.Plain != r.text {
		return strings.TrimSpace(r.core()) + " [" + right[0] + "]"
	}
	return r.text[:w.Start] + right[0] + r.text[w.End:]
}

// identified holds the identifiers of an answer against the context and the inventory.
func (q *query) identified(r *reading) *Objection {
	if r.abstains() {
		return nil
	}
	ids := q.identifiers(r)
	if q.identifier && len(ids) == 0 { // asked for one, and asserts something that has the form of none
		if f := q.owned(); f != "" {
			return fails(Empirical, notFound, "“%s” is no identifier of the index", r.core()).fixed(f)
		}
		return fails(Empirical, notFound, "“%s” is no identifier", r.core())
	}
	for _, id := range ids {
		if q.given(id) {
			continue
		}
		known := q.inventory.ids[identifierKey(id)]
		if known == nil {
			return fails(Empirical, notFound, "the identifier “%s” is neither in the context nor in the index",
				id).fixed(q.owned())
		}
		// It exists, and may belong to something else. That is a fault where the question asks for an identifier.
		if of := evidence.Phrase(known.Of); q.identifier && len(of) > 0 && len(q.text.Find(of)) == 0 {
			return fails(Empirical, notFound, "the identifier “%s” is that of %s", id, known.Of).fixed(q.owned())
		}
	}
	return nil
}

// identifiers are those of an answer: of a known kind, or of a form that identifiers of the inventory have.
func (q *query) identifiers(r *reading) []string {
	ids := lists.Map(identifier.Find(r.t.Plain), func(id identifier.Identifier) string { return id.Text })
	tokens := strings.Fields(r.t.Plain)
	for _, tok := range tokens[:min(len(tokens), maxContent)] {
		tok = strings.Trim(tok, ".,;:!?()[]\"'“”")
		if shape := shapeOf(tok); shape != "" &&
			(q.inventory.shapes[shape] || q.identifier && strings.Trim(shape, "9.,") != "") {
			ids = append(ids, tok)
		}
	}
	return ids
}

// given reports whether the question or a passage holds the identifier.
func (q *query) given(id string) bool {
	if strings.Contains(q.question, id) {
		return true
	}
	return slices.ContainsFunc(q.raw, func(p evidence.Passage) bool {
		return strings.Contains(p.Text, id) || strings.EqualFold(p.ID, id)
	})
}

// owned is the one identifier of the inventory that belongs to what the question names; "" if there is none, or
// several.
func (q *query) owned() string {
	if !q.identifier {
		return ""
	}
	found := ""
	lower := strings.ToLower(q.question)
	for i := range q.inventory.Identifiers {
		id := &q.inventory.Identifiers[i]
		of := evidence.Phrase(id.Of)
		if len(of) == 0 || len(q.text.Find(of)) == 0 {
			continue
		}
		if known := strings.ToLower(id.Kind); known != "" && !strings.Contains(lower, known) &&
			idPattern.FindString(lower) != whichNumber {
			continue
		}
		if found != "" && found != id.ID {
			return ""
		}
		found = id.ID
	}
	return found
}
