package bundle

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"hallmark/internal/assay"
	"hallmark/internal/base/sheet"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/text/answer"
)

// A Regraded is how the answers of a bundle are read by this release, beside how they were.
type Regraded struct {
	From    string       `json:"from"`    // the grading version of the bundle
	To      string       `json:"to"`      // that of this release
	Answers int          `json:"answers"` // of which both are known
	Differ  int          `json:"differ"`
	Cases   []Difference `json:"cases"` // an entry for each answer that differs
}

// A Difference is an answer that two grading versions read differently.
type Difference struct {
	assay.AnswerID
	Was ReadAs `json:"was"`
	Is  ReadAs `json:"is"`
}

// ReadAs is how an answer was read, without the reasons.
type ReadAs struct {
	Outcome      grade.Outcome `json:"outcome"` // empty: unscored
	Truth        string        `json:"truth"`
	Decidability string        `json:"decidability"`
	Reciprocity  string        `json:"reciprocity"`
	Format       string        `json:"format"`
	// Class is the answer as consistency compares it; absent where that is not known of one of the two.
	Class *answer.Form `json:"class,omitempty"`
}

// A reread is a run as this release reads its answers.
type reread struct {
	assay    *assay.Assay
	readings *assay.Readings
}

// rereadOf evaluates a plan that a stranger wrote, from stored answers.
func rereadOf(ctx context.Context, plan *assay.Plan, store run.Store, opt Options) (r *reread, err error) {
	defer panicked(&err)
	r = &reread{}
	r.assay, r.readings, err = assay.Read(ctx, store, plan, opt.Version)
	return r, err
}

// Records returns the plan and the answers of a bundle that was opened.
func (b *Bundle) Records(ctx context.Context) (*assay.Plan, run.Store, error) {
	return b.contents.opened(ctx)
}

// Again returns the run of a bundle that was opened as this release reads its answers.
func (b *Bundle) Again(ctx context.Context, opt Options) (*assay.Assay, error) {
	r, err := b.again(ctx, opt)
	if err != nil {
		return nil, err
	}
	return r.assay, nil
}

func (b *Bundle) again(ctx context.Context, opt Options) (*reread, error) {
	switch {
	case !b.Own: // it was read by this release
		return &reread{b.Assay, b.readings}, nil
	case b.anew != nil:
		return b.anew, nil
	}
	plan, store, err := b.contents.opened(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if b.anew, err = rereadOf(ctx, plan, store, opt); err != nil {
		b.anew = nil
		return nil, err
	}
	return b.anew, nil
}

// Regrade reads the answers of a bundle that was opened anew, and lists what differs from how they were read. Of a
// bundle of FormatOne that is known of the answers to default prompts.
func (b *Bundle) Regrade(ctx context.Context, opt Options) (*Regraded, error) {
	again, err := b.again(ctx, opt)
	if err != nil {
		return nil, err
	}
	out := &Regraded{From: b.Manifest.Grading.Version, To: opt.reads(), Cases: []Difference{}}
	was := map[assay.AnswerID]ReadAs{}
	if b.readings != nil {
		for r := range b.readings.All() {
			was[r.AnswerID] = readAs(r)
		}
	} else if was, err = b.contents.readOne(b.Plan); err != nil {
		return nil, err
	}
	for r := range again.readings.All() {
		before, known := was[r.AnswerID]
		if !known {
			continue
		}
		out.Answers++
		now := readAs(r)
		if before.Class == nil {
			now.Class = nil
		}
		if !reflect.DeepEqual(before, now) {
			out.Differ++
			out.Cases = append(out.Cases, Difference{r.AnswerID, before, now})
		}
	}
	if b.readings != nil {
		err = b.readings.Err()
	}
	return out, cmp.Or(err, again.readings.Err())
}

func readAs(r *assay.Reading) ReadAs {
	return ReadAs{r.Outcome, r.Truth.Verdict, r.Decidability.Verdict, r.Reciprocity.Verdict, r.Format.Verdict, &r.Class}
}

// String says it in a few words: those that two differing readings need.
func (d *Difference) String() string {
	say := func(r ReadAs) grade.Outcome { return cmp.Or(r.Outcome, "unscored") }
	text := fmt.Sprintf("was %s, is %s", say(d.Was), say(d.Is))
	if d.Was.Outcome != d.Is.Outcome {
		return text
	}
	text = "still " + string(say(d.Is))
	for _, x := range [...]struct{ name, was, is string }{
		{"truth", d.Was.Truth, d.Is.Truth}, {"decidability", d.Was.Decidability, d.Is.Decidability},
		{"reciprocity", d.Was.Reciprocity, d.Is.Reciprocity}, {"format", d.Was.Format, d.Is.Format},
	} {
		if x.was != x.is {
			text += fmt.Sprintf("; %s was %s, is %s", x.name, x.was, x.is)
		}
	}
	if d.Was.Class != nil && d.Is.Class != nil && *d.Was.Class != *d.Is.Class {
		text += fmt.Sprintf("; compared as %.60q, and now as %.60q", d.Was.Class.Text(), d.Is.Class.Text())
	}
	return text
}

// readOne returns how a bundle of FormatOne has the answers to default prompts. Their outcomes, which releases 0.1
// had not, follow from verdicts and act. What was unread is ungradable now.
func (c *contents) readOne(plan *assay.Plan) (map[assay.AnswerID]ReadAs, error) {
	o, err := c.one(plan)
	if err != nil {
		return nil, err
	}
	out := map[assay.AnswerID]ReadAs{}
	for i := range o.table.rows {
		r := assay.Reading{Act: grade.Act(sheet.Unguard(o.table.cell(i, "act")))}
		for name, axis := range map[string]*grading.Stated{"truth": &r.Truth, "decidability": &r.Decidability,
			"reciprocity": &r.Reciprocity, "format": &r.Format} {
			if axis.Verdict = o.table.cell(i, name); axis.Verdict == "unread" {
				axis.Verdict = grade.Ungradable.String()
			}
		}
		if r.Outcome, err = r.Follows(); err != nil {
			return nil, fault(casesName, "row %d: %v", i+2, err)
		}
		as := readAs(&r)
		as.Class = nil
		out[assay.AnswerID{Model: plan.Models[i/(len(o.table.rows)/len(plan.Models))].Name(),
			Suite: sheet.Unguard(o.table.cell(i, "suite")), CaseID: sheet.Unguard(o.table.cell(i, "case_id"))}] = as
	}
	return out, nil
}
