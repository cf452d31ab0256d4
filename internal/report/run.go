package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/stat/figure"
)

// A view is a result document read for a reader; every format but JSON and CSV is written from it.
type view struct {
	Doc      *assay.Document
	Sections []*section
	Phase    *phaseView
	t        tree
}

// A section is what was measured on one model and one suite.
type section struct {
	Index        int
	Model, Suite string // as shown
	Run          string // the id of the run, for commands about it
	At           string // path of the section in the document
	Alone        bool   // the only section of the run
	Day          string // on which the run was begun; "" where nothing says so
	Calibration  bool   // the built-in model, about a fictional world
	Tau          string
	Greedy       bool
	Robustness   string // the level of stability
	Rows         assay.CaseTable
	Unscored     []assay.Unscored

	Answers, Ungradable                   int // to the default prompt
	Wrong, Unattempted                    fig // of them: the headline
	SS, Accuracy                          fig
	Factual, StableError, PromptSensitive fig
	t                                     tree
	notes                                 []block // warnings of the run, where the section is all of it
}

// newView reads a document.
func newView(a *assay.Assay) *view {
	d := a.Document
	d.ThisInvocation = nil // which is in no report
	t := treeOf(d)
	v := &view{Doc: &a.Document, Phase: newPhase(t), t: t}
	for mi, m := range a.Document.Models {
		at := t.sub("models", strconv.Itoa(mi))
		add := func(name string, t tree) {
			t.section = len(v.Sections)
			s := newSection(t, m, name, &a.Document, a.Cases.Of(m.Model, name))
			if !a.Asked.IsZero() {
				s.Day = " on " + a.Asked.UTC().Format(time.DateOnly)
			}
			v.Sections = append(v.Sections, s)
		}
		if suites := a.Document.Run.Suites; len(suites) == 1 {
			add(suites[0].Name, at)
			continue
		}
		for _, name := range at.Names("suites") {
			add(name, at.sub("suites", name))
		}
	}
	for _, s := range v.Sections {
		if s.Alone = len(v.Sections) == 1; s.Alone {
			s.notes = v.notes()
		}
	}
	return v
}

// isPocket reports whether a model reference names the built-in calibration model.
func isPocket(ref string) bool {
	ref = strings.TrimSuffix(ref, " (guarded)")
	return ref == "pocket" || strings.HasPrefix(ref, "pocket:") || strings.HasPrefix(ref, "pocket@")
}

func newSection(root tree, m assay.ModelResult, suite string, d *assay.Document, rows assay.CaseTable) *section {
	at := Visible(strings.Join(root.At(), "."))
	s := &section{
		Index: root.section, Model: oneLine(m.Called()), Suite: oneLine(suite), Run: oneLine(d.Run.ID), At: at,
		Calibration: isPocket(m.Model),
		Tau:         figure.Plain(d.Run.Tau), Greedy: m.Greedy, Rows: rows, t: root,
	}
	for _, u := range m.Unscored {
		if u.Suite == "" || u.Suite == suite {
			u.CaseID, u.Reason, u.Axis = oneLine(u.CaseID), clip(oneLine(u.Reason), 300), oneLine(u.Axis)
			if u.Axis == assay.WholeAnswer {
				u.Axis = "" // the answer itself, not a verdict on it
			}
			s.Unscored = append(s.Unscored, u)
		}
	}
	t := s.t
	s.Answers, s.Ungradable = t.Whole("rubric", "outcomes", "n"), t.Whole("rubric", "unread")
	s.Wrong, s.Unattempted = t.of("rubric", "outcomes", "incorrect"), t.of("rubric", "outcomes", "not_attempted")
	s.SS, s.Accuracy = t.of("consistency", "semantic_stability"), t.of("consistency", "accuracy")
	s.Robustness = t.Text("consistency", "robustness_level")
	taxonomy := t.under("consistency", "taxonomy")
	s.Factual, s.StableError, s.PromptSensitive = taxonomy("prompt_agnostic_factual"),
		taxonomy("prompt_agnostic_error"),
		taxonomy("randomness")
	return s
}

// measured is a part of the section as set sets it out, by that part of the document and its figures; nil where it was
// not measured.
func (s *section) measured(set func(t tree, at figsOf) block, keys ...string) block {
	if !s.t.Has(keys...) {
		return nil
	}
	return set(s.t.branch(keys...), s.t.under(keys...))
}

// part is the place in the document of what stands under keys of the section, for the rows of a table.
func (s *section) part(keys ...string) string { return s.At + "." + Visible(strings.Join(keys, ".")) }

// id is the place of a part of the section on a page.
func (s *section) id(name string) string { return name + "-" + strconv.Itoa(s.Index) }

// NothingGraded reports whether answers came back and none could be graded.
func (s *section) NothingGraded() bool { return s.Answers > 0 && s.Ungradable == s.Answers }

// StabilityOnly reports whether there is a stability figure with no accuracy to stand beside it.
func (s *section) StabilityOnly() bool { return s.SS.OK && !s.Accuracy.OK }

// blocks sets out a run. Of each section the cases are as the form has them.
func (v *view) blocks(cases func(*section) block) []block {
	var notes, out []block
	if len(v.Sections) != 1 {
		notes = v.notes()
	}
	whole := where(0)
	if v.Phase != nil { // a terminal shows the stages beside each other in place of each by itself
		whole = inFull
		out = append(out, v.Phase.block())
	}
	accepted := acceptedBlock(v.Doc.Accept).(chapter)
	accepted.In = inText
	out = append(append([]block{accepted, verdicts(v.Doc.Accept), v.overview()}, notes...), out...)
	models, suites := v.names()
	out = append(out, grid(v.t, models, suites, v.called(), whole))
	out = slices.Concat(out, acrossModels(v.t, suites), []block{studies(v.Sections)})
	said := false
	for _, s := range v.Sections {
		a := s.article(cases(s), said)
		a.In, a.Fold = whole, v.Phase != nil
		said = said || s.Calibration
		out = append(out, a)
	}
	return out
}

// notes are the warnings of the run as a whole, of its files and its suites. They stand behind the verdict: the
// overview, or the headline of the only section.
func (v *view) notes() (out []block) {
	for _, n := range v.t.texts("run", "warnings") {
		out = append(out, noteOf(noteBanner, n))
	}
	return out
}

// called are the names by which its user calls the models.
func (v *view) called() map[string]string {
	called := map[string]string{}
	for i := range v.Doc.Models {
		called[v.Doc.Models[i].Model] = v.Doc.Models[i].Called()
	}
	return called
}

// names are those of the models and the suites.
func (v *view) names() (models, suites []string) {
	return each(v.Doc.Models, func(m assay.ModelResult) string { return m.Model }),
		each(v.Doc.Run.Suites, func(s assay.SuiteInfo) string { return s.Name })
}

// overview sets the sections beside each other; nil where there is one.
func (v *view) overview() block {
	if len(v.Sections) < 2 {
		return nil
	}
	wrong := each(v.Sections, func(s *section) fig { return s.Wrong })
	t := table{Columns: heads(column{Head: "model, suite", Kind: ofNames}, columnOfPlots("wrong answers to the "+
		"default prompt, %", scaleFor(wrong...)).only(onPage), "wrong", ci.only(inFull), "stability", "accuracy",
		"prompt-agnostic error", "prompt-sensitive", countsOf("unscored").only(onPage))}
	for _, s := range v.Sections {
		brief := func(f fig) cell { return cellOf(f).under(only(onPage, within(f))) }
		name := cellOf(word{Text: s.Model, To: "s" + strconv.Itoa(s.Index)}, only(inText, ", "+s.Suite)).noted(s.Suite)
		t.addAt(s.At, name, cell{Plot: s.Wrong}, bounded(s.Wrong), brief(s.SS), brief(s.Accuracy), brief(s.StableError),
			brief(s.PromptSensitive), grouped(len(s.Unscored)))
	}
	body := []block{t}
	if slices.ContainsFunc(v.Sections, (*section).StabilityOnly) {
		body = append(body, noteOf(noteBanner, "Where accuracy shows –, it was not measured: stability alone says "+
			"nothing about truth.").only(onPage))
	}
	return chapterOf("overview", body...)
}

// article sets out a section. What a model for calibration is, a terminal says once.
func (s *section) article(cases block, said bool) article {
	a := article{Index: s.Index, At: s.At, Headline: s.headline()}
	if !s.Alone {
		a.Name = s.Model + " on " + s.Suite
	}
	a.Body = append([]block{noteOf(noteAsked, s.asked()).only(onPage),
		noteOf(noteSecond, s.second()).only(onPage)}, s.check()...)
	a.Body = append(a.Body, keys{s.keys()})
	a.Body = append(a.Body, s.caveats(said)...)
	first := []block{s.groups(), s.sliced()}
	parts := slices.Concat(
		[]block{s.findings(), s.outcomes(), pair{Left: []block{s.measured(s.rubric, "rubric")},
			Right: []block{s.measured(s.stable, "consistency")}, Axes: true}}, s.further(),
		[]block{s.measured(s.posterior, "posterior"), s.measured(s.study, "posterior", "study"), s.families(),
			s.measured(s.sameness, "equality"), s.measured(s.sampled, "consistency_sampled"),
			s.measured(s.detectors, "detection"), s.classes(), s.confusion(), s.measured(s.judge, "judged"),
			s.measured(s.paraphrases, "paraphrases")}, s.added(), []block{s.measured(s.audit, "audit")}, s.crossTab(),
		[]block{s.designed(), s.unscored(), cases})
	a.Body = layered(slices.Concat(a.Body, first, s.notes), parts, link{"provenance", "Provenance"})
	return a
}

// layered are the blocks of the first layer, and those of the second folded beneath the links to them and to more.
func layered(first, second []block, more ...link) []block {
	second = folded(second)
	if depth := links(second); len(depth) > 0 {
		first = append(first, chapter{Title: "All figures", Run: true, In: onPage,
			Lede: say("Each opens at a click, and " +
				"says first what it measures."), Body: []block{contents{append(depth, more...)}}})
	}
	return append(first, second...)
}

// folded are chapters of the second layer, which a page shows where they are asked for; each says what it is for.
func folded(blocks []block) (out []block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case chapter:
			b.Depth = true
			if says := called("second layer", b.Title); len(b.Lede.text(onPage)) == 0 && says != "" {
				b.Lede = only(onPage, says)
			}
			out = append(out, b)
		case pair:
			out = slices.Concat(out, folded(b.Left), folded(b.Right))
		default:
			if b != nil {
				out = append(out, b)
			}
		}
	}
	return out
}

// asked says what was asked of whom, and how answers were read.
func (s *section) asked() prose {
	what := count(s.Rows.Len(), "question") + " of the suite " + s.Suite + ", put to " + s.Model
	if v := s.t.Whole("consistency", "variants", "max"); v > 1 {
		what += fmt.Sprintf(", with up to %d prompt variants each", v)
	}
	how := ""
	graders := s.t.Names("rubric", "outcomes", "grading", "graders")
	switch {
	case len(graders) == 1 && graders[0] == "rules":
		how = "Answers were read by rules."
	case len(graders) > 0:
		how = "Answers were read by " + oneLine(strings.Join(graders, ", ")) + "."
	}
	return say("Asked"+s.Day+": "+what+". ", how)
}

// caveats are what has to be known of the model and the suite before any figure.
func (s *section) caveats(said bool) (out []block) {
	if s.Calibration {
		n := noteOf(noteModel, strong("pocket is a calibration model about a fictional world."),
			only(onPage, " Its errors were put there by design."), " The figures show that the instrument reads what "+
				"was built in", only(onPage, "; they say nothing about the true world or about any other model"), ".")
		if said {
			n.In = inFull
		}
		out = append(out, n)
	}
	if s.StabilityOnly() {
		out = append(out, noteOf(noteBanner, strong("Accuracy was not measured."),
			" The suite has no gold answers, so stability here says only that answers agree with each other, not "+
				"that they are right."))
	}
	return out
}

// links are those to the chapters of a page.
func links(blocks []block) (out []link) {
	for _, b := range standing(onPage, blocks...) {
		if c, ok := b.(chapter); ok && c.ID != "" && c.Name != "" {
			out = append(out, link{c.ID, c.Name})
		}
	}
	return out
}

// headline is the sentence that a section begins with.
func (s *section) headline() prose {
	model, on := strong(s.Model), only(inText, " to "+s.Suite)
	answers := count(s.Answers, "answer")
	interval := func(f fig) prose {
		if !f.Bounded {
			return nil
		}
		return only(inText, " (95 % interval ", within(f), ")")
	}
	switch rate := s.t.of("posterior", "phr"); {
	case s.NothingGraded() && s.Answers == 1:
		return say(model, ": its only answer", on, " could not be graded, so nothing is known.")
	case s.NothingGraded():
		return say(model, ": none of "+answers, on, " could be graded, so nothing is known.")
	case s.Wrong.OK && s.Wrong.Ranged:
		return say(model, " was read as wrong on ", strong(s.Wrong), " of "+answers, on, ", and ", s.Unattempted,
			" were not attempted. These are ranges, as "+count(s.Ungradable, "answer")+" could not be graded.")
	case s.Wrong.OK:
		corrected := ""
		if by := s.correctedBy(); by != "" {
			corrected = ", corrected by " + by
		}
		return say(model, " was wrong on ", strong(s.Wrong), " of "+answers, on, interval(s.Wrong), corrected+"; ",
			s.Unattempted, " were not attempted.")
	case s.SS.OK && s.SS.Ranged:
		return say(model, " has a semantic stability of ", strong(s.SS),
			" on "+s.Suite+", as some answers could not be graded.")
	case s.SS.OK:
		return say(model, " has a semantic stability of ", strong(s.SS), " on "+s.Suite, interval(s.SS), ".")
	case rate.OK:
		return say(model, " has a posterior hallucination rate of ", strong(rate), " on "+s.Suite, interval(rate), ".")
	}
	return say(model, " on "+s.Suite+": nothing could be scored.")
}

// second is what a page says with the headline.
func (s *section) second() (p prose) {
	switch {
	case s.NothingGraded():
		p = say("Nothing is known of the model: compare the answers with the accepted ones. ")
	case s.Wrong.OK:
		goes := "as far as the choice of questions goes"
		if s.correctedBy() != "" {
			goes = "with the choice of questions and the grader’s errors in it"
		}
		p = say("With 95 % confidence, "+goes+", the rate lies within ", within(s.Wrong), ". ")
	}
	if s.Wrong.OK { // what stays and what moves has a place of its own, and is of all variants
		return p
	}
	if s.StableError.OK {
		p = say(p, "Of questions asked with several prompt variants, ", strong(s.StableError),
			" got the same wrong answer whatever the prompt, and ", strong(s.PromptSensitive),
			" an answer that changes with it. ")
	}
	if !s.SS.OK {
		return p
	}
	p = say(p, "Its semantic stability is ", s.SS)
	if s.Robustness != "" {
		p = say(p, ", "+s.Robustness)
	}
	if s.Accuracy.OK {
		return say(p, ", at an accuracy of ", s.Accuracy, ".")
	}
	return say(p, "; accuracy was not measured.")
}

// keys are the readings at the top, in one unit side by side: what the answers to the default prompt did. Where none
// was graded they are those of stability, which are of all variants.
func (s *section) keys() []fig {
	if s.Wrong.OK {
		at, of := s.t.under("rubric", "outcomes"), "of "+count(s.Answers, "answer")
		return known(s.Wrong.note(of), s.Unattempted.note(of), at("ungradable").note(of), at("correct").note(of))
	}
	over := count(s.t.Whole("consistency", "questions"), "question") + ", all variants"
	level := strings.TrimPrefix(s.Robustness+"; "+over, "; ")
	return known(s.SS.note(level), s.Accuracy.toned("").note(over), s.StableError.named("stable and wrong").note(over),
		s.PromptSensitive.named("random").note(over))
}

func (s *section) findings() block {
	return s.chapter("findings", findings{newFindings(s.t, "findings")})
}

// failures lists the first failed cases with the reason, for a comment on a change.
func (s *section) failures() block {
	t := table{Columns: []column{codeOf("case"), textOf("failure"), rawOf("answer"),
		textOf("reason")}, Listed: maxListed}
	for _, r := range s.Rows.All() {
		if r.Hallucinated == nil || !*r.Hallucinated {
			continue
		}
		answer, reason := "", ""
		if len(r.Answers) > 0 {
			answer = r.Answers[0].Text
		}
		if failed := axesOf(r, "fail"); len(failed) > 0 {
			reason = failed[0].Name + ": " + failed[0].Rule
		}
		t.add(clip(oneLine(r.ID), 60), oneLine(r.Kind), clip(oneLine(answer), 100), clip(oneLine(reason), 120))
	}
	return closed(count(len(t.Rows), "failed case"), t).only(inMarkdown)
}

// slug returns a name as the value of a filter: no bar, no line end.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '|' || r == ';' || r < ' ' {
			return '_'
		}
		return r
	}, Visible(s))
}

// A findingView is a sentence that estimates support, with what to do and what to doubt.
type findingView struct {
	Sentence, Advice, Path string
	Warnings               []string
}

func newFindings(t tree, key string) (all []findingView) {
	for _, f := range t.items(key) {
		all = append(all, findingView{Visible(f.Text("sentence")), Visible(f.Text("advice")), Visible(f.Text("path")),
			f.texts("warnings")})
	}
	return all
}
