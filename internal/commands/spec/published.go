package spec

import (
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/strictyaml"
)

// maxPublished bounds the figures that a plan file quotes.
const maxPublished = 10_000

// ReadPublished reads the section of a plan file that quotes published figures:
//
//	published:
//	  source: where they stand
//	  note: what to know of them
//	  figures:
//	    MODEL:
//	      consistency.ambiguity.estimate: .1383
func (r *Run) ReadPublished(n *strictyaml.Node) error {
	var read struct {
		Source  string                        `yaml:"source"`
		Note    string                        `yaml:"note"`
		Figures map[string]map[string]float64 `yaml:"figures"`
	}
	if err := (&strictyaml.Decoder{File: r.Config}).Decode(n, &read, "published"); err != nil {
		return err
	}
	fault := func(n *strictyaml.Node, format string, args ...any) error {
		return strictyaml.Faultf(r.Config, n.Line, "published: "+format, args...)
	}
	p := &assay.Published{Source: strings.TrimSpace(read.Source), Note: strings.TrimSpace(read.Note)}
	if figures := n.Get("figures"); figures != nil {
		for i, model := range figures.Keys {
			for k, path := range figures.Items[i].Keys {
				if figures.Items[i].Items[k].Kind == strictyaml.Null {
					return fault(figures.Items[i].Items[k], "%s of %s: want a number", path.Name, model.Name)
				}
				p.Figures = append(p.Figures, assay.PublishedFigure{
					Model: model.Name, Path: path.Name, Value: read.Figures[model.Name][path.Name],
					Place: fmt.Sprintf("%s:%d", r.Config, path.Line),
				})
			}
		}
	}
	switch {
	case p.Source == "":
		return fault(n, "no source: say where the figures stand")
	case len(p.Figures) == 0:
		return fault(n, "no figures")
	case len(p.Figures) > maxPublished:
		return fault(n, "%d figures; at most %d", len(p.Figures), maxPublished)
	}
	if err := p.Check(); err != nil {
		return err
	}
	r.Published = p
	return nil
}
