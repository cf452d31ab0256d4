package stored

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"hallmark/internal/base/exit"
	"hallmark/internal/bundle"
	"hallmark/internal/commands/heap"
	"hallmark/internal/commands/spec"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// Bundle verifies the bundle in a file.
func (r *Runs) Bundle(ctx context.Context, path string) (*bundle.Bundle, error) {
	heap.SpareFiles(heap.WhileShown, path)
	b, err := bundle.Open(ctx, path, r.Options())
	var f *bundle.Fault
	var p *fs.PathError
	switch {
	case errors.As(err, &f):
		return nil, exit.Usagef("%s: %s", path, f.Error())
	case errors.As(err, &p):
		return nil, exit.Usagef("%s: %v; want an evidence bundle, as hallmark report --format evidence writes it",
			path, p.Err)
	}
	return b, err
}

// Options are what a bundle is made and read with.
func (r *Runs) Options() bundle.Options {
	return bundle.Options{Version: r.Version, Build: r.Build, Guard: spec.RebuildGuard,
		Read: func(path string) ([]byte, error) { return suite.ReadFile(path) }}
}

// IsBundle reports whether a run is named by the path of a bundle: an id has no dot and no slash, and ./NAME is a
// file of any name.
func IsBundle(name string) bool { return strings.ContainsAny(name, `./\`) }

// BundleOf returns the bundle of a run: made from the store, or the one that the name is the path of.
func (r *Runs) BundleOf(ctx context.Context, name string) (*bundle.Bundle, error) {
	if IsBundle(name) {
		return r.Bundle(ctx, name)
	}
	store, err := r.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	plan, h, err := r.Plan(ctx, store, name)
	if err != nil {
		return nil, err
	}
	if plan.ID() != h.ID {
		return nil, exit.Usagef("run %s: its stored plan does not hold all of it, so nobody could compute it "+
			"again from a bundle; run it again with this release", h.ID)
	}
	opt := r.Options()
	opt.Lookups = &run.Lookups{}
	b, err := bundle.Make(ctx, store, plan, opt)
	if errors.As(err, new(*bundle.Fault)) || errors.Is(err, bundle.ErrTooLarge) {
		return nil, exit.Usagef("run %s: %v", h.ID, err)
	}
	if err != nil {
		return nil, err
	}
	if why := r.Whole(store, h, opt.Lookups, nil); why != "" {
		return nil, exit.With(exit.Unscored, fmt.Errorf("%s; no bundle is made of what is left", why))
	}
	for _, d := range Damages(store) {
		if d.Table == "annotation" { // which a bundle could not show
			return nil, exit.With(exit.Unscored, fmt.Errorf(
				"run %s: what people said of answers is not all there (%s), and no bundle is made of what is left: "+
					"run the same in a new store (--store), and import the sheets there", h.ID, d))
		}
	}
	return b, nil
}
