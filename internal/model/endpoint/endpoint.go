// Package endpoint serves a model that runs in process over HTTP, in the shapes of the OpenAI API: chat and plain
// completions with log-probabilities and streams, embeddings, and vLLM's tokenize and detokenize. docs/serve.md
// describes it.
//
// An answer is the same bits as in process, whatever else is under way. What a request asks for and is not available is
// refused with the parameter's name; nothing is left out silently, as an instrument that reads a server must know what
// it reads.
package endpoint

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/model/local"
)

// Options say how a model is served. ID is required; the zero value of the others is the default.
type Options struct {
	ID  string // the model's name in requests
	Key string // the key that requests must carry; "" takes any
	// HOST:PORT that was named to listen on; on a loopback address, HOST is one of the names that requests may use
	Addr string
	// requests that are read, waiting or running at a time, beyond which the answer is 429; default 256
	Requests int
	MaxBody  int64            // bytes of a request; default 8 MiB
	Lanes    int              // batches that run at a time; default one a core
	Cache    int64            // bytes that keys and values of the sequences under way may take; default 4 GiB
	Log      *slog.Logger     // a line per request, at level debug; default none
	Now      func() time.Time // default time.Now
}

// writeLimit is how long a client may take to read what is sent at a time.
const writeLimit = 30 * time.Second

// A Server is an http.Handler. It is safe for concurrent use. Close it once no request is under way.
type Server struct {
	m      *local.Model
	proxy  *proxied // what answers in the place of m and engine; nil if they do
	o      Options
	engine *scheduler
	places chan struct{}
	bodies bodies
	start  int64

	loopback  bool          // only this machine reaches it
	readLimit time.Duration // how long a client may take to send a body
}

// New returns a server of the model.
func New(m *local.Model, o Options) *Server {
	s := plain(o)
	s.m, s.engine = m, newScheduler(m, s.o.Lanes, s.o.Cache)
	return s
}

// plain returns a server without anything that answers.
func plain(o Options) *Server {
	o.Requests = cmp.Or(o.Requests, 256)
	o.MaxBody = cmp.Or(o.MaxBody, 8<<20)
	o.Lanes = cmp.Or(o.Lanes, runtime.GOMAXPROCS(0))
	o.Cache = cmp.Or(o.Cache, 4<<30)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{o: o, places: make(chan struct{}, o.Requests), bodies: newBodies(), start: o.Now().Unix(),
		readLimit: 30 * time.Second}
}

// Close ends the server's work with the engine.
func (s *Server) Close() error {
	if s.engine != nil {
		s.engine.close()
	}
	return nil
}

// A handler answers a request whose body has been read. Its error is a problem, or that of a client that is gone.
type handler func(w http.ResponseWriter, r *http.Request, f *form) error

// ServeHTTP answers the paths of docs/serve.md, each with and without /v1 in front.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.o.Now()
	id := "req-" + rand.Text()
	w.Header().Set("X-Request-Id", id)
	seen := &recorder{ResponseWriter: w, status: http.StatusOK}
	err := s.route(seen, r)
	var p *problem
	switch {
	case err == nil:
	case !seen.begun && errors.As(err, &p):
		p.write(seen)
	case seen.begun || r.Context().Err() != nil:
		seen.status = 499 // the client is gone: nothing more is sent, this is for the log
	default:
		failed(err).write(seen)
	}
	s.o.Log.Debug("request", "id", id, "method", r.Method, "path", r.URL.Path, "status", seen.status,
		"prompt_tokens", seen.tokens.PromptTokens, "completion_tokens", seen.tokens.CompletionTokens, "took",
		s.o.Now().Sub(began))
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) error {
	if p := s.checkSender(r); p != nil {
		return p
	}
	path := "/" + strings.Trim(strings.TrimPrefix(r.URL.Path, "/v1"), "/")
	if path == "/health" {
		return get(w, r, map[string]string{"status": "ok"})
	}
	if !s.authorized(r) {
		return refusal(http.StatusUnauthorized, "invalid_api_key",
			"Incorrect API key provided: send the server's key as 'Authorization: Bearer KEY'.")
	}
	if name, ok := strings.CutPrefix(path, "/models/"); ok {
		if p := s.checkName(name); p != nil {
			return p
		}
		return get(w, r, s.model())
	}
	if path == "/models" {
		return get(w, r, map[string]any{"object": "list", "data": []any{s.model()}})
	}
	if path == "/tokenizer_info" && s.proxy == nil {
		return get(w, r, s.tokenizerInfo())
	}
	handlers, paths := map[string]handler{
		"/chat/completions": s.chat, "/completions": s.complete, "/embeddings": s.embed, "/tokenize": s.tokenize,
		"/detokenize": s.detokenize,
	}, "/v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models, /tokenize, /detokenize and /health"
	if s.proxy != nil {
		handlers, paths = map[string]handler{"/chat/completions": s.proxyChat},
			"/v1/chat/completions, /v1/models and /health"
	}
	h := handlers[path]
	if h == nil {
		return refusal(http.StatusNotFound, "unknown_url", "Unknown request URL: %s %s. There are %s.", r.Method,
			r.URL.Path, paths)
	}
	if r.Method != http.MethodPost {
		return wrongMethod(r, http.MethodPost)
	}
	return s.post(w, r, h)
}

// get answers a GET.
func get(w http.ResponseWriter, r *http.Request, document any) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return wrongMethod(r, http.MethodGet)
	}
	writeJSON(w, http.StatusOK, document)
	return nil
}

func wrongMethod(r *http.Request, want string) *problem {
	return refusal(http.StatusMethodNotAllowed, "method_not_supported", "Not allowed to %s on %s; use %s.", r.Method,
		r.URL.Path, want)
}

// authorized compares keys in a time that tells nothing of them.
func (s *Server) authorized(r *http.Request) bool {
	if s.o.Key == "" {
		return true
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.o.Key))
	return ok && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// post takes a place, reads the body and answers.
func (s *Server) post(w http.ResponseWriter, r *http.Request, h handler) error {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		p := refusal(http.StatusTooManyRequests, "rate_limit_exceeded",
			"The server has as many requests as it takes; try again later.")
		p.after = time.Second
		return p
	}
	// A browser sends JSON to another origin only if that allows it, which this server does not.
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind),
		"application/json") {
		return refusal(http.StatusUnsupportedMediaType, "unsupported_media_type",
			"The body must be JSON, with the header 'Content-Type: application/json'.")
	}
	size := r.ContentLength
	if size < 0 || size > s.o.MaxBody { // not said, or refused below
		size = s.o.MaxBody
	}
	give, err := s.bodies.take(r.Context(), size)
	if err != nil {
		return err
	}
	defer give()
	control := http.NewResponseController(w)
	// a writer without deadlines, as in tests, has no slow client
	_ = control.SetReadDeadline(time.Now().Add(s.readLimit))
	body, err := readAll(http.MaxBytesReader(w, r.Body, s.o.MaxBody), min(r.ContentLength, s.o.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refusal(http.StatusRequestEntityTooLarge, "request_too_large", "The body has more than %d bytes.",
			large.Limit)
	case err != nil:
		return refusal(http.StatusRequestTimeout, "request_timeout", "The body did not arrive whole in time.")
	}
	f, p := parse(body)
	if p != nil {
		return p
	}
	_ = control.SetWriteDeadline(time.Time{})
	return h(w, r, f)
}

// readAll reads a body that says its size, if it does, without copies of it.
func readAll(from io.Reader, size int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, bytes.MinRead+max(0, size)))
	_, err := b.ReadFrom(from)
	return b.Bytes(), err
}

// modelName reads the model that a request is for.
func (s *Server) modelName(f *form) string {
	name := f.text("model", "")
	if name == "" {
		f.fail(invalid("model", "You must provide a model parameter; this server has '%s'.", s.o.ID))
	} else if p := s.checkName(name); p != nil {
		f.fail(p)
	}
	return name
}

func (s *Server) checkName(name string) *problem {
	if name == s.o.ID {
		return nil
	}
	p := invalid("model", "The model `%.100s` does not exist; this server has `%s`.", name, s.o.ID)
	p.status = http.StatusNotFound
	return p.as("model_not_found")
}

// model describes the model as an entry of /v1/models.
func (s *Server) model() any {
	entry := map[string]any{"id": s.o.ID, "object": "model", "created": s.start, "owned_by": "hallmark"}
	if s.proxy != nil {
		entry["root"] = s.proxy.m.Identity()
	} else {
		entry["root"], entry["max_model_len"] = s.m.Identity(), s.m.ContextTokens()
	}
	return entry
}

// An envelope is what every answer of text begins with.
type envelope struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"` // of the weights and the tokenizer, or of a proxy's model
}

func (s *Server) envelope(prefix, object string, g *generation) envelope {
	var hash string
	if s.proxy != nil {
		hash = fmt.Sprintf("%x", sha256.Sum256([]byte(s.proxy.m.Identity())))
	} else {
		_, hash, _ = strings.Cut(s.m.Identity(), "@sha256:")
	}
	return envelope{ID: prefix + rand.Text(), Object: object, Created: s.o.Now().Unix(), Model: g.model,
		Fingerprint: "fp_" + hash[:min(len(hash), 12)]}
}

// A textAnswer is the body of an answer of text, or one event of its stream.
type textAnswer[C any] struct {
	envelope
	Choices []C    `json:"choices"`
	Usage   *usage `json:"usage,omitempty"`
}

// answerText runs a generation and sends its choices: whole, or as a stream, of which the parts are object.
func answerText[C any](s *Server, w http.ResponseWriter, r *http.Request, g *generation, head envelope, object string,
	whole func(i int, c *choice) C, parts func(i int, c *choice, send func(C))) error {
	if !g.stream {
		choices, err := s.run(r.Context(), g, func(int, *choice) error { return nil })
		if err != nil {
			return err
		}
		u := g.counts(choices)
		a := textAnswer[C]{envelope: head, Usage: &u}
		for i, c := range choices {
			a.Choices = append(a.Choices, whole(i, c))
		}
		return s.answer(w, g, u, a)
	}
	head.Object = object
	out := &stream{w: w, g: g}
	choices, err := s.run(r.Context(), g, func(i int, c *choice) error {
		parts(i, c, func(one C) { out.send(textAnswer[C]{envelope: head, Choices: []C{one}}) })
		return out.flush()
	})
	u := g.counts(choices)
	return out.end(err, u, textAnswer[C]{envelope: head, Choices: []C{}, Usage: &u})
}

// seedHeader tells the seed that the answer was drawn with, which matters where the request named none.
const seedHeader = "Hallmark-Seed"

func (s *Server) answer(w http.ResponseWriter, g *generation, u usage, body any) error {
	w.Header().Set(seedHeader, strconv.FormatInt(g.seed, 10))
	counted(w, u)
	writeJSON(w, http.StatusOK, body)
	return nil
}

// counted keeps the tokens of an answer for the log.
func counted(w http.ResponseWriter, u usage) {
	if r, ok := w.(*recorder); ok {
		r.tokens = u
	}
}

// writeJSON sends a document. What goes wrong is the client's loss.
func writeJSON(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(document)
}

// A recorder notes what a response was, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	begun  bool // something has been sent
	tokens usage
}

// WriteHeader notes the status.
func (r *recorder) WriteHeader(status int) {
	r.status, r.begun = status, true
	r.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer has begun.
func (r *recorder) Write(b []byte) (int, error) {
	r.begun = true
	return r.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// A stream sends an answer as server-sent events.
type stream struct {
	w     http.ResponseWriter
	g     *generation
	begun bool
	err   error // of the last write
}

// send writes an event. Flush tells what went wrong.
func (s *stream) send(document any) {
	if !s.begun {
		s.begun = true
		h := s.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set(seedHeader, strconv.FormatInt(s.g.seed, 10))
	}
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(writeLimit))
	b, err := json.Marshal(document)
	if err == nil && s.err == nil {
		_, err = s.w.Write(append(append([]byte("data: "), b...), "\n\n"...))
	}
	if s.err == nil {
		s.err = err
	}
}

// flush hands what was sent to the client.
func (s *stream) flush() error {
	if s.err == nil && s.begun {
		s.err = http.NewResponseController(s.w).Flush()
	}
	return s.err
}

// end closes the stream: with the document of the usage if that was asked for, or with the problem that broke it.
func (s *stream) end(err error, u usage, document any) error {
	var p *problem
	switch {
	case err == nil:
		counted(s.w, u)
		if s.g.usage {
			s.send(document)
		}
	case !s.begun || s.err != nil || !errors.As(err, &p):
		return err
	default:
		s.send(p.document())
	}
	if s.err == nil {
		_, s.err = io.WriteString(s.w, "data: [DONE]\n\n")
	}
	return s.flush()
}
