package assay

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unique"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/seed"
	"hallmark/internal/base/shelf"
	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// A trial is one planned answer with its record and, once read, its grade.
type trial struct {
	spot
	stored   bool  // there is a record
	seen     bool  // it was read
	judged   bool  // judges are asked about it
	folded   bool  // its grade is a shape: whole has it
	longest  int32 // the bound of the answer, in tokens
	prompt   int32 // its tokens, estimated
	saidAt   int32 // where in the text stands what was read as the answer, where the grade is folded
	saidEnd  int32
	key      run.Key
	response *model.Response
	usage    unique.Handle[model.Usage] // of the response, where it was let go of: many answers took the same
	option   *int                       // that the model preferred, where options were scored
	grade    *grade.Grade               // once read
	class    answer.Form                // the answer as compared; zero where it is unscored
	text     shelf.Slot                 // where that of its response is kept, once it is
	few      *more                      // nil: it has nothing of that

	confidence float64 // of the grade, where it is folded
}

// more is what few trials have; a large run has hundreds of thousands of trials.
type more struct {
	// of an answer to the default prompt, where detectors ask about it or paraphrases stand in its place
	request  *model.Request
	options  []string                   // that the request has scored
	failure  string                     // why there is no response, "" where there is one
	form     answer.Form                // the answer as a node, where it is compared for semantic equivalence
	open     string                     // why its class is not known, though it was read
	opinions map[string][]grade.Opinion // the judges' replies about it
	entropy  float64                    // of its tokens, where they list alternatives
	listed   bool                       // they do
	follow   []followUp                 // what detectors asked about it
}

// first reports whether it is the answer to the default prompt.
func (s *spot) first() bool { return s.purpose == forVariant && s.variant.Number == 0 }

var nothing more

// more is what a trial has of it, to be read.
func (c *trial) more() *more {
	if c.few == nil {
		return &nothing
	}
	return c.few
}

// own is what a trial has of it, to be written.
func (c *trial) own() *more {
	if c.few == nil {
		c.few = new(more)
	}
	return c.few
}

// newTrial returns the trial of a planned answer. It keeps the request to the default prompt alone, and that only
// where more is asked about it: a large run has hundreds of thousands, each with its demonstrations.
func (p *Plan) newTrial(a planned) trial {
	x := trial{spot: a.spot, key: a.call.Key(), longest: int32(min(a.call.Request.MaxTokens, math.MaxInt32)),
		prompt: int32(min(run.PromptTokens(a.call.Request), math.MaxInt32))}
	if len(a.call.Request.Options) > 0 {
		x.own().options = a.call.Request.Options
	}
	if a.first() && (p.Has(Detection) || p.paraphrases() > 0) {
		x.own().request = new(a.call.Request)
	}
	return x
}

// release lets go of what only estimates read: of the response stays what a row shows.
func (c *trial) release() {
	if c.few != nil {
		c.few.request, c.few.opinions, c.few.follow = nil, nil, nil
	}
	if r := c.response; r != nil {
		c.response = nil
		if r.Retrieved != nil {
			c.response = &model.Response{Retrieved: r.Retrieved}
		}
	}
}

// letGo is release where all that is left to be read of the response is what it took.
func (c *trial) letGo() {
	r := c.response
	if r == nil || len(r.Tokens) > 0 || len(r.Options) > 0 {
		return
	}
	if r.Usage != (model.Usage{}) {
		c.usage = unique.Make(r.Usage)
	}
	c.release()
}

// took is what the response used.
func (c *trial) took() (u model.Usage) {
	switch {
	case c.usage != unique.Handle[model.Usage]{}:
		u = c.usage.Value()
	case c.response != nil:
		u = c.response.Usage
	}
	return u
}

// answer returns what a trial's record says, as graders read it and as it is shown.
func (p *Plan) answer(c *suite.Case, trial *trial) (a grade.Answer, text string) {
	switch {
	case !trial.stored && p.Imported != nil:
		return grade.Answer{Failure: "the imported files have no answer to it"}, ""
	case !trial.stored:
		return grade.Answer{Failure: notStored}, ""
	case trial.response == nil:
		return grade.Answer{Failure: trial.more().failure}, ""
	case len(trial.more().options) > 0:
		choice, err := p.choice(c, trial)
		if err != nil {
			return grade.Answer{Failure: err.Error()}, ""
		}
		i := prompt.OptionAt(*trial.variant, choice.Position)
		return grade.Answer{Option: &i, Opinions: trial.more().opinions}, c.Options[i]
	}
	r := trial.response
	if r.Text != nil {
		text = *r.Text
	}
	return grade.Answer{Text: r.Text, Finish: r.Finish, Order: trial.variant.OptionOrder,
		Opinions: trial.more().opinions}, text
}

// choice is the option that a trial's scores choose.
func (p *Plan) choice(c *suite.Case, trial *trial) (prompt.Choice, error) {
	stream := seed.Stream(p.Seed, "tie", c.ID, strconv.Itoa(trial.variant.Number))
	by := p.OptionScore
	if by == prompt.Characters && c.ShowOptions {
		by = prompt.Sum // of a letter, which is one character
	}
	return prompt.Choose(trial.response.Options, by, prompt.OptionsOf(c, *trial.variant), stream)
}

// readAll grades the records of a table and finds out which answers to a case are the same, on all cores; not where
// they were read before. It returns the forms that count as right, by case. It ends early where ctx does. With once
// nobody reads the responses again.
func (e *evaluation) readAll(ctx context.Context, rub *rubric.Rubric, s *suite.Suite, table [][]trial,
	once bool) [][]answer.Form {
	cases := e.plan.Covered(s)
	golds := make([][]answer.Form, cases.Len())
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			known := shapes{}
			for i := int(next.Add(1)) - 1; i < cases.Len() && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				c := cases.At(i)
				golds[i] = e.golds(rub, s, c)
				for k := range table[i] {
					e.texts.hold(&table[i][k])
					e.read(rub, c, golds[i], &table[i][k])
				}
				if e.given == nil {
					e.plan.unite(rub, c, golds[i], table[i])
				}
				for k := range table[i] {
					if once {
						e.done(&table[i][k], c, known)
					}
				}
			}
		})
	}
	workers.Wait()
	e.keepGolds(s, golds)
	return golds
}

// done lets go of what nobody reads again of an answer to a case.
func (e *evaluation) done(x *trial, c *suite.Case, known shapes) {
	text := x.said()
	if x.option != nil {
		text = c.Options[*x.option]
	}
	known.fold(x, text)
	e.texts.put(x)
	x.letGo()
}

// read grades a trial's record.
func (e *evaluation) read(rub *rubric.Rubric, c *suite.Case, golds []answer.Form, trial *trial) {
	if trial.seen {
		return
	}
	trial.seen = true
	a, text := e.plan.answer(c, trial)
	trial.option = a.Option
	if rub.Gradable(c) {
		trial.grade = new(rub.Grade(c, a))
	} else {
		trial.grade = new(e.plan.undecided(c, a, text))
	}
	if trial.grade.Reason == "" {
		trial.class = e.plan.class(golds, trial, text)
	}
}

// class returns the class of a scored answer for comparison over variants: the normal form of what the oracle read
// in it, or an act. An answer that passes in a form that is none of the golds' is of the first gold's class, so
// that no figure calls an answer wrong that the oracle accepts. One that could not be graded is of none:
// answer.Ungradable. Which of these are the same answer all the same is for unite to say.
func (p *Plan) class(golds []answer.Form, trial *trial, text string) answer.Form {
	g := trial.grade
	normal := g.Normal
	switch {
	case normal == answer.RightAct || normal == answer.Declined || normal == answer.Empty:
		return normal
	case g.Act == grade.Hedged:
		return answer.Hedged
	case g.Outcome() == grade.CannotGrade:
		return answer.Ungradable
	}
	if rel := p.relation(); rel != "" {
		normal = cmp.Or(oracle.Normal(rel, text), answer.Ungradable)
	}
	passes := g.Truth.Verdict == grade.Pass && g.Decidability.Verdict == grade.Pass
	if passes && !slices.Contains(golds, normal) {
		for _, gold := range golds {
			if gold != answer.RightAct {
				return gold
			}
		}
	}
	return normal
}

// add puts a trial's answer into a consistency case, or counts it as unscored or ungradable.
func (p *Plan) add(c *consistency.Case, trial *trial, number int) error {
	switch {
	case trial.class.IsZero():
		return c.AddUnscored(number)
	case trial.class == answer.Ungradable:
		return c.AddUngradable(number)
	}
	return c.Add(number, consistency.Answer{Form: trial.class, Retrieved: p.retrieved(trial)})
}

// A tally counts answers by class, and how many were asked for.
type tally struct {
	asked   int
	classes []answer.Form
	counts  []int
}

// add counts an answer, and returns the place of its class; -1 where it is unscored or could not be graded, which is of
// none.
func (t *tally) add(class answer.Form) int {
	t.asked++
	if !class.Compares() {
		return -1
	}
	i := slices.Index(t.classes, class)
	if i < 0 {
		i = len(t.classes)
		t.classes, t.counts = append(t.classes, class), append(t.counts, 0)
	}
	t.counts[i]++
	return i
}

// mostShapes bounds the grades that one worker knows to be shared.
const mostShapes = 1024

// shapes are grades without what each answer has of its own, by themselves: a large run has few.
type shapes map[grade.Grade]*grade.Grade

// What stands in a shape for an evidence that quotes the answer, as it was read or whole.
const quotesAnswer, quotesText = "\x00answer", "\x00text"

// quote is how graders quote.
func quote(s string) string { return "“" + evidence.Excerpt(s, 160) + "”" }

// fold has a trial share its grade with others where what it has of its own can be made from its answer: whole has
// it. The outcome, the act, the rules and why it is unscored can be read of the shape. A grade that cannot be
// folded stays.
func (s shapes) fold(c *trial, text string) {
	g := *c.grade
	at := strings.Index(text, g.Answer)
	if at < 0 || g.Normal != c.class {
		return
	}
	said := text[at : at+len(g.Answer)]
	for _, j := range g.Axes() {
		switch {
		case j.Evidence == "":
		case j.Evidence == quote(said):
			j.Evidence = quotesAnswer
		case j.Evidence == quote(text):
			j.Evidence = quotesText
		default:
			return
		}
	}
	confidence := g.Confidence
	g.Answer, g.Normal, g.Confidence = "", answer.Form{}, 0
	shared := s[g]
	if shared == nil {
		if len(s) >= mostShapes {
			return
		}
		shared = &g
		s[g] = shared
	}
	c.grade, c.folded, c.confidence = shared, true, confidence
	c.saidAt, c.saidEnd = int32(at), int32(at+len(said))
}

// unfolded returns the grade of a trial that said text with all that is in it.
func (c *trial) unfolded(text string) *grade.Grade {
	if !c.folded {
		return c.grade
	}
	g := *c.grade
	g.Answer, g.Normal, g.Confidence = text, c.class, c.confidence
	if int(c.saidEnd) <= len(text) { // it is not, where the text could not be read back
		g.Answer = text[c.saidAt:c.saidEnd]
	}
	for _, j := range g.Axes() {
		switch j.Evidence {
		case quotesAnswer:
			j.Evidence = quote(g.Answer)
		case quotesText:
			j.Evidence = quote(text)
		}
	}
	return &g
}
