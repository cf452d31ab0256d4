package regression

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/engine"
	"hallmark/internal/engine/train"
	"hallmark/internal/metric/posterior/predictive"
)

var tiny = func() Recipe {
	r := Shipped
	r.Shape.Hidden, r.Shape.Inner, r.Shape.Layers, r.Shape.Heads, r.Shape.Window, r.Shape.Bins, r.Shape.Queries = 16, 32,
		2, 2, 24, 40, 4
	r.Stages = []Stage{{50, 8, 10}, {30, 4, 24}}
	r.Warmup, r.PeakLR = 10, 1e-2
	return r
}()

// tinyHash is the SHA-256 of the tiny model's weights, first made on linux/amd64 with AVX-512 and Go 1.26.8. It holds
// on every machine.
const tinyHash = "dd05246bdda37d134191060bbd13f7715c71816f96f49f5700c8c4cc8fda7a6e"

func folder(t *testing.T, files map[string][]byte) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	for name, data := range files {
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

func trained(t *testing.T, r Recipe) (*Model, map[string][]byte) {
	t.Helper()
	files, err := r.Train(context.Background(), 1, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(folder(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return m, files
}

// The loss falls from that of even bins, the bytes are the same for any number of workers, and for a training that was
// stopped and resumed.
func TestTrain(t *testing.T) {
	var losses []float64
	want, err := tiny.Train(context.Background(), 1, nil, nil, func(p train.Progress, steps int) {
		if steps != 80 {
			t.Fatalf("%d steps, want 80", steps)
		}
		losses = append(losses, p.Loss)
	})
	if err != nil {
		t.Fatal(err)
	}
	even := math.Log(40) + tiny.QueryWeight*math.Log(4)
	var last float64
	for _, l := range losses[70:] {
		last += l / 10
	}
	if math.Abs(losses[0]-even) > .2 || last > even-.7 {
		t.Errorf("the loss went from %g to %g, want from about %g down by .7", losses[0], last, even)
	}
	same := func(what string, got map[string][]byte) {
		t.Helper()
		if !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: other bytes", what)
		}
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(want[weightsFile])); got != tinyHash {
		t.Errorf("the weights are %s, want %s", got, tinyHash)
	}
	got, err := tiny.Train(context.Background(), 3, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("three workers", got)
	text, err := tiny.Text()
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	var kept []byte
	_, err = tiny.Train(context.Background(), 1, nil, func(s train.State) error {
		if s.Step < 55 {
			return nil
		}
		if kept, err = s.Encode(text); err != nil {
			t.Fatal(err)
		}
		return stop
	}, nil)
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	state, err := train.DecodeState(kept, text)
	if err != nil {
		t.Fatal(err)
	}
	if state.Step != 55 || state.Tokens != 50*80+5*96 {
		t.Errorf("the state is of step %d and %d pairs, want 55 and 4480", state.Step, state.Tokens)
	}
	if got, err = tiny.Train(context.Background(), 1, state, nil, nil); err != nil {
		t.Fatal(err)
	}
	same("resumed", got)
	other := tiny
	other.Seed++
	if text, err = other.Text(); err != nil {
		t.Fatal(err)
	}
	if _, err := train.DecodeState(kept, text); !errors.Is(err, train.ErrOtherRecipe) {
		t.Errorf("the state of another recipe: %v", err)
	}
	if _, err := train.DecodeState(kept[:40], text); err == nil {
		t.Error("half a state: no error")
	}
}

// A posterior predicts what the model predicts of the whole sequence in training, whatever is asked in between and
// beside.
func TestPosteriorIsTheModel(t *testing.T) {
	m, _ := trained(t, tiny)
	pairs := Draw(1, Test, 0).Pairs(20)
	lesson := tiny.lesson(pairs)
	var want []predictive.Binned
	lesson.Loss = func(_ int, out []float32, _ float32) float64 {
		p, _ := m.binned(out)
		want = append(want, p)
		return 0
	}
	if _, err := engine.NewTape(m.engine).GradientOf(make([]float32, m.engine.NumParams()), false,
		[]engine.Series{*lesson}, 1); err != nil {
		t.Fatal(err)
	}
	b := m.Begin()
	r := rand.New(rand.NewPCG(1, 1))
	for i, p := range pairs {
		got, err := b.Predict([]float64{-1, p.X, 1.5})
		if err != nil {
			t.Fatal(err)
		}
		for k := range got[1].P {
			if got[1].P[k] != want[i].P[k] {
				t.Fatalf("after %d pairs bin %d has %g, want %g", i, k, got[1].P[k], want[i].P[k])
			}
		}
		if i == 7 {
			chains, _, err := b.Extend(5, []*rand.Rand{r, r})
			if err != nil {
				t.Fatal(err)
			}
			if b.Pairs() != 7 || chains[0].Pairs() != 12 {
				t.Errorf("%d and %d pairs, want 7 and 12", b.Pairs(), chains[0].Pairs())
			}
		}
		if err := b.Learn(pairs[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

// A chain is the posterior after the pairs that it made up, alone or beside others.
func TestExtendIsLearning(t *testing.T) {
	m, _ := trained(t, tiny)
	b := m.Begin()
	if err := b.Learn(Draw(1, Test, 1).Pairs(4)); err != nil {
		t.Fatal(err)
	}
	stream := func(s uint64) *rand.Rand { return rand.New(rand.NewPCG(s, 9)) }
	_, drawn, err := b.Extend(6, []*rand.Rand{stream(2)})
	if err != nil {
		t.Fatal(err)
	}
	pairs := drawn[0]
	for _, p := range pairs {
		if math.Abs(p.X) > Range || math.Abs(p.Y) > m.Shape().Support {
			t.Errorf("pair %v lies outside", p)
		}
	}
	chains, _, err := b.Extend(6, []*rand.Rand{stream(1), stream(2), stream(3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Learn(pairs); err != nil {
		t.Fatal(err)
	}
	x := []float64{.25}
	all, err := m.Predict(append(chains, b), x)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range all[3][0].P {
		if all[1][0].P[k] != p {
			t.Fatalf("bin %d has %g, want %g", k, all[1][0].P[k], p)
		}
	}
	if all[0][0].P[20] == all[2][0].P[20] {
		t.Error("two chains are one")
	}
	if _, _, err := b.Extend(14, []*rand.Rand{stream(1)}); err == nil ||
		!strings.Contains(err.Error(), "24 pairs; the model's window takes 23") {
		t.Errorf("beyond the window: %v", err)
	}
	if err := b.Learn(make([]Pair, 14)); err == nil {
		t.Error("a context beyond the window: no error")
	}
	if _, _, err := m.Begin().Extend(3, []*rand.Rand{stream(1)}); err != nil {
		t.Errorf("from nothing: %v", err)
	}
}

func TestOpenRefusals(t *testing.T) {
	r := tiny
	r.Stages = []Stage{{1, 1, 4}}
	_, good := trained(t, r)
	for _, tt := range []struct{ name, file, from, to, want string }{
		{"another format", configFile, "regression/1", "regression/9", "format is"},
		{"a field of another", configFile, `"bins"`, `"bims"`, "unknown field"},
		{"no heads", configFile, `"num_attention_heads": 2`, `"num_attention_heads": 0`, "num_attention_heads"},
		{"huge", configFile, `"hidden_size": 16`, `"hidden_size": 1000000`, "parameters"},
		{"another size", configFile, `"intermediate_size": 32`, `"intermediate_size": 30`, "numbers, want"},
		{"more layers", configFile, `"num_hidden_layers": 2`, `"num_hidden_layers": 3`, "parameters"},
		{"fewer layers", configFile, `"num_hidden_layers": 2`, `"num_hidden_layers": 1`, "none of the model's"},
		{"a tensor of another name", weightsFile, "lm_head.weight", "lm_heat.weight", "is missing"},
		{"no support", configFile, `"support": 5`, `"support": 0`, "support is 0"},
		{"no window", configFile, `"window": 24`, `"window": 1`, "window is 1"},
	} {
		files := maps.Clone(good)
		data := bytes.Replace(files[tt.file], []byte(tt.from), []byte(tt.to), 1)
		if bytes.Equal(data, files[tt.file]) {
			t.Fatalf("%s: nothing replaced", tt.name)
		}
		files[tt.file] = data
		if _, err := Open(folder(t, files)); err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), tt.file) && !strings.Contains(err.Error(), weightsFile) {
			t.Errorf("%s: %v, want an error with %q and the file", tt.name, err, tt.want)
		}
	}
	if _, err := Open(fstest.MapFS{}); err == nil {
		t.Error("an empty folder: no error")
	}
	bad := tiny
	bad.Stages = []Stage{{5, 1, 99}}
	if _, err := bad.Train(context.Background(), 1, nil, nil, nil); err == nil {
		t.Error("sequences beyond the window: no error")
	}
}

func FuzzOpen(f *testing.F) {
	r := tiny
	r.Stages = []Stage{{1, 1, 4}}
	files, err := r.Train(context.Background(), 1, nil, nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(files[configFile], files[weightsFile])
	f.Add([]byte("{}"), []byte("12345678"))
	f.Fuzz(func(t *testing.T, config, weights []byte) {
		m, err := Open(fstest.MapFS{configFile: &fstest.MapFile{Data: config}, weightsFile: &fstest.MapFile{Data: weights}})
		if err != nil {
			return
		}
		if _, err := m.Begin().Predict([]float64{0}); err != nil && !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
	})
}
