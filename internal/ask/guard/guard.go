// Package guard is the constraint layer: a model.Model around a model.Model that answers only what holds. It has three
// layers, each of which can be switched off: five truth tests, a chain of claim, evidence and conclusion, and the
// adjudication of several candidate answers, with repair and abstention. docs/guard.md describes it.
//
// It sees what a deployment sees: the request, its own inventory of what is known to exist (Inventory), and the
// answers of the model inside. It never sees a case, a reference answer, an oracle or a world; package house
// forbids it the imports.
//
// An answer is a function of the request, the configuration and the inner answers, and of nothing else, so that with
// recorded inner calls it is the same bytes at any concurrency and after any crash.
package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/model"
)

// version is part of the identity: a change of any rule of the guard changes it.
const version = "2"

// The layers, the tests and the parts that can be switched off, by name.
const (
	TestLayer    = "tests"        // the five truth tests together
	ChainLayer   = "chain"        // claim, evidence, conclusion
	Adjudication = "adjudication" // candidates, repair, abstention with a question

	Categorical = "categorical" // the answer is of the type that the question asks for
	Logical     = "logical"     // its claims contradict neither each other nor the context
	Empirical   = "empirical"   // quotes and identifiers are found in the context or the inventory
	Operational = "operational" // arithmetic redone; the question asked again gives the same
	Reciprocity = "reciprocity" // nothing is asserted without the evidence that is asked for

	Correction = "correction" // of adjudication: what a test itself establishes takes the answer's place
)

// Layers are the three layers in their order.
var Layers = []string{TestLayer, ChainLayer, Adjudication}

// Tests are the five truth tests in their order.
var Tests = []string{Categorical, Logical, Empirical, Operational, Reciprocity}

// Switches are all names that Config.Off may hold.
var Switches = append(append(slices.Clone(Layers), Tests...), Correction)

// Config says what the guard does. All of it is part of the guard's identity.
type Config struct {
	Off        []string   // names of Switches
	Candidates int        // answers adjudicated, the model's own included; the others are drawn at temperature 1
	Phrasings  int        // other prompt variants with which the question is asked again
	Agreement  float64    // least share of the prompt variants, the question's own included, whose answers must agree
	Repairs    int        // times that reasons are given back to the model
	Inventory  *Inventory // what the deployment knows to exist; nil is an empty one
	// answers that were adjudicated before, given again where the question comes again; nil for none
	Memory *memory.Memory
	Seed   uint64 // of the draws
}

// Bounds of a Config.
const (
	MaxCandidates = 32
	MaxPhrasings  = 16
	MaxRepairs    = 8
)

// Defaults returns the configuration that a bare `--guard` has.
func Defaults() Config {
	return Config{Candidates: 3, Phrasings: 3, Agreement: .5, Repairs: 1, Seed: 1}
}

// Check returns an error that begins with the name of what is out of bounds, and says what would be right.
func (c Config) Check() error {
	for _, name := range c.Off {
		if !slices.Contains(Switches, name) {
			return fmt.Errorf("off %q is no part of the guard: use %s", name, strings.Join(Switches, ", "))
		}
	}
	for _, n := range []struct {
		name          string
		value, lo, hi int
	}{
		{"candidates", c.Candidates, 1, MaxCandidates}, {"phrasings", c.Phrasings, 0, MaxPhrasings},
		{"repairs", c.Repairs, 0, MaxRepairs},
	} {
		if n.value < n.lo || n.value > n.hi {
			return fmt.Errorf("%s %d: want a number from %d to %d", n.name, n.value, n.lo, n.hi)
		}
	}
	if !(c.Agreement >= 0 && c.Agreement <= 1) {
		return fmt.Errorf("agreement %v: want a share from 0 to 1", c.Agreement)
	}
	return nil
}

// on reports whether a layer, a test within its layer or a part is on.
func (c Config) on(name string) bool {
	switch {
	case slices.Contains(c.Off, name):
		return false
	case slices.Contains(Tests, name):
		return !slices.Contains(c.Off, TestLayer)
	case name == Correction:
		return !slices.Contains(c.Off, Adjudication)
	}
	return true
}

// MostCalls is the most inner calls that one guarded call can make.
func (c Config) MostCalls() int {
	n := 1
	for part, calls := range map[string]int{Operational: c.Phrasings, Logical: 1, ChainLayer: 1,
		Adjudication: c.Candidates - 1 + c.Repairs} {
		if c.on(part) {
			n += calls
		}
	}
	return n
}

// String returns the configuration in one line, equal where the guard acts alike.
func (c Config) String() string {
	off := slices.Clone(c.Off)
	slices.Sort(off)
	s := fmt.Sprintf("off=%s&candidates=%d&phrasings=%d&agreement=%s&repairs=%d&index=%s&seed=%d",
		strings.Join(slices.Compact(off), ","),
		c.Candidates, c.Phrasings, strconv.FormatFloat(c.Agreement, 'g', -1, 64), c.Repairs, c.Inventory.Hash(), c.Seed)
	if c.Memory != nil {
		s += "&memory=" + c.Memory.Hash()
	}
	return s
}

// A Guard answers as the model inside, where the answer holds. It is safe for concurrent use.
type Guard struct {
	inner model.Model
	c     Config
}

// A Batch is a Guard around a model.Batcher, and so one itself.
type Batch struct{ *Guard }

// New returns a guard around a model: a *Guard, or a *Batch where the model is a model.Batcher. The error is that
// of Config.Check.
func New(inner model.Model, c Config) (model.Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c.Inventory = cmp.Or(c.Inventory, &Inventory{})
	c.Inventory.prepare()
	g := &Guard{inner, c}
	if _, ok := inner.(model.Batcher); ok {
		return &Batch{g}, nil
	}
	return g, nil
}

// Identity names the guard's rules, its whole configuration with the inventory by its hash, and the model inside.
func (g *Guard) Identity() string {
	return "guard/" + version + "?" + g.c.String() + " over " + g.inner.Identity()
}

// Probe tells what the model inside can do. A guarded answer has no log-probabilities, since it may be no answer of
// the model's; options are scored by the model alone.
func (g *Guard) Probe(ctx context.Context) (model.Capabilities, error) {
	c, err := model.ProbeOf(ctx, g.inner)
	if err == nil {
		c.LogProbs, c.TopLogProbs, c.HiddenStates = false, 0, false
	}
	return c, err
}

// Price is that of the model inside, where it is known.
func (g *Guard) Price() (in, out float64, known bool) { return model.PriceOf(g.inner) }

// Generate answers one request. Scored options and plain texts to continue pass through untouched: there is no
// question to hold an answer to. Response.Raw is the Trace, as JSON.
func (g *Guard) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	return g.answer(ctx, req, func(ctx context.Context, reqs []model.Request) []model.Result {
		return each(ctx, g.inner, reqs)
	})
}

// GenerateBatch answers requests together, so that a model inside that answers many faster is asked so.
func (g *Batch) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	results := make([]model.Result, len(reqs))
	gather(ctx, g.inner, len(reqs), func(i int, ask asker) {
		results[i].Response, results[i].Err = g.answer(ctx, reqs[i], ask)
	})
	return results
}

// answer is the guard's whole procedure.
func (g *Guard) answer(ctx context.Context, req model.Request, ask asker) (model.Response, error) {
	if req.Hidden {
		return model.Response{}, errors.New("a guarded model gives no hidden states")
	}
	if r, ok := g.recall(req); ok {
		return r, nil
	}
	if len(req.Options) > 0 || req.Raw {
		r := ask(ctx, []model.Request{req})[0]
		if r.Err == nil && len(req.Options) == 0 {
			r.Response.Raw = (&Trace{Act: Unguarded,
				Reason: "a plain text to continue holds no question of its own"}).json()
		}
		return r.Response, r.Err
	}
	req.LogProbs, req.TopLogProbs = false, 0
	j := &judging{c: g.c, q: readRequest(req, g.c.Inventory), ctx: ctx, ask: ask, seen: map[string]*reading{}}
	return j.run(req)
}

// json returns the trace as it is stored.
func (t *Trace) json() []byte {
	b, err := json.Marshal(t)
	if err != nil { // plain values only
		panic("guard: " + err.Error())
	}
	return b
}
