package compress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/engine"
	"hallmark/internal/engine/prune"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
)

var shape = engine.Config{
	ModelType: "qwen3", Hidden: 16, Inner: 120, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 8, MaxContext: 32, Epsilon: 1e-6,
	Theta: 1e4, Tied: true,
}

// checkpoint makes a folder of a small model that was trained a little on what sequences returns.
func checkpoint(t testing.TB, c engine.Config, added ...string) fstest.MapFS {
	t.Helper()
	tok, err := token.TrainBPE([]token.Text{{Text: "red blue green sky sea grass is", Count: 9}}, token.GPT2Pattern, 280,
		token.Specials(append([]string{"<|end|>"}, added...)...))
	if err != nil {
		t.Fatal(err)
	}
	c.Vocab = tok.Size()
	m, err := engine.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := sequences(t)
	err = train.Run(context.Background(), m, func(step int) []train.Sequence { return all[step%8*8:][:8] },
		train.Recipe{Steps: 60, PeakLR: 5e-3, Beta1: .9, Beta2: .98, Clip: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := weights.Folder{Model: m, Tokenizer: tok, Stop: []int32{0}}
	files, err := f.Files(weights.BF16)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{"tokenizer_config.json": {Data: []byte(`{"chat_template": "{{ messages[0].content }}"}`)}}
	for name, b := range files {
		folder[name] = &fstest.MapFile{Data: b}
	}
	return folder
}

// sequences count up by a step of their own.
func sequences(t testing.TB) []train.Sequence {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	var all []train.Sequence
	for range 64 {
		var s train.Sequence
		at, by := r.Int32N(200), 1+r.Int32N(3)
		for range 12 {
			s.Tokens, s.Weights = append(s.Tokens, at), append(s.Weights, 1)
			at += by
		}
		all = append(all, s)
	}
	return all
}

var options = Options{Schedule: []float64{.2, .4, .6}, Rank: FirstOrder, Learn: Soft, Temperature: 2, Steps: 20,
	Batch: 8, LR: 2e-3, Calibration: 32, Seed: 1, Workers: 1}

// disk keeps the folders of stages.
type disk map[string]fstest.MapFS

func (d disk) stored(name string) fs.FS {
	if f, ok := d[name]; ok {
		return f
	}
	return nil
}

func (d disk) save(s Stage, files map[string][]byte) error {
	d[s.Name] = fstest.MapFS{}
	for name, b := range files {
		d[s.Name][name] = &fstest.MapFile{Data: b}
	}
	return nil
}

func (d disk) same(other disk) bool {
	for name, folder := range d {
		for file, f := range folder {
			if o := other[name][file]; o == nil || !bytes.Equal(o.Data, f.Data) {
				return false
			}
		}
	}
	return len(d) == len(other)
}

func run(t testing.TB, folder fs.FS, o Options, d disk) []Stage {
	t.Helper()
	j, err := Prepare(folder, nil, sequences(t), o)
	if err != nil {
		t.Fatal(err)
	}
	stages, err := j.Run(context.Background(), d.stored, d.save, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// Every stage has the sparsity of the schedule, loads as a folder of its family, and its log says what went, each unit
// once.
func TestStages(t *testing.T) {
	folder := checkpoint(t, shape)
	for name, change := range map[string]func(*Options){
		"first order": func(*Options) {}, "magnitude": func(o *Options) { o.Rank = Magnitude }, "random": func(o *Options) {
			o.Rank = Random
		},
		"layers": func(o *Options) { o.Layers = true }, "one shot": func(o *Options) { o.OneShot = true },
		"hard": func(o *Options) { o.Learn = Hard }, "none": func(o *Options) { o.Learn = None },
	} {
		t.Run(name, func(t *testing.T) {
			o, d := options, disk{}
			change(&o)
			gone := map[prune.Unit]bool{}
			for i, s := range run(t, folder, o, d) {
				f, err := weights.Load(d[s.Name])
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(s.Sparsity-o.Schedule[i]) > Tolerance || f.Model.NumParams() != s.Params {
					t.Errorf("%s: sparsity %.4f of %d parameters, want %.2f of %d", s.Name, s.Sparsity, s.Params, o.Schedule[i],
						f.Model.NumParams())
				}
				if o.OneShot {
					clear(gone)
				}
				n := 0
				for _, r := range s.Removed {
					if gone[r.Unit] {
						t.Errorf("%s: %+v goes twice", s.Name, r.Unit)
					}
					gone[r.Unit] = true
				}
				for _, r := range s.Removed {
					n += r.Params
				}
				if c := f.Model.Config(); len(s.Kept.Layers) != c.Layers || len(s.Kept.Groups[0]) != c.KVHeads ||
					len(s.Kept.Neurons[0]) != c.Inner {
					t.Errorf("%s: kept %d layers, %d groups, %d neurons of %+v", s.Name, len(s.Kept.Layers), len(s.Kept.Groups[0]),
						len(s.Kept.Neurons[0]), c)
				}
				for l, layer := range s.Kept.Layers {
					for _, j := range s.Kept.Neurons[l] {
						if gone[prune.Unit{Kind: prune.Neuron, Layer: layer, Index: j}] {
							t.Errorf("%s: neuron %d of layer %d is gone and kept", s.Name, j, layer)
						}
					}
				}
				if (s.Loss == nil) != (o.Learn == None) {
					t.Errorf("%s: loss %v", s.Name, s.Loss)
				}
				if string(d[s.Name]["tokenizer_config.json"].Data) != string(folder["tokenizer_config.json"].Data) {
					t.Error("the chat template was not kept")
				}
			}
		})
	}
}

// A compression that was cut off anywhere goes on to the same bytes, on any number of workers, and does nothing again.
func TestResumesToTheSameBytes(t *testing.T) {
	folder := checkpoint(t, shape)
	whole := disk{}
	run(t, folder, options, whole)
	for stop := range 3 {
		d, o := disk{}, options
		o.Workers = 3
		j, err := Prepare(folder, nil, sequences(t), o)
		if err != nil {
			t.Fatal(err)
		}
		full := errors.New("disk full")
		saves := 0
		_, err = j.Run(context.Background(), d.stored, func(s Stage, files map[string][]byte) error {
			if saves++; saves > stop {
				return full
			}
			return d.save(s, files)
		}, nil)
		if !errors.Is(err, full) {
			t.Fatal(err)
		}
		run(t, folder, o, d)
		if !whole.same(d) {
			t.Errorf("cut off in stage %d: other bytes", stop+1)
		}
	}
	j, err := Prepare(folder, nil, sequences(t), options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Run(context.Background(), whole.stored, func(Stage, map[string][]byte) error {
		return errors.New("saved again")
	}, nil); err != nil {
		t.Error(err)
	}
	other := options
	other.LR /= 2
	if j, err = Prepare(folder, nil, sequences(t), other); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Run(context.Background(), whole.stored, whole.save, nil); !errors.Is(err, ErrOther) {
		t.Errorf("a folder of another plan: %v", err)
	}
}

// A folder that is not as it was written, or is of something else, is refused before any stage is made, also where it
// is a later one.
func TestRefusesDamage(t *testing.T) {
	folder := checkpoint(t, shape)
	o := options
	o.Learn, o.Calibration = None, 8
	whole := disk{}
	run(t, folder, o, whole)
	log := func(change func(*Stage)) func(fstest.MapFS) {
		return func(f fstest.MapFS) {
			var s Stage
			if err := json.Unmarshal(f[File].Data, &s); err != nil {
				t.Fatal(err)
			}
			change(&s)
			b, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			f[File] = &fstest.MapFile{Data: b}
		}
	}
	again := "remove this stage's folder"
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		want   []string
	}{
		"cut off weights": {func(f fstest.MapFS) {
			b := f["model.safetensors"].Data
			f["model.safetensors"] = &fstest.MapFile{Data: b[:len(b)/2]}
		}, []string{"R2: model.safetensors is not as it was when the stage was made", again}},
		"another configuration": {func(f fstest.MapFS) {
			f["config.json"] = &fstest.MapFile{Data: []byte("{")}
		}, []string{"R2: config.json is not", again}},
		"an added template": {func(f fstest.MapFS) {
			f["chat_template.jinja"] = &fstest.MapFile{Data: []byte("x")}
		}, []string{"R2: chat_template.jinja was not there when the stage was made", again}},
		"no tokenizer": {func(f fstest.MapFS) {
			delete(f, "tokenizer.json")
		}, []string{"R2: tokenizer.json is missing", again}},
		"half a log": {func(f fstest.MapFS) {
			f[File] = &fstest.MapFile{Data: f[File].Data[:300]}
		}, []string{"R2: compression.json", again}},
		"another name": {log(func(s *Stage) { s.Name = "R7" }), []string{"R2: compression.json is not", again}},
		"nothing kept": {log(func(s *Stage) { s.Kept = Kept{} }), []string{"R2: compression.json is not", again}},
		"a neuron it has not": {log(func(s *Stage) {
			s.Kept.Neurons[0][0] = 9999
		}), []string{"R2: compression.json is not", again}},
		"fewer neurons": {log(func(s *Stage) {
			s.Kept.Neurons[0] = s.Kept.Neurons[0][:1]
		}), []string{"R2: compression.json says other than", again}},
		"another sparsity": {log(func(s *Stage) {
			s.Sparsity = .9
		}), []string{"R2: compression.json says other than", again}},
		"another plan": {log(func(s *Stage) { s.Plan = "0" }), []string{"R2: a stage of another compression"}},
		"no stage": {func(f fstest.MapFS) {
			delete(f, File)
		}, []string{"R2: a folder without compression.json", "move it away"}},
	} {
		d := disk{}
		for stage, files := range whole {
			if err := d.save(Stage{Name: stage}, nil); err != nil {
				t.Fatal(err)
			}
			for file, f := range files {
				d[stage][file] = f
			}
		}
		c.change(d["R2"])
		j, err := Prepare(folder, nil, sequences(t), o)
		if err != nil {
			t.Fatal(err)
		}
		// Without the first stage what is wrong with its successor is seen before it is made; what only the model's own
		// files tell, after.
		if !strings.Contains(c.want[0], "other than") {
			delete(d, "R1")
		}
		made := 0
		_, err = j.Run(context.Background(), d.stored, func(s Stage, files map[string][]byte) error { made++; return d.save(s, files) }, nil)
		if !errors.Is(err, ErrUnusable) || made > 0 {
			t.Errorf("%s: %d stages were made, %v", name, made, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

// A stage can be compressed again; its own log does not count as one of the new stage's files.
func TestStageOfAStage(t *testing.T) {
	o, d := options, disk{}
	o.Learn, o.Calibration = None, 8
	run(t, checkpoint(t, shape), o, d)
	o.Schedule = []float64{.2, .4}
	next := disk{}
	run(t, d["R1"], o, next)
	if len(next) != 2 {
		t.Errorf("%d stages", len(next))
	}
}

// Learning brings the smaller model nearer to the dense one than leaving it as it is.
func TestLearningMends(t *testing.T) {
	folder := checkpoint(t, shape)
	dense, err := weights.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	gap := func(learn string) (sum float64) {
		d, o := disk{}, options
		o.Learn, o.Steps, o.LR = learn, 100, 5e-3
		run(t, folder, o, d)
		f, err := weights.Load(d["R3"])
		if err != nil {
			t.Fatal(err)
		}
		tape := engine.NewTape(f.Model)
		for _, s := range sequences(t) {
			docs, err := s.Documents()
			if err != nil {
				t.Fatal(err)
			}
			l, err := tape.Distill(make([]float32, f.Model.NumParams()), false, docs, dense.Model, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			sum += l
		}
		return sum
	}
	soft, none := gap(Soft), gap(None)
	t.Logf("divergence from the dense model: %.2f after learning, %.2f without", soft, none)
	if soft > .8*none {
		t.Errorf("divergence %.2f after learning, %.2f without", soft, none)
	}
}

func TestRefusals(t *testing.T) {
	folder := checkpoint(t, shape)
	tiny := shape
	tiny.Inner = 20
	for name, c := range map[string]struct {
		folder, teacher fs.FS
		change          func(*Options)
		sequences       []train.Sequence
		want            string
	}{
		"not increasing": {change: func(o *Options) {
			o.Schedule = []float64{.3, .2}
		}, want: "stage 2 of the schedule is 20 %"},
		"too close": {change: func(o *Options) {
			o.Schedule = []float64{.2, .200001}
		}, want: "stage 2 of the schedule is 20 %, after 20 %; a neuron of every layer is"},
		"too little": {change: func(o *Options) {
			o.Schedule = []float64{.0001, .2}
		}, want: "stage 1 of the schedule is 0.01 %, after 0 %"},
		"all":               {change: func(o *Options) { o.Schedule = []float64{1} }, want: "less than 100"},
		"no stage":          {change: func(o *Options) { o.Schedule = nil }, want: "0 stages"},
		"nothing left":      {change: func(o *Options) { o.Schedule = []float64{.99} }, want: "at most"},
		"too small a model": {folder: checkpoint(t, tiny), want: "too small"},
		"less than a batch": {sequences: sequences(t)[:7], want: "7 sequences to learn from are less than a batch of 8"},
		"other tokens":      {teacher: checkpoint(t, shape, "<|other|>"), want: "tokens"},
		"no folder":         {folder: fstest.MapFS{}, want: "config.json"},
		"rank":              {change: func(o *Options) { o.Rank = "size" }, want: `rank by "size"`},
		"learn":             {change: func(o *Options) { o.Learn = "much" }, want: `learn from "much"`},
		"temperature":       {change: func(o *Options) { o.Temperature = 0 }, want: "temperature"},
		"a token it has not": {sequences: append(sequences(t), train.Sequence{Tokens: []int32{1, 9999},
			Weights: []float32{1, 1}}), want: "token 9999"},
		"longer than it takes": {sequences: append(sequences(t), train.Sequence{Tokens: make([]int32, 99),
			Weights: make([]float32, 99)}), want: "document of 99 tokens"},
	} {
		o, data, from := options, sequences(t), fs.FS(folder)
		if c.change != nil {
			c.change(&o)
		}
		if c.sequences != nil {
			data = c.sequences
		}
		if c.folder != nil {
			from = c.folder
		}
		if _, err := Prepare(from, c.teacher, data, o); !errors.Is(err, ErrUnusable) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
