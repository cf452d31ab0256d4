package engine

import (
	"cmp"
	"fmt"
	"math"

	"hallmark/internal/engine/kernel"
)

// Rope says how the rotary angles are scaled to a longer context than the model was first trained for. The zero
// value is no scaling. The formulas are those of Hugging Face's modeling_rope_utils.py.
type Rope struct {
	Type      string  // "" for none, linear, llama3 or yarn
	Factor    float64 // of the context, at least 1
	Original  int     // positions before scaling: original_max_position_embeddings; llama3 and yarn
	Low, High float64 // low_freq_factor and high_freq_factor; llama3
	Attention float64 // what cosines and sines are multiplied by; yarn
	Fast      float64 // beta_fast and beta_slow: rotations within Original between which angles
	Slow      float64 // pass from as they are to scaled; yarn
	Exact     bool    // those bounds are not rounded to whole dimensions; yarn
}

// ropeJSON is rope_scaling, or rope_parameters as transformers 5 writes it.
type ropeJSON struct {
	Kind      string   `json:"rope_type,omitempty"`
	OldKind   string   `json:"type,omitempty"`
	Theta     float64  `json:"rope_theta,omitempty"`
	Factor    *float64 `json:"factor,omitempty"`
	Original  int      `json:"original_max_position_embeddings,omitempty"`
	Low       *float64 `json:"low_freq_factor,omitempty"`
	High      *float64 `json:"high_freq_factor,omitempty"`
	Attention *float64 `json:"attention_factor,omitempty"`
	Fast      *float64 `json:"beta_fast,omitempty"`
	Slow      *float64 `json:"beta_slow,omitempty"`
	MScale    *float64 `json:"mscale,omitempty"`
	MScaleAll *float64 `json:"mscale_all_dim,omitempty"`
	Truncate  *bool    `json:"truncate,omitempty"`
	Partial   *float64 `json:"partial_rotary_factor,omitempty"`
}

// rope takes the scaling of the rotary angles from a file, nil for none.
func (c *Config) rope(j *ropeJSON) error {
	if j == nil {
		return nil
	}
	c.Theta = cmp.Or(j.Theta, c.Theta)
	if j.Partial != nil && *j.Partial != 1 {
		return fmt.Errorf("partial_rotary_factor is %g; only heads rotated as a whole are computed", *j.Partial)
	}
	kind := cmp.Or(j.Kind, j.OldKind)
	r := Rope{Type: kind, Original: cmp.Or(j.Original, c.MaxContext)}
	missing := ""
	need := func(name string, from *float64) (x float64) {
		if from != nil {
			return *from
		}
		missing = cmp.Or(missing, name)
		return 0
	}
	switch kind {
	case "", "default", "dynamic":
		// Dynamic scaling begins past max_position_embeddings, and this model ends there.
		return nil
	case "linear", "llama3", "yarn":
		r.Factor = need("factor", j.Factor)
	default:
		return fmt.Errorf("rope_type is %q; default, linear, dynamic, llama3 and yarn are computed", kind)
	}
	if kind == "llama3" {
		r.Low, r.High = need("low_freq_factor", j.Low), need("high_freq_factor", j.High)
	}
	if missing != "" {
		return fmt.Errorf("rope_type is %s and %s is missing", kind, missing)
	}
	switch kind {
	case "linear":
		r.Original = 0
	case "yarn":
		r.yarn(j)
		if long := r.Factor * float64(r.Original); j.Original > 0 && long < 1<<24 {
			c.MaxContext = max(c.MaxContext, int(long))
		}
	}
	c.Rope = r
	return nil
}

// yarn fills in the optional fields of YaRN (Peng et al., arXiv:2309.00071).
func (r *Rope) yarn(j *ropeJSON) {
	set := func(to *float64, from *float64, otherwise float64) {
		if *to = otherwise; from != nil && *from != 0 {
			*to = *from
		}
	}
	set(&r.Fast, j.Fast, 32)
	set(&r.Slow, j.Slow, 1)
	grow := func(by float64) float64 {
		if r.Factor <= 1 {
			return 1
		}
		return float64(0.1*by*kernel.Log(r.Factor)) + 1
	}
	switch {
	case j.Attention != nil:
		r.Attention = *j.Attention
	case j.MScale != nil && j.MScaleAll != nil && *j.MScale != 0 && *j.MScaleAll != 0:
		r.Attention = grow(*j.MScale) / grow(*j.MScaleAll)
	default:
		r.Attention = grow(1)
	}
	r.Exact = j.Truncate != nil && !*j.Truncate
}

// json is the scaling as a file has it, nil for none.
func (r Rope) json() *ropeJSON {
	if r.Type == "" {
		return nil
	}
	j := &ropeJSON{Kind: r.Type, Factor: &r.Factor, Original: r.Original}
	switch r.Type {
	case "llama3":
		j.Low, j.High = &r.Low, &r.High
	case "yarn":
		j.Fast, j.Slow, j.Attention = &r.Fast, &r.Slow, &r.Attention
		if truncate := false; r.Exact {
			j.Truncate = &truncate
		}
	}
	return j
}

func (r Rope) validate() error {
	switch r.Type {
	case "":
		return nil
	case "linear", "llama3", "yarn":
	default:
		return fmt.Errorf("rope_type is %q, want linear, llama3 or yarn", r.Type)
	}
	switch {
	case !(r.Factor >= 1 && r.Factor <= 1e6):
		return fmt.Errorf("factor of the rotary scaling is %g, want 1 to 1e6", r.Factor)
	case r.Type != "linear" && (r.Original < 1 || r.Original > 1<<24):
		return fmt.Errorf("original_max_position_embeddings is %d, want 1 to %d", r.Original, 1<<24)
	case r.Type == "llama3" && !(r.Low > 0 && r.Low < r.High && r.High < 1e6):
		return fmt.Errorf(
			"low_freq_factor is %g and high_freq_factor %g, want the first less than the second, both above 0", r.Low,
			r.High)
	case r.Type == "yarn" && !(r.Slow > 0 && r.Slow < r.Fast && r.Fast < 1e6):
		return fmt.Errorf("beta_slow is %g and beta_fast %g, want the first less than the second, both above 0",
			r.Slow, r.Fast)
	case r.Type == "yarn" && !(r.Attention > 0 && r.Attention < 1e3):
		return fmt.Errorf("attention_factor is %g, want a number above 0 and below 1000", r.Attention)
	}
	return nil
}

// frequencies returns the angle between two positions for each pair of a head's dimensions, and what the cosines and
// sines are multiplied by. Angles are rounded where Hugging Face rounds them.
func (c Config) frequencies() (inv []float32, scale float32) {
	inv = make([]float32, c.HeadDim/2)
	lnTheta := kernel.Log(c.Theta)
	for i := range inv {
		inv[i] = float32(1 / kernel.Exp(float64(lnTheta*float64(2*i))/float64(c.HeadDim)))
	}
	r := c.Rope
	switch r.Type {
	case "linear":
		for i := range inv {
			inv[i] /= float32(r.Factor)
		}
	case "llama3":
		for i, f := range inv {
			inv[i] = r.llama3(f)
		}
	case "yarn":
		lo, hi := r.ramp(c.HeadDim, lnTheta)
		for i, f := range inv {
			keep := 1 - float32(min(max(float64(float64(i)-lo)/(hi-lo), 0), 1))
			inv[i] = float32(float32(f/float32(r.Factor))*(1-keep)) + float32(f*keep)
		}
		return inv, float32(r.Attention)
	}
	return inv, 1
}

// llama3 scales one frequency: long waves by the factor, short ones not at all, those between in part.
func (r Rope) llama3(f float32) float32 {
	wave := float32(float32(2*math.Pi) / f)
	original := float32(r.Original)
	switch low, high := float32(r.Low), float32(r.High); {
	case wave > original/low:
		return f / float32(r.Factor)
	case wave < original/high:
		return f
	default:
		smooth := float32(original/wave-low) / (high - low)
		return float32(float32((1-smooth)*f)/float32(r.Factor)) + float32(smooth*f)
	}
}

// ramp returns the dimensions between which YaRN passes from angles as they are to scaled ones.
func (r Rope) ramp(dim int, lnTheta float64) (lo, hi float64) {
	at := func(rotations float64) float64 {
		return float64(float64(dim)*kernel.Log(float64(r.Original)/float64(rotations*2*math.Pi))) / float64(2*lnTheta)
	}
	lo, hi = at(r.Fast), at(r.Slow)
	if !r.Exact {
		lo, hi = math.Floor(lo), math.Ceil(hi)
	}
	if lo, hi = max(lo, 0), min(hi, float64(dim-1)); lo == hi {
		hi += .001
	}
	return lo, hi
}
