package annotate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/run"
)

// seenTwice is how many answers two raters are to label, by which it is seen how far labels err.
const seenTwice = 30

// contradicts reports whether people say otherwise than the grader that was sure enough to decide.
func (u *rated) contradicts() bool {
	said, read := u.settled(), u.Grade.Outcome()
	return said != "" && read != grade.CannotGrade && said != read
}

// alone says in words that the labels of a corrected rate were not seen twice where they should be, "" where they
// were or correct nothing: fewer than seenTwice answers have two raters, or one that contradicts the grader has
// one. Source: GRADING 4 (3 % of wrong labels at a true rate of .05 leave .54 to .80 covered).
func alone(all []rated, of ...*Rates) string {
	if !slices.ContainsFunc(of, func(r *Rates) bool { return r != nil && r.Incorrect != nil }) {
		return ""
	}
	labelled, two, against := 0, 0, 0
	for i := range all {
		u := &all[i]
		if u.settled() == "" && len(u.labels) < 2 {
			continue
		}
		labelled++
		switch {
		case len(u.labels) > 1:
			two++
		case u.contradicts():
			against++
		}
	}
	if two >= min(seenTwice, labelled) && against == 0 {
		return ""
	}
	return fmt.Sprintf("the interval leaves out that labels err: %d answers were labelled by two raters, where %d "+
		"are asked for, and %d labels that contradict the grader are of one rater alone: "+
		"`hallmark annotate export --second --rater NAME` draws what another is to see", two,
		min(seenTwice, labelled), against)
}

// Second draws the answers that a rater is to label who has labelled none of them: those of one rater alone that
// contradict the grader, and others of one rater at random, until n (0: 30) answers have two. The order is that of
// a hash of the seed and the answer.
func Second(items []Item, annotations []run.Annotation, rater string, n int, seedValue uint64) (out []Item, err error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	two := 0
	var others []Item
	at := map[string]uint64{}
	for i := range items {
		u := labels.of(&items[i])
		switch {
		case len(u.labels) > 1:
			two++
		case u.labels[rater] != nil:
		case len(u.labels) == 1 && u.contradicts():
			out = append(out, items[i])
		case len(u.labels) == 1 && u.settled() != "":
			others = append(others, items[i])
			at[items[i].ID] = seed.Stream(seedValue, "annotate", "second", items[i].ID).Uint64()
		}
	}
	slices.SortFunc(others, func(a, b Item) int {
		return cmp.Or(cmp.Compare(at[a.ID], at[b.ID]), strings.Compare(a.ID, b.ID))
	})
	left := max(0, cmp.Or(n, seenTwice)-two-len(out))
	return append(out, others[:min(left, len(others))]...), nil
}
