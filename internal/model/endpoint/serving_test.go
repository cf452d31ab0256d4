package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/engine"
)

// The server takes as many requests as it was told to; the next is told to come again.
func TestBusy(t *testing.T) {
	s, base := serve(t, tiny(), Options{Requests: 1})
	body, hold := io.Pipe()
	first := make(chan int, 1)
	go func() {
		resp, err := http.Post(base+"/completions", "application/json", body)
		if err != nil {
			first <- 0
			return
		}
		resp.Body.Close()
		first <- resp.StatusCode
	}()
	for len(s.places) == 0 {
		time.Sleep(time.Millisecond)
	}
	status, header, b := post(t, base+"/completions", `{}`)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" ||
		!strings.Contains(string(b), "rate_limit_exceeded") {
		t.Errorf("%d %v %s", status, header, b)
	}
	io.WriteString(hold, `{"model":"tiny","prompt":"a"}`)
	hold.Close()
	if got := <-first; got != http.StatusOK {
		t.Errorf("the first request got %d", got)
	}
}

// A body that does not come gives up its place.
func TestSlowClients(t *testing.T) {
	s := New(mustOpen(4096), Options{ID: "tiny"})
	s.readLimit = 50 * time.Millisecond
	h := httptest.NewServer(s)
	defer func() { h.Close(); s.Close() }()
	body, hold := io.Pipe()
	go io.WriteString(hold, `{"model":`)
	resp, err := http.Post(h.URL+"/completions", "application/json", body)
	if err == nil {
		if resp.StatusCode != http.StatusRequestTimeout {
			t.Errorf("status %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
	hold.Close()
}

// A timed writer keeps the deadlines that a handler sets for what it reads.
type timedWriter struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (w *timedWriter) SetReadDeadline(at time.Time) error {
	w.deadlines = append(w.deadlines, at)
	return nil
}

// A request that takes longer than a body may is not cut off: once the body is there, its deadline is lifted.
func TestDeadlineIsLifted(t *testing.T) {
	s := New(mustOpen(16), Options{ID: "tiny"})
	defer s.Close()
	w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/completions",
		strings.NewReader(`{"model":"tiny","prompt":"a","max_tokens":2}`))
	r.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(w, r)
	if d := w.deadlines; w.Code != http.StatusOK || len(d) != 2 || d[0].IsZero() || !d[1].IsZero() {
		t.Errorf("status %d, deadlines %v", w.Code, d)
	}
}

// A lane takes in no more than there is memory for, but one sequence at least, and gives the memory back.
func TestCacheIsBounded(t *testing.T) {
	m := tiny()
	l := &lane{m: m, d: m.NewDecoder(), running: map[*engine.Sequence]*task{}, room: 50 * m.CacheBytes()}
	box := newMailbox()
	for i, further := range []int{60, 10, 10, 1, 30, 0} { // after a prompt of 8 tokens
		l.waiting = append(l.waiting, &task{ctx: context.Background(), index: i, to: box, ask: engine.Ask{
			Prompt: []int32{2, 3, 4, 5, 6, 7, 8, 9}, Generate: engine.GenerateOptions{MaxTokens: further},
		}})
	}
	var joined []int // sequences that are still waiting after each join
	for len(l.waiting) > 0 || l.d.Active() > 0 {
		before := len(l.waiting)
		if l.join(); len(l.waiting) < before {
			joined = append(joined, len(l.waiting))
		}
		for _, q := range l.d.Step() {
			l.report(q)
		}
	}
	// The first is too large and runs alone; the next three fit, two with 18 tokens and one that keeps none; then the
	// rest.
	if want := []int{5, 2, 0}; !slices.Equal(joined, want) || l.room != 50*m.CacheBytes() || len(l.running) != 0 {
		t.Errorf("waiting after each join %v, want %v; room %d of %d, %d running", joined, want, l.room, 50*m.CacheBytes(),
			len(l.running))
	}
}

// endless asks for answers that take minutes.
func endless() object {
	return object{"model": "tiny", "prompt": slices.Repeat([]string{"the land"}, 64), "n": 8, "max_tokens": 8000,
		"stream": true, "temperature": 2}
}

// A client that goes away stops what it asked for.
func TestDisconnectStopsTheWork(t *testing.T) {
	s := New(mustOpen(8192), Options{ID: "tiny"})
	h := httptest.NewServer(s)
	b, _ := json.Marshal(endless())
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "POST", h.URL+"/completions", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	cancel()
	resp.Body.Close()
	closed := make(chan struct{})
	go func() { h.Close(); s.Close(); close(closed) }()
	<-closed // an engine that went on without a client would run into the limit of go test
}

// An interrupt lets a request finish that finishes within the grace, cuts off one that does not, and takes no more.
func TestServeAndShutDown(t *testing.T) {
	for _, patient := range []bool{true, false} {
		s := New(mustOpen(8192), Options{ID: "tiny"})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		base := "http://" + listener.Addr().String()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		grace := 10 * time.Millisecond
		body := endless()
		if patient {
			grace = time.Hour
			body = object{"model": "tiny", "prompt": "the land", "max_tokens": 400, "stream": true, "temperature": 2, "seed": 4}
		}
		go func() { done <- s.Serve(ctx, listener, grace) }()
		b, _ := json.Marshal(body)
		resp, err := http.Post(base+"/v1/completions", "application/json", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		whole := err == nil && strings.HasSuffix(string(rest), "data: [DONE]\n\n")
		if served := <-done; whole != patient || (served == nil) != patient {
			t.Errorf("patient %v: the answer came whole: %v (%v); Serve returned %v", patient, whole, err, served)
		}
		if resp, err := http.Get(base + "/health"); err == nil {
			resp.Body.Close()
			t.Error("the server still takes requests")
		}
	}
}
