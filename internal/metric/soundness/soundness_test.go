package soundness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
)

// said is a log with a case an answer, each of another gold.
func said(texts ...string) *Log {
	l := &Log{Model: "m", Suite: "s"}
	for i, text := range texts {
		l.Cases = append(l.Cases, Case{ID: fmt.Sprint("q", i+1), Question: fmt.Sprintf("What is number %d?", i), Right: -1,
			Gold: []string{fmt.Sprint("gold", i)}, Gradable: true,
			Answers: []Answer{{Text: text, Chosen: -1, Outcome: grade.Incorrect}}})
	}
	return l
}

var options = Options{Level: .95, Seed: 1, HalfWidth: .03}

func look(l ...*Log) *Result { return Look(l, nil, options) }

// finds holds an issue of a check against its severity, count, share and examples; "" of nothing.
func finds(t *testing.T, r *Result, check, want string) {
	t.Helper()
	var got []string
	for _, f := range r.Issues {
		if f.Check == check {
			got = append(got, fmt.Sprintf("%s %d of %d %v", f.Severity, f.Count, f.Of, f.Examples))
		}
	}
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s found %q, want %q", check, s, want)
	}
}

// TestTexts has answers that are none beside answers that look like some.
func TestTexts(t *testing.T) {
	l := said("Paris", " \n\u200b", "<!DOCTYPE html><html>", "Error: 429 Too Many Requests",
		"Traceback (most recent call last):\n  File", `{"error": {"message": "overloaded"}}`,
		"I'm sorry, but I can't assist with that.", "openai.RateLimitError: quota", "503 Service Unavailable",
		// none of these is a failure
		"Error bars show the standard deviation.", "404 people", "The error: he forgot it.", "I'm sorry to hear that.",
		"<b>Rome</b>", "An exception: the platypus.")
	r := look(l)
	finds(t, r, "empty", "fault 1 of 15 [q2]")
	finds(t, r, "error_text", "fault 5 of 15 [q4 q5]; fault 1 of 15 [q3]; doubt 1 of 15 [q7]")
	l.Cases[6].Decline = true
	l.Cases[3].Answers[0].Outcome = grade.Correct // a question about an error
	finds(t, look(l), "error_text", "fault 4 of 15 [q5 q6]; fault 1 of 15 [q3]")
	l.Cases[0].Answers[0] = Answer{Missing: "the call failed", Chosen: -1}
	finds(t, look(l), "missing", "fault 1 of 15 [q1]")
	if r.ByCheck["error_text"] != (Tally{Issues: 3, Count: 7}) || r.Faults != 3 {
		t.Errorf("tally %+v, %d faults", r.ByCheck["error_text"], r.Faults)
	}
}

// TestCutOff takes the word of the log, and without one the middle of a sentence at the length of the longest.
func TestCutOff(t *testing.T) {
	l := said("Paris", "It is", "Rome.")
	l.Cases[1].Answers[0].Finish = "length"
	finds(t, look(l), "cut_off", "fault 1 of 3 [q2]")
	long := strings.Repeat("and then there was one more of these things in the ", 4)
	open := said("Paris", long+"old", long+"new town of", long+"end.", "Short and without a point")
	finds(t, look(open), "cut_off", "doubt 2 of 5 [q2 q3]")
	open.Cases[0].Answers[0].Finish, open.Cases[1].Answers[0].Finish = "length", "stop"
	finds(t, look(open), "cut_off", "fault 1 of 5 [q1]")
	finds(t, look(said("one two", "three four", "five six")), "cut_off", "")
	finds(t, look(said(long+"end.", long+"old", long+"end!", long+"end?")), "cut_off", "") // one of four
}

// TestFailuresInOrder has six answers of 60 that failed: the last six, and six that are spread.
func TestFailuresInOrder(t *testing.T) {
	spread := slices.Repeat([]string{"yes"}, 60)
	late := slices.Clone(spread)
	for i := range 6 {
		late[54+i], spread[10*i+4] = "", "Error: 500"
	}
	finds(t, look(said(late...)), "failures_in_order", "doubt 6 of 60 [q55 q56]")
	finds(t, look(said(spread...)), "failures_in_order", "")
	if why := look(said("a", "", "b")).ByCheck["failures_in_order"].Skipped; why == "" {
		t.Error("one failure was tested")
	}
}

// TestRepeated has one answer to six questions of ten.
func TestRepeated(t *testing.T) {
	texts := []string{"a", "b", "c", "d"}
	for range 6 {
		texts = append(texts, "The answer is 42.")
	}
	l := said(texts...)
	finds(t, look(l), "repeated_answer", "doubt 6 of 10 [q5 q6]")
	for i := 4; i < 8; i++ { // it is right
		l.Cases[i].Answers[0].Outcome = grade.Correct
	}
	finds(t, look(l), "repeated_answer", "")
}

// TestUnbalanced has three answers a case, but for one.
func TestUnbalanced(t *testing.T) {
	l := said("a", "b", "c", "d")
	finds(t, look(l), "unbalanced", "")
	if why := look(l).ByCheck["unbalanced"].Skipped; why == "" {
		t.Error("one answer a case was looked at")
	}
	for i := range l.Cases {
		for v := 1; v < 3; v++ {
			l.Cases[i].Answers = append(l.Cases[i].Answers, Answer{Variant: v, Text: "x", Chosen: -1})
		}
	}
	finds(t, look(l), "unbalanced", "")
	l.Cases[2].Answers[1].Missing = "gone"
	finds(t, look(l), "unbalanced", "doubt 1 of 4 [q3]")
}

// TestGolds has golds that are missing, and golds that stand in their questions.
func TestGolds(t *testing.T) {
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprint("answer ", i))
	}
	l := said(texts...)
	finds(t, look(l), "gold_in_question", "")
	for i := range 4 { // three of 30 others' golds by chance have 1/30 each: P(X >= 4) = .015
		l.Cases[i].Question += " Hint: Gold" + fmt.Sprint(i) + "!"
	}
	finds(t, look(l), "gold_in_question", "fault 4 of 30 [q1 q2]")
	for i := range 30 { // a question of yes or no names both: everybody's gold stands in every question
		l.Cases[i].Question, l.Cases[i].Gold = "Is it so, yes or no?", []string{[]string{"Yes", "no"}[i%2]}
	}
	finds(t, look(l), "gold_in_question", "")
	l.Cases[7].Gradable = false
	finds(t, look(l), "gold_missing", "fault 1 of 30 [q8]")
	if f := look(l).Issues; f[0].Model != "" || f[0].Suite != "s" {
		t.Errorf("an issue of a suite is of model %q", f[0].Model)
	}
}

// TestGoldInOptions has questions that name one option of four, always the right one.
func TestGoldInOptions(t *testing.T) {
	named := func(right int) *Log {
		l := said("a", "b", "c", "d", "e", "f")
		for i := range l.Cases {
			l.Cases[i].Options = []string{"oak", "elm", "ash", "fir"}
			l.Cases[i].Right = right
			l.Cases[i].Question = "Which is a tree like an elm?"
		}
		return l
	}
	finds(t, look(named(1)), "gold_in_options", "fault 6 of 6 [q1 q2]") // (1/4)^6
	finds(t, look(named(2)), "gold_in_options", "")
}

// TestScores has a constant score, one out of its range, one that disagrees, and one with nothing to say against it.
func TestScores(t *testing.T) {
	var texts []string
	for i := range 20 {
		texts = append(texts, strings.Repeat("x", 5+i%3))
	}
	l := said(texts...)
	for i := range l.Cases {
		a := &l.Cases[i].Answers[0]
		a.Scores = map[string]float64{"flat": .5, "far": float64(i) / 20, "judge": 0, "fine": float64(i % 2)}
		if i%2 == 1 {
			a.Outcome = grade.Correct
			a.Scores["judge"] = 1
		}
	}
	l.Cases[3].Answers[0].Scores["far"] = -1
	l.Cases[4].Answers[0].Scores["judge"], l.Cases[6].Answers[0].Scores["judge"] = 1, 1
	r := look(l)
	finds(t, r, "score_constant", "doubt 20 of 20 [q1 q2]")
	finds(t, r, "score_range", "fault 1 of 20 [q4]")
	finds(t, r, "score_disagrees", "doubt 2 of 20 [q5 q7]")
	if why := look(said("a")).ByCheck["score_range"].Skipped; why != noScores {
		t.Errorf("skipped as %q", why)
	}
}

// TestTooFew: of 10 wrong of 20 the interval of 95 % is .2993 to .7007 (Wilson's, by hand), and 1064 cases would do
// for .03 by 1.959964² (1/(4 .0009) - 1) = 1063.2; of 2,000 cases none is found.
func TestTooFew(t *testing.T) {
	l := said(make([]string, 20)...)
	for i := range 10 {
		l.Cases[i].Answers[0].Outcome = grade.Correct
	}
	r := look(l)
	for _, f := range r.Issues {
		if f.Check == "too_few" && (*f.Needs != 1064 || math.Abs(f.Effect.Lo-.2993) > 1e-4 || f.Severity != Note) {
			t.Errorf("%+v needs %d", f, *f.Needs)
		}
	}
	finds(t, r, "too_few", "note 20 of 20 []")
	big := said(make([]string, 2000)...)
	for i := range 1000 {
		big.Cases[i].Answers[0].Outcome = grade.Correct
	}
	finds(t, look(big), "too_few", "")
}

// TestSameLog has one log under two names, and two models that are right alike.
func TestSameLog(t *testing.T) {
	long := "This is a long answer of more than six words: "
	a, b := said(long+"1", long+"2", long+"3", long+"4", long+"5"), said(long+"1", long+"2", long+"3", long+"4", long+"5")
	b.Model = "n"
	finds(t, look(a, b), "same_log", "fault 5 of 5 [q1 q2]")
	b.Cases[2].Answers[0].Text = "another"
	finds(t, look(a, b), "same_log", "")
	a, b = said("Paris", "Rome", "Bern", "Oslo", "Kyiv", "Riga"), said("Paris", "Rome", "Bern", "Oslo", "Kyiv", "Riga")
	b.Model = "n"
	for i := range a.Cases {
		a.Cases[i].Answers[0].Outcome = grade.Correct
		b.Cases[i].Answers[0].Outcome = grade.Correct
	}
	finds(t, look(a, b), "same_log", "")
}

// TestScoresAlone has nothing said of texts that are none.
func TestScoresAlone(t *testing.T) {
	l := said("", "", "")
	l.ScoresAlone = true
	r := look(l)
	finds(t, r, "empty", "")
	if r.ByCheck["empty"].Skipped == "" {
		t.Error("texts were looked at")
	}
}

// chosen is a log of questions with four options; pick gives the right option and the chosen one.
func chosen(n int, pick func(i int) (right, chosen int)) *Log {
	l := said(make([]string, n)...)
	for i := range l.Cases {
		c := &l.Cases[i]
		c.Options = []string{"oak", "elm", "ash", "fir"}
		var at int
		c.Right, at = pick(i)
		c.Answers[0].Chosen, c.Answers[0].Text = at, c.Options[at]
		if at == c.Right {
			c.Answers[0].Outcome = grade.Correct
		}
	}
	return l
}

// TestPlaces: of 100 questions the right option is A in 40, and of 100 answers 60 choose A.
func TestPlaces(t *testing.T) {
	l := chosen(100, func(i int) (int, int) {
		right := 3
		for k, upTo := range []int{40, 65, 85} {
			if i < upTo {
				right = k
				break
			}
		}
		return right, right
	})
	r := look(l)
	finds(t, r, "position_bias", "")
	finds(t, r, "right_position", "doubt 40 of 100 [q1 q2]")
	// scipy 1.17.1: chisquare([40, 25, 20, 15]).pvalue
	if p := *r.Tests[0].P; r.Tests[0].Check != "right_position" || math.Abs(p-0.002905152774267437) > 1e-9 {
		t.Errorf("p %v", p)
	}
	if f := r.Tests[0]; math.Abs(f.Effect.Value-.15) > 1e-12 || !strings.Contains(f.Text, "A in 40 of 100 questions, and "+
		"25.0 would be by chance: 15.0 points more") {
		t.Errorf("%+v: %s", f.Effect, f.Text)
	}
	biased := chosen(100, func(i int) (int, int) {
		if i%2 == 0 {
			return i / 2 % 4, 0
		}
		return i / 2 % 4, i / 2 % 4
	})
	r = look(biased)
	finds(t, r, "right_position", "")
	finds(t, r, "position_bias", "doubt 63 of 100 [q3 q5]")
	for _, f := range r.Issues {
		if f.Check == "position_bias" && !strings.Contains(f.Text, "A is chosen in 63.0 % of 100 answers and is right in "+
			"26.0 %: 37.0 points more") {
			t.Error(f.Text)
		}
	}
}

// TestLength has right answers twice as long as wrong ones.
func TestLength(t *testing.T) {
	rng := seed.Stream(1, "length")
	l := said(make([]string, 60)...)
	for i := range l.Cases {
		n := 20 + rng.IntN(10)
		if i%2 == 0 {
			n *= 2
			l.Cases[i].Answers[0].Outcome = grade.Correct
		}
		l.Cases[i].Answers[0].Text = strings.Repeat("x", n)
	}
	r := look(l)
	finds(t, r, "length_bias", "doubt 30 of 60 []")
	for _, f := range r.Issues {
		if f.Check == "length_bias" && (f.Effect.Lo > math.Ln2 || f.Effect.Hi < math.Ln2 || f.AUROC.Value != 1) {
			t.Errorf("effect %+v, AUROC %+v", *f.Effect, *f.AUROC)
		}
	}
}

// TestPoissonBinomial: by hand of five events (the sum over the 32 outcomes), and the binomial of scipy 1.17.1,
// binom.sf(7, 20, .25).
func TestPoissonBinomial(t *testing.T) {
	if p := poissonBinomial([]float64{.1, .25, .5, .25, .9}, 4); math.Abs(p-0.048125) > 1e-12 {
		t.Errorf("%.15f", p)
	}
	equal := slices.Repeat([]float64{.25}, 20)
	if p := poissonBinomial(equal, 8); math.Abs(p-0.10181185692272265) > 1e-12 {
		t.Errorf("%.15f", p)
	}
	if p := poissonBinomial(equal, 0); p != 1 {
		t.Errorf("none or more: %v", p)
	}
	// the normal limit beside the exact figure: 10,000 events of 1/2, 5,050 or more
	if p := poissonBinomial(slices.Repeat([]float64{.5}, 10_000), 5050); math.Abs(p-0.161084) > 2e-4 {
		t.Errorf("%v in the limit", p)
	}
}

// TestFalseAlarms simulates logs of which every null holds: right options at random places, a model whose errors fall
// on any other option, lengths and scores that depend on nothing, in clusters of one to three. Of all logs at most 5 %
// may have an issue by any of the tests, within three standard errors. Of 2,000 logs (HALLMARK_LONG=full) .0435 had
// one, and .0388 of 12,957 tests a p below .05.
func TestFalseAlarms(t *testing.T) {
	logs := archtest.Draws(25, 600, 2000)
	alarms, tests, low := 0, 0, 0
	for i := range logs {
		rng := seed.Stream(7, "false alarms", fmt.Sprint(i))
		r := look(null(rng, 20+rng.IntN(100)))
		for _, f := range r.Tests {
			if tests++; *f.P < .05 {
				low++
			}
		}
		if slices.ContainsFunc(r.Issues, func(f Issue) bool { return f.P != nil }) {
			alarms++
		}
	}
	rate := float64(alarms) / float64(logs)
	t.Logf("%.4f of %d logs have a false finding; %.4f of %d tests have p < .05", rate, logs,
		float64(low)/float64(tests), tests)
	if bound := .05 + 3*math.Sqrt(.05*.95/float64(logs)); rate > bound {
		t.Errorf("%.3f of %d logs have a false finding, at most %.3f may", rate, logs, bound)
	}
	if share := float64(low) / float64(tests); share > .05+3*math.Sqrt(.05*.95/float64(tests)) || share < .01 {
		t.Errorf("%.3f of %d tests have p < .05", share, tests)
	}
}

// null is a log of n questions, half with options.
func null(rng *rand.Rand, n int) *Log {
	l := said(make([]string, n)...)
	rate := .2 + .6*rng.Float64()
	cluster, left := int32(0), 0
	var common float64
	for i := range l.Cases {
		c := &l.Cases[i]
		if left == 0 {
			cluster, left, common = cluster+1, 1+rng.IntN(3), rng.NormFloat64()
		}
		left--
		c.Cluster = cluster
		a := &c.Answers[0]
		length := int(math.Exp(3 + .5*rng.NormFloat64() + .3*common))
		a.Text = strings.Repeat("x", max(1, length)) + "."
		a.Scores = map[string]float64{"score": math.Floor(10*rng.Float64()) / 10}
		if rng.Float64() < .1 {
			a.Finish = "length"
		}
		right := rng.Float64() < rate
		if right {
			a.Outcome = grade.Correct
		}
		if i%2 == 0 {
			continue
		}
		c.Options = []string{"w1", "w2", "w3", "w4", "w5"}[:3+rng.IntN(3)]
		c.Right = rng.IntN(len(c.Options))
		c.Question = "Is it w" + fmt.Sprint(1+rng.IntN(3)) + "?"
		if a.Chosen = c.Right; !right {
			a.Chosen = (c.Right + 1 + rng.IntN(len(c.Options)-1)) % len(c.Options)
		}
	}
	return l
}

// TestPower simulates faults that the tests are for, each in logs of 400 questions: they are found in most.
func TestPower(t *testing.T) {
	faults := map[string]func(*Log, *rand.Rand){
		"position_bias": func(l *Log, rng *rand.Rand) { // four of five errors that can be are A
			for i := range l.Cases {
				if a := &l.Cases[i].Answers[0]; a.Chosen > 0 && a.Outcome == grade.Incorrect && rng.IntN(10) < 8 &&
					l.Cases[i].Right != 0 {
					a.Chosen = 0
				}
			}
		},
		"length_bias": func(l *Log, rng *rand.Rand) {
			for i := range l.Cases {
				if a := &l.Cases[i].Answers[0]; a.Outcome == grade.Correct {
					a.Text += a.Text
				}
			}
		},
		"right_position": func(l *Log, rng *rand.Rand) {
			for i := range l.Cases {
				if len(l.Cases[i].Options) > 0 && rng.IntN(2) == 0 {
					l.Cases[i].Right = 0
				}
			}
		},
	}
	const logs = 20
	for check, spoil := range faults {
		found := 0
		for i := range logs {
			rng := seed.Stream(9, "power", check, fmt.Sprint(i))
			l := null(rng, 400)
			spoil(l, rng)
			if check != "position_bias" { // whose draws take long, and nobody looks at them here
				for i := range l.Cases {
					l.Cases[i].Answers[0].Chosen = -1
				}
			}
			if look(l).ByCheck[check].Issues > 0 {
				found++
			}
		}
		if t.Logf("%s: %d of %d", check, found, logs); found < logs*8/10 {
			t.Errorf("%s is found in %d of %d logs that have it", check, found, logs)
		}
	}
}

// TestPreferenceOfSkewedPlaces has the right option at A in seven of ten questions, and errors on any other: the shares
// chosen are not those in which places are right, and no place is preferred.
func TestPreferenceOfSkewedPlaces(t *testing.T) {
	logs := archtest.Draws(20, 300, 300)
	low := 0
	for i := range logs {
		rng := seed.Stream(11, "skewed", fmt.Sprint(i))
		var all []choice
		for range 60 {
			c := choice{options: 4}
			if rng.IntN(10) >= 7 {
				c.right = 1 + rng.IntN(3)
			}
			if c.chosen = c.right; rng.IntN(2) == 0 {
				c.chosen = (c.right + 1 + rng.IntN(3)) % 4
			}
			all = append(all, c)
		}
		if preferenceP(all, rng) < .05 {
			low++
		}
	}
	if rate := float64(low) / float64(logs); rate > .05+3*math.Sqrt(.05*.95/float64(logs)) || rate < .01 {
		t.Errorf("%.3f of tests have p < .05", rate)
	}
}
