package engine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A sequence's tokens, log-probabilities and alternatives are those it has alone, whenever it joins and whoever is
// under way with it.
func TestDecoderGivesTheBitsOfOne(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		r := rand.New(rand.NewPCG(6, 6))
		stem := randomTokens(r, c.Vocab, 20)
		var asks []Ask
		for i := range 24 {
			a := Ask{Prompt: slices.Concat(stem[:r.IntN(20)], randomTokens(r, c.Vocab, 1+r.IntN(30))), LogProbs: i%3 == 0}
			a.Generate = GenerateOptions{MaxTokens: i % 7, Temperature: float64(i % 2), Seed: uint64(i), TopLogprobs: i % 4,
				Stop: []int32{3}}
			asks = append(asks, a, a) // twins: the same again, elsewhere in time
		}
		asks = append(asks, Ask{Prompt: stem[:1], LogProbs: true}, Ask{Prompt: randomTokens(r, c.Vocab, c.MaxContext),
			Generate: GenerateOptions{MaxTokens: 5}})
		r.Shuffle(len(asks), func(i, j int) { asks[i], asks[j] = asks[j], asks[i] })

		d := m.NewDecoder()
		var all []*Sequence
		for rest := asks; len(rest) > 0 || d.Active() > 0; {
			n := min(len(rest), r.IntN(6))
			all = append(all, d.Join(rest[:n])...)
			rest = rest[n:]
			for _, s := range d.Step() {
				if !slices.Contains(all, s) {
					t.Fatalf("%s: a step returned a sequence nobody joined", name)
				}
			}
		}
		for i, s := range all {
			a := asks[i]
			if s.Err != nil || !s.Done() {
				t.Fatalf("%s: ask %d: done %v, %v", name, i, s.Done(), s.Err)
			}
			want, err := m.Generate(a.Prompt, a.Generate)
			if err != nil || !reflect.DeepEqual(s.Generation(), want) {
				t.Errorf("%s: ask %d: %+v, alone %+v, %v", name, i, s.Generation(), want, err)
			}
			if !a.LogProbs {
				if s.LogProbs != nil {
					t.Errorf("%s: ask %d has log-probabilities nobody asked for", name, i)
				}
				continue
			}
			scores, err := m.Score(a.Prompt[:1], [][]int32{a.Prompt[1:]})
			if err != nil || !slices.Equal(s.LogProbs[1:], scores[0]) || s.LogProbs[0] != 0 {
				t.Errorf("%s: ask %d: scores %v, alone %v, %v", name, i, s.LogProbs, scores, err)
			}
			for j, top := range s.Top {
				if want := a.Generate.TopLogprobs; j > 0 && len(top) != want || j == 0 && top != nil {
					t.Errorf("%s: ask %d: %d alternatives at %d, want %d", name, i, len(top), j, want)
				}
				if len(top) > 0 && top[0].LogProb < s.LogProbs[j] {
					t.Errorf("%s: ask %d: the likeliest alternative at %d is less likely than the token", name, i, j)
				}
			}
		}
	}
}

func TestDecoderRefusesOneAndTakesTheOthers(t *testing.T) {
	c := shapes()["llama"]
	m := randomised(t, c)
	d := m.NewDecoder()
	good := Ask{Prompt: []int32{1, 2}, Generate: GenerateOptions{MaxTokens: 3}}
	all := d.Join([]Ask{{}, good, {Prompt: []int32{-1}}, {Prompt: []int32{1}, Generate: GenerateOptions{Temperature: -1}}})
	for d.Active() > 0 {
		d.Step()
	}
	for i, s := range all {
		if (s.Err == nil) != (i == 1) || !s.Done() {
			t.Errorf("ask %d: %v, done %v", i, s.Err, s.Done())
		}
	}
	if got := len(all[1].Generation().Tokens); got != 3 {
		t.Errorf("%d tokens, want 3", got)
	}
	if len(d.Step()) != 0 {
		t.Error("a step without sequences returned some")
	}
}

func TestHiddenIsTheLastState(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		tokens := randomTokens(rand.New(rand.NewPCG(7, 7)), c.Vocab, 40)
		eachPath(t, func() {
			_, states, err := m.States(tokens)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Hidden(tokens)
			if err != nil || !sameBits(got, states[len(tokens)-1]) {
				t.Errorf("%s: hidden %v, want %v, %v", name, got, states[len(tokens)-1], err)
			}
		})
		if _, err := m.Hidden(nil); err == nil {
			t.Errorf("%s: no error for no tokens", name)
		}
	}
}
