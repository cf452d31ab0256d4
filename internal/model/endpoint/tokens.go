package endpoint

import (
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
)

// tokens returns the tokens of an input: those given, or those of the text after the beginning of text.
func (s *Server) tokens(in input, param string, begin bool) ([]int32, *problem) {
	if in.tokens != nil {
		if err := s.m.CheckTokens(in.tokens); err != nil {
			return nil, invalid(param, "'%s' holds what is no token: %v.", param, err)
		}
		return in.tokens, nil
	}
	tokens, err := s.m.TextTokens(in.text, begin, s.m.ContextTokens())
	if p := tooLong(param, err, s.m.ContextTokens()); p != nil {
		return nil, p
	}
	if err != nil {
		return nil, invalid(param, "'%s' cannot be read: %v.", param, err)
	}
	return tokens, nil
}

// embed answers /v1/embeddings: the last hidden state of the last token, as it is, without normalization.
func (s *Server) embed(w http.ResponseWriter, r *http.Request, f *form) error {
	name := s.modelName(f)
	inputs := f.inputs("input", maxPrompts)
	format := f.text("encoding_format", "float")
	if format != "float" && format != "base64" {
		f.fail(invalid("encoding_format", "'encoding_format' is '%s'; it must be float or base64.", format))
	}
	if p := f.done(); p != nil {
		return p
	}
	sequences := make([][]int32, len(inputs))
	read := 0
	for i, in := range inputs {
		tokens, p := s.tokens(in, "input", true)
		switch {
		case p != nil:
			return p
		case len(tokens) == 0:
			return invalid("input", "'input' is empty, and the model has no token to begin with.")
		case len(tokens) > s.m.ContextTokens():
			return overflow("input", len(tokens), s.m.ContextTokens())
		}
		sequences[i] = tokens
		read += len(tokens)
	}
	data := make([]any, len(inputs))
	for i, tokens := range sequences {
		var state []float32
		var err error
		if stopped := s.engine.do(r.Context(), func() { state, err = s.m.Hidden(tokens) }); stopped != nil {
			return stopped
		}
		if err != nil {
			return failed(err)
		}
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": vector(state, format)}
	}
	counted(w, usageOf(read, 0))
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "model": name,
		"usage": map[string]int{"prompt_tokens": read, "total_tokens": read},
	})
	return nil
}

// vector is an embedding in the format asked for: numbers, or their little-endian bytes, which JSON has in base64.
func vector(state []float32, format string) any {
	if format == "float" {
		return state
	}
	b, _ := binary.Append(nil, binary.LittleEndian, state) // floats are of one size
	return b
}

// tokenize answers /tokenize as vLLM does: the tokens of a prompt, or of messages as the chat template lays them
// out. In a prompt, special tokens may be written out, for a client looks up their numbers so.
func (s *Server) tokenize(w http.ResponseWriter, _ *http.Request, f *form) error {
	f.take("model") // there is but one
	begin := f.flag("add_special_tokens", true)
	show := f.flag("return_token_strs", false)
	var tokens []int32
	if _, chat := f.members["messages"]; chat {
		request := f.conversation()
		if p := f.done(); p != nil {
			return p
		}
		var p *problem
		if tokens, p = s.laidOut(request, 0); p != nil {
			return p
		}
	} else {
		if f.members["prompt"] == nil {
			f.fail(invalid("prompt", "You must provide 'prompt' or 'messages'."))
		}
		text := f.text("prompt", "")
		if p := f.done(); p != nil {
			return p
		}
		var err error
		if tokens, err = s.m.TrustedTokens(text, begin); err != nil {
			return invalid("prompt", "'prompt' cannot be read: %v.", err)
		}
	}
	var texts []string
	for _, id := range tokens {
		if show {
			text, _ := tokenText(s.m, id)
			texts = append(texts, text)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"count": len(tokens), "max_model_len": s.m.ContextTokens(), "tokens": slices.Concat([]int32{}, tokens),
		"token_strs": texts,
	})
	return nil
}

// detokenize answers /detokenize as vLLM does: the text of tokens, special ones written out.
func (s *Server) detokenize(w http.ResponseWriter, _ *http.Request, f *form) error {
	f.take("model")
	var in []input
	if string(f.members["tokens"]) == "[]" {
		f.take("tokens")
		in = []input{{tokens: []int32{}}}
	} else {
		in = f.inputs("tokens", 1)
	}
	if p := f.done(); p != nil {
		return p
	}
	if in[0].tokens == nil {
		return invalid("tokens", "'tokens' must be a list of token numbers.")
	}
	tokens, p := s.tokens(in[0], "tokens", false)
	if p != nil {
		return p
	}
	writeJSON(w, http.StatusOK, map[string]string{"prompt": s.spell(tokens)})
	return nil
}

// spell is the text of tokens with the special ones among them written out.
func (s *Server) spell(tokens []int32) string {
	var text strings.Builder
	run := 0
	for i, id := range tokens {
		if b, special := s.m.TokenBytes(id); special {
			text.WriteString(s.m.Text(tokens[run:i]))
			text.Write(b)
			run = i + 1
		}
	}
	text.WriteString(s.m.Text(tokens[run:]))
	return text.String()
}

// tokenizerInfo answers /tokenizer_info, which lm-evaluation-harness asks of a server that is to do its tokenization.
func (s *Server) tokenizerInfo() any {
	end := ""
	for _, id := range s.m.StopTokens() {
		b, _ := s.m.TokenBytes(id)
		end = string(b)
	}
	return map[string]any{
		"bos_token": orNull(s.m.BeginText()), "eos_token": orNull(end), "pad_token": orNull(end),
		"model_max_length": s.m.ContextTokens(),
	}
}
