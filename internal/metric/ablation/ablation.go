// Package ablation says what each part of a guard does: the rates of runs with parts of it taken away, by what a
// guard can see and what its index has, against the run without one.
package ablation

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/ask/guard"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

const level = .95

// Guardable are the tags of the pressures that a guard can see from where it stands: context, identifiers, ambiguity,
// premises, arithmetic.
var Guardable = []string{"retrieval", "conflict-rag", "id-precision", "nonexistent-citation", "ambiguity",
	"false-premise", "calc"}

// A Result is the guard with its parts switched off in turn, each a stored run compared with the run without a guard.
type Result struct {
	Suite     string   `json:"suite"`
	Model     string   `json:"model"`
	Index     string   `json:"index"`
	Guardable []string `json:"guardable"`          // the tags of the cases that count as guardable
	Wordings  bool     `json:"wordings,omitempty"` // the cases are other phrasings of the suite's, several of one case
	Rows      []Row    `json:"rows"`
}

// A Row is one configuration.
type Row struct {
	Name   string           `json:"name"`
	Run    string           `json:"run"`
	Flags  []string         `json:"flags"` // of `hallmark run`
	Groups map[string]Group `json:"groups"`
	Acts   map[string]int   `json:"acts,omitempty"` // what the guard did, by guard.Act
}

// A Group holds the rates of some cases.
type Group struct {
	N             int            `json:"n"`          // cases of which H is known
	Ungradable    int            `json:"ungradable"` // cases whose answer could not be graded, in no rate
	Commission    *stat.Rate     `json:"commission"`
	OverRefusal   *stat.Rate     `json:"over_refusal"`
	Undecided     *stat.Rate     `json:"undecided"`
	Hallucination *stat.Rate     `json:"hallucination"`
	Reduction     *stat.Estimate `json:"commission_reduction,omitempty"` // against the run without a guard
	// FewInBase: of that run so few cases fail that a percentage of them would say nothing: Difference is printed,
	// in points.
	FewInBase  bool           `json:"few_in_base,omitempty"`
	Difference *stat.Estimate `json:"commission_difference,omitempty"` // this one - that
	McNemarP   *float64       `json:"mcnemar_p,omitempty"`             // of hallucination, against the same
}

// Covers reports whether a case of that class and those tags counts as guardable.
func (x *Result) Covers(class string, tags []string) bool {
	return slices.ContainsFunc(x.Guardable, func(t string) bool { return class == t || slices.Contains(tags, t) })
}

// Add adds the row of a run, by its graded cases and those of the run without a guard. A run with a guard, whose
// index is part, has its guardable cases parted by whether they name something of the whole index that the part
// lacks; part is nil without one. It returns the row, to which what the guard did may be added.
func (x *Result) Add(name, run string, flags []string, base, rows []rate.Row, cases suite.List, whole,
	part *guard.Inventory) *Row {
	x.Rows = append(x.Rows, Row{Name: name, Run: run, Flags: flags, Groups: map[string]Group{}})
	r := &x.Rows[len(x.Rows)-1]
	guardable := func(c rate.Row) bool { return x.Covers(c.Class, c.Tags) }
	r.group("guardable", base, rows, guardable)
	r.group("other", base, rows, func(c rate.Row) bool { return !guardable(c) })
	r.group("all", base, rows, func(rate.Row) bool { return true })
	if part != nil {
		missing := absent(cases, whole, part)
		r.group("guardable_in_index", base, rows, func(c rate.Row) bool { return guardable(c) && !missing[c.CaseID] })
		r.group("guardable_absent", base, rows, func(c rate.Row) bool { return guardable(c) && missing[c.CaseID] })
		r.Acts = map[string]int{}
	}
	return r
}

// group adds the rates of those cases that belong to it.
func (r *Row) group(name string, base, rows []rate.Row, belongs func(rate.Row) bool) {
	pick := func(rows []rate.Row) []rate.Row {
		return slices.DeleteFunc(slices.Clone(rows), func(c rate.Row) bool { return !belongs(c) })
	}
	rows = pick(rows)
	if len(rows) == 0 {
		return
	}
	res := rate.Analyze(rows, rate.Options{Level: level})
	g := Group{N: res.N, Ungradable: res.Ungradable, Commission: res.Commission, OverRefusal: res.OverRefusal,
		Undecided: res.Undecided, Hallucination: res.Hallucination}
	if r.Flags != nil {
		c := rate.Compare(pick(base), rows, rate.Options{Level: level})
		g.Reduction, g.McNemarP = c.CommissionReduction, &c.McNemarP
		g.Difference, g.FewInBase = c.Difference.Commission, slices.Contains(c.FewInBase, "commission")
	}
	r.Groups[name] = g
}

// absent tells of each case whether its question names something of the whole index that the part lacks.
func absent(cases suite.List, whole, part *guard.Inventory) map[string]bool {
	known := map[string]bool{}
	for _, e := range part.Entities {
		known[e.Name] = true
	}
	absent := map[string]bool{}
	for _, c := range cases.All() {
		named := whole.Mentions(c.Prompt)
		if len(named) == 0 { // a surname alone: all of its bearers
			for _, e := range whole.Entities {
				if last := e.Name[strings.LastIndexByte(e.Name, ' ')+1:]; e.Kind == "person" &&
					strings.Contains(c.Prompt, last) {
					named = append(named, e.Name)
				}
			}
		}
		if slices.ContainsFunc(named, func(name string) bool { return !known[name] }) {
			absent[c.ID] = true
		}
	}
	return absent
}

// Markdown writes the ablation as tables.
func (x *Result) Markdown(w io.Writer) error {
	var b strings.Builder
	x.rates(&b)
	fmt.Fprint(&b, "\n| guardable cases that name | n | commission | over-refusal | H |\n"+
		"| --- | --- | --- | --- | --- |\n")
	for _, r := range x.Rows {
		if r.Name != "guard" && !strings.HasPrefix(r.Name, "index") {
			continue
		}
		for _, part := range []struct{ key, title string }{{"guardable_in_index", "only what the index has"},
			{"guardable_absent", "something that it lacks"}} {
			if g, ok := r.Groups[part.key]; ok {
				fmt.Fprintf(&b, "| %s: %s | %d | %s | %s | %s |\n", r.Name, part.title, g.N, percent(g.Commission),
					percent(g.OverRefusal), percent(g.Hallucination))
			}
		}
	}
	fmt.Fprint(&b, "\n| what the guard did | passed | replaced | repaired | corrected | asked | abstained |\n"+
		"| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range x.Rows {
		if r.Acts != nil {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", r.Name, r.Acts["passed"], r.Acts["replaced"],
				r.Acts["repaired"], r.Acts["corrected"], r.Acts["asked"], r.Acts["abstained"])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rates writes the table of all rows.
func (x *Result) rates(b *strings.Builder) {
	n := x.Rows[0].Groups
	if x.Wordings {
		fmt.Fprintf(b, "%s on %s in other phrasings, index %s; percent of questions with 95 %% intervals, which are "+
			"too narrow, as several are of one case\n\n", x.Model, x.Suite, x.Index)
	} else {
		fmt.Fprintf(b, "%s on %s, index %s; percent of cases with 95 %% intervals\n\n", x.Model, x.Suite, x.Index)
	}
	cases := func(group string) int { return n[group].N + n[group].Ungradable }
	others := cases("other") > 0 // none where other wordings are asked
	head, rule := fmt.Sprintf("| | commission, %d guardable | reduction | over-refusal | H |", cases("guardable")),
		"| --- | --- | --- | --- | --- |"
	if others {
		head += fmt.Sprintf(" commission, %d others | over-refusal | H | H, all %d |", cases("other"), cases("all"))
		rule += " --- | --- | --- | --- |"
	}
	fmt.Fprintf(b, "%s\n%s\n", head, rule)
	var ungradable []int
	for _, r := range x.Rows {
		g, o, all := r.Groups["guardable"], r.Groups["other"], r.Groups["all"]
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |", r.Name, percent(g.Commission), g.reduced(), percent(g.OverRefusal),
			percent(g.Hallucination))
		if others {
			fmt.Fprintf(b, " %s | %s | %s | %s |", percent(o.Commission), percent(o.OverRefusal),
				percent(o.Hallucination), percent(all.Hallucination))
		}
		fmt.Fprintln(b)
		ungradable = append(ungradable, all.Ungradable)
	}
	if most := slices.Max(ungradable); most > 0 {
		fmt.Fprintf(b, "\n%d to %d of the %d answers of a row could not be graded and are in no rate.\n",
			slices.Min(ungradable), most, cases("all"))
	}
}

func percent(r *stat.Rate) string {
	if r == nil {
		return "–"
	}
	return figure.Bracketed(func(x float64) string { return figure.Fixed(100*x, 1) }, "", r.Value, r.Lo, r.Hi)
}

// reduced is what came of commissions, in percent or in points.
func (g Group) reduced() string {
	if i := g.Difference; i != nil && g.FewInBase {
		return figure.Bracketed(figure.Whole, " points", -i.Value, -i.Hi, -i.Lo)
	}
	if i := g.Reduction; i != nil {
		return figure.Bracketed(figure.Whole, "", i.Value, math.Max(i.Lo, -9.99), i.Hi)
	}
	return "–"
}
