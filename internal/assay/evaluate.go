package assay

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/evidence"
)

// An Assay is an evaluated run: its result document and the table behind it.
type Assay struct {
	Document Document
	Cases    CaseTable
	// Pairs are the pairs of answers that were compared for semantic equivalence, as people are shown them.
	Pairs []annotate.Item
	// Standings are how the cases stood in consistency, in each model and suite, in the plan's order: what pairs runs.
	Standings [][]consistency.Standing
	// Doubts are those of the run's warnings that its answers gave rise to: a server answered by another model than
	// it was asked for, or a key was blotted out of answers.
	Doubts []string
	// ReadAs is the grading version that had read the answers of a bundle before they were read anew here; "" where
	// that was not so.
	ReadAs string
	// Asked is when the store says that the run was begun, for pages; zero where none says so. It is in no document.
	Asked time.Time
}

// level is the confidence of every interval of a run.
const level = .95

// notStored is the reason of an answer whose call has no record.
const notStored = language.NotStored

// missing says why a record has no response, "" where it has one.
func missing(r *run.Record) string {
	switch {
	case r == nil:
		return notStored
	case r.Response == nil:
		return r.Failure
	}
	return ""
}

// Evaluate computes everything a run reports from its plan and the stored records. It calls no model. Calls without a
// record are unscored.
func Evaluate(ctx context.Context, store run.Store, p *Plan, version string) (*Assay, error) {
	return evaluateWith(ctx, store, p, version, &evaluation{})
}

// See evaluates a plan as Evaluate does, and passes the answers of each model to each suite, as they were read, to see.
func See(ctx context.Context, store run.Store, p *Plan, version string, see func(*method.Table) error) error {
	_, err := evaluateWith(ctx, store, p, version, &evaluation{see: see})
	return err
}

func evaluateWith(ctx context.Context, store run.Store, p *Plan, version string, e *evaluation) (*Assay, error) {
	notes, err := p.Validate()
	if err != nil {
		return nil, err
	}
	names := answeredBy{}
	store = run.Watch(store, names.note)
	if err := p.Reword(ctx, store); err != nil {
		return nil, err
	}
	e.plan, e.id, e.store = p, p.ID(), store
	if e.texts == nil {
		e.texts = &texts{}
	}
	e.beginAcross()
	if e.annotations, err = store.Annotations(ctx, e.id); err != nil {
		return nil, err
	}
	planNotes, err := e.layOut()
	if err != nil {
		return nil, err
	}
	for _, m := range p.Models {
		if m.Sampling {
			planNotes = append(planNotes,
				m.Ref+" refuses temperature 0: its answers are samples, and part of their instability is not the "+
					"prompt's")
		}
	}
	out := &Assay{Document: Document{Run: runInfo(p, version, append(notes, planNotes...)), Grading: e.grading(),
		Statistics: Statistics{StatisticsVersion}}}
	for mi, m := range p.Models {
		result := ModelResult{Model: m.Name(), Identity: m.Identity, Greedy: !m.Sampling, Unscored: []Unscored{}}
		if len(p.Suites) > 1 {
			result.Suites = map[string]*SuiteResult{}
		}
		took := &spending{}
		for si, s := range p.Suites {
			at := mi*len(p.Suites) + si
			x, err := e.sit(m, s, e.tables[at], took)
			if err != nil {
				return nil, err
			}
			if err := x.evaluate(ctx); err != nil {
				return nil, err
			}
			out.add(x)
			result.add(x)
			e.tables[at] = nil
		}
		result.Tokens, result.USD = took.tokens, took.usd
		out.Document.Models = append(out.Document.Models, result)
	}
	for _, s := range p.steps() {
		if s.finish != nil {
			if err := s.finish(e, ctx, &out.Document); err != nil {
				return nil, err
			}
		}
	}
	if e.blotted > 0 {
		note(&out.Doubts, "answers that could not be graded, as a key was blotted out of them: %d; a .env that came "+
			"with the folder may hold a key that is made of right answers: look whose it is", e.blotted)
	}
	if e.long > 0 {
		note(&out.Doubts, "answers of more than %d bytes, of which the middle is not read: %d; where what is read is "+
			"not right, they could not be graded", 2*evidence.Limit, e.long)
	}
	out.Doubts = append(out.Doubts, names.warnings(p)...)
	out.Document.Run.Warnings = append(out.Document.Run.Warnings, out.Doubts...)
	out.Document.Incomplete = out.Document.incomplete()
	return out, nil
}

// layOut makes the tables of planned answers.
func (e *evaluation) layOut() (notes []string, err error) {
	p := e.plan
	e.tables = make([][][]trial, len(p.Models)*len(p.Suites))
	for i := range e.tables {
		e.tables[i] = make([][]trial, p.Covered(p.Suites[i%len(p.Suites)]).Len())
	}
	all, notes, err := p.answers(true)
	if err != nil {
		return nil, err
	}
	for a := range all {
		t := e.tables[int(a.model)*len(p.Suites)+int(a.suite)]
		t[a.item] = append(t[a.item], p.newTrial(a))
	}
	return notes, nil
}

// eachTrial visits the planned answers of a table, each with the place of its case.
func eachTrial(table [][]trial) iter.Seq2[int, *trial] {
	return func(yield func(int, *trial) bool) {
		for ci, trials := range table {
			for i := range trials {
				if !yield(ci, &trials[i]) {
					return
				}
			}
		}
	}
}

// setIn sets a value in a map that is made with its first.
func setIn[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

func runInfo(p *Plan, version string, notes []string) RunInfo {
	info := RunInfo{
		ID: p.ID(), Seed: p.Seed, AsOf: p.AsOf, Version: version, Methods: p.Methods, Tau: p.Tau, Sampled: p.Sampled,
		Equal: p.Equal, Choices: p.Choices, Retrieval: p.Retrieval.info(), Command: p.command(),
		Warnings: append([]string{}, notes...), Imported: p.from().Sources,
	}
	for i, s := range p.Suites {
		file := ""
		if i < len(p.SuiteFiles) {
			file = p.SuiteFiles[i]
		}
		info.Suites = append(info.Suites, SuiteInfo{s.Name, s.Version, string(s.Hash()), p.Covered(s).Len(), file})
		if info.AsOf == "" && len(p.Suites) == 1 {
			info.AsOf = s.AsOf
		}
	}
	for _, v := range p.Variants {
		setIn(&info.Variants, string(v.Kind), v.N)
	}
	return info
}

// mostKeys bounds the keys that are laid out at a time.
const mostKeys = 1 << 14

// fetch fills in the records of a table, where so said with the scores that came along with imported answers: they
// stand in the place of a body.
func (e *evaluation) fetch(ctx context.Context, table [][]trial, scores bool) error {
	puts := e.puts()
	var some []*trial
	var keys []run.Key
	look := func() error {
		err := run.EachKey(run.Bare(ctx, !scores), e.store, keys, func(i int, r *run.Record) error {
			some[i].take(r)
			e.keeping.note(keys[i], r)
			if scores && r != nil && r.Response != nil {
				some[i].response.Raw = r.Response.Raw
			}
			if puts {
				e.texts.put(some[i])
			}
			return e.texts.Err()
		})
		some, keys = some[:0], keys[:0]
		return err
	}
	for _, c := range eachTrial(table) {
		if some, keys = append(some, c), append(keys, c.key); len(keys) == mostKeys {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}

// take takes from its record, nil where there is none, what estimates read.
func (c *trial) take(r *run.Record) {
	if r == nil {
		return
	}
	if c.stored = true; r.Failure != "" {
		c.own().failure = r.Failure
	}
	if r.Response == nil {
		return
	}
	kept := *r.Response // equal calls share it
	if entropy, listed := detect.TokenEntropyOf(kept.Tokens); listed {
		c.own().entropy, c.own().listed = entropy, true
	}
	// of the body and the alternatives, which are many, none reads more
	kept.Raw, kept.Tokens = nil, slices.Clone(kept.Tokens)
	for i := range kept.Tokens {
		kept.Tokens[i].Top = nil
	}
	c.response = &kept
}

// An evaluation is a run in its evaluation.
type evaluation struct {
	plan    *Plan
	store   run.Store
	given   *recalled                 // what was read before, in place of a reader; nil: answers are read
	kept    *Readings                 // where readings are kept; nil: nowhere
	keeping *keeping                  // nil: readings are neither taken from the store nor kept there
	see     func(*method.Table) error // is passed the answers that were read; nil: nobody
	tables  [][][]trial
	texts   *texts // of the answers

	id          string // of the run
	annotations []run.Annotation

	// Of the sittings so far.
	cells  []*GridCell
	across map[string]*detect.Table // by suite; nil with one model
	mixed  map[string]string        // by suite: what to say of a detector that measures two things in it
	names  map[string]string        // of the models there, by identity
	parts  []*sweepPart             // nil where there is no sweep

	anchors []Anchored // what judges made of them; nil until they were read
	blotted int        // answers out of which a key was blotted
	long    int        // answers that are too long to be read whole
}

// WholeAnswer is the axis of an answer that is missing.
const WholeAnswer = "all"

// Shape evaluates a plan of which nothing was asked: the document has the keys that the run's will have, and no
// figures.
func Shape(ctx context.Context, p *Plan, version string) (*Assay, error) {
	return Evaluate(ctx, inmemory.New(), p, version)
}

// answeredBy notes, of records as they are read, the names that servers gave their models, by the identity that was
// asked.
type answeredBy map[string]map[string]int

func (a answeredBy) note(_ run.Key, r *run.Record) {
	if r.Response == nil || r.Response.Model == "" {
		return
	}
	said := a[r.Call.Model]
	setIn(&said, r.Response.Model, said[r.Response.Model]+1)
	a[r.Call.Model] = said
}

// warnings says of each model of the plan that others answered for it, and which.
func (a answeredBy) warnings(p *Plan) (list []string) {
	subjects := slices.Clone(p.Models)
	for _, m := range p.Helpers() {
		subjects = append(subjects, *m)
	}
	if p.Equivalence != nil {
		subjects = append(subjects, p.Equivalence.Model)
	}
	done := map[string]bool{}
	for _, s := range subjects {
		if done[s.Identity] {
			continue
		}
		done[s.Identity] = true
		asked := askedName(s.Ref)
		for _, said := range slices.Sorted(maps.Keys(a[s.Identity])) {
			if model.OtherModel(asked, said) {
				note(&list, "%s was asked for %q, and the server says that %q answered", s.Ref, asked, said)
			}
		}
	}
	return list
}

// askedName returns the name by which a reference asks a server for its model; "" where it asks for none.
func askedName(text string) string {
	if rest, ok := strings.CutPrefix(text, string(model.Replay)+":"); ok {
		_, text, _ = strings.Cut(rest, " ") // behind the run's id
	}
	ref, err := model.ParseRef(text)
	if err != nil {
		return ""
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic:
		return ref.Name
	}
	return ""
}
