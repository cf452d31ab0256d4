package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"strings"
	"sync"

	"hallmark/internal/assay"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed blocks.tmpl
var blocksTemplate string

//go:embed style.css
var style string

//go:embed script.js
var script string

var pageTmpl = sync.OnceValue(func() *template.Template {
	blocks := template.Must(template.New("page").Funcs(blockFuncs()).Parse(blocksTemplate))
	return template.Must(blocks.Parse(pageTemplate))
})

// A page is what the HTML template shows.
type page struct {
	Title   string  // of the window
	Kind    string  // what it is, beside the name of the project
	Heading string  // "" where an article has it
	First   []block // before the heading
	Blocks  []block

	Provenance []term
	How        []string // how to read it
}

type term struct {
	Label, Text string
	Mono        bool
}

// HTML writes the report as one file that needs nothing else: no network, no script for reading. Every text that came
// from a model or a suite is escaped, made visible and cut, and the page's security policy admits nothing but its own
// style and script. The same assay gives the same bytes. Each text is cut at 2,000 characters; where the cases would
// still take more than about 6 MB, at fewer, and then cases lose their answers, and beyond 4,000 their place, those
// that passed and were stable first. Several models or suites share some 4 MB, up to seven or so of them: what failed
// or moved in each is shown before the rest. The page says what was cut.
func HTML(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	p := page{Title: title(v), Kind: "report of assay", How: how(v), Provenance: provenance(v),
		First: partials(v.Doc.Incomplete)}
	if len(v.Sections) > 1 {
		p.Heading = fmt.Sprintf("%s on %s", count(len(v.Doc.Models), "model"), count(len(v.Doc.Run.Suites), "suite"))
	}
	var bare bytes.Buffer // without its cases, to know what room there is for these
	p.Blocks = v.blocks(func(*section) block { return nil })
	if err := p.write(&bare); err != nil {
		return err
	}
	limit, depths := plan(v, bare.Len())
	p.Blocks = v.blocks(func(s *section) block {
		own := depths[:s.Rows.Len()]
		depths = depths[s.Rows.Len():]
		return s.behind(limit, own)
	})
	return cmp.Or(p.write(w), a.Err())
}

// CSS, JS and Policy are the page's style, its script, and what admits nothing but these.
func (page) CSS() template.CSS { return template.CSS(style) }
func (page) JS() template.JS   { return template.JS(script) }
func (page) Policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(style), hashOf(script))
}

// write writes the page as one file that needs nothing else, all of it or nothing.
func (p page) write(w io.Writer) error {
	var out bytes.Buffer
	if err := pageTmpl().ExecuteTemplate(&out, "page", p); err != nil {
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
	return fmt.Sprintf("Run %s – Hallmark", calledRun(&v.Doc.Run))
}

// escaped is hostile text as a page shows it.
func escaped(s string) template.HTML { return template.HTML(template.HTMLEscapeString(Visible(s))) }

// blockFuncs are what the templates of blocks call.
func blockFuncs() template.FuncMap {
	return template.FuncMap{
		"shown":    Visible,
		"escaped":  escaped,
		"count":    count,
		"grouped":  grouped,
		"standing": func(blocks []block) []block { return standing(onPage, blocks...) },
		"kind":     func(b block) string { return reflect.TypeOf(b).Name() },
	}
}

// One reports whether a page sets the blocks alone.
func (b pair) One() bool {
	return len(standing(onPage, b.Left...)) == 0 || len(standing(onPage, b.Right...)) == 0
}

// Class is the class of a note's paragraph.
func (b note) Class() string {
	return [...]string{noteText: "note", noteAside: "note", noteSecond: "says", noteBanner: "banner",
		noteModel: "calib", noteSign: "sign", noteMet: "verdict met", noteNotMet: "verdict not",
		noteUndecided: "verdict open", noteAsked: "asked"}[b.Kind]
}

// Shown are the figures that stand on a page.
func (b figures) Shown() []fig { return b.shown(onPage) }

// PageScale is the scale of the plots on a page, 0 where there are none.
func (b figures) PageScale() scale {
	if b.Bare {
		return 0
	}
	return b.Scale
}

// Heads are the columns that stand on a page.
func (t table) Heads() (out []column) {
	for _, i := range t.columnsIn(onPage) {
		c := t.Columns[i]
		if c.Kind == ofBars && c.Axis == "" {
			c.Axis = scale(1).Axis()
		}
		out = append(out, c)
	}
	return out
}

// Broad reports whether a page that is no wide one sets the cells of a row beneath each other.
func (t table) Broad() bool { return len(t.Heads()) > 8 }

// Column returns a column that stands on a page, else nil.
func (t table) Column(i int) *column {
	if c := &t.Columns[i]; c.In.in(onPage) {
		return c
	}
	return nil
}

// Class is the class of a column's cells.
func (c column) Class() string {
	return map[kind]string{ofCode: "mono", ofRaw: "raw", ofFigures: "n", ofBounds: "n soft", ofCounts: "i",
		ofPlots: "plot", ofBars: "plot bars"}[c.Kind]
}

// Raw reports whether its texts are as they came, in whatever direction these are written.
func (c column) Raw() bool { return c.Kind == ofRaw }

// HTML is what stands in a cell of the column.
func (c column) HTML(x cell) template.HTML {
	switch c.Kind {
	case ofPlots:
		return c.Scale.Plot(x.Plot)
	case ofBars:
		if len(x.Bar) == 0 {
			return ""
		}
		return bar(11, Visible(x.Says), x.Bar...)
	}
	var b strings.Builder
	b.WriteString(string(x.Main.HTML()))
	for _, sub := range []prose{x.Sub, say(x.Note)} {
		if s := sub.HTML(); s != "" {
			b.WriteString(`<span class="sub">` + string(s) + `</span>`)
		}
	}
	return template.HTML(b.String())
}
