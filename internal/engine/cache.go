package engine

import "hallmark/internal/engine/kernel"

// A cache holds the keys and values of one sequence, by layer and head: values as room × HeadDim, keys transposed, in
// panels of 32 tokens as the product with a query reads them.
type cache struct {
	m            *Model
	room, most   int // tokens there is room for at present, whole panels; that there ever need be
	n            int // tokens that are in
	keys, values []float32
}

func (m *Model) newCache(room, most int) *cache {
	room = (room + kernel.PanelCols - 1) / kernel.PanelCols * kernel.PanelCols
	n := m.cfg.Layers * m.cfg.kvWidth() * room
	return &cache{m: m, room: room, most: most, keys: make([]float32, n), values: make([]float32, n)}
}

// reserve makes room for n tokens.
func (c *cache) reserve(n int) {
	if n <= c.room {
		return
	}
	big := c.m.newCache(max(n, min(2*c.room, c.most)), c.most)
	for layer := range c.m.cfg.Layers {
		big.copy(layer, c, c.n)
	}
	c.room, c.keys, c.values = big.room, big.keys, big.values
}

// copy puts in the first n keys and values that from has of a layer. The caller moves c.n once all layers are in.
func (c *cache) copy(layer int, from *cache, n int) {
	hd := c.m.cfg.HeadDim
	whole := n / kernel.PanelCols * kernel.PanelCols
	for kv := range c.m.cfg.KVHeads {
		to, at := c.at(layer, kv), from.at(layer, kv)
		copy(c.values[to:], from.values[at:at+n*hd])
		copy(c.keys[to:], from.keys[at:at+whole*hd])
		if whole == n {
			continue
		}
		for j := range hd { // of the panel that is not full
			row := whole*hd + j*kernel.PanelCols
			copy(c.keys[to+row:], from.keys[at+row:][:n-whole])
		}
	}
}

// at is the offset of a layer's head.
func (c *cache) at(layer, kv int) int {
	return (layer*c.m.cfg.KVHeads + kv) * c.m.cfg.HeadDim * c.room
}

// store puts in the keys and values of n rows of q, k, v, at positions pos and on. The caller moves c.n once all
// layers are in.
func (c *cache) store(layer, pos int, qkv []float32, n int) {
	cfg := c.m.cfg
	hd, w := cfg.HeadDim, cfg.qkvWidth()
	for kv := range cfg.KVHeads {
		at := c.at(layer, kv)
		values := c.values[at+pos*hd:]
		for i := range n {
			panel := c.keys[at+(pos+i)/kernel.PanelCols*kernel.PanelCols*hd:][:kernel.PanelCols*hd]
			lane := (pos + i) % kernel.PanelCols
			for j, v := range qkv[i*w+(cfg.Heads+kv)*hd:][:hd] {
				panel[j*kernel.PanelCols+lane] = v
			}
			copy(values[i*hd:(i+1)*hd], qkv[i*w+(cfg.Heads+cfg.KVHeads+kv)*hd:])
		}
	}
}

// view returns the first n keys and values of a head.
func (c *cache) view(layer, kv, n int) (keys, values kernel.Matrix) {
	at, hd := c.at(layer, kv), c.m.cfg.HeadDim
	return kernel.Panels(c.keys[at:], hd, n), kernel.RowMajor(c.values[at:], n, hd, hd)
}

// attend computes the attention of one token, whose keys and values are the last of the n that are in, from its row of
// q, k, v; scores has room for n numbers for each query head, rounded up to whole panels.
func (c *cache) attend(att, qkv []float32, layer, n int, scores []float32) {
	cfg, ld := c.m.cfg, (n+kernel.PanelCols-1)/kernel.PanelCols*kernel.PanelCols
	hd, group, scale := cfg.HeadDim, cfg.Heads/cfg.KVHeads, cfg.attentionScale()
	if group == 1 && hd%kernel.PanelCols == 0 { // all heads at once
		keys, values := c.keys[c.at(layer, 0):], c.values[c.at(layer, 0):]
		for at := 0; at < n; at += kernel.PanelCols {
			kernel.Heads(scores[at:], ld, qkv, hd, keys[at*hd:], c.room*hd, kernel.PanelCols, cfg.Heads, hd)
		}
		for h := range cfg.Heads {
			kernel.Softmax(scores[h*ld:][:n], scale)
		}
		for at := 0; at < hd; at += kernel.PanelCols {
			kernel.Heads(att[at:], hd, scores, ld, values[at:], c.room*hd, hd, cfg.Heads, n)
		}
		return
	}
	for kv := range cfg.KVHeads {
		keys, values := c.view(layer, kv, n)
		first := kv * group * hd // of the query heads that share the keys
		kernel.Gemm(scores, ld, qkv[first:], hd, 1, group, keys, false)
		for h := range group {
			kernel.Softmax(scores[h*ld:][:n], scale)
		}
		kernel.Gemm(att[first:], hd, scores, ld, 1, group, values, false)
	}
}
