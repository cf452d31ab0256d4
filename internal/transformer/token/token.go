// Package token is the byte-level BPE tokenizer of the GPT-2, Llama 3 and Qwen families: it reads and writes
// Hugging Face's tokenizer.json, gives the same ids as Hugging Face's tokenizers, and trains small vocabularies.
package token

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"golang.org/x/text/unicode/norm"
)

// The patterns by which well-known models split text into the words that BPE works on.
const (
	GPT2Pattern   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	Qwen2Pattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	Llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// A Tokenizer turns text into tokens and back. It is safe for concurrent use.
type Tokenizer struct {
	spec    spec
	vocab   map[string]int32 // by spelling, as in the file
	ids     map[string]int32 // by bytes
	texts   map[int32]string // the bytes of each token of the vocabulary
	merges  map[pair]merge
	added   map[int32]Added
	byFirst [256][]Added // added tokens by first byte, longest first
	split   *regexp2.Regexp
	size    int
	words   wordCache
}

// An Added token is matched in text whole, before the text is split.
type Added struct {
	ID             int32
	Content        string
	Special        bool // left out by Decode and not matched by EncodeText
	LStrip, RStrip bool // takes the white space before or after it too
	Normalized     bool // as in the file; normalization here never changes what an added token matches
}

// spec is what a tokenizer.json says besides its vocabulary.
type spec struct {
	pattern      string
	gpt2         bool // the pattern is the one ByteLevel has built in
	nfc          bool
	prefixSpace  bool
	ignoreMerges bool
	before       []int32 // tokens the template puts before a text
	after        []int32
	merges       [][2]string // in the file's letters, by rank
	added        []Added
}

type pair struct{ a, b int32 }

type merge struct {
	rank int32
	id   int32
}

// splitLimit bounds the time one text may take to split. The patterns of real models need microseconds; a hostile
// file may carry any pattern.
const splitLimit = 10 * time.Second

// Size is one more than the largest id.
func (t *Tokenizer) Size() int { return t.size }

// ID returns the token with exactly this text: an added token's content or a vocabulary entry's bytes.
func (t *Tokenizer) ID(text string) (id int32, ok bool) {
	for _, a := range t.spec.added {
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
	return slices.Clone(t.spec.before), slices.Clone(t.spec.after)
}

// Encode returns the tokens of text, in which the contents of added tokens stand for these. The template is not
// applied. Bytes that are not UTF-8 are read as U+FFFD. The error is of a split that took too long.
func (t *Tokenizer) Encode(text string) ([]int32, error) { return t.encode(text, true) }

// EncodeText is Encode, except that special tokens cannot be written in the text: what looks like one is split like
// any other text. It is for text that is not to be trusted.
func (t *Tokenizer) EncodeText(text string) ([]int32, error) { return t.encode(text, false) }

func (t *Tokenizer) encode(text string, special bool) ([]int32, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if t.spec.nfc {
		text = norm.NFC.String(text)
	}
	var out []int32
	plain := func(s string) error {
		if s == "" {
			return nil
		}
		if t.spec.prefixSpace && !strings.HasPrefix(s, " ") {
			s = " " + s
		}
		spans, err := t.pieces(s)
		if err != nil {
			return err
		}
		for _, w := range spans {
			out = t.word(out, w)
		}
		return nil
	}
	start := 0
	for i := 0; i < len(text); {
		a, ok := t.match(text[i:], special)
		if !ok {
			i++
			continue
		}
		before, end := text[start:i], i+len(a.Content)
		if a.LStrip {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		if a.RStrip {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if err := plain(before); err != nil {
			return nil, err
		}
		out = append(out, a.ID)
		start, i = end, end
	}
	if err := plain(text[start:]); err != nil {
		return nil, err
	}
	return out, nil
}

// match returns the longest added token at the start of s.
func (t *Tokenizer) match(s string, special bool) (Added, bool) {
	for _, a := range t.byFirst[s[0]] {
		if (special || !a.Special) && strings.HasPrefix(s, a.Content) {
			return a, true
		}
	}
	return Added{}, false
}

// pieces splits s by the pattern; what no match covers is a piece of its own.
func (t *Tokenizer) pieces(s string) ([]string, error) {
	spans, err := t.split.FindAllStringIndex(s, -1)
	if err != nil {
		return nil, fmt.Errorf("token: split of %d bytes: %w", len(s), err)
	}
	var out []string
	at := 0
	for _, m := range spans {
		if m[0] > at {
			out = append(out, s[at:m[0]])
		}
		if m[1] > m[0] {
			out = append(out, s[m[0]:m[1]])
		}
		at = m[1]
	}
	if at < len(s) {
		out = append(out, s[at:])
	}
	return out, nil
}

// Bytes returns the bytes of a token, which need not be whole characters; nil if there is no such token.
func (t *Tokenizer) Bytes(id int32) []byte {
	if a, ok := t.added[id]; ok {
		return []byte(a.Content)
	}
	if s, ok := t.texts[id]; ok {
		return []byte(s)
	}
	return nil
}

// Decode returns the text of the tokens without special ones. Bytes that are not UTF-8 become U+FFFD; ids that are no
// token are left out.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if a, ok := t.added[id]; ok {
			if !a.Special {
				b.WriteString(a.Content)
			}
			continue
		}
		b.WriteString(t.texts[id])
	}
	if s := b.String(); utf8.ValidString(s) {
		return s
	}
	return string([]rune(b.String()))
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

// finish derives the tables from spec and vocabulary.
func (t *Tokenizer) finish(vocab map[string]int32) error {
	re, err := regexp2.Compile(t.spec.pattern)
	if err != nil {
		return fmt.Errorf("pre_tokenizer: %w", err)
	}
	re.MatchTimeout = splitLimit
	t.split = re
	t.vocab = vocab
	limit := int32(2*(len(vocab)+len(t.spec.added)) + 1024)
	t.ids, t.texts = make(map[string]int32, len(vocab)), make(map[int32]string, len(vocab))
	use := func(id int32) error {
		if id < 0 || id > limit {
			return fmt.Errorf("id %d, want 0 to %d for the number of tokens", id, limit)
		}
		t.size = max(t.size, int(id)+1)
		return nil
	}
	for _, letters := range slices.Sorted(maps.Keys(vocab)) {
		id := vocab[letters]
		if err := use(id); err != nil {
			return fmt.Errorf("model.vocab: %q: %w", letters, err)
		}
		if other, ok := t.texts[id]; ok {
			return fmt.Errorf("model.vocab: %q and %q have the same id %d", other, letters, id)
		}
		text := fromLetters(letters)
		t.texts[id] = text
		if _, ok := t.ids[text]; !ok {
			t.ids[text] = id
		}
	}
	t.merges = make(map[pair]merge, len(t.spec.merges))
	for rank, m := range t.spec.merges {
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
	t.added = make(map[int32]Added, len(t.spec.added))
	for _, a := range t.spec.added {
		if a.Content == "" {
			return errors.New("added_tokens: empty content")
		}
		if err := use(a.ID); err != nil {
			return fmt.Errorf("added_tokens: %q: %w", a.Content, err)
		}
		if other, ok := t.added[a.ID]; ok {
			return fmt.Errorf("added_tokens: %q and %q have the same id %d", other.Content, a.Content, a.ID)
		}
		t.added[a.ID] = a
		first := &t.byFirst[a.Content[0]]
		*first = append(*first, a)
	}
	for i := range t.byFirst {
		slices.SortStableFunc(t.byFirst[i], func(a, b Added) int { return len(b.Content) - len(a.Content) })
	}
	for _, id := range slices.Concat(t.spec.before, t.spec.after) {
		if t.Bytes(id) == nil {
			return fmt.Errorf("post_processor: no token has id %d", id)
		}
	}
	return nil
}
