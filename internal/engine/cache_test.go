package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTokenByTokenIsTheWhole: tokens read one at a time through a cache that grows give the logits of one pass, for
// heads of every kind: narrower and wider than a panel, alone and sharing keys.
func TestTokenByTokenIsTheWhole(t *testing.T) {
	for _, c := range []struct{ heads, kvHeads, headDim int }{{4, 2, 6}, {1, 1, 32}, {5, 5, 32}, {3, 3, 64}, {4, 2, 32},
		{2, 2, 48}} {
		m := randomised(t, Config{
			ModelType: "llama", Vocab: 19, Hidden: 12, Inner: 20, Layers: 2, Heads: c.heads, KVHeads: c.kvHeads,
			HeadDim:    c.headDim,
			MaxContext: 80, Epsilon: 1e-5, Theta: 100, Tied: true,
		})
		tokens := randomTokens(rand.New(rand.NewPCG(9, 9)), m.cfg.Vocab, 80)
		want, err := m.Logits(tokens)
		if err != nil {
			t.Fatal(err)
		}
		eachPath(t, func() {
			cache := m.newCache(1, len(tokens))
			for i, token := range tokens {
				cache.reserve(i + 1)
				b := m.get()
				b.tokens, b.segments, b.out = append(b.tokens, token),
					append(b.segments, segment{n: 1, pos: i, parent: -1, cache: cache}), append(b.out, 0)
				b.forward(nil)
				cache.n++
				if !sameBits(b.head(0, 1), want[i]) {
					t.Fatalf("%v: token %d has other logits through the cache", c, i)
				}
				m.put(b)
			}
		})
		short := m.newCache(50, 50)
		long := m.newCache(80, 80)
		if err := m.walk([]branch{{tokens[:50], 49, short}, {tokens, 79, long}}, func(int, int, []float32) error {
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		copied := m.newCache(50, 50)
		for layer := range m.cfg.Layers {
			copied.copy(layer, long, 50)
		}
		if !slices.Equal(copied.keys, short.keys) || !slices.Equal(copied.values, short.values) {
			t.Errorf("%v: the first half of a copied cache is not the cache of the first half", c)
		}
	}
}
