package assay

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/answer"
	"hallmark/internal/method"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// Added are the methods that stand in packages of their own, each entered here in one line.
var Added = []method.Method{scored.Method{}}

// Methods lists the methods of this release that can be asked for; that of the scores which came along with answers
// comes with them.
func Methods() []string {
	names := []string{Rubric, Consistency, Detection, Posterior}
	for _, m := range Added {
		if m.Name() != scored.Name {
			names = append(names, m.Name())
		}
	}
	return names
}

// AddedMethod returns the added method of a name, nil where there is none.
func AddedMethod(name string) method.Method {
	for _, m := range Added {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// added returns the added methods that the plan asks for.
func (p *Plan) added() (list []method.Method) {
	for _, m := range Added {
		if p.Has(m.Name()) {
			list = append(list, m)
		}
	}
	return list
}

// A walk is an added method on its way through one model and suite.
type walk struct {
	method.Method
	table *method.Table
	known map[run.Key]*run.Record // of the calls that it wanted: a failure where none is stored
	took  []spent                 // by those, in their order
}

// walk begins the way of a method over the answers of one model to one suite. These are not read, but by an evaluation.
func (p *Plan) walk(m method.Method, of Subject, s *suite.Suite, table [][]cell) *walk {
	w := &walk{Method: m, known: map[run.Key]*run.Record{}}
	w.table = &method.Table{
		Model: of.Name(), Identity: of.Identity, Sampling: of.Sampling, Suite: s.Name, Seed: p.Seed, Level: level,
		Scores: p.Imported.scores(),
		Cases:  p.answered(s, table),
		Record: func(c run.Call) *run.Record { return w.known[c.Key()] },
	}
	return w
}

// maxWaves bounds how often a method may want more calls of one table.
const maxWaves = 1000

// on goes on until the method has all: it calls ask, which may be nil, with each wave of calls, and then takes
// their records from the store.
func (w *walk) on(ctx context.Context, store run.Store, ask func([]run.Call) error) error {
	for range maxWaves {
		var fresh run.Fresh
		calls := slices.DeleteFunc(fresh.Of(slices.Collect(w.Next(w.table))), func(c run.Call) bool {
			return w.known[c.Key()] != nil
		})
		if len(calls) == 0 {
			return nil
		}
		if ask != nil {
			if err := ask(calls); err != nil {
				return err
			}
		}
		records, err := run.Records(ctx, store, calls)
		if err != nil {
			return err
		}
		for i, r := range records {
			key := calls[i].Key()
			if r == nil {
				r = &run.Record{Call: calls[i], Failure: notStored}
			} else if r.Response != nil {
				w.took = append(w.took, spent{key, r.Response.Usage})
			}
			w.known[key] = r
		}
	}
	return fmt.Errorf("--method %s: it wanted more calls %d times; it is at fault, please report it", w.Name(),
		maxWaves)
}

// answered are the cases of a suite with the answers of a table.
func (p *Plan) answered(s *suite.Suite, table [][]cell) iter.Seq[method.Case] {
	cases := p.cases(s)
	clusters := suite.Clusters(cases, s.Cluster)
	return func(yield func(method.Case) bool) {
		for ci := range table {
			out := method.Case{Case: cases.At(ci), Answers: make([]method.Answer, 0, len(table[ci]))}
			if clusters != nil {
				out.Cluster = clusters[ci]
			}
			var classes []answer.Form
			for i := range table[ci] {
				x := &table[ci][i]
				a := method.Answer{
					Use: uses[x.purpose], Variant: x.variant.Number, Repeat: int(x.repeat),
					Prompt: x.variant.Question(out.Case), Response: x.response, Grade: x.grade,
				}
				read, text := p.answer(out.Case, x)
				if a.Missing = read.Missing(); a.Missing == "" {
					a.Text = text
				}
				if x.class.Compares() {
					at := slices.Index(classes, x.class)
					if at < 0 {
						at = len(classes)
						classes = append(classes, x.class)
					}
					a.Class = at + 1
				}
				out.Answers = append(out.Answers, a)
			}
			if !yield(out) {
				return
			}
		}
	}
}

// askAdded has all asked that added methods want of every model and suite.
func (p *Plan) askAdded(ctx context.Context, store run.Store, ask func(Wave) error) error {
	return p.eachAdded(ctx, store, func(m method.Method, of Subject, w *walk, _ [][]cell) error {
		if of.Replayed {
			return nil
		}
		return w.on(ctx, store, func(calls []run.Call) error {
			return ask(Wave{For: m.Name(), Calls: slices.Values(calls)})
		})
	})
}

// eachAdded visits the added methods of the plan with the answers that are stored, which were not read.
func (p *Plan) eachAdded(ctx context.Context, store run.Store,
	visit func(method.Method, Subject, *walk, [][]cell) error) error {
	methods := p.added()
	if len(methods) == 0 {
		return nil
	}
	e := &evaluation{plan: p}
	if _, err := e.layOut(); err != nil {
		return err
	}
	for i, table := range e.tables {
		if err := fetch(ctx, store, table); err != nil {
			return err
		}
		for _, m := range methods {
			of, s := p.Models[i/len(p.Suites)], p.Suites[i%len(p.Suites)]
			if err := visit(m, of, p.walk(m, of, s, table), table); err != nil {
				return err
			}
		}
		e.tables[i] = nil
	}
	return nil
}

// added counts the calls of added methods; what depends on answers that are not there is bounded.
func (f *forecast) added(ctx context.Context) error {
	return f.eachAdded(ctx, f.store, func(m method.Method, of Subject, w *walk, table [][]cell) error {
		if of.Replayed {
			return nil
		}
		if err := w.on(ctx, f.store, nil); err != nil {
			return err
		}
		missing := 0 // calls of which more may follow
		for key, r := range w.known {
			if r.Failure == notStored {
				missing++
			}
			f.countKey(m.Name(), of.Name(), key, run.PromptTokens(r.Call.Request), r.Call.Request.MaxTokens,
				r.Failure != notStored)
		}
		answers := 0
		for _, cells := range table {
			answers += len(cells)
		}
		if rest := answers*m.Most() - len(w.known); rest > 0 && (missing > 0 || lacking(table)) {
			f.bound(m.Name(), of.Name(), rest, model.Request{Prompt: "", MaxTokens: f.MaxTokens},
				f.longestPrompt(table)+f.MaxTokens)
		}
		return nil
	})
}

// lacking reports whether an answer of a table is not there.
func lacking(table [][]cell) bool {
	return slices.ContainsFunc(table, func(cells []cell) bool {
		return slices.ContainsFunc(cells, func(x cell) bool { return !x.stored })
	})
}

// longestPrompt is the longest prompt of a table, in tokens.
func (f *forecast) longestPrompt(table [][]cell) (tokens int) {
	for _, cells := range table {
		for i := range cells {
			tokens = max(tokens, int(cells[i].prompt))
		}
	}
	return tokens
}

// measure has the added methods estimate.
func (x *sitting) measure(ctx context.Context, store run.Store) error {
	for _, m := range x.plan.added() {
		w := x.plan.walk(m, x.model, x.suite, x.table)
		if err := w.on(ctx, store, nil); err != nil {
			return err
		}
		result, err := m.Estimate(w.table)
		if err != nil {
			return fmt.Errorf("--method %s: suite %s: %w", m.Name(), x.suite.Name, err)
		}
		if result != nil {
			if x.out.Measured == nil {
				x.out.Measured = map[string]method.Result{}
			}
			x.out.Measured[m.Name()] = result
		}
		x.took = append(x.took, w.took...)
	}
	return nil
}
