package annotate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/stat"
)

// inFives returns 300 items in clusters of five that fare alike: what graders read, and what people who see them say.
func inFives(r *rand.Rand) (items []Item, says map[string]grade.Outcome) {
	says = map[string]grade.Outcome{}
	for c := range 60 {
		axes, said := "PPPn", grade.Correct
		if r.Float64() < .3 {
			if said = grade.Incorrect; r.Float64() < .7 {
				axes = "FPPn"
			}
		}
		for k := range 5 {
			u := unit(fmt.Sprintf("%02d-%d", c, k), axes)
			u.Cluster = int32(c + 1)
			says[u.ID] = said
			items = append(items, u)
		}
	}
	return items, says
}

// Bounds are by cluster, and values what they are by case: wider by about the root of what each cluster has of labels.
// The corrected rates of the axes, how far raters agree, and rates over variants are likewise.
func TestAuditByCluster(t *testing.T) {
	items, truth := inFives(rand.New(rand.NewPCG(7, 5)))
	var list []run.Annotation
	for i, u := range items {
		for j, rater := range []string{"ann", "bob"} {
			said := truth[u.ID]
			if j == 1 && i/5%6 == 0 { // bob differs on whole clusters
				said = grade.Incorrect
			}
			l := Label{Outcome: string(said), Truth: Pass, Decidability: Pass, Reciprocity: Pass, ByReading: true,
				Stratum: u.Stratum, Seed: 1}
			if said == grade.Incorrect {
				l.Truth = Fail
			}
			list = append(list, run.Annotation{Unit: u.ID, Rater: rater, Label: labelOf(l)})
			if j == 0 {
				list = append(list, run.Annotation{Unit: "as " + u.ID, Rater: rater, Label: labelOf(l)})
			}
		}
	}
	variants := slices.Clone(items)
	for i := range variants {
		variants[i].ID = "as " + variants[i].ID
	}
	byItself := func(items []Item) (alone []Item) {
		for _, u := range items {
			u.Cluster = 0
			alone = append(alone, u)
		}
		return alone
	}
	by, err := Analyze(items, variants, list, 1, .95)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := Analyze(byItself(items), byItself(variants), list, 1, .95)
	if err != nil {
		t.Fatal(err)
	}
	wider := func(name string, a, b *stat.Rate) {
		t.Helper()
		if a == nil || b == nil || a.Value != b.Value || a.Hi-a.Lo < 1.6*(b.Hi-b.Lo) || a.Hi-a.Lo > 3.2*(b.Hi-b.Lo) {
			t.Errorf("%s: %+v by cluster, %+v by case", name, a, b)
		}
	}
	wider("incorrect", by.Outcomes.Incorrect, bare.Outcomes.Incorrect)
	wider("correct", by.Outcomes.Correct, bare.Outcomes.Correct)
	wider("of the attempts", by.Outcomes.IncorrectGivenAttempted, bare.Outcomes.IncorrectGivenAttempted)
	wider("over variants", by.OverVariants.Incorrect, bare.OverVariants.Incorrect)
	h, was := by.Corrected["hallucination"], bare.Corrected["hallucination"]
	wider("as read", h.Uncorrected, was.Uncorrected)
	wider("hallucination", h.Corrected, was.Corrected)
	if *h.SE < 1.6**was.SE {
		t.Errorf("SE %v by cluster, %v by case", *h.SE, *was.SE)
	}
	for axis, a := range by.Agreement {
		b := bare.Agreement[axis]
		if a.Alpha == nil {
			continue
		}
		if *a.Alpha != *b.Alpha || *a.Hi-*a.Lo < 1.5*(*b.Hi-*b.Lo) || a.Clusters != 60 || b.Clusters != 0 {
			t.Errorf("%s: alpha %v [%v, %v] by cluster, [%v, %v] by unit; %+v", axis, *a.Alpha, *a.Lo, *a.Hi, *b.Lo,
				*b.Hi, a)
		}
	}
	const says = "the 300 answers are 60 clusters"
	said := strings.Join(by.Warnings, "\n")
	if by.Clusters != 60 || bare.Clusters != 0 || !strings.Contains(said, says) ||
		strings.Contains(strings.Join(bare.Warnings, "\n"), "clusters") {
		t.Errorf("%d and %d clusters: %q, %q", by.Clusters, bare.Clusters, by.Warnings, bare.Warnings)
	}
}

// The answers to one case are one observation of how far raters agree.
func TestSettleByCase(t *testing.T) {
	settle := func(id func(i int) string, cluster func(string) string) *stat.Estimate {
		o := Outcomes{Check: func(grading.Key) error { return nil }, Cluster: cluster}
		var rows strings.Builder
		rows.WriteString("case_id,variant,rater,outcome\n")
		for i := range 100 {
			a, b := "correct", "correct"
			if i/5%3 == 0 {
				a = "incorrect"
			}
			if b = a; i/5%7 == 0 {
				b = "not_attempted"
			}
			fmt.Fprintf(&rows, "%s,%d,x,%s\n%[1]s,%[2]d,y,%[4]s\n", id(i), i%5, a, b)
		}
		if err := o.Read("f", strings.NewReader(rows.String())); err != nil {
			t.Fatal(err)
		}
		_, r := o.Settle(1, .95)
		return r.Alpha
	}
	alone := settle(func(i int) string { return fmt.Sprintf("c%03d", i) }, nil)
	byCase := settle(func(i int) string { return fmt.Sprintf("c%03d", i/5) }, nil)
	byCluster := settle(func(i int) string { return fmt.Sprintf("c%03d", i) }, func(id string) string {
		i, err := strconv.Atoi(id[1:])
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint("cluster ", i/5)
	})
	least := 1.5 * (alone.Hi - alone.Lo)
	if alone.Value != byCase.Value || byCase.Hi-byCase.Lo < least || byCluster.Hi-byCluster.Lo < least {
		t.Errorf("%+v, by case %+v, by cluster %+v", alone, byCase, byCluster)
	}
}
