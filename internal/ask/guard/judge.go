package guard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/text/evidence"
)

// A judging is one request on its way through the layers.
type judging struct {
	c   Config
	q   *query
	ctx context.Context
	ask asker

	calls    int
	usage    model.Usage
	said     string              // the name that the server gave the model inside, where it gave one
	seen     map[string]*reading // answers that were read, by text
	variants []*reading          // answers to the question in its own wording and in others, for the vote
	direct   *reading            // the answer to the question behind a claim; nil if there is none
	chain    *Chain              // of the model's own answer; nil if it gave none
}

// A draft is a candidate answer with what speaks against it.
type draft struct {
	*reading
	objections []Objection
	response   model.Response // where it is the model's
}

// run answers the request.
func (j *judging) run(req model.Request) (model.Response, error) {
	own, others, err := j.first(req)
	if err != nil {
		return model.Response{}, err
	}
	if own.Text == nil || own.Finish == model.FinishContentFilter {
		return j.finish(own, &Trace{Act: Unguarded, Reason: "the model gave no text"}), nil
	}
	drafts := j.drafts(own, others)
	objections := drafts[0].objections
	t := &Trace{Chain: j.chain}
	for _, f := range objections {
		t.Failed = append(t.Failed, f.Test)
	}
	t.show(drafts...)
	if len(objections) == 0 {
		t.Act = Passed
		return j.finish(own, t), nil
	}
	t.Reason = objections[0].Reason
	if j.c.on(Adjudication) && j.q.ambiguous != "" {
		// What is asked back is certain, so no answer that also happens to ask is looked for.
		t.Act = Asked
		return j.say(j.q.askBack(), t), nil
	}
	// An answer that asserts something is looked for; to withhold one is what is left, and then the reason is the
	// guard's.
	for _, d := range drafts[1:] {
		if len(d.objections) == 0 && !d.abstains() {
			t.Act = Replaced
			return j.finish(d.response, t), nil
		}
	}
	if j.c.on(Adjudication) {
		repaired, err := j.repair(req, drafts[0], t)
		if err != nil {
			return model.Response{}, err
		}
		if repaired != nil {
			t.Act = Repaired
			return j.finish(repaired.response, t), nil
		}
	}
	if j.c.on(Correction) {
		if fixed := j.correct(drafts, t); fixed != nil {
			t.Act = Corrected
			return j.say(fixed.text, t), nil
		}
	}
	t.Act = Abstained
	return j.say("I cannot verify an answer: "+objections[0].public+".", t), nil
}

// drafts are the model's own answer and, where several are weighed, the others that differ from those before them.
func (j *judging) drafts(own model.Response, others []other) []*draft {
	drafts := []*draft{j.draft("answer", own)}
	if !j.c.on(Adjudication) {
		return drafts
	}
	for _, o := range others {
		r := j.read(o.from, *o.response.Text)
		if !slices.ContainsFunc(drafts, func(d *draft) bool {
			return d.text == r.text || d.key == r.key && len(d.cites) == len(r.cites) && d.core() == r.core()
		}) {
			drafts = append(drafts, j.draft(o.from, o.response))
		}
	}
	return drafts
}

// correct returns the first answer that a test established against a draft and that holds itself, nil if there is
// none.
func (j *judging) correct(drafts []*draft, t *Trace) *draft {
	for _, d := range drafts {
		for _, f := range d.objections {
			if f.fix == "" {
				continue
			}
			fixed := &draft{reading: j.q.read("correction", f.fix)}
			fixed.objections = j.judge(fixed.reading, true)
			t.show(fixed)
			if len(fixed.objections) == 0 {
				return fixed
			}
		}
	}
	return nil
}

// show adds drafts to the candidates that were judged.
func (t *Trace) show(drafts ...*draft) {
	for _, d := range drafts {
		t.Candidates = append(t.Candidates, Candidate{d.from, excerpt(d.text), d.objections})
	}
}

// An other is an answer beside the model's own.
type other struct {
	from     string
	response model.Response
}

// first asks for the model's own answer and, in the same batch, for all that can be asked without knowing it.
func (j *judging) first(req model.Request) (own model.Response, others []other, err error) {
	reqs := []model.Request{req}
	var from []string
	var take []func(other)
	add := func(name string, r model.Request, to func(other)) {
		reqs, from, take = append(reqs, r), append(from, name), append(take, to)
	}
	put := func(question string) model.Request {
		r := req
		r.Prompt = j.q.prompt(question)
		return r
	}
	candidate := func(o other) { others = append(others, o) }
	if j.c.on(Operational) {
		for i, p := range Variants(j.q.question, j.c.Phrasings) {
			add("wording "+strconv.Itoa(i+1), put(p), func(o other) {
				j.variants = append(j.variants, j.read(o.from, *o.response.Text))
				candidate(o)
			})
		}
	}
	if j.c.on(Logical) && j.q.claim.text != "" {
		add("direct", put(j.q.claim.direct()), func(o other) { j.direct = j.read(o.from, *o.response.Text) })
	}
	if j.c.on(ChainLayer) {
		add("chain", put(j.q.question+chainRequest), func(o other) {
			if c, ok := ParseChain(*o.response.Text); ok {
				j.chain = &c
			}
		})
	}
	if j.c.on(Adjudication) {
		for i := 1; i < j.c.Candidates; i++ {
			add("draw "+strconv.Itoa(i), j.draw(req, i), candidate)
		}
	}
	results, err := j.inner(reqs)
	if err != nil {
		return own, nil, err
	}
	if results[0].Err != nil {
		return own, nil, results[0].Err
	}
	own = results[0].Response
	if own.Text != nil {
		j.variants = append(j.variants, j.read("answer", *own.Text))
	}
	for i, r := range results[1:] {
		if r.Err == nil && r.Response.Text != nil { // else the model's final word on that wording: it has none
			take[i](other{from[i], r.Response})
		}
	}
	return own, others, nil
}

// draw is a request for another answer to the same question, drawn at random.
func (j *judging) draw(r model.Request, i int) model.Request {
	r.Temperature = cmp.Or(r.Temperature, 1)
	base := ""
	if r.Seed != nil {
		base = strconv.FormatInt(*r.Seed, 10)
	}
	// servers take 53 bits safely
	r.Seed = new(int64(seed.Derive(j.c.Seed, "guard", "draw", strconv.Itoa(i), base) >> 12))
	return r
}

// inner asks the model inside. A failure that may pass, or a budget without room, fails the whole, so that the same
// is tried again and decided on the same answers; a final one is the result of its request.
func (j *judging) inner(reqs []model.Request) ([]model.Result, error) {
	results := j.ask(j.ctx, reqs)
	for _, r := range results {
		if err := r.Err; err != nil && (errors.Is(err, model.ErrTransient) || errors.Is(err, model.ErrGone) ||
			errors.Is(err, model.ErrBudget) || j.ctx.Err() != nil) {
			return nil, err
		}
	}
	for _, r := range results {
		j.calls++
		j.said = cmp.Or(r.Response.Model, j.said)
		j.usage = j.usage.Plus(r.Response.Usage)
	}
	return results, nil
}

// read reads an answer, once for each text.
func (j *judging) read(from, text string) *reading {
	r := j.seen[text]
	if r == nil {
		r = j.q.read(from, text)
		j.seen[text] = r
	}
	again := *r
	again.from = from
	return &again
}

// draft reads and judges an answer of the model.
func (j *judging) draft(from string, resp model.Response) *draft {
	r := j.read(from, *resp.Text)
	return &draft{r, j.judge(r, false), resp}
}

// judge lists what speaks against an answer. One that a test settled is not put to the vote of the prompt variants.
func (j *judging) judge(r *reading, settled bool) []Objection {
	var all []Objection
	add := func(f *Objection) {
		if f != nil {
			all = append(all, *f)
		}
	}
	for _, test := range []struct {
		name    string
		applies bool
		check   func(*reading) *Objection
	}{
		{Categorical, !r.abstains(), j.categorical}, {Logical, true, j.logical}, {Empirical, true, j.empirical},
		{Operational, true, func(r *reading) *Objection { return j.operational(r, settled) }},
		{Reciprocity, true, j.reciprocity}, {ChainLayer, !settled, j.chained}, {Adjudication, true, j.decidable},
	} {
		if j.c.on(test.name) && test.applies {
			add(test.check(r))
		}
	}
	if f := j.reciprocity(r); f != nil && j.c.on(Adjudication) && !j.c.on(Reciprocity) {
		f.Test = Adjudication
		add(f)
	}
	return all
}

// decidable: a determinate answer where the question determines one; where a name in it has several bearers, asking
// which, or naming them.
func (j *judging) decidable(r *reading) *Objection {
	q := j.q
	switch {
	case q.ambiguous != "":
		return q.undecided(r)
	case len(r.t.Words) == 0:
		return fails(Adjudication, undetermined, "the answer is empty")
	case q.sum.value != nil && r.abstains():
		return fails(Adjudication, undetermined, "the question holds all that its answer needs: %s",
			q.sum.shown).fixed(q.sum.shown)
	case r.abstains():
		return nil
	}
	if _, evades := r.t.Cue(r.t.Whole(), evidence.Evades); evades && !r.apart {
		return fails(Adjudication, undetermined, "“%s” commits to nothing", r.text)
	}
	if orPattern.MatchString(strings.ToLower(q.question)) || q.want == anything || len(r.content) > 2*shortAnswer ||
		len(r.content) == 0 {
		return nil
	}
	i := slices.IndexFunc(r.t.Words, func(w evidence.Word) bool { return w.Fold == r.content[0] })
	if i >= 0 && r.t.Alternative(evidence.Span{Start: i, End: i + 1}) {
		return fails(Adjudication, undetermined, "“%s” gives several answers", r.text)
	}
	return nil
}

// undecided: where a name in the question has several bearers, an answer asks which is meant, or names them.
func (q *query) undecided(r *reading) *Objection {
	if r.asks || r.apart || r.rejects {
		return nil
	}
	named := 0
	for _, e := range q.bearers {
		if r.holds(e.Name) && q.fuller(e) || e.About != "" && r.holds(e.About) {
			named++
		}
	}
	if named >= 2 {
		return nil
	}
	return fails(Adjudication, undetermined, "“%s” may be %s, and “%s” does not say which", q.ambiguous,
		strings.Join(q.labels(), " or "), r.core())
}

// fuller reports whether the name of a bearer has more words than the ambiguous one.
func (q *query) fuller(e *Entity) bool {
	return len(evidence.Phrase(e.Name)) > len(evidence.Phrase(q.ambiguous))
}

// labels name the bearers of an ambiguous name, so that they can be told apart.
func (q *query) labels() []string {
	var labels []string
	for _, e := range q.bearers {
		label := e.Name
		switch {
		case q.fuller(e):
		case e.About != "":
			label = e.About
		case e.Kind != "":
			label = "the " + e.Kind
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) > 8 {
		labels = append(labels[:8], "another")
	}
	return labels
}

// askBack is the question for the bearer that is meant.
func (q *query) askBack() string {
	labels := q.labels()
	if len(labels) < 2 {
		return "Which " + q.ambiguous + " do you mean?"
	}
	return "Which " + q.ambiguous + " do you mean, " + strings.Join(labels[:len(labels)-1], ", ") + " or " +
		labels[len(labels)-1] + "?"
}

// repair gives the reasons back to the model, and returns its new answer once that holds.
func (j *judging) repair(req model.Request, bad *draft, t *Trace) (*draft, error) {
	turns := slices.Clone(req.Messages)
	prompt := req.Prompt
	for i := range j.c.Repairs {
		reasons := lists.Map(bad.objections, func(f Objection) string { return f.Reason })
		turns = append(turns, model.Message{Role: "user", Text: prompt},
			model.Message{Role: "assistant", Text: bad.text})
		prompt = j.q.prompt("That answer does not hold: " + strings.Join(reasons, "; ") +
			". Answer again, or say that you do not know. " + j.q.question)
		again := req
		again.Messages, again.Prompt = slices.Clone(turns), prompt
		results, err := j.inner([]model.Request{again})
		if err != nil {
			return nil, err
		}
		if results[0].Err != nil || results[0].Response.Text == nil {
			return nil, nil
		}
		d := j.draft("repair "+strconv.Itoa(i+1), results[0].Response)
		t.show(d)
		switch {
		case d.abstains():
			return nil, nil // the guard says why itself
		case len(d.objections) == 0:
			return d, nil
		}
		bad = d
	}
	return nil, nil
}

// finish returns a response of the model as the guard's.
func (j *judging) finish(resp model.Response, t *Trace) model.Response {
	t.Calls = j.calls
	resp.Raw, resp.Usage, resp.Tokens, resp.Model = t.json(), j.usage, nil, j.said
	return resp
}

// say returns a text of the guard's own.
func (j *judging) say(text string, t *Trace) model.Response {
	return j.finish(model.Response{Text: &text, Finish: model.FinishStop}, t)
}
