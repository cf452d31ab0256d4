package gguf

import (
	"fmt"

	"hallmark/internal/engine"
)

// A place says how a tensor of a Hugging Face folder is kept in a GGUF file.
type place struct {
	hf, gguf string // its name in either
	shape    []int
	heads    int // above 0: the rows of each of so many heads are interleaved, see swap
}

// layout lists the tensors of a model.
func layout(c engine.Config) []place {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	var list []place
	add := func(hf, gguf string, heads int, shape ...int) { list = append(list, place{hf, gguf, shape, heads}) }
	qHeads, kvHeads := c.Heads, c.KVHeads
	if c.ModelType != "llama" {
		qHeads, kvHeads = 0, 0
	}
	add("model.embed_tokens.weight", "token_embd.weight", 0, c.Vocab, c.Hidden)
	for i := range c.Layers {
		layer := func(hf, gguf string, heads int, shape ...int) {
			add(fmt.Sprintf("model.layers.%d.%s", i, hf), fmt.Sprintf("blk.%d.%s", i, gguf), heads, shape...)
		}
		layer("input_layernorm.weight", "attn_norm.weight", 0, c.Hidden)
		layer("self_attn.q_proj.weight", "attn_q.weight", qHeads, q, c.Hidden)
		layer("self_attn.k_proj.weight", "attn_k.weight", kvHeads, kv, c.Hidden)
		layer("self_attn.v_proj.weight", "attn_v.weight", 0, kv, c.Hidden)
		if c.QKVBias() {
			layer("self_attn.q_proj.bias", "attn_q.bias", qHeads, q)
			layer("self_attn.k_proj.bias", "attn_k.bias", kvHeads, kv)
			layer("self_attn.v_proj.bias", "attn_v.bias", 0, kv)
		}
		if c.QKNorm() {
			layer("self_attn.q_norm.weight", "attn_q_norm.weight", 0, c.HeadDim)
			layer("self_attn.k_norm.weight", "attn_k_norm.weight", 0, c.HeadDim)
		}
		layer("self_attn.o_proj.weight", "attn_output.weight", 0, c.Hidden, q)
		layer("post_attention_layernorm.weight", "ffn_norm.weight", 0, c.Hidden)
		layer("mlp.gate_proj.weight", "ffn_gate.weight", 0, c.Inner, c.Hidden)
		layer("mlp.up_proj.weight", "ffn_up.weight", 0, c.Inner, c.Hidden)
		layer("mlp.down_proj.weight", "ffn_down.weight", 0, c.Hidden, c.Inner)
	}
	add("model.norm.weight", "output_norm.weight", 0, c.Hidden)
	if !c.Tied {
		add("lm_head.weight", "output.weight", 0, c.Vocab, c.Hidden)
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
