package incontext

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/base/seed"
)

var tasks = []Task{Topic8x2, Topic4, Topic2, Parity, assoc}

func TestWordsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Words() {
		if seen[w] || len(w) < 2 || strings.Trim(w[1:], "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q is twice, or no plain word", w)
		}
		seen[w] = true
	}
	for i, topic := range topics {
		if len(topic) != 16 {
			t.Errorf("topic %s has %d words, want 16", names[i], len(topic))
		}
	}
	if len(common) != 32 || len(names) != len(topics) {
		t.Errorf("%d common words and %d names, want 32 and %d", len(common), len(names), len(topics))
	}
}

func draw(t interface{ Fatal(...any) }, task Task, n int, s uint64) Sequence {
	q, err := Draw(task, n, seed.Stream(s, "test"))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The sequences are part of what suites measure, so equal seeds give them for ever. The hash was recorded with the
// first recipe.
func TestSequencesAreFixed(t *testing.T) {
	h := fnv.New64a()
	for _, task := range tasks {
		fmt.Fprint(h, draw(t, task, 40, 1))
	}
	if got, want := h.Sum64(), uint64(0xfafc8c1fd18359fc); got != want {
		t.Errorf("the sequences hash to %#x, want %#x", got, want)
	}
}

func TestDrawRefusesOtherTasks(t *testing.T) {
	if _, err := Draw("topic9", 3, seed.Stream(1)); err == nil || !strings.Contains(err.Error(), "topic9") {
		t.Errorf("error %v, want one naming topic9", err)
	}
}

func TestSequencesAreOfTheirTask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.SampledFrom(tasks).Draw(t, "task")
		s := draw(t, task, rapid.IntRange(0, 60).Draw(t, "pairs"), rapid.Uint64().Draw(t, "seed"))
		label := map[int]int{}
		used := map[int]bool{}
		for _, p := range s.Pairs {
			var places []int
			commons := 0
			for _, w := range p.Words {
				if i := slices.Index(topics[p.Topic], w); i >= 0 {
					places = append(places, i)
				}
				if slices.Contains(common, w) {
					commons++
				}
			}
			if len(places) != 2 || commons != 1 || places[0] == places[1] {
				t.Fatalf("input %v is not two words of topic %d and a common one", p.Words, p.Topic)
			}
			key := p.Topic
			if task == Parity {
				key = (places[0] + places[1]) % 2
			}
			if was, ok := label[key]; ok && was != p.Label {
				t.Fatalf("%s has the labels %d and %d", task, was, p.Label)
			} else if !ok && task != Topic8x2 && used[p.Label] {
				t.Fatalf("%s uses label %d twice", task, p.Label)
			}
			label[key], used[p.Label] = p.Label, true
		}
		if n := map[Task]int{Topic8x2: 8, Topic4: 4, Topic2: 2, Parity: 2, assoc: 4}[task]; len(label) > n {
			t.Fatalf("%s has %d groups, want at most %d", task, len(label), n)
		}
	})
}

// hidden lists the rules of a task with these labels, all equally likely, as the label and likelihood of an input.
func hidden(s Sequence) (rules []func(Pair) (label int, ok bool)) {
	n := len(topics)
	switch s.Task {
	case Parity:
		for even := range 2 {
			rules = append(rules, func(p Pair) (int, bool) {
				sum := 0
				for _, w := range p.Words {
					sum += max(0, slices.Index(topics[p.Topic], w))
				}
				return (even + sum) % 2, true
			})
		}
	case Topic8x2:
		for bits := range 1 << n {
			rules = append(rules, func(p Pair) (int, bool) { return bits >> p.Topic & 1, true })
		}
	default: // an injection of the labels into the topics
		of := make([]int, n)
		var place func(label int)
		place = func(label int) {
			if label == len(s.Labels) {
				of := slices.Clone(of)
				rules = append(rules, func(p Pair) (int, bool) { return of[p.Topic] - 1, of[p.Topic] > 0 })
				return
			}
			for topic := range of {
				if of[topic] == 0 {
					of[topic] = label + 1
					place(label + 1)
					of[topic] = 0
				}
			}
		}
		place(0)
	}
	return rules
}

// Bayes equals the sum over all hidden rules.
func TestBayesAgainstEnumeration(t *testing.T) {
	for _, task := range []Task{Topic8x2, Topic4, Topic2, Parity} {
		for s := range uint64(20) {
			q := draw(t, task, 14, s)
			alive := hidden(q)
			for i, p := range q.Pairs {
				want := make([]float64, len(q.Labels))
				total := 0.
				var next []func(Pair) (int, bool)
				for _, rule := range alive {
					label, ok := rule(p)
					if !ok {
						continue
					}
					want[label]++
					total++
					if label == p.Label {
						next = append(next, rule)
					}
				}
				got := q.Bayes(i)
				for l := range want {
					if math.Abs(got[l]-want[l]/total) > 1e-12 {
						t.Fatalf("%s, seed %d, pair %d: %v, enumeration gives %v of %g", task, s, i, got, want, total)
					}
				}
				alive = next
			}
		}
	}
}

// Where each of eight topics has a coin, 1 − p(gold) is on average half the chance that a topic was not seen.
func TestBayesErrorOfTopic8x2(t *testing.T) {
	const draws = 4000
	for _, n := range []int{2, 8, 32} {
		var sum float64
		for s := range uint64(draws) {
			q := draw(t, Topic8x2, n+1, s)
			sum += 1 - q.Bayes(n)[q.Pairs[n].Label]
		}
		got, want := sum/draws, math.Pow(7./8, float64(n))/2
		if math.Abs(got-want) > 4*.25/math.Sqrt(draws) {
			t.Errorf("n = %d: error %.4f, want %.4f", n, got, want)
		}
	}
}

func TestPrompt(t *testing.T) {
	s := Sequence{Labels: []string{"red", "blue"}, Pairs: []Pair{
		{Words: [3]string{"lion", "the", "bear"}, Label: 1}, {Words: [3]string{"old", "rice", "egg"}, Topic: 1},
	}}
	if got, want := s.Prompt(1), "Input: lion the bear\nLabel: blue\n\nInput: old rice egg\nLabel:"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
