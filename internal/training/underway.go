package training

import (
	"errors"
	"os"
	"path/filepath"

	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/mine"
	"hallmark/internal/transformer/train"
)

// keepEvery is the number of training steps after which a training can be resumed.
const keepEvery = 200

// maxState bounds the state of a training in bytes.
const maxState = 1 << 36

// A training that is under way.
type underWay struct {
	path   string // of its state
	recipe string
	from   *train.State // where it stood when it was interrupted; nil for one that begins
	kept   *bool        // set once there is a state that the training goes on from
}

// begin returns the training by the recipe in the folder, which is made if need be: a new one, or the one that was interrupted
// there. Files in the folder that are neither of it nor named are refused.
func (o *Options) begin(dir, state, recipe string, named func(string) bool) (*underWay, error) {
	u := &underWay{path: filepath.Join(dir, state), recipe: recipe, kept: o.Kept}
	data, err := inputfile.Read(u.path, maxState)
	if err == nil && !o.Resume && !mine.Wrote(u.path, data) {
		return nil, exit.Usagef("%s: the state of a training that no command of yours left there, so it may hold anybody's weights: remove it, or type --resume to go on from it", u.path)
	}
	if err == nil {
		if u.from, err = train.DecodeState(data, recipe); err != nil {
			return nil, exit.Usagef("%s: %w", u.path, err)
		}
		*o.Kept = true
		o.Log.Info("the training goes on", "from step", u.from.Step)
		return u, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, exit.Usage(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, exit.Usage(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, exit.Usage(err)
	}
	for _, e := range entries {
		if named == nil || !named(e.Name()) {
			return nil, exit.Usagef("%s is not empty; name a new folder with -o", dir)
		}
	}
	return u, nil
}

// keep writes the state now and then.
func (u *underWay) keep(s train.State) error {
	if s.Step == 0 || s.Step%keepEvery != 0 || u.from != nil && s.Step == u.from.Step {
		return nil
	}
	data, err := s.Encode(u.recipe)
	if err != nil {
		return err
	}
	mine.Note(u.path, data)
	if err := atomicfile.WriteBytes(u.path, data); err != nil {
		return err
	}
	*u.kept = true
	return nil
}

// done removes the state of a training that ended.
func (u *underWay) done() error {
	if err := os.Remove(u.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
