package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collectorKey is under what a script keeps its collector of traces.
type collectorKey struct{}

// A spanCollector keeps the spans that processes send it.
type spanCollector struct {
	mu    sync.Mutex
	spans []*trace.Span
}

func (c *spanCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		from = unpacked
	}
	var got collector.ExportTraceServiceRequest
	if b, err := io.ReadAll(from); err != nil || proto.Unmarshal(b, &got) != nil {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range got.ResourceSpans {
		for _, in := range of.ScopeSpans {
			c.spans = append(c.spans, in.Spans...)
		}
	}
}

// collects starts a collector of traces, to which the commands after it send theirs.
func collects(ts *testscript.TestScript, _ bool, _ []string) {
	c := &spanCollector{}
	server := httptest.NewServer(c)
	ts.Defer(server.Close)
	ts.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	*ts.Value(collectorKey{}).(**spanCollector) = c
}

// traced checks the spans that were collected: that there is one trace, and for each argument CHILD<PARENT that there
// are spans named CHILD, each within one named PARENT.
func traced(ts *testscript.TestScript, _ bool, args []string) {
	c := *ts.Value(collectorKey{}).(**spanCollector)
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]string{}
	for _, s := range c.spans {
		names[string(s.SpanId)] = s.Name
		if string(s.TraceId) != string(c.spans[0].TraceId) {
			ts.Fatalf("the span %s is of another trace than %s", s.Name, c.spans[0].Name)
		}
	}
	for _, arg := range args {
		child, parent, _ := strings.Cut(arg, "<")
		seen := 0
		for _, s := range c.spans {
			if s.Name == child {
				seen++
				if is := names[string(s.ParentSpanId)]; is != parent {
					ts.Fatalf("a span %s is within %q, not within %s", child, is, parent)
				}
			}
		}
		if seen == 0 {
			ts.Fatalf("no span %s among %d", child, len(c.spans))
		}
	}
}
