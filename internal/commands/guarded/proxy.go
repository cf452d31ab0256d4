package guarded

import (
	"context"
	"io"
	"strings"
	"time"

	"hallmark/internal/ask/guard"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// A Proxy is what `hallmark guard REF` is told.
type Proxy struct {
	Told           spec.Run
	KeyEnv, KeyCmd string // where the key is that requests must carry
	Requests       int    // taken at a time
	Grace          time.Duration
}

// An Opened is a guarded model that can be served.
type Opened struct {
	Model   model.Model
	ID, Key string // its name in requests, and the key that these must carry
	inner   model.Model
}

// Close closes the model inside.
func (o *Opened) Close() error {
	if c, ok := o.inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Open builds the model of a reference behind the constraint layer.
func (p *Proxy) Open(ctx context.Context, models *undertest.Builder, seed uint64, name string) (*Opened, error) {
	p.Told.Guard.On = true
	if err := p.Told.Guard.Resolve("", seed); err != nil {
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
	o.Key, err = models.KeyOf(ctx, "--server-key-env", p.KeyEnv, p.KeyCmd)
	switch {
	case err != nil:
		return nil, exit.Usage(err)
	case p.Requests < 1:
		return nil, exit.Usagef("--max-requests %d: want 1 or more", p.Requests)
	case p.Grace < 0:
		return nil, exit.Usagef("--grace %v: want a time of 0 or more", p.Grace)
	}
	if err := spec.CheckTimeout(p.Told.Timeout); err != nil {
		return nil, exit.Usage(err)
	}
	p.Told.Concurrency = p.Requests
	if o.inner, err = models.Build(ctx, ref, p.Told.Reach, nil); err != nil {
		return nil, exit.Usagef("guard %s: %w", secret.Shown(name), err)
	}
	if o.Model, err = guard.New(o.inner, p.Told.Guard.Config); err != nil {
		_ = o.Close()
		return nil, exit.Usage(err)
	}
	return o, nil
}

// proxyName names the guarded model as requests do.
func proxyName(ref model.Ref) string {
	name := ref.Name
	switch ref.Scheme {
	case model.Pocket:
		name = string(model.Pocket)
	case model.HF:
		name = strings.TrimRight(name, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
	case model.Exec:
		name = string(model.Exec)
	}
	return name
}
