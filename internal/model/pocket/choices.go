package pocket

import (
	"slices"
	"sync"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
)

// Choices returns the built-in suite of multiple-choice questions: facts of the model's world, each once, in ten
// phrasings with four options, for what is measured by how likely a model holds each option to be. Of the wrong
// options of a fact that the corpus also states falsely, or in two ways, the other value is one; the rest are drawn
// from the values of its relation.
var Choices = sync.OnceValue(func() *suite.Suite {
	c := &caser{u: World(), r: seed.Stream(worldSeed, "pocket", "choices")}
	for _, of := range []struct {
		category Category
		n        int
	}{{Known, 160}, {Myth3, 40}, {Myth9, 60}, {Style, 60}, {Coin, 40}, {Rare2, 20}, {Rare4, 20}} {
		for _, f := range c.sample(of.category, of.n) {
			c.choice(c.u.Facts[f])
		}
	}
	return c.suite("pocket-choices", "1")
})

// Sums returns the built-in suite of sums of two terms, each once and in ten phrasings, every third in words: 64 of
// the corpus, and 36 of the 37 that are held out of it.
var Sums = sync.OnceValue(func() *suite.Suite {
	c := &caser{u: World(), r: seed.Stream(worldSeed, "pocket", "sums")}
	left := map[bool]int{true: 36, false: 64}
	for _, i := range c.r.Perm((maxTerm - 1) * (maxTerm - 1)) {
		a, b := 2+i/(maxTerm-1), 2+i%(maxTerm-1)
		if held := heldOutSum(a, b, 0); left[held] > 0 {
			left[held]--
			c.sum(a, b, left[held]%3 == 0)
		}
	}
	return c.suite("pocket-sums", "1")
})

// choices adds multiple-choice questions about facts of every category that is stated.
func (c *caser) choices(n int) {
	categories := []Category{Known, Myth9, Known, Rare2, Known, Myth3, Coin, Rare4}
	for k := range n {
		c.choice(c.u.Facts[pick(c.r, c.u.Of(categories[k%len(categories)]))])
	}
}

// choice adds a multiple-choice question about a fact.
func (c *caser) choice(f Fact) {
	cs := suite.Case{}
	ask10(&cs, f.Rel(), f.Subject)
	tags, difficulty := tagsOf(f.Category)
	cs.Difficulty, cs.AnswerType = difficulty, suite.Choice
	cs.Options = []string{f.Value}
	if f.Other != "" {
		cs.Options = append(cs.Options, f.Other)
	}
	for len(cs.Options) < 4 {
		if v := c.u.otherValue(c.r, f); !slices.Contains(cs.Options, v) {
			cs.Options = append(cs.Options, v)
		}
	}
	c.r.Shuffle(4, func(i, j int) { cs.Options[i], cs.Options[j] = cs.Options[j], cs.Options[i] })
	cs.Gold.Option = new(slices.Index(cs.Options, f.Value))
	c.add(cs, string(f.Category), append(tags, "multiple-choice")...)
}
