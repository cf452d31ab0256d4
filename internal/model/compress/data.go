package compress

import (
	"bytes"
	"encoding/json"
	"io/fs"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/local"
	"hallmark/internal/model/tune"
)

// maxLine bounds one text, in bytes.
const maxLine = 4 << 20

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
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var row struct {
			Text *string `json:"text"`
		}
		switch err := json.Unmarshal(line, &row); {
		case len(line) > maxLine:
			return nil, unusable("%s:%d: %d bytes; a text has at most %d", file, n, len(line), maxLine)
		case err != nil:
			return nil, unusable(`%s:%d: want {"text": "…"}, found %q`, file, n, jsonl.Excerpt(bytes.TrimSpace(line)))
		case row.Text == nil || *row.Text == "":
			return nil, unusable(`%s:%d: no text; want {"text": "…"}`, file, n)
		}
		tokens, err := f.Tokenizer.EncodeText(*row.Text)
		if err != nil {
			return nil, unusable("%s:%d: %w", file, n, err)
		}
		for len(tokens) > 0 {
			k := min(room, len(tokens))
			s := train.Sequence{Tokens: append(append([]int32(nil), before...), tokens[:k]...)}
			s.Weights = make([]float32, len(s.Tokens))
			for i := len(before); i < len(s.Tokens); i++ {
				s.Weights[i] = 1
			}
			if len(s.Tokens) > 1 {
				all = append(all, s)
			}
			tokens = tokens[k:]
		}
	}
	if len(all) == 0 {
		return nil, unusable("%s: no text of two tokens", file)
	}
	return all, nil
}
