package correct

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hallmark/internal/stat"
)

// A world is a run whose truth is known: a share of the answers is wrong, and a grader reads fw of the right ones as
// wrong and fr of the wrong ones as right. From 3 strata on some are ungradable, wrong ones more often, and from 4 on
// each reading is parted for no reason.
type world struct {
	n, labels    int // cases, labels
	rate, fw, fr float64
	strata       int
	how          string // labels go in proportion ("random") or as Next says, in lots of 10 ("adaptive")
	each         int    // answers of a case; 0: 1
	uneven       bool   // cases that fail less than others have one answer
}

func (w world) String() string {
	return fmt.Sprintf("n %d, labels %d, rate %.2f, fw %.2f, fr %.2f, strata %d, %s, %d a case, uneven %v", w.n, w.labels,
		w.rate, w.fw, w.fr, w.strata, w.how, max(1, w.each), w.uneven)
}

// What an answer truly is.
const (
	wrong = iota
	right
)

// read returns how the grader reads an answer, as a stratum.
func (w world) read(kind int, r *rand.Rand) int {
	at := kind
	if r.Float64() < [2]float64{w.fr, w.fw}[kind] {
		at = 1 - kind
	}
	if w.strata == 2 {
		return at
	}
	if r.Float64() < [2]float64{.25, .15}[kind] {
		at = 2
	}
	pieces := (w.strata - at + 2) / 3
	return at + 3*r.IntN(pieces)
}

// A pool is the answers of one stratum that have no label yet, by what they are.
type pool [2]int

// label draws one of them.
func (p *pool) label(r *rand.Rand) int {
	kind := right
	if r.IntN(p[wrong]+p[right]) < p[wrong] {
		kind = wrong
	}
	p[kind]--
	return kind
}

// sample draws a run with one answer a case, and labels it.
func (w world) sample(r *rand.Rand) *Sample {
	pools, strata := make([]pool, w.strata), make([]Counts, w.strata)
	for range w.n {
		kind := right
		if r.Float64() < w.rate {
			kind = wrong
		}
		pools[w.read(kind, r)][kind]++
	}
	for i, p := range pools {
		strata[i] = Counts{N: p[wrong] + p[right], Labels: make([]int, 2)}
	}
	label := func(take []int) *Sample {
		for i, k := range take {
			for ; k > 0 && pools[i][wrong]+pools[i][right] > 0; k-- {
				strata[i].Labels[pools[i].label(r)]++
			}
		}
		return Counted(strata)
	}
	return w.labelled(Counted(strata), label)
}

// labelled labels a sample in the world's way.
func (w world) labelled(s *Sample, label func(take []int) *Sample) *Sample {
	if w.how == "random" {
		return label(proportional(s, w.labels))
	}
	const lot = 10
	s = label(s.Next(wrong, min(w.labels, LeastLabels)))
	for left := w.labels - LeastLabels; left > 0; left -= lot {
		s = label(s.Next(wrong, min(lot, left)))
	}
	return s
}

// proportional gives 3 labels to each stratum and the others by its cases.
func proportional(s *Sample, labels int) []int {
	take := make([]int, len(s.Strata))
	cases, left := 0, labels
	for i, x := range s.Strata {
		take[i] = min(3, x.Cases)
		left -= take[i]
		cases += x.Cases
	}
	for i, x := range s.Strata {
		take[i] += int(math.Round(float64(max(0, left)) * float64(x.Cases) / float64(cases)))
	}
	return take
}

// clustered draws a run in which cases have several answers, and labels it by Draw. The rate of a case is Beta with the
// world's as its mean, so that 0 and 1 are near; a case has two values, one in about 7 of 10 answers, each read one
// way.
func (w world) clustered(r *rand.Rand) *Sample {
	var cases [][]Answer
	var truth [][2]int
	for range w.n {
		x := gamma(w.rate, r)
		p := x / (x + gamma(1-w.rate, r))
		var kinds, reads [2]int
		for v := range kinds {
			if r.Float64() >= p {
				kinds[v] = right
			}
			reads[v] = w.read(kinds[v], r)
		}
		each := w.each
		if w.uneven && p < w.rate { // the cases of the more right answers have more of them
			each = 1
		}
		answers := make([]Answer, each)
		for i := range answers {
			v := 0
			if r.Float64() < .3 {
				v = 1
			}
			answers[i] = Answer{Stratum: reads[v], Value: string(rune('a' + v)), Kind: NoLabel}
		}
		cases, truth = append(cases, answers), append(truth, kinds)
	}
	seedValue := r.Uint64()
	return w.labelled(Of(cases, w.strata, 2), func(take []int) *Sample {
		for _, p := range Draw(cases, take, seedValue) {
			a := &cases[p.Case][p.Answer]
			a.Kind, a.Weight = truth[p.Case][a.Value[0]-'a'], p.Weight
		}
		return Of(cases, w.strata, 2)
	})
}

// A reader is a grader as a check measures it: how answers of each kind (correct, incorrect, not attempted) are read,
// as one of four.
type reader [3][4]float64

// The aims of GRADING 7; a grader as bad as the first; and one that leaves little ungradable and calls one of ten right
// answers wrong.
var readers = map[string]reader{
	"aims":   {{.80, .02, .005, .175}, {.02, .72, .01, .25}, {.005, .015, .83, .15}},
	"poor":   {{.60, .20, .01, .19}, {.08, .60, .02, .30}, {.02, .20, .60, .18}},
	"severe": {{.87, .10, .00, .03}, {.03, .92, .00, .05}, {.01, .02, .95, .02}},
}

func (m reader) rows() (rows [][]float64) {
	for _, row := range m {
		rows = append(rows, row[:])
	}
	return rows
}

// rates returns the cell of a world.
func (w world) rates() cell {
	draw := w.sample
	if w.each > 1 {
		draw = w.clustered
	}
	return cell{w.String(), w.rate, func(r *rand.Rand) stat.Estimate {
		return draw(r).rates([]int{wrong}, .95, 500, r.Uint64())[0]
	}}
}

// simple draws a run of which a simple random sample of all answers is labelled.
func (w world) simple(r *rand.Rand) *Sample {
	s := &Sample{Strata: make([]Stratum, w.strata), Cases: w.n, Answers: w.n, kinds: 2}
	for i := range s.Strata {
		s.Strata[i] = Stratum{Drawn: 1, Labels: []float64{1e-12, 1e-12}} // no label is none
	}
	for i := range w.n {
		kind := right
		if r.Float64() < w.rate {
			kind = wrong
		}
		x := &s.Strata[w.read(kind, r)]
		x.Answers++
		x.Mass++
		x.Cases++
		if i < w.labels {
			x.Drawn++
			x.Labels[kind]++
		}
	}
	return s
}
