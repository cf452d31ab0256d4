package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/sheet"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/stat"
)

// GradingOne is the grading version of releases 0.1, which write none.
const GradingOne = "1"

// verifyOne checks a bundle of FormatOne. It holds the verdicts on the answers to default prompts, in its case
// table, and how consistent each case was; what follows from these alone is computed again, here and not by the
// estimates of this release, as the format is done with. NotChecked lists the rest.
func (c *contents) verifyOne(ctx context.Context, opt Options) (*Bundle, error) {
	if m := &c.manifest; m.Grading.Version != "" || m.Verdicts != nil {
		return nil, fault(manifestName,
			"names grading or verdicts, which a bundle of format %s does not: it was changed", FormatOne)
	}
	c.manifest.Grading.Version = GradingOne
	plan, store, err := c.opened(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if err := c.counted(); err != nil {
		return nil, err
	}
	o, err := c.one(plan)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &Bundle{Manifest: c.manifest, Plan: plan, Own: true, NotChecked: o.rest()}
	again, err := rereadOf(ctx, plan, store, opt)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // what the plan asks for is not of this release
		b.NotChecked = append(b.NotChecked, fmt.Sprintf("that the answers in %s are those of %s: %v", casesName,
			recordsName, err))
		return b, nil
	}
	b.anew = again
	var table bytes.Buffer
	if err := report.CSV(&table, again.assay); err != nil {
		return nil, err
	}
	l := &likeness{}
	if l.table(c.members[casesName], table.Bytes(), "run", "model", "suite", "case_id", "class", "domain",
		"difficulty", "tags", "prompt", "answer"); l.fault != "" {
		return nil, fault(casesName, "%s from the plan and the answers in the bundle", l.fault)
	}
	return b, nil
}

// opened returns the plan of a bundle and a store with its records.
func (c *contents) opened(ctx context.Context) (*assay.Plan, run.Store, error) {
	plan, err := c.plan()
	if err != nil {
		return nil, nil, err
	}
	store, err := load(ctx, plan.ID(), c.members, c.strict)
	return plan, store, err
}

// A one is what a bundle of FormatOne says of its run.
type one struct {
	plan   *assay.Plan
	result struct {
		Run    assay.RunInfo                `json:"run"`
		Models []map[string]json.RawMessage `json:"models"`
	}
	table table
}

// one reads the figures and the case table, and checks that these are of the plan.
func (c *contents) one(plan *assay.Plan) (*one, error) {
	o := &one{plan: plan}
	if err := json.Unmarshal(c.members[resultName], &o.result); err != nil {
		return nil, fault(resultName, "does not read: %v", jsonl.Plain(err))
	}
	if err := c.ofReleaseOne(o); err != nil {
		return nil, err
	}
	var err error
	if o.table, err = readTable(c.members[casesName]); err != nil {
		return nil, fault(casesName, "does not read: %v", err)
	}
	if err := wasNamed(casesName, "the table", "table", slices.Values(o.table.columns)); err != nil {
		return nil, err
	}
	switch id := plan.ID(); {
	case c.manifest.Run != id:
		return nil, fault(manifestName, "is of run %q, and the plan of %s", shortened(c.manifest.Run), id)
	case o.result.Run.ID != id:
		return nil, fault(resultName, "is of run %q, and the plan of %s", shortened(o.result.Run.ID), id)
	case len(o.result.Models) != len(plan.Models):
		return nil, fault(resultName, "has %d models, and the plan %d", len(o.result.Models), len(plan.Models))
	}
	at := 0
	for _, m := range plan.Models {
		for _, s := range plan.Suites {
			for i := range plan.Covered(s).Len() {
				want := [4]string{plan.ID(), m.Name(), s.Name, s.Cases.ID(i)}
				if at >= len(o.table.rows) {
					return nil, fault(casesName, "lacks case %q", want[3])
				}
				for k, column := range [...]string{"run", "model", "suite", "case_id"} {
					if got := o.table.cell(at, column); sheet.Unguard(got) != report.Visible(want[k]) {
						return nil, fault(casesName, "row %d: %s is %q where the plan has %q", at+2, column,
							shortened(got), shortened(want[k]))
					}
				}
				at++
			}
		}
	}
	if at < len(o.table.rows) {
		return nil, fault(casesName, "has %d rows for %d cases", len(o.table.rows), at)
	}
	return o, nil
}

// check compares the figures with those that follow from the case table.
func (o *one) check() error {
	at := 0
	for mi := range o.plan.Models {
		for _, s := range o.plan.Suites {
			methods := o.result.Models[mi]
			if len(o.plan.Suites) > 1 {
				var by map[string]map[string]json.RawMessage
				if err := json.Unmarshal(methods["suites"], &by); err != nil {
					return fault(resultName, "the suites of model %d do not read: %v", mi+1, jsonl.Plain(err))
				}
				methods = by[s.Name]
			}
			rows := make([]oneRow, o.plan.Covered(s).Len())
			for i := range rows {
				r, err := o.row(at)
				if err != nil {
					return err
				}
				c := s.Cases.At(i)
				r.class, r.domain, r.tags = c.Class, c.Domain, c.Tags
				rows[i] = r
				at++
			}
			path := fmt.Sprintf("models[%d] on %s", mi, s.Name)
			if err := checkOne(path, methods, rows, o.plan.ExcludeDefault); err != nil {
				return err
			}
		}
	}
	return nil
}

// A oneRow is a row of the case table, as figures are made from it.
type oneRow struct {
	axes           [4]string // truth, decidability, reciprocity, format
	hallucinated   string
	kind           string
	class, domain  string
	tags           []string
	stable         bool // it has a stability
	pc, sc         float64
	ambiguous      bool
	category       string
	right, answers int
}

// row reads a row, and checks that it does not contradict itself.
func (o *one) row(i int) (r oneRow, err error) {
	cell := func(column string) string { return o.table.cell(i, column) }
	r = oneRow{
		axes:         [4]string{cell("truth"), cell("decidability"), cell("reciprocity"), cell("format")},
		hallucinated: cell("hallucinated"), kind: cell("kind"),
		category: cell("category"), ambiguous: cell("ambiguous") == "true",
	}
	failed, open := slices.Contains(r.axes[:3], "fail"), slices.Contains(r.axes[:3], "unscored")
	switch {
	case r.hallucinated == "true" && !failed && r.axes[3] != "fail", r.hallucinated == "false" && (failed || open),
		r.hallucinated == "" && failed,
		(r.hallucinated == "true") != (r.kind != ""):
		return r, fault(casesName, "row %d: verdicts %s, hallucinated %q and kind %q contradict each other", i+2,
			shortened(strings.Join(r.axes[:], ", ")), shortened(r.hallucinated), shortened(r.kind))
	}
	number := func(column string) (x float64) {
		if text := cell(column); text != "" && err == nil {
			if x, err = json.Number(text).Float64(); err != nil {
				err = fault(casesName, "row %d: %s is %q, which is no number", i+2, column, shortened(text))
			}
		}
		return x
	}
	r.stable = cell("r") != ""
	r.pc, r.sc = number("pc"), number("sc")
	r.right = int(number("right"))
	r.answers = r.right + int(number("wrong")+number("declined")+number("unread"))
	return r, err
}

// checkOne compares the figures of one model on one suite.
func checkOne(path string, methods map[string]json.RawMessage, rows []oneRow, excludeDefault bool) error {
	for _, x := range []struct {
		name  string
		check func(path string, got map[string]any, rows []oneRow) error
	}{{"rubric", checkRubric}, {"consistency", func(path string, got map[string]any, rows []oneRow) error {
		return checkStability(path, got, rows, excludeDefault)
	}}} {
		got, err := decoded(methods[x.name])
		if err != nil {
			return fault(resultName, "%s: %s: %v", path, x.name, err)
		}
		if got != nil {
			if err := x.check(path+": "+x.name, got, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func decoded(data json.RawMessage) (map[string]any, error) {
	if data == nil {
		return nil, nil
	}
	v, err := parsed(data)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is no object")
	}
	return m, nil
}

// checkStability compares the figures of consistency: METHODS 3, as of release 0.1.
func checkStability(path string, got map[string]any, rows []oneRow, excludeDefault bool) error {
	var n, pc, low, high, ambiguous, sc, golded, correct float64
	shares := map[string]float64{}
	for _, r := range rows {
		if !r.stable {
			continue
		}
		n++
		pc, sc = pc+r.pc, sc+r.sc
		low, high, ambiguous = low+stat.Bit(r.pc < .5), high+stat.Bit(r.pc >= .8), ambiguous+stat.Bit(r.ambiguous)
		if r.category != "" {
			golded++
			shares[r.category]++
			correct += float64(r.right) / float64(max(1, r.answers))
		}
	}
	if n == 0 {
		return nil
	}
	want := map[string]float64{
		"questions": n, "semantic_stability/estimate": pc / n, "pc_below_0.5": low / n, "pc_at_least_0.8": high / n,
		"ambiguity/estimate": ambiguous / n, "self_consistency/mean": sc / n,
	}
	if golded > 0 {
		for _, name := range []string{"prompt_agnostic_factual", "prompt_agnostic_error", "randomness"} {
			want["taxonomy/"+name] = shares[name] / golded
		}
		if !excludeDefault { // else the case table counts an answer that the figure leaves out
			want["accuracy/mean"] = correct / golded
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		var value any = got
		steps := strings.Split(name, "/")
		for _, step := range steps {
			m, _ := value.(map[string]any)
			value = m[step]
		}
		if err := agrees(path+"."+strings.Join(steps, "."), value, numeral(want[name])); err != nil {
			return err
		}
	}
	return nil
}

func numeral(x float64) json.Number {
	if math.Abs(x) < 1e-12 {
		x = 0
	}
	b, err := json.Marshal(x)
	if err != nil { // figures are finite
		panic("bundle: " + err.Error())
	}
	return json.Number(b)
}

// agrees returns a fault where a figure is not the one that follows from the case table.
func agrees(path string, got, want any) error {
	l := &likeness{exact: true}
	l.compare(path, got, want)
	switch {
	case l.fault != "":
		return fault(resultName, "%s from the verdicts in %s", l.fault, casesName)
	case l.beyond.figures > 0:
		return fault(resultName, "%s has more than a bundle of format %s does: it was changed", path, FormatOne)
	}
	return nil
}

// rest lists what such a bundle does not let anyone check, in the words of its files.
func (o *one) rest() []string {
	all := map[string]json.RawMessage{}
	for _, m := range o.result.Models {
		maps.Copy(all, m)
	}
	for _, checked := range []string{"model", "identity", "greedy", "rubric", "consistency", "suites", "unscored"} {
		delete(all, checked)
	}
	more := slices.Sorted(maps.Keys(all))
	out := []string{"how the answers to other prompts than the default one were read, as bundles of releases 0.1 " +
		"hold no verdicts on them", "in " + resultName + ", the intervals of consistency, weighted quality, and what " +
		"rests on more than " + casesName + " holds"}
	if len(more) > 0 {
		out[1] += ": " + strings.Join(more, ", ")
	}
	return append(out, strings.Join([]string{reportName, pageName, protocolName}, ", "))
}
