package annotate

import (
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
)

// Rates are the shares of all answers that people would find correct, incorrect and not attempted, by what graders
// read on all of them and what people said of a sample: see Result.Outcomes.
type Rates struct {
	N        int `json:"n"`        // answers that came back
	Labelled int `json:"labelled"` // of them
	// Drawn are the labels that correct: of answers that were drawn at random. Others only replace the verdicts on
	// their answers.
	Drawn int `json:"drawn"`
	// The corrected shares, which sum to 1; null while there are too few labels.
	Correct      *stat.Rate `json:"correct"`
	Incorrect    *stat.Rate `json:"incorrect"`
	NotAttempted *stat.Rate `json:"not_attempted"`

	IncorrectGivenAttempted *stat.Rate `json:"incorrect_given_attempted"` // incorrect over correct and incorrect

	Strata []ReadAs `json:"strata"`
	// Missing is how many further labels are needed before the shares can be corrected; 0 where they are.
	Missing int `json:"missing"`
	// More is how many further labels bring the interval of incorrect to ±5 points; null where labels of all would not.
	More *int `json:"more"`
}

// A ReadAs is the answers of one stratum of the sample that were read alike, and what people say of those of them
// that were drawn.
type ReadAs struct {
	Stratum Stratum       `json:"stratum,omitempty"` // none over variants
	Read    grade.Outcome `json:"read"`
	Cases   int           `json:"cases"`

	grading.Truly[int] // by what people say
}

// halfWidth is the half of the interval that More leads to.
const halfWidth = .05

// outcome returns what a rater says that an answer did, whose act the grader read; "" where the verdicts do not
// say. What fails is incorrect, unless the answer asserts nothing.
func (l *Label) outcome(act grade.Act) grade.Outcome {
	switch {
	case l.Outcome != "":
		return grade.Outcome(l.Outcome)
	case l.Truth == NotApplicable:
		return grade.NotAttempted
	case l.Truth == Fail || l.Decidability == Fail:
		if act.Withheld() == grade.NotAttempted {
			return grade.NotAttempted
		}
		return grade.Incorrect
	case l.Truth == Pass && l.Decidability == Pass:
		return grade.Correct
	}
	return ""
}

// settled returns what people say that an answer did: the adjudicator, else more than half of those who say
// anything; "" where neither does.
func (u *rated) settled() grade.Outcome {
	votes := map[grade.Outcome]int{}
	for _, rater := range slices.Sorted(maps.Keys(u.labels)) {
		switch o := grade.Outcome(u.outcomeBy(u.labels[rater])); {
		case o == "":
		case rater == Adjudicator:
			return o
		default:
			votes[o]++
		}
	}
	return majority(votes)
}

// majority returns what more than half of the votes are for, "" where there is nothing.
func majority(votes map[grade.Outcome]int) grade.Outcome {
	n := 0
	for _, k := range votes {
		n += k
	}
	for o, k := range votes {
		if 2*k > n {
			return o
		}
	}
	return ""
}

// drawn reports whether the answer was on a sheet that was drawn at random.
func (u *rated) drawn() bool {
	for _, l := range u.labels {
		if l.Seed != 0 && l.ByReading {
			return true
		}
	}
	return false
}

// rates corrects the outcomes by correct.Sample.Rates over the answers that were read alike in each stratum of the
// sample. It takes 30 labels in all and three of each stratum, or all of it. Strata that are not drawn by
// how their answers were read go together where some reading has too few labels. Bounds are by cluster where cases are.
func rates(all []*rated, seedValue uint64, level float64) *Rates {
	cells := make([]ReadAs, len(Strata)*len(grade.Outcomes))
	for i := range cells {
		cells[i].Stratum, cells[i].Read = Strata[i/len(grade.Outcomes)], grade.Outcomes[i%len(grade.Outcomes)]
	}
	var cases [][]correct.Answer
	var cluster []int32
	for _, u := range all {
		read := slices.Index(grade.Outcomes, u.Grade.Outcome())
		if read < 0 {
			continue
		}
		a := correct.Answer{Stratum: slices.Index(Strata, u.Stratum)*len(grade.Outcomes) + read,
			Kind: slices.Index(grading.Truths, u.settled())}
		if a.Kind >= 0 && u.drawn() {
			a.Weight = 1
		}
		cases, cluster = append(cases, []correct.Answer{a}), append(cluster, u.Cluster)
	}
	r := counting(cells, cases)
	if r.Labelled == 0 {
		return nil
	}
	to, n := strata(cells)
	for _, c := range cases {
		c[0].Stratum = to[c[0].Stratum]
	}
	r.correct(correct.OfClusters(cases, cluster, n, len(grading.Truths)), seedValue, level)
	return r
}

// counting counts the answers of cases, as correct.Of takes them, in the cells that are their strata.
func counting(cells []ReadAs, cases [][]correct.Answer) *Rates {
	r := &Rates{Strata: []ReadAs{}}
	for _, answers := range cases {
		in := map[int]bool{} // the case has such an answer
		for _, a := range answers {
			s := &cells[a.Stratum]
			r.N++
			if !in[a.Stratum] {
				in[a.Stratum] = true
				s.Cases++
			}
			if a.Kind >= 0 {
				r.Labelled++
			}
			if a.Weight > 0 {
				r.Drawn++
				*s.Of(grading.Truths[a.Kind])++
			}
		}
	}
	for _, s := range cells {
		if s.Cases > 0 {
			r.Strata = append(r.Strata, s)
		}
	}
	return r
}

// strata numbers the strata by which shares are corrected, of each cell: what was read alike in one stratum of the
// sample, or all of that.
func strata(cells []ReadAs) (of []int, n int) {
	whole := map[Stratum]bool{}
	for _, s := range cells {
		few := s.Correct+s.Incorrect+s.NotAttempted < min(correct.LeastEach, s.Cases)
		whole[s.Stratum] = whole[s.Stratum] || few && !byReading(s.Stratum)
	}
	of = make([]int, len(cells))
	begun := map[Stratum]bool{}
	for i, s := range cells {
		if s.Cases > 0 && !(whole[s.Stratum] && begun[s.Stratum]) {
			n++
			begun[s.Stratum] = true
		}
		of[i] = n - 1
	}
	return of, n
}

// correct fills in the shares that a sample makes, with the outcomes in the order of grading.Truths, and how many
// more labels would do; or how many are missing before that.
func (r *Rates) correct(sample *correct.Sample, seedValue uint64, level float64) {
	if r.Missing = sample.Lack().All; r.Missing > 0 {
		return
	}
	e := sample.Rates(level, seedValue)
	r.Correct, r.Incorrect, r.NotAttempted = e[0].Rate(), e[1].Rate(), e[2].Rate()
	r.IncorrectGivenAttempted = sample.Among(1, []int{0, 1}, level, seedValue).Rate()
	if m, ok := sample.Enough(1, 2*halfWidth, level); ok {
		r.More = &m
	}
}

// Says returns what people say that the answers of items did, by their ids: those of whom they agree, or that were
// settled.
func Says(items []Item, annotations []run.Annotation) (map[string]grade.Outcome, error) {
	return saidOf(items, annotations, func(u *rated) (grade.Outcome, bool) {
		o := u.settled()
		return o, o != ""
	})
}

// wanting says in words what is missing before the outcomes, or those over variants, can be corrected, "" where nothing
// is.
func (r *Rates) wanting(overVariants bool) string {
	switch {
	case r.Missing == 0:
		return ""
	case overVariants:
		return fmt.Sprintf("%d more labels of answers to all variants are needed before their shares can be "+
			"corrected: `hallmark annotate export --variants` draws them", r.Missing)
	case r.N < correct.LeastLabels:
		return fmt.Sprintf("the share of wrong answers is not corrected, as there are fewer than %d answers: "+
			"labels replace the verdicts on their own answers", correct.LeastLabels)
	}
	return fmt.Sprintf("%d more labels are needed before the share of wrong answers can be corrected (%d in all, "+
		"and %d of the answers that were read alike): "+
		"`hallmark annotate export` draws them; until then labels replace the verdicts on their own answers",
		r.Missing, correct.LeastLabels, correct.LeastEach)
}
