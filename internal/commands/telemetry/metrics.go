package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"hallmark/internal/base/exit"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/text/secret"
)

// Metrics are what Prometheus reads of the calls of a process.
type Metrics struct {
	asked, answered, failed, retried, cost *prometheus.CounterVec
	tries, tokens                          *prometheus.CounterVec
	flying                                 *prometheus.GaugeVec
	took                                   *prometheus.HistogramVec
}

// NewMetrics returns metrics that the registry holds, with those of the process.
func NewMetrics(r prometheus.Registerer, version string) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "hallmark", Name: name, Help: help},
			append([]string{"model"}, labels...))
		r.MustRegister(c)
		return c
	}
	m := &Metrics{
		asked:    counter("calls_asked_total", "Tries of calls that were sent to a model."),
		answered: counter("calls_answered_total", "Calls that ended in an answer."),
		failed:   counter("calls_failed_total", "Calls that ended in a failure, once their tries ran out."),
		retried:  counter("calls_retried_total", "Tries of calls beyond the first of each."),
		tries:    counter("tries_total", "Tries of calls by how they ended.", "outcome"),
		tokens:   counter("tokens_total", "Tokens of the answers, as the server counts them.", "of"),
		cost:     counter("cost_usd_total", "What the answers cost, by the price that is known."),
		flying: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "hallmark", Name: "calls_in_flight",
			Help: "Calls that a model is answering."}, []string{"model"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "hallmark", Name: "try_seconds",
			Help:    "How long a try took, answered or not; of a batch, all of it.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}}, []string{"model"}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "hallmark", Name: "build_info",
		Help: "1, with the version of the program."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	r.MustRegister(m.flying, m.took, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// longestLabel bounds a label: an identity may be long.
const longestLabel = 120

// label returns a text as it is shown: without what looks like a key, and cut.
func label(text string) string {
	text = strings.ToValidUTF8(secret.Shown(text), "\uFFFD")
	if len(text) > longestLabel {
		text = strings.ToValidUTF8(text[:longestLabel], "") + "…"
	}
	return text
}

func (m *Metrics) try(identity string, calls, before int) func([]model.Result) {
	name, begun := label(identity), time.Now()
	m.flying.WithLabelValues(name).Add(float64(calls))
	return func(results []model.Result) {
		m.flying.WithLabelValues(name).Sub(float64(calls))
		sent := 0
		for i := range results {
			if !errors.Is(results[i].Err, model.ErrBudget) {
				sent++
			}
			m.tries.WithLabelValues(name, outcome(results[i].Err)).Inc()
		}
		if sent == 0 {
			return
		}
		m.took.WithLabelValues(name).Observe(time.Since(begun).Seconds())
		m.asked.WithLabelValues(name).Add(float64(sent))
		if before > 0 {
			m.retried.WithLabelValues(name).Add(float64(sent))
		}
	}
}

func (m *Metrics) ended(r *run.Record) {
	name := label(r.Call.Model)
	if r.Response == nil {
		m.failed.WithLabelValues(name).Inc()
		return
	}
	m.answered.WithLabelValues(name).Inc()
	if u := r.Response.Usage; u.Plausible() {
		m.tokens.WithLabelValues(name, "prompt").Add(float64(u.PromptTokens))
		m.tokens.WithLabelValues(name, "answer").Add(float64(u.CompletionTokens))
		m.cost.WithLabelValues(name).Add(u.USD)
	}
}

// Listen listens where metrics are to be served: on a port of this machine alone, or on HOST:PORT.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		port = addr
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > 65535 {
		return nil, exit.Usagef("--metrics %q: want a port, such as 9464, or HOST:PORT; 0.0.0.0:9464 is read from "+
			"other machines, too", addr)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, exit.Usagef("--metrics %q: %w", addr, err)
	}
	return l, nil
}

// local reports whether an address is reached from this machine alone.
func local(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// Serve serves at /metrics what the registry gathers, until it is stopped. On an address of this machine alone a web
// page cannot read it by a name of its own that leads there.
func Serve(l net.Listener, r prometheus.Gatherer) (stop func(context.Context) error) {
	mux := http.NewServeMux()
	read := promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, req *http.Request) {
		if local(l.Addr()) && !localName(req.Host) {
			http.Error(w, "ask for it as localhost or 127.0.0.1", http.StatusForbidden)
			return
		}
		read.ServeHTTP(w, req)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	return func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if served := <-done; err == nil && !errors.Is(served, http.ErrServerClosed) {
			err = served
		}
		return err
	}
}

func localName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
