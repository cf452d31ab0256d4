package transformer

import "hallmark/internal/transformer/kernel"

// A cache holds the keys and values of one sequence, by layer and head: keys as HeadDim × room, values as room × HeadDim.
type cache struct {
	m            *Model
	room         int
	n            int // tokens of all layers that are in
	keys, values []float32
}

func (m *Model) newCache(room int) *cache {
	n := m.cfg.Layers * m.cfg.kvWidth() * room
	return &cache{m: m, room: room, keys: make([]float32, n), values: make([]float32, n)}
}

// at is the offset of a layer's head.
func (c *cache) at(layer, kv int) int {
	return (layer*c.m.cfg.KVHeads + kv) * c.m.cfg.HeadDim * c.room
}

// append stores the keys and values of n rows of q, k, v after those that are in. The caller moves c.n once all
// layers have done so.
func (c *cache) append(layer int, qkv []float32, n int) { c.store(layer, c.n, qkv, n) }

// store is append at position pos.
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
