package oracle

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hallmark/internal/grade"
)

// What an answer commits to is told by multinomial logistic regressions over what is seen of it: GRADING 5. Each decider has its own, a model
// with named features. The weights are in weights.txt, fitted by TestFit on the labelled answers of internal/grade/rubric/testdata and
// cross-validated by case; a feature stays only where leaving it out costs on answers that it was not fitted on.

// The classes that a model tells apart, in the order of the weights.
var classes = [...]grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}

// A model holds the weights of each of its features for each class.
type model struct {
	name     string
	features []string
	weights  [][len(classes)]float64
	// margin is how probable each class must be for rules to say it: below it the answer is ungradable. Chosen on the cross-validated development
	// answers, so that of what is decided about one in forty is decided otherwise than by the reader, and no more than that where it can be had.
	margin [len(classes)]float64
}

//go:embed weights.txt
var weightsText string

// weights holds what weights.txt has, by model and feature.
var weights = readWeights(weightsText)

func readWeights(text string) map[string]map[string][len(classes)]float64 {
	all := map[string]map[string][len(classes)]float64{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 2+len(classes) {
			continue
		}
		var w [len(classes)]float64
		for c := range w {
			v, err := strconv.ParseFloat(cells[2+c], 64)
			if err != nil {
				panic(fmt.Sprintf("oracle: weights.txt:%d: %q", n+1, line))
			}
			w[c] = v
		}
		if all[cells[0]] == nil {
			all[cells[0]] = map[string][len(classes)]float64{}
		}
		all[cells[0]][cells[1]] = w
	}
	return all
}

// newModel returns the model of a name with the weights that weights.txt has for it: none for a feature that is not fitted.
func newModel(name string, features []string, correct, incorrect, notAttempted float64) *model {
	m := &model{name, features, make([][len(classes)]float64, len(features)), [len(classes)]float64{correct, incorrect, notAttempted}}
	for f, feature := range features {
		m.weights[f] = weights[name][feature]
	}
	return m
}

// A belief is how probable each class is, in the order of classes, by a model.
type belief struct {
	p [len(classes)]float64
	m *model
}

// best returns the most probable outcome, how probable it is, and whether it is probable enough to be said.
func (b belief) best() (what grade.Outcome, p float64, sure bool) {
	k := 0
	for c := range b.p {
		if b.p[c] > b.p[k] {
			k = c
		}
	}
	return classes[k], b.p[k], b.p[k] >= b.m.margin[k]
}

// observed is told of every answer that a model is asked about; the fit sets it.
var observed func(m *model, x []float64)

// ask returns what a model believes of the features x.
func (m *model) ask(x []float64) belief {
	if observed != nil {
		observed(m, x)
	}
	return belief{m.probabilities(x), m}
}

func (m *model) probabilities(x []float64) (p [len(classes)]float64) {
	top := math.Inf(-1)
	for c := range p {
		for f, v := range x {
			if v != 0 {
				p[c] += float64(m.weights[f][c] * v)
			}
		}
		top = max(top, p[c])
	}
	sum := 0.
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// count is the feature of a count: its logarithm, so that a tenth one says less than a second.
func count(n int) float64 { return math.Log1p(float64(n)) }

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// observedItem is told of every number that a score is asked for, and whether it is a gold; the fit sets it.
var observedItem func(m *model, x []float64, gold bool)

// logit is the log odds of a probability.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }
