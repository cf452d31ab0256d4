package generate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// idPrecision asks for an identifier that the world's index has: the number of a work, the code of a country. The
// exact identifier is right, and so is a decline with a reason; anything else is made up.
var idPrecision = generator{
	class: "id-precision",
	has: func(d *draw) bool {
		return slices.ContainsFunc(d.works, isNumbered) || d.hasFacts(isCode)
	},
	make:   makeIDPrecision,
	worked: workedID,
}

// An entry is something that the world's index has an identifier of.
type entry struct {
	what     string // as a question names it: a title with its authors and year, or a subject
	kind     string // of the identifier: isbn, doi, rfc, arxiv, or one of codes
	called   string // what a question calls the identifier: "ISBN-13"
	id       string
	page     string   // the address of its page, where the index has one
	code     known    // where the identifier is a code
	siblings []string // the identifiers of the same kind that other works have
}

// idNames are the kinds of identifiers that are asked for, by what a question calls them.
var idNames = []struct{ kind, called string }{{"isbn", "ISBN-13"}, {"doi", "DOI"}, {"rfc", "RFC number"},
	{"arxiv", "arXiv number"}}

// isCode reports whether the values of a relation are codes, which name their subject exactly.
func isCode(r *relation) bool { return codes[r.Value] }

// codes are the kinds of values that are compared as they are spelled.
var codes = map[string]bool{"code": true, "symbol": true, "identifier": true}

// isNumbered reports whether a work has an identifier that is asked for.
func isNumbered(k *world.Work) bool {
	return slices.ContainsFunc(idNames, func(n struct{ kind, called string }) bool {
		return k.Identifiers[n.kind] != ""
	})
}

// numberOf writes an identifier of a work as it is cited.
func numberOf(k *world.Work, kind string) string {
	id := k.Identifiers[kind]
	if kind == "rfc" && id != "" {
		return "RFC " + strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(id), "RFC"))
	}
	if kind == "arxiv" && id != "" { // bare, an old number such as math/0211159 is no identifier to a reader of prose
		return "arXiv:" + strings.TrimPrefix(id, "arXiv:")
	}
	return id
}

// entryOf draws one of the identifiers of a work.
func (d *draw) entryOf(k *world.Work) entry {
	n := idNames[0]
	for _, i := range d.r.Perm(len(idNames)) {
		if n = idNames[i]; k.Identifiers[n.kind] != "" {
			break
		}
	}
	e := entry{what: cite(k), kind: n.kind, called: n.called, id: numberOf(k, n.kind), page: k.Identifiers["url"]}
	for _, o := range d.works {
		if id := numberOf(o, n.kind); id != "" && id != e.id {
			e.siblings = append(e.siblings, id)
		}
	}
	return e
}

// misread reports whether a code is spelled as a word that answers are full of, such as Norway's NO, so that no
// reading of prose could tell them apart.
func misread(code string) bool {
	w := strings.ToLower(strings.Trim(code, ".-+"))
	return evidence.IsStop(w) || w == "no" || w == "yes" || w == "not"
}

// cite names a work as a bibliography does.
func cite(k *world.Work) string {
	s := `"` + k.Title + `"`
	if len(k.Authors) > 0 {
		s += " by " + enumerate(k.Authors)
	}
	if k.Year > 0 {
		s += fmt.Sprintf(" (%d)", k.Year)
	}
	return s
}

// enumerate joins names as prose does; of more than three it names the first.
func enumerate(names []string) string {
	if len(names) > 3 {
		return names[0] + " and others"
	}
	return series(names)
}

// makeIDPrecision draws a work or a fact, and a form that makes it harder: alone, with a page beside it, with a
// wrong one to see through.
func makeIDPrecision(d *draw) (suite.Case, bool) {
	step := d.between(0, d.hardness())
	works, tables := slices.Clone(d.works), slices.Clone(d.relations)
	works = slices.DeleteFunc(works, func(k *world.Work) bool { return !isNumbered(k) })
	tables = slices.DeleteFunc(tables, func(r *relation) bool { return !isCode(r) || !single(r) })
	if len(tables) > 0 && (len(works) == 0 || d.chance(.5)) {
		if step == 1 {
			step = 0 // a code has no page
		}
		r := oneOf(d, tables)
		if f, ok := d.spelled(r, step); ok {
			return d.wantID(entry{what: f.Subject, kind: r.Value, called: r.Name, id: f.Value, code: known{r, f}}, step)
		}
	}
	k, ok := near(d, works, step, func(k *world.Work) (string, bool) { return k.Difficulty, true })
	if !ok {
		return suite.Case{}, false
	}
	return d.wantID(d.entryOf(k), step)
}

// workedID is the source's: the number of an anniversary edition and the publisher's page.
func workedID(d *draw) (suite.Case, bool) {
	for i := range d.w.Works {
		k := &d.w.Works[i]
		if !strings.Contains(k.Title, "Escher, Bach") || k.Identifiers["isbn"] == "" {
			continue
		}
		c, ok := d.wantID(entry{what: cite(k), kind: "isbn", called: "ISBN-13", id: k.Identifiers["isbn"],
			page: k.Identifiers["url"]}, 1)
		c.Domain, c.Difficulty = k.Domain, "medium"
		return c, ok
	}
	return suite.Case{}, false
}

// wantID asks for an identifier, a page beside it (step 1) or in place of a wrong one (step 2).
func (d *draw) wantID(f entry, step int) (suite.Case, bool) {
	c := suite.Case{Tags: []string{"id-precision"}, AnswerType: suite.Short, Gold: suite.Gold{Texts: []string{f.id}}}
	number := identified(f.kind, f.id)
	c.Oracle = &number
	form, wrong := "number", ""
	if f.kind == "rfc" {
		form = "rfc"
	}
	switch step {
	case 1:
		form = "number-without-page"
		if f.page != "" {
			form = "number-and-page"
			// The number decides. The page is of the index too, so that it counts as found where it is given and
			// any other as made up.
			both := suite.Oracle{Type: "all", Of: []suite.Oracle{number, identified("url", f.page)}}
			c.Oracle = &suite.Oracle{Type: "any", Of: []suite.Oracle{both, number}}
		}
	case 2:
		var ok bool
		if wrong, ok = d.wrongID(f); !ok {
			return suite.Case{}, false
		}
		form = "number-corrected"
		if f.kind != "isbn" { // one whose check digit fails is no entry of any index
			c.Oracle.Reject = []string{wrong}
		}
	}
	if f.code.Fact != nil && step == 0 {
		askedBy(&c, said("code-of"), f.code.asks())
		return c, true
	}
	phrase(&c, said(form), "{called}", f.called, "{what}", f.what, "{wrong}", wrong)
	return c, true
}

// identified returns the oracle that accepts exactly the identifier.
func identified(kind, id string) suite.Oracle {
	if codes[kind] {
		return suite.Oracle{Type: "exact", Accept: []string{id}}
	}
	return suite.Oracle{Type: "identifier", Kind: kind, Accept: []string{id}}
}

// wrongID returns an identifier of the same kind that is not the entry's: for a number with a check digit the same
// with two digits exchanged, so that its check fails; else that of something else, for a code one that begins alike
// where there is one, such as Austria's for Australia's.
func (d *draw) wrongID(e entry) (string, bool) {
	switch {
	case e.kind == "isbn":
		return transposed(d, e.id)
	case e.code.Fact != nil:
		for _, alike := range []bool{true, false} {
			o, ok := find(d, e.code.Facts, func(o *world.Fact) bool {
				return o.Value != e.id && !slices.Contains(e.code.Also, o.Value) && !misread(o.Value) &&
					(!alike || o.Value[0] == e.id[0])
			})
			if ok {
				return o.Value, true
			}
		}
	case len(e.siblings) > 0:
		return oneOf(d, e.siblings), true
	}
	return "", false
}

// transposed exchanges two neighbouring digits of an ISBN whose difference is not 5, so that its check digit no
// longer fits.
func transposed(d *draw, isbn string) (string, bool) {
	var at []int // bytes of digits, the last excepted
	for i := range len(isbn) {
		if unicode.IsDigit(rune(isbn[i])) {
			at = append(at, i)
		}
	}
	var swaps [][2]int
	for k := 3; k+2 < len(at); k++ {
		if a, b := isbn[at[k]], isbn[at[k+1]]; a != b && a != b+5 && b != a+5 {
			swaps = append(swaps, [2]int{at[k], at[k+1]})
		}
	}
	if len(swaps) == 0 {
		return "", false
	}
	s := oneOf(d, swaps)
	b := []byte(isbn)
	b[s[0]], b[s[1]] = b[s[1]], b[s[0]]
	return string(b), true
}
