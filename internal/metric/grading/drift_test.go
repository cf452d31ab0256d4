package grading

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
)

// anchorsOf are n anchors, each a case of its own, of which one in three is correct, and one not attempted of ten.
func anchorsOf(n int) (all []Anchor, then []grade.Outcome) {
	for i := range n {
		truth := grade.Incorrect
		switch {
		case i%10 == 9:
			truth = grade.NotAttempted
		case i%3 == 0:
			truth = grade.Correct
		}
		all = append(all, Anchor{Key: Key{CaseID: fmt.Sprint("q", i)}, Truth: truth, Text: "t", Cluster: int32(i + 1)})
		then = append(then, truth)
	}
	return all, then
}

// TestDrift has a judge that calls eight right answers of 60 anchors wrong now: McNemar's exact p is 2^-7.
func TestDrift(t *testing.T) {
	all, then := anchorsOf(60)
	now := slices.Clone(then)
	flipped := 0
	for i := range now {
		if all[i].Truth == grade.Correct && flipped < 8 {
			now[i], flipped = grade.Incorrect, flipped+1
		}
	}
	now[1], then[2] = "", ""
	d := NewDrift(all, then, now, Options{Level: .95})
	right, wrong := 0, 0
	for i, a := range all {
		if a.Truth == grade.Incorrect && i > 2 {
			wrong++
		} else if a.Truth != grade.Incorrect {
			right++
		}
	}
	if d.N != 58 || d.Unreadable != 2 || d.Agreement.K != 50 || len(d.Flips) != 8 || d.FW.N != right || d.FR.N != wrong {
		t.Errorf("%+v", d)
	}
	if p := math.Pow(2, -7); math.Abs(d.Accepted.P-p) > 1e-12 || math.Abs(d.FW.P-p) > 1e-12 || d.FR.P != 1 ||
		math.Abs(d.FW.Adjusted-3*p) > 1e-12 || d.Drifted != 2 {
		t.Errorf("p %v, %v and %v; adjusted %v; %d drifted", d.Accepted.P, d.FW.P, d.FR.P, d.FW.Adjusted, d.Drifted)
	}
	if math.Abs(d.Accepted.Change.Value+8./58) > 1e-12 || math.Abs(d.FW.Change.Value-8/float64(right)) > 1e-12 ||
		d.Accepted.Change.Hi >= 0 {
		t.Errorf("changes %+v and %+v", d.Accepted.Change, d.FW.Change)
	}
	if !strings.HasPrefix(d.Says, "the judge has become stricter: of the same answers it accepts 13.8 [") ||
		!strings.Contains(d.Says, "; and stricter with answers that are not wrong: it calls them wrong by ") {
		t.Error(d.Says)
	}
	otherDrifts(t, all, then, now)
}

// otherDrifts checks the drift the other way round, none, that of few anchors and that of unreadable ones.
func otherDrifts(t *testing.T, all []Anchor, then, now []grade.Outcome) {
	t.Helper()
	back := NewDrift(all, now, then, Options{Level: .95})
	if !strings.HasPrefix(back.Says, "the judge has become more lenient: of the same answers it accepts 13.8 [") {
		t.Error(back.Says)
	}
	same := NewDrift(all, then, then, Options{Level: .95})
	if same.Drifted != 0 || len(same.Flips) != 0 || !strings.HasPrefix(same.Says, "no drift found; a change of ") {
		t.Errorf("%+v", same)
	}
	if few := NewDrift(all[:3], then[:3], then[:3], Options{Level: .95}); !strings.Contains(few.Says, "label more") {
		t.Error(few.Says)
	}
	none := make([]grade.Outcome, 60)
	if d := NewDrift(all, none, then, Options{Level: .95}); d.N != 0 || d.Says == "" || d.Agreement != nil {
		t.Errorf("%+v", d)
	}
}

// TestFingerprint is of the set, and of all that is in it.
func TestFingerprint(t *testing.T) {
	all, _ := anchorsOf(5)
	was := Fingerprint("s", all)
	turned := slices.Clone(all)
	slices.Reverse(turned)
	if Fingerprint("s", turned) != was || len(was) != 16 {
		t.Error("the order of anchors counts")
	}
	for name, change := range map[string]func(*Anchor){"label": func(a *Anchor) { a.Truth = grade.NotAttempted },
		"answer": func(a *Anchor) { a.Text += "." }, "case": func(a *Anchor) { a.CaseID = "x" },
		"variant": func(a *Anchor) { a.Variant++ }} {
		other := slices.Clone(all)
		change(&other[3])
		if Fingerprint("s", other) == was {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	if Fingerprint("z", all) == was {
		t.Error("another suite has the same fingerprint")
	}
}

// TestDriftSimulated: a judge that flips one verdict in twenty either way has not drifted, in 95 % of comparisons at
// least; and one that takes back what it accepts, by as much as detectable says, beside such flips of one in a hundred,
// is found in four of five at least. Of 400 draws (HALLMARK_LONG=full) 3 and 393.
func TestDriftSimulated(t *testing.T) {
	draws := archtest.Draws(10, 120, 400)
	all, truth := anchorsOf(150)
	alarms, found := 0, 0
	for i := range draws {
		rng := seed.Stream(5, "drift", fmt.Sprint(i))
		noise := func(v []grade.Outcome, rate float64) []grade.Outcome {
			out := slices.Clone(v)
			for k := range out {
				if rng.Float64() < rate {
					out[k] = Truths[rng.IntN(len(Truths))]
				}
			}
			return out
		}
		then := noise(truth, .2)
		d := NewDrift(all, noise(then, .05), noise(then, .05), Options{Level: .95})
		if d.Drifted > 0 {
			alarms++
		}
		quiet := NewDrift(all, then, then, Options{Level: .95})
		now := noise(then, .01)
		take := *quiet.Accepted.Detectable / quiet.Accepted.Then // of those that it accepts
		for k := range now {
			if now[k] == grade.Correct && rng.Float64() < take {
				now[k] = grade.Incorrect
			}
		}
		if NewDrift(all, then, now, Options{Level: .95}).Accepted.Adjusted < .05 {
			found++
		}
	}
	t.Logf("%d false alarms and %d found of %d", alarms, found, draws)
	n := float64(draws)
	if float64(alarms) > .05*n+3*math.Sqrt(n*.05*.95) {
		t.Errorf("%d false alarms of %d", alarms, draws)
	}
	if float64(found) < .8*n-3*math.Sqrt(n*.8*.2) {
		t.Errorf("%d of %d changes that are to be found were", found, draws)
	}
}
