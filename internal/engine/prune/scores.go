package prune

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hallmark/internal/base/parallel"
	"hallmark/internal/engine"
)

// FirstOrder scores each unit by how much the loss would change if its output were switched off, to first order: the
// mean over documents of |∂loss/∂gate|, where the gate multiplies what the unit adds to the residual stream (Molchanov
// et al., arXiv:1611.06440; Michel, Levy and Neubig, arXiv:1905.10650). Documents without a weighted token count for
// nothing. The scores are the same for any number of workers.
func FirstOrder(m *engine.Model, docs []engine.Document, workers int) (Scores, error) {
	const parts = 8 // summed apart, and then in order
	sums, errs := make([]Scores, parts), make([]error, parts)
	parallel.Do(workers, parts, func(i int) {
		sums[i] = zero(m.Config())
		tape := engine.NewTape(m)
		grad := make([]float32, m.NumParams())
		for _, d := range docs[i*len(docs)/parts : (i+1)*len(docs)/parts] {
			if _, err := tape.Gradient(grad, false, []engine.Document{d}, 1); err != nil {
				errs[i] = err
				return
			}
			sums[i].gates(m, grad)
		}
	})
	total := zero(m.Config())
	for i, s := range sums {
		if errs[i] != nil {
			return Scores{}, fmt.Errorf("prune: %w", errs[i])
		}
		total.each(func(kind Kind, l, j int, x *float64) { *x += *s.at(kind, l, j) / float64(max(1, len(docs))) })
	}
	return total, nil
}

// gates adds the absolute gates' derivatives of one document: for a unit, the sum over the weights that it writes
// with of weight · gradient.
func (s *Scores) gates(m *engine.Model, grad []float32) {
	c := m.Config()
	whole := make([]float64, c.Layers)
	for _, t := range m.Params() {
		l, part := parse(t.Name)
		if part != "self_attn.o_proj.weight" && part != "mlp.down_proj.weight" {
			continue
		}
		kind, width, cols := parts(c, part, t)
		sum := make([]float64, cols/width)
		for i, w := range t.Data {
			sum[i%cols/width] += float64(float64(w) * float64(grad[t.Offset+i]))
		}
		for j, x := range sum {
			*s.at(kind, l, j) += math.Abs(x)
			whole[l] += x
		}
	}
	for l, x := range whole {
		s.Layers[l] += math.Abs(x)
	}
}

// Magnitude scores each unit by the sum of its squared weights, so that units of different sizes compare by their
// mean square.
func Magnitude(m *engine.Model) Scores {
	c := m.Config()
	s := zero(c)
	for _, t := range m.Params() {
		l, part := parse(t.Name)
		if l < 0 {
			continue
		}
		kind, width, cols := parts(c, part, t)
		for i, w := range t.Data {
			square := float64(float64(w) * float64(w))
			s.Layers[l] += square
			if kind != Layer {
				*s.at(kind, l, i%cols/width) += square
			}
		}
	}
	return s
}

// Random scores each unit by a draw from [0, 1) for each of its parameters, so that size does not decide.
func Random(c engine.Config, r *rand.Rand) Scores {
	s := zero(c)
	s.each(func(k Kind, _, _ int, x *float64) { *x = float64(r.Float64() * float64(size(c, k))) })
	return s
}

func zero(c engine.Config) Scores {
	s := Scores{Layers: make([]float64, c.Layers)}
	for range c.Layers {
		s.Groups, s.Neurons = append(s.Groups, make([]float64, c.KVHeads)), append(s.Neurons, make([]float64, c.Inner))
	}
	return s
}

func (s *Scores) at(k Kind, l, i int) *float64 {
	switch k {
	case Group:
		return &s.Groups[l][i]
	case Neuron:
		return &s.Neurons[l][i]
	}
	return &s.Layers[l]
}

func (s *Scores) each(f func(k Kind, l, i int, x *float64)) {
	for l := range s.Layers {
		for i := range s.Groups[l] {
			f(Group, l, i, &s.Groups[l][i])
		}
		for i := range s.Neurons[l] {
			f(Neuron, l, i, &s.Neurons[l][i])
		}
		f(Layer, l, 0, &s.Layers[l])
	}
}
