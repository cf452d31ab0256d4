// Package token is the BPE tokenizer of Hugging Face's tokenizer.json: byte-level, as GPT-2, Llama 3 and Qwen have
// it, and over characters with bytes to fall back on, as Llama 2, TinyLlama and Mistral have it from SentencePiece.
// It reads and writes the file, gives the same ids as Hugging Face's tokenizers, and trains small byte-level
// vocabularies.
package token

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The patterns by which well-known models split text into the words that BPE works on.
const (
	GPT2Pattern  = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	Qwen2Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|` +
		`\s*[\r\n]+|\s+(?!\S)|\s+`
	Llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|` +
		`\s*[\r\n]+|\s+(?!\S)|\s+`
)

// A Tokenizer turns text into tokens and back. It is safe for concurrent use.
type Tokenizer struct {
	file      File
	before    []int32          // tokens the template puts before a text
	after     []int32          // and after it
	vocab     map[string]int32 // by spelling, as in the file
	ids       map[string]int32 // by the text a token stands for
	texts     map[int32]string // the bytes of each token of the vocabulary
	spellings map[int32]string // what the decoder is given for each token
	merges    map[pair]merge
	added     map[int32]Added
	raw       trie // added tokens that are matched before normalization
	normal    trie // and after it
	normalize []normalizer
	steps     []step // by which text is split into words
	decode    []decoder
	byteLevel bool    // words are written in letters, one for each byte
	unknown   int32   // the token for what the vocabulary lacks, or -1
	fallback  []int32 // the tokens of the 256 bytes, -1 for one that is missing; nil without byte fallback
	size      int
	// bytes that a token of the vocabulary stands for at most, where every byte of a text is in one; else 0
	longest int
	words   wordCache
}

// An Added token is matched in text whole, before the text is split.
type Added struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // refused
	LStrip     bool   `json:"lstrip"`      // takes the white space before it too
	RStrip     bool   `json:"rstrip"`      // and after it
	Normalized bool   `json:"normalized"`  // matched after normalization, which then applies to the content too
	Special    bool   `json:"special"`     // left out by Decode and not matched by EncodeText
}

// File returns what the tokenizer.json says. It may not be changed.
func (t *Tokenizer) File() File { return t.file }

type pair struct{ a, b int32 }

type merge struct {
	rank int32
	id   int32
}

// Size is one more than the largest id.
func (t *Tokenizer) Size() int { return t.size }

// ID returns the token with exactly this text: an added token's content or the text of a vocabulary entry, in which a
// space is a space.
func (t *Tokenizer) ID(text string) (id int32, ok bool) {
	for _, a := range t.file.AddedTokens {
		if a.Content == text {
			return a.ID, true
		}
	}
	id, ok = t.ids[text]
	return id, ok
}

// Added lists the added tokens by id.
func (t *Tokenizer) Added() []Added {
	return slices.SortedFunc(maps.Values(t.added), func(a, b Added) int { return int(a.ID) - int(b.ID) })
}

// Template returns the tokens that a prompt begins and ends with when special tokens are asked for, such as Llama's
// beginning of text.
func (t *Tokenizer) Template() (before, after []int32) {
	return slices.Clone(t.before), slices.Clone(t.after)
}

// Encode returns the tokens of text, in which the contents of added tokens stand for these. The template is not
// applied. Bytes that are not UTF-8 are read as U+FFFD. The error is of a split that took too long.
func (t *Tokenizer) Encode(text string) ([]int32, error) {
	return t.encode(source{text: strings.ToValidUTF8(text, "\uFFFD")}, false, 0)
}

// EncodeText is Encode, except that special tokens cannot be written in the text: what looks like one is split like
// any other text. It is for text that is not to be trusted.
func (t *Tokenizer) EncodeText(text string) ([]int32, error) {
	return t.encode(source{text: strings.ToValidUTF8(text, "\uFFFD"), plain: true}, false, 0)
}

// EncodeNext is EncodeText of a text that goes on after another: it gets no space before it where the tokenizer puts
// one before every text. For a tokenizer that puts none it is EncodeText.
func (t *Tokenizer) EncodeNext(text string) ([]int32, error) {
	return t.encode(source{text: strings.ToValidUTF8(text, "\uFFFD"), plain: true}, true, 0)
}

// A Part is a stretch of a text.
type Part struct {
	Text    string
	Foreign bool // from outside: no special token can be written in it
}

// EncodeParts is Encode of the parts' texts joined, except that a special token is read only where all of its
// characters come from parts that are not foreign.
func (t *Tokenizer) EncodeParts(parts []Part) ([]int32, error) { return t.EncodeWithin(parts, 0) }

// TooLong is the error of a text that has more tokens than were asked for: at least so many.
type TooLong struct{ Least int }

func (e *TooLong) Error() string { return fmt.Sprintf("the text has at least %d tokens", e.Least) }

// EncodeWithin is EncodeParts of a text for which there is room for so many tokens; 0 is any number. Its error is
// *TooLong where the length of the text alone says that there are more: one that is a thousand times too long is not
// read to its end, which takes 50 bytes of memory a byte.
func (t *Tokenizer) EncodeWithin(parts []Part, most int) ([]int32, error) {
	var x source
	var b strings.Builder
	size := 0
	for _, p := range parts {
		size += len(p.Text)
	}
	b.Grow(size)
	x.foreign = slices.Grow(x.foreign, size)
	for _, p := range parts {
		s := strings.ToValidUTF8(p.Text, "\uFFFD")
		b.WriteString(s)
		for range len(s) {
			x.foreign = append(x.foreign, p.Foreign)
		}
	}
	x.text = b.String()
	return t.encode(x, false, most)
}

// A source is text on its way to tokens.
type source struct {
	text    string
	plain   bool   // no special token counts
	foreign []bool // the bytes in which none does; nil if it does in all
	id      int32  // the added token that this text is, if found is set
	found   bool
	first   bool // it begins the whole text
}

// cut is x from byte i to byte j.
func (x source) cut(i, j int) source {
	y := source{text: x.text[i:j], plain: x.plain, first: x.first && i == 0}
	if x.foreign != nil {
		y.foreign = x.foreign[i:j]
	}
	return y
}

// special reports whether a special token may be read from byte i to byte j.
func (x source) special(i, j int) bool {
	return !x.plain && (x.foreign == nil || !slices.Contains(x.foreign[i:j], true))
}

// encode splits off the added tokens that are matched in the text as it is, normalizes the rest, splits off the others
// and gives what remains to BPE: the order of Hugging Face's tokenizers.
func (t *Tokenizer) encode(x source, follows bool, most int) ([]int32, error) {
	var out []int32
	length := 0 // bytes of what became no added token
	x.first = true
	for _, part := range t.raw.extract(x) {
		if part.found {
			out = append(out, part.id)
			continue
		}
		normalized, err := t.normalized(part, follows)
		if err != nil {
			return nil, err
		}
		for _, s := range t.normal.extract(normalized) {
			if s.found {
				out = append(out, s.id)
				continue
			}
			length += len(s.text)
			if least := t.fewest(length); most > 0 && least > most {
				return nil, &TooLong{least}
			}
			words, err := t.split(s, follows)
			if err != nil {
				return nil, err
			}
			for _, w := range words {
				out = t.word(out, w)
			}
		}
	}
	return out, nil
}

// fewest is the least number of tokens that so many bytes have, added tokens aside; 0 where nothing is known of it.
func (t *Tokenizer) fewest(length int) int {
	if t.longest == 0 {
		return 0
	}
	return (length + t.longest - 1) / t.longest
}

// wordCache remembers the tokens of short words.
type wordCache struct {
	mu sync.RWMutex
	m  map[string][]int32
}

const (
	cachedWords   = 1 << 16
	cachedWordLen = 32
)

// word appends the tokens of one piece.
func (t *Tokenizer) word(out []int32, w string) []int32 {
	if len(w) > cachedWordLen {
		return t.bpe(out, w)
	}
	t.words.mu.RLock()
	ids, ok := t.words.m[w]
	t.words.mu.RUnlock()
	if ok {
		return append(out, ids...)
	}
	ids = t.bpe(nil, w)
	t.words.mu.Lock()
	if t.words.m == nil || len(t.words.m) >= cachedWords {
		t.words.m = map[string][]int32{}
	}
	t.words.m[strings.Clone(w)] = ids
	t.words.mu.Unlock()
	return append(out, ids...)
}

// finish derives the tables from the file.
func (t *Tokenizer) finish() error {
	vocab := t.file.Model.Vocab
	if err := t.components(); err != nil {
		return err
	}
	if err := t.vocabulary(vocab); err != nil {
		return err
	}
	t.merges = make(map[pair]merge, len(t.file.Model.Merges))
	for rank, m := range t.file.Model.Merges {
		a, okA := vocab[m[0]]
		b, okB := vocab[m[1]]
		both, ok := vocab[m[0]+m[1]]
		if !okA || !okB || !ok {
			return fmt.Errorf("model.merges: %q %q: a part or the whole is not in the vocabulary", m[0], m[1])
		}
		if _, ok := t.merges[pair{a, b}]; !ok {
			t.merges[pair{a, b}] = merge{int32(rank), both}
		}
	}
	if err := t.addTokens(); err != nil {
		return err
	}
	for _, id := range slices.Concat(t.before, t.after) {
		if t.Bytes(id) == nil {
			return fmt.Errorf("post_processor: no token has id %d", id)
		}
	}
	return nil
}

// use counts an id in, unless it is far beyond the number of tokens.
func (t *Tokenizer) use(id int32) error {
	if limit := int32(2*(len(t.vocab)+len(t.file.AddedTokens)) + 1024); id < 0 || id > limit {
		return fmt.Errorf("id %d, want 0 to %d for the number of tokens", id, limit)
	}
	t.size = max(t.size, int(id)+1)
	return nil
}

// vocabulary fills the tables of the model's own tokens.
func (t *Tokenizer) vocabulary(vocab map[string]int32) error {
	t.vocab = vocab
	t.ids, t.texts, t.spellings = make(map[string]int32, len(vocab)), make(map[int32]string, len(vocab)),
		make(map[int32]string, len(vocab))
	for _, spelling := range slices.Sorted(maps.Keys(vocab)) {
		id := vocab[spelling]
		if err := t.use(id); err != nil {
			return fmt.Errorf("model.vocab: %q: %w", spelling, err)
		}
		if other, ok := t.spellings[id]; ok {
			return fmt.Errorf("model.vocab: %q and %q have the same id %d", other, spelling, id)
		}
		text := t.textOf(spelling)
		t.spellings[id], t.texts[id] = spelling, text
		t.longest = max(t.longest, len(spelling), len(text))
		if _, ok := t.ids[text]; !ok {
			t.ids[text] = id
		}
	}
	t.unknown = -1
	if u := t.file.Model.Unknown; u != nil {
		id, ok := vocab[*u]
		if !ok {
			return fmt.Errorf("model.unk_token: %q is not in model.vocab", *u)
		}
		t.unknown = id
	}
	if t.file.Model.ByteFallback {
		t.fallback = make([]int32, 256)
		for b := range t.fallback {
			id, ok := vocab[fmt.Sprintf("<0x%02X>", b)]
			if !ok {
				id = -1
			}
			t.fallback[b] = id
		}
	}
	if !t.wholly() {
		t.longest = 0
	}
	return nil
}

// wholly reports whether every character of a text becomes a token of its own or a part of one: none is dropped, or
// joined to an unknown token.
func (t *Tokenizer) wholly() bool {
	if t.byteLevel {
		for b := range 256 {
			if _, ok := t.ids[string([]byte{byte(b)})]; !ok {
				return false
			}
		}
		return true
	}
	t.longest = max(t.longest, utf8.UTFMax)
	return t.fallback != nil && !slices.Contains(t.fallback, -1) || t.unknown >= 0 && !t.file.Model.FuseUnknown
}

// textOf is the text that a vocabulary entry stands for.
func (t *Tokenizer) textOf(spelling string) string {
	if t.byteLevel {
		return fromLetters(spelling)
	}
	if b, ok := fallbackByte(spelling); ok && t.file.Model.ByteFallback {
		return string([]byte{b})
	}
	for _, d := range t.decode {
		if d.from != "" {
			spelling = strings.ReplaceAll(spelling, d.from, d.to)
		}
	}
	return spelling
}

// maxAdded bounds the bytes of an added token, as every place of a text is held against them.
const maxAdded = 1024

func (t *Tokenizer) addTokens() error {
	t.added = make(map[int32]Added, len(t.file.AddedTokens))
	for _, a := range t.file.AddedTokens {
		if a.Content == "" || len(a.Content) > maxAdded {
			return fmt.Errorf("added_tokens: %.40q: content of %d bytes, want 1 to %d", a.Content, len(a.Content),
				maxAdded)
		}
		if err := t.use(a.ID); err != nil {
			return fmt.Errorf("added_tokens: %q: %w", a.Content, err)
		}
		if other, ok := t.added[a.ID]; ok {
			return fmt.Errorf("added_tokens: %q and %q have the same id %d", other.Content, a.Content, a.ID)
		}
		t.added[a.ID], t.spellings[a.ID] = a, a.Content
		if !a.Normalized {
			t.raw.insert(a.Content, a)
			continue
		}
		n, err := t.normalized(source{text: a.Content}, false)
		if err != nil {
			return fmt.Errorf("added_tokens: %q: %w", a.Content, err)
		}
		if n.text == "" {
			return fmt.Errorf("added_tokens: the normalizer leaves nothing of %q", a.Content)
		}
		t.spellings[a.ID] = n.text
		t.normal.insert(n.text, a)
	}
	return nil
}
