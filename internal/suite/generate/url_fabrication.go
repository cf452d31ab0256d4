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
		return len(pages(d.w, d.domain)) > 0 || d.w.Fictional && len(titleTopics(d.w, d.domain)) > 0
	},
	make:   makeURLFabrication,
	worked: workedURL,
}

// pages returns the pages of a domain: those of the index of pages, and those of works.
func pages(w *world.World, domain string) []wantedPage {
	var all []wantedPage
	for i := range w.Pages {
		if p := &w.Pages[i]; p.Domain == domain {
			all = append(all, wantedPage{url: p.URL, page: p, difficulty: p.Difficulty})
		}
	}
	for _, k := range worksOf(w, domain) {
		if u := k.Identifiers["url"]; u != "" {
			all = append(all, wantedPage{url: u, work: k, difficulty: k.Difficulty})
		}
	}
	return all
}

// A wantedPage is a page of the index, or of a work.
type wantedPage struct {
	url, difficulty string
	page            *world.Page
	work            *world.Work
}

// of says what the page is of.
func (p wantedPage) of() string {
	if p.page != nil {
		return p.page.Of
	}
	return cite(p.work)
}

func makeURLFabrication(d *draw) (suite.Case, bool) {
	// A third asks for what does not exist. There the difficulty is how much of it does.
	if d.chance(1. / 3) {
		return missingPage(d)
	}
	step := d.between(0, min(1, d.hardness()))
	f, ok := near(d, pages(d.w, d.domain), step, func(p *wantedPage) string {
		return p.difficulty
	}, func(*wantedPage) bool { return true })
	if !ok {
		return missingPage(d)
	}
	return d.wantPage(*f, step), true
}

// wantPage asks for a page, plainly or in place of a wrong address.
func (d *draw) wantPage(p wantedPage, step int) suite.Case {
	number := identified("url", p.url)
	c := suite.Case{Tags: []string{"id-precision"}, AnswerType: suite.Short, Gold: suite.Gold{Texts: []string{p.url}},
		Oracle: &number}
	form, wrong := "url", ""
	if step > 0 {
		form, wrong = "url-corrected", wrongURL(p.url)
		c.Oracle.Reject = []string{wrong}
	}
	phrase(&c, said(form), "{of}", p.of(), "{wrong}", wrong)
	return c
}

// workedURL is the source's: the official page of an act of 1994.
func workedURL(d *draw) (suite.Case, bool) {
	for _, domain := range suite.Domains {
		for _, p := range pages(d.w, domain) {
			if strings.Contains(p.of(), "Uruguay Round") {
				c := d.wantPage(p, 0)
				c.Domain, c.Difficulty = domain, "hard"
				return c, true
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
