package soundness

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/text/answer"
)

// goldMissing counts cases of which nothing says what is right.
func goldMissing(l *Log, _ *Options) ([]Issue, string) {
	var t tally
	for i := range l.Cases {
		if !l.Cases[i].Gradable {
			t.add(&l.Cases[i])
		}
	}
	n := len(l.Cases)
	severity := Fault
	if t.n == n { // nobody meant them to be graded
		severity = Doubt
	}
	return t.issue(severity, n, "case", "has no right answer", "have no right answer",
		"name the column of the right "+
			"answers (--map gold=COLUMN) or a suite that has them (--suite): these cases are in no rate"), ""
}

// phrase is a text as words between blanks, so that one text stands in another as whole words.
func phrase(text string) string { return " " + answer.Words(text) + " " }

// within reports whether words stand in a text, and are some at all.
func within(words, text string) bool {
	return strings.TrimSpace(words) != "" && strings.Contains(text, words)
}

// Others whose golds are looked for in a question, to know how often one stands there by chance; and the cases that are
// looked at, drawn where there are more.
const (
	others    = 200
	mostGolds = 5000
)

// goldInQuestion tests whether the gold stands in its own question more often than the golds of other cases stand in
// it: the chance of each case is (1 + those of m others that do)/(1 + m), and the test is poissonBinomial's. What
// stands in passages is no leak, as they are there to be read.
func goldInQuestion(l *Log, o *Options) ([]Issue, string) {
	type one struct {
		*Case
		question string
		golds    []string
	}
	var all []one
	for i := range l.Cases {
		c := &l.Cases[i]
		if len(c.Options) > 0 || len(c.Gold) == 0 {
			continue
		}
		x := one{Case: c, question: phrase(c.Question)}
		for _, g := range c.Gold {
			x.golds = append(x.golds, phrase(g))
		}
		all = append(all, x)
	}
	if len(all) < 2 {
		return nil, "fewer than two cases have a gold that is a text"
	}
	rng := seed.Stream(o.Seed, "doctor", "gold in question", l.Suite)
	if len(all) > mostGolds {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:mostGolds]
	}
	said := func(x, of *one) bool {
		return slices.ContainsFunc(of.golds, func(g string) bool { return within(g, x.question) })
	}
	var t tally
	chances := make([]float64, 0, len(all))
	for i := range all {
		x := &all[i]
		if said(x, x) {
			t.add(x.Case)
		}
		hits, m := 0, 0
		for k := range min(others, len(all)-1) {
			at := k
			if len(all)-1 > others {
				at = rng.IntN(len(all) - 1)
			}
			if at >= i {
				at++
			}
			if slices.Equal(all[at].golds, x.golds) { // by which nothing is known
				continue
			}
			if m++; said(x, &all[at]) {
				hits++
			}
		}
		chances = append(chances, float64(1+hits)/float64(1+m))
	}
	return t.beyondChance(chances, o.Level, "%[2]d of %[1]s have their gold in the question, and %[3]s would by chance",
		"take the gold out of the question: these cases measure copying"), ""
}

// beyondChance makes an issue of cases each of which is one with a chance: text says of how many cases they are, how
// many, and how many by chance.
func (t *tally) beyondChance(chances []float64, level float64, text, remedy string) []Issue {
	n := len(chances)
	return []Issue{{Severity: Fault, Count: t.n, Of: n, Examples: t.ids, P: new(poissonBinomial(chances, t.n)),
		Effect: new(stat.Wilson(t.n, n, level)), Unit: "share",
		Text: fmt.Sprintf(text, figure.Counted(n, "case"), t.n, figure.Fixed(stat.Sum(chances), 1)), Remedy: remedy}}
}

// goldInOptions tests whether the right option stands in the question or its passages where others do not, more often
// than by chance: of k options m of which stand there, the right one is among them with the chance m/k.
func goldInOptions(l *Log, o *Options) ([]Issue, string) {
	var t tally
	var chances []float64
	shown := false
	for i := range l.Cases {
		c := &l.Cases[i]
		if len(c.Options) < 2 || c.Right < 0 {
			continue
		}
		shown = true
		text := phrase(c.Question)
		m := 0
		for _, option := range c.Options {
			if within(phrase(option), text) {
				m++
			}
		}
		if m == 0 || m == len(c.Options) {
			continue
		}
		chances = append(chances, float64(m)/float64(len(c.Options)))
		if within(phrase(c.Options[c.Right]), text) {
			t.add(c)
		}
	}
	switch {
	case !shown:
		return nil, "no case has options of which one is right"
	case len(chances) == 0:
		return nil, ""
	}
	return t.beyondChance(chances, o.Level, "of %s whose question names some of the options, %d name the right one, "+
		"and %s would by chance", "reword these questions: the option that they name can be chosen without knowing "+
		"anything"), ""
}
