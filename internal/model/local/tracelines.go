package local

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"hallmark/internal/exit"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
)

// A probeLine is one line of the input.
type probeLine struct {
	Text     *string `json:"text"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Tokens   []int32 `json:"tokens"`
	Continue int     `json:"continue"`
	Logits   bool    `json:"logits"`
}

// A traceLine is one line of the output.
type traceLine struct {
	Rendered     *string `json:"rendered,omitempty"`
	Tokens       []int32 `json:"tokens"`
	Decoded      string  `json:"decoded"`
	Logits       []byte  `json:"logits,omitempty"` // base64
	Vocabulary   int     `json:"vocabulary,omitempty"`
	Continuation []int32 `json:"continuation,omitempty"`
	Error        string  `json:"error,omitempty"`
}

// TraceLines answers each line of the named input by one (docs/checkpoints.md); a probe that the model refuses has the reason in
// its place. Nothing is written before all lines have been read.
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
func (m *Model) traceLine(row probeLine) traceLine {
	p := Probe{Text: row.Text, Tokens: row.Tokens, Logits: row.Logits, Continue: row.Continue}
	for _, x := range row.Messages {
		p.Messages = append(p.Messages, model.Message{Role: x.Role, Text: x.Content})
	}
	t, err := m.Trace(p)
	if err != nil {
		return traceLine{Tokens: []int32{}, Error: err.Error()}
	}
	line := traceLine{Rendered: t.Rendered, Tokens: t.Tokens, Decoded: t.Decoded, Continuation: t.Continuation}
	if row.Logits {
		line.Vocabulary = len(t.Logits[0])
		for _, row := range t.Logits {
			for _, x := range row {
				line.Logits = binary.LittleEndian.AppendUint32(line.Logits, math.Float32bits(x))
			}
		}
	}
	return line
}
