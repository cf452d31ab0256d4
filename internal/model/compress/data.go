package compress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/local"
	"hallmark/internal/model/tune"
)

// Read lays out a file as the folder's model reads it. Its lines are conversations, as tune.Parse takes them, of
// which the assistant's turns are learned, or texts, {"text": "…"}, of which all is; one longer than the model's
// context is cut. The error wraps ErrUnusable and names the line.
func Read(folder fs.FS, file string, data []byte) ([]train.Sequence, error) {
	head := data[:len(data)-len(bytes.TrimLeft(data, " \t\r\n"))]
	first, _, _ := bytes.Cut(data[len(head):], []byte("\n"))
	var probe map[string]json.RawMessage
	if json.Unmarshal(first, &probe) != nil || probe == nil {
		return nil, unusable(`%s:%d: want {"text": "…"} or {"messages": […]}, a line each; found %q`, file,
			1+bytes.Count(head, []byte("\n")), jsonl.Excerpt(bytes.TrimSpace(first)))
	}
	if _, ok := probe["text"]; ok {
		return texts(folder, file, data)
	}
	conversations, err := tune.Parse(file, data)
	if err != nil {
		return nil, unusable("%w", err)
	}
	m, err := local.Open(folder, "compressed")
	if err != nil {
		return nil, unusable("the model: %w", err)
	}
	sequences, err := tune.Sequences(m, conversations)
	if err != nil {
		return nil, unusable("%w", err)
	}
	return sequences, nil
}

func texts(folder fs.FS, file string, data []byte) ([]train.Sequence, error) {
	f, err := weights.Load(folder)
	if err != nil {
		return nil, unusable("the model: %w", err)
	}
	if f.Tokenizer == nil {
		return nil, unusable("the folder has no tokenizer.json, so that no text can be read")
	}
	before, _ := f.Tokenizer.Template()
	room := f.Model.Config().MaxContext - len(before)
	if room < 1 {
		return nil, unusable("the model's context of %d tokens has no room for text", f.Model.Config().MaxContext)
	}
	var all []train.Sequence
	err = tune.EachLine(file, data, "text", func(line []byte, _ string) error {
		var row struct {
			Text *string `json:"text"`
		}
		switch err := json.Unmarshal(line, &row); {
		case err != nil:
			return fmt.Errorf(`want {"text": "…"}, found %q`, jsonl.Excerpt(bytes.TrimSpace(line)))
		case row.Text == nil || *row.Text == "":
			return errors.New(`no text; want {"text": "…"}`)
		}
		tokens, err := f.Tokenizer.EncodeText(*row.Text)
		for part := range slices.Chunk(tokens, room) {
			s := train.Sequence{Tokens: slices.Concat(before, part)}
			s.Weights = slices.Concat(make([]float32, len(before)), slices.Repeat([]float32{1}, len(part)))
			if len(s.Tokens) > 1 {
				all = append(all, s)
			}
		}
		return err
	})
	if err != nil {
		return nil, unusable("%w", err)
	}
	if len(all) == 0 {
		return nil, unusable("%s: no text of two tokens", file)
	}
	return all, nil
}
