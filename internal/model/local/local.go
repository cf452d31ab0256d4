// Package local answers requests in process, with a transformer read from a Hugging Face folder: the built-in model
// or a checkpoint on disk. Answers come with exact log-probabilities and are the same bits on every machine, at any
// concurrency, alone or in a batch.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/transformer"
	"hallmark/internal/transformer/token"
	"hallmark/internal/transformer/weights"
)

// A Model is a transformer with its tokenizer and chat template. Its methods are safe for concurrent use.
type Model struct {
	net      *transformer.Model
	tokens   *token.Tokenizer
	template template
	specials []token.Added
	begin    string  // the token before all text, "" for none
	stops    []int32 // tokens that end an answer
	identity string
}

var (
	_ model.Batcher = (*Model)(nil)
	_ model.Prober  = (*Model)(nil)
)

// Open reads a model from the root of a Hugging Face folder: config.json, tokenizer.json, model.safetensors and, where
// they are, tokenizer_config.json and generation_config.json. The name begins the identity; the rest of it is the
// hash of all these files, so two names of one folder are told apart and a folder that changed is another model. Errors
// name the file and what in it is not understood.
func Open(fsys fs.FS, name string) (*Model, error) {
	f, err := weights.Load(fsys)
	if err != nil {
		return nil, err
	}
	if f.Tokenizer == nil {
		return nil, fmt.Errorf("tokenizer.json: %w; a model without its tokenizer reads no text", fs.ErrNotExist)
	}
	m := &Model{net: f.Model, tokens: f.Tokenizer, stops: f.Stop}
	for _, a := range m.tokens.Added() {
		if a.Special {
			m.specials = append(m.specials, a)
		}
	}
	if err := m.configure(fsys); err != nil {
		return nil, err
	}
	if m.identity, err = identify(fsys, name); err != nil {
		return nil, err
	}
	return m, nil
}

// configure reads the chat template, the beginning of text and the tokens that end an answer.
func (m *Model) configure(fsys fs.FS) error {
	var c struct {
		Template json.RawMessage `json:"chat_template"`
		BOS      special         `json:"bos_token"`
		EOS      special         `json:"eos_token"`
		AddBOS   *bool           `json:"add_bos_token"`
	}
	if err := readJSON(fsys, "tokenizer_config.json", &c); err != nil {
		return err
	}
	var source string
	switch {
	case len(c.Template) == 0 || string(c.Template) == "null":
		// Newer folders keep the template in a file of its own.
		b, err := fs.ReadFile(fsys, "chat_template.jinja")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		source = string(b)
	case json.Unmarshal(c.Template, &source) != nil:
		return errors.New("tokenizer_config.json: chat_template is a list; one string is understood")
	}
	var err error
	if m.template, err = parseTemplate(source, string(c.BOS)); err != nil {
		return fmt.Errorf("tokenizer_config.json: %w", err)
	}
	if m.begin = string(c.BOS); c.AddBOS != nil && !*c.AddBOS {
		m.begin = ""
	}
	if m.template.name == "plain" {
		m.template.begin = m.begin
	}

	for _, text := range []string{string(c.EOS), m.template.end} {
		if id, ok := m.tokens.ID(text); ok && text != "" {
			m.stops = append(m.stops, id)
		}
	}
	slices.Sort(m.stops)
	m.stops = slices.Compact(m.stops)
	return nil
}

// special is a token given as text or as an object with its text.
type special string

func (s *special) UnmarshalJSON(b []byte) error {
	var o struct {
		Content string `json:"content"`
	}
	if len(b) > 0 && b[0] == '{' {
		err := json.Unmarshal(b, &o)
		*s = special(o.Content)
		return err
	}
	var text *string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	if text != nil {
		*s = special(*text)
	}
	return nil
}

// readJSON reads a file that may be missing.
func readJSON(fsys fs.FS, file string, into any) error {
	b, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// identify hashes every file that can change an answer, by name.
func identify(fsys fs.FS, name string) (string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, e := range entries { // sorted by name
		switch file := e.Name(); {
		case e.IsDir():
		case path.Ext(file) == ".safetensors", file == "chat_template.jinja", strings.HasSuffix(file, "config.json"), file == "tokenizer.json":
			f, err := fsys.Open(file)
			if err != nil {
				return "", err
			}
			inner := sha256.New()
			_, err = io.Copy(inner, f)
			f.Close()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s %x\n", file, inner.Sum(nil))
		}
	}
	return name + "@sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// Identity is the name, and the hash of the files.
func (m *Model) Identity() string { return m.identity }

// Probe says what the model can be asked for. It asks the model nothing.
func (m *Model) Probe(context.Context) (model.Capabilities, error) {
	return model.Capabilities{
		Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: -1, OptionScores: true,
		ContextTokens: m.net.Config().MaxContext, Note: "runs in process; chat layout " + m.template.name,
	}, nil
}
