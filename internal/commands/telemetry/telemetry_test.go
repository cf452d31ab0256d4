package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"compress/gzip"

	"github.com/prometheus/client_golang/prometheus"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traced "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// What a run knows and nobody may read of it.
const (
	prompt = "the prompt of a patient"
	answer = "the answer to it"
	key    = "sk-live-4242424242424242"
)

// A faulty model answers all but some: each third call is refused once, each fifth for good, by a server that quotes
// what it was sent.
type faulty struct {
	mu    sync.Mutex
	tried map[string]int
}

func (f *faulty) Identity() string { return "http://host/v1#m --key " + key }

func (f *faulty) Generate(_ context.Context, r model.Request) (model.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tried[r.Prompt]++
	var n int
	fmt.Sscanf(r.Prompt, prompt+" %d", &n)
	switch quoted := fmt.Errorf("what do you mean by %q, %s?", r.Prompt, key); {
	case n%5 == 0:
		return model.Response{}, quoted
	case n%3 == 0 && f.tried[r.Prompt] == 1:
		return model.Response{}, &model.Transient{Err: quoted, Limited: true}
	}
	text := answer
	return model.Response{Text: &text, Finish: model.FinishStop,
		Usage: model.Usage{PromptTokens: 7, CompletionTokens: 3, USD: 0.25}}, nil
}

// asked asks 30 calls: 6 fail, 24 are answered, 8 of them at the second try.
func asked(t *testing.T, shown *Telemetry) {
	t.Helper()
	m := &faulty{tried: map[string]int{}}
	calls := func(yield func(run.Call) bool) {
		for i := range 30 {
			if !yield(run.Call{Model: m.Identity(), Request: model.Request{Prompt: fmt.Sprint(prompt, " ", i)}}) {
				return
			}
		}
	}
	ctx, end := shown.Span(t.Context(), "run", "run", "0123abcd")
	within, ended := shown.Span(ctx, "wave", "wave", "variants")
	counts, err := run.Execute(within, inmemory.New(), map[string]model.Model{m.Identity(): m}, calls, run.Options{
		Concurrency: 4, MaxRetries: 3, Backoff: time.Millisecond, Observer: shown.Observer()})
	ended(err)
	end(err)
	if err != nil || counts.Asked != 30 || counts.Failed != 6 {
		t.Fatalf("%+v, %v", counts, err)
	}
}

func secretless(t *testing.T, text string) {
	t.Helper()
	for _, private := range []string{"patient", answer, key, "4242424242", "what do you mean"} {
		if strings.Contains(text, private) {
			t.Errorf("%q is shown:\n%.2000s", private, text)
		}
	}
}

func get(t *testing.T, url, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestMetrics(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	shown, err := (&Flags{Metrics: "0"}).Start(t.Context(), "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	if !local(shown.Address) {
		t.Errorf("a port alone is served at %v", shown.Address)
	}
	asked(t, shown)
	url := "http://" + shown.Address.String() + "/metrics"
	status, text := get(t, url, "")
	if status != http.StatusOK {
		t.Fatalf("%d: %s", status, text)
	}
	secretless(t, text)
	for _, want := range []string{
		"hallmark_calls_asked_total{M} 38", "hallmark_calls_answered_total{M} 24", "hallmark_calls_failed_total{M} 6",
		"hallmark_calls_retried_total{M} 8", "hallmark_cost_usd_total{M} 6", "hallmark_calls_in_flight{M} 0",
		`hallmark_tokens_total{M,of="prompt"} 168`, `hallmark_tokens_total{M,of="answer"} 72`,
		"hallmark_try_seconds_count{M} 38", `hallmark_tries_total{M,outcome="limited"} 8`,
		`hallmark_tries_total{M,outcome="failure"} 6`, `hallmark_build_info{version="v1"} 1`, "process_open_fds ",
	} {
		name := `model="` + label((&faulty{}).Identity()) + `"`
		if !strings.Contains(text, strings.Replace(want, "M", name, 1)) {
			t.Errorf("want %s in\n%s", want, text)
		}
	}
	if status, text := get(t, url, "evil.example:80"); status != http.StatusForbidden ||
		strings.Contains(text, "hallmark_") {
		t.Errorf("by the name of a web page: %d: %s", status, text)
	}
	if status, _ := get(t, url, "localhost:1"); status != http.StatusOK {
		t.Errorf("as localhost: %d", status)
	}
	if err := shown.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.DialTimeout("tcp", shown.Address.String(), time.Second); err == nil {
		c.Close()
		t.Error("it is served still once it was closed")
	}
}

func TestListen(t *testing.T) {
	for _, bad := range []string{"x", "localhost:http:1", "70000", "-1", "", "host:", "[::1"} {
		if l, err := Listen(t.Context(), bad); err == nil || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "--metrics") {
			t.Errorf("%q: %v, %v", bad, l, err)
		}
	}
	for addr, want := range map[string]bool{"0": true, ":0": true, "localhost:0": true, "0.0.0.0:0": false} {
		l, err := Listen(t.Context(), addr)
		if err != nil {
			t.Errorf("%q: %v", addr, err)
			continue
		}
		if local(l.Addr()) != want {
			t.Errorf("%q is served at %v", addr, l.Addr())
		}
		l.Close()
	}
	taken, err := Listen(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := Listen(t.Context(), taken.Addr().String()); err == nil || !strings.Contains(err.Error(), "--metrics") {
		t.Errorf("a port that is taken: %v", err)
	}
}

// Nothing is shown unless somebody asked for it.
func TestOff(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	shown, err := (&Flags{}).Start(t.Context(), "v1", slog.New(slog.DiscardHandler))
	if shown != nil || err != nil || shown.Observer() != nil || shown.Close() != nil {
		t.Errorf("%v, %v", shown, err)
	}
	asked(t, shown)
}

// A run, its waves and the tries of its calls are spans, each within the one above. Another process goes on within a
// span that it was told of.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var spans []*traced.Span
	var raw bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var from io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			from, _ = gzip.NewReader(r.Body)
		}
		b, err := io.ReadAll(from)
		var got collector.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(b, &got) != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		raw.Write(b)
		for _, of := range got.ResourceSpans {
			for _, in := range of.ScopeSpans {
				spans = append(spans, in.Spans...)
			}
		}
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	shown, err := (&Flags{}).Start(t.Context(), "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	asked(t, shown)
	ctx, end := shown.Span(t.Context(), "detached")
	parent := shown.Parent(ctx)
	end(nil)
	other, err := (&Flags{}).Start(t.Context(), "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, end = other.Span(Under(t.Context(), parent), "shard")
	end(nil)
	_, end = other.Span(Under(t.Context(), "no span\x00"), "alone")
	end(nil)
	if err := errors.Join(shown.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	secretless(t, raw.String())
	ids := map[string][]string{}
	for _, s := range spans {
		ids[s.Name] = append(ids[s.Name], string(s.SpanId))
	}
	if len(ids["run"]) != 1 || len(ids["wave"]) != 1 || len(ids["call"]) != 38 || len(spans) != 43 {
		t.Fatalf("%d spans: %d of runs, %d of waves, %d of calls", len(spans), len(ids["run"]), len(ids["wave"]),
			len(ids["call"]))
	}
	outcomes, traces := map[string]int{}, map[string]string{}
	for _, s := range spans {
		traces[s.Name] = string(s.TraceId)
		parent := map[string]string{"run": "", "wave": "run", "call": "wave", "shard": "detached"}[s.Name]
		if parent != "" && !slices.Contains(ids[parent], string(s.ParentSpanId)) {
			t.Errorf("a span %s is not within one of a %s", s.Name, parent)
		}
		for _, a := range s.Attributes {
			if a.Key == "hallmark.outcome" {
				outcomes[a.Value.GetStringValue()]++
			}
		}
	}
	if traces["shard"] != traces["detached"] || traces["alone"] == traces["shard"] || (*Telemetry)(nil).Parent(ctx) != "" {
		t.Errorf("traces %x", traces)
	}
	if outcomes["answered"] != 24 || outcomes["limited"] != 8 || outcomes["failure"] != 6 {
		t.Errorf("%v", outcomes)
	}
}

// A collector that is not there, or that does not answer, holds nobody up for long, and is said once, without the key
// that goes with the spans.
func TestNoCollector(t *testing.T) {
	ended := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-ended
	}))
	defer hangs.Close()
	defer close(ended)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization="+key)
	usual := patience
	patience = 300 * time.Millisecond
	defer func() { patience = usual }()
	for _, url := range []string{"http://127.0.0.1:1", hangs.URL} {
		said.Store(false)
		var log bytes.Buffer
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
		shown, err := (&Flags{}).Start(t.Context(), "v1", slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		asked(t, shown)
		begun := time.Now()
		if err := shown.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > 2*usual {
			t.Errorf("%s: it takes %v to end", url, took)
		}
		if strings.Count(log.String(), "not taken by the collector") != 1 {
			t.Errorf("%s: it says %q", url, &log)
		}
		secretless(t, log.String())
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	if _, err := (&Flags{}).Start(t.Context(), "v1", slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "http/protobuf") {
		t.Errorf("%v", err)
	}
}

// How a try ended is a word of ours, whatever the server says.
func TestOutcomes(t *testing.T) {
	for want, err := range map[string]error{
		"answered": nil, "not sent": fmt.Errorf("x: %w", model.ErrBudget), "limited": &model.Transient{Limited: true,
			Err: errors.New(prompt)},
		"passing failure": &model.Transient{Err: errors.New(prompt)}, "failure": errors.New(prompt),
		"gone": fmt.Errorf("%s: %w", prompt, model.ErrGone), "interrupted": context.Canceled,
	} {
		if got := outcome(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// A metric of each kind is registered once, by whoever serves them.
func TestRegistry(t *testing.T) {
	r := prometheus.NewRegistry()
	NewMetrics(r, "v1").ended(&run.Record{Failure: "x"})
	families, err := r.Gather()
	if err != nil || len(families) < 5 {
		t.Errorf("%d families, %v", len(families), err)
	}
}
