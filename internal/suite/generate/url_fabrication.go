package generate

import (
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// urlFabrication asks for the address of an official page. Where the world's index has it, exactly that address is
// right; where it has none, as the thing does not exist, saying so is. An address that the index does not have
// counts as made up.
var urlFabrication = generator{
	class: "url-fabrication",
	// A world of fiction has no pages, and nothing of it has one.
	has: func(d *draw) bool {
		return len(d.pages) > 0 || d.w.Fictional && len(d.topics) > 0
	},
	make:   makeURLFabrication,
	worked: workedURL,
}

// A wantedPage is a page of the index, or of a work.
type wantedPage struct {
	url, of, difficulty string
}

// pagesOf are the pages of a world in a domain: those of its index of pages, and those of works.
func pagesOf(w *world.World, domain string) (all []*wantedPage) {
	for _, p := range w.Pages {
		if p.Domain == domain {
			all = append(all, &wantedPage{p.URL, p.Of, p.Difficulty})
		}
	}
	for i := range w.Works {
		if k := &w.Works[i]; k.Domain == domain && k.Identifiers["url"] != "" {
			all = append(all, &wantedPage{k.Identifiers["url"], cite(k), k.Difficulty})
		}
	}
	return all
}

func makeURLFabrication(d *draw) (suite.Case, bool) {
	// A third asks for what does not exist. There the difficulty is how much of it does.
	if d.chance(1. / 3) {
		return missingPage(d)
	}
	step := d.between(0, min(1, d.hardness()))
	p, ok := near(d, d.pages, step, func(p *wantedPage) (string, bool) { return p.difficulty, true })
	if !ok {
		return missingPage(d)
	}
	return d.wantPage(p, step), true
}

// wantPage asks for a page, plainly or in place of a wrong address.
func (d *draw) wantPage(p *wantedPage, step int) suite.Case {
	number := identified("url", p.url)
	c := suite.Case{Tags: []string{"id-precision"}, AnswerType: suite.Short, Gold: suite.Gold{Texts: []string{p.url}},
		Oracle: &number}
	form, wrong := "url", ""
	if step > 0 {
		form, wrong = "url-corrected", wrongURL(p.url)
		c.Oracle.Reject = []string{wrong}
	}
	phrase(&c, said(form), "{of}", p.of, "{wrong}", wrong)
	return c
}

// workedURL is the source's: the official page of an act of 1994.
func workedURL(d *draw) (suite.Case, bool) {
	for _, domain := range suite.Domains {
		for _, p := range d.ix.fields[domain].pages {
			if strings.Contains(p.of, "Uruguay Round") {
				return placed(d.wantPage(p, 0), domain, "hard")
			}
		}
	}
	return suite.Case{}, false
}

// missingPage asks for the page of something that does not exist.
func missingPage(d *draw) (suite.Case, bool) {
	what, ok := nonexistent(d)
	if !ok {
		return suite.Case{}, false
	}
	c := suite.Case{Tags: []string{"id-precision", "nonexistent-citation"}, AnswerType: suite.Short, Decline: true,
		Oracle: &suite.Oracle{Type: "refusal", Accept: what.accept}}
	phrase(&c, said("url"), "{of}", what.cited)
	return c, true
}

// wrongURL returns an address on the same host that is not the page.
func wrongURL(url string) string {
	url = strings.TrimSuffix(url, "/")
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "https", url
	}
	host, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.TrimSuffix(scheme+"://"+host+"/official-page/old/"+path, "/")
}
