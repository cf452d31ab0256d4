package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/engine/kernel"
)

// sequences draws token sequences that share prefixes of prefixes, some equal.
func sequences(t *rapid.T, vocab int) [][]int32 {
	token := rapid.Int32Range(0, int32(vocab-1))
	all := [][]int32{rapid.SliceOfN(token, 1, 30).Draw(t, "first")}
	for range rapid.IntRange(0, 12).Draw(t, "more") {
		old := rapid.SampledFrom(all).Draw(t, "like")
		s := slices.Concat(old[:rapid.IntRange(0, len(old)).Draw(t, "shared")], rapid.SliceOfN(token, 0, 12).Draw(t, "own"))
		if len(s) > 0 {
			all = append(all, s[:min(len(s), 79)])
		}
	}
	return rapid.Permutation(all).Draw(t, "order")
}

// anyModel draws one of the test models; they keep the pasts of earlier draws, as a run's model does.
func anyModel(tb testing.TB) func(t *rapid.T) *Model {
	names := slices.Sorted(maps.Keys(shapes()))
	models := map[string]*Model{}
	for _, name := range names {
		models[name] = randomised(tb, shapes()[name])
	}
	return func(t *rapid.T) *Model { return models[rapid.SampledFrom(names).Draw(t, "model")] }
}

// TestWalkIsEachBranchAlone: logits and kept caches are the same bits as those of one pass over the one
// sequence, whatever is shared, however few rows fit in a pass, and whatever walk came before.
func TestWalkIsEachBranchAlone(t *testing.T) {
	model := anyModel(t)
	rapid.Check(t, func(t *rapid.T) {
		m := model(t)
		rows := rapid.IntRange(1, 100).Draw(t, "rows of a pass")
		var branches []branch
		for i, s := range sequences(t, m.cfg.Vocab) {
			b := branch{tokens: s, from: rapid.IntRange(0, len(s)-1).Draw(t, "from")}
			if i%2 == 0 {
				b.keep = m.newCache(len(s), len(s))
			}
			branches = append(branches, b)
		}
		type place struct{ i, pos int }
		seen := map[place]int{}
		err := m.walkBy(rows, branches, func(i, pos int, logits []float32) error {
			seen[place{i, pos}]++
			want, err := m.Logits(branches[i].tokens[:pos+1])
			if err != nil {
				return err
			}
			if !sameBits(logits, want[pos]) {
				t.Fatalf("branch %d of %v, token %d: not the bits of the branch alone", i, branches, pos)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range branches {
			for pos := range b.tokens {
				if want := map[bool]int{true: 1}[pos >= b.from]; seen[place{i, pos}] != want {
					t.Fatalf("branch %d, token %d: visited %d times, want %d", i, pos, seen[place{i, pos}], want)
				}
			}
			if b.keep == nil {
				continue
			}
			alone := m.newCache(len(b.tokens), len(b.tokens))
			lone := Model{cfg: m.cfg, weights: m.weights, layers: m.layers, embed: m.embed, norm: m.norm, head: m.head,
				packed: m.packed}
			lone.scratch.New = m.scratch.New
			if err := lone.walk([]branch{{b.tokens, 0, alone}}, func(int, int, []float32) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if !sameBits(alone.keys, b.keep.keys) || !sameBits(alone.values, b.keep.values) {
				t.Fatalf("branch %d: kept keys or values are not those of the branch alone", i)
			}
		}
	})
}

// TestScoreBatchIsScore: queries together give the bits of each continuation alone, on every path.
func TestScoreBatchIsScore(t *testing.T) {
	model := anyModel(t)
	rapid.Check(t, func(t *rapid.T) {
		m := model(t)
		var queries []Query
		for _, s := range sequences(t, m.cfg.Vocab) {
			cut := rapid.IntRange(1, len(s)).Draw(t, "prompt")
			q := Query{Prompt: s[:cut]}
			for range rapid.IntRange(0, 3).Draw(t, "continuations") {
				q.Continuations = append(q.Continuations, s[cut:cut+rapid.IntRange(0, len(s)-cut).Draw(t, "tokens")])
			}
			queries = append(queries, q)
		}
		got, err := m.ScoreBatch(queries)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range queries {
			for j, c := range q.Continuations {
				m.pasts.forget()
				want, err := m.Score(q.Prompt, [][]int32{c})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got[i][j], want[0]) {
					t.Fatalf("query %d, continuation %d: %v in a batch, %v alone", i, j, got[i][j], want[0])
				}
			}
		}
	})
}

// TestWalkComputesSharedTokensOnce: the rows of the passes are the tokens of the trie, and a second walk pays only for
// what the first did not end with.
func TestWalkComputesSharedTokensOnce(t *testing.T) {
	m := randomised(t, shapes()["llama"])
	r := rand.New(rand.NewPCG(8, 8))
	stem := randomTokens(r, m.cfg.Vocab, 30)
	var branches []branch
	for i := range int32(10) {
		tokens := slices.Concat(stem, []int32{i, 1, 2})
		b := branch{tokens: tokens, from: len(tokens) - 1}
		branches = append(branches, b, b) // twice, as two samples of one prompt are
	}
	for _, c := range []struct{ rows, want int }{{100, 30 + 10*3}, {7, 10 * 3}} {
		w := m.newWalk(c.rows, branches)
		computed := 0
		for w.fill() {
			if computed += len(w.b.tokens); len(w.b.tokens) > c.rows {
				t.Errorf("a pass of %d rows, want at most %d", len(w.b.tokens), c.rows)
			}
			w.run()
			if err := w.visit(func(int, int, []float32) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		m.put(w.b)
		m.pasts.put(w.past)
		if computed != c.want {
			t.Errorf("passes of %d: %d tokens computed, want %d", c.rows, computed, c.want)
		}
	}
}

// TestPastsAreForgotten: what was computed with other weights is of no use.
func TestPastsAreForgotten(t *testing.T) {
	m := randomised(t, shapes()["llama"])
	score := func() []float64 {
		s, err := m.Score([]int32{1, 2, 3, 4}, [][]int32{{5, 6}})
		if err != nil {
			t.Fatal(err)
		}
		return s[0]
	}
	before := score()
	for i := range m.weights {
		m.weights[i] *= 1.5
	}
	m.Changed(1)
	fresh := randomised(t, shapes()["llama"])
	copy(fresh.weights, m.weights)
	fresh.Changed(1)
	want, err := fresh.Score([]int32{1, 2, 3, 4}, [][]int32{{5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	if after := score(); !slices.Equal(after, want[0]) || slices.Equal(after, before) {
		t.Errorf("scores %v before and %v after the weights changed, want %v", before, after, want[0])
	}
	old := m.pasts.take(m, []int32{1})
	m.Changed(1)
	m.pasts.put(old)
	if len(m.pasts.idle) > 0 {
		t.Error("a past of a walk that saw the weights change is kept")
	}
}

// TestGenerateBatchIsGenerateAtRandom: sampled answers to prompts that share prefixes, some equal, are those of each
// prompt alone.
func TestGenerateBatchIsGenerateAtRandom(t *testing.T) {
	model := anyModel(t)
	rapid.Check(t, func(t *rapid.T) {
		m := model(t)
		prompts := sequences(t, m.cfg.Vocab)
		opts := make([]GenerateOptions, len(prompts))
		for i := range opts {
			opts[i] = GenerateOptions{
				MaxTokens: rapid.IntRange(0, 8).Draw(t, "tokens"), Temperature: rapid.SampledFrom([]float64{0, 1}).Draw(t,
					"temperature"), Seed: uint64(i),
			}
		}
		batch, err := continued(m, prompts, opts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range prompts {
			m.pasts.forget()
			one, err := m.Generate(prompts[i], opts[i])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one, batch[i]) {
				t.Fatalf("prompt %d: alone %v, in a batch %v", i, one, batch[i])
			}
		}
	})
}

// BenchmarkScoreBatch is the shape of a multiple-choice benchmark: many questions after one of a few orders of the
// same demonstrations, each with four options; and the same with one pass for every option.
func BenchmarkScoreBatch(b *testing.B) {
	m, err := New(floor, 1)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	var queries []Query
	for range 6 {
		demonstrations := randomTokens(r, floor.Vocab, 90)
		for range 8 {
			q := Query{Prompt: slices.Concat(demonstrations, randomTokens(r, floor.Vocab, 12))}
			for range 4 {
				q.Continuations = append(q.Continuations, randomTokens(r, floor.Vocab, 8))
			}
			queries = append(queries, q)
		}
	}
	r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	for _, p := range kernel.Paths()[1:] {
		b.Run(fmt.Sprint("trie/", p), func(b *testing.B) {
			defer kernel.Use(kernel.Current())
			kernel.Use(p)
			for b.Loop() {
				if _, err := m.ScoreBatch(queries); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("alone/", p), func(b *testing.B) {
			defer kernel.Use(kernel.Current())
			kernel.Use(p)
			for b.Loop() {
				for _, q := range queries {
					for _, c := range q.Continuations {
						m.pasts.forget()
						if _, err := m.Score(q.Prompt, [][]int32{c}); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}
