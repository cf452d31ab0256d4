package oracle

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/grade"
)

// What an answer commits to is told by multinomial logistic regressions over what is seen of it: GRADING 5. Each
// decider has its own model of named features, with weights (weights.txt) that TestFit fits on the answers of
// internal/grade/rubric/testdata.

// The classes that a model tells apart, in the order of the weights.
var classes = [...]grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}

// A feature is something that is seen of an answer, by its name in weights.txt.
type feature struct {
	name  string
	value float64
}

// is is the feature of what is so or not.
func is(name string, so bool) feature { return feature{name, flag(so)} }

// many is the feature of a count: its logarithm, so that a tenth one says less than a second.
func many(name string, n int) feature { return feature{name, math.Log1p(float64(n))} }

// features are what is seen of one answer, in an order that depends on nothing but the answer, as sums are rounded.
type features []feature

// of returns the value of a feature, 0 where it was not seen.
func (x features) of(name string) float64 {
	for _, f := range x {
		if f.name == name {
			return f.value
		}
	}
	return 0
}

// has reports whether something is so.
func (x features) has(name string) bool { return x.of(name) != 0 }

// A model holds the weights of each feature for each class: 0 where it is not fitted.
type model struct {
	name    string
	weights func() map[string]weight
	// margin is how probable each class must be for rules to say it: below it the answer is ungradable. Chosen on
	// cross-validated answers, so that of what is decided about one in forty is decided otherwise than by the
	// reader, where it can be had.
	margin weight
}

// A weight has a number for each class.
type weight [len(classes)]float64

//go:embed weights.txt
var weightsText string

// fitted are the weights of weights.txt, by model and feature.
var fitted = sync.OnceValue(func() map[string]map[string]weight {
	all := map[string]map[string]weight{}
	for line := range strings.Lines(weightsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "\t")
		var w weight
		if err := json.Unmarshal([]byte("["+strings.Join(cells[2:], ",")+"]"), &w); err != nil ||
			len(cells) != 2+len(w) {
			panic(fmt.Sprintf("oracle: weights.txt: %q", line))
		}
		if all[cells[0]] == nil {
			all[cells[0]] = map[string]weight{}
		}
		all[cells[0]][cells[1]] = w
	}
	return all
})

// newModel returns the model of a name with its weights and the margins of the classes.
func newModel(name string, correct, incorrect, notAttempted float64) *model {
	own := sync.OnceValue(func() map[string]weight { return fitted()[name] })
	return &model{name, own, weight{correct, incorrect, notAttempted}}
}

// Chances are how probable each class is by a model.
type chances struct {
	p weight
	m *model
}

// certain is what a rule believes that is sure of a class.
func certain(class int) weight {
	p := weight{.01, .01, .01}
	p[class] = .98
	return p
}

// best returns the most probable outcome, how probable it is, and whether it is probable enough to be said.
func (b chances) best() (what grade.Outcome, p float64, sure bool) {
	p = slices.Max(b.p[:])
	k := slices.Index(b.p[:], p)
	return classes[k], p, p >= b.m.margin[k]
}

// observed is told of every answer that a model is asked about, observedItem of every item that is scored and
// whether it is a gold; the fit sets them.
var (
	observed     = func(*model, features) {}
	observedItem = func(*model, features, bool) {}
)

// ask returns what a model believes of an answer.
func (m *model) ask(x features) chances {
	observed(m, x)
	return chances{m.probabilities(x), m}
}

func (m *model) probabilities(x features) (p weight) {
	for _, f := range x {
		for c, w := range m.weights()[f.name] {
			p[c] += float64(w * f.value)
		}
	}
	top, sum := slices.Max(p[:]), 0.
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// odds returns the log odds of the first class, within bounds.
func (m *model) odds(x features) float64 {
	p := m.probabilities(x)[0]
	return min(6, max(-6, math.Log(p/(1-p))))
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
