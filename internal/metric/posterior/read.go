package posterior

import (
	"errors"
	"fmt"
	"io"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/posterior/exact"
)

// A Problem is a context and what is asked after it.
type Problem struct {
	Context []exact.Pair
	Queries []string
}

// MaxPairs bounds a context.
const MaxPairs = 100_000

type row struct {
	Input *string `json:"input"`
	Label *string `json:"label"`
	Gold  *string `json:"gold"`
}

// Read adds the rows of a JSONL file, {"input": "…", "label": "…"} a line: pairs of the context in their order, and
// queries where there is no label. An error names FILE:LINE.
func (p *Problem) Read(file string, r io.Reader, rows Rows) error {
	return jsonl.Each(file, r, func(_ int, row row) error {
		switch {
		case row.Input == nil:
			return errors.New(`input is missing; want {"input": "…", "label": "…"}, and no label where it is a query`)
		case row.Label == nil:
			if err := refused(rows.Query, *row.Input); err != nil {
				return err
			}
			p.Queries = append(p.Queries, *row.Input)
		default:
			pair := exact.Pair{Input: *row.Input, Label: *row.Label}
			if err := refused(rows.Pair, pair); err != nil {
				return err
			}
			p.Context = append(p.Context, pair)
		}
		if len(p.Context) > MaxPairs || len(p.Queries) > MaxPairs {
			return errors.New("over 100,000 pairs or queries; split the file")
		}
		return nil
	}, nil)
}

// Truth is what is known of a problem: pairs that follow its context truly, and the right answers to its queries.
type Truth struct {
	Pairs []exact.Pair
	Gold  map[string]string // by the query
	// Mechanism is what an exact model is to find out: the chances of the labels (of two, that of "1" will do), or
	// the slopes of a line. It gives the true rate.
	Mechanism []float64

	at map[string]string // FILE:LINE of the right answer, by the query
}

// At is where the right answer to a query stands, as FILE:LINE.
func (t *Truth) At(query string) string { return t.at[query] }

// Rows refuses what a model cannot read while a file is read; its members may be nil.
type Rows struct {
	Pair  func(exact.Pair) error
	Query func(input string) error
	Gold  func(gold string) error
}

// refused is what check has against a value; it may be nil.
func refused[T any](check func(T) error, value T) error {
	if check == nil {
		return nil
	}
	return check(value)
}

// Read adds the rows of a JSONL file: {"input": "…", "label": "…"} is a true pair, {"input": "…", "gold": "…"} the
// right answer to the query of that input, and so is a pair whose input, which is not empty, is one of the queries.
// An error names FILE:LINE.
func (t *Truth) Read(file string, r io.Reader, queries []string, rows Rows) error {
	asked := map[string]bool{}
	for _, q := range queries {
		asked[q] = true
	}
	if t.Gold == nil {
		t.Gold, t.at = map[string]string{}, map[string]string{}
	}
	return jsonl.Each(file, r, func(line int, row row) error {
		if row.Input == nil || (row.Label == nil) == (row.Gold == nil) {
			return errors.New(`want {"input": "…", "label": "…"} for a true pair or {"input": "…", "gold": "…"} ` +
				`for a query's right answer`)
		}
		gold := row.Gold
		if gold == nil && *row.Input != "" && asked[*row.Input] {
			gold = row.Label
		}
		if gold == nil {
			pair := exact.Pair{Input: *row.Input, Label: *row.Label}
			if err := refused(rows.Pair, pair); err != nil {
				return err
			}
			t.Pairs = append(t.Pairs, pair)
			return nil
		}
		if !asked[*row.Input] {
			return errors.New(
				"gold for an input that is no query; the queries are the rows without label of the other file")
		}
		if old, ok := t.Gold[*row.Input]; ok && old != *gold {
			return errors.New("a second right answer to the same query; keep one")
		}
		if err := refused(rows.Gold, *gold); err != nil {
			return err
		}
		t.Gold[*row.Input], t.at[*row.Input] = *gold, fmt.Sprintf("%s:%d", file, line)
		return nil
	}, nil)
}
