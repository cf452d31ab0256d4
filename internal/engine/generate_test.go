package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/engine/kernel"
)

func eachPath(t testing.TB, f func()) {
	t.Helper()
	old := kernel.Current()
	defer kernel.Use(old)
	for _, p := range kernel.Paths() {
		if err := kernel.Use(p); err != nil {
			t.Fatal(err)
		}
		f()
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestRowsDoNotDependOnTheirBatch: a token's logits are the same bits whatever follows it and on every path.
func TestRowsDoNotDependOnTheirBatch(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		tokens := randomTokens(rand.New(rand.NewPCG(4, 4)), c.Vocab, 70)
		var want [][]float32
		eachPath(t, func() {
			all, err := m.Logits(tokens)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = all
			}
			for _, n := range []int{1, 2, 7, 31, 32, 33, 64, 70} {
				part, err := m.Logits(tokens[:n])
				if err != nil {
					t.Fatal(err)
				}
				if !sameBits(part[n-1], all[n-1]) || !sameBits(part[n-1], want[n-1]) {
					t.Fatalf("%s, %v: logits after %d tokens change with what follows", name, kernel.Current(), n)
				}
			}
		})
	}
}

func TestScoreIsTheLogits(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		r := rand.New(rand.NewPCG(5, 5))
		prompt := randomTokens(r, c.Vocab, 40)
		stem := randomTokens(r, c.Vocab, 3)
		continuations := [][]int32{
			randomTokens(r, c.Vocab, 1), slices.Concat(stem, randomTokens(r, c.Vocab, 2)), stem,
			slices.Concat(stem, randomTokens(r, c.Vocab, 4)),
			{}, randomTokens(r, c.Vocab, 35), stem,
		}
		eachPath(t, func() {
			got, err := m.Score(prompt, continuations)
			if err != nil {
				t.Fatal(err)
			}
			for i, cont := range continuations {
				logits, err := m.Logits(slices.Concat(prompt, cont))
				if err != nil {
					t.Fatal(err)
				}
				if len(got[i]) != len(cont) {
					t.Fatalf("%s: %d scores for %d tokens", name, len(got[i]), len(cont))
				}
				for j, token := range cont {
					row := logits[len(prompt)+j-1]
					if want := float64(row[token]) - logSumExp(row, make([]float32, c.Vocab)); got[i][j] != want {
						t.Fatalf("%s: continuation %d, token %d scores %v, alone %v", name, i, j, got[i][j], want)
					}
				}
			}
		})
	}
}

// TestLogSumExp by hand: ln(e⁰ + e^ln2 + e^ln5) = ln 8.
func TestLogSumExp(t *testing.T) {
	got := logSumExp([]float32{0, float32(math.Ln2), float32(math.Log(5))}, make([]float32, 3))
	if math.Abs(got-math.Log(8)) > 1e-6 {
		t.Errorf("logSumExp = %g, want %g", got, math.Log(8))
	}
}

func TestGenerateTakesTheLikeliest(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		prompt := randomTokens(rand.New(rand.NewPCG(6, 6)), c.Vocab, 9)
		got, err := m.Generate(prompt, GenerateOptions{MaxTokens: 60, TopLogprobs: 3})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Tokens) != 60 || got.Finish != FinishLength {
			t.Fatalf("%s: %d tokens, %q", name, len(got.Tokens), got.Finish)
		}
		logits, err := m.Logits(slices.Concat(prompt, got.Tokens))
		if err != nil {
			t.Fatal(err)
		}
		scores, err := m.Score(prompt, [][]int32{got.Tokens})
		if err != nil {
			t.Fatal(err)
		}
		for i, token := range got.Tokens {
			row := logits[len(prompt)-1+i]
			if want := int32(slices.Index(row, slices.Max(row))); token != want {
				t.Fatalf("%s: token %d is %d, likeliest %d", name, i, token, want)
			}
			if top := got.Top[i]; len(top) != 3 || top[0] != (TokenLogProb{token, got.LogProbs[i]}) ||
				top[1].LogProb > top[0].LogProb {
				t.Fatalf("%s: token %d: top %v, taken %d %g", name, i, top, token, got.LogProbs[i])
			}
			if got.LogProbs[i] != scores[0][i] {
				t.Fatalf("%s: token %d: generated at %v, scored %v", name, i, got.LogProbs[i], scores[0][i])
			}
		}
	}
}

// continued is GenerateBatch of prompts that all can be met.
func continued(m *Model, prompts [][]int32, opts []GenerateOptions) ([]Generation, error) {
	asks := make([]Ask, len(prompts))
	for i, p := range prompts {
		asks[i] = Ask{Prompt: p, Generate: opts[i]}
	}
	var out []Generation
	for _, s := range m.GenerateBatch(asks) {
		if s.Err != nil {
			return nil, s.Err
		}
		out = append(out, s.Generation())
	}
	return out, nil
}

func TestGenerateBatchIsGenerate(t *testing.T) {
	for name, c := range shapes() {
		m := randomised(t, c)
		r := rand.New(rand.NewPCG(7, 7))
		stem := randomTokens(r, c.Vocab, 12)
		var prompts [][]int32
		var opts []GenerateOptions
		for i := range 11 {
			prompts = append(prompts, slices.Concat(stem[:i], randomTokens(r, c.Vocab, 1+i%3)))
			opts = append(opts, GenerateOptions{
				MaxTokens: 7 * i, Temperature: float64(i%4) / 2, TopP: float64(i%3) / 2, Seed: uint64(i), Stop: []int32{int32(i)},
				TopLogprobs: i % 2,
			})
		}
		opts[10].MaxTokens = 500 // to the end of the context
		prompts = append(prompts, prompts[9], stem[:4])
		opts = append(opts, opts[9], opts[4])
		var want []Generation
		eachPath(t, func() {
			batch, err := continued(m, prompts, opts)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = batch
			}
			if !reflect.DeepEqual(batch, want) {
				t.Fatalf("%s: %v generates otherwise", name, kernel.Current())
			}
		})
		for i := range prompts {
			one, err := m.Generate(prompts[i], opts[i])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one, want[i]) {
				t.Errorf("%s: prompt %d: alone %v, in a batch %v", name, i, one, want[i])
			}
		}
		if n := len(want[10].Tokens); want[10].Finish == FinishLength && n != c.MaxContext-len(prompts[10])+1 {
			t.Errorf("%s: %d tokens to the end of the context", name, n)
		}
	}
}

func TestSamplingFollowsTheModel(t *testing.T) {
	c := shapes()["llama"]
	m := randomised(t, c)
	prompt := []int32{3, 1, 4}
	logits, err := m.Logits(prompt)
	if err != nil {
		t.Fatal(err)
	}
	row := logits[2]
	const draws = 4000
	for _, topP := range []float64{0, 0.5} {
		count := make([]float64, c.Vocab)
		for seed := range uint64(draws) {
			g, err := m.Generate(prompt, GenerateOptions{MaxTokens: 1, Temperature: 1.5, TopP: topP, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			count[g.Tokens[0]]++
		}
		p := make([]float64, c.Vocab)
		order := make([]int, c.Vocab)
		sum := 0.0
		for i, v := range row {
			p[i], order[i] = math.Exp(float64(v)/1.5), i
			sum += p[i]
		}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, p[b]-p[a])) })
		mass := 0.0
		for _, i := range order {
			if topP > 0 && mass >= topP*sum {
				p[i] = 0
			}
			mass += p[i]
		}
		total := 0.0
		for _, x := range p {
			total += x
		}
		for i := range p {
			want := draws * p[i] / total
			if math.Abs(count[i]-want) > 5*math.Sqrt(want)+1 {
				t.Errorf("top-p %g: token %d drawn %g times, want about %g", topP, i, count[i], want)
			}
		}
	}
}

func TestStops(t *testing.T) {
	m := randomised(t, shapes()["llama"])
	free, err := m.Generate([]int32{1}, GenerateOptions{MaxTokens: 10})
	if err != nil {
		t.Fatal(err)
	}
	stop := free.Tokens[4]
	at := slices.Index(free.Tokens, stop)
	g, err := m.Generate([]int32{1}, GenerateOptions{MaxTokens: 10, Stop: []int32{stop}})
	if err != nil || g.Finish != FinishStop || !slices.Equal(g.Tokens, free.Tokens[:at+1]) {
		t.Errorf("stop token %d: %v, %v", stop, g, err)
	}
	g, err = m.Generate([]int32{1}, GenerateOptions{MaxTokens: 10, StopWhen: func(s []int32) bool { return len(s) == 3 }})
	if err != nil || g.Finish != FinishStop || len(g.Tokens) != 3 {
		t.Errorf("StopWhen: %v, %v", g, err)
	}
}

func TestRefusals(t *testing.T) {
	m := randomised(t, shapes()["llama"])
	long := make([]int32, 81)
	for name, err := range map[string]error{
		"empty prompt":     second(m.Generate(nil, GenerateOptions{})),
		"long prompt":      second(m.Generate(long, GenerateOptions{})),
		"token outside":    second(m.Generate([]int32{19}, GenerateOptions{})),
		"negative token":   second(m.Score([]int32{1}, [][]int32{{-1}})),
		"score, no prompt": second(m.Score(nil, [][]int32{{1}})),
		"score, too long":  second(m.Score(long[:80], [][]int32{{1, 1}})),
		"temperature":      second(m.Generate([]int32{1}, GenerateOptions{Temperature: math.NaN()})),
		"top-p":            second(m.Generate([]int32{1}, GenerateOptions{TopP: 2})),
		"logits, too long": second(m.Logits(long)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	m.weights[5] = float32(math.NaN())
	m.Changed(1)
	if _, err := m.Score([]int32{0}, [][]int32{{1}}); err == nil {
		t.Error("broken weights: no error")
	}
}

func second[T any](_ T, err error) error { return err }

// floor is the model the design's figures were measured on: about 0.9M parameters.
var floor = Config{
	ModelType: "llama", Vocab: 512, Hidden: 128, Inner: 352, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
	MaxContext: 128, Epsilon: 1e-5, Theta: 10000, Tied: true,
}

func BenchmarkGenerate(b *testing.B) {
	m, err := New(floor, 1)
	if err != nil {
		b.Fatal(err)
	}
	for i, w := range m.weights { // bfloat16, as stored weights are
		m.weights[i] = math.Float32frombits(math.Float32bits(w) &^ 0xffff)
	}
	m.Changed(1)
	for _, n := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("batch%d", n), func(b *testing.B) {
			prompts, opts := make([][]int32, n), make([]GenerateOptions, n)
			for i := range prompts {
				prompts[i], opts[i] = []int32{int32(i)}, GenerateOptions{MaxTokens: 120}
			}
			for b.Loop() {
				if _, err := continued(m, prompts, opts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(120*n*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkScore(b *testing.B) {
	m, err := New(floor, 1)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	prompt := randomTokens(r, 512, 100)
	var options [][]int32
	for range 4 {
		options = append(options, randomTokens(r, 512, 8))
	}
	b.Run("prompt128", func(b *testing.B) {
		for b.Loop() {
			m.pasts.forget()
			if _, err := m.Score(prompt, [][]int32{randomTokens(r, 512, 28)}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(127*b.N)/b.Elapsed().Seconds(), "tokens/s")
	})
	b.Run("fourOptionsTogether", func(b *testing.B) {
		for b.Loop() {
			m.pasts.forget()
			if _, err := m.Score(prompt, options); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fourOptionsOneByOne", func(b *testing.B) {
		for b.Loop() {
			for _, o := range options {
				m.pasts.forget()
				if _, err := m.Score(prompt, [][]int32{o}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
