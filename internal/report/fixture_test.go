package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/assay/finding"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat"
	"hallmark/internal/text/evidence"
)

// The fixtures are made assays. Their rows are written by hand or drawn; their documents are counted from the rows, so
// that pages look as real ones do. They are not results of any model.

const hostile = "<script>alert('x')</script></script><b>|`*_\x1b[31mred\x1b[0m\u202eevil\u202c\x00 & \"quotes\"\r\nsecond line\xff"

type obj = map[string]any

func interval(k, n int, name string) any {
	e := stat.Wilson(k, n, .95)
	if !e.OK() {
		return nil
	}
	return obj{name: e.Value, "lo": e.Lo, "hi": e.Hi}
}

// around gives a mean of rows an interval of a fixed width: the fixture tests the showing, not the method.
func around(sum float64, n int, name string) obj {
	m := sum / float64(n)
	return obj{name: m, "lo": max(0, m-.05), "hi": min(1, m+.05)}
}

// outcomeOf is the outcome of a row, by its kind of failure where it names none.
func outcomeOf(r assay.CaseRow) string {
	switch {
	case r.Outcome != "" || r.Hallucinated == nil:
		return r.Outcome
	case !*r.Hallucinated:
		return "correct"
	case r.Kind == "commission":
		return "incorrect"
	}
	return "not_attempted"
}

// outcomesOf is what package rate gives of so many outcomes.
func outcomesOf(rows []assay.CaseRow) obj {
	counts := map[string]int{}
	n := 0
	for _, r := range rows {
		if o := outcomeOf(r); o != "" {
			counts[o]++
			n++
		}
	}
	u := counts["ungradable"]
	share := func(k, u, n int) any {
		switch {
		case n == 0:
			return nil
		case u == 0:
			return interval(k, n, "rate")
		}
		lo, hi := stat.Wilson(k, n, .95), stat.Wilson(k+u, n, .95)
		return obj{"range": obj{"lo": lo.Value, "hi": hi.Value}, "lo": lo.Lo, "hi": hi.Hi}
	}
	return obj{
		"n": n, "correct": share(counts["correct"], u, n), "incorrect": share(counts["incorrect"], u, n), "not_attempted": share(counts["not_attempted"], u, n),
		"ungradable": share(u, 0, n), "incorrect_given_attempted": share(counts["incorrect"], u, counts["incorrect"]+counts["correct"]+u),
		"unsupported": share(0, u, counts["correct"]+u),
	}
}

// impliedOf is what a check implies where the answers fit it, and where they do not.
func impliedOf(fits bool) obj {
	out := obj{
		"incorrect": nil, "n": 5, "check_n": 1900, "grading_version": "2", "date": "2026-11-23", "lots": []string{"a"},
		"fit_p": .0049, "fits": fits, "warnings": []string{"these answers are not read as those of the check were"},
		"read": obj{"up_to_5": obj{"correct": 3, "incorrect": 2}},
	}
	if fits {
		out["incorrect"], out["fit_p"] = obj{"rate": .3125, "lo": .0625, "hi": .75}, .42
		out["warnings"] = []string{"2 answers are of a length (over 80 words) of which the check has none"}
	}
	return out
}

func rubricOf(rows []assay.CaseRow, groups bool) obj {
	var n, h, unscored, ungradable, format, formatKept, errors int
	var fails [3]int
	kinds := map[string]int{}
	quality := 0.
	for _, r := range rows {
		if outcomeOf(r) == "ungradable" {
			ungradable++
			continue
		}
		if r.Hallucinated == nil {
			unscored++
			continue
		}
		n++
		if *r.Hallucinated {
			h++
			kinds[r.Kind]++
		}
		for i, w := range []float64{.6, .25, .15} {
			switch r.Axes[i].Verdict {
			case "fail":
				fails[i]++
				errors++
			default:
				quality += w
			}
		}
		switch r.Axes[3].Verdict {
		case "pass":
			format++
			formatKept++
		case "fail":
			format++
		}
	}
	out := obj{
		"outcomes": outcomesOf(rows), "n": n, "hallucination": interval(h, n, "rate"), "truth_error": interval(fails[0], n, "rate"),
		"decidability_error": interval(fails[1], n, "rate"), "reciprocity_error": interval(fails[2], n, "rate"),
		"commission": interval(kinds["commission"], n, "rate"), "over_refusal": interval(kinds["over-refusal"], n, "rate"),
		"undecided": interval(kinds["undecided"], n, "rate"), "over_refusal_of_answerable": interval(kinds["over-refusal"], n, "rate"),
		"format_compliance": interval(formatKept, format, "rate"), "unread": ungradable, "unscored": unscored, "warnings": []string{},
	}
	if n > 0 {
		out["errors_per_case"] = float64(errors) / float64(n)
		out["weighted_quality"] = around(quality, n, "estimate")
	}
	if groups {
		by := func(key func(assay.CaseRow) []string) obj {
			parts := map[string][]assay.CaseRow{}
			for _, r := range rows {
				for _, k := range key(r) {
					parts[k] = append(parts[k], r)
				}
			}
			m := obj{}
			for k, rs := range parts {
				m[k] = rubricOf(rs, false)
			}
			return m
		}
		out["by_class"] = by(func(r assay.CaseRow) []string { return []string{r.Class} })
		out["by_domain"] = by(func(r assay.CaseRow) []string { return []string{r.Domain} })
		out["by_tag"] = by(func(r assay.CaseRow) []string { return r.Tags })
		out["confusion"] = obj{
			"by_class": mapOf(rows, func(r assay.CaseRow) []string { return []string{r.Class} }),
			"by_tag":   mapOf(rows, func(r assay.CaseRow) []string { return r.Tags }),
		}
		if n < 100 {
			out["warnings"] = []string{fmt.Sprintf("only %d questions: the interval of the hallucination rate is wide; about 300 would bring it under 10 points", n)}
		}
	}
	return out
}

// mapOf counts the confusion map of rows.
func mapOf(rows []assay.CaseRow, keys func(assay.CaseRow) []string) obj {
	out := obj{}
	for _, r := range rows {
		for _, k := range keys(r) {
			if out[k] == nil {
				out[k] = obj{}
			}
		}
	}
	for k := range out {
		for i, d := range dimensions {
			failed, n := 0, 0
			for _, r := range rows {
				if !slices.Contains(keys(r), k) || r.Axes[i].Verdict != "pass" && r.Axes[i].Verdict != "fail" {
					continue
				}
				n++
				if r.Axes[i].Verdict == "fail" {
					failed++
				}
			}
			cell := obj{"n": n, "failed": failed, "rate": nil, "lo": nil, "hi": nil}
			if e := stat.Wilson(failed, n, .95); e.OK() {
				cell["rate"], cell["lo"], cell["hi"] = e.Value, e.Lo, e.Hi
			}
			out[k].(obj)[d] = cell
		}
	}
	return out
}

// audited is an audit of three answers by two raters, with a dispute.
func audited() obj {
	rate := func(by, people float64, k int) obj {
		return obj{
			"uncorrected": obj{"rate": by, "lo": by / 2, "hi": by + .2}, "corrected": obj{"rate": people, "lo": people / 2, "hi": people + .25},
			"se": .07, "n": 4, "labelled": 3, "both_fail": 1, "only_grader_fail": k, "only_people_fail": 0, "both_pass": 1, "split": 1 - k,
		}
	}
	alpha := obj{"n": 3, "unscored": 0, "alpha": .62, "lo": .1, "hi": .9, "units": 3, "raters": 2, "pairable": 6, "adequate": false, "warnings": []string{}}
	return obj{
		"n": 3, "unscored": 1, "raters": []string{"ann", hostile}, "adequate": false,
		"strata":       obj{"human-audit": obj{"cases": 2, "labelled": 2}, "rest": obj{"cases": 2, "labelled": 1}},
		"agreement":    obj{"truth": alpha, "hallucination": alpha},
		"readjudicate": []obj{{"unit": "0123", "case_id": hostile, "axes": []string{"truth"}, "labels": obj{"ann": obj{"truth": "fail"}}}},
		"corrected":    obj{"hallucination": rate(.75, .5, 1), "truth_error": rate(.5, .45, 0)},
		"warnings":     []string{"the raters' alpha on truth is 0.62, below 0.80: adjudicate the answers they differ on before a corrected rate is used"},
	}
}

func consistencyOf(rows []assay.CaseRow, gold bool) obj {
	var n, ambiguous, low, high, declined, unscored, lo, hi int
	cats := map[string]int{}
	ss, sc, acc := 0., 0., 0.
	for _, r := range rows {
		for _, a := range r.Answers {
			if a.Verdict == "unscored" {
				unscored++
			}
		}
		if r.R < 2 {
			continue
		}
		n++
		if lo == 0 || r.R < lo {
			lo = r.R
		}
		hi = max(hi, r.R)
		ss += r.PC
		sc += r.SC
		if r.Ambiguous {
			ambiguous++
		}
		if r.PC < .5 {
			low++
		}
		if r.PC >= .8 {
			high++
		}
		cats[r.Category]++
		if r.Category == "prompt_agnostic_error" && r.Mode == "(declined)" {
			declined++
		}
		right := 0
		for _, a := range r.Answers {
			if a.Verdict == "right" {
				right++
			}
		}
		acc += float64(right) / float64(max(1, r.R))
	}
	if n == 0 {
		return nil
	}
	out := obj{
		"questions": n, "n": n, "variants": obj{"min": lo, "max": hi}, "unscored": unscored, "warnings": []string{},
		"semantic_stability": around(ss, n, "estimate"), "pc_below_0.5": float64(low) / float64(n), "pc_at_least_0.8": float64(high) / float64(n), "pc_floor": 1 / float64(lo),
		"pc_intervals":     obj{"below_0.5": interval(low, n, "estimate"), "at_least_0.8": interval(high, n, "estimate")},
		"robustness_level": "substantial", "ambiguity": interval(ambiguous, n, "estimate"), "self_consistency": around(sc, n, "mean"),
	}
	if !gold {
		out["warnings"] = []string{"accuracy was not measured: no case has a gold answer"}
		return out
	}
	tax, taxi := obj{}, obj{}
	for _, c := range []string{"prompt_agnostic_factual", "prompt_agnostic_error", "randomness"} {
		tax[c] = float64(cats[c]) / float64(n)
		taxi[c] = interval(cats[c], n, "estimate")
	}
	a := around(acc, n, "mean")
	a["sd"], a["default"], a["questions"] = .021, acc/float64(n), n
	out["accuracy"], out["taxonomy"], out["taxonomy_intervals"] = a, tax, taxi
	if declined > 0 {
		out["declined"] = obj{"share": float64(declined) / float64(n), "of_prompt_agnostic_error": float64(declined) / float64(cats["prompt_agnostic_error"])}
	}
	e := 1 - acc/float64(n)
	variance := (1 - sc/float64(n)) / 2
	out["decomposition"] = obj{
		"error": e, "bias_squared": e - variance, "variance": variance,
		"mode_error": float64(cats["prompt_agnostic_error"]) / float64(n),
		"plug_in":    obj{"bias_squared": e - .9*variance, "variance": .9 * variance}, // of ten variants
	}
	share := func(k int) obj { return interval(k, n, "estimate").(obj) }
	factual, wrong, random := cats["prompt_agnostic_factual"], cats["prompt_agnostic_error"], cats["randomness"]
	out["decomposition_intervals"] = obj{
		"error": around(e*float64(n), n, "estimate"), "bias_squared": around((e-variance)*float64(n), n, "estimate"),
		"variance": around(variance*float64(n), n, "estimate"), "mode_error": share(wrong),
	}
	q, qi := obj{}, obj{}
	for key, k := range map[string]int{"stable_correct": factual, "stable_wrong": wrong, "unstable_correct": random - random/2, "unstable_wrong": random / 2} {
		q[key], qi[key] = float64(k)/float64(n), share(k)
	}
	out["quadrants"], out["quadrant_intervals"] = q, qi
	out["tau"] = .8
	out["sweep"] = []obj{
		{"tau": 0, "prompt_agnostic_factual": share(n - wrong), "prompt_agnostic_error": share(wrong), "randomness": share(0), "prompt_sensitive": share(0)},
		{"tau": .3333, "prompt_agnostic_factual": share(factual), "prompt_agnostic_error": share(wrong), "randomness": share(random), "prompt_sensitive": share(random)},
		{"tau": .8, "prompt_agnostic_factual": share(factual), "prompt_agnostic_error": share(wrong), "randomness": share(random), "prompt_sensitive": share(random)},
		{"tau": 1, "prompt_agnostic_factual": share(0), "prompt_agnostic_error": share(wrong), "randomness": share(n - wrong), "prompt_sensitive": share(n - wrong)},
	}
	out["ambiguity_at_r"] = around(float64(ambiguous), n, "estimate")
	out["ambiguity_at_r"].(obj)["r"] = lo
	right, wrongly := obj{"prompt_agnostic_factual": factual, "prompt_agnostic_error": 0, "randomness": random / 2}, obj{"prompt_agnostic_factual": 0, "prompt_agnostic_error": wrong, "randomness": random - random/2}
	for name, o := range map[string]obj{"factual": right, "hallucination": wrongly} {
		k := factual + random/2
		if name == "hallucination" {
			k = n - k
		}
		i := share(k)
		o["estimate"], o["lo"], o["hi"] = i["estimate"], i["lo"], i["hi"]
	}
	out["old_terms"] = obj{"questions": n, "factual": right, "hallucination": wrongly, "default_in_minority": 0}
	out["overstatement"] = obj{"estimate": -.02, "lo": -.08, "hi": .04}
	out["prompt_sensitive"] = interval(cats["randomness"], n, "estimate")
	return out
}

func crossTabOf(rows []assay.CaseRow) obj {
	var n, h int
	cats := map[string]int{}
	var fails, stable [3]int
	for _, r := range rows {
		if r.R < 2 || r.Hallucinated == nil {
			continue
		}
		n++
		cats[r.Category]++
		if *r.Hallucinated {
			h++
		}
		for i := range fails {
			if r.Axes[i].Verdict == "fail" {
				fails[i]++
				if r.SC >= .8 {
					stable[i]++
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	s := func(k, n int) any {
		if n == 0 {
			return nil
		}
		return float64(k) / float64(n)
	}
	by := obj{}
	for i, name := range []string{"truth", "decidability", "reciprocity"} {
		by[name] = obj{"prompt_agnostic": s(stable[i], fails[i]), "random": s(fails[i]-stable[i], fails[i]), "failures": fails[i]}
	}
	return obj{"n": n, "with_gold": n, "by_axis": by, "warnings": []string{}, "hallucination_by_definition": obj{
		"rubric": s(h, n), "prompt_agnostic_error": s(cats["prompt_agnostic_error"], n), "randomness": s(cats["randomness"], n),
		"either": s(n-cats["prompt_agnostic_factual"], n), "variance_only": .07,
	}}
}

// measure fills in the stability of a row from its answers, as the methods define it.
func measure(r *assay.CaseRow, gold bool) {
	counts := map[string]int{}
	first := map[string]int{}
	verdicts := map[string]string{}
	for i, a := range r.Answers {
		if a.Verdict == "unscored" || a.Verdict == "ungradable" {
			continue
		}
		if _, ok := first[a.Read]; !ok {
			first[a.Read] = i
		}
		counts[a.Read]++
		verdicts[a.Read] = a.Verdict
		r.R++
	}
	if r.R < 2 {
		r.R = 0
		return
	}
	pairs := 0
	for read, c := range counts {
		pairs += c * (c - 1)
		if best, ok := counts[r.Mode]; !ok || c > best || c == best && first[read] < first[r.Mode] {
			r.Mode = read
		}
	}
	r.PC, r.SC = float64(counts[r.Mode])/float64(r.R), float64(pairs)/float64(r.R*(r.R-1))
	r.Ambiguous = len(counts) > 1
	switch {
	case !gold:
	case r.SC < .8:
		r.Category, r.Quadrant = "randomness", "unstable_wrong"
	case verdicts[r.Mode] == "right":
		r.Category = "prompt_agnostic_factual"
	default:
		r.Category = "prompt_agnostic_error"
	}
}

func axes(t, d, r, f string) [4]assay.Axis {
	rule := func(v string) (string, string) {
		switch v {
		case "fail":
			return "exact: not in the accepted set", "“" + hostile + "”"
		case "unscored":
			return "the judge gave no verdict", ""
		case "ungradable":
			return "exact: no rule can tell", "zxq"
		}
		return "exact: in the accepted set", ""
	}
	var out [4]assay.Axis
	for i, v := range []string{t, d, r, f} {
		why, what := rule(v)
		out[i] = assay.Axis{Name: []string{"truth", "decidability", "reciprocity", "format"}[i], Verdict: v, Rule: why, Evidence: what}
	}
	return out
}

func yes(b bool) *bool { return &b }

// demo returns five cases that between them show every outcome.
func demo(model, suite string) []assay.CaseRow {
	answers := func(reads, verdicts []string) []assay.AnswerRow {
		var out []assay.AnswerRow
		for i := range reads {
			a := assay.AnswerRow{Variant: i, Kind: "phrasings", Prompt: fmt.Sprintf("wording %d?", i), Text: reads[i], Read: reads[i], Verdict: verdicts[i]}
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
		{ID: "cap-1", Class: "multi-hop", Domain: "civic", Difficulty: "easy", Tags: []string{"multi-hop"}, Prompt: "What is the capital of Vexia?", System: "Answer briefly.", Context: []evidence.Passage{{ID: "L1", Text: "Vexia’s capital is Tolm."}}, Gold: "tolm",
			Axes: axes("pass", "pass", "pass", "pass"), Hallucinated: yes(false), Act: "answered",
			Answers: answers([]string{"tolm", "tolm", "tolm"}, []string{"right", "right", "right"}),
			Sampled: answers([]string{"tolm", "tolm", "brel", "brel"}, []string{"right", "right", "wrong", "wrong"}), SampledSC: &sc},
		{ID: "evil-2", Class: "false-premise", Domain: "cultural", Difficulty: "hard", Tags: []string{"false-premise", "calc"}, Prompt: "Why " + hostile + "?", Gold: "decline",
			Axes: axes("fail", "fail", "fail", "n/a"), Hallucinated: yes(true), Kind: "commission", Act: "answered",
			Answers: answers([]string{hostile, hostile, hostile}, []string{"wrong", "wrong", "wrong"})},
		{ID: "=cmd-3", Class: "multi-hop", Domain: "civic", Difficulty: "medium", Tags: nil, Prompt: "東京の人口は? Population of 東京?", Options: []string{"一", "二"}, Gold: "一",
			Axes: axes("fail", "fail", "pass", "n/a"), Hallucinated: yes(true), Kind: "over-refusal", Act: "declined",
			Answers: answers([]string{"(declined)", "(declined)", "(declined)"}, []string{"declined", "declined", "declined"})},
		{ID: "ungraded-4", Class: "format-guard", Domain: "software", Difficulty: "easy", Tags: []string{"format-guard"}, Prompt: "Pick one.", Gold: "a",
			Axes: axes("ungradable", "ungradable", "pass", "fail"), Outcome: "ungradable", Grader: "rules", Confidence: .4, Act: "unreadable",
			Answers: answers([]string{"(could not be graded)", "a", "b"}, []string{"ungradable", "right", "wrong"})},
		{ID: "gone-5", Class: "format-guard", Domain: "software", Difficulty: "easy", Tags: []string{"format-guard"}, Prompt: "What came back?", Gold: "a",
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
		"pass_at_k":   []obj{{"k": 1, "cases": 4, "estimate": .5, "lo": .3, "hi": .7}, {"k": 5, "cases": 4, "estimate": .75, "lo": .5, "hi": .9}},
		"perplexity":  obj{"cases": 4, "tokens": 31, "per_token": 2.718, "median": obj{"estimate": 2.5, "lo": 1.2, "hi": 8.25}, "warnings": []string{}},
		"raw_strings": obj{"semantic_stability": obj{"estimate": .61, "lo": .4, "hi": .8}, "ambiguity": obj{"estimate": .7, "lo": .5, "hi": .9}},
	}
	s["repeat_agreement"] = obj{"repeats": 3, "cases": 20, "agreement": interval(20, 20, "estimate"), "warnings": []string{}}
	s["findings"] = []obj{
		{"sentence": "Of the errors on truth, most stay whatever the wording.", "path": "joint.by_axis.truth.prompt_agnostic", "advice": "Wrong knowledge: fix data, or add evidence."},
		{"sentence": "The highest rate is that of false-premise.", "path": "rubric.by_class.false-premise.hallucination.rate", "warnings": []string{"only one question of that class"}},
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
	return obj{"id": "0123456789abcdef", "suites": list, "seed": 1, "version": "0.1.0", "methods": []string{"rubric", "consistency"}, "tau": .8, "variants": obj{"phrasings": 10}, "sampled": 10, "warnings": []string{},
		"command": []string{"hallmark", "run", "--model", "exec:sh a.sh", "--variants", "phrasings=10", "--sampled", "10", "--seed", "1"}}
}

// one is a run of one model on one suite with every method.
func one(t testing.TB) *assay.Assay {
	rows := demo("pocket", "demo")
	s := suiteOf(rows, true, true, true)
	extras(s, rows)
	s["audit"] = audited()
	s["families"] = obj{
		"common_r": 3, "moves_most": "options", "warnings": []string{"variants of kind draws: no question has two scored ones"},
		"ranking": []obj{
			{"family": "options", "questions": 3, "variants": obj{"min": 3, "max": 5}, "disagreement": interval(2, 3, "estimate"), "changed": interval(1, 3, "estimate"), "ambiguity_at_r": obj{"r": 3, "estimate": .9, "lo": .5, "hi": 1}},
			{"family": "phrasings", "questions": 4, "variants": obj{"min": 3, "max": 3}, "disagreement": interval(1, 4, "estimate"), "changed": interval(1, 4, "estimate"), "ambiguity_at_r": obj{"r": 3, "estimate": .25, "lo": .1, "hi": .6}},
		},
		"differences": []obj{{"family": "options", "less": "phrasings", "questions": 3, "difference": obj{"estimate": .4167, "lo": .01, "hi": .8}, "level": .95}},
	}
	s["designed"] = []obj{
		{"category": "known", "n": 2, "prompt_agnostic_factual": 2, "prompt_agnostic_error": 0, "randomness": 0, "declined": 0, "expected": "prompt_agnostic_factual", "as_designed": interval(2, 2, "estimate"), "sampled_ambiguous": interval(1, 2, "estimate")},
		{"category": "rare", "n": 3, "prompt_agnostic_factual": 0, "prompt_agnostic_error": 2, "randomness": 1, "declined": 1, "expected": "", "as_designed": nil},
	}
	s["model"], s["identity"], s["greedy"], s["tokens"], s["usd"] = "pocket", "pocket v1 sha256:abcd", true, obj{"prompt": 1234, "completion": 567}, 0
	s["unscored"] = []obj{{"case_id": "gone-5", "variant": 0, "reason": "500 from the server, 4 tries"}, {"case_id": "gone-5", "variant": 0, "axis": "truth", "reason": "the judge gave no verdict"}}
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
			"model": m, "identity": m, "greedy": local, "suites": suites, "tokens": obj{"prompt": 10, "completion": 20}, "usd": .0123,
			"unscored": []obj{{"suite": "demo", "case_id": "gone-5", "variant": 0, "reason": "500 from the server, 4 tries"}},
		})
		rows = append(append(rows, demoRows...), plain...)
	}
	models[0]["suites"].(obj)["demo"].(obj)["families"] = obj{"ranking": []obj{{"family": "phrasings", "questions": 4}}, "warnings": []string{}}
	info := runInfo(5, "demo", "plain")
	info["warnings"] = []string{"suite plain has no gold answers: its rubric was left out"}
	a := build(t, info, models, rows)
	a.Document.Across = &assay.Across{Suites: map[string]assay.AcrossSuite{"demo": {Detection: across(t, rows, "demo")}}}
	a.Document.Grid = &assay.Grid{CommonR: 2, Trends: []finding.Finding{{Sentence: "On demo stable errors outweigh randomness for pocket " + hostile, Path: "grid.cells.0.taxonomy", Advice: "Check facts."}}, Warnings: []string{"a warning of the grid"}}
	for _, m := range a.Document.Models {
		for _, name := range []string{"demo", "plain"} {
			if c := m.Suites[name].Consistency; c != nil {
				a.Document.Grid.Cells = append(a.Document.Grid.Cells, assay.GridCell{
					Model: m.Model, Suite: name, Questions: c.Questions, Variants: c.Variants, SemanticStability: c.SemanticStability, Accuracy: c.Accuracy,
					Ambiguity: c.Ambiguity, AmbiguityAtR: &consistency.AmbiguityAtR{R: 2, Estimate: stat.Estimate{Value: .25, Lo: .1, Hi: .5}}, OldTerms: c.OldTerms, Taxonomy: c.Taxonomy, TaxonomyIntervals: c.TaxonomyIntervals,
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
		c := detect.Case{Outcomes: map[string]detect.Outcome{detect.Surprisal: {Reason: "the model's hidden states cannot be had " + hostile}}}
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
				if err := table.Add(detect.Score{Model: r.Model, ID: r.ID, Detector: name, Value: &x, Correct: r.Detection.Correct, Consistent: r.Detection.Consistent}, detect.Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	res := table.Analyze(.95)
	return &res
}

// pocketLike is of the size and shape of the default run: 160 cases, 10 wordings of each and 10 draws.
func pocketLike(t testing.TB) *assay.Assay {
	rng := rand.New(rand.NewPCG(1, 2))
	cities := []string{"Tolm", "Brel", "Savar", "Ostun", "Quim", "Delva", "Norr", "Ispet"}
	templates := []string{"what is the capital of %s ?", "name the capital of %s .", "capital of %s :", "tell me the capital of %s .", "the capital of %s is", "which city is the seat of %s ?", "where does %s have its seat ?", "for %s , what is the capital ?", "could you give the capital of %s ?", "please , what is the capital of %s ?"}
	designs := []struct {
		tag, class, expected string
		p                    float64 // chance that one wording is right
		tied, decline        bool    // all wordings alike; the right act is to decline
		n                    int
	}{
		{"known", "multi-hop", "prompt_agnostic_factual", .97, false, false, 50}, {"myth", "negation", "prompt_agnostic_error", .04, false, false, 20},
		{"contested-style", "ambiguity", "randomness", .5, false, false, 20}, {"contested-coin", "ambiguity", "", .5, true, false, 20},
		{"rare", "ood", "not factual", .25, false, false, 20}, {"absent", "false-premise", "prompt_agnostic_factual", .95, false, true, 20},
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
			r := assay.CaseRow{Model: "pocket", Suite: "pocket", ID: fmt.Sprintf("%s-%03d", d.tag, i+1), Class: d.class, Domain: []string{"civic", "cultural", "physical"}[i%3], Difficulty: []string{"easy", "medium", "hard"}[i%3], Tags: []string{d.tag}, Prompt: fmt.Sprintf(templates[0], name), Gold: cities[i%len(cities)]}
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
			switch a := r.Answers[0]; a.Verdict {
			case "right":
				r.Axes, r.Hallucinated, r.Act = axes("pass", "pass", "pass", "n/a"), yes(false), "answered"
			case "declined":
				r.Axes, r.Hallucinated, r.Kind, r.Act = axes("fail", "fail", "pass", "n/a"), yes(true), "over-refusal", "declined"
			default:
				r.Axes, r.Hallucinated, r.Kind, r.Act = axes("fail", "pass", "pass", "n/a"), yes(true), "commission", "answered"
				if d.decline {
					r.Axes = axes("fail", "fail", "fail", "n/a")
				}
			}
			for j := range r.Axes {
				if r.Axes[j].Verdict == "fail" {
					r.Axes[j].Evidence = "“" + r.Answers[0].Text + "” is not among: " + r.Gold
				}
			}
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
		row := obj{"category": d.tag, "n": d.n, "expected": d.expected, "declined": declinedModes, "sampled_ambiguous": interval(split, d.n, "estimate")}
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
		{"sentence": "pocket was wrong on about a third of the questions; most of what it gets wrong it asserts rather than declines.", "path": "rubric.outcomes.incorrect.rate"},
		{"sentence": "Two thirds of its failures on truth stay whatever the wording: the model holds a wrong belief, and asking again will not help.", "path": "joint.by_axis.truth.prompt_agnostic", "advice": "Correct the data it learned from, or put the right passage beside the question."},
		{"sentence": "Its answers to questions on contested facts depend on the wording.", "path": "rubric.by_class.ambiguity.hallucination.rate", "advice": "Ask with several prompt variants and abstain where they disagree.", "warnings": []string{"20 questions in this class: the interval spans 40 points"}},
	}
	s["model"], s["identity"], s["greedy"], s["tokens"], s["usd"], s["unscored"] = "pocket", "pocket v1 sha256:5d1c0a77e0b1", true, obj{"prompt": 48210, "completion": 9032}, 0, []obj{}
	return build(t, runInfo(160, "pocket"), []obj{s}, rows)
}
