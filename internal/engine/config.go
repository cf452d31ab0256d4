package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/stat/figure"
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
	Rope       Rope    `json:"-"`                       // how they are scaled
	Tied       bool    `json:"tie_word_embeddings"`     // the head is the embedding

	// Inputs is not 0 where the model reads vectors of so many numbers and not tokens: what enters is a vector
	// times a matrix of Inputs × Hidden, as if a token were a vector with a single 1, and the head's Vocab numbers
	// are what the caller takes them for.
	Inputs int `json:"-"`
	// Unordered leaves the rotary angles out: what is read then has a past and no place.
	Unordered bool `json:"-"`
}

// QKVBias reports whether q, k and v have a bias.
func (c Config) QKVBias() bool { return c.ModelType == "qwen2" }

// QKNorm reports whether each head's q and k are normalised before rotation.
func (c Config) QKNorm() bool { return c.ModelType == "qwen3" }

// families are the defaults of Hugging Face's configuration classes. Mistral is Llama with a window.
var families = map[string]struct {
	kvHeads, headDim, context, window int // 0 where it follows from other fields
}{
	"llama":   {context: 2048},
	"mistral": {kvHeads: 8, context: 131072, window: 4096},
	"qwen2":   {kvHeads: 32, context: 32768, window: 4096},
	"qwen3":   {kvHeads: 32, headDim: 128, context: 32768, window: 4096},
}

// configJSON is a config.json. Pointers tell what a file leaves out.
type configJSON struct {
	Config
	HiddenAct   string          `json:"hidden_act"`
	AttnBias    bool            `json:"attention_bias"`
	MLPBias     bool            `json:"mlp_bias"`
	KV          *int            `json:"num_key_value_heads"`
	Dim         *int            `json:"head_dim"`
	UseSliding  bool            `json:"use_sliding_window"`
	Sliding     json.RawMessage `json:"sliding_window"`
	LayerTypes  []string        `json:"layer_types"`
	RopeScaling *ropeJSON       `json:"rope_scaling"`
	RopeParams  *ropeJSON       `json:"rope_parameters"`
	Partial     *float64        `json:"partial_rotary_factor"`
	TiedInFile  *bool           `json:"tie_word_embeddings"`
	Quantized   json.RawMessage `json:"quantization_config"`
}

// ParseConfig reads a Hugging Face config.json, also of model_type mistral, which is read as llama. It fills in
// what Hugging Face lets a file leave out, and refuses what this package does not compute (other activations,
// further biases, other scalings of the rotary angles, quantized weights), naming the field. Where layers attend
// within a window only, MaxContext is cut to the window: up to there they attend to all.
func ParseConfig(data []byte) (Config, error) {
	raw := configJSON{Config: Config{Theta: 10000, Epsilon: 1e-6}, HiddenAct: "silu"}
	if err := json.Unmarshal(data, &raw); err != nil {
		return Config{}, jsonl.Plain(err)
	}
	c := raw.Config
	family, ok := families[c.ModelType]
	if !ok {
		return c, fmt.Errorf("model_type is %q, want llama, mistral, qwen2 or qwen3", c.ModelType)
	}
	if raw.TiedInFile != nil {
		c.Tied = *raw.TiedInFile
	}
	c.MaxContext = cmp.Or(c.MaxContext, family.context)
	c.KVHeads = family.kvHeads
	if raw.KV != nil {
		c.KVHeads = *raw.KV
	} else if said(data, "num_key_value_heads") || c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	c.HeadDim = family.headDim
	if raw.Dim != nil {
		c.HeadDim = *raw.Dim
	} else if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	if err := raw.uncomputed(); err != nil {
		return c, err
	}
	window, err := raw.window(family.window)
	if err != nil {
		return c, err
	}
	name := "rope_parameters" // which counts where a file has both, as transformers has it
	if raw.RopeParams == nil {
		name = "rope_scaling"
	}
	if err := c.rope(cmp.Or(raw.RopeParams, raw.RopeScaling)); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	if window > 0 {
		c.MaxContext = min(c.MaxContext, window)
	}
	if c.ModelType == "mistral" {
		c.ModelType = "llama"
	}
	return c, c.Validate()
}

// uncomputed reports what would change a model's numbers and is not computed.
func (raw *configJSON) uncomputed() error {
	switch {
	case raw.HiddenAct != "silu":
		return fmt.Errorf("hidden_act is %q; only silu is computed", raw.HiddenAct)
	case raw.AttnBias:
		return fmt.Errorf("attention_bias is true; only the biases of qwen2 are computed")
	case raw.MLPBias:
		return fmt.Errorf("mlp_bias is true; only layers without are computed")
	case raw.Partial != nil && *raw.Partial != 1:
		return fmt.Errorf("partial_rotary_factor is %g; only heads rotated as a whole are computed", *raw.Partial)
	case len(raw.Quantized) > 0 && string(raw.Quantized) != "null":
		return fmt.Errorf("quantization_config is set; only weights in F32, F16 or BF16 are read")
	}
	return nil
}

// said reports whether the file has a field.
func said(data []byte, name string) bool {
	var all map[string]json.RawMessage
	return json.Unmarshal(data, &all) == nil && all[name] != nil
}

// window is the number of tokens that some layer attends to, or 0 if all attend to all.
func (raw *configJSON) window(otherwise int) (int, error) {
	width := &otherwise
	if raw.Sliding != nil {
		width = nil
		if err := json.Unmarshal(raw.Sliding, &width); err != nil {
			return 0, fmt.Errorf("sliding_window is %s, want a number or null", raw.Sliding)
		}
	}
	sliding := raw.ModelType == "mistral" && width != nil
	if raw.ModelType == "qwen2" || raw.ModelType == "qwen3" {
		sliding = raw.UseSliding && width != nil // which layers do is max_window_layers' business: some may
	}
	if raw.LayerTypes != nil {
		sliding = false
	}
	for _, kind := range raw.LayerTypes {
		switch kind {
		case "full_attention":
		case "sliding_attention":
			sliding = true
		default:
			return 0, fmt.Errorf("layer_types has %q; full_attention and sliding_attention are computed", kind)
		}
	}
	switch {
	case !sliding:
		return 0, nil
	case width == nil || *width < 1:
		return 0, fmt.Errorf("sliding_window is none, and layers are to attend within it; want a number")
	}
	return *width, nil
}

// JSON returns the config.json that Hugging Face's transformers reads, with the tokens that end a text and the name of
// the type the weights are stored in.
func (c Config) JSON(end []int32, dtype string) []byte {
	arch := map[string]string{"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM",
		"qwen3": "Qwen3ForCausalLM"}[c.ModelType]
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
		Scaling   *ropeJSON `json:"rope_scaling,omitempty"`
		HiddenAct string    `json:"hidden_act"`
		AttnBias  bool      `json:"attention_bias"`
		Dropout   float64   `json:"attention_dropout"`
		DType     string    `json:"torch_dtype"`
		End       any       `json:"eos_token_id"`
	}{Architectures: []string{arch}, Config: c, Scaling: c.Rope.json(), HiddenAct: "silu", DType: dtype, End: eos},
		"", "  ")
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
		{"num_hidden_layers", c.Layers, maxLayers}, {"num_attention_heads", c.Heads, maxDim},
		{"num_key_value_heads", c.KVHeads, maxDim},
		{"head_dim", c.HeadDim, maxDim}, {"max_position_embeddings", c.MaxContext, 1 << 24},
	} {
		if f.v < 1 || f.v > f.max {
			return fmt.Errorf("%s is %d, want 1 to %d", f.name, f.v, f.max)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		return fmt.Errorf("num_key_value_heads is %d, want a divisor of num_attention_heads %d", c.KVHeads, c.Heads)
	case c.Inputs < 0 || c.Inputs > maxDim || c.Inputs > 0 && c.Tied:
		return fmt.Errorf("inputs is %d, want 0 to %d, and none where the head is the embedding", c.Inputs, maxDim)
	case c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim is %d, want an even number", c.HeadDim)
	case !(c.Epsilon >= 0 && c.Epsilon < 1):
		return fmt.Errorf("rms_norm_eps is %g, want 0 to 1", c.Epsilon)
	case !(c.Theta >= 1 && c.Theta < 1e12):
		return fmt.Errorf("rope_theta is %g, want 1 to 1e12", c.Theta)
	}
	if err := c.Rope.validate(); err != nil {
		return err
	}
	if n := c.Matrices(); n > maxParams {
		return fmt.Errorf("the sizes make %s parameters, want at most %d", figure.Digits(n, 3), maxParams)
	}
	return nil
}

// Matrices is the number of parameters in matrices, nearly all there are; in float64, as hostile sizes overflow an int.
func (c Config) Matrices() float64 {
	layer := float64(c.Hidden)*float64(2*c.Heads+2*c.KVHeads)*float64(c.HeadDim) + 3*float64(c.Hidden)*float64(c.Inner)
	heads := float64(c.entries())
	if !c.Tied {
		heads += float64(c.Vocab)
	}
	return float64(c.Layers)*layer + heads*float64(c.Hidden)
}

// entries is the number of rows of the matrix by which tokens or vectors enter.
func (c Config) entries() int {
	if c.Inputs > 0 {
		return c.Inputs
	}
	return c.Vocab
}

func (c Config) qWidth() int   { return c.Heads * c.HeadDim }
func (c Config) kvWidth() int  { return c.KVHeads * c.HeadDim }
func (c Config) qkvWidth() int { return c.qWidth() + 2*c.kvWidth() }

// attentionScale is what a query's product with a key is multiplied by.
func (c Config) attentionScale() float32 { return float32(1 / math.Sqrt(float64(c.HeadDim))) }
