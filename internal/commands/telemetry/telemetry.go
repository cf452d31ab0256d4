// Package telemetry shows what a process does while it does it: counts for Prometheus, and spans for OpenTelemetry.
// Neither holds a prompt, an answer, what a server said or a key, and neither is on unless somebody asked for it.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// Flags are what a command is told of it.
type Flags struct{ Metrics string }

// A Telemetry is what a process shows. The nil one shows nothing.
type Telemetry struct {
	Registry *prometheus.Registry // nil without metrics
	Address  net.Addr             // where they are served

	metrics *Metrics
	tracer  *tracer
	stop    []func(context.Context) error
}

var _ run.Observer = (*Telemetry)(nil)

// patience is how long a process that ends waits for somebody who takes the last spans; a test waits less.
var patience = 5 * time.Second

// Start begins to show what the flags and the environment ask for: nil where that is nothing. It is to be closed.
func (f *Flags) Start(ctx context.Context, version string, log *slog.Logger) (*Telemetry, error) {
	t := &Telemetry{}
	var err error
	if t.tracer, err = newTracer(ctx, version, log); err != nil {
		return nil, err
	}
	if t.tracer != nil {
		t.stop = append(t.stop, t.tracer.stop)
	}
	if f.Metrics != "" {
		listener, err := Listen(ctx, f.Metrics)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		t.Registry, t.Address = prometheus.NewRegistry(), listener.Addr()
		t.metrics = NewMetrics(t.Registry, version)
		t.stop = append(t.stop, Serve(listener, t.Registry))
		log.Info("metrics at http://" + listener.Addr().String() + "/metrics")
		if !local(listener.Addr()) {
			log.Warn("the metrics can be read from other machines: they name the models and what they cost", "address",
				listener.Addr().String())
		}
	}
	if len(t.stop) == 0 {
		return nil, nil
	}
	return t, nil
}

// While does something while what the flags and the environment ask for is shown.
func (f *Flags) While(ctx context.Context, version string, log *slog.Logger, do func(*Telemetry) error) error {
	t, err := f.Start(ctx, version, log)
	if err != nil {
		return err
	}
	defer func() {
		if err := t.Close(); err != nil {
			log.Warn("the metrics did not end well: " + err.Error())
		}
	}()
	return do(t)
}

// Close ends it, once what was seen was taken or nobody takes it.
func (t *Telemetry) Close() (err error) {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, stop := range t.stop {
		err = errors.Join(err, stop(ctx))
	}
	t.stop = nil
	return err
}

// Observer returns what Execute tells; nil where nothing is shown.
func (t *Telemetry) Observer() run.Observer {
	if t == nil {
		return nil
	}
	return t
}

// Span begins a span of that name, with the attributes, pairs of a name and a value. It ends with what the function
// that it returns is told.
func (t *Telemetry) Span(ctx context.Context, name string, attributes ...string) (context.Context, func(error)) {
	if t == nil || t.tracer == nil {
		return ctx, func(error) {}
	}
	var list []attribute.KeyValue
	for i := 0; i+1 < len(attributes); i += 2 {
		list = append(list, attribute.String("hallmark."+attributes[i], label(attributes[i+1])))
	}
	return t.tracer.begin(ctx, name, list)
}

// Try implements run.Observer.
func (t *Telemetry) Try(ctx context.Context, identity string, calls, before int) (context.Context,
	func([]model.Result)) {
	var ends []func([]model.Result)
	if t.metrics != nil {
		ends = append(ends, t.metrics.try(identity, calls, before))
	}
	if t.tracer != nil {
		var end func([]model.Result)
		ctx, end = t.tracer.try(ctx, identity, calls, before)
		ends = append(ends, end)
	}
	return ctx, func(results []model.Result) {
		for _, end := range ends {
			end(results)
		}
	}
}

// Ended implements run.Observer.
func (t *Telemetry) Ended(r *run.Record) {
	if t.metrics != nil {
		t.metrics.ended(r)
	}
}

// outcome names how a try ended, in a word of this program: what a server says of a failure may quote what it was sent.
func outcome(err error) string {
	var passing *model.Transient
	switch {
	case err == nil:
		return "answered"
	case errors.Is(err, model.ErrBudget):
		return "not sent"
	case errors.As(err, &passing) && passing.Limited:
		return "limited"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, model.ErrTransient):
		return "passing failure"
	case errors.Is(err, model.ErrGone):
		return "gone"
	case errors.Is(err, model.ErrDenied):
		return "denied"
	}
	return "failure"
}
