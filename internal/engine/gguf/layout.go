package gguf

import (
	"strings"

	"hallmark/internal/engine"
)

// A place says how a tensor of a Hugging Face folder is kept in a GGUF file.
type place struct {
	hf, gguf string // its name in either
	shape    []int
	heads    int // above 0: the rows of each of so many heads are interleaved, see source
}

// names are llama.cpp's of the tensors, those of a layer without its number.
var names = map[string]string{
	"model.embed_tokens": "token_embd", "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q",
	"self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.q_norm": "attn_q_norm",
	"self_attn.k_norm": "attn_k_norm", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
	"mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "model.norm": "output_norm",
	"lm_head": "output",
}

// layout lists the tensors of a model.
func layout(c engine.Config) []place {
	var heads map[string]int
	if c.ModelType == "llama" {
		heads = map[string]int{"self_attn.q_proj": c.Heads, "self_attn.k_proj": c.KVHeads}
	}
	var list []place
	for _, t := range c.Tensors() {
		dot := strings.LastIndexByte(t.Name, '.')
		name, kind, block := t.Name[:dot], t.Name[dot:], "" // kind is .weight or .bias
		if rest, ok := strings.CutPrefix(name, "model.layers."); ok {
			block, name, _ = strings.Cut(rest, ".")
			block = "blk." + block + "."
		}
		list = append(list, place{t.Name, block + names[name] + kind, t.Shape, heads[name]})
	}
	return list
}

// source returns which row of the Hugging Face tensor is row i of the GGUF one. Rotary position turns pairs of a
// head's elements: Hugging Face pairs element j with j + half a head, llama.cpp's llama architecture 2j with 2j+1, so a
// head's rows 0, h, 1, h+1, … follow one another. Its qwen architectures pair as Hugging Face does.
func (p place) source(i int) int {
	if p.heads == 0 {
		return i
	}
	dim := p.shape[0] / p.heads
	head, j := i/dim*dim, i%dim
	return head + j/2 + j%2*(dim/2)
}
