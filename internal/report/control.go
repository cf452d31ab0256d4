package report

import (
	"fmt"
)

// A controlView is the control chart of a curve.
type controlView struct {
	Centre, Lo, Hi   fig
	Baseline, Beyond bool
	Says             string
}

func controlOf(b branch, u unit) controlView {
	at := func(key string) fig { return b.fig(u, "control", key) }
	c := controlView{Centre: at("centre"), Lo: at("lo"), Hi: at("hi"), Baseline: b.is("control", "baseline"),
		Beyond: b.is("control", "beyond")}
	value := b.fig(u)
	switch {
	case !c.Lo.OK || !value.OK:
	case c.Baseline:
		c.Says = "baseline"
	case c.Beyond && value.Value < c.Lo.Value:
		c.Says = "beyond the limits: below"
	case c.Beyond:
		c.Says = "beyond the limits: above"
	default:
		c.Says = "within"
	}
	return c
}

// limits writes the control limits of a curve in words.
func (c *controlView) limits() string {
	if !c.Lo.OK {
		return ""
	}
	f := c.Lo
	f.Lo, f.Hi, f.Bounded = c.Lo.Value, c.Hi.Value, true
	return narrow(f.Range())
}

// beyonds says which points of a series lie beyond their limits, a sentence each.
func beyonds(t tree) []string {
	list := t.Items("beyond")
	var out []string
	for i := range list {
		b := t.sub("beyond", fmt.Sprint(i))
		out = append(out, fmt.Sprintf("%s of run %d (%s) is %s its control limits", called("curves", b.Text("curve")),
			b.Whole("at")+1, clip(oneLine(b.Text("run")), 24), b.Text("side")))
	}
	return out
}

// ends says from where to where the plots of a curve run.
func ends(s scale, u unit) string {
	if u == share {
		return fmt.Sprintf("plots run from 0 to %g %%", float64(s)*100)
	}
	return fmt.Sprintf("plots run from 0 to %g", float64(s))
}
