package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/strictyaml"
)

// Failures are the cases of a run whose answer to the default prompt failed, for people who want to see them.
type Failures struct {
	Of    *assay.Assay
	Group string                 // the class, domain or tag that they are of; "" for all
	Most  int                    // how many a terminal lists of each model on each suite; 0 for all
	Show  func(id string) string // the command line that shows one of them whole
}

// CommandLine returns arguments as a POSIX shell reads them back.
func CommandLine(args ...string) string { return strings.Join(each(args, quoted), " ") }

// failed reports whether the answer to the default prompt is wrong, or fails the rubric otherwise.
func failed(r *assay.CaseRow) bool {
	return r.Outcome == "incorrect" || r.Hallucinated != nil && *r.Hallucinated
}

// in reports whether a case is of the group.
func (f *Failures) in(r *assay.CaseRow) bool {
	return f.Group == "" || r.Class == f.Group || r.Domain == f.Group || slices.Contains(r.Tags, f.Group)
}

// rows are those of a table that failed and are of the group.
func (f *Failures) rows(t assay.CaseTable) iter.Seq[*assay.CaseRow] {
	return func(yield func(*assay.CaseRow) bool) {
		for _, r := range t.All() {
			if f.in(r) && failed(r) && !yield(r) {
				return
			}
		}
	}
}

// Check returns an error where no case is of the group, which names the group that is meant, or all.
func (f *Failures) Check() error {
	if f.Group == "" {
		return nil
	}
	known := map[string]bool{}
	for _, r := range f.Of.Cases.All() {
		if f.in(r) {
			return nil
		}
		for _, g := range append([]string{r.Class, r.Domain}, r.Tags...) {
			known[g] = true
		}
	}
	delete(known, "")
	names := slices.Sorted(maps.Keys(known))
	if len(names) == 0 {
		return fmt.Errorf("--group %q: the cases of the run have no class, domain or tag", f.Group)
	}
	return fmt.Errorf("--group %q: no case has that class, domain or tag; %s", f.Group,
		strictyaml.Suggest(f.Group, names))
}

// Write lists them in a terminal, for each model and suite: what was asked, the gold, the answer and why it failed,
// wrong answers first. Long texts are cut in their middle, as answers end with what they come to.
func (f *Failures) Write(w io.Writer, style Style) error {
	p := newPrinter(w, style)
	v := newView(f.Of)
	first := ""
	p.blocks(partials(v.Doc.Incomplete)...)
	for _, s := range v.Sections {
		all := map[string]int{}
		for _, r := range s.Rows.All() {
			if !f.in(r) {
				continue
			}
			all[""]++
			switch {
			case failed(r):
				all["failed"]++
				all[cmp.Or(r.Outcome, "other")]++
			case r.Outcome == "ungradable":
				all["ungradable"]++
			case r.Hallucinated == nil && r.Outcome == "":
				all["unscored"]++
			}
		}
		p.head(s.Model+" on "+s.Suite, "")
		p.para("", f.counted(all))
		id, left := f.list(p, s, all["failed"])
		first = cmp.Or(first, id)
		p.more(left, "failed answer; --most 0 lists all", "failed answers; --most 0 lists all")
	}
	if first != "" && oneLine(first) == first {
		p.line()
		p.line(p.dim("one of them whole: "), f.Show(first))
	}
	return cmp.Or(p.w.Flush(), f.Of.Err())
}

// counted says how many of a group failed, and how.
func (f *Failures) counted(n map[string]int) string {
	said := fmt.Sprintf("%s of %s failed", grouped(n["failed"]), count(n[""], "case"))
	if f.Group != "" {
		said = oneLine(f.Group) + ": " + said
	}
	var parts []string
	for _, of := range []struct{ key, words string }{
		{"incorrect", "wrong"}, {"not_attempted", "not attempted"}, {"correct", "right, but faulty otherwise"},
		{"other", "by the rubric"},
	} {
		if n[of.key] > 0 {
			parts = append(parts, grouped(n[of.key])+" "+of.words)
		}
	}
	if len(parts) > 0 {
		said += ": " + strings.Join(parts, ", ")
	}
	if n["ungradable"] > 0 {
		said += fmt.Sprintf("; %s could not be graded", grouped(n["ungradable"]))
	}
	if n["unscored"] > 0 {
		said += fmt.Sprintf("; %s without a verdict", grouped(n["unscored"]))
	}
	return said
}

// list writes the first of them, those that are wrong before the others. It returns the id of the first and how many
// it left out.
func (f *Failures) list(p *printer, s *section, failed int) (first string, left int) {
	most, n := cmp.Or(f.Most, failed), 0
	for _, wrong := range []bool{true, false} {
		for r := range f.rows(s.Rows) {
			if (r.Outcome == "incorrect") != wrong {
				continue
			}
			if n == most {
				return first, failed - n
			}
			if n++; n == 1 {
				first = r.ID
			}
			p.failure(r)
		}
	}
	return first, failed - n
}

// failure writes one of them.
func (p *printer) failure(r *assay.CaseRow) {
	_, word, tone := verdict(r)
	p.line()
	id := clip(oneLine(r.ID), p.width/2)
	p.line(p.bold(id), "  ", p.tone(tone, clip(word, p.width-TextWidth(id)-2)))
	var f fields
	f.add("question", text{Shown: middle(r.Prompt)})
	f.add("gold", text{Shown: cmp.Or(middle(r.Gold), "none")})
	f.add("answer", text{Shown: cmp.Or(middle(answerOf(r)), "(empty)")})
	for _, a := range axesOf(r, "fail") {
		f.add("why: "+a.Name, text{Shown: strings.TrimSpace(middle(a.Rule) + " " + middle(a.Evidence))})
	}
	p.blocks(f)
}

// answerOf is the answer to the default prompt, as it came.
func answerOf(r *assay.CaseRow) string {
	for _, a := range r.Answers {
		if a.Variant == 0 {
			return a.Text
		}
	}
	return ""
}

// The characters that a text keeps in a list, at its beginning and at its end.
const (
	keptBefore = 280
	keptBehind = 120
)

// middle is hostile text in one visible line, without its middle where it is long.
func middle(s string) string {
	runes := []rune(s)
	left := len(runes) - keptBefore - keptBehind
	if left <= 40 { // what says how many are left out is as long
		return oneLine(s)
	}
	return fmt.Sprintf("%s … %s characters … %s", oneLine(string(runes[:keptBefore])), grouped(left),
		oneLine(string(runes[keptBefore+left:])))
}

// JSON writes all of them as one document: the run's id, the group, and the rows.
func (f *Failures) JSON(to io.Writer) error {
	w := bufio.NewWriter(to)
	head, err := json.Marshal(map[string]string{"run": f.Of.Document.Run.ID, "group": f.Group})
	if err != nil {
		return err
	}
	w.Write(head[:len(head)-1])
	w.WriteString(`,"failed":[`)
	next := "\n"
	for r := range f.rows(f.Of.Cases) {
		row, err := json.Marshal(r)
		if err != nil {
			return err
		}
		w.WriteString(next)
		w.Write(row)
		next = ",\n"
	}
	w.WriteString("]}\n")
	return cmp.Or(w.Flush(), f.Of.Err())
}

// Asked lists cases by what they ask, where a question was looked for and several have its words.
func Asked(w io.Writer, rows []*assay.CaseRow, left int, style Style) error {
	p := newPrinter(w, style)
	t := table{Columns: []column{codeOf("case"), textOf("outcome"), rawOf("question")},
		Brief: max(1, len(rows)), Left: left, One: "case", Many: "cases"}
	for _, r := range rows {
		_, word, tone := verdict(r)
		t.add(clip(oneLine(r.ID), 60), cell{Main: say(word), Tone: tone}, clip(oneLine(r.Prompt), 180))
	}
	p.table(t)
	return p.w.Flush()
}
