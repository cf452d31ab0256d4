package report

import (
	"fmt"
	"math"
	"slices"

	"hallmark/internal/stat/figure"
)

// failing is how the share of the cases of one class that fail on one dimension changed: in the table, and as drawn.
// What fails less is of one colour, what fails more of the other, and each has its sign in figures; a star is on what
// stands after the adjustment.
func (c comparison) failing(path ...string) (cell, heatCell) {
	at := c.t.under(append([]string{"confusion"}, path...)...)
	base, other, d, p := at("base"), at("other"), at("difference"), at("mcnemar_p_holm")
	if !d.OK {
		return judgedOnNone(d, path[1:])
	}
	tone, star := "err", p.OK && p.Value < .05
	if d.Value < 0 {
		tone = "ok"
	}
	text := share.Change(d.Value)
	x := cellOf(d).under(within(d), "; ", base, " to ", other, "; p ", p).briefly(fmt.Sprintf("%s (%s, %s)",
		figure.WholeChange(d.Value), figure.WholeChange(d.Lo), figure.WholeChange(d.Hi)))
	if star {
		x.Brief, x.Tone, text = x.Brief+"*", tone, text+" *"
	}
	n := c.t.Whole(slices.Concat([]string{"confusion"}, path, []string{"n"})...)
	return x, heatCell{true, math.Abs(d.Value), tone, text, fmt.Sprintf("%s, %s: %s in base, %s in other, difference "+
		"%s (95 %% interval %s), p %s over %s", orNameless(path[1]), path[2], base.Text(), other.Text(), d.Text(),
		d.Range(), p.equal().text(onPage), count(n, "question"))}
}

// standings are where a case can stand in a run, in order.
var standings = []string{"pass", "commission", "over-refusal", "undecided", "ungradable", "unscored"}
