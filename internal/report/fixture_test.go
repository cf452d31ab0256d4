package report

import (
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/stat"
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
		"n": n, "correct": share(counts["correct"], u, n), "incorrect": share(counts["incorrect"], u, n),
		"not_attempted": share(counts["not_attempted"], u, n),
		"ungradable":    share(u, 0, n), "incorrect_given_attempted": share(counts["incorrect"], u,
			counts["incorrect"]+counts["correct"]+u),
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
		"outcomes": outcomesOf(rows), "n": n, "hallucination": interval(h, n, "rate"), "truth_error": interval(fails[0], n,
			"rate"),
		"decidability_error": interval(fails[1], n, "rate"), "reciprocity_error": interval(fails[2], n, "rate"),
		"commission": interval(kinds["commission"], n, "rate"), "over_refusal": interval(kinds["over-refusal"], n, "rate"),
		"undecided": interval(kinds["undecided"], n, "rate"), "over_refusal_of_answerable": interval(kinds["over-refusal"], n,
			"rate"),
		"format_compliance": interval(formatKept, format, "rate"), "unread": ungradable, "unscored": unscored,
		"warnings": []string{},
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
			out["warnings"] = []string{fmt.Sprintf("only %d questions: the interval of the hallucination rate is wide; about "+
				"300 would bring it under 10 points", n)}
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
			"uncorrected": obj{"rate": by, "lo": by / 2, "hi": by + .2}, "corrected": obj{"rate": people, "lo": people / 2,
				"hi": people + .25},
			"se": .07, "n": 4, "labelled": 3, "both_fail": 1, "only_grader_fail": k, "only_people_fail": 0, "both_pass": 1,
			"split": 1 - k,
		}
	}
	alpha := obj{"n": 3, "unscored": 0, "alpha": .62, "lo": .1, "hi": .9, "units": 3, "raters": 2, "pairable": 6,
		"adequate": false, "warnings": []string{}}
	return obj{
		"n": 3, "unscored": 1, "raters": []string{"ann", hostile}, "adequate": false,
		"strata":    obj{"human-audit": obj{"cases": 2, "labelled": 2}, "rest": obj{"cases": 2, "labelled": 1}},
		"agreement": obj{"truth": alpha, "hallucination": alpha},
		"readjudicate": []obj{{"unit": "0123", "case_id": hostile, "axes": []string{"truth"},
			"labels": obj{"ann": obj{"truth": "fail"}}}},
		"corrected": obj{"hallucination": rate(.75, .5, 1), "truth_error": rate(.5, .45, 0)},
		"warnings": []string{"the raters' alpha on truth is 0.62, below 0.80: adjudicate the answers they differ on " +
			"before a corrected rate is used"},
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
		"semantic_stability": around(ss, n, "estimate"), "pc_below_0.5": float64(low) / float64(n),
		"pc_at_least_0.8": float64(high) / float64(n), "pc_floor": 1 / float64(lo),
		"pc_intervals":     obj{"below_0.5": interval(low, n, "estimate"), "at_least_0.8": interval(high, n, "estimate")},
		"robustness_level": "substantial", "ambiguity": interval(ambiguous, n, "estimate"), "self_consistency": around(sc, n,
			"mean"),
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
		out["declined"] = obj{"share": float64(declined) / float64(n),
			"of_prompt_agnostic_error": float64(declined) / float64(cats["prompt_agnostic_error"])}
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
	for key, k := range map[string]int{"stable_correct": factual, "stable_wrong": wrong,
		"unstable_correct": random - random/2, "unstable_wrong": random / 2} {
		q[key], qi[key] = float64(k)/float64(n), share(k)
	}
	out["quadrants"], out["quadrant_intervals"] = q, qi
	out["tau"] = .8
	out["sweep"] = []obj{
		{"tau": 0, "prompt_agnostic_factual": share(n - wrong), "prompt_agnostic_error": share(wrong), "randomness": share(0),
			"prompt_sensitive": share(0)},
		{"tau": .3333, "prompt_agnostic_factual": share(factual), "prompt_agnostic_error": share(wrong),
			"randomness": share(random), "prompt_sensitive": share(random)},
		{"tau": .8, "prompt_agnostic_factual": share(factual), "prompt_agnostic_error": share(wrong),
			"randomness": share(random), "prompt_sensitive": share(random)},
		{"tau": 1, "prompt_agnostic_factual": share(0), "prompt_agnostic_error": share(wrong), "randomness": share(n - wrong),
			"prompt_sensitive": share(n - wrong)},
	}
	out["ambiguity_at_r"] = around(float64(ambiguous), n, "estimate")
	out["ambiguity_at_r"].(obj)["r"] = lo
	right, wrongly := obj{"prompt_agnostic_factual": factual, "prompt_agnostic_error": 0, "randomness": random / 2},
		obj{"prompt_agnostic_factual": 0, "prompt_agnostic_error": wrong, "randomness": random - random/2}
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
		by[name] = obj{"prompt_agnostic": s(stable[i], fails[i]), "random": s(fails[i]-stable[i], fails[i]),
			"failures": fails[i]}
	}
	return obj{"n": n, "with_gold": n, "by_axis": by, "warnings": []string{}, "hallucination_by_definition": obj{
		"rubric": s(h, n), "prompt_agnostic_error": s(cats["prompt_agnostic_error"], n), "randomness": s(cats["randomness"],
			n),
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
		out[i] = assay.Axis{Name: []string{"truth", "decidability", "reciprocity", "format"}[i], Verdict: v, Rule: why,
			Evidence: what}
	}
	return out
}
