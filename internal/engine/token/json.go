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

// file is the part of tokenizer.json that this package understands.
type file struct {
	Version       string      `json:"version"`
	Truncation    any         `json:"truncation"`
	Padding       any         `json:"padding"`
	AddedTokens   []addedJSON `json:"added_tokens"`
	Normalizer    *Component  `json:"normalizer"`
	PreTokenizer  *Component  `json:"pre_tokenizer"`
	PostProcessor *Component  `json:"post_processor"`
	Decoder       *Component  `json:"decoder"`
	Model         modelJSON   `json:"model"`
}

type addedJSON struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type modelJSON struct {
	Type         string           `json:"type"`
	Dropout      *float64         `json:"dropout"`
	Unknown      *string          `json:"unk_token"`
	Prefix       *string          `json:"continuing_subword_prefix"`
	Suffix       *string          `json:"end_of_word_suffix"`
	FuseUnknown  bool             `json:"fuse_unk"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	Vocab        map[string]int32 `json:"vocab"`
	Merges       []mergeJSON      `json:"merges"`
}

// A mergeJSON is ["a", "b"], or "a b" in older files.
type mergeJSON [2]string

func (m *mergeJSON) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		a, b, ok := strings.Cut(s, " ")
		if !ok || strings.Contains(b, " ") {
			return fmt.Errorf("model.merges: %q, want two parts", s)
		}
		*m = mergeJSON{a, b}
		return nil
	}
	var parts []string
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 2 {
		return fmt.Errorf("model.merges: %.60s, want two parts", data)
	}
	*m = mergeJSON(parts)
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
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", jsonl.Plain(err))
	}
	t := new(Tokenizer)
	if err := t.read(&f); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if err := t.finish(f.Model.Vocab); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

func (t *Tokenizer) read(f *file) error {
	m := &f.Model
	switch {
	case m.Type != "BPE" && m.Type != "":
		return fmt.Errorf("model.type is %q, want BPE", m.Type)
	case len(m.Vocab) == 0:
		return errors.New("model.vocab is empty")
	case m.Dropout != nil && *m.Dropout != 0:
		return fmt.Errorf("model.dropout is %g, want none", *m.Dropout)
	case m.Prefix != nil && *m.Prefix != "" || m.Suffix != nil && *m.Suffix != "":
		return errors.New("model.continuing_subword_prefix or end_of_word_suffix is set, want none")
	}
	t.spec.IgnoreMerges, t.spec.Fallback, t.spec.FuseUnknown, t.spec.Unknown = m.IgnoreMerges, m.ByteFallback,
		m.FuseUnknown, m.Unknown
	t.spec.Normalizer, t.spec.Pre, t.spec.Post, t.spec.Decoder = f.Normalizer, f.PreTokenizer, f.PostProcessor,
		f.Decoder
	for _, x := range m.Merges {
		t.spec.Merges = append(t.spec.Merges, x)
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord {
			return fmt.Errorf("added_tokens: %q has single_word, which is not computed", a.Content)
		}
		t.spec.Added = append(t.spec.Added, Added{a.ID, a.Content, a.Special, a.LStrip, a.RStrip, a.Normalized})
	}
	for _, p := range f.PostProcessor.Flat() {
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

// components derives what works on text from spec.
func (t *Tokenizer) components() (err error) {
	if t.normalize, err = normalizers(t.spec.Normalizer); err != nil {
		return err
	}
	if t.steps, t.byteLevel, err = steps(t.spec.Pre); err != nil {
		return err
	}
	if t.byteLevel && t.spec.Fallback {
		return errors.New("model.byte_fallback is true beside a pre_tokenizer ByteLevel; want one of them")
	}
	t.decode, err = decoders(t.spec.Decoder, t.byteLevel)
	return err
}

// maxFrame bounds the tokens that a template sets before and after every text.
const maxFrame = 64

func (t *Tokenizer) template(p Component) error {
	side := &t.spec.Before
	for _, x := range p.Single {
		switch {
		case x.Special != nil:
			s, ok := p.Special[x.Special.ID]
			if !ok {
				return fmt.Errorf("post_processor: template names %q, which is not among its special_tokens",
					x.Special.ID)
			}
			if n := len(t.spec.Before) + len(t.spec.After) + len(s.IDs); n > maxFrame {
				return fmt.Errorf("post_processor: %d tokens or more around each text, want at most %d", n, maxFrame)
			}
			*side = append(*side, s.IDs...)
		case x.Sequence != nil && side == &t.spec.Before:
			side = &t.spec.After
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
	f := file{
		Version: "1.0", AddedTokens: []addedJSON{},
		Normalizer: t.spec.Normalizer, PreTokenizer: t.spec.Pre, PostProcessor: t.spec.Post, Decoder: t.spec.Decoder,
	}
	for _, a := range t.spec.Added {
		f.AddedTokens = append(f.AddedTokens, addedJSON{ID: a.ID, Content: a.Content, LStrip: a.LStrip,
			RStrip: a.RStrip, Normalized: a.Normalized, Special: a.Special})
	}
	empty := ""
	f.Model = modelJSON{
		Type: "BPE", Unknown: t.spec.Unknown, Prefix: &empty, Suffix: &empty, FuseUnknown: t.spec.FuseUnknown,
		ByteFallback: t.spec.Fallback,
		IgnoreMerges: t.spec.IgnoreMerges, Vocab: t.vocab, Merges: []mergeJSON{},
	}
	for _, m := range t.spec.Merges {
		f.Model.Merges = append(f.Model.Merges, m)
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

// MarshalJSON writes a merge as two parts.
func (m mergeJSON) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode([2]string(m))
	return b.Bytes(), err
}

// Vocabulary returns the texts of all tokens by id, added ones included.
func (t *Tokenizer) Vocabulary() map[int32]string {
	m := maps.Clone(t.texts)
	for id, a := range t.added {
		m[id] = a.Content
	}
	return m
}
