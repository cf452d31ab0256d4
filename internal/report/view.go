package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

// A view is a result document set out for a reader; every format but JSON and CSV is written from it.
type view struct {
	Doc      *assay.Document
	Sections []*section
	Grid     *gridView
	Phase    *phaseView
	Across   []acrossView
	Notes    []string // warnings of the run as a whole
}

// A section is what was measured on one model and one suite.
type section struct {
	Index        int
	Model, Suite string // as shown
	At           string // path of the section in the document
	Alone        bool   // the only section of the run
	Calibration  bool   // the built-in model, about a fictional world
	Tau          string
	Greedy       bool

	Wrong, Unattempted            fig // of the answers to the default prompt: the headline
	H, SS, Accuracy, Stays, Moves fig
	Level                         string
	Key                           []fig
	Outcomes                      *outcomesView
	Implied                       *impliedView // what the check of the graders implies for the wrong answers
	Rubric                        *rubricView
	Consistency                   *consistencyView
	Sampled                       *sampledView
	Families                      *familiesView
	Contrast                      []fig
	ContrastWarnings              []string
	Posterior                     *posteriorView
	Rate                          fig // the posterior rate
	Classes                       []groupTable
	Confusion                     []confusionMap
	Detection                     *detectionView
	Audit                         *auditView
	Plain                         []*plainView // judged by a model, paraphrases, added methods
	Joint                         *jointView
	Equality                      *equalityView
	Designed                      []designedRow
	Findings                      []findingView
	Unscored                      []assay.Unscored
	Rows                          assay.CaseTable
}

// Both reports whether both axes were measured.
func (s *section) Both() bool { return s.Rubric != nil && s.Consistency != nil }

// Beside are the figures that stand beside hallucination where sections are compared.
func (s *section) Beside() []fig { return []fig{s.SS, s.Accuracy, s.Stays, s.Moves} }

// NothingGraded reports whether answers came back and none could be graded.
func (s *section) NothingGraded() bool {
	return s.Outcomes != nil && s.Outcomes.Ungradable == s.Outcomes.N
}

// StabilityOnly reports whether there is a stability figure with no accuracy to stand beside it.
func (s *section) StabilityOnly() bool { return s.SS.OK && !s.Accuracy.OK }

// stability is semantic stability, with the level that it reaches.
func (s *section) stability() fig {
	f := s.SS
	if s.Level != "" {
		f.Label += ", " + s.Level
	}
	return f
}

// figs are the figures on draws that stand beside those of greedy answers.
func (v *sampledView) figs() (figs []fig) {
	if v == nil {
		return nil
	}
	for _, r := range v.Rows {
		if r.Label == "ambiguity" && r.Drawn.OK {
			figs = append(figs, r.Drawn.named(fmt.Sprintf("differs over %d draws", v.Draws)))
		}
	}
	for _, f := range []fig{v.Entropy, v.Unseen} {
		if f.OK {
			figs = append(figs, f)
		}
	}
	return figs
}

// A figTable is a table of figures plotted on one scale.
type figTable struct {
	Caption, Head, Value string
	Scale                scale
	Figs                 []fig
}

type consistencyView struct {
	Questions     int
	Variants      string
	Decoding      string
	Means, More   []fig
	Brief         []fig // of More, what stands beside stability in every form: its shares, its least, ambiguity, the floor
	Taxonomy      figTable
	Terms         *termsView
	Sweep         *sweepView
	Quadrants     figTable
	Declined      fig // the declined part of the stable errors
	Warnings      []string
	FloorWarnings []string
	FloorNote     string
	bins          []bin
}

type sampledView struct {
	Draws    int
	Rows     []sampledRow
	Entropy  fig // over answers that say the same
	Unseen   fig // consistent where decoded greedily, split where drawn
	Warnings []string
}

type sampledRow struct {
	Label         string
	Greedy, Drawn fig
}

type jointView struct {
	Lede        string
	N, WithGold int
	Scale       scale
	Definitions []fig
	Splits      []splitRow
	Warnings    []string
}

type splitRow struct {
	Label                string
	Failures, Stay, Move fig
}

type designedRow struct {
	Label, Expected                                    string
	N, Factual, Error, Randomness, Declined, Split, As fig
	Unseen                                             fig // consistent where decoded greedily, split where drawn
}

type findingView struct {
	Sentence, Advice, Path string
	Warnings               []string
}

func newFindings(t tree, key string) (all []findingView) {
	for i := range t.Items(key) {
		f := t.sub(key, strconv.Itoa(i))
		all = append(all, findingView{Visible(f.Text("sentence")), Visible(f.Text("advice")), Visible(f.Text("path")), f.texts("warnings")})
	}
	return all
}

// newView sets out a document.
func newView(a *assay.Assay) *view {
	t := newTree(a.Document)
	v := &view{Doc: &a.Document, Notes: t.texts("run", "warnings"), Grid: newGrid(t, a.Document.Models, a.Document.Run.Suites), Phase: newPhase(t), Across: newAcross(t, a.Document.Run.Suites)}
	for mi, m := range a.Document.Models {
		at := t.sub("models", strconv.Itoa(mi))
		add := func(name string, t tree) {
			s := newSection(t, m, name, &a.Document, a.Cases.Of(m.Model, name))
			s.Index = len(v.Sections)
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
		s.Alone = len(v.Sections) == 1
		s.place()
	}
	return v
}

// IsPocket reports whether a model reference names the built-in calibration model.
func isPocket(ref string) bool {
	ref = strings.TrimSuffix(ref, " (guarded)")
	return ref == "pocket" || strings.HasPrefix(ref, "pocket:") || strings.HasPrefix(ref, "pocket@")
}

func newSection(t tree, m assay.ModelResult, suite string, d *assay.Document, rows assay.CaseTable) *section {
	s := &section{
		Model: oneLine(m.Model), Suite: oneLine(suite), At: Visible(strings.Join(t.At(), ".")), Calibration: isPocket(m.Model),
		Tau: strconv.FormatFloat(d.Run.Tau, 'f', -1, 64), Greedy: m.Greedy, Rows: rows,
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
	s.Wrong = t.fig("wrong answers", share, "err", "rubric", "outcomes", "incorrect").lead()
	s.Unattempted = t.fig("not attempted", share, "rnd", "rubric", "outcomes", "not_attempted")
	s.H = t.fig("rubric failure rate (H)", share, "err", "rubric", "hallucination").cases("verdict=hallucinated").lead()
	s.SS = t.fig("semantic stability", mean, "ink", "consistency", "semantic_stability").lead().ranged(t, "consistency", "range", "semantic_stability")
	s.Level = t.Text("consistency", "robustness_level")
	s.Accuracy = t.fig("accuracy over variants", mean, "ok", "consistency", "accuracy").ranged(t, "consistency", "range", "accuracy")
	tax := func(label, tone, key string) fig {
		return t.fig(label, share, tone, "consistency", "taxonomy", key).
			interval(t, "consistency", "taxonomy_intervals", key).cases("category="+key).ranged(t, "consistency", "range", "taxonomy", key)
	}
	factual := tax("right, whatever the wording", "ok", "prompt_agnostic_factual").note("prompt-agnostic factual")
	s.Stays = tax("wrong, whatever the wording", "err", "prompt_agnostic_error").note("prompt-agnostic error")
	s.Moves = tax("moves with the wording", "rnd", "randomness").note("randomness, right or wrong")
	s.Key = s.keyFigures(t)
	if !s.Calibration { // the check is of answers about the true world, and what pocket gets wrong was put there
		s.Implied = newImplied(t)
	}
	if t.Has("rubric") {
		s.Outcomes = s.newOutcomes(t)
		s.Rubric = newRubric(t, s.H)
		s.Classes = groups(t)
		s.Confusion = confusionMaps(t)
	}
	s.Audit, s.Plain = newAudit(t), parts(append([]*plainView{newJudge(t), newParaphrases(t)}, newMeasured(t)...)...)
	if t.Has("consistency") {
		s.Consistency = s.newConsistency(t, factual)
	}
	if t.Has("consistency_sampled") {
		s.Sampled = newSampled(t)
	}
	s.Detection = newDetection(t)
	s.Families, s.Contrast, s.ContrastWarnings = newFamilies(t), commonly(t), t.texts("contrast", "perplexity", "warnings")
	s.Equality = newEquality(t)
	if s.Posterior = newPosterior(t); s.Posterior != nil && len(s.Posterior.Figs) > 0 && s.Posterior.Figs[0].Lead {
		s.Rate = s.Posterior.Figs[0]
	}
	if t.Has("joint") {
		s.Joint = newJoint(t)
	}
	s.Designed = newDesigned(t)
	s.Findings = newFindings(t, "findings")
	return s
}

// keyFigures are the readings at the top: what a board looks at first.
// Each says of what it is: the outcomes are of one answer a question, the others of all variants.
func (s *section) keyFigures(t tree) []fig {
	of := "of " + count(t.Whole("rubric", "outcomes", "n"), "answer") + " to the default prompt"
	over := count(t.Whole("consistency", "questions"), "question") + ", all variants"
	level := over
	if s.Level != "" {
		level = s.Level + "; " + over
	}
	var key []fig
	for _, f := range []fig{
		s.Wrong.note(of), s.Unattempted.note(of), s.SS.named("semantic stability").note(level), s.Accuracy.named("accuracy over variants").toned("").note(over),
		s.Stays.named("stable and wrong").note(over), s.Moves.named("random").note(over),
	} {
		if f.OK {
			key = append(key, f)
		}
	}
	return key
}

// place tells every figure which section it stands in, so that its link finds the cases.
func (s *section) place() {
	put := func(figs []fig) {
		for i := range figs {
			figs[i].section = s.Index
		}
	}
	if r := s.Rubric; r != nil {
		put(r.Axes.Figs)
		put(r.Kinds.Figs)
	}
	if c := s.Consistency; c != nil {
		put(c.Taxonomy.Figs)
	}
	for _, g := range s.Classes {
		for i := range g.Rows {
			g.Rows[i].Wrong.section = s.Index
		}
	}
}

// Labels of figures that summaries put into one line.
const (
	leastStable = "the least that stability can be"
	sameAgain   = "the same prompt again agrees"
)

func (s *section) newConsistency(t tree, factual fig) *consistencyView {
	c := &consistencyView{
		Questions: t.Whole("consistency", "questions"), Decoding: "greedy decoding",
		Warnings: t.texts("consistency", "warnings"), FloorWarnings: t.texts("repeat_agreement", "warnings"),
	}
	if !s.Greedy {
		c.Decoding = "the model’s own default decoding, as it refuses temperature 0"
	}
	lo, hi := t.Whole("consistency", "variants", "min"), t.Whole("consistency", "variants", "max")
	c.Variants = fmt.Sprintf("%d wordings each", hi)
	if lo != hi {
		c.Variants = fmt.Sprintf("%d to %d wordings each", lo, hi)
	}
	accuracy := s.Accuracy.note("mean over variants; the default prompt alone " + t.fig("", mean, "", "consistency", "accuracy", "default").Text())
	if !s.Accuracy.OK {
		accuracy = accuracy.note("not measured: no gold answers")
	}
	level := s.SS.note("no level stated")
	if s.Level != "" {
		level = s.SS.note("level: " + s.Level)
	}
	c.Means = []fig{level, accuracy}
	if factual.OK || s.Stays.OK || s.Moves.OK {
		c.Taxonomy = figTable{Head: "share of questions", Value: "share", Figs: []fig{factual, s.Stays, s.Moves}}
		c.Taxonomy.Scale = scaleFor(c.Taxonomy.Figs...)
	}
	c.Terms, c.Sweep, c.Quadrants = newTerms(t), newSweep(t), quadrants(t)
	decomposed := func(label string, u unit, key, what string) fig {
		return t.fig(label, u, "ink", "consistency", "decomposition", key).interval(t, "consistency", "decomposition_intervals", key).note(what)
	}
	c.Declined = t.fig("declined", share, "err", "consistency", "declined", "of_prompt_agnostic_error").note("share of the stable errors that decline to answer")
	ambiguous := t.fig("ambiguity", share, "ink", "consistency", "ambiguity").ranged(t, "consistency", "range", "ambiguity").note("questions with at least two different answers; grows with the number of wordings")
	below := t.fig("consistency below 0.5", share, "ink", "consistency", "pc_below_0.5").interval(t, "consistency", "pc_intervals", "below_0.5").note("questions with no answer given by half of the wordings")
	most := t.fig("consistency at least 0.8", share, "ink", "consistency", "pc_at_least_0.8").interval(t, "consistency", "pc_intervals", "at_least_0.8").note("questions with one answer given by four fifths of the wordings")
	more := []fig{
		c.Declined.named("declined, of the stable errors").note("declined to answer whatever the wording"),
		t.fig("self-consistency", mean, "ink", "consistency", "self_consistency").ranged(t, "consistency", "range", "self_consistency").note("chance that two wordings of a question agree"),
		ambiguous,
		t.fig(fmt.Sprintf("ambiguity at %d variants", t.Whole("consistency", "ambiguity_at_r", "r")), share, "ink", "consistency", "ambiguity_at_r").note("expected of so many of the variants, to compare with other runs"),
		below, most,
		t.fig("overstatement", share, "ink", "consistency", "overstatement").note("accuracy of the default prompt above what is right whatever the wording"),
		decomposed("mode error", share, "mode_error", "questions whose most common answer is wrong"),
		decomposed("error, over variants", mean, "error", "bias² + variance"),
		decomposed("bias²", mean, "bias_squared", ""),
		decomposed("variance", mean, "variance", ""),
	}
	more = append(more, documentFigs(t)...)
	least := t.fig(leastStable, mean, "ink", "consistency", "pc_floor").note("mean over questions of 1/k, k the variants scored")
	again := t.fig("the identical prompt agrees with itself", share, "ink", "repeat_agreement", "agreement").
		note(fmt.Sprintf("the floor: %s asked %d times", count(t.Whole("repeat_agreement", "cases"), "question"), t.Whole("repeat_agreement", "repeats")))
	for _, f := range []fig{below, most, least, ambiguous, again.named(sameAgain)} {
		if f.OK {
			c.Brief = append(c.Brief, f)
		}
	}
	for _, f := range append(more, least, again,
		t.fig("unscored answers", tally, "ink", "consistency", "unscored").note("left out"),
	) {
		if f.OK {
			c.More = append(c.More, f)
		}
	}
	if len(c.Taxonomy.Figs) == 0 { // without gold nothing else says how many questions move
		if f := t.fig("moves with the wording", share, "rnd", "consistency", "prompt_sensitive").note("questions with self-consistency below " + s.Tau); f.OK {
			c.More = append([]fig{f}, c.More...)
		}
	}
	var pcs []float64
	var rs []int
	for _, r := range s.Rows.All() {
		if r.R >= 2 {
			pcs, rs = append(pcs, r.PC), append(rs, r.R)
		}
	}
	c.bins = bins(pcs, rs)
	if len(rs) > 0 {
		c.FloorNote = fmt.Sprintf("The least it can be is 1/%d.", slices.Max(rs))
	}
	return c
}

func newSampled(t tree) *sampledView {
	v := &sampledView{Draws: t.Whole("consistency_sampled", "draws"), Warnings: t.texts("consistency_sampled", "warnings")}
	row := func(label string, u unit, keys ...string) {
		r := sampledRow{Label: label, Greedy: t.fig("", u, "", slices.Concat([]string{"consistency"}, keys)...), Drawn: t.fig("", u, "", slices.Concat([]string{"consistency_sampled"}, keys)...)}
		if len(keys) == 2 && keys[0] == "taxonomy" {
			r.Greedy = r.Greedy.interval(t, "consistency", "taxonomy_intervals", keys[1])
			r.Drawn = r.Drawn.interval(t, "consistency_sampled", "taxonomy_intervals", keys[1])
		}
		if r.Greedy.OK || r.Drawn.OK {
			v.Rows = append(v.Rows, r)
		}
	}
	row("questions", tally, "questions")
	row("semantic stability", mean, "semantic_stability")
	row("accuracy", mean, "accuracy")
	row("self-consistency", mean, "self_consistency")
	row("ambiguity", share, "ambiguity")
	row("right, whatever is drawn", share, "taxonomy", "prompt_agnostic_factual")
	row("wrong, whatever is drawn", share, "taxonomy", "prompt_agnostic_error")
	row("random", share, "taxonomy", "randomness")
	row("predictive entropy", nats, "predictive_entropy")
	v.entropies(t)
	v.Unseen = t.fig("greedy agrees, draws split", share, "rnd", "consistency_sampled", "unseen_by_greedy", "share").
		note("questions whose answers agree over the wordings when decoded greedily, and not over the draws")
	return v
}

func newJoint(t tree) *jointView {
	j := &jointView{
		N: t.Whole("joint", "n"), WithGold: t.Whole("joint", "with_gold"), Warnings: t.texts("joint", "warnings"),
		Lede: "Correctness and consistency of the same questions: which failures call for better knowledge, and which for less chance.",
	}
	def := func(label, key, what string) {
		j.Definitions = append(j.Definitions, t.fig(label, share, "ink", "joint", "hallucination_by_definition", key).interval(t, "joint", "hallucination_by_definition_intervals", key).note(what))
	}
	def("rubric", "rubric", "hallucination testing: the default prompt fails an axis")
	def("prompt-agnostic error", "prompt_agnostic_error", "prompt multiplicity: wrong, and stays wrong")
	def("randomness", "randomness", "prompt multiplicity: moves with the wording")
	def("either", "either", "prompt multiplicity: not reliably right")
	def("variance only", "variance_only", "semantic stability: the variance of the error")
	j.Scale = scaleFor(j.Definitions...)
	for _, axis := range []string{"truth", "decidability", "reciprocity"} {
		j.Splits = append(j.Splits, splitRow{
			Label:    axis,
			Failures: t.fig("", tally, "", "joint", "by_axis", axis, "failures"),
			Stay:     t.fig("", share, "", "joint", "by_axis", axis, "prompt_agnostic").interval(t, "joint", "by_axis", axis, "prompt_agnostic_interval"),
			Move:     t.fig("", share, "", "joint", "by_axis", axis, "random"),
		})
	}
	return j
}

// categories are the words of the taxonomy for a reader.
var categories = map[string]string{
	"prompt_agnostic_factual": "right, stable", "prompt_agnostic_error": "wrong, stable", "randomness": "random", "not_factual": "not right and stable",
}

func newDesigned(t tree) []designedRow {
	list := t.Items("designed")
	var out []designedRow
	for i := range list {
		at := func(u unit, keys ...string) fig {
			return t.fig("", u, "ink", slices.Concat([]string{"designed", strconv.Itoa(i)}, keys)...)
		}
		d := t.sub("designed", strconv.Itoa(i))
		expected := d.Text("expected")
		if word, ok := categories[expected]; ok {
			expected = word
		} else if expected == "" {
			expected = "open"
		}
		out = append(out, designedRow{
			Label: oneLine(d.Text("category")), Expected: oneLine(expected), N: at(tally, "n"),
			Factual: at(tally, "prompt_agnostic_factual"), Error: at(tally, "prompt_agnostic_error"), Randomness: at(tally, "randomness"),
			Declined: at(tally, "declined"), Split: at(share, "sampled_ambiguous"), As: at(share, "as_designed"),
			Unseen: at(share, "unseen_by_greedy"),
		})
	}
	return out
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

// recovered says of how many groups the designed category was recovered, and names the others.
func recovered(rows []designedRow) string {
	of, yes := 0, 0
	var no, open []string
	for _, d := range rows {
		switch {
		case !d.As.OK:
			continue
		case d.As.Lo > .5:
			yes++
		case d.As.Hi < .5:
			no = append(no, d.Label)
		default:
			open = append(open, d.Label)
		}
		of++
	}
	if of == 0 {
		return ""
	}
	s := fmt.Sprintf("Recovered, as most of the group by the whole interval: %d of %s with a design", yes, count(of, "group"))
	if len(no) > 0 {
		s += "; not " + strings.Join(no, ", ")
	}
	if len(open) > 0 {
		s += "; cannot be said of " + strings.Join(open, ", ")
	}
	return s + "."
}
