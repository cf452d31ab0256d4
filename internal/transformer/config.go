package transformer

import (
	"encoding/json"
	"fmt"
	"math"
)

// A Config gives a model's shape, in the words of Hugging Face's config.json.
type Config struct {
	ModelType  string  `json:"model_type"`              // llama, qwen2 (bias on q, k, v) or qwen3 (norm on q and k)
	Vocab      int     `json:"vocab_size"`              // tokens
	Hidden     int     `json:"hidden_size"`             // width of the residual stream
	Inner      int     `json:"intermediate_size"`       // width of the SwiGLU layer
	Layers     int     `json:"num_hidden_layers"`       //
	Heads      int     `json:"num_attention_heads"`     // query heads
	KVHeads    int     `json:"num_key_value_heads"`     // key and value heads; divides Heads
	HeadDim    int     `json:"head_dim"`                // width of a head, even
	MaxContext int     `json:"max_position_embeddings"` // tokens
	Epsilon    float64 `json:"rms_norm_eps"`            //
	Theta      float64 `json:"rope_theta"`              // base of the rotary angles
	Tied       bool    `json:"tie_word_embeddings"`     // the head is the embedding
}

// QKVBias reports whether q, k and v have a bias.
func (c Config) QKVBias() bool { return c.ModelType == "qwen2" }

// QKNorm reports whether each head's q and k are normalised before rotation.
func (c Config) QKNorm() bool { return c.ModelType == "qwen3" }

// ParseConfig reads a Hugging Face config.json. It fills in what Hugging Face lets a file leave out, and refuses what
// this package does not compute (other activations, scaled rotary angles, sliding windows, further biases), naming
// the field.
func ParseConfig(data []byte) (Config, error) {
	raw := struct {
		Config
		HiddenAct    string `json:"hidden_act"`
		AttnBias     bool   `json:"attention_bias"`
		MLPBias      bool   `json:"mlp_bias"`
		Sliding      bool   `json:"use_sliding_window"`
		RopeScaling  *rope  `json:"rope_scaling"`
		RopeParams   *rope  `json:"rope_parameters"`
		TiedDeclared *bool  `json:"tie_word_embeddings"`
	}{Config: Config{Theta: 10000, Epsilon: 1e-6}, HiddenAct: "silu"}
	if err := json.Unmarshal(data, &raw); err != nil {
		return Config{}, err
	}
	c := raw.Config
	if raw.TiedDeclared != nil {
		c.Tied = *raw.TiedDeclared
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	switch {
	case raw.HiddenAct != "silu":
		return c, fmt.Errorf("hidden_act is %q; only silu is computed", raw.HiddenAct)
	case raw.AttnBias:
		return c, fmt.Errorf("attention_bias is true; only the biases of qwen2 are computed")
	case raw.MLPBias:
		return c, fmt.Errorf("mlp_bias is true; only layers without are computed")
	case raw.Sliding:
		return c, fmt.Errorf("use_sliding_window is true; only full attention is computed")
	}
	for _, r := range []*rope{raw.RopeScaling, raw.RopeParams} {
		if r == nil {
			continue
		}
		if k := r.kind(); k != "default" {
			return c, fmt.Errorf("rope_type is %q; only the default is computed", k)
		}
		if r.Theta != 0 {
			c.Theta = r.Theta
		}
	}
	return c, c.Validate()
}

type rope struct {
	Theta   float64 `json:"rope_theta"`
	Kind    string  `json:"rope_type"`
	OldKind string  `json:"type"`
}

func (r *rope) kind() string {
	switch {
	case r.Kind != "":
		return r.Kind
	case r.OldKind != "":
		return r.OldKind
	}
	return "default"
}

// JSON returns the config.json that Hugging Face's transformers reads, with the tokens that end a text and the name of
// the type the weights are stored in.
func (c Config) JSON(end []int32, dtype string) []byte {
	arch := map[string]string{"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}[c.ModelType]
	var eos any = end
	switch len(end) {
	case 0:
		eos = nil
	case 1:
		eos = end[0]
	}
	data, err := json.MarshalIndent(struct {
		Architectures []string `json:"architectures"`
		Config
		HiddenAct string  `json:"hidden_act"`
		AttnBias  bool    `json:"attention_bias"`
		Dropout   float64 `json:"attention_dropout"`
		DType     string  `json:"torch_dtype"`
		End       any     `json:"eos_token_id"`
	}{Architectures: []string{arch}, Config: c, HiddenAct: "silu", DType: dtype, End: eos}, "", "  ")
	if err != nil {
		panic(err) // numbers, strings and bools always encode
	}
	return append(data, '\n')
}

const (
	maxDim    = 1 << 20
	maxLayers = 1 << 10
	maxParams = 1 << 34
)

// Validate reports the first field that makes no model.
func (c Config) Validate() error {
	switch c.ModelType {
	case "llama", "qwen2", "qwen3":
	default:
		return fmt.Errorf("model_type is %q, want llama, qwen2 or qwen3", c.ModelType)
	}
	for _, f := range []struct {
		name   string
		v, max int
	}{
		{"vocab_size", c.Vocab, 1 << 24}, {"hidden_size", c.Hidden, maxDim}, {"intermediate_size", c.Inner, maxDim},
		{"num_hidden_layers", c.Layers, maxLayers}, {"num_attention_heads", c.Heads, maxDim}, {"num_key_value_heads", c.KVHeads, maxDim},
		{"head_dim", c.HeadDim, maxDim}, {"max_position_embeddings", c.MaxContext, 1 << 24},
	} {
		if f.v < 1 || f.v > f.max {
			return fmt.Errorf("%s is %d, want 1 to %d", f.name, f.v, f.max)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		return fmt.Errorf("num_key_value_heads is %d, want a divisor of num_attention_heads %d", c.KVHeads, c.Heads)
	case c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim is %d, want an even number", c.HeadDim)
	case !(c.Epsilon >= 0 && c.Epsilon < 1):
		return fmt.Errorf("rms_norm_eps is %g, want 0 to 1", c.Epsilon)
	case !(c.Theta >= 1 && c.Theta < 1e12):
		return fmt.Errorf("rope_theta is %g, want 1 to 1e12", c.Theta)
	}
	if n := c.Matrices(); n > maxParams {
		return fmt.Errorf("the sizes make %.3g parameters, want at most %d", n, maxParams)
	}
	return nil
}

// Matrices is the number of parameters in matrices, nearly all there are; in float64, as hostile sizes overflow an int.
func (c Config) Matrices() float64 {
	layer := float64(c.Hidden)*float64(2*c.Heads+2*c.KVHeads)*float64(c.HeadDim) + 3*float64(c.Hidden)*float64(c.Inner)
	heads := 2.0
	if c.Tied {
		heads = 1
	}
	return float64(c.Layers)*layer + heads*float64(c.Vocab)*float64(c.Hidden)
}

func (c Config) qWidth() int   { return c.Heads * c.HeadDim }
func (c Config) kvWidth() int  { return c.KVHeads * c.HeadDim }
func (c Config) qkvWidth() int { return c.qWidth() + 2*c.kvWidth() }

// attentionScale is what a query's product with a key is multiplied by.
func (c Config) attentionScale() float32 { return float32(1 / math.Sqrt(float64(c.HeadDim))) }
