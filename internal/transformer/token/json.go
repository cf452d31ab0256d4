package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// file is the part of tokenizer.json that this package understands.
type file struct {
	Version       string      `json:"version"`
	Truncation    any         `json:"truncation"`
	Padding       any         `json:"padding"`
	AddedTokens   []addedJSON `json:"added_tokens"`
	Normalizer    *component  `json:"normalizer"`
	PreTokenizer  *component  `json:"pre_tokenizer"`
	PostProcessor *component  `json:"post_processor"`
	Decoder       *component  `json:"decoder"`
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

// A component is a normalizer, pre-tokenizer, post-processor or decoder.
type component struct {
	Type           string      `json:"type"`
	Normalizers    []component `json:"normalizers,omitempty"`
	Pretokenizers  []component `json:"pretokenizers,omitempty"`
	Processors     []component `json:"processors,omitempty"`
	Pattern        *pattern    `json:"pattern,omitempty"`
	Behavior       string      `json:"behavior,omitempty"`
	Invert         *bool       `json:"invert,omitempty"`
	AddPrefixSpace *bool       `json:"add_prefix_space,omitempty"`
	TrimOffsets    *bool       `json:"trim_offsets,omitempty"`
	UseRegex       *bool       `json:"use_regex,omitempty"`

	Single  []piece                 `json:"single,omitempty"`
	Pair    []piece                 `json:"pair,omitempty"`
	Special map[string]specialPiece `json:"special_tokens,omitempty"`
}

type pattern struct {
	Regex string `json:"Regex"`
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
		return nil, fmt.Errorf("tokenizer: %w", err)
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
	case m.ByteFallback:
		return errors.New("model.byte_fallback is true; only byte-level vocabularies are read")
	}
	t.spec.ignoreMerges = m.IgnoreMerges
	for _, x := range m.Merges {
		t.spec.merges = append(t.spec.merges, x)
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord {
			return fmt.Errorf("added_tokens: %q has single_word, which is not computed", a.Content)
		}
		t.spec.added = append(t.spec.added, Added{a.ID, a.Content, a.Special, a.LStrip, a.RStrip, a.Normalized})
	}
	for _, n := range f.Normalizer.flat() {
		if n.Type != "NFC" {
			return fmt.Errorf("normalizer is %q, want NFC or none", n.Type)
		}
		t.spec.nfc = true
	}
	level := false
	for _, p := range f.PreTokenizer.flat() {
		switch {
		case p.Type == "Split" && t.spec.pattern == "" && !level:
			if p.Pattern == nil || p.Pattern.Regex == "" || p.Behavior != "Isolated" || p.Invert != nil && *p.Invert {
				return errors.New("pre_tokenizer: a Split needs a Regex, behavior Isolated and no invert")
			}
			t.spec.pattern = p.Pattern.Regex
		case p.Type == "ByteLevel" && !level:
			level = true
			t.spec.prefixSpace = p.AddPrefixSpace == nil || *p.AddPrefixSpace
			if p.UseRegex == nil || *p.UseRegex {
				if t.spec.pattern != "" {
					return errors.New("pre_tokenizer: ByteLevel splits by its own regex after a Split, which is not computed")
				}
				t.spec.pattern, t.spec.gpt2 = GPT2Pattern, true
			}
		default:
			return fmt.Errorf("pre_tokenizer %q; want one Split by a Regex, then ByteLevel", p.Type)
		}
	}
	if !level {
		return errors.New("pre_tokenizer has no ByteLevel; only byte-level vocabularies are read")
	}
	if t.spec.pattern == "" {
		t.spec.pattern = `[\s\S]+` // ByteLevel alone, without its regex: the text is one word
	}
	if t.spec.prefixSpace && !t.spec.gpt2 {
		return errors.New("pre_tokenizer: add_prefix_space after a Split is not computed")
	}
	for _, p := range f.PostProcessor.flat() {
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

func (t *Tokenizer) template(p component) error {
	side := &t.spec.before
	for _, x := range p.Single {
		switch {
		case x.Special != nil:
			s, ok := p.Special[x.Special.ID]
			if !ok {
				return fmt.Errorf("post_processor: template names %q, which is not among its special_tokens", x.Special.ID)
			}
			*side = append(*side, s.IDs...)
		case x.Sequence != nil && side == &t.spec.before:
			side = &t.spec.after
		default:
			return errors.New("post_processor: the single template needs the text once")
		}
	}
	return nil
}

// flat lists a component's parts, or itself.
func (c *component) flat() []component {
	if c == nil {
		return nil
	}
	if c.Type == "Sequence" {
		return slices.Concat(c.Normalizers, c.Pretokenizers, c.Processors)
	}
	return []component{*c}
}

// JSON returns the tokenizer.json, which Parse and Hugging Face's tokenizers read back to the same tokenizer.
func (t *Tokenizer) JSON() ([]byte, error) {
	yes, no, empty := true, false, ""
	f := file{Version: "1.0", AddedTokens: []addedJSON{}}
	for _, a := range t.spec.added {
		f.AddedTokens = append(f.AddedTokens, addedJSON{ID: a.ID, Content: a.Content, LStrip: a.LStrip, RStrip: a.RStrip, Normalized: a.Normalized, Special: a.Special})
	}
	if t.spec.nfc {
		f.Normalizer = &component{Type: "NFC"}
	}
	level := component{Type: "ByteLevel", AddPrefixSpace: &t.spec.prefixSpace, TrimOffsets: &no, UseRegex: &t.spec.gpt2}
	f.PreTokenizer = &level
	if !t.spec.gpt2 {
		f.PreTokenizer = &component{Type: "Sequence", Pretokenizers: []component{
			{Type: "Split", Pattern: &pattern{t.spec.pattern}, Behavior: "Isolated", Invert: &no}, level,
		}}
	}
	post := component{Type: "ByteLevel", AddPrefixSpace: &yes, TrimOffsets: &no, UseRegex: &yes}
	f.PostProcessor, f.Decoder = &post, &post
	if len(t.spec.before)+len(t.spec.after) > 0 {
		f.PostProcessor = &component{Type: "Sequence", Processors: []component{post, t.templateJSON()}}
	}
	f.Model = modelJSON{Type: "BPE", Prefix: &empty, Suffix: &empty, IgnoreMerges: t.spec.ignoreMerges, Vocab: t.vocab, Merges: []mergeJSON{}}
	for _, m := range t.spec.merges {
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

func (t *Tokenizer) templateJSON() component {
	c := component{Type: "TemplateProcessing", Special: map[string]specialPiece{}}
	sequence := func(kind int, name string) []piece {
		var out []piece
		special := func(ids []int32) {
			for _, id := range ids {
				text := string(t.Bytes(id))
				c.Special[text] = specialPiece{text, []int32{id}, []string{text}}
				out = append(out, piece{Special: &pieceBody{text, kind}})
			}
		}
		special(t.spec.before)
		out = append(out, piece{Sequence: &pieceBody{name, kind}})
		special(t.spec.after)
		return out
	}
	c.Single = sequence(0, "A")
	c.Pair = slices.Concat(c.Single, sequence(1, "B"))
	return c
}

// Vocabulary returns the texts of all tokens by id, added ones included.
func (t *Tokenizer) Vocabulary() map[int32]string {
	m := maps.Clone(t.texts)
	for id, a := range t.added {
		m[id] = a.Content
	}
	return m
}
