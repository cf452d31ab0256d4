// Package hosted asks models behind an HTTP API: any server that speaks the
// OpenAI API (chat and plain completions), and Anthropic's Messages API.
//
// It never retries: it says by the kind of the error whether a retry may help,
// and the caller, who knows the budget and the rate limit, decides. Keys are
// sent as a header to the configured address only, no redirect is followed, and
// a key that a server quotes, in whatever form, is blotted out of all that leaves
// this package: responses, errors and notes.
package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// An API is the protocol a server speaks.
type API string

// The protocols.
const (
	Chat        API = "chat"        // POST BASE/chat/completions; requests with Raw go to BASE/completions
	Completions API = "completions" // POST BASE/completions for all requests
	Messages    API = "messages"    // POST BASE/messages, Anthropic's
)

// Options say which model to ask and how. BaseURL and Name are required.
type Options struct {
	BaseURL string // such as https://api.openai.com/v1
	Name    string // the model's name at the server
	API     API    // default Chat
	Key     string // sent as a header; "" sends none
	KeyName string // where the key comes from, such as OPENAI_API_KEY; for messages
	// Secrets are more keys that may not show in anything that comes back.
	Secrets *secret.Redactor

	Concurrency int           // connections kept open; default 16
	Timeout     time.Duration // of one request, from its start to the end of the body; default 2 minutes
	MaxBody     int64         // bytes of a response that are read; default 32 MiB
	// Now tells the time, to read a Retry-After that is a date; default time.Now.
	Now func() time.Time
}

// A Model asks one model of one server. It implements model.Model and model.Prober, and is safe for concurrent use.
type Model struct {
	o        Options
	c        *client
	identity string

	quirks atomic.Uint32 // as quirks

	scoringMu sync.Mutex // held to find out the way of scoring
	way       atomic.Pointer[way]
}

var (
	_ model.Model  = (*Model)(nil)
	_ model.Prober = (*Model)(nil)

	_ model.HiddenProber = (*Model)(nil)
)

// New returns the model. It connects to nothing. Its errors are those of unusable options, and never show the key.
func New(o Options) (*Model, error) {
	o.API = cmp.Or(o.API, Chat)
	o.Concurrency = cmp.Or(o.Concurrency, 16)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.API != Chat && o.API != Completions && o.API != Messages {
		return nil, fmt.Errorf("unknown API %q: want chat, completions or messages", o.API)
	}
	if o.Name == "" {
		return nil, errors.New("model has no name")
	}
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil: // the error quotes the address, and so a password in it
		return nil, errors.New("model address is no URL: want http(s)://HOST/v1")
	case u.User != nil:
		return nil, fmt.Errorf(
			"model address %q holds a user name or password: put the key in an environment variable", u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("model address at %q is no base address: want http(s)://HOST/v1", u.Host)
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, fmt.Errorf("the key in %s holds a space or a character that no key has: want the key alone",
			cmp.Or(o.KeyName, "the environment"))
	}
	if o.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("the key in %s is not sent to %s over plain http, where it can be read on its way: "+
			"use https, or a server on this machine",
			cmp.Or(o.KeyName, "the environment"), u.Host)
	}
	base := strings.TrimRight(u.String(), "/")
	if o.Secrets = o.Secrets.With(o.Key); o.Secrets.Holds(base) || o.Secrets.Holds(o.Name) {
		return nil, errors.New("the model's address or name holds a key, which would be stored: take it out; " +
			"--key-env NAME sends one as a header")
	}
	return &Model{o: o, identity: fmt.Sprintf("%s#%s %s", base, o.Name, o.API), c: newClient(o, base)}, nil
}

// loopback reports whether a host is this machine, so that what is sent to it leaves it by no wire.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// The addresses of the hosted APIs.
const (
	openAIBase    = "https://api.openai.com/v1"
	anthropicBase = "https://api.anthropic.com/v1"
)

// FromRef returns the model of an openai:, anthropic: or http(s):// reference. Keys come from the environment: for
// openai: from OPENAI_API_KEY, for anthropic: from ANTHROPIC_API_KEY, and for an address from nowhere, so that no
// server is handed the key of another; keyEnv names another variable for any of them. OPENAI_BASE_URL replaces the
// address of openai:. Of o, the address, the name and the key are overwritten.
func FromRef(ref model.Ref, env func(string) string, keyEnv string, o Options) (*Model, error) {
	o.Name, o.Key = ref.Name, ""
	switch ref.Scheme {
	case model.OpenAI:
		o.BaseURL = cmp.Or(env("OPENAI_BASE_URL"), openAIBase)
		o.KeyName = cmp.Or(keyEnv, "OPENAI_API_KEY")
	case model.Anthropic:
		o.BaseURL, o.API = anthropicBase, Messages
		o.KeyName = cmp.Or(keyEnv, "ANTHROPIC_API_KEY")
	case model.HTTP:
		o.BaseURL, o.KeyName = ref.URL, keyEnv
	default:
		return nil, fmt.Errorf("model %q is not behind an HTTP API", ref.Text)
	}
	if o.KeyName != "" {
		o.Key = strings.TrimSpace(env(o.KeyName))
		// A server of one's own, under OPENAI_BASE_URL, may want no key.
		if o.Key == "" && (keyEnv != "" || o.BaseURL == openAIBase || o.BaseURL == anthropicBase) {
			return nil, fmt.Errorf("model %q needs a key: set the environment variable %s", ref.Text, o.KeyName)
		}
	}
	return New(o)
}

// Identity returns the base address, the model's name and the protocol.
func (m *Model) Identity() string { return m.identity }

// Generate sends one request, or for Options one that scores them all.
//
// Errors wrap model.ErrTransient for rate limits, server errors, lost and broken connections, timeouts, and bodies
// that are cut or no JSON; model.ErrGone for refused keys (401), redirects and addresses that do not exist, and
// more narrowly model.ErrDenied for 402, 403, unknown models (404) and exhausted credit; and are otherwise final: a
// refused request, no choices, log-probabilities that are none.
func (m *Model) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	resp, err := m.generate(ctx, req)
	resp.Redact(m.o.Secrets)
	return resp, model.Redacted(err, m.o.Secrets)
}

// generate is Generate, whose response, but for Raw, may show the key.
func (m *Model) generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	switch {
	case req.Hidden:
		return m.states(ctx, req)
	case len(req.Options) > 0:
		return m.score(ctx, req)
	case m.o.API == Messages && req.Raw:
		return model.Response{}, errors.New(
			"the Messages API has no plain continuation: use a server with /v1/completions")
	case m.o.API == Messages:
		return m.anthropic(ctx, req)
	case m.o.API == Completions || req.Raw:
		return m.complete(ctx, req)
	}
	return m.chat(ctx, req)
}

// quirks are the ways in which a model departs from its API, learned from what it refused.
type quirks uint32

const (
	maxCompletionTokens quirks = 1 << iota // takes max_completion_tokens in place of max_tokens
	noTemperature                          // takes no temperature but its own
	noSeed                                 // takes no seed
)

func (q quirks) has(quirk quirks) bool { return q&quirk != 0 }

// known are the quirks that the server has shown.
func (m *Model) known() quirks { return quirks(m.quirks.Load()) }

// learn returns the quirks that would have avoided the refusal, and whether there are any.
func (q quirks) learn(r *refused) (quirks, bool) {
	before := q
	switch parameter := r.parameter(); {
	case parameter == "max_tokens" && strings.Contains(r.message, "max_completion_tokens"):
		q |= maxCompletionTokens
	case parameter == "temperature" && r.unsupported():
		q |= noTemperature
	case parameter == "seed" && r.unsupported():
		q |= noSeed
	}
	return q, q != before
}

// answer posts the body that build makes, and reads the answer to the request.
func (m *Model) answer(ctx context.Context, path string, req model.Request,
	read func(body []byte, req model.Request, raw []byte) (model.Response, error), build func(quirks) any) (
	model.Response, error) {
	most, _ := model.Most(req)
	body, err := m.post(ctx, path, most, build)
	if err != nil {
		return model.Response{}, err
	}
	return read(body, req, m.raw(body))
}

// post sends the body that build makes for the quirks known so far. A refusal that a new quirk explains is followed
// by another try with it, so at most one per quirk, each counted as a request; quirks are remembered only if the
// server then answers, as a message may name a setting that has nothing to do with the refusal.
func (m *Model) post(ctx context.Context, path string, most model.Usage, build func(quirks) any) ([]byte, error) {
	for q := m.known(); ; {
		body, err := m.c.metered(ctx, http.MethodPost, path, build(q), most)
		if r, ok := errors.AsType[*refused](err); ok && !errors.Is(err, model.ErrTransient) {
			if learned, ok := q.learn(r); ok {
				q = learned
				continue
			}
			if r.status == http.StatusNotFound && (m.native(path) || r.code == "model_not_found") {
				err = fmt.Errorf("%w: %s has no model %q or no %s: %v; %s", model.ErrDenied, m.c.base, m.o.Name, path,
					r,
					m.c.named())
			}
		}
		if err == nil {
			m.quirks.Or(uint32(q))
		}
		return body, err
	}
}

// Close closes idle connections. The model stays usable.
func (m *Model) Close() error {
	m.c.http.CloseIdleConnections()
	return nil
}

// native reports whether path is the endpoint without which the model is of no use.
func (m *Model) native(path string) bool {
	return path == map[API]string{Chat: chatPath, Completions: completionsPath, Messages: messagesPath}[m.o.API]
}

// raw returns what is kept of a body: nothing where the key is spread over it.
func (m *Model) raw(body []byte) []byte {
	body = m.o.Secrets.Document(body)
	return body[:min(len(body), model.MostRaw)]
}
