package endpoint

import "net/http"

type completionChoice struct {
	Index    int       `json:"index"`
	Text     string    `json:"text"`
	LogProbs *logProbs `json:"logprobs"`
	Finish   *string   `json:"finish_reason"`
}

// logProbs are parallel lists over the tokens. A prompt's first token has no probability: its entries are null.
type logProbs struct {
	Tokens   []string             `json:"tokens"`
	LogProbs []*float64           `json:"token_logprobs"`
	Top      []map[string]float64 `json:"top_logprobs"`
	Offsets  []int                `json:"text_offset"` // in characters from the start of the choice's text
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request, f *form) error {
	g := &generation{model: s.modelName(f)}
	prompts := f.inputs("prompt", maxPrompts)
	f.sampling(g)
	g.echo = f.flag("echo", false)
	limit, _ := f.integer("max_tokens", defaultSize, 0, maxInt)
	g.maxTokens = int(limit)
	top, wanted := f.integer("logprobs", 0, 0, maxTop)
	g.logProbs, g.top = wanted, int(top)
	if best, given := f.integer("best_of", 0, 1, maxChoices); given && int(best) != g.n {
		f.fail(unsupported("best_of", ", except equal to n"))
	}
	if p := f.done(); p != nil {
		return p
	}
	texts := make([]string, len(prompts))
	for i, in := range prompts {
		tokens, p := s.tokens(in, "prompt", true)
		if p != nil {
			return p
		}
		g.prompts = append(g.prompts, tokens)
		if texts[i] = in.text; in.tokens != nil {
			texts[i] = s.m.Text(tokens)
		}
	}
	if p := g.check(s.m, "prompt"); p != nil {
		return p
	}
	return s.answerCompletion(w, r, g, texts)
}

func (s *Server) answerCompletion(w http.ResponseWriter, r *http.Request, g *generation, texts []string) error {
	// echoed is the prompt's text, in front of a choice's first text.
	echoed := func(i int, c *choice) string {
		if !g.echo || c.started {
			return ""
		}
		return texts[i/g.n]
	}
	const object = "text_completion"
	return answerText(s, w, r, g, s.envelope("cmpl-", object, g), object,
		func(i int, c *choice) completionChoice {
			return completionChoice{Index: i, Text: echoed(i, c) + c.text(), LogProbs: g.logProbsOf(c),
				Finish: &c.finish}
		}, func(i int, c *choice, send func(completionChoice)) {
			one := completionChoice{Index: i, Text: echoed(i, c) + c.next()}
			if c.finish != "" {
				one.Finish = &c.finish
			}
			if fresh := !c.started && g.echo || c.told < len(c.tokens); one.Text != "" || one.Finish != nil ||
				g.logProbs && fresh {
				one.LogProbs = g.logProbsOf(c)
				send(one)
			}
			c.started = true
		})
}

// logProbsOf lists the tokens that a choice has not told yet, those of the prompt first.
func (g *generation) logProbsOf(c *choice) *logProbs {
	if !g.logProbs {
		return nil
	}
	l := &logProbs{Tokens: []string{}, LogProbs: []*float64{}, Top: []map[string]float64{}, Offsets: []int{}}
	begins := true
	if !c.started {
		for i, t := range c.echo {
			begins = l.add(c, t, i == 0, begins)
		}
	}
	begins = c.told == 0
	for _, t := range c.nextTokens() {
		begins = l.add(c, t, false, begins)
	}
	return l
}

// add lists a token; first says that it has no probability, begins that no text is before it. It returns whether
// the next token still begins the text.
func (l *logProbs) add(c *choice, t generated, first, begins bool) bool {
	text, b := tokenText(c.m, t.id)
	if _, special := c.m.TokenBytes(t.id); special {
		b = nil // it is no part of the text
	} else {
		if begins && !broken(c.m, t.id) {
			b = []byte(c.m.Text([]int32{t.id})) // SentencePiece takes off the space that it puts before a text
		}
		begins = false
	}
	l.Tokens, l.Offsets = append(l.Tokens, text), append(l.Offsets, c.spelled.read(b))
	if first {
		l.LogProbs, l.Top = append(l.LogProbs, nil), append(l.Top, nil)
		return begins
	}
	top := map[string]float64{text: t.logProb} // the token itself is always among them
	for _, alternative := range t.top {
		name, _ := tokenText(c.m, alternative.Token)
		top[name] = alternative.LogProb
	}
	l.LogProbs, l.Top = append(l.LogProbs, new(t.logProb)), append(l.Top, top)
	return begins
}
