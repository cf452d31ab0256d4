package undertest

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/secret"
)

// The models of a study are built once for all of its runs, and outlive each of them; those of single runs do not.
func TestKeptModelsAreBuiltOnce(t *testing.T) {
	b := NewBuilder(time.Now, secret.New())
	b.Log, b.Damaged = slog.New(slog.NewTextHandler(io.Discard, nil)), func(run.Store) {}
	ctx := context.Background()
	built := func(price string) (model.Model, *Models) {
		t.Helper()
		f := spec.Default()
		f.Models, f.Judges, f.Price = []string{"exec:cat"}, []string{"exec:cat"}, price
		plan := &assay.Plan{}
		s, err := b.Models(ctx, inmemory.New(), &f, plan)
		if err != nil {
			t.Fatal(err)
		}
		return s.ByIdentity[plan.Models[0].Identity], s
	}
	asked := func(m model.Model) error {
		_, err := m.Generate(ctx, model.Request{Prompt: "x"})
		return err
	}
	one, run1 := built("")
	two, run2 := built("")
	if one == two {
		t.Error("two runs that are no study share a model")
	}
	run1.Close()
	run2.Close()
	if len(run1.closers) != 2 {
		t.Errorf("a run closes %d models, want the one asked and the judge", len(run1.closers))
	}
	closed := asked(one)

	end := b.Keep()
	first, run1 := built("")
	run1.Close()
	second, run2 := built("")
	if first != second {
		t.Error("the second run of a study built its model anew")
	}
	if err := asked(second); err != nil && closed != nil && err.Error() == closed.Error() {
		t.Errorf("the end of the first run closed the model of the second: %v", err)
	}
	run2.Close()
	if n := len(*b.kept); n != 1 {
		t.Errorf("%d models are kept, want 1: the judge is the same", n)
	}
	if _, other := built("1,2"); len(*b.kept) != 2 {
		t.Errorf("a model that is reached otherwise is %v", other.ByIdentity)
	}
	end()
	if err := asked(second); closed == nil || err == nil || err.Error() != closed.Error() {
		t.Errorf("after the study: %v, want %v", err, closed)
	}
	if third, s := built(""); third == second {
		t.Error("a model outlives its study")
	} else {
		s.Close()
	}
}
