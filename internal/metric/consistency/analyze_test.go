package consistency

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/text/answer"
)

// caseOf builds a case whose variant i gave word i of answers: "_" is unscored, "?" ungradable, "-" empty, "!"
// declined. gold is a list by commas.
func caseOf(t interface{ Fatal(...any) }, id, answers, gold string) *Case {
	c := &Case{ID: id}
	if gold == "!" {
		c.GoldDeclined = true
	} else if gold != "" {
		for g := range strings.SplitSeq(gold, ",") {
			c.Gold = append(c.Gold, answer.Value(g))
		}
	}
	for v, w := range strings.Fields(answers) {
		var err error
		switch w {
		case "_":
			err = c.AddUnscored(v)
		case "?":
			err = c.AddUngradable(v)
		case "-":
			err = c.Add(v, Answer{Form: answer.Empty})
		case "!":
			err = c.Add(v, Answer{Form: answer.Declined})
		default:
			err = c.Add(v, Answer{Form: answer.Value(w)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c.settle()
	return c
}

// All values by hand. Of r answers w are wrong: where they are one class, the plug-in pair is (w/r)² and w (r -
// w)/r², and the unbiased one w (w - 1) and w (r - w) over r (r - 1).
func TestQuestions(t *testing.T) {
	for _, tt := range []struct {
		name, answers, gold string
		pc, sc, scWith      float64
		mode, category      string
		e, bias, variance   float64 // plug-in
		unbiased, without   float64 // bias² and variance
	}{
		{"nine of ten is exactly .8", "a a a a a a a a a b", "a",
			.9, .8, .82, "a", PromptAgnosticFactual, .1, .01, .09, 0, .1},
		{"eight of ten", "a a a a a a a a b b", "a", .8, 58. / 90, .68, "a", Randomness, .2, .04, .16, 2. / 90, 16. / 90},
		{"stable and wrong", "b b b b b", "a", 1, 1, 1, "b", PromptAgnosticError, 1, 1, 0, 1, 0},
		{"tie goes to the lowest variant", "b a a b", "a", .5, 1. / 3, .5, "b", Randomness, .5, .25, .25, 1. / 6, 1. / 3},
		// No two are equal, so half of 1 - 0, and what is left of .75; plug-in ½(.75² + 3/16) and ½(1 - 1/4).
		{"all apart", "a b c d", "b", .25, 0, .25, "a", Randomness, .75, .375, .375, .25, .5},
		{"gaps in variants", "_ a b _ a", "a", 2. / 3, 1. / 3, 5. / 9, "a", Randomness, 1. / 3, 1. / 9, 2. / 9, 0, 1. / 3},
		// p = 1/3 each; in the decomposition a and b are one right class of 2/3: bias² ½(1/9+1/9), variance
		// ½(1-4/9-1/9).
		{"list of gold", "a b c", "a,b", 1. / 3, 0, 1. / 3, "a", Randomness, 1. / 3, 1. / 9, 2. / 9, 0, 1. / 3},
		{"declining is right", "! ! a !", "!", .75, .5, .625, "right-act", Randomness, .25, 1. / 16, 3. / 16, 0, .25},
		{"declining is wrong", "! ! ! !", "a", 1, 1, 1, "declined", PromptAgnosticError, 1, 1, 0, 1, 0},
		// Two empty answers are equal, and never the gold: wrong 2/3 as one class, so bias² ½(4/9+4/9), variance
		// ½(1-1/9-4/9).
		{"empty", "- - a", "a", 2. / 3, 1. / 3, 5. / 9, "empty", Randomness, 2. / 3, 4. / 9, 2. / 9, 1. / 3, 1. / 3},
		{"what could not be graded is left out", "? b a ? a", "a",
			2. / 3, 1. / 3, 5. / 9, "a", Randomness, 1. / 3, 1. / 9, 2. / 9, 0, 1. / 3},
		{"the word declined is an answer", "declined ! declined", "declined",
			2. / 3, 1. / 3, 5. / 9, "declined", Randomness, 1. / 3, 1. / 9, 2. / 9, 0, 1. / 3},
	} {
		for _, with := range []bool{false, true} {
			opt := DefaultOptions()
			opt.PerQuestion, opt.WithReplacement = true, with
			res, err := Analyze([]*Case{caseOf(t, "q", tt.answers, tt.gold)}, opt)
			if err != nil || len(res.PerQuestion) != 1 {
				t.Fatalf("%s: %+v, %v", tt.name, res, err)
			}
			q, d := res.PerQuestion[0], res.Decomposition
			sc := tt.sc
			if with {
				sc = tt.scWith
			}
			if !archtest.Near(q.PC, tt.pc, 1e-12) || !archtest.Near(q.SC, sc, 1e-12) || q.Mode != tt.mode || !with &&
				q.Category != tt.category {
				t.Errorf("%s: %+v, want pc %v, sc %v, %s, %s", tt.name, q, tt.pc, sc, tt.mode, tt.category)
			}
			plugIn := d.PlugIn
			if !archtest.Near(d.Error, tt.e, 1e-12) || !archtest.Near(plugIn.BiasSquared, tt.bias, 1e-12) ||
				!archtest.Near(plugIn.Variance, tt.variance, 1e-12) ||
				!archtest.Near(d.Error+res.Accuracy.Value, 1, 1e-12) {
				t.Errorf("%s: %+v, want %v = %v + %v", tt.name, d, tt.e, tt.bias, tt.variance)
			}
			if !archtest.Near(d.BiasSquared, tt.unbiased, 1e-12) || !archtest.Near(d.Variance, tt.without, 1e-12) {
				t.Errorf("%s: %+v, want %v = %v + %v", tt.name, d, tt.e, tt.unbiased, tt.without)
			}
		}
	}
}

// Six cases, every figure by hand.
func TestAnalyze(t *testing.T) {
	cases := []*Case{
		caseOf(t, "q1", "a a a a", "a"), // PC 1, SC 1, factual
		caseOf(t, "q2", "b b b b", "a"), // PC 1, SC 1, error
		caseOf(t, "q3", "! ! ! !", "a"), // PC 1, SC 1, error, declined
		caseOf(t, "q4", "a b c d", "b"), // PC .25, SC 0, randomness
		caseOf(t, "q5", "a _ b", ""),    // PC .5, SC 0, no gold
		caseOf(t, "q6", "a _ _", "a"),   // one scored variant: not asked
	}
	res, err := Analyze(cases, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) any {
		t.Helper()
		raw, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		for _, key := range strings.Split(path, "/") {
			v = v.(map[string]any)[key]
		}
		return v
	}
	for path, want := range map[string]any{
		"questions": 5., "not_asked": 1., "n": 18., "unscored": 3., "ungradable": 0., "unread": 0., "variants/min": 2.,
		"variants/max":                4.,
		"semantic_stability/estimate": .75, "pc_below_0.5": .2, "pc_at_least_0.8": .6, "robustness_level": "substantial",
		"pc_floor":           (4*.25 + .5) / 5,
		"ambiguity/estimate": .4, "self_consistency/mean": .6, "prompt_sensitive/estimate": .4,
		// At two variants: the four of q4 always differ, and the two of q5.
		"ambiguity_at_r/r": 2., "ambiguity_at_r/estimate": .4,
		"accuracy/mean": (1 + 0 + 0 + .25) / 4, "accuracy/questions": 4.,
		// Variants 0..3 are right in 1, 2, 1, 1 of the four cases with gold: mean .3125, deviations -.0625 (three) and
		// .1875.
		"accuracy/sd": math.Sqrt((3*.0625*.0625 + .1875*.1875) / 3), "accuracy/default": .25, "overstatement/estimate": 0.,
		"taxonomy/prompt_agnostic_factual": .25, "taxonomy/prompt_agnostic_error": .5, "taxonomy/randomness": .25,
		"quadrants/stable_correct": .25, "quadrants/stable_wrong": .5, "quadrants/unstable_correct": 0.,
		"quadrants/unstable_wrong": .25,
		"declined/share":           4. / 18, "declined/of_prompt_agnostic_error": .5,
		// q4: variance ½, bias² .75 less that; plug-in ½(1 - 1/4) = .375 and as much. q2 and q3 are bias alone. The
		// mode of q4 is a, by its tie.
		"decomposition/error": .6875, "decomposition/mode_error": .75,
		"decomposition/bias_squared": 2.25 / 4, "decomposition/variance": .5 / 4,
		"decomposition/plug_in/bias_squared": 2.375 / 4, "decomposition/plug_in/variance": .375 / 4,
	} {
		got := get(path)
		if g, ok := got.(float64); ok {
			if !archtest.Near(g, want.(float64), 1e-12) {
				t.Errorf("%s = %v, want %v", path, g, want)
			}
		} else if got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	// The taxonomy has three members; nothing else may join them.
	if tax := get("taxonomy").(map[string]any); len(tax) != 3 {
		t.Errorf("taxonomy is %v", tax)
	}
	for _, key := range []string{"documents", "per_question", "skipped"} {
		if got := get(key); got != nil {
			t.Errorf("%s = %v, want none", key, got)
		}
	}
}

func TestWithoutGold(t *testing.T) {
	res, err := Analyze([]*Case{caseOf(t, "q", "a a b", "")}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(res)
	for _, key := range []string{"accuracy", "taxonomy", "taxonomy_intervals", "decomposition", "declined", "quadrants",
		"overstatement"} {
		if bytes.Contains(raw, []byte(`"`+key+`"`)) {
			t.Errorf("%s is there without gold: %s", key, raw)
		}
	}
	if !strings.Contains(strings.Join(res.Warnings, "\n"), "accuracy was not measured") {
		t.Errorf("no banner in %q", res.Warnings)
	}
}

func TestExcludeDefault(t *testing.T) {
	opt := DefaultOptions()
	opt.ExcludeDefault, opt.PerQuestion = true, true
	res, err := Analyze([]*Case{caseOf(t, "q", "b a a", "a"), caseOf(t, "short", "a a", "a")}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if res.Questions != 1 || res.NotAsked != 1 || res.PerQuestion[0].R != 2 || res.PerQuestion[0].PC != 1 ||
		*res.Accuracy.Default != 0 {
		t.Errorf("%+v", res)
	}
}

func TestNothingToCompare(t *testing.T) {
	res, err := Analyze([]*Case{caseOf(t, "q", "a", "a")}, DefaultOptions())
	raw, _ := json.Marshal(res)
	if err != nil || res.Questions != 0 || !bytes.Contains(raw, []byte(`"semantic_stability":null`)) ||
		len(res.Warnings) != 2 {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, tau := range []float64{-.1, 1.1, math.NaN()} {
		if _, err := Analyze(nil, Options{Tau: tau, Level: .95}); err == nil {
			t.Errorf("tau %v is taken", tau)
		}
	}
	if _, err := Analyze(nil, Options{Tau: .8}); err == nil {
		t.Error("level 0 is taken")
	}
	c := caseOf(t, "q", "a a", "")
	if _, err := Analyze([]*Case{c, c}, DefaultOptions()); err == nil {
		t.Error("an id twice is taken")
	}
	if c.Add(1, Answer{Form: answer.Value("a")}) == nil || c.Add(-1, Answer{}) == nil ||
		c.Add(math.MaxInt32+1, Answer{}) == nil || c.Scored() != 2 {
		t.Error("a variant twice, or out of range, is taken")
	}
}

// The bounds of the levels belong to the side that METHODS says, exactly: .9 is substantial, .3 limited.
func TestRobustnessLevel(t *testing.T) {
	for _, tt := range []struct {
		same, of int // one case with so many equal answers, the rest different
		want     string
	}{{2, 10, "insufficient"}, {3, 10, "limited"}, {6, 10, "substantial"}, {9, 10, "substantial"}, {10, 10, "high"}} {
		var words []string
		for i := range tt.of {
			if i < tt.same {
				words = append(words, "same")
			} else {
				words = append(words, fmt.Sprint("other", i))
			}
		}
		var cases []*Case
		for i := range 200 {
			cases = append(cases, caseOf(t, fmt.Sprint(i), strings.Join(words, " "), ""))
		}
		res, err := Analyze(cases, DefaultOptions())
		if err != nil || res.RobustnessLevel != tt.want {
			t.Errorf("%d of %d: %q (%v), want %q", tt.same, tt.of, res.RobustnessLevel, err, tt.want)
		}
	}
	c := &Case{ID: "prose"}
	for v := range 4 {
		if err := c.Add(v, Answer{Form: answer.Value(fmt.Sprintf("a long answer in prose that is number %d",
			v))}); err != nil {
			t.Fatal(err)
		}
	}
	res, _ := Analyze([]*Case{c}, DefaultOptions())
	if raw, _ := json.Marshal(res); res.RobustnessLevel != "" || bytes.Contains(raw, []byte("robustness_level")) ||
		!strings.Contains(string(raw), "does not read prose") {
		t.Errorf("prose gets level %q, warnings %q", res.RobustnessLevel, res.Warnings)
	}
}

func TestDocuments(t *testing.T) {
	var cases []*Case
	for i, docs := range [][][]string{{{"d1", "d2"}, {"d2", "d1"}}, {{"d1"}, {"d1"}}, {{"d1", "d2"}, {"d1", "d3"}},
		{{"d1"}, nil}} {
		c := &Case{ID: fmt.Sprint(i), Gold: []answer.Form{answer.Value("a")}}
		for v, d := range docs {
			if err := c.Add(v, Answer{Form: answer.Value("a"), Retrieved: d}); err != nil {
				t.Fatal(err)
			}
		}
		cases = append(cases, c)
	}
	res, _ := Analyze(cases, DefaultOptions())
	d := res.Documents
	if d == nil || d.Questions != 3 || !archtest.Near(d.Ambiguity.Value, 1./3, 1e-12) ||
		!archtest.Near(d.AmbiguityAtK.Value, 1./3, 1e-12) || d.K != 2 ||
		len(d.ByCategory) != 1 || !archtest.Near(d.ByCategory[PromptAgnosticFactual].Value, 1./3, 1e-12) {
		t.Errorf("%+v", d)
	}
	if !archtest.Near(d.ByCategoryAtK[PromptAgnosticFactual].Value, 1./3, 1e-12) ||
		d.QuestionsByCategory[PromptAgnosticFactual] != 3 ||
		len(d.QuestionsByCategory) != 1 {
		t.Errorf("%+v", d)
	}
}

// Ambiguity of documents within each category, at top 1 and top k: counted by hand.
func TestDocumentsByCategory(t *testing.T) {
	var cases []*Case
	for i, c := range []struct {
		answers string
		docs    [2]string
	}{{"aa", [2]string{"d1 d2", "d1 d3"}}, {"aa", [2]string{"d1 d2", "d2 d1"}}, {"bb", [2]string{"d1", "d1"}},
		{"ab", [2]string{"d1", "d4"}}, {"ab", [2]string{"", "d4"}}} {
		q := &Case{ID: fmt.Sprint(i), Gold: []answer.Form{answer.Value("a")}}
		for v, docs := range c.docs {
			if err := q.Add(v, Answer{Form: answer.Value(c.answers[v : v+1]),
				Retrieved: append([]string{}, strings.Fields(docs)...)}); err != nil {
				t.Fatal(err)
			}
		}
		cases = append(cases, q)
	}
	res, _ := Analyze(cases, DefaultOptions())
	for category, want := range map[string][3]float64{PromptAgnosticFactual: {2, .5, .5}, PromptAgnosticError: {1, 0, 0},
		Randomness: {2, 1, 1}} {
		d := res.Documents
		if got := [3]float64{float64(d.QuestionsByCategory[category]), d.ByCategory[category].Value,
			d.ByCategoryAtK[category].Value}; got != want {
			t.Errorf("%s: questions, at top 1, at k: %v, want %v", category, got, want)
		}
	}
}

func TestRepeatAgreement(t *testing.T) {
	e := RepeatAgreement([][]int{{3}, {2, 1}, {1}}, nil, .95)
	if !archtest.Near(e.Value, 2./3, 1e-12) || e.N != 2 || e.Unscored != 1 || len(e.Warnings) != 1 {
		t.Errorf("%+v, want 2/3 of two cases and a warning", e)
	}
	if e := RepeatAgreement(nil, nil, .95); e.OK() {
		t.Errorf("%+v, want no value", e)
	}
}

// bySubsets counts the subsets of m answers, and those whose answers differ; the pairs, and those that agree; and of
// the pairs, with the golds as one class, those that differ, are both wrong, and are so and equal.
func bySubsets(classes []int, gold []bool, m int) (differ, all, agree, pairs, apart, wrong, alike int) {
	for set := range 1 << len(classes) {
		var members []int
		for i, c := range classes {
			if set>>i&1 == 1 {
				members = append(members, c)
			}
		}
		same := len(members) > 0 && slices.Max(members) == slices.Min(members)
		if len(members) == m {
			all++
			if !same {
				differ++
			}
		}
		if len(members) == 2 {
			pairs++
			if same {
				agree++
			}
			switch x, y := members[0], members[1]; {
			case gold[x] && gold[y]:
			case !gold[x] && !gold[y] && same:
				wrong, alike = wrong+1, alike+1
			case !gold[x] && !gold[y]:
				wrong++
				fallthrough
			default:
				apart++
			}
		}
	}
	return differ, all, agree, pairs, apart, wrong, alike
}

// AmbiguityAt is the mean over all subsets of m answers, and each decomposition adds up.
func TestCaseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.SliceOfN(rapid.IntRange(0, 3), 2, 8).Draw(t, "classes")
		counts, gold := make([]int, 4), rapid.SliceOfN(rapid.Bool(), 4, 4).Draw(t, "gold")
		for _, c := range classes {
			counts[c]++
		}
		m := rapid.IntRange(1, len(classes)).Draw(t, "m")
		differ, all, agree, pairs, apart, wrong, alike := bySubsets(classes, gold, m)
		if got, ok := AmbiguityAt(counts, m); !ok || !archtest.Near(got, float64(differ)/float64(all), 1e-12) {
			t.Fatalf("AmbiguityAt(%v, %d) = %v, by subsets %d/%d", counts, m, got, differ, all)
		}
		if got, _ := SC(counts, false); !archtest.Near(got, float64(agree)/float64(pairs), 1e-12) {
			t.Fatalf("SC(%v) = %v, by pairs %d/%d", counts, got, agree, pairs)
		}
		e, p, plugIn, _ := Decompose(counts, gold)
		for _, x := range []Pair[float64]{p, plugIn} {
			if b, v := x.BiasSquared, x.Variance; !archtest.Near(e, b+v, 1e-12) || b < 0 || b > 1 || v < 0 || v > .5 {
				t.Fatalf("%v = %v + %v does not hold", e, b, v)
			}
		}
		twice := 2 * float64(pairs)
		if !archtest.Near(p.Variance*twice, float64(apart), 1e-12) ||
			!archtest.Near(p.BiasSquared*twice, float64(wrong+alike), 1e-12) {
			t.Fatalf("%+v of %v, %v: of %d pairs %d differ, %d are wrong, %d alike", p, counts, gold, pairs, apart, wrong, alike)
		}
		if r := float64(len(classes)); !archtest.Near(plugIn.Variance, p.Variance*(r-1)/r, 1e-12) {
			t.Fatalf("variance %v, plug-in %v of %v answers", p.Variance, plugIn.Variance, r)
		}
		pc, _ := PC(counts)
		with, _ := SC(counts, true)
		if pc*pc > with+1e-12 || with > pc+1e-12 {
			t.Fatalf("PC %v and SC %v with replacement do not bound each other", pc, with)
		}
	})
}

// tau is the decimal that was typed, and the comparison is of fractions: for every split of up to 60 answers in two.
func TestTauIsExact(t *testing.T) {
	var cases []*Case
	splits := make(map[string][2]int64)
	for r := 2; r <= archtest.Draws(30, 60, 60); r += 2 {
		for same := range r + 1 {
			c := caseOf(t, fmt.Sprintf("%d of %d", same, r), strings.Repeat("a ", same)+strings.Repeat("b ", r-same), "a")
			cases = append(cases, c)
			num, den := scFraction([]int{same, r - same}, false)
			splits[c.ID] = [2]int64{num, den}
		}
	}
	for _, tau := range []string{"0.8", "0.5", "0.75", "1", "0", "0.1", "0.3"} {
		want, _ := new(big.Rat).SetString(tau)
		f, _ := want.Float64()
		res, err := Analyze(cases, Options{Tau: f, Level: .95, PerQuestion: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range res.PerQuestion {
			stable := big.NewRat(splits[q.ID][0], splits[q.ID][1]).Cmp(want) >= 0
			if (q.Category != Randomness) != stable {
				t.Errorf("%s at tau %s is %s", q.ID, tau, q.Category)
			}
		}
	}
}

// The result is the same bytes whatever the order of the lines, and whichever file they are in.
func TestOrderDoesNotMatter(t *testing.T) {
	archtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.SplitAfter(strings.TrimSuffix(string(rowsOf(7, 5)), "\n"), "\n")
		lines[len(lines)-1] += "\n"
		analyze := func(inputs ...Input) []byte {
			table, err := ReadRows(inputs, ReadOptions{Equal: answer.Normalized})
			if err != nil {
				t.Fatal(err)
			}
			opt := DefaultOptions()
			opt.PerQuestion = true
			res, err := Analyze(table.Cases, opt)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		want := analyze(Input{Name: "all", Reader: strings.NewReader(strings.Join(lines, ""))})
		shuffled := rapid.Permutation(lines).Draw(t, "order")
		at := rapid.IntRange(1, len(lines)-1).Draw(t, "at")
		got := analyze(Input{Name: "one", Reader: strings.NewReader(strings.Join(shuffled[:at], ""))},
			Input{Name: "two", Reader: strings.NewReader(strings.Join(shuffled[at:], ""))})
		if !bytes.Equal(got, want) {
			t.Fatalf("%s\nafter shuffling\n%s", want, got)
		}
	})
}
