package undertest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/text/secret"
)

// An Allowance is what the operator of a process lets a plan have that others made.
type Allowance struct {
	Programs []string // commands of exec:, as they are typed
	Hosts    []string // of http(s)://, with the port where it is not the scheme's
}

// Again builds the models that a stored plan names, for a process that did not make it: programs and servers only
// where they are allowed here. A model that is another one here than that of the plan, by its identity, is an error.
func (b *Builder) Again(ctx context.Context, store run.Store, plan *assay.Plan, f *spec.Run,
	may *Allowance) (*Models, error) {
	return models(f, func(s *Models) error { return b.again(ctx, store, plan, f, may, s) })
}

func (b *Builder) again(ctx context.Context, store run.Store, plan *assay.Plan, f *spec.Run,
	may *Allowance, s *Models) error {
	subjects := make([]*assay.UnderTest, 0, len(plan.Models)+1)
	for i := range plan.Models {
		subjects = append(subjects, &plan.Models[i])
	}
	for _, m := range plan.Helpers() {
		subjects = append(subjects, m)
	}
	if plan.Equivalence != nil {
		subjects = append(subjects, &plan.Equivalence.Model)
	}
	for _, tested := range subjects {
		if plan.Imported != nil || strings.HasPrefix(tested.Ref, string(model.Replay)+":") {
			s.replayed[tested.Identity] = true
			continue
		}
		if s.ByIdentity[tested.Identity] != nil {
			continue
		}
		m, err := b.one(ctx, store, plan, tested, f, may, s)
		if err != nil {
			return fmt.Errorf("model %s: %w", secret.Shown(tested.Ref), err)
		}
		s.ByIdentity[tested.Identity] = m
	}
	return nil
}

// one builds a model of a stored plan.
func (b *Builder) one(ctx context.Context, store run.Store, plan *assay.Plan, tested *assay.UnderTest, f *spec.Run,
	may *Allowance, s *Models) (model.Model, error) {
	ref, err := model.ParseRef(tested.Ref)
	if err != nil {
		return nil, err
	}
	m, err := b.allowed(ctx, ref, plan, f, may)
	if err != nil {
		return nil, err
	}
	m = s.own(ref, m)
	if tested.Guard != nil {
		inner := run.Recorded(store, m, run.Options{RetryErrors: f.RetryErrors, Now: b.Now})
		if m, err = spec.RebuildGuard(*tested, plan.Seed, inner, nil); err != nil {
			return nil, fmt.Errorf("its guard: %w", err)
		}
	}
	if got := m.Identity(); got != tested.Identity {
		return nil, fmt.Errorf("it is another one on this machine: %s and not %s", secret.Shown(got),
			secret.Shown(tested.Identity))
	}
	return m, nil
}

// allowed builds a model that is allowed. A program is the one that was typed here, of the same identity: a command
// that holds a secret stands in no plan.
func (b *Builder) allowed(ctx context.Context, ref model.Ref, plan *assay.Plan, f *spec.Run, may *Allowance) (
	model.Model, error) {
	switch ref.Scheme {
	case model.Exec:
		for _, command := range may.Programs {
			typed, err := model.ParseRef(string(model.Exec) + ":" + command)
			if err != nil {
				return nil, fmt.Errorf("--allow-exec: %w", err)
			}
			m, err := b.Build(ctx, typed, f.Reach, plan.Suites)
			if err != nil {
				return nil, fmt.Errorf("--allow-exec: %w", err)
			}
			if m.Identity() == string(model.Exec)+":"+ref.Name {
				return m, nil
			}
		}
		return nil, errors.New("it is a program, which only the operator of this worker can allow: --allow-exec " +
			"COMMAND")
	case model.HTTP:
		u, err := url.Parse(ref.URL)
		if err != nil || !slices.Contains(may.Hosts, u.Host) {
			return nil, fmt.Errorf("it is at a server that only the operator of this worker can allow: --allow-host %s",
				u.Host)
		}
	}
	return b.Build(ctx, ref, f.Reach, plan.Suites)
}
