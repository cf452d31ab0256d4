package suite

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
)

// oracles says which fields each type of oracle reads.
var oracles = map[string][]string{
	"exact":         {"accept", "reject"},
	"choice":        {"accept"},
	"numeric":       {"value", "tolerance", "unit"},
	"calc":          {"expression", "value", "tolerance", "unit", "steps"},
	"program":       {"expression", "module", "code", "accept"},
	"proof":         {"steps", "parts", "ordered", "accept", "reject"},
	"retrieval":     {"accept", "reject", "lines", "trap"},
	"identifier":    {"accept", "reject", "kind"},
	"temporal":      {"holders", "at", "valid_through", "accept", "reject"},
	"refusal":       {"accept", "reject", "repair"},
	"clarification": {"readings", "accept", "reject"},
	"judge":         {"criteria", "accept", "reject", "readings", "repair"},
	"all":           {"of"},
	"any":           {"of"},
}

// OracleTypes are the types an oracle may have, in the order of the alphabet.
var OracleTypes = slices.Sorted(maps.Keys(oracles))

func (c *Case) oracleFault() (key, text string) {
	if c.Oracle == nil {
		return "", ""
	}
	all, pairs, parts := 0, 0, 0
	for o := range c.Oracle.All() {
		parts++
		all += o.accepted()
		pairs += (len(o.Accept) + len(c.Aliases) + len(c.Gold.Texts) + len(c.Gold.All)) * len(o.Reject)
	}
	switch {
	case parts > maxTexts:
		return "oracle", tooMany("oracles in one another", parts, compared)
	case all > maxAll:
		return "oracle", fmt.Sprintf("%d accepted texts in all, at most %d are read; leave out what no answer gives",
			all, maxAll)
	case pairs > maxPairs:
		return "oracle", fmt.Sprintf("its accepted texts and aliases make %d pairs with its rejected ones, at "+
			"most %d are read; leave out what no answer gives", pairs, maxPairs)
	}
	for o := range c.Oracle.All() {
		if text := c.faultOf(o); text != "" {
			return "oracle", text
		}
	}
	return "oracle", ""
}

// accepted counts the texts that an oracle, without its parts, takes for right.
func (o *Oracle) accepted() int {
	n := len(o.Accept)
	for _, phrasings := range o.Parts {
		n += len(phrasings)
	}
	for _, h := range o.Holders {
		n += 1 + len(h.Also)
	}
	return n
}

// faultOf returns the first fault of an oracle of the case, without its parts.
func (c *Case) faultOf(o *Oracle) string {
	for _, fault := range []func(*Oracle) string{
		(*Oracle).fieldsFault, (*Oracle).textsFault, c.namesFault, c.valuesFault, (*Oracle).datesFault,
		(*Oracle).codeFault, c.lacks,
	} {
		if text := fault(o); text != "" {
			return text
		}
	}
	return ""
}

// fieldsFault checks the type of an oracle, and that the type reads the fields that are given.
func (o *Oracle) fieldsFault() string {
	reads, ok := oracles[o.Type]
	if !ok {
		if o.Type == "" {
			return "the oracle has no type; known are " + strings.Join(OracleTypes, ", ")
		}
		return fmt.Sprintf("unknown oracle type %q; %s", o.Type, strictyaml.Suggest(o.Type, OracleTypes))
	}
	var given []string
	for f, v := range reflect.ValueOf(o).Elem().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "type" && !v.IsZero() {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	for _, field := range given {
		if !slices.Contains(reads, field) {
			return fmt.Sprintf("an oracle of type %s does not read %s; it reads %s", o.Type, field,
				strings.Join(reads, ", "))
		}
	}
	return ""
}

// textsFault checks the lists of an oracle.
func (o *Oracle) textsFault() string {
	if n := max(len(o.Parts), len(o.Holders)); n > maxTexts {
		return tooMany(fmt.Sprintf("parts or holders of the oracle of type %s", o.Type), n, compared)
	}
	for _, texts := range slices.Concat([][]string{o.Accept, o.Reject, o.Steps, o.Lines, o.Distractors, o.Readings,
		o.Repair}, o.Parts) {
		if n := len(texts); n > maxTexts {
			return tooMany(fmt.Sprintf("texts in a list of the oracle of type %s", o.Type), n, compared)
		}
		if slices.ContainsFunc(texts, isBlank) {
			return fmt.Sprintf("an empty text in the oracle of type %s", o.Type)
		}
	}
	return ""
}

// namesFault checks what an oracle rejects and the passages that it names against the case.
func (c *Case) namesFault(o *Oracle) string {
	for _, t := range o.Reject {
		if slices.Contains(o.Accept, t) || slices.Contains(c.Gold.Texts, t) || slices.Contains(c.Gold.All, t) {
			return fmt.Sprintf("%q is both accepted and rejected; drop it from one of the two", t)
		}
	}
	for _, id := range slices.Concat(o.Lines, o.Distractors) {
		if !slices.ContainsFunc(c.Context, func(p evidence.Passage) bool { return p.ID == id }) {
			return fmt.Sprintf("the oracle names passage %q, which is not in the context", id)
		}
	}
	return ""
}

// valuesFault checks the numbers and the kind of an oracle.
func (c *Case) valuesFault(o *Oracle) string {
	for _, n := range []struct{ name, text string }{{"value", o.Value}, {"tolerance", o.Tolerance}} {
		v, ok := ratOf(n.text)
		switch {
		case n.text == "":
		case !ok:
			return fmt.Sprintf("oracle.%s %q is no number; want a decimal or a fraction", n.name, n.text)
		case n.name == "tolerance" && v.Sign() < 0:
			return fmt.Sprintf("oracle.tolerance %q is below 0", n.text)
		}
	}
	if o.Tolerance != "" && c.Gold.isNumber() {
		return fmt.Sprintf("oracle.tolerance %q beside a gold that has bounds of its own, %s; keep one", o.Tolerance,
			c.Gold)
	}
	if o.Kind != "" && !slices.Contains(IdentifierKinds, o.Kind) {
		return fmt.Sprintf("unknown kind of identifier %q; %s", o.Kind, strictyaml.Suggest(o.Kind, IdentifierKinds))
	}
	return ""
}

// datesFault checks the dates of a temporal oracle.
func (o *Oracle) datesFault() string {
	for _, d := range []struct{ key, text string }{{"at", o.At}, {"valid_through", o.ValidThrough}} {
		if d.text != "" && !isDate(d.text) {
			return fmt.Sprintf("oracle.%s %q is no date; want 2026, 2026-11 or 2026-11-20", d.key, d.text)
		}
	}
	for i, h := range o.Holders {
		switch {
		case isBlank(h.Value) || slices.ContainsFunc(h.Also, isBlank):
			return fmt.Sprintf("holder %d has no value, or an empty other name", i+1)
		case h.From != "" && !isDate(h.From), h.Through != "" && !isDate(h.Through):
			return fmt.Sprintf("holder %q: from %q or through %q is no date; want 2026, 2026-11 or 2026-11-20",
				h.Value, h.From, h.Through)
		case h.From != "" && h.Through != "" && h.Through < h.From[:min(len(h.From), len(h.Through))]:
			return fmt.Sprintf("holder %q: through %s lies before from %s", h.Value, h.Through, h.From)
		}
	}
	return ""
}

func (o *Oracle) codeFault() string {
	if _, err := base64.StdEncoding.DecodeString(o.Code); err != nil {
		return fmt.Sprintf("the oracle's code is no base64: %v", err)
	}
	return ""
}

// isDate reports whether s is a date as 2026, 2026-11 or 2026-11-20.
func isDate(s string) bool {
	if n := len(s); n != 4 && n != 7 && n != 10 {
		return false
	}
	_, err := time.Parse(time.DateOnly[:len(s)], s)
	_, ok := quantity.ParseDate(s)
	return err == nil && ok
}

// lacks says what an oracle needs and does not have.
func (c *Case) lacks(o *Oracle) string {
	const gold = ", or a gold or decline of the case"
	noAnswer := len(o.Accept) == 0 && c.Gold.IsZero()
	wrong := noAnswer && !c.Decline
	noGold := o.Value == "" && c.Gold.IsZero()
	stray := ""
	for _, t := range o.Accept {
		if _, ok := indexOf(c.Options, t); !ok {
			stray = t
		}
	}
	for _, n := range []struct {
		oracle, need string
		missing      bool
	}{
		{"temporal", "holders or accept" + gold, len(o.Holders) == 0 && wrong},
		{"temporal", "holders or accept, or a gold of the case, for a date",
			len(o.Holders) == 0 && noAnswer && o.At+o.ValidThrough != ""},
		{"program", "expression or module, one of the two", (o.Expression != "") == (o.Module+o.Code != "")},
		{"program", fmt.Sprintf("the content of module %q; read the suite from its file, or give code", o.Module),
			o.Module != "" && o.Code == ""},
		{"proof", "steps or parts, one of the two, and a wording for each part",
			(len(o.Steps) > 0) == (len(o.Parts) > 0) || slices.ContainsFunc(o.Parts, func(p []string) bool {
				return len(p) == 0
			})},
		{"proof", "accept, or a gold of the case, where it rejects answers", len(o.Reject) > 0 && noAnswer},
		{"exact", "accept" + gold, wrong},
		{"identifier", "accept" + gold, wrong},
		{"choice", fmt.Sprintf("accepted texts that are options; %q is none", stray), stray != ""},
		{"choice", "options of the case", len(c.Options) == 0},
		{"choice", "a gold of the case", wrong},
		{"numeric", "value, or a gold of the case", noGold},
		{"calc", "expression or value, or a gold of the case", noGold && o.Expression == ""},
		{"retrieval", "lines or accept" + gold, len(o.Lines) == 0 && wrong},
		{"retrieval", "a context of the case", len(c.Context) == 0},
		{"judge", "criteria or accept, or a gold of the case, to compare with", o.Criteria == "" && noAnswer},
		{"clarification", "readings, the answer under each reading of the question", len(o.Readings) == 0},
		{"all", "of, the list of its parts", len(o.Of) == 0},
		{"any", "of, the list of its parts", len(o.Of) == 0},
	} {
		if n.oracle == o.Type && n.missing {
			return fmt.Sprintf("an oracle of type %s needs %s", o.Type, n.need)
		}
	}
	return ""
}

// ratOf reads a decimal or a fraction of bounded size.
func ratOf(s string) (*big.Rat, bool) {
	if i := strings.IndexAny(s, "eE"); len(s) > 400 || i >= 0 && len(s)-i > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}
