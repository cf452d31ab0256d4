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
	Text     *string         // read as a text of its own, special tokens in it included
	Messages []model.Message // laid out by the chat template, up to where the answer begins
	Tokens   []int32         // taken as they are
	Logits   bool            // compute them
	Continue int             // so many tokens greedily, ended by nothing but the context
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
		if err := m.traceChat(p.Messages, &out); err != nil {
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

// A probeLine is one line of the input.
type probeLine struct {
	Text     *string `json:"text"`
	Tokens   []int32 `json:"tokens"`
	Logits   bool    `json:"logits"`
	Continue int     `json:"continue"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
}

// TraceLines answers each line of the named input by one (docs/checkpoints.md); a probe that the model refuses has
// the reason in its place. Nothing is written before all lines have been read.
func (m *Model) TraceLines(name string, in io.Reader, to io.Writer) error {
	out := json.NewEncoder(jsonl.Escaping{To: to})
	out.SetEscapeHTML(false)
	var rows []probeLine
	err := jsonl.Each(name, in, func(_ int, row probeLine) error {
		rows = append(rows, row)
		return nil
	}, nil)
	if err != nil {
		return exit.Usage(fmt.Errorf("model trace: %w", err))
	}
	for _, row := range rows {
		if err := out.Encode(m.traceLine(row)); err != nil {
			return err
		}
	}
	return nil
}

// traceLine answers one line.
func (m *Model) traceLine(row probeLine) Trace {
	p := Probe{Text: row.Text, Tokens: row.Tokens, Logits: row.Logits, Continue: row.Continue}
	for _, x := range row.Messages {
		p.Messages = append(p.Messages, model.Message{Role: x.Role, Text: x.Content})
	}
	t, err := m.Trace(p)
	if err != nil {
		return Trace{Tokens: []int32{}, Error: err.Error()}
	}
	return t
}
