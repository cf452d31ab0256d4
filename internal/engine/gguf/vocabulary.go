package gguf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/engine/token"
)

// llama.cpp's types of tokens.
const (
	tokenNormal  int32 = 1
	tokenUnknown int32 = 2
	tokenControl int32 = 3
	tokenUser    int32 = 4 // matched in text whole, and shown
	tokenUnused  int32 = 5
	tokenByte    int32 = 6
)

const metaspace = "▁" // what spaces become in SentencePiece's vocabularies

// A vocabulary is a tokenizer.json on its way to llama.cpp's keys. llama.cpp has two kinds for it: gpt2, byte-level BPE
// by merges, with a name for how text is split before; and llama, SentencePiece's BPE by scores.
type vocabulary struct {
	*export
	file      token.File
	ids       map[string]int32
	tokens    []string
	types     []int32
	scores    []float32 // of kind llama
	merges    []string  // of kind gpt2
	pre       string    // the name of the split, of kind gpt2
	noPrefix  bool      // of kind llama: no space is put before a text
	begin     []int32   // what the template puts before a text
	end       []int32
	addBOS    bool
	addEOS    bool
	bos, eos  int32 // -1 for none
	unk, pad  int32
	otherEnds []int32
	warnings  []string
}

// yes is a flag that is set unless it says false.
func yes(b *bool) bool { return b == nil || *b }

// read fills in everything from the folder.
func (v *vocabulary) read() error {
	t, err := token.Parse(v.tokenizer)
	if err != nil {
		return err
	}
	v.file = t.File()
	if n := t.Size(); n > v.cfg.Vocab {
		return fmt.Errorf("%d tokens, more than the vocab_size of %s, %d", n, configFile, v.cfg.Vocab)
	}
	v.begin, v.end = t.Template()
	if err := v.list(); err != nil {
		return err
	}
	steps := v.file.PreTokenizer.Flat()
	if slices.ContainsFunc(steps, func(c token.Component) bool { return c.Type == "ByteLevel" }) {
		err = v.byteLevel(steps)
	} else {
		err = v.sentencePiece(steps)
	}
	if err != nil {
		return err
	}
	return v.specials()
}

func (v *vocabulary) warn(format string, args ...any) {
	v.warnings = append(v.warnings, fmt.Sprintf(format, args...))
}

// list makes the table of tokens by id. Ids without a token get a name of their own: llama.cpp wants as many names as
// there are rows of the embedding, no two alike.
func (v *vocabulary) list() error {
	n := v.cfg.Vocab
	v.tokens, v.types, v.ids = make([]string, n), make([]int32, n), make(map[string]int32, n)
	for text, id := range v.file.Model.Vocab {
		v.tokens[id], v.types[id] = text, tokenNormal
	}
	prepends := slices.ContainsFunc(v.file.Normalizer.Flat(), func(c token.Component) bool {
		return c.Type == "Prepend"
	})
	var strips, spaced []string
	for _, a := range v.file.AddedTokens {
		v.tokens[a.ID], v.types[a.ID] = a.Content, tokenUser
		if a.Special {
			v.types[a.ID] = tokenControl
		}
		if a.LStrip || a.RStrip {
			strips = append(strips, a.Content)
		}
		if a.Normalized && prepends { // it is looked for in normalized text, and so only after a space
			spaced = append(spaced, a.Content)
		}
	}
	if len(strips) > 0 {
		v.warn("in the tokenizer %s with the spaces beside it; in llama.cpp without", stand(strips))
	}
	if len(spaced) > 0 {
		v.warn("in the tokenizer %s where a text begins or after a space; in llama.cpp anywhere", stand(spaced))
	}
	for id, text := range v.tokens {
		if v.types[id] == 0 {
			text = fmt.Sprintf("[PAD%d]", id)
			v.tokens[id], v.types[id] = text, tokenUnused
		}
		if other, ok := v.ids[text]; ok {
			return fmt.Errorf("tokens %d and %d are both spelled %q; llama.cpp takes no two alike", other, id, text)
		}
		v.ids[text] = int32(id)
	}
	return nil
}

// stand is the beginning of a sentence about what tokens are recognised.
func stand(tokens []string) string {
	if len(tokens) == 1 {
		return fmt.Sprintf("the token %q is taken", tokens[0])
	}
	return fmt.Sprintf("%d tokens, such as %q, are each taken", len(tokens), tokens[0])
}

// A split is how text is cut before BPE: the patterns, applied one after the other.
type split struct {
	patterns string // one a line
	ignore   bool   // ignore_merges: a word that is a token is not put together by merges
}

const qwen35Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|` +
	` ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// splits are llama.cpp's names for ways to split.
var splits = map[split]string{
	{token.GPT2Pattern, false}:                  "gpt-2",
	{`\p{N}` + "\n" + token.GPT2Pattern, false}: "smollm",
	{token.Qwen2Pattern, false}:                 "qwen2",
	{qwen35Pattern, false}:                      "qwen35",
	{token.Llama3Pattern, true}:                 "llama-bpe",
	{token.Llama3Pattern, false}:                "smaug-bpe",
}

// byteLevel reads a vocabulary of the kind gpt2.
func (v *vocabulary) byteLevel(steps []token.Component) error {
	var patterns []string
	for _, s := range steps {
		switch {
		case s.Type == "Split":
			patterns = append(patterns, s.Pattern.Regex)
		case s.Type == "Digits" && s.Individual != nil && *s.Individual:
			patterns = append(patterns, `\p{N}`)
		case s.Type == "Digits":
			patterns = append(patterns, `\p{N}+`)
		case yes(s.UseRegex):
			patterns = append(patterns, token.GPT2Pattern)
		}
		if s.Type == "ByteLevel" && yes(s.AddPrefixSpace) {
			return errors.New(
				"pre_tokenizer: ByteLevel has add_prefix_space; llama.cpp puts no space before a text of this kind")
		}
	}
	key := split{strings.Join(patterns, "\n"), v.file.Model.IgnoreMerges}
	if v.pre = splits[key]; v.pre == "" {
		return fmt.Errorf("pre_tokenizer: llama.cpp has no name for the split by %q with ignore_merges %v; it has "+
			"those of GPT-2, Llama 3, Qwen2, Qwen3.5 and SmolLM",
			patterns, key.ignore)
	}
	for _, n := range v.file.Normalizer.Flat() {
		if !v.form(n) {
			return fmt.Errorf("normalizer %s: llama.cpp changes no text of this kind", n.Type)
		}
	}
	for _, m := range v.file.Model.Merges {
		v.merges = append(v.merges, m[0]+" "+m[1])
	}
	return nil
}

// form warns of a normalizer that brings text to a Unicode form, and reports whether it is one.
func (v *vocabulary) form(n token.Component) bool {
	if !strings.HasPrefix(n.Type, "NF") {
		return false
	}
	v.warn("llama.cpp does not bring text to the Unicode form %s, as the tokenizer does; give it text in that form",
		n.Type)
	return true
}

// specials finds the tokens with a meaning. Those of tokenizer_config.json come first, then the ids of config.json.
func (v *vocabulary) specials() error {
	c := v.special
	var err error
	find := func(name string, text special, other *int32) int32 {
		if text != "" {
			id, ok := v.ids[string(text)]
			if !ok {
				err = fmt.Errorf("no token is spelled %q, which %s names as %s", text, tokenizerConfigFile, name)
			}
			return id
		}
		if other != nil && *other >= 0 && int(*other) < len(v.tokens) {
			return *other
		}
		return -1
	}
	first := func(list []int32) *int32 {
		if len(list) == 0 {
			return nil
		}
		return &list[0]
	}
	begin := first(v.begin)
	if begin == nil {
		begin = v.beginID
	}
	v.bos = find("bos_token", c.BOS, begin)
	v.eos = find("eos_token", c.EOS, first(v.stops))
	v.unk = find("unk_token", special(*cmp.Or(v.file.Model.Unknown, new(string))), nil)
	v.pad = find("pad_token", c.Padding, nil)
	if err != nil {
		return err
	}
	if v.unk >= 0 && v.scores != nil {
		v.types[v.unk] = tokenUnknown
	}
	for _, id := range v.stops {
		if id != v.eos {
			v.otherEnds = append(v.otherEnds, id)
		}
	}
	if n := len(v.otherEnds); n > 2 {
		v.warn("%d tokens end a text; a GGUF file names three", n+1)
	}
	v.addBOS, v.addEOS = v.adds(c.AddBOS, v.begin, v.bos, "before"), v.adds(c.AddEOS, v.end, v.eos, "after")
	if v.eos < 0 {
		v.warn("no token ends a text; llama.cpp takes another for it")
	}
	return nil
}

// adds reports whether llama.cpp is to put the token before or after each text.
func (v *vocabulary) adds(said *bool, template []int32, id int32, where string) bool {
	if said != nil && len(template) == 0 {
		return *said && id >= 0
	}
	if len(template) > 1 || len(template) == 1 && template[0] != id {
		v.warn("the template puts %d tokens %s a text; llama.cpp puts at most the one that begins or ends it",
			len(template), where)
	}
	return len(template) > 0 && id >= 0
}

// metadata is what llama.cpp calls all this. tokenizer.json is kept beside it, by the key that the specification
// has for it, to be read back exactly.
func (v *vocabulary) metadata() []Pair {
	list := []Pair{{"tokenizer.ggml.model", "gpt2"}, {"tokenizer.ggml.pre", v.pre}, {"tokenizer.ggml.tokens", v.tokens},
		{"tokenizer.ggml.token_type", v.types}, {"tokenizer.ggml.merges", v.merges}}
	if v.scores != nil {
		list = []Pair{{"tokenizer.ggml.model", "llama"}, {"tokenizer.ggml.pre", "default"},
			{"tokenizer.ggml.tokens", v.tokens}, {"tokenizer.ggml.scores", v.scores},
			{"tokenizer.ggml.token_type", v.types}}
	}
	ends := append(v.otherEnds, -1, -1)
	for _, p := range []struct {
		key string
		id  int32
	}{
		{"bos", v.bos}, {"eos", v.eos}, {"eot", ends[0]}, {"eom", ends[1]}, {"unknown", v.unk}, {"padding", v.pad},
	} {
		if p.id >= 0 {
			list = append(list, Pair{"tokenizer.ggml." + p.key + "_token_id", uint32(p.id)})
		}
	}
	list = append(list, Pair{"tokenizer.ggml.add_bos_token", v.addBOS}, Pair{"tokenizer.ggml.add_eos_token", v.addEOS})
	if v.scores != nil {
		list = append(list, Pair{"tokenizer.ggml.add_space_prefix", !v.noPrefix})
	}
	if v.template != "" {
		list = append(list, Pair{templateKey, v.template})
	}
	return append(list, Pair{tokenizerKey, string(v.tokenizer)})
}

const (
	templateKey  = "tokenizer.chat_template"
	tokenizerKey = "tokenizer.huggingface.json"
)
