package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat"
	"hallmark/internal/text/evidence"
)

// demo returns five cases that between them show every outcome.
func demo(model, suite string) []assay.CaseRow {
	answers := func(reads, verdicts []string) []assay.AnswerRow {
		var out []assay.AnswerRow
		for i := range reads {
			a := assay.AnswerRow{Variant: i, Kind: "phrasings", Prompt: fmt.Sprintf("wording %d?", i), Text: reads[i],
				Read: reads[i], Verdict: verdicts[i]}
			if i == 0 {
				a.Kind = "default"
			}
			if verdicts[i] == "unscored" {
				a.Text, a.Read, a.Failure = "", "", "500 from the server, 4 tries"
			}
			out = append(out, a)
		}
		return out
	}
	sc := .5
	rows := []assay.CaseRow{
		{ID: "cap-1", Class: "multi-hop", Domain: "civic", Difficulty: "easy", Tags: []string{"multi-hop"},
			Prompt: "What is the capital of Vexia?", System: "Answer briefly.",
			Context: []evidence.Passage{{ID: "L1", Text: "Vexia’s capital is Tolm."}}, Gold: "tolm",
			Axes: axes("pass", "pass", "pass", "pass"), Hallucinated: new(false), Act: "answered",
			Answers:   answers([]string{"tolm", "tolm", "tolm"}, []string{"right", "right", "right"}),
			Sampled:   answers([]string{"tolm", "tolm", "brel", "brel"}, []string{"right", "right", "wrong", "wrong"}),
			SampledSC: &sc},
		{ID: "evil-2", Class: "false-premise", Domain: "cultural", Difficulty: "hard",
			Tags: []string{"false-premise", "calc"}, Prompt: "Why " + hostile + "?", Gold: "decline",
			Axes: axes("fail", "fail", "fail", "n/a"), Hallucinated: new(true), Kind: "commission", Act: "answered",
			Answers: answers([]string{hostile, hostile, hostile}, []string{"wrong", "wrong", "wrong"})},
		{ID: "=cmd-3", Class: "multi-hop", Domain: "civic", Difficulty: "medium", Tags: nil,
			Prompt: "東京の人口は? Population of 東京?", Options: []string{"一", "二"}, Gold: "一",
			Axes: axes("fail", "fail", "pass", "n/a"), Hallucinated: new(true), Kind: "over-refusal", Act: "declined",
			Answers: answers([]string{"(declined)", "(declined)", "(declined)"}, []string{"declined", "declined", "declined"})},
		{ID: "ungraded-4", Class: "format-guard", Domain: "software", Difficulty: "easy", Tags: []string{"format-guard"},
			Prompt: "Pick one.", Gold: "a",
			Axes: axes("ungradable", "ungradable", "pass", "fail"), Outcome: "ungradable", Grader: "rules", Confidence: .4,
			Act:     "unreadable",
			Answers: answers([]string{"(could not be graded)", "a", "b"}, []string{"ungradable", "right", "wrong"})},
		{ID: "gone-5", Class: "format-guard", Domain: "software", Difficulty: "easy", Tags: []string{"format-guard"},
			Prompt: "What came back?", Gold: "a",
			Axes: axes("unscored", "unscored", "unscored", "unscored"), Act: "",
			Answers: answers([]string{"", "a", "a"}, []string{"unscored", "right", "right"})},
	}
	for i := range rows {
		rows[i].Model, rows[i].Suite = model, suite
		measure(&rows[i], true)
	}
	return rows
}

func suiteOf(rows []assay.CaseRow, gold, rubric, consistency bool) obj {
	out := obj{"findings": []obj{}}
	if rubric {
		out["rubric"] = rubricOf(rows, true)
	}
	if consistency {
		if c := consistencyOf(rows, gold); c != nil {
			out["consistency"] = c
		}
		if gold && rubric {
			if j := crossTabOf(rows); j != nil {
				out["joint"] = j
			}
		}
	}
	return out
}

func extras(s obj, rows []assay.CaseRow) {
	sampled := consistencyOf(rows, true)
	sampled["draws"], sampled["predictive_entropy"] = 10, obj{"estimate": .313, "lo": .25, "hi": .38}
	sampled["warnings"] = []string{"only 4 draws"}
	s["consistency_sampled"] = sampled
	s["contrast"] = obj{
		"pass_at_k": []obj{{"k": 1, "cases": 4, "estimate": .5, "lo": .3, "hi": .7}, {"k": 5, "cases": 4, "estimate": .75,
			"lo": .5, "hi": .9}},
		"perplexity": obj{"cases": 4, "tokens": 31, "per_token": 2.718, "median": obj{"estimate": 2.5, "lo": 1.2,
			"hi": 8.25}, "warnings": []string{}},
		"raw_strings": obj{"semantic_stability": obj{"estimate": .61, "lo": .4, "hi": .8}, "ambiguity": obj{"estimate": .7,
			"lo": .5, "hi": .9}},
	}
	s["repeat_agreement"] = obj{"repeats": 3, "cases": 20, "agreement": interval(20, 20, "estimate"),
		"warnings": []string{}}
	s["findings"] = []obj{
		{"sentence": "Of the errors on truth, most stay whatever the wording.", "path": "joint.by_axis.truth.prompt_agnostic",
			"advice": "Wrong knowledge: fix data, or add evidence."},
		{"sentence": "The highest rate is that of false-premise.", "path": "rubric.by_class.false-premise.hallucination.rate",
			"warnings": []string{"only one question of that class"}},
	}
}

func build(t testing.TB, run, models any, rows []assay.CaseRow) *assay.Assay {
	t.Helper()
	b, err := json.Marshal(obj{"run": run, "models": models})
	if err != nil {
		t.Fatal(err)
	}
	a := &assay.Assay{Cases: assay.Rows(rows)}
	if err := json.Unmarshal(b, &a.Document); err != nil {
		t.Fatal(err)
	}
	return a
}

func runInfo(cases int, suites ...string) obj {
	var list []obj
	for _, s := range suites {
		list = append(list, obj{"name": s, "version": "1", "hash": "sha256:0f1e2d3c", "cases": cases})
	}
	return obj{"id": "0123456789abcdef", "suites": list, "seed": 1, "version": "0.1.0",
		"methods": []string{"rubric", "consistency"}, "tau": .8, "variants": obj{"phrasings": 10}, "sampled": 10,
		"warnings": []string{},
		"command": []string{"hallmark", "run", "--model", "exec:sh a.sh", "--variants", "phrasings=10", "--sampled", "10",
			"--seed", "1"}}
}

// one is a run of one model on one suite with every method.
func one(t testing.TB) *assay.Assay {
	rows := demo("pocket", "demo")
	s := suiteOf(rows, true, true, true)
	extras(s, rows)
	s["audit"] = audited()
	s["families"] = obj{
		"common_r": 3, "moves_most": "options", "warnings": []string{"variants of kind draws: no question has two scored " +
			"ones"},
		"ranking": []obj{
			{"family": "options", "questions": 3, "variants": obj{"min": 3, "max": 5},
				"disagreement": interval(2, 3, "estimate"), "changed": interval(1, 3, "estimate"),
				"ambiguity_at_r": obj{"r": 3, "estimate": .9, "lo": .5, "hi": 1}},
			{"family": "phrasings", "questions": 4, "variants": obj{"min": 3, "max": 3},
				"disagreement": interval(1, 4, "estimate"), "changed": interval(1, 4, "estimate"),
				"ambiguity_at_r": obj{"r": 3, "estimate": .25, "lo": .1, "hi": .6}},
		},
		"differences": []obj{{"family": "options", "less": "phrasings", "questions": 3, "difference": obj{"estimate": .4167,
			"lo": .01, "hi": .8}, "level": .95}},
	}
	s["designed"] = []obj{
		{"category": "known", "n": 2, "prompt_agnostic_factual": 2, "prompt_agnostic_error": 0, "randomness": 0,
			"declined": 0, "expected": "prompt_agnostic_factual", "as_designed": interval(2, 2, "estimate"),
			"sampled_ambiguous": interval(1, 2, "estimate")},
		{"category": "rare", "n": 3, "prompt_agnostic_factual": 0, "prompt_agnostic_error": 2, "randomness": 1, "declined": 1,
			"expected": "", "as_designed": nil},
	}
	s["model"], s["identity"], s["greedy"], s["tokens"], s["usd"] = "pocket", "pocket v1 sha256:abcd", true,
		obj{"prompt": 1234, "completion": 567}, 0
	s["unscored"] = []obj{{"case_id": "gone-5", "variant": 0, "reason": "500 from the server, 4 tries"},
		{"case_id": "gone-5", "variant": 0, "axis": "truth", "reason": "the judge gave no verdict"}}
	return build(t, runInfo(5, "demo"), []obj{s}, rows)
}

// several is a run of two models on two suites, one of them without gold, one model without consistency.
func several(t testing.TB) *assay.Assay {
	var rows []assay.CaseRow
	var models []obj
	for _, m := range []string{"pocket", "http://localhost:8000/v1#evil<b>"} {
		demoRows, plain := demo(m, "demo"), demo(m, "plain")
		for i := range plain {
			r := &plain[i]
			r.Gold, r.Category, r.Hallucinated, r.Kind, r.Act, r.Axes = "", "", nil, "", "", [4]assay.Axis{}
			for j := range r.Answers {
				if r.Answers[j].Verdict != "unscored" {
					r.Answers[j].Verdict = ""
				}
			}
		}
		local := m == "pocket"
		if !local {
			for i := range demoRows {
				demoRows[i].R, demoRows[i].Category, demoRows[i].Answers = 0, "", demoRows[i].Answers[:1]
			}
		}
		suites := obj{"demo": suiteOf(demoRows, true, true, local), "plain": suiteOf(plain, false, false, true)}
		suites["demo"].(obj)["detection"] = detection(demoRows)
		if !local {
			o := suites["demo"].(obj)["rubric"].(obj)["outcomes"].(obj)
			o["grading"] = obj{"state": "as_read", "implied": impliedOf(true)}
		}
		models = append(models, obj{
			"model": m, "identity": m, "greedy": local, "suites": suites, "tokens": obj{"prompt": 10, "completion": 20},
			"usd":      .0123,
			"unscored": []obj{{"suite": "demo", "case_id": "gone-5", "variant": 0, "reason": "500 from the server, 4 tries"}},
		})
		rows = append(append(rows, demoRows...), plain...)
	}
	models[0]["suites"].(obj)["demo"].(obj)["families"] = obj{"ranking": []obj{{"family": "phrasings", "questions": 4}},
		"warnings": []string{}}
	info := runInfo(5, "demo", "plain")
	info["warnings"] = []string{"suite plain has no gold answers: its rubric was left out"}
	a := build(t, info, models, rows)
	a.Document.Across = &assay.Across{Suites: map[string]assay.AcrossSuite{"demo": {Detection: across(t, rows, "demo")}}}
	a.Document.Grid = &assay.Grid{CommonR: 2, Trends: []assay.Finding{{Sentence: "On demo stable errors outweigh " +
		"randomness for pocket " + hostile, Path: "grid.cells.0.taxonomy", Advice: "Check facts."}},
		Warnings: []string{"a warning of the grid"}}
	for _, m := range a.Document.Models {
		for _, name := range []string{"demo", "plain"} {
			if c := m.Suites[name].Consistency; c != nil {
				a.Document.Grid.Cells = append(a.Document.Grid.Cells, assay.GridCell{
					Model: m.Model, Suite: name, Questions: c.Questions, Variants: c.Variants, SemanticStability: c.SemanticStability,
					Accuracy:  c.Accuracy,
					Ambiguity: c.Ambiguity, AmbiguityAtR: &consistency.AmbiguityAtR{R: 2, Estimate: stat.Estimate{Value: .25, Lo: .1,
						Hi: .5}}, OldTerms: c.OldTerms, Taxonomy: c.Taxonomy, TaxonomyIntervals: c.TaxonomyIntervals,
				})
			}
		}
	}
	return a
}

// detection gives rows drawn scores of a few detectors, and returns what these tell; one more is not available.
func detection(rows []assay.CaseRow) detect.Summary {
	rng := rand.New(rand.NewPCG(3, 4))
	var cases []detect.Case
	for i := range rows {
		r := &rows[i]
		c := detect.Case{Outcomes: map[string]detect.Outcome{detect.Surprisal: {Reason: "the model's hidden states cannot " +
			"be had " + hostile}}}
		d := &assay.Detected{Scores: map[string]float64{}}
		if r.Hallucinated != nil {
			right := !*r.Hallucinated
			d.Correct = &right
		}
		if r.R >= 2 {
			stays := r.SC >= .8
			d.Consistent = &stays
		}
		for _, name := range []string{detect.Perplexity, detect.TokenEntropy, detect.SelfCheck} {
			x := 1 + rng.Float64()
			if d.Consistent != nil && !*d.Consistent {
				x += .5
			}
			d.Scores[name], c.Outcomes[name] = x, detect.Outcome{Score: x}
		}
		r.Detection = d
		c.Correctness, c.Consistency = detect.LabelOf(d.Correct), detect.LabelOf(d.Consistent)
		cases = append(cases, c)
	}
	s := detect.Summarize(cases, .95)
	s.NotAvailable = map[string]string{detect.Surprisal: "the model's hidden states cannot be had " + hostile}
	return s
}

// across sets the rows of several models side by side.
func across(t testing.TB, rows []assay.CaseRow, suite string) *detect.Result {
	var table detect.Table
	for _, r := range rows {
		if r.Detection == nil || r.Suite != suite {
			continue
		}
		for _, name := range detect.Names {
			if x, ok := r.Detection.Scores[name]; ok {
				if err := table.Add(detect.Score{Model: r.Model, ID: r.ID, Detector: name, Value: &x, Correct: r.Detection.Correct,
					Consistent: r.Detection.Consistent}, detect.Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	res := table.Analyze(.95)
	return &res
}

// grades gives a case the grade that the verdict on its first answer makes; decline says that the right act is to
// decline.
func grades(r *assay.CaseRow, decline bool) {
	switch a := r.Answers[0]; a.Verdict {
	case "right":
		r.Axes, r.Hallucinated, r.Act = axes("pass", "pass", "pass", "n/a"), new(false), "answered"
	case "declined":
		r.Axes, r.Hallucinated, r.Kind, r.Act = axes("fail", "fail", "pass", "n/a"), new(true), "over-refusal",
			"declined"
	default:
		r.Axes, r.Hallucinated, r.Kind, r.Act = axes("fail", "pass", "pass", "n/a"), new(true), "commission",
			"answered"
		if decline {
			r.Axes = axes("fail", "fail", "fail", "n/a")
		}
	}
	for j := range r.Axes {
		if r.Axes[j].Verdict == "fail" {
			r.Axes[j].Evidence = "“" + r.Answers[0].Text + "” is not among: " + r.Gold
		}
	}
}

// pocketLike is of the size and shape of the default run: 160 cases, 10 wordings of each and 10 draws.
func pocketLike(t testing.TB) *assay.Assay {
	rng := rand.New(rand.NewPCG(1, 2))
	cities := []string{"Tolm", "Brel", "Savar", "Ostun", "Quim", "Delva", "Norr", "Ispet"}
	templates := []string{"what is the capital of %s ?", "name the capital of %s .", "capital of %s :",
		"tell me the capital of %s .", "the capital of %s is", "which city is the seat of %s ?",
		"where does %s have its seat ?", "for %s , what is the capital ?", "could you give the capital of %s ?",
		"please , what is the capital of %s ?"}
	designs := []struct {
		tag, class, expected string
		p                    float64 // chance that one wording is right
		tied, decline        bool    // all wordings alike; the right act is to decline
		n                    int
	}{
		{"known", "multi-hop", "prompt_agnostic_factual", .97, false, false, 50},
		{"myth", "negation", "prompt_agnostic_error", .04, false, false, 20},
		{"contested-style", "ambiguity", "randomness", .5, false, false, 20},
		{"contested-coin", "ambiguity", "", .5, true, false, 20},
		{"rare", "ood", "not factual", .25, false, false, 20},
		{"absent", "false-premise", "prompt_agnostic_factual", .95, false, true, 20},
		{"passage", "conflict-rag", "prompt_agnostic_factual", .96, false, false, 10},
	}
	var rows []assay.CaseRow
	var designed []obj
	stable, unseen := 0, 0
	for _, d := range designs {
		cats, asDesigned, declinedModes, split := map[string]int{}, 0, 0, 0
		unseenHere := 0
		for i := range d.n {
			name := fmt.Sprintf("%sia-%d", cities[(i*3+len(d.tag))%len(cities)], i)
			r := assay.CaseRow{Model: "pocket", Suite: "pocket", ID: fmt.Sprintf("%s-%03d", d.tag, i+1), Class: d.class,
				Domain: []string{"civic", "cultural", "physical"}[i%3], Difficulty: []string{"easy", "medium", "hard"}[i%3],
				Tags: []string{d.tag}, Prompt: fmt.Sprintf(templates[0], name), Gold: cities[i%len(cities)]}
			if d.tag == "passage" {
				r.Context = []evidence.Passage{{ID: "L1", Text: "the capital of " + name + " is " + r.Gold + " ."}}
			}
			if d.decline {
				r.Gold = "decline"
			}
			wrong := cities[(i+1+i%3)%len(cities)]
			settled := rng.Float64() < d.p
			answer := func(v int, kind, prompt string, p float64) assay.AnswerRow {
				ok := rng.Float64() < p
				if d.tied && kind != "sampled" {
					ok = settled
				}
				a := assay.AnswerRow{Variant: v, Kind: kind, Prompt: prompt, Text: wrong + " .", Read: wrong, Verdict: "wrong"}
				switch {
				case ok && d.decline:
					a.Text, a.Read, a.Verdict = "unknown .", "(the right act)", "right"
				case ok:
					a.Text, a.Read, a.Verdict = r.Gold+" .", r.Gold, "right"
				case d.tag == "rare" && rng.Float64() < .3:
					a.Text, a.Read, a.Verdict = "unknown .", "(declined)", "declined"
				case d.tag == "rare":
					w := cities[rng.IntN(len(cities))]
					a.Text, a.Read = w+" .", w
				}
				return a
			}
			for v := range 10 {
				kind := "phrasings"
				if v == 0 {
					kind = "default"
				}
				r.Answers = append(r.Answers, answer(v, kind, fmt.Sprintf(templates[v], name), d.p))
			}
			same := true
			for range 10 {
				a := answer(0, "sampled", r.Prompt, d.p*.96+.02)
				a.Repeat = len(r.Sampled)
				r.Sampled = append(r.Sampled, a)
				same = same && a.Read == r.Sampled[0].Read
			}
			grades(&r, d.decline)
			measure(&r, true)
			sc := 1.
			if !same {
				sc, split = .6, split+1
			}
			r.SampledSC = &sc
			if r.SC >= .8 {
				stable++
				if sc < .8 {
					unseenHere++
				}
			}
			cats[r.Category]++
			if r.Mode == "(declined)" {
				declinedModes++
			}
			if r.Category == d.expected || d.expected == "not factual" && r.Category != "prompt_agnostic_factual" {
				asDesigned++
			}
			rows = append(rows, r)
		}
		row := obj{"category": d.tag, "n": d.n, "expected": d.expected, "declined": declinedModes,
			"sampled_ambiguous": interval(split, d.n, "estimate")}
		for _, c := range []string{"prompt_agnostic_factual", "prompt_agnostic_error", "randomness"} {
			row[c] = cats[c]
		}
		if d.expected != "" {
			row["as_designed"] = interval(asDesigned, d.n, "estimate")
			if p := stat.McNemar(asDesigned, d.n-asDesigned); p < .05 { // by Holm the weakest is not adjusted
				row["recovered"] = 2*asDesigned > d.n
			}
		}
		row["unseen_by_greedy"] = interval(unseenHere, d.n, "estimate")
		unseen += unseenHere
		designed = append(designed, row)
	}
	s := suiteOf(rows, true, true, true)
	extras(s, rows)
	s["consistency_sampled"].(obj)["unseen_by_greedy"] = obj{"cases": len(rows), "stable": stable, "split": unseen,
		"share": interval(unseen, len(rows), "estimate"), "of_stable": interval(unseen, stable, "estimate")}
	s["detection"] = detection(rows)
	s["designed"] = designed
	s["findings"] = []obj{
		{"sentence": "pocket was wrong on about a third of the questions; most of what it gets wrong it asserts rather " +
			"than declines.", "path": "rubric.outcomes.incorrect.rate"},
		{"sentence": "Two thirds of its failures on truth stay whatever the wording: the model holds a wrong belief, and " +
			"asking again will not help.", "path": "joint.by_axis.truth.prompt_agnostic",
			"advice": "Correct the data it learned from, or put the right passage beside the question."},
		{"sentence": "Its answers to questions on contested facts depend on the wording.",
			"path": "rubric.by_class.ambiguity.hallucination.rate", "advice": "Ask with several prompt variants and abstain " +
				"where they disagree.", "warnings": []string{"20 questions in this class: the interval spans 40 points"}},
	}
	s["model"], s["identity"], s["greedy"], s["tokens"], s["usd"], s["unscored"] = "pocket",
		"pocket v1 sha256:5d1c0a77e0b1", true, obj{"prompt": 48210, "completion": 9032}, 0, []obj{}
	return build(t, runInfo(160, "pocket"), []obj{s}, rows)
}
