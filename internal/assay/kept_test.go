package assay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/metric/equivalence"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// keptBy has a store keep texts, and counts how often one is found and one is kept.
type keptBy struct {
	run.Store
	found, kept int
	last        []byte
	change      func([]byte) []byte // of what is found
}

func (k *keptBy) Text(ctx context.Context, name string) ([]byte, error) {
	text, err := k.Store.Text(ctx, name)
	if text != nil {
		k.found++
		if k.change != nil {
			text = append(bytes.Clone(text[:sha256.Size]), k.change(text[sha256.Size:])...)
		}
	}
	return text, err
}

func (k *keptBy) PutText(ctx context.Context, name string, text []byte) error {
	k.kept, k.last = k.kept+1, text
	return k.Store.PutText(ctx, name, text)
}

// What was read before gives the same results, rows and units as what is read anew, and is taken only where nothing
// that it depends on has changed.
func TestKept(t *testing.T) {
	ctx := context.Background()
	store := &keptBy{Store: inmemory.New()}
	p := plan(read(t, "tiny.yaml", tiny), read(t, "chosen.yaml", chosen))
	p.Methods, p.Sampled, p.Repeats, p.Choices = []string{Rubric, Consistency}, 3, 2, ChoicesGenerate
	execute(t, p, answers, store)
	evaluated := func(program string, keeps bool) string {
		t.Helper()
		a, err := evaluateWith(ctx, store, p, "test", &evaluation{
			keeping: &keeping{program: func() string { return program }, writes: keeps, from: 1}})
		if err != nil {
			t.Fatal(err)
		}
		out := []string{bytesOf(t, a.Document), bytesOf(t, rowsOf(a)), bytesOf(t, a.Rows(0)), bytesOf(t, a.Items()),
			bytesOf(t, a.AnswersToVariants())}
		if err := a.Err(); err != nil {
			t.Error(err)
		}
		return strings.Join(out, "\n")
	}
	counted := func(what string, found, kept int) {
		t.Helper()
		if store.found != found || store.kept != kept {
			t.Errorf("%s: %d texts were found and %d kept, want %d and %d", what, store.found, store.kept, found, kept)
		}
		store.found, store.kept = 0, 0
	}
	fresh := evaluated("one", false)
	counted("read only", 0, 0)
	if first := evaluated("one", true); first != fresh {
		t.Error("keeping changed the result")
	}
	counted("kept", 0, 2)
	if again := evaluated("one", true); again != fresh {
		t.Errorf("read before:\n%s\nread anew:\n%s", again, fresh)
	}
	counted("taken", 2, 0)
	evaluated("two", false)
	counted("by another program", 2, 0)
	if read := evaluated("two", true); read != fresh {
		t.Error("another program's readings were taken")
	}
	counted("by another program, kept", 2, 2)
	evaluated("one", true)

	store.change = func(text []byte) []byte { return bytes.Clone(text[:len(text)/2]) }
	if cut := evaluated("one", false); cut != fresh {
		t.Error("a text that is cut changed the result")
	}
	store.change = func(text []byte) []byte {
		lines := strings.SplitAfter(unpacked(t, text), "\n")
		return packed(t, strings.Join(lines[:len(lines)-2], ""))
	}
	if fewer := evaluated("one", false); fewer != fresh {
		t.Error("a text of fewer cases changed the result")
	}
	store.change = func(text []byte) []byte {
		return packed(t, strings.ReplaceAll(unpacked(t, text), `"shared":1`, `"shared":999`))
	}
	if other := evaluated("one", false); other != fresh {
		t.Error("a text without a grade changed the result")
	}
	store.change, store.found = func(text []byte) []byte { // that it is what was read
		return packed(t, strings.ReplaceAll(unpacked(t, text), `"Verdict":1`, `"Verdict":2`))
	}, 0
	if other := evaluated("one", false); other == fresh {
		t.Error("what is kept was not taken")
	}
	store.change, store.found = nil, 0

	more := maps.Clone(answers)
	for prompt := range more {
		more[prompt] += " "
	}
	other := &keptBy{Store: inmemory.New()}
	execute(t, p, more, other)
	store.Store = other.Store
	if err := store.PutText(ctx, "readings "+p.ID()+" 2", store.last); err != nil {
		t.Fatal(err)
	}
	anew := evaluated("none", false)
	store.change = func(text []byte) []byte {
		return packed(t, strings.ReplaceAll(unpacked(t, text), `"Verdict":1`, `"Verdict":2`))
	}
	if evaluated("one", false) != anew {
		t.Error("what was read of other records was taken")
	}
}

// Nothing is kept where a model has a part in how answers are read, or more than a grader reads them, and of few.
func TestNotKept(t *testing.T) {
	ctx := context.Background()
	judge := &UnderTest{Ref: "judge", Identity: "judge"}
	for what, set := range map[string]func(*Plan, *keeping){
		"judge":     func(p *Plan, _ *keeping) { p.Judge = judge },
		"detection": func(p *Plan, _ *keeping) { p.Methods = append(p.Methods, Detection) },
		"meaning": func(p *Plan, _ *keeping) {
			p.Equivalence = &Equivalence{Model: UnderTest{Ref: "m", Identity: "m"}, Question: equivalence.Version, Most: 5}
		},
		"few": func(_ *Plan, k *keeping) { k.from = keptFrom },
	} {
		store, k := &keptBy{Store: inmemory.New()}, &keeping{program: func() string { return "" }, writes: true, from: 1}
		p := plan(read(t, "tiny.yaml", tiny))
		set(p, k)
		execute(t, p, answers, store)
		if _, err := evaluateWith(ctx, store, p, "test", &evaluation{keeping: k}); err != nil || store.kept > 0 {
			t.Errorf("%s: %d texts were kept, %v", what, store.kept, err)
		}
	}
}

// Whatever stands in a store, a run is evaluated.
func FuzzKept(f *testing.F) {
	f.Add(`{"brief":{"golds":["Paris"],"gradable":true},"golds":["paris"],"answers":[{"grade":{"Act":"answered"},"shared":1,` +
		`"at":[0,900],"sure":1,"class":"paris"}]}`)
	f.Add(`{"answers":[{"grade":{"Truth":{"Verdict":77}}}]}`)
	f.Add(`{"answers":[{"shared":1,"option":7}]}`)
	ctx, store := context.Background(), inmemory.New()
	p := plan(read(f, "chosen.yaml", chosen))
	p.Methods, p.Repeats, p.Choices = []string{Rubric}, 0, ChoicesGenerate
	execute(f, p, answers, store)
	kept := &keptBy{Store: store}
	evaluated := func(t testing.TB) {
		a, err := evaluateWith(ctx, kept, p, "test", &evaluation{
			keeping: &keeping{program: func() string { return "" }, writes: true, from: 1}})
		if err != nil {
			t.Fatal(err)
		}
		rowsOf(a)
	}
	evaluated(f)
	f.Fuzz(func(t *testing.T, text string) {
		kept.change = func([]byte) []byte { return packed(t, text) }
		if evaluated(t); kept.found == 0 {
			t.Error("no text is taken")
		}
	})
}

func unpacked(t *testing.T, text []byte) string {
	z, err := zstd.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func packed(t testing.TB, text string) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}
