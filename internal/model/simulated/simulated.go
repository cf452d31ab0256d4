// Package simulated simulates a model whose true rates are set by hand: which
// share of cases it knows, gets wrong the same way each time, or guesses. It is
// what the instrument is tested on, as its intervals must cover the rates that
// were set (see Rates.Truth).
package simulated

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
)

// A Case is what a simulated model must know about the question behind a request.
type Case struct {
	ID    string // names the case in all draws
	Class string
	Tags  []string
	Gold  []string // accepted answers; the first is given
	// Wrong are wrong answers, in the same order for every variant; where empty, some are made up.
	Wrong []string
	// Declines says that the right act is to decline; Repair is then said, too.
	Declines bool
	Repair   string
	// Options are the contents of Request.Options in their order, where those are letters; nil where they are contents.
	Options []string
}

// A Lookup finds the case that a request asks. It is called concurrently.
type Lookup func(model.Request) (Case, bool)

// A Model answers by its profile. Which behaviour a case gets is drawn once for the case; what a randomness case is
// answered is drawn for each different prompt and, where Temperature is above 0, each Request.Seed; a coin case is
// drawn so only where Temperature is above 0. Draws are addressed by names, so they are the same in any order and
// at any concurrency. Where scores of options are asked for, the answer's option is the most probable, and decline
// and ungradable choose a wrong one.
type Model struct {
	p        Profile
	lookup   Lookup
	identity string
}

var (
	_ model.Model  = (*Model)(nil)
	_ model.Prober = (*Model)(nil)
)

// New returns the model of a profile. Data names what the lookup reads, such as the hashes of the suites, and is
// part of the identity, as is all of the profile but its name.
func New(p Profile, lookup Lookup, data ...string) *Model {
	name := p.Name
	p.Name = ""
	b, err := json.Marshal(struct {
		Profile Profile
		Data    []string
	}{p, data})
	if err != nil { // a float that is no number, which ParseProfile refuses
		panic("phantom: " + err.Error())
	}
	sum := sha256.Sum256(b)
	p.Name = name
	return &Model{p: p, lookup: lookup, identity: "phantom:" + name + " sha256:" + hex.EncodeToString(sum[:])[:16]}
}

// Identity names the profile and the hash of all that decides the answers.
func (m *Model) Identity() string { return m.identity }

// Probe tells what a simulated model can do; it asks nothing.
func (m *Model) Probe(context.Context) (model.Capabilities, error) {
	return model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, OptionScores: true, Closed: true,
		Note: "simulated"}, nil
}

// behaviour is what a simulated model does to a case.
type behaviour int

const (
	factual behaviour = iota
	wrong
	random
	decline
	ungradable
	coin
)

var errSimulated = errors.New("phantom: simulated failure")

// Generate answers one request. Its errors are the context's, and final ones: a simulated failure, a prompt of no known
// case, a case without a right answer.
func (m *Model) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	if req.Hidden {
		return model.Response{}, errors.New("phantom: a simulator has no hidden states")
	}
	c, ok := m.lookup(req)
	if !ok {
		return model.Response{}, errors.New("phantom: no case of the suites has this prompt")
	}
	if len(c.Gold) == 0 && !c.Declines {
		return model.Response{}, fmt.Errorf("phantom: case %q has no reference answer that could be given", c.ID)
	}
	r := m.p.For(c.Class, c.Tags)
	draw := drawOf(req)
	s := of(m.p.Seed, 1)
	if seed.Stream(s, "phantom", "fail", c.ID, draw).Float64() < of(r.Fail, 0) {
		return model.Response{}, errSimulated
	}
	b := r.behaviour(seed.Stream(s, "phantom", "category", c.ID).Float64())
	guess := seed.Stream(s, "phantom", "answer", c.ID, draw)
	toss := guess
	if b == coin && req.Temperature == 0 {
		toss = seed.Stream(s, "phantom", "coin", c.ID)
	}
	right := b == factual || (b == random || b == coin) && toss.Float64() < of(r.RandomnessRight, .5)
	wrongs := c.wrongs()
	text := wrongs[int(seed.Stream(s, "phantom", "wrong", c.ID).Uint64N(uint64(len(wrongs))))]
	if b == random {
		text = wrongs[guess.IntN(len(wrongs))]
	}
	declined := strings.TrimSpace(m.p.DeclineText + " " + c.Repair)
	switch {
	case right && c.Declines:
		text = declined
	case right:
		text = c.Gold[0]
	case len(req.Options) > 0: // scores cannot decline
	case b == decline && c.Declines:
		text, right = declined, true
	case b == decline:
		text = m.p.DeclineText
	case b == ungradable:
		text = m.p.UnreadText
	}
	confidence := of(m.p.ConfidenceWrong, .6)
	if right {
		confidence = of(m.p.ConfidenceRight, .8)
	}
	confidence += of(m.p.ConfidenceSpread, .3) * (guess.Float64() - .5)
	confidence = min(max(confidence, .01), .99)
	if len(req.Options) > 0 {
		return scores(c, req, text, confidence)
	}
	return say(req, text, confidence), nil
}

func (r Rates) behaviour(u float64) behaviour {
	last := factual // that has a share: the shares sum to 1 up to rounding
	for i, f := range r.fields()[:shares] {
		if of(f.v, 0) > 0 {
			last = behaviour(i)
		}
		if u -= of(f.v, 0); u < 0 {
			break
		}
	}
	return last
}

// drawOf names the draw of a request: all that is shown to the model, and the seed where the answer is sampled.
func drawOf(req model.Request) string {
	b, err := json.Marshal(model.Request{System: req.System, Messages: req.Messages, Prompt: req.Prompt, Raw: req.Raw})
	if err != nil { // strings only
		panic("phantom: " + err.Error())
	}
	name := string(b)
	if req.Temperature > 0 && req.Seed != nil {
		name += strconv.FormatInt(*req.Seed, 10)
	}
	return name
}

// inventions are wrong answers to anything.
var inventions = []string{"Zembla", "Ruritania", "Freedonia", "Brobdingnag", "Erewhon", "Graustark", "Laputa"}

// wrongs returns the wrong answers of the case, at least one.
func (c Case) wrongs() []string {
	if len(c.Wrong) > 0 {
		return c.Wrong
	}
	if len(c.Gold) == 0 {
		return inventions
	}
	n, err := strconv.ParseInt(c.Gold[0], 10, 62)
	if err != nil {
		return inventions
	}
	var out []string
	for range inventions {
		n++
		out = append(out, strconv.FormatInt(n, 10))
	}
	return out
}

// scores makes the option that says text the most probable.
func scores(c Case, req model.Request, text string, confidence float64) (model.Response, error) {
	contents := c.Options
	if contents == nil {
		contents = req.Options
	}
	chosen := slices.IndexFunc(contents, says(text))
	if chosen < 0 || len(contents) != len(req.Options) {
		return model.Response{}, fmt.Errorf("phantom: answer %q of case %q is none of its %d options", text, c.ID,
			len(req.Options))
	}
	n := float64(len(contents))
	p := 1/n + (1-1/n)*confidence // above all others, whatever the confidence
	out := model.Response{Usage: model.Usage{PromptTokens: words(req)}}
	for i := range contents {
		lp := math.Log(p)
		if i != chosen {
			lp = math.Log((1 - p) / (n - 1))
		}
		out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{lp}})
	}
	return out, nil
}

// says tells which options say the text.
func says(text string) func(option string) bool {
	return func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(text) }
}

// say answers in text; its tokens are words.
func say(req model.Request, text string, confidence float64) model.Response {
	out := model.Response{Finish: model.FinishStop}
	tokens := strings.SplitAfter(text, " ")
	if req.Raw { // a continuation begins with a space
		tokens[0] = " " + tokens[0]
	}
	if req.MaxTokens > 0 && len(tokens) > req.MaxTokens {
		tokens, out.Finish = tokens[:req.MaxTokens], model.FinishLength
	}
	text = strings.Join(tokens, "")
	out.Text = &text
	if req.LogProbs || req.TopLogProbs > 0 {
		for _, t := range tokens {
			lp := math.Log(confidence) / float64(len(tokens)) // the whole answer has the confidence
			out.Tokens = append(out.Tokens, model.Token{Text: t, LogProb: &lp})
		}
	}
	out.Usage = model.Usage{PromptTokens: words(req), CompletionTokens: len(tokens)}
	return out
}

func words(req model.Request) int {
	n := len(strings.Fields(req.System)) + len(strings.Fields(req.Prompt))
	for _, m := range req.Messages {
		n += len(strings.Fields(m.Text))
	}
	return n
}
