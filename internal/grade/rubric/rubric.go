// Package rubric turns an answer into a grade on the four axes: it has the case's oracle read it, and applies the
// rules that the case's class and tags bear. Source: Hallucination Testing, 2025, with this project's readings
// where it is silent.
package rubric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/lists"
	"hallmark/internal/base/pattern"
	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/identifier"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
	"hallmark/internal/text/secret"
)

// compiled is a case made ready.
type compiled struct {
	brief
	c        *suite.Case
	at       int           // its place in the suite
	oracle   oracle.Oracle // nil where the case has neither oracle nor gold
	asOf     quantity.Date
	date     string             // precision of the date asked for, "" if none
	passages []quotation.Source // the context
	held     func() *held       // which few answers are held against
	tones    [][]string         // what may not be said, whatever is true

	sourceless bool // no source is asked for or given, so what an answer cites is no part of its value
	authored   bool // it would be so, but the case asks who wrote something: what is cited may be the answer
	counted    bool // a gold has digits
	lettered   bool // a gold has letters
}

// held is what the prompts, the context and the reference answers of a case hold.
type held struct {
	told     []quotation.Source // context and prompts
	question map[string]bool    // words of the prompts
	words    map[string]bool    // words of prompts, system prompt, context and accepted answers
	known    []quantity.Date    // dates of these
	ids      map[string]bool    // identifiers that an answer may name: of the oracle, the prompt and the context
	named    []string           // they, but for addresses, and what is accepted, as they stand in addresses
	address  bool               // an address is among what is accepted
}

func compile(s *suite.Suite, c *suite.Case, asOf quantity.Date, steps int64) (*compiled, error) {
	k := &compiled{brief: brief{settings: shared(s.Settings(c))}, c: c, asOf: asOf, date: askedDate(c)}
	spec := *c
	if s.ExactMatch(c) {
		spec.Match = suite.Exact
	}
	if bears(c, "instruction-conflict") && c.Oracle != nil {
		// What is rejected there is a tone, which reciprocity judges; facts decide truth.
		for o := range c.Oracle.All() {
			k.tones = append(k.tones, evidence.Phrases(o.Reject)...)
		}
		facts := c.Oracle.Changed(func(o *suite.Oracle) { o.Reject = nil })
		spec.Oracle = &facts
	}
	if c.Oracle != nil || !c.Gold.IsZero() || c.Decline {
		o, err := oracle.New(&spec, asOf, steps)
		if err != nil {
			return nil, err
		}
		if bears(c, "ambiguity") && !c.Oracle.Has("clarification") {
			o = oracle.Ambiguous(&spec, o)
		}
		k.oracle, k.Gradable, k.Golds = o, true, o.Golds()
		answers := o.Answerable() && !bears(c, declinable...)
		k.Answerable = answers && !bears(c, "false-premise")
		k.Acts = !answers || bears(c, mismatched...)
		source := func(p evidence.Passage) quotation.Source { return quotation.NewSource(p.ID, p.Text) }
		k.passages, k.held = lists.Map(c.Context, source), sync.OnceValue(k.gather)
		all := strings.Join(k.Golds, " ")
		k.sourceless, k.counted = sourceless(c, k.Golds, "asks sources"), strings.ContainsAny(all, "0123456789")
		k.authored = !k.sourceless && sourceless(c, k.Golds, "asks works")
		k.lettered = strings.IndexFunc(all, unicode.IsLetter) >= 0
	}
	return k, nil
}

// sourceless reports whether a case neither gives nor asks for sources, by the words of a list, and no gold or option
// is written as a citation is.
func sourceless(c *suite.Case, golds []string, asks string) bool {
	for o := range c.Oracle.All() {
		if !slices.Contains([]string{"", "exact", "numeric", "calc", "choice", "temporal", "all", "any"}, o.Type) {
			return false
		}
	}
	prompts := append([]string{c.Prompt, c.System}, c.Phrasings...)
	return c.Requires.IsZero() && c.Format.IsZero() && len(c.Context) == 0 && !c.Decline &&
		!slices.ContainsFunc(prompts, func(p string) bool { return holdsAny(p, asks) }) &&
		!strings.ContainsAny(strings.Join(slices.Concat(golds, c.Options), ""), "[](){}【/")
}

// gather collects what the prompts, the context and the reference answers hold.
func (k *compiled) gather() *held {
	prompts := append([]string{k.c.Prompt}, k.c.Phrasings...)
	golds, texts := k.Golds, append(prompts, k.c.System)
	for o := range k.c.Oracle.All() {
		golds = slices.Concat(golds, o.Accept)
		for _, text := range slices.Concat(o.Accept, o.Reject) {
			if o.Type == "identifier" { // what the index lists of other things is wrong, and not made up
				texts = append(texts, o.Kind+": "+text)
			}
		}
	}
	texts = append(texts, golds...)
	for _, p := range k.c.Context {
		texts = append(texts, p.ID, p.Text)
	}
	told := lists.Map(prompts, func(p string) quotation.Source { return quotation.NewSource("", p) })
	h := &held{told: slices.Concat(k.passages, told), question: words(prompts...), words: words(texts...),
		ids: map[string]bool{}}
	for _, text := range texts {
		h.known = append(h.known, quantity.Dates(text)...)
		for _, id := range identifier.Find(text) {
			h.ids[id.Key] = true
			if id.Kind != "url" {
				h.named = append(h.named, bare(id.Key))
			}
		}
	}
	for _, gold := range golds {
		h.named = append(h.named, bare(gold))
		h.address = h.address || strings.Contains(gold, "://")
	}
	return h
}

// words returns the words of texts, and their forms.
func words(texts ...string) map[string]bool {
	all := map[string]bool{}
	for _, text := range texts {
		for _, w := range evidence.Phrase(text) {
			all[w], all[form(w)] = true, true
		}
	}
	return all
}

// askedDate returns the precision of the date that the case requires or, in a case of time shift, its prompt asks for.
func askedDate(c *suite.Case) string {
	if c.Requires.Date != "" || !bears(c, timeShift...) {
		return c.Requires.Date
	}
	for _, precision := range []string{"month", "day", "year"} {
		if holdsAny(c.Prompt, "asks "+precision) {
			return precision
		}
	}
	return ""
}

// holdsAny reports whether a text holds a phrase of that sense, in capitals or not; phrases may begin with a blank.
func holdsAny(text, sense string) bool {
	text = " " + strings.ToLower(text)
	for p := range evidence.Listed(sense) {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// Gradable reports whether the case has something to grade by: an oracle, a gold, or that declining is right.
func (r *Rubric) Gradable(c *suite.Case) bool { return r.of(c).Gradable }

// Answerable reports whether the case calls for an answer, so that declining, asking or putting a premise right is
// over-refusal.
func (r *Rubric) Answerable(c *suite.Case) bool { return r.of(c).Answerable }

// Settings returns the switches that hold for a case.
func (r *Rubric) Settings(c *suite.Case) suite.Settings { return *r.of(c).settings }

// References returns the texts that the oracle of the case accepts, as they are written; none where it lists none.
func (r *Rubric) References(c *suite.Case) []string {
	return slices.DeleteFunc(slices.Clone(r.of(c).Golds), func(g string) bool { return g == oracle.AcceptedByJudge })
}

// Golds returns the forms that count as right where answers to the case are compared over variants under rel, ""
// for the case's Equality: every text that the oracle accepts, in the form of Grade.Normal, and answer.RightAct
// where not answering can be right.
func (r *Rubric) Golds(c *suite.Case, rel answer.Relation) (golds []answer.Form) {
	k := r.of(c)
	for _, g := range k.Golds {
		if n := oracle.Normal(cmp.Or(rel, Relation(c)), g); !n.IsZero() && !slices.Contains(golds, n) {
			golds = append(golds, n)
		}
	}
	if k.Acts {
		golds = append(golds, answer.RightAct)
	}
	return golds
}

// HasFormat reports whether the case asks for a structure, a date or steps.
func HasFormat(c *suite.Case) bool {
	return !c.Format.IsZero() || c.Requires.Steps > 0 || askedDate(c) != ""
}

// Relation returns the relation under which answers to the case are compared by default: numbers by value, else by
// words.
func Relation(c *suite.Case) answer.Relation {
	if c.AnswerType == suite.Numeric || c.Oracle != nil && (c.Oracle.Type == "numeric" || c.Oracle.Type == "calc") {
		return answer.Numeric
	}
	return answer.Normalized
}

// read reads the text of an answer, or of the option that it prefers: false where there is no such option.
func read(c *suite.Case, a grade.Answer) (oracle.Reading, bool) {
	text, ok := "", true
	if a.Option == nil {
		text = *a.Text
	} else if ok = *a.Option >= 0 && *a.Option < len(c.Options); ok {
		text = c.Options[*a.Option]
	}
	return oracle.Reading{Text: evidence.Read(text), Option: a.Option, Order: a.Order, Opinions: a.Opinions}, ok
}

// Grade grades one answer to a case of the suite. It never fails: what cannot be graded is unscored with its reason.
func (r *Rubric) Grade(c *suite.Case, a grade.Answer) grade.Grade {
	k := r.ready(c)
	g := k.byRules(c, a, r.Contract)
	if asked, ok := r.asked(k, c, a, g); ok {
		return r.byJudges(k, c, a, g, asked)
	}
	return g
}

// Own returns what of the text of an answer to the case is the model's own turn, false where all of it is: it may run
// on and write the next question, by the labels of the prompt too (evidence.Own). Judges and programs are given the
// whole text.
func Own(c *suite.Case, text string) (own string, ran bool) {
	if !evidence.MayRunOn(text) || c.Oracle.Has("judge") || c.Oracle.Has("program") {
		return text, false
	}
	var labels, told []string
	if c.Form == suite.InputLabel {
		labels = append(labels, "input")
	}
	for _, p := range append([]string{c.Prompt}, c.Phrasings...) {
		if all := promptLabel.FindAllStringSubmatch(p, -1); len(all) > 1 &&
			strings.HasSuffix(strings.TrimSpace(p), ":") {
			labels = append(labels, strings.ToLower(all[0][1])) // a text to continue, behind the label of the answer
		}
		told = append(told, promptLabel.ReplaceAllString(p, "\n"))
	}
	told = append(told, c.Gold.Texts...)
	for o := range c.Oracle.All() {
		told = append(told, o.Accept...)
	}
	return evidence.Own(text, labels, strings.Join(told, "\n"))
}

// promptLabel is a label at the beginning of a line of a prompt.
var promptLabel = pattern.New(`(?m)^[ \t]*([A-Za-z][A-Za-z ]{0,23}):`, ":")

// restates reports whether a turn puts the question of the case once more.
func restates(c *suite.Case, turn string) bool {
	question, _, asks := strings.Cut(turn, "?")
	_, question, labelled := strings.Cut(question, ":")
	question = strings.ToLower(strings.TrimSpace(question))
	return asks && labelled && question != "" && strings.Contains(strings.ToLower(c.Prompt), question)
}

// byRules grades an answer without the judges that are asked of outcomes. Where a model ran on, its own turn alone
// decides: if that cannot be graded, the answer cannot, but where what follows is the question that was asked.
func (k *compiled) byRules(c *suite.Case, a grade.Answer, contract bool) grade.Grade {
	if a.Option == nil && a.Text != nil && k.oracle != nil {
		if own, ran := Own(c, *a.Text); ran {
			cut := a
			cut.Text = &own
			g := k.byText(c, cut, contract)
			if g.Outcome() == grade.CannotGrade && restates(c, (*a.Text)[min(len(own), len(*a.Text)):]) {
				return k.byText(c, a, contract)
			}
			g.Truth.Evidence += "; what the model writes for the next turn is left out"
			if HasFormat(c) {
				g.Format = k.byText(c, a, contract).Format
			}
			return g
		}
	}
	return k.byText(c, a, contract)
}

// byText grades a text: under a contract by its last line, where that has the answer.
func (k *compiled) byText(c *suite.Case, a grade.Answer, contract bool) grade.Grade {
	switch why := a.Missing(); {
	case k.oracle == nil:
		return unscored("the suite has no such case, or it has neither an oracle nor a gold")
	case why != "":
		return unscored(why)
	}
	x, ok := read(c, a)
	if !ok {
		return unscored(fmt.Sprintf("option %d is preferred, of %d", *a.Option, len(c.Options)))
	}
	core, says := x, ""
	if contract && a.Option == nil {
		if says, ok = prompt.Contracted(*a.Text); ok {
			core.Text = evidence.Read(says)
		}
	}
	f, sure := k.value(core, cmp.Or(says, *cmp.Or(a.Text, new(string))))
	if !sure {
		const rule = "whether a part is the answer or its source cannot be told"
		return k.partial(rule, "“"+evidence.Excerpt(x.Plain, 120)+"”", x.Text)
	}
	if f.Unscored() {
		return unscoredBy(f.Truth.Rule, f.Truth.Evidence)
	}
	if a.Finish == "length" && (f.Act == grade.Unreadable || f.Act == grade.Empty || core.Open) {
		return unscored("cut off at the token limit before an answer")
	}
	if a.Option == nil {
		k.apply(core.Text, &f)
	}
	if core.Text != x.Text {
		k.invents(x.Text, &f) // in the prose before the line
	}
	f.Format, f.Normal, f.Grader, f.Confidence = k.format(x.Text, f), k.normal(f), "rules", cmp.Or(f.Confidence, 1)
	f.Kind = k.kind(f)
	switch wrong := f.Outcome() != grade.Correct; {
	case wrong && Blotted(c, a):
		return k.partial("a key was blotted out of the answer", secret.Mark, x.Text)
	case wrong && core.Cut:
		return k.partial("the answer is too long to be read whole",
			fmt.Sprintf("more than %d bytes", 2*evidence.Limit), x.Text)
	}
	return f.Grade
}

// value judges an answer without what it cites, which is no part of its value unless the case is of sources: false
// where a part that may be a source or the answer would decide between right and not.
func (k *compiled) value(x oracle.Reading, text string) (f oracle.Ruling, sure bool) {
	if x.Option != nil || !k.sourceless && !k.authored {
		return oracle.Judge(k.oracle, x), true
	}
	judged := func(text string) oracle.Ruling {
		y := x
		y.Text = evidence.Read(text)
		return oracle.Judge(k.oracle, y)
	}
	decides := func(unsourced string) bool { // what was taken off makes the answer right
		o := judged(unsourced).Outcome()
		return o == grade.Incorrect || o == grade.NotAttempted
	}
	if k.authored {
		f = oracle.Judge(k.oracle, x)
		unsourced := evidence.Unsourced(evidence.Uncited(text, true, k.counted))
		return f, f.Outcome() != grade.Correct || unsourced == text || !decides(unsourced)
	}
	bare := evidence.Uncited(text, true, k.counted)
	if bare == text {
		f = oracle.Judge(k.oracle, x)
	} else {
		f = judged(bare)
	}
	switch f.Outcome() {
	case grade.Incorrect:
		marked := evidence.Uncited(text, false, k.counted)
		return f, marked == bare || !k.lettered || judged(marked).Outcome() != grade.Correct
	case grade.Correct:
		if unsourced := evidence.Unsourced(bare); unsourced != bare {
			return f, !decides(unsourced)
		}
	}
	return f, true
}

// Value returns the text of an answer to the case from which its value is read, where no grader names one: the model's
// own turn without what it cites.
func Value(c *suite.Case, text string) string {
	own, _ := Own(c, text)
	if sourceless(c, c.Answers(), "asks sources") {
		own = evidence.Uncited(own, true, true)
	}
	return own
}

// Blotted reports whether a key was blotted out of the text of an answer: secret.Mark stands in it, and nowhere in
// the question. What stood there is not known, and a key that came with a folder can be made of right answers.
func Blotted(c *suite.Case, a grade.Answer) bool {
	if a.Option != nil || a.Text == nil || !strings.Contains(*a.Text, secret.Mark) {
		return false
	}
	asked := append(lists.Map(c.Context, func(p evidence.Passage) string { return p.Text }), c.Prompt, c.System)
	asked = append(asked, c.Phrasings...)
	return !slices.ContainsFunc(asked, func(text string) bool { return strings.Contains(text, secret.Mark) })
}

// partial is the grade of an answer of which not all is known, where what is known of it is not right.
func (k *compiled) partial(rule, ev string, text *evidence.Text) grade.Grade {
	j := grade.Ungradable.By(rule, ev)
	g := grade.Grade{Truth: j, Decidability: j, Reciprocity: j, Act: grade.Unreadable, Normal: answer.Ungradable,
		Grader: "rules", Confidence: 1}
	g.Format = k.format(text, oracle.Ruling{Grade: g})
	return g
}

func unscored(why string) grade.Grade {
	g := unscoredBy("nothing to grade", why)
	g.Reason = why
	return g
}

// kind sorts a failure by what the answer did.
func (k *compiled) kind(f oracle.Ruling) grade.Kind {
	h, _ := f.Hallucinated(k.settings.FormatIsGating)
	switch {
	case !h:
		return grade.None
	case asserts(f.Act):
		return grade.Commission
	case k.Answerable && !f.Right && unsaid[f.Act] == answer.Declined:
		return grade.OverRefusal
	}
	return grade.Undecided
}

// asserts reports whether an act is to say something, right or wrong.
func asserts(a grade.Act) bool {
	return a == grade.Answered || a == grade.Enumerated || a == grade.Repaired
}

// unsaid are the forms of answers that say nothing, as compared over variants.
var unsaid = map[grade.Act]answer.Form{
	grade.Declined: answer.Declined, grade.Asked: answer.Declined, grade.Empty: answer.Empty,
}

// normal returns the answer as compared over variants.
func (k *compiled) normal(f oracle.Ruling) answer.Form {
	if f.Right {
		return answer.RightAct
	}
	return cmp.Or(unsaid[f.Act], oracle.Normal(Relation(k.c), f.Answer), answer.Ungradable)
}
