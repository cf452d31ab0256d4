package gguf

import (
	"fmt"
	"math"

	"hallmark/internal/transformer"
	"hallmark/internal/transformer/weights"
)

// scaling is Llama 3.1's change of the rotary angles: those that turn slowly are slowed down by a factor, those that turn
// fast are kept, and those between are blended. GGUF has no key for it; it keeps the divisor of each angle in a tensor.
// The parameters are kept beside, in keys of our own, to be read back exactly.
type scaling struct {
	Kind     string  `json:"rope_type"`
	OldKind  string  `json:"type,omitempty"`
	Factor   float64 `json:"factor"`
	Low      float64 `json:"low_freq_factor"`
	High     float64 `json:"high_freq_factor"`
	Original float64 `json:"original_max_position_embeddings"`
}

// The tensor of the divisors, and the keys of the parameters.
const (
	freqsTensor = "rope_freqs.weight"
	factorKey   = "hallmark.rope.llama3.factor"
	lowKey      = "hallmark.rope.llama3.low_freq_factor"
	highKey     = "hallmark.rope.llama3.high_freq_factor"
	originalKey = "hallmark.rope.llama3.original_context_length"
)

func (s *scaling) kind() string {
	if s.Kind != "" {
		return s.Kind
	}
	return s.OldKind
}

// validate reports parameters that give no divisors.
func (s *scaling) validate() error {
	if !(s.Factor >= 1 && s.Low > 0 && s.High > s.Low && s.Original >= 1) || math.IsInf(s.Factor+s.High+s.Original, 0) {
		return fmt.Errorf("rope_scaling of llama3: factor %g, low_freq_factor %g, high_freq_factor %g, original_max_position_embeddings %g; want at least 1, more than 0, more than the low one, at least 1",
			s.Factor, s.Low, s.High, s.Original)
	}
	return nil
}

func (s *scaling) metadata() []Pair {
	return []Pair{{factorKey, s.Factor}, {lowKey, s.Low}, {highKey, s.High}, {originalKey, s.Original}}
}

// source is the tensor of the divisors, one for each pair of a head's elements. Source: transformers,
// modeling_rope_utils.py, _compute_llama3_parameters.
func (s *scaling) source(c transformer.Config) Source {
	return Source{freqsTensor, []int{c.HeadDim / 2}, weights.F32, func(_ int, dst []float32) {
		for i := range dst {
			wave := 2 * math.Pi * math.Pow(c.Theta, float64(2*i)/float64(c.HeadDim))
			switch {
			case wave < s.Original/s.High:
				dst[i] = 1
			case wave > s.Original/s.Low:
				dst[i] = float32(s.Factor)
			default:
				smooth := (s.Original/wave - s.Low) / (s.High - s.Low)
				dst[i] = float32(1 / ((1-smooth)/s.Factor + smooth))
			}
		}
	}}
}
