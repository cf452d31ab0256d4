package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
)

func between(lo, hi float64) stat.Interval { return stat.Interval{Lo: lo, Hi: hi} }

// changedOutcomes are outcomes that fell, where 4 and 2 of 100 answers could not be graded.
func changedOutcomes() rate.OutcomeChange {
	x := func(v float64) *float64 { return &v }
	open := func(lo, hi float64) *rate.Share {
		return &rate.Share{Range: &stat.Range{Lo: lo, Hi: hi}, Interval: between(lo-.05, hi+.05)}
	}
	return rate.OutcomeChange{
		Base: rate.Outcomes{N: 100, Correct: open(.6, .64), Incorrect: open(.33, .37), NotAttempted: open(.03, .07),
			Ungradable: &rate.Share{Rate: x(.04), Interval: between(.02, .1)}},
		Other: rate.Outcomes{N: 100, Correct: open(.8, .82), Incorrect: open(.12, .14), NotAttempted: open(.06, .08),
			Ungradable: &rate.Share{Rate: x(.02), Interval: between(.01, .07)}},
		Difference: rate.OutcomeIntervals{
			Incorrect:  &rate.Bounded{Range: &stat.Range{Lo: -.25, Hi: -.19}, Interval: between(-.33, -.1)},
			Ungradable: &rate.Bounded{Estimate: x(-.02), Interval: between(-.08, .03)},
		},
		Reduction: rate.OutcomeIntervals{Incorrect: &rate.Bounded{Range: &stat.Range{Lo: .58, Hi: .68},
			Interval: between(.3, .8)}},
		Verdict: rate.Fell,
	}
}

func reduction() *rate.Reduction {
	r := &rate.Reduction{
		N: 100, McNemarP: .0000012, OnlyBaseFailed: 22, OnlyOtherFailed: 2,
		ByClass: map[string]rate.ClassReduction{
			"multi-hop": {N: 60, Base: &stat.Rate{Value: .5, Lo: .38, Hi: .62}, Other: &stat.Rate{Value: .2, Lo: .12,
				Hi: .32}, Reduction: &stat.Estimate{Value: .6, Lo: .35, Hi: .77}, McNemarPHolm: .004},
			"\x1b[31mevil |": {N: 40, Base: &stat.Rate{}, Other: &stat.Rate{Value: .05, Lo: .01, Hi: .17}, McNemarPHolm: 1},
		},
		Transitions: map[string]map[string]int{"pass": {"pass": 60, "commission": 2},
			"commission": {"pass": 20, "commission": 16}, "over-refusal": {"pass": 2}},
		Warnings: []string{"2 cases are in only one of the runs and are left out of the comparison"},
	}
	r.Base.Hallucination, r.Other.Hallucination = &stat.Rate{Value: .38, Lo: .29, Hi: .48},
		&stat.Rate{Value: .18, Lo: .12, Hi: .27}
	r.Base.TruthError, r.Other.TruthError = &stat.Rate{Value: .3, Lo: .22, Hi: .4},
		&stat.Rate{Value: .31, Lo: .23, Hi: .41}
	r.Base.WeightedQuality, r.Other.WeightedQuality = &stat.Estimate{Value: .75, Lo: .7, Hi: .8},
		&stat.Estimate{Value: .85, Lo: .8, Hi: .9}
	r.Outcomes = changedOutcomes()
	r.Reduction.Hallucination = &stat.Estimate{Value: .526, Lo: .35, Hi: .68}
	r.Reduction.TruthError = &stat.Estimate{Value: -.033, Lo: -.3, Hi: .2}
	r.Difference.Hallucination, r.Difference.TruthError = &stat.Estimate{Value: -.2, Lo: -.29, Hi: -.1},
		&stat.Estimate{Value: .01, Lo: -.08, Hi: .1}
	r.OverRefusal.Base, r.OverRefusal.Other, r.OverRefusal.Difference = &stat.Rate{Value: .02, Lo: .01, Hi: .07},
		&stat.Rate{Value: .06, Lo: .03, Hi: .13}, &stat.Estimate{Value: .04, Lo: -.02, Hi: .1}
	r.OverRefusal.McNemarP, r.OverRefusal.OfAnswerable.Other = .22, &stat.Rate{Value: .075, Lo: .03, Hi: .15}
	cell := func(d, p float64) rate.CellChange {
		return rate.CellChange{N: 60, Change: rate.Change{Base: &stat.Rate{Value: .5, Lo: .38, Hi: .62},
			Other: &stat.Rate{Value: .5 + d, Lo: .4 + d, Hi: .6 + d}, Difference: &stat.Estimate{Value: d, Lo: d - .1,
				Hi: d + .1}, McNemarPHolm: p}}
	}
	cells := map[string]rate.CellChange{"truth": cell(-.3, .004), "decidability": cell(.002, 1),
		"reciprocity": cell(.2, .03), "format": {}}
	r.Confusion.ByClass = map[string]map[string]rate.CellChange{"multi-hop": cells, "\x1b[31mevil |": cells,
		hostile: cells}
	r.Confusion.ByTag = map[string]map[string]rate.CellChange{"calc": cells}
	for i := range 20 {
		r.Discordant.Cases = append(r.Discordant.Cases, rate.DiscordantCase{CaseID: fmt.Sprint("c", i, hostile),
			Class: "multi-hop", Failed: "base", As: "commission", Axes: []string{"truth"}})
	}
	r.Discordant.Cases[0].Answers = &rate.BothAnswers{Question: "What is it? " + hostile, Gold: hostile,
		Base: "It is Lima. " + hostile, Other: "It is Paris. " + hostile}
	r.Discordant.Cases = append(r.Discordant.Cases, rate.DiscordantCase{CaseID: "d1", Failed: "other", As: "over-refusal",
		Axes: []string{"truth", "decidability"}})
	r.QualityDifference = &stat.Estimate{Value: .1, Lo: .05, Hi: .15}
	r.Categories = consistency.FlowShape()
	r.Categories.N, r.Categories.Left, r.Categories.Changed = 1300, 2, &stat.Estimate{Value: .5, Lo: .47, Hi: .53}
	for from, row := range map[string][4]int{"prompt_agnostic_factual": {400, 0, 50, 100},
		"prompt_agnostic_error": {50, 100, 0, 350}, "randomness": {100, 0, 0, 150}} {
		for i, to := range consistency.FlowCategories {
			r.Categories.Transitions[from][to] = row[i]
			r.Categories.Base[from] += row[i]
			r.Categories.Other[to] += row[i]
		}
	}
	for i, c := range consistency.FlowCategories {
		r.Categories.Difference[c] = &stat.Estimate{Value: .1 * float64(i-1), Lo: .1*float64(i-1) - .05,
			Hi: .1*float64(i-1) + .05}
	}
	change := func(base, other, p float64) *consistency.Change {
		return &consistency.Change{N: 98, Base: &stat.Estimate{Value: base, Lo: base - .1, Hi: base + .05},
			Other:      &stat.Estimate{Value: other, Lo: other - .1, Hi: other + .05},
			Difference: &stat.Estimate{Value: other - base, Lo: other - base - .05, Hi: other - base + .05}, P: p,
			Test: "sign-flip"}
	}
	r.Stability = &consistency.Paired{N: 98, SemanticStability: change(.7, .85, .0004), Ambiguity: change(.4, .3, .21),
		Steadier: 30, Shakier: 12, Warnings: []string{"2 cases " + hostile}}
	moved := func(base, other float64) *consistency.Moved {
		return &consistency.Moved{Base: base, Other: other, Difference: &stat.Estimate{Value: other - base,
			Lo: other - base - .05, Hi: other - base + .05}}
	}
	r.Stability.Decomposition = &consistency.Shift{N: 80, BiasSquared: moved(.2, .3), Variance: moved(.2, .0),
		Regime:         consistency.VarianceDominated,
		OtherBeatsBase: &consistency.Test{Difference: moved(.4, .3).Difference, Holds: "yes"}}
	r.Measured = method.Figures{"scores": method.Figures{"by_name": method.Figures{
		"f1": method.Figures{"mean": &method.Change{Paired: true, N: 97, Base: about(.61), Other: about(.7),
			Difference: about(.09), P: new(.04), PHolm: new(.08), Test: stat.MidTest}},
		hostile: method.Figures{"mean": &method.Change{Base: about(.2)},
			"agreement": &method.Change{Base: about(.9), Other: about(.8)}}}},
		"of another release": method.Figures{"share": &method.Change{Base: about(.123)}}}
	return r
}

// about is an estimate of that value.
func about(value float64) *stat.Estimate {
	return &stat.Estimate{Value: value, Lo: value - .08, Hi: value + .07, N: 97}
}

// Figures of added methods are paired with their difference, or said not to be; those of a method that this release does
// not have are not shown.
func TestCompareMeasured(t *testing.T) {
	var b strings.Builder
	if err := Compare(&b, reduction(), "base", "other", Style{}); err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(b.String(), "SCORES THAT CAME ALONG")
	part, _, _ = strings.Cut(part, "WARNINGS")
	words := regexp.MustCompile(` +`).ReplaceAllString(part, " ")
	for _, want := range []string{"mean of f1 0.610 0.700 97 +0.090 +0.010 to +0.160 0.040", "Not paired by case",
		" 0.200 0.120–0.270 –", " 90.0 % 82.0–97.0 % 80.0 % 72.0–87.0 %"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, part)
		}
	}
	if strings.Contains(b.String(), "12.3 %") || strings.Contains(b.String(), "0.123") {
		t.Error("a figure is shown that no catalogue has")
	}
}

func TestCompareGolden(t *testing.T) {
	golden(t, "compare-80.txt", nil, func(w io.Writer, _ *assay.Assay) error {
		return Compare(w, reduction(), "base run", "other\x1b[2J run", Style{})
	})
}

func TestCompare(t *testing.T) {
	worse := reduction()
	worse.Outcomes.Verdict = rate.Rose
	clean := reduction()
	clean.Outcomes.Verdict = rate.Undecided
	clean.Outcomes.Detectable = &rate.Detectable{Difference: .091, Power: .8, Test: rate.ByMcNemar, N: 100, Needed: 700}
	few := reduction()
	few.Outcomes.Verdict = rate.Undecided
	equal, no := reduction(), reduction()
	equal.Outcomes.Verdict = rate.Equivalent
	equal.Outcomes.Equivalence = &rate.Equivalence{Margin: .3, Level: .9, Interval: between(-.31, -.11),
		Within: true}
	no.Outcomes.Noninferiority = &rate.Noninferiority{Margin: .02, Level: .95, Alpha: .025, Hi: -.1, Shown: true}
	for name, tt := range map[string]struct {
		r    *rate.Reduction
		want string
	}{
		"better": {reduction(), "Wrong answers fell by 19 to 25 points. 33–37 % were wrong in base and 12–14 % in other, " +
			"3–7 % and 6–8 % not attempted, of 100 questions answered in both runs. The change is −25 to −19 points; with 95 " +
			"% confidence it lies within −33.0 to −10.0."},
		"worse": {worse, "Wrong answers rose by"},
		"clean": {clean, "No difference in wrong answers was found. 33–37 % were wrong in base"},
		"few":   {few, "With so few questions no difference could have been found."},
		"would": {clean, "So many questions find a difference of 9.1 points or more in 80 of 100 such comparisons; to " +
			"find one as small as this takes about 700 questions."},
		"equal": {equal, "Wrong answers are equivalent within 30 points. 33–37 %"},
		"90 %":  {equal, "it lies within −33.0 to −10.0. The 90 % interval of the change is −31.0 to −11.0."},
		"no": {no, "Other is no worse than base by 2 points or more: with 97.5 % confidence wrong answers changed by " +
			"at most −10.0 points."},
		"none": {&rate.Reduction{}, "Nothing can be compared: no question was answered in both runs."},
	} {
		for _, width := range []int{0, 60, 120} {
			var b bytes.Buffer
			if err := Compare(&b, tt.r, "a", "b", Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, tt.want) {
				t.Errorf("%s: does not say %q:\n%s", name, tt.want, b.String())
			}
			checkVisible(t, name, b.Bytes())
			for line := range strings.Lines(b.String()) {
				if n := TextWidth(strings.TrimSuffix(line, "\n")); n > (Style{Width: width}).width() {
					t.Errorf("%s at %d: a line of %d cells: %s", name, width, n, line)
				}
			}
		}
	}
	if (Compare(failingWriter{}, reduction(), "", "", Style{})) == nil {
		t.Error("a failed write goes unsaid")
	}
}

// TestBothAnswers: both answers to what only one run failed stand in every form, with the words that differ marked, and
// what is hostile in them escaped.
func TestBothAnswers(t *testing.T) {
	r := reduction()
	for i := range r.Discordant.Cases {
		r.Discordant.Cases[i].Answers = r.Discordant.Cases[0].Answers
	}
	for name, tt := range map[string]struct {
		write       func(io.Writer) error
		cases       int
		base, other string
	}{
		"terminal": {func(w io.Writer) error {
			return Compare(w, r, "a", "b", Style{})
		}, 1 + briefBoth, "It is [-Lima.-]", "It is {+Paris.+}"},
		"whole": {func(w io.Writer) error {
			return Compare(w, r, "a", "b", Style{Whole: true})
		}, 21, "It is [-Lima.-]", "It is {+Paris.+}"},
		"page": {func(w io.Writer) error {
			return ComparePage(w, r, "a", "b")
		}, 21, "It is <mark>Lima.</mark>", "It is <mark>Paris.</mark>"},
		"Markdown": {func(w io.Writer) error {
			return CompareMarkdown(w, r, hostile, "b")
		}, 1 + maxListed, "It is **Lima.**", "It is **Paris.**"},
	} {
		var b bytes.Buffer
		if err := tt.write(&b); err != nil {
			t.Fatal(name, err)
		}
		checkVisible(t, name, b.Bytes())
		if n, m := strings.Count(b.String(), tt.base), strings.Count(b.String(), tt.other); n != tt.cases || m != tt.cases {
			t.Errorf("%s: %d and %d answers, want %d:\n%s", name, n, m, tt.cases, b.String())
		}
		if name == "Markdown" && strings.Contains(b.String(), "<script") {
			t.Errorf("%s: markup comes alive", name)
		}
	}
}

// TestLayersOfComparison: the page begins with what can be said and the answers, and folds the figures, each with a
// sentence of what it is.
func TestLayersOfComparison(t *testing.T) {
	r := reduction()
	for i := range r.Discordant.Cases {
		r.Discordant.Cases[i].Answers = r.Discordant.Cases[0].Answers
	}
	var b bytes.Buffer
	if err := ComparePage(&b, r, "monday", "tuesday"); err != nil {
		t.Fatal(err)
	}
	inOrder(t, b.String(), ">Wrong answers fell by 19 to 25 points<",
		"33–37\u202f% were wrong in base and 12–14\u202f% in other", ">base</strong>, monday", `class="key"`,
		">change, in points<", ">−25.0<", ">−19.0<", "Regressed in other", "Fixed in other", "<mark>Lima.</mark>",
		"<summary>17 more questions</summary>", ">Warnings<", ">All figures<", `<a href="#outcomes">Outcomes</a>`, "depth")
	everyDepthSays(t, b.String())
}

func series() *rate.Series {
	s := &rate.Series{N: 20, Curves: map[string][]rate.Point{}, Last: map[string]rate.Point{},
		Warnings: []string{"1 cases are not in every run " + hostile}}
	at := func(x float64) *float64 { return &x }
	for i, x := range []float64{.5, .3, .1} {
		s.Runs = append(s.Runs, rate.SeriesRun{Run: fmt.Sprint("run", i, hostile), Model: hostile, Suite: "s"})
		failed := int(20 * x)
		p := rate.Point{N: 20, Failed: &failed, Rate: at(x), Bounds: stat.Bounds{Lo: at(x / 2), Hi: at(x + .2)}}
		if i > 0 {
			p.Difference = &rate.Bounded{Estimate: at(x - .5), Interval: between(x-.7, x-.3)}
			p.McNemarP, p.McNemarPHolm = at(.01), at(.02)
		}
		p.Control = &rate.ControlPoint{Centre: at(.5), Lo: .2, Hi: .8, Baseline: i == 0, Beyond: i == 2}
		s.Curves["hallucination"] = append(s.Curves["hallucination"], p)
		w := rate.Point{
			N: 20, Range: &stat.Range{Lo: x, Hi: x + .1}, Bounds: stat.Bounds{Lo: at(x / 2), Hi: at(x + .3)},
			Control: &rate.ControlPoint{Lo: .2, Hi: .8, Baseline: i == 0, Beyond: i == 2},
		}
		if i > 0 {
			w.Difference = &rate.Bounded{Range: &stat.Range{Lo: x - .6, Hi: x - .4}, Interval: between(x-.8, x-.2)}
		}
		s.Curves["incorrect"] = append(s.Curves["incorrect"], w)
		ss := rate.Point{N: 20, Rate: at(1 - x), Bounds: stat.Bounds{Lo: at(1 - x - .1), Hi: at(1 - x/2)},
			Control: &rate.ControlPoint{Centre: at(.5), Lo: .4, Hi: 1, Baseline: i == 0}}
		if i > 0 {
			ss.Difference = &rate.Bounded{Estimate: at(.5 - x), Interval: between(.4-x, .6-x)}
			ss.SignFlipP, ss.SignFlipPHolm = at(.004), at(.008)
		}
		s.Curves["semantic_stability"] = append(s.Curves["semantic_stability"], ss)
		s.Curves["format_error"] = append(s.Curves["format_error"], rate.Point{})
	}
	s.Measured = method.Figures{"scores": method.Figures{"by_name": method.Figures{
		hostile: method.Figures{"mean": method.PerRun{about(.2), nil, about(.3)}}}}}
	s.Outcomes = changedOutcomes()
	s.Baseline, s.Beyond, s.BeyondLimits = 1, []rate.Beyond{{Curve: "hallucination", At: 2, Run: s.Runs[2].Run,
		Side: "below"}}, 1
	return s
}

// TestPagesOfRuns: the pages of comparisons and series are sealed, well formed and hide nothing; each figure is the
// document's.
func TestPagesOfRuns(t *testing.T) {
	digits := regexp.MustCompile(`\d`)
	for name, tt := range map[string]struct {
		document any
		write    func(io.Writer) error
		figures  int
	}{
		"compare": {reduction(), func(w io.Writer) error {
			return ComparePage(w, reduction(), "base "+hostile, hostile)
		}, 60},
		"bare":   {&rate.Reduction{}, func(w io.Writer) error { return ComparePage(w, &rate.Reduction{}, "", "") }, 3},
		"series": {series(), func(w io.Writer) error { return SeriesPage(w, series()) }, 20},
	} {
		var b bytes.Buffer
		if err := tt.write(&b); err != nil {
			t.Fatal(name, err)
		}
		page := b.Bytes()
		checkVisible(t, name, page)
		if n := bytes.Count(bytes.ToLower(page), []byte("<script")); n != 1 {
			t.Errorf("%s: %d scripts", name, n)
		}
		doc := asJSON(t, tt.document)
		figures := 0
		for _, e := range elements(t, page) {
			for k, v := range e.attr {
				if strings.HasPrefix(k, "on") || k == "style" || k == "src" || k == "href" && !strings.HasPrefix(v, "#") {
					t.Errorf("%s: attribute %s=%q on %s", name, k, v, e.name)
				}
			}
			if e.name == "td" && e.within("td", "n") && digits.MatchString(strings.ReplaceAll(e.text, "p", "")) {
				t.Errorf("%s: a figure without its place: %q", name, e.text)
			}
			if e.name != "data" {
				continue
			}
			figures++
			got, err := strconv.ParseFloat(e.attr["value"], 64)
			if strings.Contains(e.attr["data-path"], "evil") || strings.Contains(e.attr["data-path"], "script") {
				continue // its name is made visible in the path, as it must be
			}
			want, ok := doc.Number(strings.Split(e.attr["data-path"], ".")...)
			if err != nil || !ok || got != want {
				t.Errorf("%s: %s: page %q, document %v", name, e.attr["data-path"], e.attr["value"], want)
			}
		}
		if figures < tt.figures {
			t.Errorf("%s: %d figures", name, figures)
		}
		if tt.write(failingWriter{}) == nil {
			t.Errorf("%s: a failed write goes unsaid", name)
		}
	}
}

func TestSeriesInTheTerminal(t *testing.T) {
	for _, width := range []int{0, 72, 120} {
		var b bytes.Buffer
		if err := Series(&b, series(), Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		checkVisible(t, "series", b.Bytes())
		for _, want := range []string{
			"WRONG ANSWERS  plots run from 0 to 80 %; less the first run\n", "control limits 20.0–80.0 %\n", "50–60 %",
			"−70.0 to −10.0  –  below\n", "−50 to −30", "3. run2",
			"RUBRIC FAILURE RATE (H)", "50.0 %", "−40.0", "−60.0 to −20.0  0.020", "1 cases are not in every run",
			"SEMANTIC STABILITY", "+0.100 to +0.300  0.0080", "control limits 20.0–80.0 %", "RUNS", "(H) of run 3",
			"0.400–1.000",
		} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("does not say %q:\n%s", want, b.String())
			}
		}
		const fell = "3 runs on the same 100 questions Wrong answers fell by 19 to 25 points. " +
			"33–37 % were wrong in the first run and 12–14 % in the last, 3–7 % and 6–8 % not attempted, of 100 questions " +
			"answered in every run. The change is"
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, fell) {
			t.Errorf("does not say %q:\n%s", fell, b.String())
		}
		if strings.Contains(b.String(), "FORMAT") {
			t.Error("a curve without a point is shown")
		}
		for line := range strings.Lines(b.String()) {
			if n := TextWidth(strings.TrimSuffix(line, "\n")); n > (Style{Width: width}).width() {
				t.Errorf("at %d: a line of %d cells: %s", width, n, line)
			}
		}
	}
	if Series(failingWriter{}, series(), Style{}) == nil {
		t.Error("a failed write goes unsaid")
	}
}

// Where base has too few cases for a percentage, none is written: the difference stands in points, with a sentence why.
func TestFewInBase(t *testing.T) {
	r := reduction()
	const why = "Where a rate of base is of too few questions, a percentage of it would say nothing: read the points."
	for few := range 2 {
		r.Reduction.TruthError = &stat.Estimate{Value: -.5, Lo: -78, Hi: .987}
		r.Difference.TruthError = &stat.Estimate{Value: .01, Lo: -.023, Hi: .045}
		c := r.ByClass["multi-hop"]
		c.Reduction, c.Difference = &stat.Estimate{Value: .5, Lo: -61, Hi: .99}, &stat.Estimate{Value: -.0123, Lo: -.0345,
			Hi: .0156}
		r.Outcomes.Reduction.Ungradable = &rate.Bounded{Estimate: &r.Reduction.TruthError.Value,
			Interval: between(-45, .9)}
		r.FewInBase, r.Outcomes.FewInBase, c.FewInBase = nil, nil, few > 0
		if few > 0 {
			r.FewInBase, r.Outcomes.FewInBase = []string{"truth_error"}, []string{"ungradable"}
		}
		r.ByClass["multi-hop"] = c
		var text, page bytes.Buffer
		if err := Compare(&text, r, "a", "b", Style{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if err := ComparePage(&page, r, "a", "b"); err != nil {
			t.Fatal(err)
		}
		for name, has := range map[string]bool{"7800.0": few == 0, "6100.0": few == 0, "−1.0 points    −4.5 to 2.3": few > 0,
			"1.2 points": few > 0, "−1.6 to 3.5": few > 0} {
			if strings.Contains(text.String(), name) != has {
				t.Errorf("few %d: %q: %v in\n%s", few, name, !has, text.String())
			}
		}
		for _, doc := range []string{strings.Join(strings.Fields(text.String()), " "), page.String()} {
			if n := strings.Count(doc, why); (n > 0) != (few > 0) {
				t.Errorf("few %d: %d times %q", few, n, why)
			}
		}
		for _, name := range []string{"7,800.0", "7800.0", "6100.0", "4500.0"} {
			if few > 0 && strings.Contains(page.String(), name) {
				t.Errorf("%s stands in the page", name)
			}
		}
	}
}
