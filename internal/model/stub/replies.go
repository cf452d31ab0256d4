package stub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (s *Server) models(w http.ResponseWriter) {
	m := map[string]any{"id": cmp.Or(s.o.Model, "stub"), "object": "model"}
	if s.o.ContextTokens > 0 {
		m["max_model_len"] = s.o.ContextTokens
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []any{m}}) // the client may be gone
}

func (s *Server) chat(req request, f Fault) (any, *refusal) {
	limit := req.MaxTokens
	if limit == nil {
		limit = req.MaxCompletionTokens
	}
	prompt := joined("", req.Messages)
	tokens, finish := s.generate(prompt, req, limit)
	message := map[string]any{"role": "assistant", "content": strings.Join(tokens, "")}
	choice := map[string]any{"index": 0, "finish_reason": finish, "message": message}
	if string(req.LogProbs) == "true" && !s.o.ignores("logprobs") {
		var content []map[string]any
		for i, lp := range f.logProbs(logProbs(prompt, tokens)) {
			top := []map[string]any{}
			for _, a := range alternatives(tokens[i], lp, req.TopLogProbs) {
				top = append(top, map[string]any{"token": a.text, "logprob": a.lp})
			}
			content = append(content, map[string]any{"token": tokens[i], "logprob": lp, "top_logprobs": top})
		}
		choice["logprobs"] = map[string]any{"content": content}
	}
	switch f {
	case NullContent:
		message["content"] = nil
	case Filter:
		message["content"], choice["finish_reason"] = nil, "content_filter"
	case Refusal:
		message["content"], message["refusal"] = nil, "no"
	}
	return s.wrap(req, f, []any{choice}, len(tokenize(prompt)), len(tokens)), nil
}

func (s *Server) wrap(req request, f Fault, choices []any, in, out int) any {
	if f == EmptyChoices {
		choices = []any{}
	}
	s.tokens.Add(int64(in + out))
	return map[string]any{"id": "stub", "object": "completion", "model": req.Model, "choices": choices,
		"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}}
}

func (s *Server) completions(req request, f Fault) (any, *refusal) {
	var prompts []string
	if err := json.Unmarshal(req.Prompt, &prompts); err != nil {
		prompts = make([]string, 1)
		if err := json.Unmarshal(req.Prompt, &prompts[0]); err != nil {
			return nil, &refusal{"", "prompt", "prompt is no text"}
		}
	}
	var choices []any
	in, out := 0, 0
	for i, prompt := range prompts {
		limit := req.MaxTokens
		if limit == nil {
			limit = new(16)
		}
		generated, finish := s.generate(prompt, req, limit)
		in, out = in+len(tokenize(prompt)), out+len(generated)
		tokens, text := generated, strings.Join(generated, "")
		lps := logProbs(prompt, generated)
		begin := 0
		if req.Echo && !s.o.ignores("echo") {
			promptTokens := tokenize(prompt)
			tokens = append(slices.Clone(promptTokens), generated...)
			text = prompt + text
			lps = logProbs("", tokens)
			if s.o.BOS != "" {
				tokens = append([]string{s.o.BOS}, tokens...)
				lps = append([]float64{0}, lps...)
			}
			begin = len(tokens) - len(generated)
		}
		choice := map[string]any{"index": i, "finish_reason": finish, "text": text}
		if len(req.LogProbs) > 0 && string(req.LogProbs) != "null" && !s.o.ignores("logprobs") {
			choice["logprobs"] = s.legacy(tokens, f.logProbs(lps), number(req.LogProbs), begin > 0)
		}
		if req.PromptLogProbs != nil && !s.o.ignores("prompt_logprobs") {
			choice["prompt_logprobs"] = promptLogProbs(s.o.BOS, prompt)
		}
		if f == NullContent {
			choice["text"] = nil
		}
		choices = append(choices, choice)
	}
	return s.wrap(req, f, choices, in, out), nil
}

// legacy is the logprobs object of /v1/completions.
func (s *Server) legacy(tokens []string, lps []float64, k int, firstIsNull bool) any {
	values, tops, offsets, at := []any{}, []any{}, []int{}, 0
	for i, lp := range lps {
		if i == 0 && firstIsNull {
			values, tops = append(values, nil), append(tops, nil)
		} else {
			top := map[string]float64{}
			for _, a := range alternatives(tokens[i], lp, k) {
				top[a.text] = a.lp
			}
			values, tops = append(values, lp), append(tops, top)
		}
		switch s.o.Offsets {
		case "none":
			offsets = append(offsets, -1)
		case "bytes":
			offsets, at = append(offsets, at), at+len(tokens[i])
		default:
			offsets, at = append(offsets, at), at+len([]rune(tokens[i]))
		}
	}
	return map[string]any{"tokens": tokens, "token_logprobs": values, "top_logprobs": tops, "text_offset": offsets}
}

// promptLogProbs is vLLM's list: null, then an object of token numbers with the prompt's own token first.
func promptLogProbs(bos, prompt string) any {
	tokens := tokenize(prompt)
	lps := logProbs("", tokens)
	list := []any{nil} // the begin mark, or else the first token
	if bos == "" && len(tokens) > 0 {
		tokens, lps = tokens[1:], lps[1:]
	}
	for i, t := range tokens {
		own, _ := json.Marshal(map[string]any{"logprob": lps[i], "rank": 2, "decoded_token": t})
		top, _ := json.Marshal(map[string]any{"logprob": lps[i] + .01, "rank": 1, "decoded_token": " other"})
		// The prompt's token stands first although its number is the larger one.
		list = append(list, json.RawMessage(fmt.Sprintf(`{"%d":%s,"%d":%s}`, 500+i, own, 1, top)))
	}
	return list
}

func (s *Server) anthropic(req request, f Fault) (any, *refusal) {
	if req.MaxTokens == nil {
		return nil, &refusal{"", "", "max_tokens: Field required"}
	}
	req.Stop = req.StopSequences
	prompt := joined(req.System, req.Messages)
	tokens, finish := s.generate(prompt, req, req.MaxTokens)
	s.tokens.Add(int64(len(tokenize(prompt)) + len(tokens)))
	reason := map[string]string{"stop": "end_turn", "length": "max_tokens"}[finish]
	content := []any{map[string]any{"type": "text", "text": strings.Join(tokens, "")}}
	switch f {
	case NullContent, EmptyChoices:
		content = []any{}
	case Filter, Refusal:
		content, reason = []any{}, "refusal"
	}
	return map[string]any{"id": "stub", "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": reason, "usage": map[string]any{"input_tokens": len(tokenize(prompt)),
			"output_tokens": len(tokens)}}, nil
}
