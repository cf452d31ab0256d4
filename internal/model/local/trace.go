package local

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/model"
)

// A Probe is a text, a conversation or tokens to be followed through the model, to be compared with another program.
type Probe struct {
	Text     *string       `json:"text"`     // read as a text of its own, special tokens in it included
	Tokens   []int32       `json:"tokens"`   // taken as they are
	Logits   bool          `json:"logits"`   // compute them
	Continue int           `json:"continue"` // so many tokens greedily, ended by nothing but the context
	Messages []ChatMessage `json:"messages"` // laid out by the chat template, up to where the answer begins
}

// A ChatMessage is a model.Message as chat models are given it.
type ChatMessage struct {
	Role string `json:"role"`
	Text string `json:"content"`
}

// A Trace is what the model makes of a Probe.
type Trace struct {
	Rendered     *string `json:"rendered,omitempty"`   // the conversation as it was laid out
	Tokens       []int32 `json:"tokens"`               // what the transformer reads
	Decoded      string  `json:"decoded"`              // their text, without special tokens
	Logits       logits  `json:"logits,omitempty"`     // after each token, if asked for
	Vocabulary   int     `json:"vocabulary,omitempty"` // numbers in a row of Logits
	Continuation []int32 `json:"continuation,omitempty"`
	Error        string  `json:"error,omitempty"`
}

// logits are written in base64: float32, little-endian, row after row.
type logits [][]float32

func (l logits) MarshalJSON() ([]byte, error) {
	b, err := binary.Append(nil, binary.LittleEndian, slices.Concat(l...))
	if err != nil {
		return nil, err
	}
	return json.Marshal(b)
}

// Trace follows a probe through template, tokenizer and transformer.
func (m *Model) Trace(p Probe) (Trace, error) {
	var out Trace
	var err error
	switch {
	case p.Text != nil:
		before, after := m.tokens.Template()
		if out.Tokens, err = m.tokens.Encode(*p.Text); err != nil {
			return out, err
		}
		out.Tokens = append(append(before, out.Tokens...), after...)
	case len(p.Messages) > 0:
		var messages []model.Message
		for _, x := range p.Messages {
			messages = append(messages, model.Message(x))
		}
		if err := m.traceChat(messages, &out); err != nil {
			return out, err
		}
	default:
		if err := m.CheckTokens(p.Tokens); err != nil {
			return out, err
		}
		out.Tokens = p.Tokens
	}
	if len(out.Tokens) == 0 {
		return out, fmt.Errorf("the probe has no tokens; give a text, messages or tokens")
	}
	out.Decoded = m.tokens.Decode(out.Tokens)
	if p.Logits {
		if out.Logits, err = m.net.Logits(out.Tokens); err != nil {
			return out, err
		}
		out.Vocabulary = len(out.Logits[0])
	}
	if p.Continue <= 0 {
		return out, nil
	}
	g, err := m.net.Generate(out.Tokens, engine.GenerateOptions{MaxTokens: p.Continue})
	out.Continuation = g.Tokens
	return out, err
}

func (m *Model) traceChat(messages []model.Message, out *Trace) error {
	last := messages[len(messages)-1]
	if last.Role != "user" {
		return fmt.Errorf("the last message is of %q; want user, whom the model answers", last.Role)
	}
	parts, err := m.template.render(model.Request{Messages: messages[:len(messages)-1], Prompt: last.Text}, m.begin)
	if err != nil {
		return err
	}
	text := ""
	for _, p := range parts {
		text += p.Text
	}
	out.Rendered = &text
	out.Tokens, err = m.encode(parts, 0)
	return err
}

// TraceLines answers each line of the named input, a Probe, by one (docs/checkpoints.md); a probe that the model
// refuses has the reason in its place. Nothing is written before all lines have been read.
func (m *Model) TraceLines(name string, in io.Reader, to io.Writer) error {
	out := json.NewEncoder(jsonl.Escaping{To: to})
	out.SetEscapeHTML(false)
	var probes []Probe
	err := jsonl.Each(name, in, func(_ int, p Probe) error {
		probes = append(probes, p)
		return nil
	}, nil)
	if err != nil {
		return exit.Usage(fmt.Errorf("model trace: %w", err))
	}
	for _, p := range probes {
		t, err := m.Trace(p)
		if err != nil {
			t = Trace{Tokens: []int32{}, Error: err.Error()}
		}
		if err := out.Encode(t); err != nil {
			return err
		}
	}
	return nil
}
