package gguf

import (
	"errors"
	"fmt"
	"math"

	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
)

// Keys of our own, in which the scaling of the rotary angles is kept exactly: GGUF's are float32, and for Llama 3.1's
// there are none but a tensor made from its parameters.
const (
	freqsTensor  = "rope_freqs.weight"
	factorKey    = "hallmark.rope.factor"
	lowKey       = "hallmark.rope.low_freq_factor"
	highKey      = "hallmark.rope.high_freq_factor"
	attentionKey = "hallmark.rope.attention_factor"
	originalKey  = "hallmark.rope.original_context_length"
)

// The bounds of YaRN that llama.cpp has built in: its keys for them are read for other architectures only.
const yarnFast, yarnSlow = 32, 1

// ropeError reports a scaling that llama.cpp does not compute for the model.
func ropeError(c engine.Config) error {
	switch r := c.Rope; {
	case r.Type == "llama3" && c.ModelType != "llama":
		return fmt.Errorf("rope_type is llama3 and model_type %s; llama.cpp scales the angles of llama alone so",
			c.ModelType)
	case r.Exact:
		return errors.New("rope_type is yarn and truncate false; llama.cpp rounds the bounds")
	case r.Type == "yarn" && (r.Fast != yarnFast || r.Slow != yarnSlow):
		return fmt.Errorf(
			"rope_type is yarn, beta_fast %g and beta_slow %g; llama.cpp takes %d and %d for these models", r.Fast,
			r.Slow, yarnFast, yarnSlow)
	}
	return nil
}

// ropeMetadata is what llama.cpp is told of the scaling, and what is kept to read it back.
func ropeMetadata(c engine.Config) []Pair {
	r := c.Rope
	if r.Type == "" {
		return nil
	}
	list := []Pair{{factorKey, r.Factor}}
	key := func(name string, value any) { list = append(list, Pair{c.ModelType + ".rope.scaling." + name, value}) }
	switch r.Type {
	case "linear":
		key("type", r.Type)
		key("factor", float32(r.Factor))
	case "yarn":
		key("type", r.Type)
		key("factor", float32(r.Factor))
		key("original_context_length", uint32(r.Original))
		key("attn_factor", float32(r.Attention/(0.1*math.Log(r.Factor)+1))) // llama.cpp multiplies by the divisor
		list = append(list, Pair{attentionKey, r.Attention})
	case "llama3":
		list = append(list, Pair{lowKey, r.Low}, Pair{highKey, r.High}, Pair{originalKey, uint32(r.Original)})
	}
	return list
}

// divisors is the tensor in which llama.cpp keeps Llama 3.1's scaling: what the frequency of each pair of a head's
// elements is divided by. Source: transformers, modeling_rope_utils.py, _compute_llama3_parameters.
func divisors(c engine.Config) Source {
	r := c.Rope
	original := float64(r.Original)
	return Source{freqsTensor, []int{c.HeadDim / 2}, weights.F32, func(_ int, dst []float32) {
		for i := range dst {
			wave := 2 * math.Pi * math.Pow(c.Theta, float64(2*i)/float64(c.HeadDim))
			switch {
			case wave < original/r.High:
				dst[i] = 1
			case wave > original/r.Low:
				dst[i] = float32(r.Factor)
			default:
				smooth := (original/wave - r.Low) / (r.High - r.Low)
				dst[i] = float32(1 / ((1-smooth)/r.Factor + smooth))
			}
		}
	}}
}
