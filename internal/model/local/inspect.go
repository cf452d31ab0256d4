package local

import (
	"fmt"
	"slices"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/model"
)

// What follows is for callers that work on tokens, such as a server: the same layouts, tokens and bits as Generate.

// ChatTokens returns the tokens of a conversation as the chat template lays it out, up to where the answer begins.
// Special tokens written in the messages are read as plain text.
func (m *Model) ChatTokens(r model.Request, most int) ([]int32, error) {
	r.Raw = false
	parts, err := m.template.render(r, m.begin)
	if err != nil {
		return nil, err
	}
	return m.encode(parts, most)
}

// TextTokens returns the tokens of a plain text, after the beginning of text if begin is set and the model has one.
// Special tokens written in the text are read as plain text.
func (m *Model) TextTokens(text string, begin bool, most int) ([]int32, error) {
	return m.plainTokens(foreign(text), begin, most)
}

// TrustedTokens is TextTokens, except that special tokens written in the text stand for themselves, as they do in
// Hugging Face's tokenizers: whoever can write the text can end a turn with it.
func (m *Model) TrustedTokens(text string, begin bool) ([]int32, error) {
	return m.plainTokens(own(text), begin, 0)
}

func (m *Model) plainTokens(p token.Part, begin bool, most int) ([]int32, error) {
	if begin {
		return m.encode([]token.Part{own(m.begin), p}, most)
	}
	return m.encode([]token.Part{p}, most)
}

// Text returns the text of tokens without special ones. Bytes that are not UTF-8 become U+FFFD.
func (m *Model) Text(tokens []int32) string { return m.tokens.Decode(tokens) }

// TokenBytes returns the bytes that a token stands for, which need not be whole characters, and whether it is a special
// token, which Text leaves out. It returns nil for a number that is no token.
func (m *Model) TokenBytes(id int32) (b []byte, special bool) {
	special = slices.ContainsFunc(m.specials, func(a token.Added) bool { return a.ID == id })
	return m.tokens.Bytes(id), special
}

// CheckTokens reports the first number that is no token of the model.
func (m *Model) CheckTokens(ids []int32) error {
	for i, id := range ids {
		if id < 0 || int(id) >= m.net.Config().Vocab {
			return fmt.Errorf("token %d is %d, outside the vocabulary of %d", i, id, m.net.Config().Vocab)
		}
	}
	return nil
}

// StopTokens are the tokens that end an answer.
func (m *Model) StopTokens() []int32 { return slices.Clone(m.stops) }

// BeginText is the special token before all text, "" for none.
func (m *Model) BeginText() string { return m.begin }

// Lead is the text that answers of the chat template begin with and that is no part of them, "" for none.
func (m *Model) Lead() string { return m.template.lead }

// ContextTokens is the most tokens of a prompt and what follows it.
func (m *Model) ContextTokens() int { return m.net.Config().MaxContext }

// CacheBytes is the memory that the keys and values of one token take.
func (m *Model) CacheBytes() int64 {
	c := m.net.Config()
	return int64(c.Layers) * int64(c.KVHeads) * int64(c.HeadDim) * 2 * 4
}

// Hidden returns the last hidden state after the tokens: Hugging Face's last_hidden_state at the last of them.
func (m *Model) Hidden(tokens []int32) ([]float32, error) { return m.net.Hidden(tokens) }

// NewDecoder returns a decoder of the model's transformer, for one goroutine.
func (m *Model) NewDecoder() *engine.Decoder { return m.net.NewDecoder() }
