package incontext

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

func TestSettings(t *testing.T) {
	for _, ref := range []string{"incontext:topic8x2",
		"incontext:parity?noise=5&n=3,9&contexts=2&queries=4&pool=6&seed=9"} {
		s, err := ParseSettings(ref)
		if err != nil || s.Name() != ref {
			t.Errorf("%s: %v, %s", ref, err, s.Name())
		}
	}
	if s, _ := ParseSettings("incontext:topic4?contexts=50"); s.Name() != "incontext:topic4" {
		t.Errorf("a default is written: %s", s.Name())
	}
	for ref, want := range map[string]string{
		"incontext:topic9": "no task", "incontext:topic4?n=1": "numbers of pairs",
		"incontext:topic4?n=4,4": "above the one before", "incontext:topic4?x=1": "unknown setting",
		"incontext:topic4?noise=51": "from 0 to 50", "incontext:topic4?contexts=0": "from 1 to",
		"incontext:topic4?seed=1&seed=2": "twice", "incontext:topic4?%zz": "want settings",
	} {
		if _, err := ParseSettings(ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ref, err, want)
		}
	}
}

// The gold of a case is the label that the rule of its context gives, the pool is under the same rule, and noise flips
// as often as it says.
func TestSuite(t *testing.T) {
	s, err := Settings{Task: Topic4, N: []int{8, 32}, Contexts: 20, Queries: 10, Pool: 20, Seed: 1}.Suite()
	if err != nil {
		t.Fatal(err)
	}
	if s.Cases.Len() != 400 {
		t.Fatalf("%d cases", s.Cases.Len())
	}
	topicOf := map[string]int{}
	for i, words := range topics {
		for _, w := range words {
			topicOf[w] = i
		}
	}
	topic := func(input string) int {
		for _, w := range strings.Fields(input) {
			if i, ok := topicOf[w]; ok {
				return i
			}
		}
		return -1
	}
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		rule := map[int]string{}
		for _, d := range append(append([]suite.Demonstration{{Input: c.Prompt, Label: c.Options[*c.Gold.Option]}},
			c.Demonstrations...), c.Rows...) {
			if old, ok := rule[topic(d.Input)]; ok && old != d.Label {
				t.Fatalf("%s: a topic has the labels %s and %s", c.ID, old, d.Label)
			}
			rule[topic(d.Input)] = d.Label
		}
	}
	again, err := Settings{Task: Topic4, N: []int{32}, Contexts: 3, Queries: 10, Pool: 20, Seed: 1}.Suite()
	if err != nil || !reflect.DeepEqual(again.Cases.Loose(), s.Cases.Loose()[200:230]) {
		t.Errorf("a smaller suite has other problems: %v", err)
	}
	flipped, all := 0, 0
	noisy, err := Settings{Task: Topic8x2, Noise: 10, N: []int{32}, Contexts: 200, Queries: 10, Pool: 20, Seed: 1}.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < noisy.Cases.Len(); i += 10 {
		c := noisy.Cases.At(i)
		counts := map[int]map[string]int{}
		for _, d := range append(c.Demonstrations[:len(c.Demonstrations):len(c.Demonstrations)], c.Rows...) {
			if counts[topic(d.Input)] == nil {
				counts[topic(d.Input)] = map[string]int{}
			}
			counts[topic(d.Input)][d.Label]++
		}
		for _, m := range counts {
			least, sum := math.MaxInt, 0
			for _, l := range c.Options {
				least, sum = min(least, m[l]), sum+m[l]
			}
			if sum > 6 {
				flipped, all = flipped+least, all+sum
			}
		}
	}
	if share := float64(flipped) / float64(all); share < .08 ||
		share > .115 { // the rarer of two labels: a little below .1
		t.Errorf("%.3f of the labels are another's", share)
	}
}
