package annotate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/run"
)

// manyVariants returns the answers of n cases to three variants each: the second wording errs where the first does or
// at random, and says the same then. The grader takes some wrong answers for right, and cannot read some. It returns
// what each is, and the true rate over all answers.
func manyVariants(n int, rate float64, r *rand.Rand) (items, answers []Item, truth map[string]grade.Outcome,
	share float64) {
	truth = map[string]grade.Outcome{}
	for c := range n {
		id := fmt.Sprintf("c%04d", c)
		hard := r.Float64() < rate
		for v := range 3 {
			wrong := hard
			if r.Float64() < .3 {
				wrong = r.Float64() < rate
			}
			is, value := grade.Correct, "right"
			if wrong {
				is, value = grade.Incorrect, "wrong"
				share++
			}
			axes := map[bool]string{false: "PPPn", true: "FPPn"}[wrong]
			switch u := r.Float64(); {
			case wrong && u < .3:
				axes = "PPPn" // missed
			case u > .95:
				axes, value = "UUPn", ""
			}
			u := many(1, axes)[0]
			u.CaseID, u.Variant, u.Value, u.Answer = id, v, value, fmt.Sprint(value, v)
			u.ID = VariantID("run", u.Model, u.Suite, id, v)
			truth[u.ID] = is
			answers = append(answers, u)
			if v == 0 {
				u.ID = ItemID("run", u.Model, u.Suite, id)
				truth[u.ID] = is
				items = append(items, u)
			}
		}
	}
	return items, answers, truth, share / float64(3*n)
}

// labelled returns the annotations that a person who knows makes of items.
func labelled(items []Item, truth map[string]grade.Outcome) (out []run.Annotation) {
	for _, u := range items {
		out = append(out, run.Annotation{Unit: u.ID, Rater: "ann",
			Label: labelOf(Label{Outcome: string(truth[u.ID]), ByReading: true, Stratum: u.Stratum, Seed: 1})})
	}
	return out
}

// The interval of the share over variants holds the truth: what is labelled is one answer of a case, at random, and a
// label on a value counts once.
func TestVariantsCover(t *testing.T) {
	runs := archtest.Draws(20, 60, 60)
	held := 0
	r := rand.New(rand.NewPCG(3, 1))
	for i := range runs {
		const rate = .3
		items, answers, truth, _ := manyVariants(200, rate, r)
		picks, err := NextVariants(items, answers, nil, 60, uint64(i))
		if err != nil || len(picks) != 60 {
			t.Fatal(len(picks), err)
		}
		perCase := map[string]int{}
		for _, u := range picks {
			perCase[u.CaseID+string(u.Grade.Outcome())]++
		}
		for where, k := range perCase {
			if k > 1 {
				t.Fatalf("%s: %d answers drawn of one case and reading", where, k)
			}
		}
		a, err := Analyze(items, answers, labelled(picks, truth), 1, .95)
		if err != nil || a.Outcomes != nil || a.OverVariants == nil || a.OverVariants.N != 600 || a.OverVariants.Drawn != 60 {
			t.Fatalf("%+v %v", a, err)
		}
		if x := a.OverVariants.Incorrect; x.Lo <= rate && rate <= x.Hi {
			held++
		}
	}
	if held < runs*85/100 {
		t.Errorf("%d of %d intervals hold the rate", held, runs)
	}
}

// A label on a value counts for the other answers of its case that have it, that to the default prompt too, and labels
// of these for the variants; further draws pass over what was drawn.
func TestVariantsSayTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	items, answers, truth, _ := manyVariants(40, .3, r)
	picks, err := NextVariants(items, answers, nil, 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	said, err := SaysOfVariants(items, answers, labelled(picks, truth))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]grade.Outcome{}
	for _, u := range picks {
		if u.Value != "" {
			values[u.CaseID+u.Value] = truth[u.ID]
		}
	}
	of := func(u Item) grade.Outcome { return values[u.CaseID+u.Value] }
	for _, u := range answers {
		own := slices.ContainsFunc(picks, func(p Item) bool { return p.ID == u.ID })
		if want := of(u); u.Value != "" && said[u.ID] != want || u.Value == "" && !own && said[u.ID] != "" {
			t.Errorf("%s variant %d with value %q: people say %q, want %q", u.CaseID, u.Variant, u.Value, said[u.ID], want)
		}
		if u.Variant == 0 && said[ItemID("run", u.Model, u.Suite, u.CaseID)] != said[u.ID] {
			t.Errorf("%s: %q of the default prompt, %q of it among the variants", u.CaseID,
				said[ItemID("run", u.Model, u.Suite, u.CaseID)], said[u.ID])
		}
	}
	for _, p := range picks {
		for _, text := range p.Others {
			if !strings.HasPrefix(text, p.Value) || text == p.Answer {
				t.Errorf("%s: beside %q stands %q", p.CaseID, p.Answer, text)
			}
		}
	}
	more, err := NextVariants(items, answers, labelled(picks, truth), 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range more {
		if slices.ContainsFunc(picks, func(p Item) bool {
			return p.CaseID == u.CaseID && p.Grade.Outcome() == u.Grade.Outcome()
		}) {
			t.Errorf("%s is drawn twice where it was read as %s", u.CaseID, u.Grade.Outcome())
		}
	}
	// Labels of the default prompts count for variants with their value, and draw none.
	ofDefault, err := SaysOfVariants(items, answers, labelled(items, truth))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range answers {
		if u.Variant == 0 && ofDefault[u.ID] != truth[u.ID] {
			t.Errorf("%s: %q, want %q", u.CaseID, ofDefault[u.ID], truth[u.ID])
		}
	}
	if a, err := Analyze(items, answers, labelled(items, truth), 1, .95); err != nil || a.OverVariants != nil ||
		a.Outcomes == nil {
		t.Errorf("%+v %v", a, err)
	}
}
