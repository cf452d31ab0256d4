// Package model defines what the instrument asks of a language model: a
// Request, a Response, and the small interfaces that a backend implements.
// Backends live in its subdirectories; only the command builds them.
package model

import (
	"context"
	"errors"
	"math"
)

// ErrTransient marks an error after which the same request may succeed later: a lost connection, a 429, a 5xx.
// A backend wraps it; any other error is final for the request and is stored.
var ErrTransient = errors.New("transient failure")

// ErrGone marks an error after which no request can succeed: the server is gone for good, the key is refused, the
// program does not start. The run stops; nothing is stored for the request.
var ErrGone = errors.New("model is gone")

// ErrDenied marks an error that is ErrGone, too, unless other requests still work: the server refused by a status that
// may speak of the model, the key or the account, or of this one request: 402, 403, 404, a quota or a redirect. The
// caller tells the two apart by asking again what worked before.
var ErrDenied error = denied{}

type denied struct{}

func (denied) Error() string        { return "the server refuses" }
func (denied) Is(target error) bool { return target == ErrGone }

// ErrTooLong marks a final error: the prompt does not fit into the model's context. Backends that can tell return
// an error that is this one.
var ErrTooLong = errors.New("the prompt does not fit into the model's context")

// A Model answers requests. Generate is safe for concurrent use. It returns an error wrapping ErrTransient if the
// same request may succeed later and ErrGone if no request can; any other error is final and is stored.
type Model interface {
	Generate(ctx context.Context, req Request) (Response, error)
	// Identity says all about the model that can change its answers: name, address or weight hash, revision.
	// It holds no secret. Equal identities mean exchangeable answers.
	Identity() string
}

// A Batcher is a Model that answers many requests faster together than one by one. The i-th result belongs to the
// i-th request, and is the same, to the bit, as Generate would give.
type Batcher interface {
	Model
	GenerateBatch(ctx context.Context, reqs []Request) []Result
}

// A Result is the outcome of one request of a batch.
type Result struct {
	Response Response
	Err      error
}

// A Prober is a Model that can tell what it is able to do before any work starts; probing may call the model once
// or twice. A model that is no Prober can generate text and nothing else is known of it.
type Prober interface {
	Probe(ctx context.Context) (Capabilities, error)
}

// ProbeOf returns what a model can do: one that tells nothing of it takes prompts at any temperature.
func ProbeOf(ctx context.Context, m Model) (Capabilities, error) {
	if p, ok := m.(Prober); ok {
		return p.Probe(ctx)
	}
	return Capabilities{Temperature0: true, Sampling: true}, nil
}

// A HiddenProber is a Prober that finds out by a call whether last hidden states are available, for those that want
// them. It returns how they come about, or why they are not available; its errors are those of Probe.
type HiddenProber interface {
	ProbeHidden(ctx context.Context) (ok bool, note string, err error)
}

// A FirstTokener is a Model that can show which token each of several continuations of a raw prompt begins with, by
// a call or two each. Its errors are those of Generate, or say why the tokens cannot be seen.
type FirstTokener interface {
	FirstTokens(ctx context.Context, prompt string, options []string) ([]string, error)
}

// Capabilities say what a model can be asked for.
type Capabilities struct {
	Temperature0 bool `json:"temperature_0"` // greedy decoding may be asked for
	Sampling     bool `json:"sampling"`      // a temperature above 0 may be asked for
	LogProbs     bool `json:"logprobs"`      // log-probabilities of the generated tokens
	TopLogProbs  int  `json:"top_logprobs"`  // alternatives listed per token; 0 for none, -1 for the whole vocabulary
	OptionScores bool `json:"option_scores"` // log-probabilities of given continuations
	HiddenStates bool `json:"hidden_states"` // last-token hidden states
	// Closed says that only the prompts of the suites at hand are answered, so that nothing can be asked about an
	// answer.
	Closed        bool   `json:"closed,omitempty"`
	ContextTokens int    `json:"context_tokens"` // tokens of prompt and answer together; 0 if unknown
	Note          string `json:"note,omitempty"` // where the abilities come from, or which flag would add one
}

// A Message is one turn that precedes the prompt.
type Message struct {
	Role string `json:"role"` // system, user or assistant
	Text string `json:"text"`
}

// A Request is everything that is sent and can change the answer. Its JSON, with the model's identity and the
// repeat, is the key of the stored record; a field added later must be omitted when zero.
type Request struct {
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages,omitempty"` // earlier turns, such as demonstrations, in order
	Prompt   string    `json:"prompt"`             // the last user turn, or the whole text of a completion
	// Raw asks for a plain continuation of Prompt, without any chat template.
	Raw bool `json:"raw,omitempty"`

	// Options, where not empty, asks for the log-probability of each option as the continuation of the prompt, and
	// for no generation.
	Options []string `json:"options,omitempty"`
	// Hidden asks, in place of their log-probabilities, how far each option moves the last hidden state:
	// Response.Cosines.
	Hidden bool `json:"hidden,omitempty"`

	MaxTokens   int      `json:"max_tokens,omitempty"`
	Temperature float64  `json:"temperature"` // 0 is greedy
	TopP        float64  `json:"top_p,omitempty"`
	Stop        []string `json:"stop,omitempty"`
	Seed        *int64   `json:"seed,omitempty"` // of the draw, where Temperature is above 0
	LogProbs    bool     `json:"logprobs,omitempty"`
	TopLogProbs int      `json:"top_logprobs,omitempty"`
}

// Size returns the bytes of the text that is sent, options aside.
func (r Request) Size() int {
	n := len(r.System) + len(r.Prompt)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

// Finish reasons, in the words of the OpenAI API.
const (
	FinishStop          = "stop"           // the model ended its answer
	FinishLength        = "length"         // cut off at MaxTokens
	FinishContentFilter = "content_filter" // withheld by the provider
)

// A Response is what came back. Text is nil where the model returned none (a null content), which is not the same
// as an empty answer.
type Response struct {
	Text   *string `json:"text"`
	Finish string  `json:"finish,omitempty"`
	// Tokens are the generated tokens with their log-probabilities, where asked for.
	Tokens []Token `json:"tokens,omitempty"`
	// Options are the scores of Request.Options, in their order.
	Options []OptionScore `json:"options,omitempty"`
	// Cosines are, where Request.Hidden asks for them, of each option the cosine between the last hidden state of
	// the last token of the prompt and that of the last token of prompt and option, in [-1, 1].
	Cosines []float64 `json:"cosines,omitempty"`
	// Retrieved are the IDs of the documents a pipeline used, in its order.
	Retrieved []string `json:"retrieved,omitempty"`
	Usage     Usage    `json:"usage,omitzero"`
	// Model is the name that the server gives its model, where it gives one; see OtherModel.
	Model string `json:"model,omitempty"`
	// Raw is the body as it came, for the record: at most MostRaw bytes of it.
	Raw []byte `json:"raw,omitempty"`
}

// MostRaw is how many bytes of a body are kept.
const MostRaw = 1 << 20

// A Token is one generated token. LogProb is nil where the backend gave none; what is no number is an error.
type Token struct {
	Text    string     `json:"text"`
	LogProb *float64   `json:"logprob"` // nats
	Top     []TopToken `json:"top,omitempty"`
}

// A TopToken is one alternative at a position, most probable first.
type TopToken struct {
	Text    string  `json:"text"`
	LogProb float64 `json:"logprob"` // nats
}

// An OptionScore holds the log-probability, in nats, of every token of one option given the prompt.
type OptionScore struct {
	LogProbs []float64 `json:"logprobs"`
}

// Sum returns the log-probability of the option, in nats.
func (o OptionScore) Sum() float64 {
	var sum float64
	for _, lp := range o.LogProbs {
		sum += lp
	}
	return sum
}

// Cosine returns the cosine between two vectors,
//
//	a·b / (|a| |b|)
//
// in [-1, 1], and false if they differ in length, are empty, or one of them is 0 or holds what is no number. It
// does not change its arguments.
func Cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab += float64(x * y) // rounded by itself: some machines fuse the product with the sum
		aa += float64(x * x)
		bb += float64(y * y)
	}
	c := ab / (math.Sqrt(aa) * math.Sqrt(bb))
	if c-c != 0 {
		return 0, false
	}
	return max(-1, min(1, c)), true
}

// Usage counts what a response cost. Tokens are the provider's count where it gives one; Estimated says that it did
// not and the count is ours. USD is 0 where no price is known.
type Usage struct {
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	Estimated        bool    `json:"estimated,omitempty"`
	USD              float64 `json:"usd,omitempty"`
	Attempts         int     `json:"attempts,omitempty"` // tries it took, retries included
}

// EstimatedUsage is that of a prompt and an answer of so many bytes, at four to a token.
func EstimatedUsage(prompt, answer int) Usage {
	return Usage{PromptTokens: (prompt + 3) / 4, CompletionTokens: (answer + 3) / 4, Estimated: true}
}

// What one answer can take at most. A count or a price beyond it, or below 0, is none: it says nothing of the answer,
// and sums of it would overflow.
const (
	mostTokens = 1_000_000_000_000
	MostUSD    = 1e9
)

// Plausible reports whether each number is one that an answer can have.
func (u Usage) Plausible() bool {
	return u.PromptTokens >= 0 && u.PromptTokens <= mostTokens && u.CompletionTokens >= 0 &&
		u.CompletionTokens <= mostTokens &&
		u.USD >= 0 && u.USD <= MostUSD
}

// Plus returns the usage of two answers as that of one. Of plausible ones it is plausible: it stops at the most.
func (u Usage) Plus(v Usage) Usage {
	u.PromptTokens = min(u.PromptTokens+v.PromptTokens, mostTokens)
	u.CompletionTokens = min(u.CompletionTokens+v.CompletionTokens, mostTokens)
	u.USD = min(u.USD+v.USD, MostUSD)
	u.Estimated = u.Estimated || v.Estimated
	return u
}
