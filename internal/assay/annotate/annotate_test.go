package annotate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/run"
	"hallmark/internal/stat"

	"pgregory.net/rapid"
)

// item makes an item from verdicts on truth, decidability, reciprocity and format as P, F, U, - and n.
func unit(id, verdicts string, tags ...string) Item {
	j := func(i int) grade.Judgment {
		return grade.Judgment{Verdict: map[byte]grade.Verdict{'P': grade.Pass, 'F': grade.Fail, 'U': grade.Ungradable,
			'-': grade.Unscored, 'n': grade.NotApplicable}[verdicts[i]], Rule: "test"}
	}
	g := grade.Grade{Truth: j(0), Decidability: j(1), Reciprocity: j(2), Format: j(3)}
	return Item{ID: ItemID("run", "m", "s", id), Model: "m", Shown: Shown{Suite: "s", CaseID: id, Prompt: "Q " + id,
		Answer: "A " + id, Reference: "G " + id},
		Grade: g, Format: verdicts[3] != 'n', Stratum: StratumOf(tags, false, g)}
}

func many(n int, verdicts string, tags ...string) []Item {
	var us []Item
	for i := range n {
		us = append(us, unit(fmt.Sprintf("%s%s%03d", verdicts, strings.Join(tags, ""), i), verdicts, tags...))
	}
	return us
}

func TestStrata(t *testing.T) {
	for verdicts, want := range map[string]Stratum{"PPPn": Rest, "FPPn": Rest, "FPFn": Rest, "PPFn": Reciprocity,
		"PFFn": Rest, "UFPn": Undecided, "P-Pn": Undecided} {
		if got := unit("a", verdicts).Stratum; got != want {
			t.Errorf("%s: %s, want %s", verdicts, got, want)
		}
	}
	if got := unit("a", "UFPn", "x", AuditTag).Stratum; got != Audit {
		t.Errorf("tagged: %s", got)
	}
	if got := StratumOf(nil, true, unit("a", "PPFn").Grade); got != Judged {
		t.Errorf("judged: %s", got)
	}
	if ItemID("a", "b", "c", "d") == ItemID("ab", "", "c", "d") || len(ItemID("a", "b", "c", "d")) != 16 {
		t.Error("units of different answers have one name")
	}
}

func count(items []Item) map[Stratum]int {
	n := map[Stratum]int{}
	for _, u := range items {
		n[u.Stratum]++
	}
	return n
}

func TestSample(t *testing.T) {
	all := slices.Concat(many(200, "PPPn"), many(40, "PPPn", AuditTag), many(8, "PPFn"), many(2, "UFPn"))
	for _, tt := range []struct {
		n    int
		want map[Stratum]int
	}{
		{0, map[Stratum]int{Audit: 40, Reciprocity: 8, Undecided: 2, Rest: 30}},
		{40, map[Stratum]int{Audit: 17, Reciprocity: 2, Undecided: 1, Rest: 20}},
		{4, map[Stratum]int{Audit: 1, Undecided: 1, Rest: 2}},
		{240, map[Stratum]int{Audit: 40, Reciprocity: 8, Undecided: 2, Rest: 190}},
		{1000, map[Stratum]int{Audit: 40, Reciprocity: 8, Undecided: 2, Rest: 200}},
	} {
		got := count(Sample(all, tt.n, 1))
		if tt.n == 40 {
			if got[Rest] != 20 || got[Audit]+got[Reciprocity]+got[Undecided] != 20 || got[Reciprocity] == 0 ||
				got[Undecided] == 0 {
				t.Errorf("n = 40: %v", got)
			}
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("n = %d: %v, want %v", tt.n, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 260).Draw(t, "n")
		a, b := Sample(all, n, 1), Sample(all, n+rapid.IntRange(0, 40).Draw(t, "more"), 1)
		if len(a) != min(n, len(all)) {
			t.Fatalf("%d of %d", len(a), n)
		}
		in := map[string]bool{}
		for _, u := range b {
			in[u.ID] = true
		}
		for _, u := range a {
			if u.Stratum == Rest && !in[u.ID] {
				t.Fatal("a larger sample lacks an answer of a smaller one")
			}
		}
		shuffled := slices.Clone(all)
		seed.Stream(uint64(n), "test").Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		if fmt.Sprint(Sample(shuffled, n, 1)) != fmt.Sprint(a) {
			t.Fatal("the order of units moves the sample")
		}
	})
	if fmt.Sprint(Sample(all, 20, 1)) == fmt.Sprint(Sample(all, 20, 2)) {
		t.Error("the seed changes nothing")
	}
	// Every answer of a stratum is as likely to be drawn: 400 seeds, 20 of 200 each, an answer 40 times with a standard
	// deviation of 6.
	drawn := map[string]int{}
	rest := many(200, "PPPn")
	for s := range uint64(400) {
		for _, u := range Sample(rest, 20, s) {
			drawn[u.ID]++
		}
	}
	for id, k := range drawn {
		if k < 10 || k > 75 {
			t.Errorf("%s was drawn %d times, want about 40", id, k)
		}
	}
	if len(drawn) != 200 {
		t.Errorf("%d of 200 were ever drawn", len(drawn))
	}
}

// says builds the annotations of raters: verdicts as P, F, n and - for none, on truth, decidability and reciprocity.
func says(list *[]run.Annotation, u Item, rater, verdicts string) {
	word := map[byte]string{'P': Pass, 'F': Fail, 'n': NotApplicable}
	*list = append(*list, run.Annotation{Run: "run", Unit: u.ID, Rater: rater,
		Label: labelOf(Label{Truth: word[verdicts[0]], Decidability: word[verdicts[1]], Reciprocity: word[verdicts[2]],
			Stratum: u.Stratum, Seed: 1})})
}

// TestAnalyze counts by hand: 8 answers of one stratum, all judged by two raters. On truth they say PP PP PP PP FF FF
// FP PP against the grader's P P P P F F F F: 4 both pass, 2 both fail, 1 split, 1 only the grader fails. People alone:
// (2 + .5)/8. Alpha by hand: of 16 labels 5 are F and 11 P, one item disagrees: D_o = 2, D_e = 2·5·11/15; 1 - 2·15/110
// = 8/11.
func TestAnalyze(t *testing.T) {
	items := append(many(4, "PPPn", AuditTag), many(4, "FPPn", AuditTag)...)
	var list []run.Annotation
	for i, v := range []string{"PP", "PP", "PP", "PP", "FF", "FF", "FP", "PP"} {
		says(&list, items[i], "ann", v[:1]+"PP")
		says(&list, items[i], "bob", v[1:]+"PP")
	}
	says(&list, unit("of another suite", "PPPn"), "ann", "FFF")
	r, err := Analyze(items, nil, list, 1, .95)
	if err != nil {
		t.Fatal(err)
	}
	truth := r.Corrected["truth_error"]
	if r.N != 8 || r.Unscored != 0 || !slices.Equal(r.Raters, []string{"ann", "bob"}) ||
		r.Strata[Audit] != (Coverage{8, 8}) {
		t.Errorf("%+v", r)
	}
	if truth.BothPass != 4 || truth.BothFail != 2 || truth.Split != 1 || truth.OnlyGraderFail != 1 ||
		truth.Uncorrected.Value != .5 || !near(truth.Corrected.Value, 2.5/8) {
		t.Errorf("truth: %+v, corrected %+v", truth, truth.Corrected)
	}
	if h := r.Corrected["hallucination"]; !near(h.Corrected.Value, 2.5/8) || h.N != 8 {
		t.Errorf("H: %+v", h)
	}
	if _, ok := r.Corrected["format_error"]; ok {
		t.Error("a rate of formats where none is asked for")
	}
	a := r.Agreement["truth"]
	if !near(*a.Alpha, 8./11) || a.Adequate || r.Adequate {
		t.Errorf("alpha %v, adequate %v", *a.Alpha, r.Adequate)
	}
	if len(r.Readjudicate) != 1 || r.Readjudicate[0].CaseID != items[6].CaseID ||
		r.Readjudicate[0].Labels["bob"]["truth"] != Pass || !slices.Equal(r.Readjudicate[0].Axes, []string{"truth"}) {
		t.Errorf("to adjudicate again: %+v", r.Readjudicate)
	}
	// The adjudicator settles it, for the rates and the list, and is in no agreement.
	says(&list, items[6], Adjudicator, "FPP")
	settled, err := Analyze(items, nil, list, 1, .95)
	if err != nil || len(settled.Readjudicate) != 0 || !near(settled.Corrected["truth_error"].Corrected.Value, 3./8) ||
		*settled.Agreement["truth"].Alpha != *a.Alpha || len(settled.Raters) != 2 {
		t.Errorf("settled: %+v, %v", settled, err)
	}
	// A rater's later word counts.
	says(&list, items[0], "ann", "FPP")
	revised, err := Analyze(items, nil, list, 1, .95)
	if err != nil || !near(revised.Corrected["truth_error"].Corrected.Value, 3.5/8) {
		t.Errorf("revised: %+v, %v", revised.Corrected["truth_error"], err)
	}
	if none, err := Analyze(items, nil, nil, 1, .95); none != nil || err != nil {
		t.Errorf("no labels: %+v, %v", none, err)
	}
	if _, err := Analyze(items, nil, []run.Annotation{{Unit: items[0].ID, Rater: "a", Label: []byte("{")}}, 1,
		.95); err == nil {
		t.Error("a damaged label passes")
	}
}

// fromNewSheet returns a label as it is from a sheet with a column for the outcome.
func fromNewSheet(t *testing.T, label json.RawMessage) json.RawMessage {
	t.Helper()
	var l Label
	if err := json.Unmarshal(label, &l); err != nil {
		t.Fatal(err)
	}
	l.ByReading = true
	return labelOf(l)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// The correction is stat.PredictionPowered of the strata, and doubts are said: one rater, a sample picked by hand.
func TestCorrection(t *testing.T) {
	items := slices.Concat(many(30, "FPPn"), many(70, "PPPn"), many(10, "PPFn"))
	var list []run.Annotation
	shown := Sample(items, 40, 1)
	var strata [3]stat.Stratum // reciprocity, the rest that was read as correct, and as incorrect
	seen := map[string]bool{}
	at := func(u *Item) *stat.Stratum {
		return &strata[map[Stratum]int{Reciprocity: 0, Rest: 1}[u.Stratum]+
			map[grade.Outcome]int{grade.Incorrect: 1}[u.Grade.Outcome()]]
	}
	for i, u := range shown {
		verdict, y := "PPP", 0.
		if u.Grade.Truth.Verdict == grade.Fail && i%5 > 0 {
			verdict, y = "FPP", 1
		}
		says(&list, u, "ann", verdict)
		list[len(list)-1].Label = fromNewSheet(t, list[len(list)-1].Label)
		s := at(&u)
		h, _ := u.Grade.Hallucinated(false)
		s.Human, s.Grader = append(s.Human, y), append(s.Grader, map[bool]float64{true: 1}[h])
		seen[u.ID] = true
	}
	for _, u := range items {
		if h, _ := u.Grade.Hallucinated(false); !seen[u.ID] {
			s := at(&u)
			s.Others = append(s.Others, map[bool]float64{true: 1}[h])
		}
	}
	r, err := Analyze(items, nil, list, 1, .95)
	if err != nil {
		t.Fatal(err)
	}
	want := stat.PredictionPowered(strata[:], .95)
	h := r.Corrected["hallucination"]
	if !near(h.Corrected.Value, want.Value) || !near(h.Corrected.Lo, want.Lo) || !near(*h.SE, want.SE) ||
		!near(h.Uncorrected.Value, 40./110) || h.Labelled != 40 {
		t.Errorf("%+v, corrected %+v, want %+v", h, h.Corrected, want)
	}
	said := strings.Join(r.Warnings, "\n")
	if !strings.Contains(said, `"ann" is the only rater`) || strings.Contains(said, "picked by hand") || r.Adequate {
		t.Errorf("warnings %q", said)
	}
	picked, err := Analyze(items, nil, list[5:], 1, .95)
	if err != nil || !strings.Contains(strings.Join(picked.Warnings, "\n"), "picked by hand") {
		t.Errorf("%v, warnings %q", err, picked.Warnings)
	}
}

// The outcomes are corrected by double sampling of what was read alike, from 30 labels on, and labels that were not
// drawn only count as such.
func TestOutcomeRates(t *testing.T) {
	items := slices.Concat(many(60, "FPPn"), many(140, "PPPn"), many(20, "UUPn"))
	label := func(list *[]run.Annotation, u Item, outcome grade.Outcome, seedOf uint64) {
		*list = append(*list, run.Annotation{Unit: u.ID, Rater: "ann",
			Label: labelOf(Label{Outcome: string(outcome), ByReading: true, Stratum: u.Stratum, Seed: seedOf})})
	}
	// People find a third of what was read as incorrect right, and half of what was not read.
	truth := func(i int, u *Item) grade.Outcome {
		switch u.Grade.Outcome() {
		case grade.Incorrect:
			return []grade.Outcome{grade.Incorrect, grade.Correct, grade.Incorrect}[i%3]
		case grade.Correct:
			return grade.Correct
		}
		return []grade.Outcome{grade.Incorrect, grade.NotAttempted}[i%2]
	}
	var few, drawn, picked []run.Annotation
	at := map[grade.Outcome]int{}
	for i, u := range Sample(items, 60, 1) {
		o := u.Grade.Outcome()
		said := truth(at[o], &u)
		at[o]++
		if i < 20 {
			label(&few, u, said, 1)
		}
		label(&drawn, u, said, 1)
		label(&picked, u, said, 0)
	}
	r, err := Analyze(items, nil, drawn, 1, .95)
	if err != nil || r.Outcomes == nil {
		t.Fatal(r, err)
	}
	o := r.Outcomes
	share := func(k, n int) float64 { return float64(k) / float64(n) }
	want := 0.
	for _, s := range o.Strata {
		want += share(s.Cases, 220) * share(s.Incorrect, s.Correct+s.Incorrect+s.NotAttempted)
	}
	if o.N != 220 || o.Drawn != 60 || o.Missing != 0 || len(o.Strata) != 3 || !near(o.Incorrect.Value, want) ||
		math.Abs(want-(60*2./3+10)/220) > .03 {
		t.Errorf("%+v, incorrect %+v, want %.4f", o, o.Incorrect, want)
	}
	if !near(o.Correct.Value+o.Incorrect.Value+o.NotAttempted.Value, 1) ||
		o.IncorrectGivenAttempted.Value <= o.Incorrect.Value || o.More != nil { // 220 answers alone leave more than ±5 points
		t.Errorf("%+v %+v %+v %+v, %v more", o.Correct, o.Incorrect, o.NotAttempted, o.IncorrectGivenAttempted, o.More)
	}
	for name, list := range map[string][]run.Annotation{"few": few, "picked by hand": picked} {
		r, err := Analyze(items, nil, list, 1, .95)
		if err != nil || r.Outcomes.Incorrect != nil || r.Outcomes.Missing == 0 ||
			!strings.Contains(strings.Join(r.Warnings, "\n"), "more labels are needed") {
			t.Errorf("%s: %+v, %v", name, r.Outcomes, err)
		}
	}
	// The next labels go where people differ most for the number of answers, and to none that has one.
	said, err := Says(items, drawn)
	if err != nil {
		t.Fatal(err)
	}
	more := Next(items, said, 12, 1)
	n := map[grade.Outcome]int{}
	for _, u := range more {
		if said[u.ID] != "" {
			t.Errorf("%s has a label", u.ID)
		}
		n[u.Grade.Outcome()]++
	}
	if len(more) != 12 || n[grade.Incorrect] < 8 {
		t.Errorf("%v", n)
	}
}

// What raters say by axes is an outcome too.
func TestOutcomeOfLabels(t *testing.T) {
	for _, tt := range []struct {
		label Label
		act   grade.Act
		want  grade.Outcome
	}{
		{Label{Outcome: "incorrect"}, grade.Declined, grade.Incorrect},
		{Label{Truth: Pass, Decidability: Pass}, grade.Answered, grade.Correct},
		{Label{Truth: Fail}, grade.Answered, grade.Incorrect},
		{Label{Truth: Pass, Decidability: Fail}, grade.Answered, grade.Incorrect},
		{Label{Truth: Fail, Decidability: Fail}, grade.Declined, grade.NotAttempted},
		{Label{Truth: NotApplicable, Decidability: Fail}, grade.Empty, grade.NotAttempted},
		{Label{Truth: Fail}, grade.Unreadable, grade.Incorrect},
		{Label{Truth: Pass}, grade.Answered, ""},
		{Label{Note: "hm"}, grade.Answered, ""},
	} {
		if got := tt.label.outcome(tt.act); got != tt.want {
			t.Errorf("%+v of %s: %q, want %q", tt.label, tt.act, got, tt.want)
		}
	}
}

// Labels teach names where the grader read otherwise, and nothing of what is no name.
func TestLessons(t *testing.T) {
	items := slices.Concat(many(1, "FPPn"), many(1, "PPPn"), many(1, "UUPn"), many(1, "UUPn"), many(1, "FPPn"),
		many(1, "PPPn"))
	var list []run.Annotation
	for i, x := range []struct {
		answer string
		said   grade.Outcome
	}{
		{"the  Big Apple.", grade.Correct}, {"Newark", grade.Incorrect}, {strings.Repeat("many words ", 9), grade.Correct},
		{"I would not say.", grade.NotAttempted}, {"Boston", grade.Incorrect}, {"New York", grade.Correct},
	} {
		items[i].ID, items[i].CaseID, items[i].Answer = fmt.Sprint(i), fmt.Sprint("c", i), x.answer
		list = append(list, run.Annotation{Unit: items[i].ID, Rater: "ann",
			Label: labelOf(Label{Outcome: string(x.said), ByReading: true, Seed: 1})})
	}
	got, err := Lessons(items, list)
	want := []Lesson{
		{Suite: items[0].Suite, CaseID: "c0", Alias: "the Big Apple"},
		{Suite: items[1].Suite, CaseID: "c1", Reject: "Newark"},
		{Suite: items[2].Suite, CaseID: "c2", Left: "the answer is too long for a name"},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, %v", got, err)
	}
}
