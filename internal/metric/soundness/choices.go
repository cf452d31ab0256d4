package soundness

import (
	"fmt"
	"math"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// choices are the questions whose right option is known, one of each cluster, with what was chosen of them.
func (l *Log) choices(chosen bool) (all []choice, of []*Case) {
	seen := map[int32]bool{}
	answers := map[*Case]*Answer{}
	for _, x := range l.first() {
		answers[x.Case] = x.Answer
	}
	for i := range l.Cases {
		c := &l.Cases[i]
		if len(c.Options) < 2 || c.Right < 0 || c.Cluster != 0 && seen[c.Cluster] {
			continue
		}
		one := choice{len(c.Options), c.Right, -1}
		if a := answers[c]; a != nil {
			one.chosen = a.Chosen
		}
		if chosen && one.chosen < 0 {
			continue
		}
		seen[c.Cluster] = true
		all, of = append(all, one), append(of, c)
	}
	return all, of
}

// letters names a place of an option.
func letter(at int) string {
	if at < 26 {
		return string(rune('A' + at))
	}
	return fmt.Sprintf("option %d", at+1)
}

// leastChoices are the questions from which places are tested.
const leastChoices = 10

// rightPosition tests whether the right option stands at every place as often: uniformP.
func rightPosition(l *Log, o *Options) ([]Finding, string) {
	all, of := l.choices(false)
	if len(all) < leastChoices {
		return nil, fmt.Sprintf("fewer than %d questions have options of which one is right", leastChoices)
	}
	most, f := worst(all, o.Level, func(c *choice) int { return c.right }, nil)
	f.P, f.Severity = new(uniformP(all, seed.Stream(o.Seed, "doctor", "right position", l.Suite))), Doubt
	f.Text = fmt.Sprintf("the right option is %s in %d of %s, and %s would be by chance: %s %s", letter(most), f.Count,
		figure.Counted(len(all), "question"), figure.Fixed(float64(f.Count)-f.Effect.Value*float64(len(all)), 1),
		points(f.Effect.Value), moreOrLess(f.Effect.Value, "fewer"))
	f.Remedy = "shuffle the options (--variants options:N): who always chooses that place is right more often"
	f.examples(all, of, func(c *choice) bool { return c.right == most })
	return []Finding{f}, ""
}

func moreOrLess(x float64, less string) string {
	if x < 0 {
		return less
	}
	return "more"
}

// positionBias tests whether answers prefer a place: preferenceP. The effect is the share of answers that chose it less
// the share in which it is right.
func positionBias(l *Log, o *Options) ([]Finding, string) {
	all, of := l.choices(true)
	if len(all) < leastChoices {
		return nil, fmt.Sprintf("of fewer than %d questions with options it is known which one was chosen",
			leastChoices)
	}
	p := preferenceP(all, seed.Stream(o.Seed, "doctor", "position bias", l.Suite, l.Model))
	most, f := worst(all, o.Level, func(c *choice) int { return c.chosen }, func(c *choice) int { return c.right })
	right := 0
	for _, c := range all {
		if c.right == most {
			right++
		}
	}
	n := float64(len(all))
	f.P, f.Severity = &p, Doubt
	f.Text = fmt.Sprintf("%s is chosen in %s of %s and is right in %s: %s %s", letter(most),
		percent(float64(f.Count)/n),
		figure.Counted(len(all), "answer"), percent(float64(right)/n), points(f.Effect.Value),
		moreOrLess(f.Effect.Value, "less"))
	f.Remedy = "ask in other orders of the options too (--variants options:N), and take the answer of most orders"
	f.examples(all, of, func(c *choice) bool { return c.chosen == most && c.right != most })
	return []Finding{f}, ""
}

func (f *Finding) examples(all []choice, of []*Case, which func(*choice) bool) {
	var t tally
	for i := range all {
		if which(&all[i]) {
			t.add(of[i])
		}
	}
	f.Examples = t.ids
}

// worst returns the place whose share of questions differs most from that in which base has it (nil: each place of a
// question as likely), with the difference as a paired one.
func worst(all []choice, level float64, at, base func(*choice) int) (most int, f Finding) {
	places := 0
	for _, c := range all {
		places = max(places, c.options)
	}
	for j := range places {
		was, is, count := make([]float64, len(all)), make([]float64, len(all)), 0
		for i := range all {
			c := &all[i]
			if is[i] = stat.Bit(at(c) == j); is[i] == 1 {
				count++
			}
			switch {
			case base != nil:
				was[i] = stat.Bit(base(c) == j)
			case j < c.options:
				was[i] = 1 / float64(c.options)
			}
		}
		d := stat.Paired(was, is, nil, level).Estimate
		if f.Effect == nil || math.Abs(d.Value) > math.Abs(f.Effect.Value) {
			most, f = j, Finding{Count: count, Of: len(all), Effect: &d, Unit: "share"}
		}
	}
	return most, f
}
