package suite

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/stat/figure"
	"hallmark/internal/text/quantity"
)

// MaxShown is the largest number of options that letters can name.
const MaxShown = 26

// Check reports the first fault of a suite that was made, not read; Read and Parse check what they read by the same
// rules. It may normalize weights, with a warning.
func (s *Suite) Check() error {
	if err := s.checkHeader(func(string) string { return fmt.Sprintf("suite %q", s.Name) }); err != nil {
		return err
	}
	cases := s.Cases
	if cases.Len() == 0 {
		return fmt.Errorf("suite %q has no cases", s.Name)
	}
	before := newBefore()
	place := func(i int) string {
		if p := cases.At(i).Place; p != "" {
			return p
		}
		return fmt.Sprintf("case %d (%q)", i+1, cases.ID(i))
	}
	for i, c := range cases.Pass() {
		err := s.checkCase(c, i, before, func(string) string { return place(i) })
		if err != nil {
			return err
		}
	}
	return cmp.Or(s.checkAliases(place), s.checkCluster(fmt.Sprintf("suite %q", s.Name)))
}

// checkHeader checks all but the cases. At gives the place of a key.
func (s *Suite) checkHeader(at func(key string) string) error {
	if s.AsOf != "" {
		if _, err := time.Parse(time.DateOnly, s.AsOf); err != nil {
			return fmt.Errorf("%s: as_of is %q; want a date as 2026-11-01", at("as_of"), s.AsOf)
		}
	}
	if s.Match != "" && !slices.Contains(Matches, s.Match) {
		return fmt.Errorf("%s: %s", at("match"), unknownMatch(s.Match))
	}
	for _, class := range slices.Sorted(maps.Keys(s.ByClass)) {
		if !slices.Contains(Classes, class) {
			return fmt.Errorf("%s: unknown class %q in by_class; %s", at("by_class"), class,
				strictyaml.Suggest(class, Classes))
		}
	}
	if err := s.normalize(s.Weights, at("weights"), "weights"); err != nil {
		return err
	}
	for _, by := range []struct {
		key string
		m   map[string]Switches
	}{{"by_class", s.ByClass}, {"by_tag", s.ByTag}} {
		for _, name := range slices.Sorted(maps.Keys(by.m)) {
			if err := s.normalize(by.m[name].Weights, at(by.key), fmt.Sprintf("weights of %s", name)); err != nil {
				return err
			}
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(s.Designed)) {
		if d := s.Designed[tag]; d != "" && !slices.Contains(Designs, d) {
			return fmt.Errorf("%s: unknown design %q of tag %q; %s", at("designed"), d, tag,
				strictyaml.Suggest(d, Designs))
		}
	}
	return nil
}

// normalize scales weights to a sum of 1 and says so.
func (s *Suite) normalize(w *Weights, at, what string) error {
	if w == nil {
		return nil
	}
	sum := w.Truth + w.Decidability + w.Reciprocity
	if w.Truth < 0 || w.Decidability < 0 || w.Reciprocity < 0 || !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("%s: %s must not be negative nor all zero", at, what)
	}
	if math.Abs(sum-1) > 1e-9 {
		w.Truth, w.Decidability, w.Reciprocity = w.Truth/sum, w.Decidability/sum, w.Reciprocity/sum
		s.warnf("%s: %s sum to %s and were scaled to truth %s, decidability %s, reciprocity %s", at, what,
			figure.Digits(sum, 4), figure.Fixed(w.Truth, 4), figure.Fixed(w.Decidability, 4),
			figure.Fixed(w.Reciprocity, 4))
	}
	return nil
}

// Bounds of tags: results have some 3 kB of figures for each, in every format.
const (
	maxTags     = 5000 // of a suite
	maxCaseTags = 100  // of one case
)

// before is what the cases before one hold.
type before struct {
	first map[string]int // the case that has an id
	tags  map[string]bool
}

func newBefore() *before { return &before{map[string]int{}, map[string]bool{}} }

// checkCase checks a case, the i-th, and its id and tags against those of the cases before. At gives the place of a key
// of it.
func (s *Suite) checkCase(c *Case, i int, b *before, at func(key string) string) error {
	if first, twice := b.first[c.ID]; twice {
		where := fmt.Sprintf("case %d", first+1)
		if p := s.Cases.At(first).Place; p != "" {
			where = "the case at " + p
		}
		return fmt.Errorf("%s: id %q is taken by %s; ids must differ", at("id"), c.ID, where)
	}
	b.first[c.ID] = i
	if key, text := c.fault(s.ExactMatch(c)); text != "" {
		return fmt.Errorf("%s: %s", at(key), text)
	}
	for _, tag := range c.Tags {
		if b.tags[tag] = true; len(b.tags) > maxTags {
			const format = "%s: tag %q is one more than the %d different tags that a suite can have; " +
				"every tag has figures of its own: give groups of cases a tag, not each case"
			return fmt.Errorf(format, at("tags"), tag, maxTags)
		}
	}
	return nil
}

// fault returns the first fault of a case and the key it belongs to; an empty text means that there is none. Exact
// says whether the gold matches as it is written only.
func (c *Case) fault(exact bool) (key, text string) {
	textFault := func() (key, text string) { return c.textFault(exact) }
	aliasFault := func() (key, text string) { return c.aliasFault(exact) }
	for _, f := range []func() (key, text string){
		c.wordsFault, c.lengthFault, c.promptFault, c.contextFault, c.optionsFault, c.goldFault, textFault,
		c.formatFault, c.oracleFault, aliasFault,
	} {
		if key, text := f(); text != "" {
			return key, text
		}
	}
	return "", ""
}

// wordsFault checks the keys whose values come from a list.
func (c *Case) wordsFault() (key, text string) {
	if strings.TrimSpace(c.ID) == "" {
		return "id", "no id; every case needs one of its own"
	}
	if strings.TrimSpace(c.Prompt) == "" {
		return "prompt", fmt.Sprintf("case %q has no prompt", c.ID)
	}
	for _, f := range []struct {
		key, what, value string
		known            []string
	}{
		{"class", "class", c.Class, Classes},
		{"domain", "domain", c.Domain, Domains},
		{"difficulty", "difficulty", c.Difficulty, Difficulties},
		{"answer_type", "answer_type", string(c.AnswerType), names(Choice, Numeric, Short, Prose)},
		{"form", "form", string(c.Form), names(Forms...)},
		{"requires", "requires.date", c.Requires.Date, []string{"year", "month", "day"}},
	} {
		if f.value != "" && !slices.Contains(f.known, f.value) {
			return f.key, fmt.Sprintf("unknown %s %q; %s", f.what, f.value, strictyaml.Suggest(f.value, f.known))
		}
	}
	if c.Match != "" && !slices.Contains(Matches, c.Match) {
		return "match", unknownMatch(c.Match)
	}
	if n := len(c.Tags); n > maxCaseTags {
		return "tags", fmt.Sprintf("%d tags, a case can have %d", n, maxCaseTags)
	}
	for i, tag := range c.Tags {
		if strings.TrimSpace(tag) == "" || slices.Contains(c.Tags[:i], tag) {
			return "tags", fmt.Sprintf("tag %q is empty or given twice", tag)
		}
	}
	return "", ""
}

// promptFault checks phrasings and demonstrations.
func (c *Case) promptFault() (key, text string) {
	firsts := map[string]int{}
	for i, p := range c.Phrasings {
		first, twice := firsts[p]
		firsts[p] = i
		switch {
		case strings.TrimSpace(p) == "":
			return "phrasings", fmt.Sprintf("phrasing %d is empty", i+1)
		case p == c.Prompt:
			return "phrasings", fmt.Sprintf("phrasing %d repeats the prompt, which is a variant already", i+1)
		case twice:
			return "phrasings", fmt.Sprintf("phrasing %d repeats phrasing %d", i+1, first+1)
		}
	}
	for i, d := range c.Demonstrations {
		if strings.TrimSpace(d.Input) == "" || strings.TrimSpace(d.Label) == "" {
			return "demonstrations", fmt.Sprintf("demonstration %d has no input or no label", i+1)
		}
	}
	if c.Shots > 0 && c.Pool == "" {
		return "shots", "shots are drawn from a pool; name its file under pool"
	}
	if c.Pool == "" {
		return "", ""
	}
	if others := c.Others(c.DrawSize()); c.DrawSize() > others {
		return "pool", fmt.Sprintf("%d demonstrations are to be drawn from a pool of %d; set shots to fewer",
			c.DrawSize(), others)
	}
	return "", ""
}

// IsItself reports whether the input of a demonstration is the question of the case, with or without its options in
// the lines behind it.
func (c *Case) IsItself(input string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(input), strings.TrimSpace(c.Prompt))
	return ok && (rest == "" || c.ShowOptions && rest[0] == '\n')
}

// Others counts the rows of the pool that are not the question itself, and stops at most, as pools can be large and
// cases many.
func (c *Case) Others(most int) int {
	n := 0
	for i := 0; i < len(c.Rows) && n < most; i++ {
		if !c.IsItself(c.Rows[i].Input) {
			n++
		}
	}
	return n
}

// DrawSize is the number of demonstrations to draw from the pool: Shots, else as many as are written, else 16, the
// number of the published few-shot benchmarks.
func (c *Case) DrawSize() int {
	switch {
	case c.Shots > 0:
		return c.Shots
	case len(c.Demonstrations) > 0:
		return len(c.Demonstrations)
	}
	return 16
}

func (c *Case) contextFault() (key, text string) {
	ids := map[string]bool{}
	for i, p := range c.Context {
		if strings.TrimSpace(p.ID) == "" || strings.TrimSpace(p.Text) == "" {
			return "context", fmt.Sprintf("passage %d has no id or no text", i+1)
		}
		if ids[p.ID] {
			return "context", fmt.Sprintf("passage id %q twice; ids must differ, for an answer cites them", p.ID)
		}
		ids[p.ID] = true
	}
	if c.Requires.ContextOnly && len(c.Context) == 0 {
		return "requires", "requires.context_only, but the case has no context"
	}
	return "", ""
}

// optionsFault checks the options.
func (c *Case) optionsFault() (key, text string) {
	firsts := map[string]int{}
	for i, o := range c.Options {
		name := strings.TrimSpace(o)
		if name == "" {
			return "options", fmt.Sprintf("option %d is empty", i)
		}
		if before, twice := firsts[name]; twice {
			return "options", fmt.Sprintf("option %d repeats option %d, %q; options must differ", i, before, o)
		}
		firsts[name] = i
	}
	switch {
	case len(c.Options) == 1:
		return "options", "one option is no choice; want two or more"
	case c.ShowOptions && len(c.Options) == 0:
		return "show_options", "show_options, but the case has no options"
	case c.ShowOptions && len(c.Options) > MaxShown:
		return "options", fmt.Sprintf("%d options to show; letters go to %d", len(c.Options), MaxShown)
	case c.AnswerType == Choice && len(c.Options) == 0:
		return "answer_type", "answer_type choice, but the case has no options"
	}
	return "", ""
}

// goldFault checks the gold.
func (c *Case) goldFault() (key, text string) {
	g := c.Gold
	switch {
	case c.Decline && !g.IsZero():
		return "decline", "decline and gold both; a case has an answer or is rightly declined"
	case g.Option != nil && len(c.Options) == 0:
		return "gold", "gold is an option, but the case has no options"
	case len(c.Options) > 0:
		text = c.choiceFault()
	case c.AnswerType == Numeric:
		for _, t := range slices.Concat(g.Texts, g.All) {
			if _, ok := quantity.Number(t); !ok {
				return "gold", fmt.Sprintf("gold %q is no number, which answer_type numeric asks for", t)
			}
		}
	}
	return "gold", cmp.Or(text, g.fault())
}

// choiceFault checks the gold of a case with options.
func (c *Case) choiceFault() string {
	g := c.Gold
	switch {
	case g.Option != nil && (*g.Option < 0 || *g.Option >= len(c.Options)):
		return fmt.Sprintf("gold is option %d; the options go from 0 to %d", *g.Option, len(c.Options)-1)
	case len(g.All) > 0 || g.isNumber():
		return fmt.Sprintf(
			"gold is %s, but a choice has one option as its gold; want an option's text, or {option: N} from 0", g)
	case len(g.Texts) > 1:
		return fmt.Sprintf("%d golds for a choice, which has one; put other right options under oracle: "+
			"{type: choice, accept: […]}", len(g.Texts))
	case len(g.Texts) == 1:
		if _, ok := c.GoldOption(); !ok {
			return fmt.Sprintf("gold %q is none of the options %s; want an option's text, or {option: N} from 0",
				g.Texts[0], quoteSome(c.Options))
		}
	}
	return ""
}

func quoteSome(texts []string) string {
	const most = 6
	var quoted []string
	for _, t := range texts[:min(len(texts), most)] {
		if len(t) > 60 {
			t = strings.ToValidUTF8(t[:60], "") + "…"
		}
		quoted = append(quoted, strconv.Quote(t))
	}
	s := strings.Join(quoted, ", ")
	if len(texts) > most {
		s += fmt.Sprintf(" and %d more", len(texts)-most)
	}
	return s
}

func (c *Case) formatFault() (key, text string) {
	for _, n := range []struct {
		key   string
		value int
	}{{"requires", c.Requires.Steps}, {"format", c.Format.Bullets}, {"format", c.Format.MaxWords},
		{"format", c.Format.QuoteMinWords}} {
		if n.value < 0 {
			return n.key, fmt.Sprintf("%s has a count below 0", n.key)
		}
	}
	if i := slices.IndexFunc(append(slices.Clone(c.Requires.Facts), c.Format.Labels...), isBlank); i >= 0 {
		return "requires", "an empty text among requires.facts or format.labels"
	}
	return "", ""
}

func unknownMatch(m Match) string {
	return fmt.Sprintf("unknown match %q; there are exact (the gold as it is written) and everyday (the default: "+
		"as people write it)", m)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func names[T ~string](list ...T) (all []string) {
	for _, x := range list {
		all = append(all, string(x))
	}
	return all
}
