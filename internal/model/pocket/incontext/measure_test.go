package incontext

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
)

// A Predictor returns for each n the probability that a model gives the label of pair n of a sequence, as the text that
// follows Prompt(n). It is a part of all that the model could say there, not renormalized over the labels.
type Predictor func(s Sequence, ns []int) ([]float64, error)

// A Row is what Measure finds after n pairs. Error is the mean of 1 − p(label) over sequences, in [0, 1], and Bayes
// the same of the best predictor. Low and High bound the mean paired Difference, Error − Bayes, at 95 %: 1.96 standard
// errors either side.
type Row struct {
	N, Sequences                        int
	Error, Bayes, Difference, Low, High float64
}

// Measure draws sequences of a task and compares a predictor with Bayes after each of ns pairs. The same seed
// gives the same sequences for every predictor.
func Measure(task Task, ns []int, sequences int, s uint64, p Predictor) ([]Row, error) {
	if len(ns) == 0 || slices.Min(ns) < 0 || sequences < 2 {
		return nil, fmt.Errorf("incontext: %d sequences at n of %v; want at least 2 and an n of at least 0",
			sequences, ns)
	}
	rows := make([]Row, len(ns))
	squares := make([]float64, len(ns))
	r := seed.Stream(s, "pocket", "incontext", "measure", string(task))
	for range sequences {
		q, err := Draw(task, slices.Max(ns)+1, r)
		if err != nil {
			return nil, err
		}
		got, err := p(q, ns)
		if err != nil {
			return nil, err
		}
		for i, n := range ns {
			best := q.Bayes(n)[q.Pairs[n].Label]
			rows[i].Error += 1 - got[i]
			rows[i].Bayes += 1 - best
			rows[i].Difference += best - got[i]
			squares[i] += float64((best - got[i]) * (best - got[i]))
		}
	}
	count := float64(sequences)
	for i := range rows {
		row := &rows[i]
		row.N, row.Sequences = ns[i], sequences
		row.Error, row.Bayes, row.Difference = row.Error/count, row.Bayes/count, row.Difference/count
		variance := max(0, (squares[i]-count*row.Difference*row.Difference)/(count-1))
		half := 1.96 * math.Sqrt(variance/count)
		row.Low, row.High = row.Difference-half, row.Difference+half
	}
	return rows, nil
}

// Engine returns the predictor of a model of the in-process engine. Its texts start with the text begin, the
// token that opens a document. A sequence is computed once for all n: a prediction depends only on what precedes it.
func Engine(m *engine.Model, t *token.Tokenizer, begin string) Predictor {
	return func(s Sequence, ns []int) ([]float64, error) {
		ids, err := t.Encode(begin)
		if err != nil {
			return nil, err
		}
		starts, ends := make([]int, len(s.Pairs)), make([]int, len(s.Pairs)) // of the labels
		for i, p := range s.parts(plain, Stage{}) {
			more, err := t.Encode(p.Text)
			if err != nil {
				return nil, err
			}
			starts[i/2] = len(ids)
			ids = append(ids, more...)
			ends[i/2] = len(ids)
		}
		logits, err := m.Logits(ids[:len(ids)-1])
		if err != nil {
			return nil, err
		}
		out := make([]float64, len(ns))
		for k, n := range ns {
			out[k] = 1
			for i := starts[n]; i < ends[n]; i++ {
				out[k] *= probability(logits[i-1], int(ids[i]))
			}
		}
		return out, nil
	}
}

// probability is the softmax of logits at one place.
func probability(logits []float32, at int) float64 {
	var sum float64
	for _, x := range logits {
		sum += math.Exp(float64(x) - float64(logits[at]))
	}
	return 1 / sum
}

// Bayes returns the probability of each label for pair i, given its input, the pairs before it and the task; which rule
// holds is all that is unknown.
//
// A topic that was seen has its label for certain. One that was not seen has any label under Topic8x2, and
// where no two topics share one, any that was not seen. Under Parity one pair settles the rule.
func (s Sequence) Bayes(i int) []float64 {
	p := make([]float64, len(s.Labels))
	taken := make([]bool, len(p))
	for _, seen := range s.Pairs[:i] {
		switch {
		case s.Task == Parity:
			label := seen.Label
			if seen.odd != s.Pairs[i].odd {
				label = 1 - label
			}
			p[label] = 1
			return p
		case seen.Topic == s.Pairs[i].Topic:
			p[seen.Label] = 1
			return p
		}
		taken[seen.Label] = s.Task != Topic8x2
	}
	free := 0
	for _, t := range taken {
		if !t {
			free++
		}
	}
	for l, t := range taken {
		if !t {
			p[l] = 1 / float64(free)
		}
	}
	return p
}

// Prompt returns the text of the first n pairs and of the input of the next one, up to where its label follows.
func (s Sequence) Prompt(n int) string {
	var b strings.Builder
	for _, p := range s.Pairs[:n] {
		b.WriteString(ask(p) + " " + s.Labels[p.Label] + "\n\n")
	}
	return b.String() + ask(s.Pairs[n])
}
