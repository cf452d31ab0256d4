package stat

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// labelled repeats pairs of what people and grader said: human, grader, count, human, grader, count, …
func labelled(triples ...float64) (human, grader []float64) {
	for i := 0; i < len(triples); i += 3 {
		for range int(triples[i+2]) {
			human, grader = append(human, triples[i]), append(grader, triples[i+1])
		}
	}
	return human, grader
}

func verdicts(ones, zeros int) []float64 {
	xs := make([]float64, ones+zeros)
	for i := range ones {
		xs[i] = 1
	}
	return xs
}

// ppi-python 0.2.3 with numpy 2.4.6 and scipy 1.17.1: ppi_mean_pointestimate, and the half-width of ppi_mean_ci by
// norm.ppf(.975).
func TestPredictionPoweredReference(t *testing.T) {
	for _, tt := range []struct {
		pairs       []float64
		ones, zeros int
		value, se   float64
	}{
		{[]float64{1, 1, 8, 1, 0, 3, 0, 1, 2, 0, 0, 37}, 180, 670, .22773046701260186, .04300635830574376},
		{[]float64{1, 1, 20, 1, 0, 10, 0, 1, 10, 0, 0, 60}, 60, 140, .30000000000000004, .04142314913126014},
		{[]float64{.5, 1, 2, 1, 1, 5, 0, 1, 1, .5, 0, 1, 0, 0, 21}, 100, 200, .25569829088347606, .04196713356568883},
		{[]float64{1, 1, 5, 0, 0, 25}, 100, 200, .2633744855967078, .0326359329966967},
	} {
		human, grader := labelled(tt.pairs...)
		c := PredictionPowered([]Stratum{{human, grader, verdicts(tt.ones, tt.zeros), nil}}, .95)
		if !archtest.Near(c.Value, tt.value, 1e-12) || !archtest.Near(c.SE, tt.se, 1e-12) {
			t.Errorf("%v: %v ± %v, want %v ± %v", tt.pairs, c.Value, c.SE, tt.value, tt.se)
		}
		if !(c.Lo < c.Value && c.Value < c.Hi) || c.N != len(human)+tt.ones+tt.zeros || c.Labelled != len(human) {
			t.Errorf("%v: %+v", tt.pairs, c)
		}
	}
}

// By hand. Of 4 labelled cases the grader fails 2, people 1 of these; 4 others, 2 failed. cov(Y, f) = 1/4 - 1/4·1/2 =
// 1/8, var f over all 8 is 4·4/8/7 = 2/7, λ = (1/8)/(2·2/7) = 7/32; θ = (1 - 2·7/32)/4 + 7/32·1/2 = 9/64 + 7/64 = 1/4.
func TestPredictionPoweredByHand(t *testing.T) {
	human, grader := labelled(1, 1, 1, 0, 1, 1, 0, 0, 2)
	c := PredictionPowered([]Stratum{{human, grader, verdicts(2, 2), nil}}, .95)
	if !archtest.Near(c.Lambda[0], 7./32, 1e-15) || !archtest.Near(c.Value, .25, 1e-15) {
		t.Errorf("λ = %v, θ = %v, want 7/32 and 1/4", c.Lambda[0], c.Value)
	}
	// Two strata of weights 3/4 and 1/4: the second is labelled whole, so people alone count there: 1/2.
	// θ = 3/4·1/4 + 1/4·1/2 = 5/16 with 12 further cases in the first, of the same make.
	h2, g2 := labelled(1, 0, 4, 0, 1, 4)
	h1, g1 := labelled(1, 1, 3, 0, 1, 3, 0, 0, 6)
	two := PredictionPowered([]Stratum{{h1, g1, verdicts(6, 6), nil}, {h2, g2, nil, nil}}, .95)
	if !archtest.Near(two.Value, 5./16, 1e-15) || two.Lambda[1] != 0 || two.N != 32 || two.Labelled != 20 {
		t.Errorf("two strata: %+v, want 5/16", two)
	}
}

func TestPredictionPoweredEdges(t *testing.T) {
	if c := PredictionPowered(nil, .95); c.OK() || c.Known() != nil {
		t.Errorf("no case gives %+v", c)
	}
	human, grader := labelled(0, 0, 30)
	agree := PredictionPowered([]Stratum{{human, grader, verdicts(0, 300), nil}}, .95)
	if agree.Value != 0 || agree.Lo != 0 || agree.SE != 0 || agree.Hi < .05 {
		t.Errorf("30 cases that all pass: %+v; the plug-in error is 0 and the interval must not be", agree)
	}
	trusted := PredictionPowered([]Stratum{{human, grader, verdicts(0, 300), nil}, {Others: verdicts(10, 90)}}, .95)
	if !archtest.Near(trusted.Value, 100./430*.1, 1e-15) || !strings.Contains(strings.Join(trusted.Warnings, ""),
		"100 of 430 cases stand in a stratum") {
		t.Errorf("a stratum without labels: %+v", trusted)
	}
	if few := PredictionPowered([]Stratum{{human[:1], grader[:1], verdicts(1, 0), nil}}, .95); len(few.Warnings) == 0 ||
		few.Hi < .9 {
		t.Errorf("one label: %+v", few)
	}
	before := slices.Clone(human)
	PredictionPowered([]Stratum{{human, grader, nil, nil}}, .95)
	if !slices.Equal(human, before) {
		t.Error("the argument changed")
	}
}

// The interval covers the rate that people would find over the population the cases were drawn from, at 95 % less three
// standard errors of Monte Carlo: also where the grader errs in one stratum and labels are few. HALLMARK_LONG=full
// prints more draws beside what z SE covers.
func TestPredictionPoweredCoverage(t *testing.T) {
	draws := archtest.Draws(80, 2000, 10_000)
	type kind struct {
		share, fails, miss,
		alarm float64
	} // share of cases; that fail; of the failing that the grader passes; of the passing that it fails
	for _, tt := range []struct {
		name   string
		cases  int
		labels []int
		kinds  []kind
	}{
		{"good grader, 90 of 900", 900, []int{90}, []kind{{1, .25, .05, .02}}},
		{"poor grader, 90 of 900", 900, []int{90}, []kind{{1, .25, .4, .2}}},
		{"rare, 50 of 900", 900, []int{50}, []kind{{1, .03, .2, .01}}},
		{"few labels, 15 of 200", 200, []int{15}, []kind{{1, .3, .1, .1}}},
		{"two strata, 60 + 30 of 900", 900, []int{60, 30}, []kind{{.1, .5, .3, .2}, {.9, .2, .02, .01}}},
		{"all labelled, 40", 40, []int{40}, []kind{{1, .2, .3, .1}}},
		{"perfect grader, 50 of 500", 500, []int{50}, []kind{{1, .1, 0, 0}}},
	} {
		r := seed.Stream(1, "ppi", tt.name)
		var truth float64
		for _, k := range tt.kinds {
			truth += k.share * k.fails
		}
		held, plain := 0, 0
		var width float64
		for range draws {
			strata := make([]Stratum, len(tt.kinds))
			for range tt.cases {
				u, i := r.Float64(), 0
				for i < len(tt.kinds)-1 && u >= tt.kinds[i].share {
					u -= tt.kinds[i].share
					i++
				}
				k := tt.kinds[i]
				var y, f float64
				if r.Float64() < k.fails {
					y = 1
				}
				if y == 1 && r.Float64() >= k.miss || y == 0 && r.Float64() < k.alarm {
					f = 1
				}
				// Draws are independent, so the first ones are a random sample.
				if s := &strata[i]; len(s.Human) < tt.labels[i] {
					s.Human, s.Grader = append(s.Human, y), append(s.Grader, f)
				} else {
					s.Others = append(s.Others, f)
				}
			}
			c := PredictionPowered(strata, .95)
			if c.Lo <= truth && truth <= c.Hi {
				held++
			}
			if math.Abs(c.Value-truth) <= Z(.95)*c.SE {
				plain++
			}
			width += c.Hi - c.Lo
		}
		share := float64(held) / float64(draws)
		if full {
			fmt.Printf("ppi %-28s %.4f, z SE %.4f, width %.3f\n", tt.name, share, float64(plain)/float64(draws),
				width/float64(draws))
		}
		if floor := archtest.Least(.95, draws); share < floor {
			t.Errorf("%s: covered %.4f, want at least %.4f (z SE: %.4f)", tt.name, share, floor, float64(plain)/float64(draws))
		}
	}
}

// Cases in clusters that are alike, labelled by case, in strata that are how they were read: the interval by cluster
// covers, that by case far less often; without clusters it is that by case, to the bit.
func TestPredictionPoweredByCluster(t *testing.T) {
	draws := archtest.Draws(100, 500, 2000)
	for _, tt := range []struct {
		cases, labels int
		fails         float64
		split, uneven bool    // strata by how cases were read; clusters of 1 to 30, else of 5
		most          float64 // by case
	}{
		{100, 60, .1, true, false, .93}, {500, 90, .1, true, false, .98}, {500, 90, .5, false, false, .9},
		{500, 500, .5, true, false, .75}, {500, 500, .01, false, false, .75}, {500, 200, .1, true, true, .75},
		{500, 120, .5, false, true, .75},
	} {
		r := seed.Stream(2, "ppi by cluster", fmt.Sprint(tt))
		held, bare := 0., 0.
		for range draws {
			var y, f float64
			left, at := 0, int32(0)
			type one struct {
				y, f    float64
				cluster int32
			}
			var all []one
			for range tt.cases {
				if left == 0 {
					if left, at = 5, at+1; tt.uneven {
						left = 1 + r.IntN(30)
					}
					y, f = 0, 0
					if r.Float64() < tt.fails {
						y = 1
					}
					if miss := r.Float64(); y == 1 && miss >= .2 || y == 0 && miss < .05 {
						f = 1
					}
				}
				left--
				all = append(all, one{y, f, at})
			}
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			strata := make([]Stratum, 2)
			others := make([][]int32, 2)
			for i, c := range all {
				s := 0
				if tt.split {
					s = int(c.f)
				}
				if i < tt.labels {
					strata[s].Human, strata[s].Grader = append(strata[s].Human, c.y), append(strata[s].Grader, c.f)
					strata[s].Clusters = append(strata[s].Clusters, c.cluster)
				} else {
					strata[s].Others, others[s] = append(strata[s].Others, c.f), append(others[s], c.cluster)
				}
			}
			for s := range strata {
				strata[s].Clusters = append(strata[s].Clusters, others[s]...)
			}
			if e := PredictionPowered(strata, .95); e.Lo <= tt.fails && tt.fails <= e.Hi {
				held += 1 / float64(draws)
			}
			for s := range strata {
				strata[s].Clusters = nil
			}
			if e := PredictionPowered(strata, .95); e.Lo <= tt.fails && tt.fails <= e.Hi {
				bare += 1 / float64(draws)
			}
		}
		t.Logf("%+v: %.3f by cluster, %.3f by case", tt, held, bare)
		if held < .93 || bare > tt.most {
			t.Errorf("%+v: %.3f by cluster, %.3f by case", tt, held, bare)
		}
	}
}
