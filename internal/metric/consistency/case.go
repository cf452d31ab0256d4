// Package consistency measures how much the answers to variants of one question agree with each other, and with the
// gold answer: paraphrase consistency and semantic stability, self-consistency, ambiguity, the taxonomy of prompt
// multiplicity, and the split of error into bias and variance.
//
// The case is the unit of inference. Answers are compared by class, which is their answer.Form: equal values are
// one class, all empty answers are one, all declined ones, all that commit to nothing. An answer that could not be
// graded has no class: it is left out, and counted.
package consistency

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/text/answer"
)

// An Answer is one scored answer. One that is missing, or could not be graded, is no Answer: Case.AddUnscored and
// Case.AddUngradable count it.
type Answer struct {
	Form      answer.Form
	Retrieved []string // ids of the documents before the answer, best first; nil: not known
}

// vote is the answer to one variant, as an index into the classes of its case.
type vote struct{ variant, class int32 }

// A Case is one question with its answers. The zero value with an ID is ready to use; it is not safe for concurrent
// use.
type Case struct {
	ID   string
	Gold []answer.Form // of the gold answers, any of which is right; empty: none
	// declining is right too, or, without Gold, the only right answer: then answer.RightAct is to decline
	GoldDeclined bool
	Unscored     int // answers that are missing
	Tags         []string
	Cluster      int32 // numbers what the case is an observation of, with others; 0: of itself alone (suite.Clusters)
	// equal answers are those that say the same: long ones like no other are no sign of an equality that cannot
	// read them
	ReadsProse bool

	classes   []answer.Form
	index     map[answer.Form]int32 // of classes, once a linear search is too slow
	votes     []vote
	retrieved [][]string // of votes; nil if none was given
	open      []int32    // variants whose answer could not be graded
	seen      variantSet
}

// HasGold reports whether right and wrong answers can be told apart.
func (c *Case) HasGold() bool { return len(c.Gold) > 0 || c.GoldDeclined }

// Scored returns the number of answers added.
func (c *Case) Scored() int { return len(c.votes) }

// Add adds the scored answer to a variant (0 is the default prompt). It is an error if the variant is negative or
// beyond 2^31-1, or was there before; then nothing changes.
func (c *Case) Add(variant int, a Answer) error {
	if err := c.mark(variant); err != nil {
		return err
	}
	id := c.classOf(a.Form)
	c.votes = append(c.votes, vote{int32(variant), id})
	if a.Retrieved != nil && c.retrieved == nil {
		c.retrieved = make([][]string, len(c.votes)-1, cap(c.votes))
	}
	if c.retrieved != nil {
		c.retrieved = append(c.retrieved, a.Retrieved)
	}
	return nil
}

// AddUnscored counts an answer to a variant that is missing; errors as Add.
func (c *Case) AddUnscored(variant int) error {
	if err := c.mark(variant); err != nil {
		return err
	}
	c.Unscored++
	return nil
}

// AddUngradable counts an answer to a variant that could not be graded: it is left out, as nobody knows which
// answer it is. Errors as Add.
func (c *Case) AddUngradable(variant int) error {
	if err := c.mark(variant); err != nil {
		return err
	}
	c.open = append(c.open, int32(variant))
	return nil
}

// Ungradable returns the number of answers that could not be graded.
func (c *Case) Ungradable() int { return len(c.open) }

func (c *Case) mark(variant int) error {
	if variant < 0 || variant > math.MaxInt32 {
		return fmt.Errorf("variant %d is outside 0..%d", variant, math.MaxInt32)
	}
	if !c.seen.add(int32(variant)) {
		return fmt.Errorf("id %q has variant %d twice: each pair of id and variant must be unique", c.ID, variant)
	}
	return nil
}

// linearClasses is the number of classes up to which a search through them beats a map.
const linearClasses = 64

func (c *Case) classOf(k answer.Form) int32 {
	if c.index == nil {
		for i, have := range c.classes {
			if have == k {
				return int32(i)
			}
		}
	} else if i, ok := c.index[k]; ok {
		return i
	}
	i := int32(len(c.classes))
	c.classes = append(c.classes, k)
	switch {
	case c.index != nil:
		c.index[k] = i
	case len(c.classes) > linearClasses:
		c.index = make(map[answer.Form]int32, 4*linearClasses)
		for i, k := range c.classes {
			c.index[k] = int32(i)
		}
	}
	return i
}

// isGold reports whether answers of class k are right.
func (c *Case) isGold(k answer.Form) bool {
	return c.GoldDeclined && k == answer.RightAct || slices.Contains(c.Gold, k)
}

// declines reports whether answers of class k decline. Where that can be right, those that are not right are an
// answer like others.
func (c *Case) declines(k answer.Form) bool {
	if c.GoldDeclined {
		return k == answer.RightAct
	}
	return k == answer.Declined
}

// settle makes declines the right act where they are: a row may decline before another says that this is right.
func (c *Case) settle() {
	if i := slices.Index(c.classes, answer.Declined); i >= 0 && c.GoldDeclined {
		c.classes[i] = answer.RightAct
	}
}

// label names class k in results: an act that is right without declining, or declines without being right, has
// the mark that results have always had there.
func (c *Case) label(k answer.Form) string {
	if (k == answer.RightAct || k == answer.Declined) && !c.declines(k) {
		return k.Text()
	}
	return k.String()
}

// A tally is the count of each class among the answers that are used, in the order in which their variants first
// give them, so that of several commonest classes the first one is the mode.
type tally struct {
	r      int
	class  []answer.Form
	count  []int
	mode   int // index of the commonest class; of several the one with the lowest variant
	votes  []vote
	docs   [][]string
	byVote []int // class index of each vote
	open   int   // answers that could not be graded; they are not in r
}

// tally counts the answers of c, without variant 0 if excludeDefault. It does not change c.
func (c *Case) tally(excludeDefault bool) (t tally) {
	order := make([]int, 0, len(c.votes))
	for i, v := range c.votes {
		if v.variant != 0 || !excludeDefault {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(c.votes[i].variant, c.votes[j].variant) })
	renamed := make([]int, len(c.classes)) // 1 + the new index
	for _, i := range order {
		v := c.votes[i]
		if renamed[v.class] == 0 {
			t.class = append(t.class, c.classes[v.class])
			t.count = append(t.count, 0)
			renamed[v.class] = len(t.class)
		}
		k := renamed[v.class] - 1
		t.count[k]++
		t.votes = append(t.votes, v)
		t.byVote = append(t.byVote, k)
		if c.retrieved != nil {
			t.docs = append(t.docs, c.retrieved[i])
		}
	}
	for _, v := range c.open {
		if v != 0 || !excludeDefault {
			t.open++
		}
	}
	t.r = len(order)
	for k, n := range t.count {
		if n > t.count[t.mode] {
			t.mode = k
		}
	}
	return t
}

// variantSet is a set of variant numbers: bits for the small ones that nearly all are, a map for others.
type variantSet struct {
	bits []uint64
	far  map[int32]struct{}
}

const nearVariants = 1 << 14

func (s *variantSet) add(v int32) (added bool) {
	if v >= nearVariants {
		if _, ok := s.far[v]; ok {
			return false
		}
		if s.far == nil {
			s.far = make(map[int32]struct{})
		}
		s.far[v] = struct{}{}
		return true
	}
	word, bit := int(v/64), uint64(1)<<(v%64)
	if word >= len(s.bits) {
		s.bits = append(s.bits, make([]uint64, word+1-len(s.bits))...)
	}
	if s.bits[word]&bit != 0 {
		return false
	}
	s.bits[word] |= bit
	return true
}
