package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

func (a *app) modelTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace REF FILE",
		Short: "Follow prompts through an in-process model: layout, tokens, logits, greedy continuation",
		Long: "Follow the prompts of FILE (- for standard input), one JSON object a line, through pocket or hf:DIR, to compare the engine with another program (docs/checkpoints.md).\n" +
			"A line is {\"text\": …}, {\"messages\": [{\"role\": …, \"content\": …}, …]} or {\"tokens\": […]}, with \"continue\": N for N greedy tokens and \"logits\": true for the logits after each token, float32, little-endian, in base64.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := model.ParseRef(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			if ref.Scheme != model.Pocket && ref.Scheme != model.HF {
				return exit.Usagef("model trace %s: only pocket and hf:DIR run in process", args[0])
			}
			m, err := a.models.Build(cmd.Context(), ref, spec.Default().Reach, nil)
			if err != nil {
				return exit.Usagef("model %s: %w", args[0], err)
			}
			in := a.stdin
			if args[1] != "-" {
				file, err := inputfile.Open(args[1])
				if err != nil {
					return exit.Usagef("%s: %v", args[1], inputfile.Cause(err))
				}
				defer file.Close()
				in = file
			}
			return a.trace(m.(*local.Model), args[1], in)
		},
	}
	return cmd
}

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

// trace answers each line by one; a probe that the model refuses has the reason in its place. Nothing is written
// before all lines have been read.
func (a *app) trace(m *local.Model, name string, in io.Reader) error {
	out := json.NewEncoder(jsonl.Escaping{To: a.stdout})
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
		if err := out.Encode(traced(m, row)); err != nil {
			return err
		}
	}
	return nil
}

// traced answers one line.
func traced(m *local.Model, row probeLine) traceLine {
	p := local.Probe{Text: row.Text, Tokens: row.Tokens, Logits: row.Logits, Continue: row.Continue}
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
