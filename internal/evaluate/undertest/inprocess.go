package undertest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

// ToServe opens a model that runs in process, and names it as requests do.
func (b *Builder) ToServe(ctx context.Context, text string) (*local.Model, string, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, "", err
	}
	id := string(model.Pocket)
	switch ref.Scheme {
	case model.Pocket:
	case model.HF:
		dir, err := filepath.Abs(ref.Name)
		if err != nil {
			return nil, "", err
		}
		id = filepath.Base(dir)
	default:
		return nil, "", errors.New("only models that run in process are served: pocket or hf:DIR")
	}
	built, err := b.Build(ctx, ref, spec.Default().Reach, nil)
	if err != nil {
		return nil, "", err
	}
	m, ok := built.(*local.Model)
	if !ok {
		return nil, "", fmt.Errorf("%T does not run in process", built)
	}
	return m, id, nil
}

// ToTrace opens a model that runs in process.
func (b *Builder) ToTrace(ctx context.Context, text string) (*local.Model, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, exit.Usage(err)
	}
	if ref.Scheme != model.Pocket && ref.Scheme != model.HF {
		return nil, exit.Usagef("model trace %s: only pocket and hf:DIR run in process", text)
	}
	m, err := b.Build(ctx, ref, spec.Default().Reach, nil)
	if err != nil {
		return nil, exit.Usagef("model %s: %w", text, err)
	}
	return m.(*local.Model), nil
}

// A Shown is a model's identity and what it can be asked for.
type Shown struct {
	Model        string              `json:"model"`
	Identity     string              `json:"identity"`
	Capabilities *model.Capabilities `json:"capabilities"`
}

// Show asks a model what it can do.
func (b *Builder) Show(ctx context.Context, ref model.Ref, text string, reach spec.Reach) (*Shown, error) {
	m, err := b.Build(ctx, ref, reach, nil)
	if err != nil {
		return nil, exit.Usagef("model %s: %w", ref, err)
	}
	out := &Shown{Model: text, Identity: m.Identity()}
	if p, ok := m.(model.Prober); ok {
		c, err := b.Abilities(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", text, err)
		}
		out.Capabilities = &c
	}
	return out, nil
}
