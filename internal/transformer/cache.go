package transformer

import "hallmark/internal/transformer/kernel"

// A cache holds the keys and values of one sequence, by layer and head: keys as HeadDim × room, values as room × HeadDim.
type cache struct {
	m            *Model
	room, most   int // tokens there is room for at present; that there ever need be
	n            int // tokens that are in
	keys, values []float32
}

func (m *Model) newCache(room, most int) *cache {
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
	for kv := range c.m.cfg.KVHeads {
		to, at := c.at(layer, kv), from.at(layer, kv)
		for j := range hd {
			copy(c.keys[to+j*c.room:][:n], from.keys[at+j*from.room:][:n])
		}
		copy(c.values[to:][:n*hd], from.values[at:][:n*hd])
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
		keys, values := c.keys[at:at+hd*c.room], c.values[at+pos*hd:]
		for i := range n {
			for j, v := range qkv[i*w+(cfg.Heads+kv)*hd:][:hd] {
				keys[j*c.room+pos+i] = v
			}
			copy(values[i*hd:(i+1)*hd], qkv[i*w+(cfg.Heads+cfg.KVHeads+kv)*hd:])
		}
	}
}

// view returns the first n keys and values of a head.
func (c *cache) view(layer, kv, n int) (keys, values kernel.Matrix) {
	at, hd := c.at(layer, kv), c.m.cfg.HeadDim
	return kernel.RowMajor(c.keys[at:], hd, n, c.room), kernel.RowMajor(c.values[at:], n, hd, hd)
}
