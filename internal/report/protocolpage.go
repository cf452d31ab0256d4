package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"hallmark/internal/assay"
)

//go:embed protocol.tmpl
var protocolTemplate string

//go:embed protocol.css
var protocolStyle string

var protocolTmpl = template.Must(template.New("protocol").Funcs(template.FuncMap{
	"seal": func() template.HTML { return seal },
}).Parse(protocolTemplate))

type protocolPage struct {
	frame
	Purpose, Footnote, AsCited, Citation string
	Banners, Scope                       []string
	Rows                                 []protocolRowView
	Requirements, Steps                  []ProtocolCheck
	Levels                               []ProtocolLevel
	Alignment                            []Provision
	Definitions                          []Definition
	Facts                                []term
}

type protocolRowView struct {
	System, Suite, Domain       string
	N, Least, Most              fig // Most variants, where not all questions have as many
	SS, Below, AtLeast, Floor   fig
	Accuracy, Default, H, Again fig
	Level, Recommendation       string
	Measured                    bool // accuracy was
	Picture                     template.HTML
	Warnings                    []string
}

// ProtocolJSON writes the filled template as JSON.
func ProtocolJSON(w io.Writer, p *Protocol) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// ProtocolPage writes the filled template as one HTML file that needs nothing else, as HTML does; it is set for printing. Every figure on it
// names its place in protocol.json. The facts of the run are taken from the assay.
func ProtocolPage(w io.Writer, p *Protocol, a *assay.Assay) error {
	t := treeOf(p)
	v := &view{Doc: &a.Document}
	page := &protocolPage{
		frame:   newFrame(p.Title+" – Hallmark", "protocol report", p.Title, t.texts("warnings"), nil),
		Purpose: p.Purpose, Footnote: p.Footnote, AsCited: p.AsCited, Citation: oneLine(p.Citation), Banners: p.Banners, Scope: p.Scope,
		Levels: p.Levels, Alignment: p.Alignment, Definitions: p.Definitions, Facts: provenance(v),
	}
	page.CSS = template.CSS(style + protocolStyle)
	page.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(style+protocolStyle), hashOf(script))
	for i := range p.Rows {
		r := &p.Rows[i]
		b := t.branch("rows", strconv.Itoa(i))
		at := func(u unit, tone string, keys ...string) fig { return b.fig("", u, tone, keys...) }
		bounded := func(key, interval string) fig {
			return at(share, "", key).interval(t, b.at("pc_intervals", interval)...)
		}
		row := protocolRowView{
			System: clip(oneLine(r.System), 120), Suite: clip(oneLine(r.Suite), 80), Domain: clip(oneLine(r.Domain), 40),
			N: at(tally, "", "n"), Least: at(tally, "", "k", "min"), SS: at(mean, "ink", "semantic_stability"), Below: bounded("pc_below_0.5", "below_0.5"), AtLeast: bounded("pc_at_least_0.8", "at_least_0.8"),
			Floor: at(mean, "", "pc_floor"), Accuracy: at(mean, "ok", "accuracy"), Default: at(mean, "", "accuracy", "default"), H: at(share, "err", "hallucination"),
			Again: at(mean, "", "repeat_agreement"), Level: r.Level, Recommendation: r.Recommendation, Measured: r.Accuracy != nil,
			Warnings: b.texts("warnings"),
		}
		if r.K.Max != r.K.Min {
			row.Most = at(tally, "", "k", "max")
		}
		row.Picture = levels(row.SS, row.Accuracy)
		page.Rows = append(page.Rows, row)
	}
	clean := func(list []ProtocolCheck) (out []ProtocolCheck) {
		for _, c := range list {
			out = append(out, ProtocolCheck{c.Asked, clip(oneLine(c.Done), 600)})
		}
		return out
	}
	page.Requirements, page.Steps = clean(p.Requirements), clean(p.Steps)
	var out bytes.Buffer
	if err := protocolTmpl.Execute(&out, page); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}
