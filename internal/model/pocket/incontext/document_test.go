package incontext

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/engine"
)

func text(d []Part) string {
	var b strings.Builder
	for _, p := range d {
		b.WriteString(p.Text)
	}
	return b.String()
}

// The documents are part of the model's recipe: equal seeds give them for ever.
func TestDocumentsAreFixed(t *testing.T) {
	h := fnv.New64a()
	w := NewWriter(Stages, 1)
	for i := range 200 {
		fmt.Fprint(h, w.Document(float64(i)/200))
	}
	if got, want := h.Sum64(), uint64(0x812bc61204ec68ae); got != want {
		t.Errorf("the documents hash to %#x, want %#x", got, want)
	}
}

func TestForms(t *testing.T) {
	s := Sequence{Labels: []string{"red", "blue"}, Pairs: []Pair{
		{Words: [3]string{"lion", "the", "bear"}, Label: 1}, {Words: [3]string{"old", "rice", "egg"}, Topic: 1},
	}}
	for form, want := range map[int]string{
		plain:  "Input: lion the bear\nLabel: blue\n\nInput: old rice egg\nLabel: red",
		named:  "Input: lion the bear\nLabel: animal\n\nInput: old rice egg\nLabel: food",
		before: "Input: lion the bear\nLabel: animal blue\n\nInput: old rice egg\nLabel: food red",
		behind: "Input: lion the bear\nLabel: blue animal\n\nInput: old rice egg\nLabel: red food",
	} {
		if got := text(s.parts(form, Stage{})); got != want {
			t.Errorf("form %d: %q, want %q", form, got, want)
		}
	}
}

func TestStages(t *testing.T) {
	last := 0.
	for i, st := range Stages {
		if tasks := st.Assoc + st.Topic8x2 + st.Topic4 + st.Topic2; math.Abs(tasks-1) > 1e-9 {
			t.Errorf("stage %d: the tasks' shares add up to %g", i, tasks)
		}
		if forms := st.Named + st.Before + st.Behind; forms < 0 || forms > 1 {
			t.Errorf("stage %d: the forms' shares add up to %g", i, forms)
		}
		if st.Until <= last || st.Min < 2 || st.Max < st.Min {
			t.Errorf("stage %d: until %g after %g, %d to %d pairs", i, st.Until, last, st.Min, st.Max)
		}
		last = st.Until
	}
	if last != 1 {
		t.Errorf("the stages end at %g of the training, want 1", last)
	}
}

// Documents keep to the layout of prompts, are short enough for the model, hold no rule of parity, and their parts are
// encoded as the whole is.
func TestDocuments(t *testing.T) {
	tok := vocabulary(t, Marks)
	for _, w := range Words() {
		if ids, err := tok.EncodeText(w); err != nil || len(ids) != 1 {
			t.Errorf("%q is %d tokens (%v)", w, len(ids), err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := NewWriter(Stages, rapid.Uint64().Draw(t, "seed")).Document(rapid.Float64Range(0, 1).Draw(t, "progress"))
		whole, err := tok.EncodeText(text(d))
		if err != nil {
			t.Fatal(err)
		}
		var ids []int32
		for _, p := range d {
			more, err := tok.EncodeText(p.Text)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, more...)
		}
		if !slices.Equal(ids, whole) {
			t.Fatalf("the parts of %q give the tokens %v, the whole %v", text(d), ids, whole)
		}
		if len(ids) > 300 {
			t.Fatalf("%d tokens", len(ids))
		}
		if len(d) == 2 && d[0].Text == d[1].Text { // words, twice
			return
		}
		label := map[int]string{}
		for _, pair := range strings.Split(text(d), "\n\n") {
			input, answer, ok := strings.Cut(strings.TrimPrefix(pair, "Input: "), "\nLabel: ")
			words := strings.Fields(input)
			if !ok || len(words) != 3 {
				t.Fatalf("pair %q", pair)
			}
			topic := slices.IndexFunc(topics[:], func(topic []string) bool {
				return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(topic, w) })
			})
			if was, ok := label[topic]; ok && was != answer {
				t.Fatalf("topic %d is %q and %q in one document", topic, was, answer)
			}
			label[topic] = answer
		}
	})
}

func TestMeasure(t *testing.T) {
	ns := []int{2, 4, 8, 16, 32}
	best := func(s Sequence, ns []int) (p []float64, err error) {
		for _, n := range ns {
			p = append(p, s.Bayes(n)[s.Pairs[n].Label])
		}
		return p, nil
	}
	for _, task := range []Task{Topic8x2, Topic4, Topic2, Parity} {
		rows, err := Measure(task, ns, 50, 1, best)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if r.N != ns[i] || r.Sequences != 50 || r.Error != r.Bayes || r.Difference != 0 || r.Low != 0 || r.High != 0 {
				t.Errorf("%s: the best predictor differs from itself: %+v", task, r)
			}
		}
	}
	// A predictor that always gives .9 errs by .1, and where Bayes has 1/2 or 1, the difference is −.4 or .1.
	rows, err := Measure(Topic8x2, []int{4}, 400, 1, func(Sequence, []int) ([]float64, error) {
		return []float64{.9}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	unseen := 2 * rows[0].Bayes // the share of sequences at 1/2
	deviation := .5 * math.Sqrt(unseen*(1-unseen)*400/399)
	want := Row{N: 4, Sequences: 400, Error: .1, Bayes: rows[0].Bayes, Difference: .1 - .5*unseen}
	want.Low, want.High = want.Difference-1.96*deviation/20, want.Difference+1.96*deviation/20
	got := rows[0]
	for i, d := range []float64{got.Error - want.Error, got.Difference - want.Difference, got.Low - want.Low,
		got.High - want.High} {
		if math.Abs(d) > 1e-9 || got.N != 4 || got.Sequences != 400 {
			t.Errorf("figure %d of %+v, want %+v", i, got, want)
		}
	}
	if _, err := Measure(Topic8x2, nil, 10, 1, best); err == nil {
		t.Error("no error without n")
	}
	if _, err := Measure("other", ns, 10, 1, best); err == nil {
		t.Error("no error for an unknown task")
	}
}

// The engine's predictor, which computes a sequence once, gives what each prompt's continuation has alone.
func TestEngine(t *testing.T) {
	tok := vocabulary(t, Marks)
	m, err := engine.New(engine.Config{
		ModelType: "llama", Vocab: tok.Size(), Hidden: 16, Inner: 24, Layers: 2, Heads: 2, KVHeads: 2, HeadDim: 8,
		MaxContext: 512, Epsilon: 1e-6, Theta: 10000, Tied: true,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := draw(t, Topic8x2, 9, 1)
	ns := []int{0, 3, 8}
	got, err := Engine(m, tok, begin)(s, ns)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range ns {
		prompt, err := tok.Encode(begin + s.Prompt(n))
		if err != nil {
			t.Fatal(err)
		}
		gold, err := tok.Encode(" " + s.Labels[s.Pairs[n].Label])
		if err != nil || len(gold) != 1 {
			t.Fatal(gold, err)
		}
		logits, err := m.Logits(prompt)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		last := logits[len(logits)-1]
		for _, x := range last {
			sum += math.Exp(float64(x))
		}
		if want := math.Exp(float64(last[gold[0]])) / sum; math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("n = %d: %g, want %g", n, got[i], want)
		}
	}
}

// A copied document is words that are each one token, twice; only the second time is learned. With no share of them a
// stage draws as before.
func TestCopied(t *testing.T) {
	st := Stage{Until: 1, Min: 6, Max: 10, Assoc: 1, Copy: 1, Label: 1, Input: .05}
	d := NewWriter([]Stage{st}, 1).Document(0)
	if len(d) != 2 || d[0].Text != d[1].Text || d[0].Loss != 0 || d[1].Loss != 1 {
		t.Fatalf("%+v", d)
	}
	words := strings.Split(strings.TrimPrefix(d[0].Text, " "), " ")
	if len(words) < 8 || len(words) > 32 {
		t.Errorf("%d words", len(words))
	}
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w] || !slices.Contains(Words(), " "+w) {
			t.Errorf("word %q", w)
		}
		seen[w] = true
	}
	st.Copy = .5
	w := NewWriter([]Stage{st}, 1)
	pairs := 0
	for range 200 {
		if strings.Contains(text(w.Document(0)), "Label:") {
			pairs++
		}
	}
	if pairs < 70 || pairs > 130 {
		t.Errorf("%d of 200 documents have pairs, want about half", pairs)
	}
}
