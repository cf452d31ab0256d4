package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
)

// A File is the part of tokenizer.json that this package understands.
type File struct {
	Version       string     `json:"version"`
	Truncation    any        `json:"truncation"`
	Padding       any        `json:"padding"`
	AddedTokens   []Added    `json:"added_tokens"`
	Normalizer    *Component `json:"normalizer"`
	PreTokenizer  *Component `json:"pre_tokenizer"`
	PostProcessor *Component `json:"post_processor"`
	Decoder       *Component `json:"decoder"`
	Model         Model      `json:"model"`
}

// A Model is the vocabulary and how words are put together from it.
type Model struct {
	Type         string           `json:"type"`
	Dropout      *float64         `json:"dropout"`
	Unknown      *string          `json:"unk_token"`
	Prefix       *string          `json:"continuing_subword_prefix"`
	Suffix       *string          `json:"end_of_word_suffix"`
	FuseUnknown  bool             `json:"fuse_unk"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	Vocab        map[string]int32 `json:"vocab"`
	Merges       []Merge          `json:"merges"` // in the file's letters, by rank
}

// A Merge is two parts of a word that become one: ["a", "b"], or "a b" in older files.
type Merge [2]string

func (m *Merge) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		a, b, ok := strings.Cut(s, " ")
		if !ok || strings.Contains(b, " ") {
			return fmt.Errorf("model.merges: %q, want two parts", s)
		}
		*m = Merge{a, b}
		return nil
	}
	var parts []string
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 2 {
		return fmt.Errorf("model.merges: %.60s, want two parts", data)
	}
	*m = Merge(parts)
	return nil
}

// A Component is a normalizer, pre-tokenizer, post-processor or decoder.
type Component struct {
	Type           string      `json:"type"`
	Normalizers    []Component `json:"normalizers,omitempty"`
	Pretokenizers  []Component `json:"pretokenizers,omitempty"`
	Processors     []Component `json:"processors,omitempty"`
	Decoders       []Component `json:"decoders,omitempty"`
	Pattern        *pattern    `json:"pattern,omitempty"`
	Content        *string     `json:"content,omitempty"`
	Prepend        *string     `json:"prepend,omitempty"`
	Replacement    string      `json:"replacement,omitempty"`
	PrependScheme  string      `json:"prepend_scheme,omitempty"`
	SplitSpaces    *bool       `json:"split,omitempty"`
	Individual     *bool       `json:"individual_digits,omitempty"`
	Start          int         `json:"start,omitempty"`
	Stop           int         `json:"stop,omitempty"`
	Behavior       string      `json:"behavior,omitempty"`
	Invert         *bool       `json:"invert,omitempty"`
	AddPrefixSpace *bool       `json:"add_prefix_space,omitempty"`
	TrimOffsets    *bool       `json:"trim_offsets,omitempty"`
	UseRegex       *bool       `json:"use_regex,omitempty"`

	Single  []piece                 `json:"single,omitempty"`
	Pair    []piece                 `json:"pair,omitempty"`
	Special map[string]specialPiece `json:"special_tokens,omitempty"`
}

// A pattern is one or the other.
type pattern struct {
	String string `json:"String,omitempty"`
	Regex  string `json:"Regex,omitempty"`
}

// A piece of a template is a special token or the text.
type piece struct {
	Special  *pieceBody `json:"SpecialToken,omitempty"`
	Sequence *pieceBody `json:"Sequence,omitempty"`
}

type pieceBody struct {
	ID   string `json:"id"`
	Type int    `json:"type_id"`
}

type specialPiece struct {
	ID     string   `json:"id"`
	IDs    []int32  `json:"ids"`
	Tokens []string `json:"tokens"`
}

// Parse reads a tokenizer.json. It refuses what it would compute differently, naming the field.
func Parse(data []byte) (*Tokenizer, error) {
	t := new(Tokenizer)
	err := json.Unmarshal(data, &t.file)
	if err != nil {
		err = jsonl.Plain(err)
	} else if err = t.read(); err == nil {
		err = t.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

// read takes in what the file says besides its vocabulary, and refuses what is not computed.
func (t *Tokenizer) read() error {
	m := &t.file.Model
	switch {
	case m.Type != "BPE" && m.Type != "":
		return fmt.Errorf("model.type is %q, want BPE", m.Type)
	case len(m.Vocab) == 0:
		return errors.New("model.vocab is empty")
	case set(m.Dropout, 0) != 0:
		return fmt.Errorf("model.dropout is %g, want none", *m.Dropout)
	case set(m.Prefix, "") != "" || set(m.Suffix, "") != "":
		return errors.New("model.continuing_subword_prefix or end_of_word_suffix is set, want none")
	}
	for _, a := range t.file.AddedTokens {
		if a.SingleWord {
			return fmt.Errorf("added_tokens: %q has single_word, which is not computed", a.Content)
		}
	}
	for _, p := range t.file.PostProcessor.Flat() {
		switch p.Type {
		case "ByteLevel": // moves offsets only
		case "TemplateProcessing":
			if err := t.template(p); err != nil {
				return err
			}
		default:
			return fmt.Errorf("post_processor %q, want ByteLevel or TemplateProcessing", p.Type)
		}
	}
	return nil
}

// components derives what works on text from the file.
func (t *Tokenizer) components() (err error) {
	if t.normalize, err = normalizers(t.file.Normalizer); err != nil {
		return err
	}
	if t.steps, t.byteLevel, err = steps(t.file.PreTokenizer); err != nil {
		return err
	}
	if t.byteLevel && t.file.Model.ByteFallback {
		return errors.New("model.byte_fallback is true beside a pre_tokenizer ByteLevel; want one of them")
	}
	t.decode, err = decoders(t.file.Decoder, t.byteLevel)
	return err
}

// maxFrame bounds the tokens that a template sets before and after every text.
const maxFrame = 64

func (t *Tokenizer) template(p Component) error {
	side := &t.before
	for _, x := range p.Single {
		switch {
		case x.Special != nil:
			s, ok := p.Special[x.Special.ID]
			if !ok {
				return fmt.Errorf("post_processor: template names %q, which is not among its special_tokens",
					x.Special.ID)
			}
			if n := len(t.before) + len(t.after) + len(s.IDs); n > maxFrame {
				return fmt.Errorf("post_processor: %d tokens or more around each text, want at most %d", n, maxFrame)
			}
			*side = append(*side, s.IDs...)
		case x.Sequence != nil && side == &t.before:
			side = &t.after
		default:
			return errors.New("post_processor: the single template needs the text once")
		}
	}
	return nil
}

// flat lists a Component's parts, or itself.
func (c *Component) Flat() []Component {
	if c == nil {
		return nil
	}
	if c.Type == "Sequence" {
		return slices.Concat(c.Normalizers, c.Pretokenizers, c.Processors, c.Decoders)
	}
	return []Component{*c}
}

// JSON returns the tokenizer.json, which Parse and Hugging Face's tokenizers read back to the same tokenizer.
func (t *Tokenizer) JSON() ([]byte, error) {
	f, m, empty := t.file, &t.file.Model, ""
	f.Version, f.Truncation, f.Padding = "1.0", nil, nil
	f.AddedTokens = append([]Added{}, f.AddedTokens...)
	f.Model = Model{
		Type: "BPE", Unknown: m.Unknown, Prefix: &empty, Suffix: &empty, FuseUnknown: m.FuseUnknown,
		ByteFallback: m.ByteFallback, IgnoreMerges: m.IgnoreMerges, Vocab: m.Vocab,
		Merges: append([]Merge{}, m.Merges...),
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(f); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return b.Bytes(), nil
}

// Vocabulary returns the texts of all tokens by id, added ones included.
func (t *Tokenizer) Vocabulary() map[int32]string {
	m := maps.Clone(t.texts)
	for id, a := range t.added {
		m[id] = a.Content
	}
	return m
}
