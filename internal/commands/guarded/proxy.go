package guarded

import (
	"context"
	"io"
	"path"

	"hallmark/internal/ask/guard"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// An Opened is a guarded model that can be served.
type Opened struct {
	Model model.Model
	ID    string // its name in requests
	inner model.Model
}

// Close closes the model inside.
func (o *Opened) Close() error {
	if c, ok := o.inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Open builds the model of a reference behind the constraint layer, as the guard and the reach of a run are told.
func Open(ctx context.Context, models *undertest.Builder, told *spec.Run, seed uint64, name string) (*Opened, error) {
	told.Guard.On = true
	if err := told.Guard.Resolve("", seed); err != nil {
		return nil, exit.Usage(err)
	}
	ref, err := model.ParseRef(name)
	if err != nil {
		return nil, exit.Usage(err)
	}
	if ref.Scheme == model.Replay || ref.Scheme == model.Simulated {
		return nil, exit.Usagef("guard %s: a model that answers the cases of a run cannot be served",
			secret.Shown(name))
	}
	o := &Opened{ID: proxyName(ref)}
	if err := spec.CheckTimeout(told.Timeout); err != nil {
		return nil, exit.Usage(err)
	}
	if o.inner, err = models.Build(ctx, ref, told.Reach, nil); err != nil {
		return nil, exit.Usagef("guard %s: %w", secret.Shown(name), err)
	}
	if o.Model, err = guard.New(o.inner, told.Guard.Config); err != nil {
		_ = o.Close()
		return nil, exit.Usage(err)
	}
	return o, nil
}

// proxyName names the guarded model as requests do.
func proxyName(ref model.Ref) string {
	switch ref.Scheme {
	case model.Pocket, model.Exec:
		return string(ref.Scheme)
	case model.HF:
		return path.Base(ref.Name)
	}
	return ref.Name
}
