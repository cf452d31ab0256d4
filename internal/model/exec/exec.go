// Package exec asks a program: any pipeline that reads a JSON request a line on standard input and writes a JSON
// response a line on standard output. The protocol is docs/exec.md.
package exec

import (
	"cmp"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// Options say how to run the program. The zero Options will do.
type Options struct {
	Dir       string        // working folder; default the current one
	Processes int           // most processes at once; default 1
	Timeout   time.Duration // of one request; default 5 minutes
	MaxLine   int           // most bytes of a response line; default 16 MiB
	// PassEnv names the variables that the program gets besides PATH, HOME, TMPDIR and LANG, and SystemRoot on
	// Windows: a key that this process holds for one server is no business of a program.
	PassEnv []string
	// Secrets are keys that may not show in anything that comes back, or in the model's identity. Beside them it is
	// what looks like a key in the command, and the values of PassEnv.
	Secrets *secret.Redactor
}

// environ returns the environment of the program.
func (o Options) environ() []string {
	var env []string
	for _, name := range append([]string{"PATH", "HOME", "TMPDIR", "LANG", "SystemRoot"}, o.PassEnv...) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// A Model asks a pool of processes of one command, each of which answers one request at a time and lives until Close.
// Processes start when they are needed. A process that dies, runs out of time or breaks the protocol is replaced.
// It implements model.Model and model.Prober, and is safe for concurrent use.
type Model struct {
	command  string
	shown    string   // the command, or its hash where it holds a secret
	secret   []string // what looks like one in the command
	o        Options
	slots    chan struct{} // holds one entry per request in flight
	answered atomic.Bool   // some process has answered something

	mu     sync.Mutex
	idle   []*process // the last used last
	all    map[*process]struct{}
	closed bool
}

var (
	_ model.Model  = (*Model)(nil)
	_ model.Prober = (*Model)(nil)
)

// New returns the model of a command, which the shell will run (sh -c, or cmd /c on Windows). It starts nothing.
func New(command string, o Options) (*Model, error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("no command: want exec:COMMAND")
	}
	o.Processes = max(o.Processes, 1)
	o.Timeout = cmp.Or(o.Timeout, 5*time.Minute)
	o.MaxLine = cmp.Or(o.MaxLine, 16<<20)
	m := &Model{command: command, shown: command, secret: secret.InCommand(command),
		slots: make(chan struct{}, o.Processes), all: map[*process]struct{}{}}
	o.Secrets = o.Secrets.With(m.secret...).With(o.passed()...)
	if m.o = o; len(m.secret) > 0 || o.Secrets.Holds(command) {
		hash, err := hashed(command)
		if err != nil {
			return nil, err
		}
		m.shown = hash
	}
	return m, nil
}

// passed returns the values that the program gets by PassEnv, but paths and addresses without a password, which
// programs tell all the time.
func (o Options) passed() []string {
	var values []string
	for _, name := range o.PassEnv {
		v := os.Getenv(name)
		if !isPath(v) && (!strings.Contains(v, "://") || strings.Contains(v, "@")) {
			values = append(values, v)
		}
	}
	return values
}

// isPath reports whether a value is the path of something that is there, or could be: a secret may begin with a
// slash too.
func isPath(v string) bool {
	if !strings.HasPrefix(v, "/") {
		return false
	}
	for _, p := range append(filepath.SplitList(v), filepath.Dir(v)) {
		if _, err := os.Lstat(p); err == nil && p != "/" {
			return true
		}
	}
	return false
}

// hashed names a command that holds a secret. The hash is slow, so that a short secret is not soon found by trying,
// and has no salt but this, as the same command has the same name everywhere.
func hashed(command string) (string, error) {
	const iterations, size = 600_000, 32
	key, err := pbkdf2.Key(sha256.New, command, []byte("hallmark exec:"), iterations, size)
	if err != nil {
		return "", fmt.Errorf("the command holds a secret, and cannot be hashed: %w", err)
	}
	return "pbkdf2-sha256:" + hex.EncodeToString(key), nil
}

// Identity returns the command, or its hash where it holds a secret. What the program reads on its own, such as an
// index on disk, is no part of it.
func (m *Model) Identity() string { return "exec:" + m.shown }

// note returns the end of what a process wrote to its standard error, to follow a message, without secrets: also
// without the short ones of the command, which the shell may quote.
func (m *Model) note(p *process) string {
	text := m.o.Secrets.Text(p.stderr.text())
	for _, s := range m.secret {
		text = strings.ReplaceAll(text, s, secret.Mark)
	}
	if text = model.Line(text, tailSize); text != "" {
		return "; its standard error ends: " + text
	}
	return ""
}

var errClosed = fmt.Errorf("%w: it was closed", model.ErrGone)

// Generate sends one request to an idle process.
//
// Errors wrap model.ErrTransient where a process that worked before dies or a request takes too long, or where the
// program says so; model.ErrGone where the program dies before any process of it has answered; and are otherwise
// final: an error the program reports, a line that is no response, a line that is too long.
func (m *Model) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	resp, err := m.generate(ctx, req)
	resp.Redact(m.o.Secrets)
	return resp, model.Redacted(err, m.o.Secrets)
}

// generate is Generate, whose response, but for Raw, may show a secret.
func (m *Model) generate(ctx context.Context, req model.Request) (model.Response, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return model.Response{}, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	if req.Hidden {
		return model.Response{}, errors.New("a program gives no hidden states")
	}
	most, _ := model.Most(req)
	took, err := model.Take(ctx, most)
	if err != nil {
		return model.Response{}, err
	}
	out, err := m.exchange(ctx, req)
	switch {
	case err == nil && !out.Usage.Estimated:
		took(out.Usage)
	case errors.Is(err, model.ErrGone): // it never worked
		took(model.Usage{})
	default:
		took(most)
	}
	return out, err
}

// exchange sends the request to a process and reads its answer.
func (m *Model) exchange(ctx context.Context, req model.Request) (model.Response, error) {
	p, err := m.take()
	if err != nil {
		return model.Response{}, err
	}
	line, err := m.ask(ctx, p, req)
	if err != nil {
		m.drop(p)
		return model.Response{}, err
	}
	out, err := decode(line, req)
	var syntax *protocolError
	broken := errors.As(err, &syntax)
	if err != nil { // it quotes the line, or an error in it
		quoted := m.o.Secrets.Bytes(line)
		if broken {
			quoted = m.o.Secrets.Quotable(line)
		}
		if _, clean := decode(quoted, req); clean != nil {
			err = clean
		}
	}
	if broken || errors.As(err, &syntax) {
		m.drop(p) // what it writes next may belong to this request
		return model.Response{}, err
	}
	m.answered.Store(true)
	m.put(p)
	if err != nil {
		return model.Response{}, err
	}
	raw := m.o.Secrets.Document(line)
	out.Raw = raw[:min(len(raw), model.MostRaw)]
	return out, nil
}

// Probe asks for the scores of two options, with log-probabilities, and reports what comes back; all else is taken
// on trust. A program that cannot answer such a request scores no options. One that dies of it is asked for a text,
// too: the error of that wraps model.ErrGone if the program does not work at all. The only other errors are the
// context's and model.ErrBudget.
func (m *Model) Probe(ctx context.Context) (model.Capabilities, error) {
	c := model.Capabilities{Temperature0: true, Sampling: true}
	out, err := m.Generate(ctx, model.Request{Prompt: "The sky is", Options: []string{" blue", " green"},
		MaxTokens: 1, LogProbs: true})
	if errors.Is(err, model.ErrGone) {
		if _, again := m.Generate(ctx, model.Request{Prompt: "The sky is", MaxTokens: 1}); errors.Is(again,
			model.ErrGone) {
			return model.Capabilities{}, again
		}
	}
	switch {
	case ctx.Err() != nil:
		return model.Capabilities{}, ctx.Err()
	case errors.Is(err, model.ErrBudget):
		return model.Capabilities{}, err
	case err != nil:
		c.Note = "no option scores (docs/exec.md says how a program gives them)"
	default:
		c.OptionScores, c.LogProbs = true, len(out.Tokens) > 0
	}
	return c, nil
}

// ask returns the line that answers req. After an error the process is of no use.
func (m *Model) ask(ctx context.Context, p *process, req model.Request) ([]byte, error) {
	b, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("request is no JSON: %w", err)
	}
	select {
	case l, ok := <-p.lines:
		if ok && l.err == nil {
			return nil, &model.Transient{Err: fmt.Errorf(
				"%q wrote a line that answers no request, and was restarted: %s", m.shown,
				excerpt(m.o.Secrets.Quotable(l.text)))}
		}
		return nil, m.died(p)
	default:
	}
	timeout := time.NewTimer(m.o.Timeout)
	defer timeout.Stop()
	p.requests <- append(b, '\n') // room for one: the request before was answered
	select {
	case l, ok := <-p.lines:
		switch {
		case ok && l.err == nil:
			return l.text, nil
		case ok && errors.Is(l.err, errTooLong):
			return nil, fmt.Errorf("%q wrote a line of more than %d bytes", m.shown, m.o.MaxLine)
		}
		return nil, m.died(p)
	case <-timeout.C:
		return nil, &model.Transient{Err: fmt.Errorf("%q gave no answer within %v, and was restarted%s", m.shown,
			m.o.Timeout, m.note(p))}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// died describes a process whose output has ended: gone if no process ever answered, else worth another try.
func (m *Model) died(p *process) error {
	how := p.wait()
	err := fmt.Errorf("%q ended (%s) without an answer%s", m.shown, how, m.note(p))
	if m.answered.Load() {
		return &model.Transient{Err: err}
	}
	return fmt.Errorf("%w: %w", model.ErrGone, err)
}

// take returns an idle process or starts one.
func (m *Model) take() (*process, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	if n := len(m.idle); n > 0 {
		p := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return p, nil
	}
	p, err := start(m.command, m.o)
	if err != nil {
		if m.answered.Load() { // such as too many processes on the machine
			return nil, &model.Transient{Err: fmt.Errorf("%q does not start: %w", m.shown, err)}
		}
		return nil, fmt.Errorf("%w: %q does not start: %v", model.ErrGone, m.shown, err)
	}
	m.all[p] = struct{}{}
	return p, nil
}

func (m *Model) put(p *process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.idle = append(m.idle, p)
	}
}

func (m *Model) drop(p *process) {
	p.kill()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, p)
}

// Close ends all processes and what they started: it closes their standard input, gives them a second to finish, and
// kills the process group of each. Requests in flight fail. It may be called more than once.
func (m *Model) Close() error {
	m.mu.Lock()
	m.closed, m.idle = true, nil
	all := m.all
	m.all = map[*process]struct{}{}
	m.mu.Unlock()
	deadline, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for p := range all {
		_ = p.stdin.Close() // closed already where the process was dropped
	}
	for p := range all {
		select {
		case <-p.ended:
		case <-deadline.Done():
		}
		p.kill()
	}
	return nil
}
