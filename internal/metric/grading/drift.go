package grading

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// An Anchor is a labelled answer that a judge is asked about at several times.
type Anchor struct {
	Key
	Truth   grade.Outcome
	Text    string
	Cluster int32 // of cases that are one observation; 0: one by itself
}

// Fingerprint names a set of anchors: 16 hexadecimal digits of SHA-256 over the hash of the suite and every anchor,
// the same in any order.
func Fingerprint(suiteHash string, anchors []Anchor) string {
	rows := make([]string, len(anchors))
	for i, a := range anchors {
		rows[i] = fmt.Sprintf("%q %d %d %q %q", a.CaseID, a.Variant, a.Repeat, a.Truth, a.Text)
	}
	slices.Sort(rows)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", suiteHash, rows))
	return hex.EncodeToString(sum[:8])
}

// A Moved is a share then and now, with its paired change.
type Moved struct {
	N    int     `json:"n"` // anchors that have a verdict then and now
	Then float64 `json:"then"`
	Now  float64 `json:"now"`
	// Change is now less then, with an interval and McNemar's exact test (stat.Paired), and adjusted for the shares of
	// the document that are tested.
	Change   stat.Estimate `json:"change"`
	P        float64       `json:"p"`
	Adjusted float64       `json:"p_holm"`
	// Detectable is the least fall or rise that this many anchors find with a power of .8; null where none is found.
	Detectable *float64 `json:"detectable"`
}

// A Flip is an anchor with another verdict now.
type Flip struct {
	Key
	Truth   grade.Outcome `json:"true"`
	Then    grade.Outcome `json:"then"`
	Now     grade.Outcome `json:"now"`
	Excerpt string        `json:"excerpt"`
}

// A Drift is how a judge's verdicts on the same anchors changed.
type Drift struct {
	N          int    `json:"n"`          // anchors with a verdict then and now
	Unreadable int    `json:"unreadable"` // without one then or now
	Agreement  *Share `json:"agreement"`  // of N: the same verdict
	// Accepted is the share read as correct: the judge is stricter where it falls. FW and FR are as in grade check.
	Accepted *Moved `json:"accepted"`
	FW       *Moved `json:"fw"` // of anchors that are not incorrect: read as incorrect
	FR       *Moved `json:"fr"` // of anchors that are incorrect: read otherwise
	Flips    []Flip `json:"flips"`
	Drifted  int    `json:"drifted"` // changes of the three whose adjusted p is below 1 - level
	Says     string `json:"says"`    // what follows, in a sentence
}

// NewDrift compares the verdicts of one judge on anchors at two times; "" is a verdict that could not be read, and
// leaves the anchor out. The three changes are tested together (stat.Holm). It changes nothing.
func NewDrift(anchors []Anchor, then, now []grade.Outcome, o Options) *Drift {
	show := o.shown()
	d := &Drift{Flips: []Flip{}}
	var both []int
	same := []float64{}
	var cluster []int32
	for i, a := range anchors {
		if then[i] == "" || now[i] == "" {
			d.Unreadable++
			continue
		}
		both, cluster = append(both, i), append(cluster, a.Cluster)
		if same = append(same, stat.Bit(then[i] == now[i])); then[i] != now[i] {
			d.Flips = append(d.Flips, Flip{Key{show(a.CaseID), a.Variant, a.Repeat}, a.Truth, then[i], now[i],
				show(excerpt(a.Text))})
		}
	}
	d.N = len(both)
	if d.N == 0 {
		d.Says = "no anchor has a verdict then and now, so nothing can be said"
		return d
	}
	e := stat.ShareByCluster(same, cluster, o.Level)
	d.Agreement = &Share{d.N - len(d.Flips), d.N, stat.Rate(e)}
	moved := func(counts func(*Anchor) bool, yes func(grade.Outcome) bool) *Moved {
		var was, is []float64
		var of []int32
		for _, i := range both {
			if counts(&anchors[i]) {
				was, is, of = append(was, stat.Bit(yes(then[i]))), append(is, stat.Bit(yes(now[i]))),
					append(of, anchors[i].Cluster)
			}
		}
		return newMoved(was, is, of, o.Level)
	}
	d.Accepted = moved(func(*Anchor) bool { return true }, func(o grade.Outcome) bool { return o == grade.Correct })
	d.FW = moved(func(a *Anchor) bool { return a.Truth != grade.Incorrect },
		func(o grade.Outcome) bool { return o == grade.Incorrect })
	d.FR = moved(func(a *Anchor) bool { return a.Truth == grade.Incorrect },
		func(o grade.Outcome) bool { return o != grade.Incorrect })
	d.conclude(o.Level)
	return d
}

// tested are the shares whose changes are tested together.
const tested = 3

func newMoved(was, is []float64, cluster []int32, level float64) *Moved {
	if len(was) == 0 {
		return nil
	}
	d := stat.Paired(was, is, cluster, level)
	m := &Moved{N: len(was), Change: d.Estimate, P: d.P}
	for i := range was {
		m.Then += was[i] / float64(len(was))
		m.Now += is[i] / float64(len(was))
	}
	n := cmp.Or(stat.Clusters(cluster), len(was))
	// a fall, and a rise as the fall of the other share; verdicts that are repeated correlate highly, and how highly is
	// not known of few flips: .9 at most
	for _, base := range []float64{m.Then, 1 - m.Then} {
		if least, ok := detectable(base, n, 1-(1-level)/tested); ok && (m.Detectable == nil || least > *m.Detectable) {
			m.Detectable = &least
		}
	}
	return m
}

// detectable is stat.DetectablePaired at the highest correlation up to .9 at which there is such a fall.
func detectable(base float64, n int, level float64) (least float64, ok bool) {
	for _, rho := range []float64{.9, .75, .5, .25, 0} {
		if least, ok := stat.DetectablePaired(base, rho, min(n, stat.MostPaired), level, detectPower); ok {
			return least, true
		}
	}
	return 0, false
}

const detectPower = .8

// conclude adjusts the tests and says what follows.
func (d *Drift) conclude(level float64) {
	type said struct {
		*Moved
		rise, fall string
	}
	all := []said{
		{d.Accepted, "more lenient: of the same answers it accepts %s more",
			"stricter: of the same answers it accepts %s fewer"},
		{d.FW, "stricter with answers that are not wrong: it calls them wrong by %s more",
			"more lenient with answers that are not wrong: it calls them wrong by %s fewer"},
		{d.FR, "more lenient with wrong answers: it lets them pass by %s more",
			"stricter with wrong answers: it lets them pass by %s fewer"},
	}
	all = slices.DeleteFunc(all, func(x said) bool { return x.Moved == nil })
	var p []float64
	for _, x := range all {
		p = append(p, x.P)
	}
	for i, adjusted := range stat.Holm(p) {
		x := all[i]
		if x.Adjusted = adjusted; adjusted >= 1-level {
			continue
		}
		says, size := x.rise, x.Change
		if size.Value < 0 {
			says, size = x.fall, size.Times(-1)
		}
		if d.Drifted++; d.Drifted > 1 {
			d.Says += "; and " + fmt.Sprintf(says, bracketed("", size)+" points")
			continue
		}
		d.Says = "the judge has become " + fmt.Sprintf(says, bracketed("", size)+" points")
	}
	switch {
	case d.Drifted > 0:
	case d.Accepted.Detectable == nil:
		d.Says = "no drift found; so few anchors would have shown none: label more"
	default:
		d.Says = fmt.Sprintf("no drift found; a change of %s points or more in what it accepts would have been, four "+
			"times in five", figure.Fixed(100**d.Accepted.Detectable, 1))
	}
}
