// Package incontext is classification by a hidden rule that a text shows by examples: the world of such tasks, and the
// documents from which the built-in model learns the skill. Its tests hold what models learn beside the predictor that
// is best by Bayes' rule.
//
// An input is two words of one topic and one common word, in random order. A rule, drawn for each sequence, maps
// topics to labels; given the rule, the pairs of input and label are independent and alike, so their order says
// nothing. Labels have no noise.
package incontext

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Task is a distribution of rules.
type Task string

const (
	Topic8x2 Task = "topic8x2" // each of the eight topics has one of two labels by a fair coin
	Topic4   Task = "topic4"   // four of the topics and four labels, one each
	Topic2   Task = "topic2"   // two of the topics and two labels, one each
	// Parity is beyond the model and never in training: the label is the parity of the sum of the places that the
	// two topic words have in their topic's list; which label is even is a fair coin. It looks like Topic8x2.
	Parity Task = "parity"

	assoc Task = "assoc" // two to four topics and as many of all labels, one each; for learning only
)

// A Sequence is a list of pairs under one rule.
type Sequence struct {
	Task   Task
	Labels []string // the labels the rule uses, in fixed order
	Pairs  []Pair
}

// A Pair is an input and its label.
type Pair struct {
	Words [3]string
	Topic int // of two of the words
	Label int // an index of the sequence's Labels
	odd   bool
}

// Input returns the words of the pair as text.
func (p Pair) Input() string { return strings.Join(p.Words[:], " ") }

// Draw returns n pairs of the task under a rule drawn from r. It draws from nothing else.
func Draw(task Task, n int, r *rand.Rand) (Sequence, error) {
	rule, err := drawRule(task, r)
	if err != nil {
		return Sequence{}, err
	}
	s := Sequence{Task: task, Labels: rule.labels, Pairs: make([]Pair, n)}
	for i := range s.Pairs {
		p := drawInput(rule.topics[r.IntN(len(rule.topics))], r)
		p.Label = rule.label(p)
		s.Pairs[i] = p
	}
	return s, nil
}

// A rule gives a pair its label.
type rule struct {
	topics []int // those of the inputs
	labels []string
	of     [len(topics)]int // the label of a topic
	parity bool             // of[0] is the label of an even sum, whatever the topic
}

func drawRule(task Task, r *rand.Rand) (rule, error) {
	ru := rule{topics: r.Perm(len(topics)), parity: task == Parity}
	switch task {
	case Topic8x2, Parity:
		ru.labels = pick(r, coins)
		for i := range ru.of {
			ru.of[i] = r.IntN(2)
		}
		return ru, nil
	case Topic4:
		ru.labels = pick(r, fours)
	case Topic2:
		ru.labels = pick(r, pairs)
	case assoc:
		for _, i := range r.Perm(len(labels))[:2+r.IntN(3)] {
			ru.labels = append(ru.labels, labels[i])
		}
	default:
		return rule{}, fmt.Errorf("incontext: no task %q", task)
	}
	ru.topics = ru.topics[:len(ru.labels)]
	for label, topic := range r.Perm(len(ru.topics)) {
		ru.of[ru.topics[topic]] = label
	}
	return ru, nil
}

func (r rule) label(p Pair) int {
	if !r.parity {
		return r.of[p.Topic]
	}
	if p.odd {
		return 1 - r.of[0]
	}
	return r.of[0]
}

func drawInput(topic int, r *rand.Rand) Pair {
	words := topics[topic]
	i, j := r.IntN(len(words)), r.IntN(len(words)-1)
	if j >= i {
		j++
	}
	p := Pair{Words: [3]string{words[i], words[j], pick(r, common)}, Topic: topic, odd: (i+j)%2 == 1}
	r.Shuffle(len(p.Words), func(i, j int) { p.Words[i], p.Words[j] = p.Words[j], p.Words[i] })
	return p
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
