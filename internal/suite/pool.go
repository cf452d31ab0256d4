package suite

import (
	"slices"
	"strings"

	"hallmark/internal/base/strictyaml"
)

// ReadPool reads a file of worked examples to draw demonstrations from: JSON Lines, a JSON or YAML list, CSV or
// TSV, with an input and a label in each row under these or the other names of a question and its answer. A row
// that repeats another is dropped. Errors are as those of Read.
func ReadPool(path string) ([]Demonstration, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Demonstration
	seen := map[Demonstration]bool{}
	r := newReader(path)
	r.take = func(n *strictyaml.Node) error {
		if n.Kind != strictyaml.Dict {
			return strictyaml.Faultf(path, n.Line, "a row must be keys and values, not %s", n.Kind)
		}
		input := first(n, append([]string{"input"}, columns[1].names...))
		label := first(n, append([]string{"label", "answer"}, columns[2].names...))
		if input == nil || label == nil {
			return strictyaml.Faultf(path, n.Line, "no input or no label; a row of a pool needs both")
		}
		if d := (Demonstration{input.Text, label.Text}); !seen[d] {
			seen[d] = true
			rows = append(rows, d)
		}
		return nil
	}
	if err := r.read(data); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, strictyaml.Faultf(path, 1, "the pool has no rows")
	}
	return rows, nil
}

// first returns the first value that is a text under one of the names.
func first(n *strictyaml.Node, names []string) *strictyaml.Node {
	for _, name := range names {
		if i := slices.IndexFunc(n.Keys, func(k strictyaml.Key) bool {
			return strings.EqualFold(k.Name, name)
		}); i >= 0 && n.Items[i].Kind == strictyaml.Scalar {
			return n.Items[i]
		}
	}
	return nil
}
