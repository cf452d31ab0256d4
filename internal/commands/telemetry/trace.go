package telemetry

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	otrace "go.opentelemetry.io/otel/trace"

	"hallmark/internal/base/exit"
	"hallmark/internal/model"
)

// A tracer sends spans to the collector that the environment names.
type tracer struct {
	provider *trace.TracerProvider
	tracer   otrace.Tracer
}

// said says that the collector does not answer, once a process.
var said atomic.Bool

// newTracer returns a tracer where OTEL_EXPORTER_OTLP_ENDPOINT, or that of traces alone, names a collector, and else
// nil. What else the variables of OpenTelemetry say holds: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
func newTracer(ctx context.Context, version string, log *slog.Logger) (*tracer, error) {
	env := func(name string) string {
		return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	if env("ENDPOINT") == "" || os.Getenv("OTEL_SDK_DISABLED") == "true" ||
		os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	if p := env("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, exit.Usagef("OTEL_EXPORTER_OTLP_PROTOCOL=%.40q: traces are sent by http/protobuf alone, to port "+
			"4318 of most collectors", p)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		if !said.Swap(true) { // it may quote headers of the collector, which hold its key
			log.Warn("the traces are not taken by the collector that OTEL_EXPORTER_OTLP_ENDPOINT names: spans are lost")
		}
	}))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, exit.Usagef("OTEL_EXPORTER_OTLP_ENDPOINT: no traces can be sent there: want a URL such as " +
			"http://localhost:4318")
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "hallmark"),
		attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, errors.Join(exit.Usagef("OTEL_RESOURCE_ATTRIBUTES: want NAME=VALUE,…"), exporter.Shutdown(ctx))
	}
	p := trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithExportTimeout(patience),
		trace.WithMaxQueueSize(1<<14), trace.WithBatchTimeout(2*time.Second)), trace.WithResource(about))
	return &tracer{provider: p, tracer: p.Tracer("hallmark")}, nil
}

// stop sends the last spans. That nobody takes them is said already.
func (t *tracer) stop(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
	return nil
}

// Parent returns the span that a context is within, as the header traceparent of W3C names it, for a process that goes
// on with what this one began; "" without one.
func (t *Telemetry) Parent(ctx context.Context) string {
	if t == nil || t.tracer == nil {
		return ""
	}
	named := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, named)
	return named.Get("traceparent")
}

// Under returns a context within the span that Parent named in another process. What names none is passed over.
func Under(ctx context.Context, parent string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
}

func (t *tracer) begin(ctx context.Context, name string, list []attribute.KeyValue) (context.Context, func(error)) {
	ctx, span := t.tracer.Start(ctx, name, otrace.WithAttributes(list...))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, outcome(err))
		}
		span.End()
	}
}

func (t *tracer) try(ctx context.Context, identity string, calls, before int) (context.Context,
	func([]model.Result)) {
	ctx, span := t.tracer.Start(ctx, "call", otrace.WithSpanKind(otrace.SpanKindClient), otrace.WithAttributes(
		attribute.String("hallmark.model", label(identity)), attribute.Int("hallmark.calls", calls),
		attribute.Int("hallmark.try", before+1)))
	return ctx, func(results []model.Result) {
		var prompt, answer int
		var usd float64
		var failed error
		for i := range results {
			if failed = cmp.Or(failed, results[i].Err); results[i].Err == nil {
				u := results[i].Response.Usage
				prompt, answer, usd = prompt+u.PromptTokens, answer+u.CompletionTokens, usd+u.USD
			}
		}
		span.SetAttributes(attribute.Int("hallmark.tokens.prompt", prompt),
			attribute.Int("hallmark.tokens.answer", answer),
			attribute.Float64("hallmark.usd", usd), attribute.String("hallmark.outcome", outcome(failed)))
		if failed != nil {
			span.SetStatus(codes.Error, outcome(failed))
		}
		span.End()
	}
}
