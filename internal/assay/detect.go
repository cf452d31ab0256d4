package assay

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// mostAlternatives is how many alternatives to a token are asked for: what hosted APIs give at most.
const mostAlternatives = 20

// alternatives returns how many alternatives to a token a model lists, of those that are asked for.
func alternatives(can *model.Capabilities) int {
	if can.TopLogProbs < 0 { // the whole vocabulary
		return mostAlternatives
	}
	return min(can.TopLogProbs, mostAlternatives)
}

// logProbs says whether the log-probabilities of an answer's tokens are asked for, as detectors read them of the answer
// to a default prompt, and how many alternatives to each. Its repeats are the identical request.
func (m *UnderTest) logProbs(v prompt.Variant, why purpose) (asked bool, most int) {
	if m.Can == nil || !m.Can.LogProbs || v.Number != 0 || why == forSample {
		return false, 0 // it is nil but in sweeps, in runs with detection, and in what replays their answers
	}
	return true, alternatives(m.Can)
}

// A followUp is a call that a detector makes about an answer.
type followUp struct {
	detector string
	call     run.Call
	record   *run.Record // nil: none is stored
}

// followUps returns the calls about a trial's answer: none for a trial that is not the default prompt's, or whose
// answer is missing or empty, or of a model that cannot be asked so.
func (p *Plan) followUps(c *suite.Case, trial *trial) []followUp {
	m := p.Models[trial.model]
	if !trial.first() || m.Can == nil {
		return nil
	}
	if reply := p.reply(c, trial); reply != "" {
		return followUps(m, *trial.more().request, reply)
	}
	return nil
}

// followUps returns the calls about a reply to a request, of a model whose abilities are known.
func followUps(m UnderTest, req model.Request, reply string) (out []followUp) {
	add := func(detector string, r model.Request) {
		out = append(out, followUp{detector: detector, call: run.Call{Model: m.Identity, Request: r}})
	}
	correct, possible := prompt.IsCorrect(req, reply), prompt.PossibleAnswer(req, reply)
	if !m.Can.OptionScores {
		correct, possible = prompt.Listed(correct, alternatives(m.Can)), prompt.Listed(possible, alternatives(m.Can))
		if m.Sampling {
			correct.Temperature, possible.Temperature = 1, 1
		}
	}
	if !m.Can.Closed && (m.Can.OptionScores || m.Can.TopLogProbs != 0) {
		add(detect.SelfCheck, correct)
		add(detect.PTrue, possible)
	}
	if m.Can.HiddenStates {
		add(detect.Surprisal, model.Request{
			System: req.System, Messages: req.Messages, Prompt: req.Prompt, Raw: req.Raw,
			Options: []string{prompt.Reply(req, reply)}, Hidden: true,
		})
	}
	return out
}

// reply returns the answer of a trial as detectors append it: the option that won, behind its letter where letters
// are shown, or the text. It is "" where there is none.
func (p *Plan) reply(c *suite.Case, trial *trial) string {
	a, text := p.answer(c, trial)
	text = strings.TrimSpace(text)
	if a.Missing() != "" {
		return ""
	}
	if a.Option == nil {
		return text
	}
	for at, sent := range trial.more().options {
		if prompt.OptionAt(*trial.variant, at) != *a.Option {
			continue
		}
		if sent = strings.TrimSpace(sent); sent != text {
			return sent + ". " + text
		}
	}
	return text
}

// followUps gives the trials what detectors ask about them, and returns that with its calls.
func (x *sitting) followUps() (all []*followUp, calls []run.Call) {
	for ci, c := range eachTrial(x.table) {
		follow := x.plan.followUps(x.cases.At(ci), c)
		if len(follow) > 0 {
			c.own().follow = follow
		}
		for j := range follow {
			all, calls = append(all, &follow[j]), append(calls, follow[j].call)
		}
	}
	return all, calls
}

// follow gives the trials the records of the calls about them.
func (x *sitting) follow(ctx context.Context) error {
	all, calls := x.followUps()
	if len(calls) == 0 {
		return nil
	}
	records, err := run.Records(ctx, x.store, calls)
	for i, r := range records {
		all[i].record = r
	}
	return err
}

// Reasons why an answer has no score.
const (
	noAnswer   = "the answer is unscored"
	emptyReply = "the answer is empty"
)

// unable says why a model cannot be asked for a detector of the answer to a case, "" where it can.
func (p *Plan) unable(m UnderTest, detector string, scored bool) string {
	unless := func(holds bool, why string) string {
		if holds {
			return ""
		}
		return why
	}
	can := m.Can
	switch {
	case detector == detect.SemanticEntropy || detector == detect.SampleDisagreement:
		return unless(p.Sampled >= 2, "no answers were sampled; --sampled 10 samples them")
	case detector == detect.Entropy || detector == detect.EntropyAsPublished || detector == detect.Perplexity && scored:
		return "" // it is of the scores of options
	case can == nil:
		return "what the model can be asked is not known: its answers are replayed, or it was not reached when " +
			"the run began"
	}
	switch detector {
	case detect.Perplexity:
		return unless(can.LogProbs, "the model gives no log-probabilities of its answers")
	case detect.TokenEntropy:
		return unless(can.TopLogProbs != 0 && can.LogProbs, "the model lists no alternatives to its tokens")
	case detect.Surprisal:
		return unless(can.HiddenStates, "the model's hidden states cannot be had")
	}
	return cmp.Or(unless(!can.Closed, "the model answers the prompts of its suites only"),
		unless(can.OptionScores || can.TopLogProbs != 0,
			"the model neither scores a given word nor lists its likeliest ones"))
}

// outcomes scores the answer to a case's default prompt by every detector that applies to it; draws are the classes
// of the drawn answers.
func (p *Plan) outcomes(c *suite.Case, trial *trial, samples []answer.Form) map[string]detect.Outcome {
	m := p.Models[trial.model]
	scored := len(trial.more().options) > 0
	names := []string{detect.Perplexity, detect.Surprisal, detect.SelfCheck, detect.SelfCheckPublished, detect.PTrue}
	if scored {
		names = append(names, detect.Entropy, detect.EntropyAsPublished)
	} else {
		names = append(names, detect.TokenEntropy, detect.SemanticEntropy, detect.SampleDisagreement)
	}
	out := map[string]detect.Outcome{}
	for _, name := range names {
		o := detect.Outcome{Reason: p.unable(m, name, scored)}
		switch {
		case o.Reason != "":
		case trial.class.IsZero():
			o.Reason = noAnswer
		default:
			o = p.outcome(c, trial, samples, name, scored)
		}
		out[name] = o
	}
	return out
}

func (p *Plan) outcome(c *suite.Case, trial *trial, samples []answer.Form, name string, scored bool) detect.Outcome {
	given := func(x float64, ok bool, otherwise string) detect.Outcome {
		if !ok || x-x != 0 {
			return detect.Outcome{Reason: otherwise}
		}
		return detect.Outcome{Score: x}
	}
	switch name {
	case detect.Perplexity, detect.Entropy, detect.EntropyAsPublished:
		if !scored {
			x, ok := detect.PerplexityOf(answerLogProbs(trial))
			return given(x, ok, "the answer has no tokens, or not all their log-probabilities")
		}
		choice, err := p.choice(c, trial)
		if err != nil {
			return detect.Outcome{Reason: err.Error()}
		}
		switch name {
		case detect.Entropy:
			x, ok := detect.EntropyOf(choice.Perplexities)
			return given(x, ok, "no option has a probability above 0")
		case detect.EntropyAsPublished:
			x, ok := detect.EntropyOfPublished(choice.Perplexities)
			return given(x, ok, "an option has the probability 0")
		}
		return given(choice.Perplexities[choice.Position], true, "the chosen option has the probability 0")
	case detect.TokenEntropy:
		return given(trial.more().entropy, trial.more().listed,
			"the answer has no tokens, or not all list alternatives")
	case detect.SemanticEntropy:
		counts := &tally{}
		for _, d := range samples {
			counts.add(d)
		}
		x, ok := consistency.Entropy(counts.counts)
		return given(x, ok && len(samples) > 1, "fewer than two samples are scored")
	case detect.SampleDisagreement:
		if !trial.class.Compares() {
			return detect.Outcome{Reason: "the answer could not be graded, so it cannot be compared with the samples"}
		}
		x, ok := detect.DisagreementOf(trial.class, samples)
		return given(x, ok, "no sample is scored")
	}
	return p.followed(trial, name)
}

// followed scores an answer by what was replied when the model was asked about it.
func (p *Plan) followed(trial *trial, name string) detect.Outcome {
	asked := name
	if name == detect.SelfCheckPublished {
		asked = detect.SelfCheck
	}
	for _, f := range trial.more().follow {
		if f.detector != asked {
			continue
		}
		switch why := missing(f.record); {
		case why != "":
			return detect.Outcome{Reason: why}
		case name == detect.Surprisal:
			if len(f.record.Response.Cosines) != 1 {
				return detect.Outcome{Reason: "the response has no cosine"}
			}
			return detect.Outcome{Score: detect.SurprisalOf(f.record.Response.Cosines[0])}
		}
		yes, no := prompt.Yes, prompt.No
		if name == detect.PTrue {
			yes, no = prompt.True, prompt.False
		}
		first, y, n, ok := spelled(f.record.Response, yes, no)
		if name == detect.SelfCheckPublished { // the one spelling, and whatever else the model might have said
			if !ok {
				return detect.Outcome{Reason: noneListed}
			}
			return detect.Outcome{Score: 1 - first}
		}
		x, some := detect.DoubtOf(y, n)
		if !ok || !some {
			return detect.Outcome{Reason: noneListed}
		}
		return detect.Outcome{Score: x}
	}
	return detect.Outcome{Reason: emptyReply}
}

const noneListed = "none of the words that were asked for is among the likeliest"

// spelled returns the probabilities of the first spelling of yes, of all spellings of yes and of all of no: from
// their scores, or from the alternatives listed at the first token.
func spelled(r *model.Response, yes, no []string) (first, y, n float64, ok bool) {
	if len(r.Options) > 0 {
		if len(r.Options) != len(yes)+len(no) {
			return 0, 0, 0, false
		}
		for i, o := range r.Options {
			p := math.Exp(o.Sum())
			switch {
			case len(o.LogProbs) == 0:
				return 0, 0, 0, false
			case i < len(yes):
				y += p
			default:
				n += p
			}
		}
		return min(1, math.Exp(r.Options[0].Sum())), y, n, true
	}
	if len(r.Tokens) == 0 {
		return 0, 0, 0, false
	}
	for _, top := range r.Tokens[0].Top {
		word, p := strings.TrimSpace(top.Text), math.Exp(top.LogProb)
		if word == yes[0] {
			first += p
		}
		switch {
		case spells(word, yes):
			y += p
		case spells(word, no):
			n += p
		}
	}
	return min(1, first), y, n, y+n > 0
}

func spells(word string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(word, s) })
}
