// Package workers spreads a run over machines: it puts the resolved plan on the queue of the store, and has any number
// of processes plan its waves and ask their calls (docs/workers.md). What a worker runs, where it goes and with which
// keys is decided where the worker is started, and by nothing that is on the queue.
package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/run"
	"hallmark/internal/run/queue"
	"hallmark/internal/run/store"
	"hallmark/internal/suite"
)

// told is what a run tells those who ask its calls. It changes no answer, but for the prices, which are in the records.
type told struct {
	API         string        `json:"api,omitempty"`
	Price       string        `json:"price,omitempty"`
	Timeout     time.Duration `json:"timeout,omitempty"`
	MaxRetries  int           `json:"max_retries"`
	RetryErrors bool          `json:"retry_errors,omitempty"`
	Budget      string        `json:"budget,omitempty"`
	Sharing     []string      `json:"sharing,omitempty"` // the ids of the runs of one budget; the first keeps it
	RPM         int           `json:"rpm,omitempty"`
	TPM         int           `json:"tpm,omitempty"`
	InFlight    int           `json:"in_flight,omitempty"`
	Trace       string        `json:"trace,omitempty"` // the span under which those of the workers stand
}

// run is what a worker goes by: what the run tells, and the worker's own keys.
func (t *told) run(own spec.Reach) *spec.Run {
	f := spec.Default()
	f.Reach = own
	f.API, f.Price, f.Timeout = t.API, t.Price, t.Timeout
	f.MaxRetries, f.RetryErrors, f.Budget, f.RPM, f.TPM, f.InFlight = t.MaxRetries, t.RetryErrors, t.Budget, t.RPM,
		t.TPM, t.InFlight
	return &f
}

// Detachable says what of a command line a detached run cannot keep.
func Detachable(f *spec.Run, ref string) error {
	if err := Reached(ref); err != nil {
		return exit.Usagef("--detach: %w", err)
	}
	switch {
	case f.Offline:
		return exit.Usagef("--detach has calls asked by workers, and --offline asks none: leave one out")
	case len(f.FailOn) > 0, len(f.Accept) > 0, f.Output != "":
		return exit.Usagef("--detach prints no result: give --fail-on, --accept and --output to the same command " +
			"without --detach once the run is finished, which asks nothing twice")
	}
	for _, part := range f.Study {
		if err := Detachable(part, ref); err != nil {
			return fmt.Errorf("%s: %w", part.Part.Place, err)
		}
	}
	return nil
}

// Reached returns an error where a store is none that many machines reach.
func Reached(ref string) error {
	if store.Remote(ref) {
		return nil
	}
	return exit.Usagef("a queue needs a store that many machines reach: name one with --store postgres://HOST/DATABASE")
}

// Suites are those of a plan as the queue names them.
func Suites(plan *assay.Plan) []queue.Suite {
	return lists.Map(plan.Suites, func(s *suite.Suite) queue.Suite {
		return queue.Suite{Name: s.Name, Hash: string(s.Hash())}
	})
}

// Detach puts a run on the queue whose plan is in the store. It returns false where it is there already.
func Detach(ctx context.Context, s run.Store, plan *assay.Plan, f *spec.Run, program string,
	shown *telemetry.Telemetry) (added bool, err error) {
	ctx, end := shown.Span(ctx, "run", "run", plan.ID())
	defer func() { end(err) }()
	tells, err := json.Marshal(told{f.API, f.Price, f.Timeout, f.MaxRetries, f.RetryErrors, f.Budget, f.Sharing(),
		f.RPM, f.TPM, f.InFlight, shown.Parent(ctx)})
	if err != nil {
		return false, err
	}
	q, err := queue.Open(ctx, s)
	if err != nil {
		return false, err
	}
	defer q.Close()
	return q.Enqueue(ctx, &queue.Run{ID: plan.ID(), Program: program, Suites: Suites(plan), Told: tells})
}
