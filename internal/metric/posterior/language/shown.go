package language

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/run"
)

// A Shown is one query as it was asked, what was answered, and what the model made up: the source's figures 1, 9
// and 10.
type Shown struct {
	Prompt string
	Labels []ShownLabel  // with their probabilities, where they are summed
	Drawn  []ShownAnswer // the K answers after the context, where they are drawn, the most frequent first
	MadeUp []exact.Pair  // of the first extension that is complete
}

// A ShownLabel is a label with its probability.
type ShownLabel struct {
	Label string
	P     float64
	Right bool
}

// A ShownAnswer is a text that was drawn so often. Right is nil where the right answer is not known.
type ShownAnswer struct {
	Text  string
	Count int
	Right *bool
}

// Show reads one query from the stored records, by the id of its case; nil where there is none of that id. What has
// no record is left out.
func (p *Experiment) Show(ctx context.Context, store run.Store, id string) (*Shown, error) {
	for i := range p.Problems {
		j := slices.IndexFunc(p.Problems[i].Queries, func(q Query) bool { return q.ID == id })
		if j < 0 {
			continue
		}
		one := *p
		one.Problems = []Problem{p.Problems[i]}
		return one.show(ctx, store, j)
	}
	return nil, nil
}

// show reads query j of the only problem.
func (p *Experiment) show(ctx context.Context, store run.Store, j int) (*Shown, error) {
	q := &p.Problems[0]
	query := q.Queries[j]
	w := p.Resample()
	w.final = true
	if _, err := w.extend(ctx, store); err != nil {
		return nil, err
	}
	s := &Shown{Prompt: q.layout().question(q.Pairs, query)}
	whole := slices.DeleteFunc(slices.Clone(w.extensions[0]), (*extension).failed)
	if len(whole) > 0 {
		s.MadeUp = whole[0].pairs[len(q.Pairs):]
	}
	if p.Options.Estimator != posterior.Published {
		records, err := run.Records(ctx, store, []run.Call{p.labelCall(0, q.Pairs, query)})
		if err != nil {
			return nil, err
		}
		if r := p.reading(0, records[0]); r.failed == "" {
			for i, l := range append(slices.Clone(q.Labels), "any other answer") {
				s.Labels = append(s.Labels, ShownLabel{l, r.labels[i], l == query.Gold && i < len(q.Labels)})
			}
		}
		return s, nil
	}
	if len(whole) == 0 {
		return s, nil
	}
	set := &samples{query: j, kind: "now", number: whole[0].number, prompt: s.Prompt,
		texts: make([]string, p.Options.K)}
	d := &drawing{queries: make([]asking, j+1)}
	d.queries[j].now = []*samples{set}
	if _, err := w.fill(ctx, store, 0, d); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, t := range set.texts {
		if t != "" {
			counts[t]++
		}
	}
	for _, t := range slices.Sorted(maps.Keys(counts)) {
		a := ShownAnswer{Text: t, Count: counts[t]}
		if query.Gold != "" {
			a.Right = new(p.right(q, query, t))
		}
		s.Drawn = append(s.Drawn, a)
	}
	slices.SortStableFunc(s.Drawn, func(a, b ShownAnswer) int { return cmp.Compare(b.Count, a.Count) })
	return s, nil
}
