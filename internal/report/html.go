package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed style.css
var style string

//go:embed script.js
var script string

var pageTmpl = template.Must(template.New("page").Funcs(template.FuncMap{
	"hatch":   func() template.HTML { return hatch },
	"seal":    func() template.HTML { return seal },
	"grouped": grouped,
	"plural":  plural,
}).Parse(pageTemplate))

// A page is what the HTML template shows.
type page struct {
	Policy, Title, Heading string
	CSS                    template.CSS
	JS                     template.JS
	Overview, NoAccuracy   bool
	Scale                  scale
	Sections               []*pageSection
	Grid                   *gridView
	Phase                  *phaseView
	Across                 []acrossView
	Studies                []studiesRow
	Notes                  []string
	Provenance             []term
	How                    []string
}

type term struct {
	Label, Text string
	Mono        bool
}

type pageSection struct {
	*section
	Rubric        *rubricPage
	Consistency   *consistencyPage
	Designed      []designedPage
	Recovered     string
	Joint         *jointPage
	Contents      []link
	UnscoredShown []assay.Unscored
	UnscoredMore  string
	Cases         []caseView
	CasesLede     string
	Selects       []selectView
}

type rubricPage struct {
	*rubricView
	KindBar template.HTML
}

type consistencyPage struct {
	*consistencyView
	Levels, TaxonomyBar, Histogram template.HTML
}

// Halves are the further figures in two columns.
func (c *consistencyPage) Halves() [][]fig {
	half := (len(c.More) + 1) / 2
	return [][]fig{c.More[:half], c.More[half:]}
}

type jointPage struct {
	*jointView
	Splits []splitPage
}

type splitPage struct {
	splitRow
	Bar template.HTML
}

type designedPage struct {
	designedRow
	Bar template.HTML
}

type link struct{ ID, Label string }

type selectView struct {
	Label, Name string
	Options     []option
}

type option struct{ Value, Label string }

// Bounds on the size of a page: what the cases that show their answers may take together, how many cases are shown at all,
// and the rows of the unscored list.
const (
	maxCaseBytes = 6 << 20
	maxCases     = 4000

	// Several models or suites on one page: what all may take, what one takes without its cases, and the least that is left for cases.
	manyBytes, sectionBytes, leastBytes = 7 << 19, 380 << 10, 1 << 20
	maxUnscored                         = 300
)

// HTML writes the report as one file that needs nothing else: no network, no script for reading. Every text that came from a
// model or a suite is escaped, made visible and cut, and the page's security policy admits nothing but its own style and
// script. The same assay gives the same bytes. Each text is cut at 2,000 characters; where the cases would still take more
// than about 6 MB, at fewer, and then cases lose their answers, and beyond 4,000 their place, those that passed and were
// stable first. Several models or suites
// share some 4 MB, up to seven or so of them: what failed or moved in each is shown before the rest. The page says what was cut.
func HTML(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	p := &page{
		Title: title(v), Notes: v.Notes, Grid: v.Grid, Phase: v.Phase, Across: v.Across, CSS: template.CSS(style), JS: template.JS(script),
		Overview: len(v.Sections) > 1, Provenance: provenance(v), How: how(v),
	}
	p.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(style), hashOf(script))
	p.Heading = fmt.Sprintf("%s on %s", count(len(v.Doc.Models), "model"), count(len(v.Doc.Run.Suites), "suite"))
	if rows := studiesOf(v.Sections); len(rows) > 1 {
		p.Studies = rows
	}
	limit, depths := plan(v)
	var hs []fig
	at := 0
	for _, s := range v.Sections {
		hs = append(hs, s.Wrong)
		p.NoAccuracy = p.NoAccuracy || s.StabilityOnly()
		p.Sections = append(p.Sections, newPageSection(s, limit, depths[at:at+s.Rows.Len()]))
		at += s.Rows.Len()
	}
	p.Scale = scaleFor(hs...)
	var out bytes.Buffer
	if err := pageTmpl.Execute(&out, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func title(v *view) string {
	if len(v.Sections) == 1 {
		return fmt.Sprintf("%s on %s – Hallmark", v.Sections[0].Model, v.Sections[0].Suite)
	}
	return fmt.Sprintf("Run %s – Hallmark", oneLine(v.Doc.Run.ID))
}

func newPageSection(s *section, limit int, depths []depth) *pageSection {
	p := &pageSection{section: s, UnscoredShown: s.Unscored}
	if len(s.Unscored) > maxUnscored {
		p.UnscoredShown = s.Unscored[:maxUnscored]
		p.UnscoredMore = fmt.Sprintf("The first %d of %s; the rest are in the JSON document.", maxUnscored, grouped(len(s.Unscored)))
	}
	if r := s.Rubric; r != nil {
		p.Rubric = &rubricPage{rubricView: r}
		if s.H.OK {
			p.Rubric.KindBar = kindBar(r)
		}
	}
	if c := s.Consistency; c != nil {
		p.Consistency = &consistencyPage{consistencyView: c, Levels: levels(s.SS, s.Accuracy), Histogram: histogram(c.bins)}
		if len(c.Taxonomy.Figs) == 3 && !s.Stays.Ranged {
			p.Consistency.TaxonomyBar = taxonomyBar(c)
		}
	}
	if j := s.Joint; j != nil {
		p.Joint = &jointPage{jointView: j}
		for _, x := range j.Splits {
			row := splitPage{splitRow: x}
			if x.Stay.OK {
				row.Bar = bar(10, fmt.Sprintf("%s stay, %s move", x.Stay.Text(), x.Move.Text()), part{x.Stay.Value, "err", ""}, part{x.Move.Value, "rnd", ""})
			}
			p.Joint.Splits = append(p.Joint.Splits, row)
		}
	}
	p.Recovered = recovered(s.Designed)
	for _, d := range s.Designed {
		n := math.Max(1, d.N.Value)
		p.Designed = append(p.Designed, designedPage{d, bar(10,
			fmt.Sprintf("%s right, %s stable errors, %s random", d.Factual.Text(), d.Error.Text(), d.Randomness.Text()),
			part{d.Factual.Value / n, "ok", ""}, part{d.Error.Value / n, "err", ""}, part{d.Randomness.Value / n, "rnd", ""})})
	}
	answersLeft := false
	for i := range s.Rows.Len() {
		if depths[i] == nothing {
			continue
		}
		c := newCase(s.Rows.At(i), limit, depths[i] == whole)
		c.Anchor = "c" + strconv.Itoa(s.Index) + "-" + strconv.Itoa(i)
		p.Cases = append(p.Cases, c)
		answersLeft = answersLeft || depths[i] != whole
	}
	p.CasesLede = fmt.Sprintf("%s, each with its prompts, answers and the reason of every verdict. A text is cut here at %s characters.", count(s.Rows.Len(), "case"), grouped(limit))
	if n := s.Rows.Len() - len(p.Cases); n > 0 {
		p.CasesLede += fmt.Sprintf(" To bound the size of this page %s are left out, those that passed and were stable first; all are in hallmark report --format csv, and hallmark show RUN CASE prints any.", count(n, "case"))
	}
	if answersLeft {
		p.CasesLede += " The answers of some cases are left out too; hallmark show RUN CASE prints any case whole."
	}
	p.Selects = selects(p.Cases)
	p.Contents = contents(p)
	return p
}

func kindBar(r *rubricView) template.HTML {
	rest := math.Max(0, 1-r.kinds[0]-r.kinds[1]-r.kinds[2])
	label := fmt.Sprintf("of all questions, %s commission, %s over-refusal, %s undecided, the rest passed", r.Kinds.Figs[0].Text(), r.Kinds.Figs[1].Text(), r.Kinds.Figs[2].Text())
	return bar(16, label, part{r.kinds[0], "err", ""}, part{r.kinds[1], "dec", ""}, part{r.kinds[2], "rnd", ""}, part{rest, "no", ""}) +
		legend(part{1, "err", "commission"}, part{1, "dec", "over-refusal"}, part{1, "rnd", "undecided"}, part{1, "no", "passed"})
}

func taxonomyBar(c *consistencyView) template.HTML {
	factual, wrong, random := c.Taxonomy.Figs[0], c.Taxonomy.Figs[1], c.Taxonomy.Figs[2]
	declined := 0.
	if c.Declined.OK {
		declined = wrong.Value * c.Declined.Value
	}
	parts := []part{{factual.Value, "ok", "right, stable"}, {wrong.Value - declined, "err", "wrong, stable"}}
	if declined > 0 {
		parts = append(parts, part{declined, "dec", "wrong, stable: declines"})
	}
	parts = append(parts, part{random.Value, "rnd", "random"})
	return bar(24, fmt.Sprintf("%s right and stable, %s wrong and stable, %s random", factual.Text(), wrong.Text(), random.Text()), parts...) + legend(parts...)
}

func legend(parts ...part) template.HTML {
	var b strings.Builder
	b.WriteString(`<ul class="legend" aria-hidden="true">`)
	for _, p := range parts {
		fmt.Fprintf(&b, `<li><svg class="sw"><rect class="f-%s"/></svg>%s</li>`, p.Fill, template.HTMLEscapeString(p.Label))
	}
	b.WriteString(`</ul>`)
	return template.HTML(b.String())
}

func contents(p *pageSection) []link {
	var out []link
	add := func(ok bool, name, label string) {
		if ok {
			out = append(out, link{fmt.Sprintf("%s-%d", name, p.Index), label})
		}
	}
	add(len(p.Findings) > 0, "findings", "Findings")
	add(p.Rubric != nil, "correct", "Correctness")
	add(p.Consistency != nil, "consist", "Consistency")
	add(p.Families != nil, "families", "What moves it")
	add(p.Sampled != nil, "sampled", "Sampled")
	add(p.Detection != nil, "detect", "Detectors")
	add(p.Posterior != nil, "posterior", "Posterior rate")
	add(len(p.Classes) > 0, "classes", "Classes")
	add(len(p.Confusion) > 0, "confusion", "Confusion map")
	for _, v := range p.Plain {
		add(true, v.ID, v.Name)
	}
	add(p.Audit != nil, "audit", "Audit")
	add(p.Joint != nil, "joint", "Both axes")
	add(len(p.Designed) > 0, "designed", "Designed")
	add(true, "unscored", "Unscored")
	add(true, "cases", "Cases")
	return append(out, link{"provenance", "Provenance"})
}

// selects returns the filters over the cases: those that have more than one value to choose from.
func selects(cases []caseView) []selectView {
	values := map[string]map[string]bool{}
	put := func(name, value string) {
		if value == "" {
			return
		}
		if values[name] == nil {
			values[name] = map[string]bool{}
		}
		values[name][value] = true
	}
	for i := range cases {
		c := &cases[i]
		put("verdict", c.State)
		for _, axis := range c.Failed {
			put("verdict", axis)
		}
		put("kind", c.KindSlug)
		put("category", c.Category)
		put("class", c.Class)
		for _, tag := range c.Tags {
			put("tag", tag)
		}
	}
	var out []selectView
	for _, s := range []selectView{{Label: "verdict", Name: "verdict"}, {Label: "kind of failure", Name: "kind"}, {Label: "stability", Name: "category"}, {Label: "class", Name: "class"}, {Label: "tag", Name: "tag"}} {
		var names []string
		for name := range values[s.Name] {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			s.Options = append(s.Options, option{name, filterLabel(s.Name, name)})
		}
		if len(s.Options) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func filterLabel(filter, value string) string {
	if word, ok := categories[value]; ok && filter == "category" {
		return word
	}
	switch value {
	case "truth", "decidability", "reciprocity", "format":
		if filter == "verdict" {
			return "fails " + value
		}
	}
	return clip(value, 60)
}
