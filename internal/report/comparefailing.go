package report

import (
	"fmt"
	"hallmark/internal/stat/figure"
	"math"
)

// A failingChange is how the share of the cases of one class that fail on one dimension changed.
type failingChange struct {
	class, dimension     string
	base, other, more, p fig
	n                    int
}

func (c comparison) failing(path ...string) failingChange {
	path = append([]string{"confusion"}, path...)
	at := c.t.under(path...)
	return failingChange{orNameless(path[2]), path[3], at("base"), at("other"), at("difference"), at("mcnemar_p_holm"),
		c.t.Whole(append(path, "n")...)}
}

// starred reports whether the change stands after the adjustment.
func (x failingChange) starred() bool { return x.more.OK && x.p.OK && x.p.Value < .05 }

func (x failingChange) cell() cell {
	d := x.more
	if !d.OK {
		return cellOf(d).briefly("·")
	}
	c := cellOf(d).under(within(d), "; ", x.base, " to ", x.other, "; p ", x.p)
	c.Brief = fmt.Sprintf("%s (%s, %s)", figure.WholeChange(d.Value), figure.WholeChange(d.Lo),
		figure.WholeChange(d.Hi))
	if x.starred() {
		c.Brief += "*"
		c.Tone = map[bool]string{true: "ok", false: "err"}[d.Value < 0]
	}
	return c
}

// heat is the change as it is drawn: what fails less is of one colour, what fails more of the other, and each has its
// sign in figures.
func (x failingChange) heat() heatCell {
	d := x.more
	if !d.OK {
		return heatCell{Title: fmt.Sprintf("%s, %s: judged on no question", x.class, x.dimension)}
	}
	text, fill := share.Change(d.Value), "err"
	if d.Value < 0 {
		fill = "ok"
	}
	if x.starred() {
		text += " *"
	}
	return heatCell{true, math.Abs(d.Value), fill, text, fmt.Sprintf("%s, %s: %s in base, %s in other, difference %s "+
		"(95 %% interval %s), p %s over %s", x.class, x.dimension, x.base.Text(), x.other.Text(), d.Text(), d.Range(),
		x.p.equal().text(onPage), count(x.n, "question"))}
}

// standings are where a case can stand in a run, in order.
var standings = []string{"pass", "commission", "over-refusal", "undecided", "ungradable", "unscored"}
