package training

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"hallmark/internal/base/exit"
	"hallmark/internal/engine/train"
)

// A training is gone on from once its state is kept, and only by who kept it.
func TestKept(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	for _, step := range []int{keepEvery - 1, keepEvery} {
		kept := false
		o := Options{Kept: &kept}
		u, err := o.begin("by-hand", train.StateFile, "a recipe", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.keep(train.State{Step: step, Weights: []float32{1}, First: []float32{0},
			Second: []float32{0}}); err != nil {
			t.Fatal(err)
		}
		if want := step == keepEvery; kept != want {
			t.Errorf("step %d: kept is %v", step, kept)
		}
	}
	kept := false
	o := Options{Kept: &kept, Log: slog.New(slog.DiscardHandler)}
	if u, err := o.begin("by-hand", train.StateFile, "a recipe", nil); err != nil || !kept || u.from.Step != keepEvery {
		t.Errorf("kept = %v, %v", kept, err)
	}
	var e *exit.Error
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "another"))
	if _, err := o.begin("by-hand", train.StateFile, "a recipe", nil); !errors.As(err, &e) || e.Code != exit.Mistake {
		t.Errorf("a stranger's state: %v", err)
	}
	o.Resume = true
	u, err := o.begin("by-hand", train.StateFile, "a recipe", nil)
	if err != nil || u.done() != nil {
		t.Errorf("with --resume: %v", err)
	}
	if _, err := os.Stat(u.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state stays: %v", err)
	}
}
