package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/assay"
)

// maxPublished bounds the figures that a plan file quotes.
const maxPublished = 10_000

// readPublished reads the section of a plan file that quotes published figures:
//
//	published:
//	  source: where they stand
//	  note: what to know of them
//	  figures:
//	    MODEL:
//	      consistency.ambiguity.estimate: .1383
func (f *runFlags) readPublished(n *yaml.Node) error {
	fault := func(n *yaml.Node, format string, args ...any) error {
		return fmt.Errorf("%s:%d: published: %s", f.config, n.Line, fmt.Sprintf(format, args...))
	}
	p := &assay.Published{}
	if n.Kind != yaml.MappingNode {
		return fault(n, "want a mapping of source, note and figures")
	}
	for pairs := n.Content; len(pairs) > 1; pairs = pairs[2:] {
		key, value := pairs[0], pairs[1]
		switch key.Value {
		case "source", "note":
			if value.Kind != yaml.ScalarNode || strings.TrimSpace(value.Value) == "" {
				return fault(value, "%s: want a text", key.Value)
			}
			if text := strings.TrimSpace(value.Value); key.Value == "source" {
				p.Source = text
			} else {
				p.Note = text
			}
		case "figures":
			if value.Kind != yaml.MappingNode {
				return fault(value, "figures: want a mapping of models to their figures")
			}
			for models := value.Content; len(models) > 1; models = models[2:] {
				model, figures := models[0], models[1]
				if figures.Kind != yaml.MappingNode {
					return fault(figures, "%s: want a mapping of figures to numbers, such as consistency.ambiguity.estimate: .1383", model.Value)
				}
				for list := figures.Content; len(list) > 1; list = list[2:] {
					path, number := list[0], list[1]
					v, err := strconv.ParseFloat(number.Value, 64)
					if number.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
						return fault(number, "%s of %s: want a number", path.Value, model.Value)
					}
					p.Figures = append(p.Figures, assay.PublishedFigure{Model: model.Value, Path: path.Value, Value: v, Place: fmt.Sprintf("%s:%d", f.config, path.Line)})
				}
			}
		default:
			return fault(key, "unknown key %q; it has source, note and figures", key.Value)
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
	f.published = p
	return nil
}
