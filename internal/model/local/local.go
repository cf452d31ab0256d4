// Package local answers requests in process, with a transformer read from a Hugging Face folder: the built-in model
// or a checkpoint on disk. Answers come with exact log-probabilities and are the same bits on every machine, at any
// concurrency, alone or in a batch.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
)

// A Model is a transformer with its tokenizer and chat template. Its methods are safe for concurrent use.
type Model struct {
	net      *engine.Model
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
		AddBOS   *bool           `json:"add_bos_token"`
	}
	if err := readJSON(fsys, tokenizerJSON, &c); err != nil {
		return err
	}
	named, err := namedTokens(fsys)
	if err != nil {
		return err
	}
	source, file, err := readTemplate(fsys, c.Template)
	if err != nil {
		return err
	}
	if m.template, err = parseTemplate(source, named); err != nil {
		return fmt.Errorf("%s: %w; without a chat_template the model is asked in plain text", file, err)
	}
	if m.begin, err = m.beginning(c.AddBOS, named["bos_token"]); err != nil {
		return err
	}
	for _, text := range []string{named["eos_token"], m.template.endOf(m.specials)} {
		if id, ok := m.tokens.ID(text); ok && text != "" {
			m.stops = append(m.stops, id)
		}
	}
	slices.Sort(m.stops)
	m.stops = slices.Compact(m.stops)
	return nil
}

// beginning is the token before all text: by tokenizer.json's own template, which add_bos_token does not undo, as
// in transformers 5; where it has none, the bos_token if add_bos_token says so.
func (m *Model) beginning(add *bool, bos string) (string, error) {
	before, _ := m.tokens.Template()
	switch {
	case len(before) > 1:
		return "", fmt.Errorf("tokenizer.json: post_processor puts %d tokens before a text; one is understood",
			len(before))
	case len(before) == 1:
		return string(m.tokens.Bytes(before[0])), nil
	case add != nil && *add:
		return bos, nil
	}
	return "", nil
}

// namedTokens are bos_token, eos_token and the like, of tokenizer_config.json or, in older folders,
// special_tokens_map.json.
func namedTokens(fsys fs.FS) (map[string]string, error) {
	named := map[string]string{}
	for _, file := range []string{"special_tokens_map.json", tokenizerJSON} {
		var entries map[string]json.RawMessage
		if err := readJSON(fsys, file, &entries); err != nil {
			return nil, err
		}
		for name, raw := range entries {
			if !strings.HasSuffix(name, "_token") || string(raw) == "true" || string(raw) == "false" {
				continue
			}
			var s special
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, name, err)
			}
			if s != "" {
				named[name] = string(s)
			}
		}
	}
	return named, nil
}

// special is a token given as text or as an object with its text.
type special string

func (s *special) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return json.Unmarshal(b, (*string)(s))
	}
	var o struct {
		Content string `json:"content"`
	}
	err := json.Unmarshal(b, &o)
	*s = special(o.Content)
	return err
}

// readJSON reads a file that may be missing.
func readJSON(fsys fs.FS, file string, into any) error {
	b, err := weights.Optional(fsys, file)
	if b == nil || err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", file, jsonl.Plain(err))
	}
	return nil
}

// Files returns the names of a folder's files that can change an answer, sorted.
func Files(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries { // sorted by name
		switch file := e.Name(); {
		case e.IsDir():
		case path.Ext(file) == ".safetensors", file == templateFile, file == "special_tokens_map.json",
			strings.HasSuffix(file, "config.json"), file == "tokenizer.json":
			names = append(names, file)
		}
	}
	return names, nil
}

// Hash returns the SHA-256 of a file in hexadecimal digits.
func Hash(fsys fs.FS, file string) (string, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Hashes returns the hashes of a folder's files that can change an answer, by name.
func Hashes(fsys fs.FS) (map[string]string, error) {
	files, err := Files(fsys)
	all := map[string]string{}
	for _, file := range files {
		if all[file], err = Hash(fsys, file); err != nil {
			break
		}
	}
	return all, err
}

// identify hashes every file that can change an answer, by name.
func identify(fsys fs.FS, name string) (string, error) {
	hashes, err := Hashes(fsys)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(sum, "%s %s\n", file, hashes[file])
	}
	return name + "@sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// Identity is the name, and the hash of the files.
func (m *Model) Identity() string { return m.identity }

// Probe says what the model can be asked for. It asks the model nothing.
func (m *Model) Probe(context.Context) (model.Capabilities, error) {
	return model.Capabilities{
		Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: -1, OptionScores: true, HiddenStates: true,
		ContextTokens: m.net.Config().MaxContext, Note: "runs in process; chat layout " + m.template.name,
	}, nil
}
