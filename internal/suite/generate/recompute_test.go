package generate

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// This file computes the gold answers of generated cases again, by another path than the generators': from the text of
// the prompt and the context, and from the world's tables by plain scans. A generator that asks for one thing and takes
// the gold of another fails here.

// TestGold recomputes every gold answer of core, and of a suite from another seed.
func TestGold(t *testing.T) {
	w := world.Earth()
	for _, seed := range []uint64{1, 2} {
		s, _, err := Suite(w, Options{N: 900, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		recomputed(t, w, s)
	}
}

func recomputed(t *testing.T, w *world.World, s *suite.Suite) {
	t.Helper()
	n := map[string]int{}
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		again := recompute[c.Class]
		if again == nil {
			continue
		}
		n[c.Class]++
		for _, prompt := range append([]string{c.Prompt}, c.Phrasings...) {
			if err := again(w, c, prompt); err != nil {
				t.Errorf("%s %v: %v\nprompt: %s\ncontext: %v\noptions: %v\ngold %v %v, oracle %+v", c.ID, c.Tags, err, prompt, c.Context, c.Options, c.Gold.Texts, c.Gold.Option, *c.Oracle)
				break
			}
		}
	}
	for class := range recompute {
		if n[class] == 0 && Count(s).Total(class, "", "") > 0 {
			t.Errorf("%s: nothing was recomputed", class)
		}
	}
}

// recompute holds, by class, what checks a case against one of its waysToAsk.
var recompute = map[string]func(w *world.World, c *suite.Case, prompt string) error{
	"time-shift-role":   againRole,
	"time-shift-policy": againPolicy,
	"conflict-rag":      againConflict,
	"entity-conflation": againConflation,
	"multi-hop":         againHops,
	"ambiguity":         againAmbiguity,
	"false-premise":     againPremise,
	"negation":          againNegation,
}

func tagged(c *suite.Case, tag string) bool { return slices.Contains(c.Tags, tag) }

// line returns the text of a line of the context.
func lineOf(c *suite.Case, id string) string {
	for _, p := range c.Context {
		if p.ID == id {
			return p.Text
		}
	}
	return ""
}

var dayText = regexp.MustCompile(`(\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4})`)

func parseDay(s string) string {
	t, err := time.Parse("2 January 2006", s)
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// A wording is one of the world's own ways to ask for a fact, in small letters, without the subject's date.
type phrasing struct {
	r              *world.Relation
	subject        string
	before, behind string
}

// waysToAsk are those of a world, by subject in small letters, and its true statements in small letters without a stop.
var waysToAsk, trueOf = map[*world.World]map[string][]phrasing{}, map[*world.World]map[string]bool{}

func readWorld(w *world.World) {
	if waysToAsk[w] != nil {
		return
	}
	bySubject, said := map[string][]phrasing{}, map[string]bool{}
	for i := range w.Relations {
		r := &w.Relations[i]
		for _, f := range r.Facts {
			low := strings.ToLower(f.Subject)
			said[strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(r.State, "{subject}", f.Subject), "{value}", f.Value), "."))] = true
			if slices.ContainsFunc(bySubject[low], func(o phrasing) bool { return o.r == r }) {
				continue
			}
			for _, a := range r.Ask {
				before, behind, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(a), "{subject}", low), "{date}")
				bySubject[low] = append(bySubject[low], phrasing{r, f.Subject, strings.Trim(before, " ?.,"), strings.Trim(behind, " ?.,")})
			}
		}
	}
	waysToAsk[w], trueOf[w] = bySubject, said
}

// asksFor finds the relation and the subject that a prompt asks about, by the world's own waysToAsk of its questions;
// of several the one with the longest wording.
func asksFor(w *world.World, prompt string, dated bool) (*world.Relation, string) {
	readWorld(w)
	var best *world.Relation
	subject, length := "", 0
	low := strings.ToLower(prompt)
	for s, ws := range waysToAsk[w] {
		if !strings.Contains(low, s) {
			continue
		}
		for _, k := range ws {
			if k.r.Dated == dated && len(k.before)+len(k.behind) > length && strings.Contains(low, k.before) && strings.Contains(low, k.behind) {
				best, subject, length = k.r, k.subject, len(k.before)+len(k.behind)
			}
		}
	}
	return best, subject
}

func sameTexts(got []string, want ...string) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("gold %q, recomputed %q", got, want)
	}
	return nil
}

func againRole(w *world.World, c *suite.Case, prompt string) error {
	r, subject := asksFor(w, prompt, true)
	if r == nil {
		return fmt.Errorf("no dated relation asks so")
	}
	day := ""
	if m := regexp.MustCompile(`(?i)as of ` + dayText.String()).FindStringSubmatch(prompt); m != nil {
		day = parseDay(m[1])
	}
	if day == "" {
		return fmt.Errorf("no day in the prompt")
	}
	if through := w.Sources[r.Source].Through; through != "" && day > through {
		return fmt.Errorf("asks about %s, and the table ends at %s", day, through)
	}
	var gold []string
	for _, f := range r.Facts {
		if f.Subject == subject && f.From != "" && f.From <= day && (f.Through == "" || day <= f.Through) {
			gold = append(append(gold, f.Value), f.Also...)
		}
	}
	if err := sameTexts(c.Gold.Texts, gold...); err != nil {
		return err
	}
	for _, p := range c.Context {
		if !strings.HasPrefix(p.Text, "Register, ") {
			continue
		}
		days := dayText.FindAllString(p.Text, 2)
		covers := parseDay(days[0]) <= day && (len(days) == 1 || day <= parseDay(days[1]))
		if covers != slices.Contains(c.Oracle.Lines, p.ID) || covers == slices.Contains(c.Oracle.Distractors, p.ID) {
			return fmt.Errorf("line %s covers the day: %v", p.ID, covers)
		}
		if covers && !strings.Contains(p.Text, gold[0]) {
			return fmt.Errorf("line %s does not name %s", p.ID, gold[0])
		}
	}
	return nil
}

var (
	banLine     = regexp.MustCompile(`^§ (\d+)\. (No|Any) (.+?) may (.+)\.$`)
	appliesLine = regexp.MustCompile(`^§ \d+\. Section (\d+) applies from (.+)\.$`)
	repealLine  = regexp.MustCompile(`^§ \d+\. Section (\d+) is repealed with effect from (.+)\.$`)
	limitLine   = regexp.MustCompile(`^§ \d+\. From (.+?), (.+) is (\d+) (.+)\.$`)
)

func againPolicy(_ *world.World, c *suite.Case, prompt string) error {
	m := regexp.MustCompile(`(?i)as of ` + dayText.String()).FindStringSubmatch(prompt)
	if m == nil {
		return fmt.Errorf("no day in the prompt")
	}
	day := parseDay(m[1])
	limit, limitFrom, limitID := "", "", ""
	ban, from, until := "", "", ""
	lines := map[string]string{}
	for _, p := range c.Context {
		if m := limitLine.FindStringSubmatch(p.Text); m != nil && strings.Contains(prompt, m[2]) {
			if start := parseDay(m[1]); start <= day && start > limitFrom {
				limit, limitFrom, limitID = m[3], start, p.ID
			}
		} else if m := banLine.FindStringSubmatch(p.Text); m != nil {
			ban = m[4]
			lines["ban"] = p.ID
		} else if m := appliesLine.FindStringSubmatch(p.Text); m != nil {
			from = parseDay(m[2])
			lines["from"] = p.ID
		} else if m := repealLine.FindStringSubmatch(p.Text); m != nil {
			until = parseDay(m[2])
			lines["until"] = p.ID
		}
	}
	switch {
	case tagged(c, "silent-source"):
		for _, ms := range words().Matters {
			for _, m := range ms {
				if !strings.Contains(prompt, m.Silent) {
					continue
				}
				for _, p := range c.Context {
					for _, word := range strings.Fields(m.Silent) {
						if len(word) > 4 && word != "number" && strings.Contains(p.Text, word) {
							return fmt.Errorf("the context speaks of %q", word)
						}
					}
				}
				if !c.Decline {
					return fmt.Errorf("the excerpt is silent, and declining is not right")
				}
				return nil
			}
		}
		return fmt.Errorf("asks for nothing known")
	case ban == "":
		if err := sameTexts(c.Oracle.Lines, limitID); err != nil {
			return err
		}
		return sameTexts(c.Gold.Texts, limit)
	}
	// The prompt speaks of the matter in a noun phrase; a word of it must be the ban's.
	words := strings.Fields(ban)
	if !slices.ContainsFunc(words, func(w string) bool { return len(w) > 4 && strings.Contains(prompt, w[:5]) }) {
		return fmt.Errorf("the ban on %q is not what is asked about", ban)
	}
	if until != "" && day >= until {
		if err := sameTexts(c.Oracle.Lines, lines["until"]); err != nil {
			return err
		}
		return sameTexts(c.Gold.Texts, "No")
	}
	if day < from {
		return fmt.Errorf("asks about a day before the rule")
	}
	return sameTexts(c.Gold.Texts, "Yes")
}

var weakMark = regexp.MustCompile(`(?i)anonymous|rumour|withdrawn|unsigned|unverified|no source`)

func againConflict(w *world.World, c *suite.Case, prompt string) error {
	var sound, weak []string
	for _, p := range c.Context {
		source, _, ok := strings.Cut(p.Text, ": ")
		switch {
		case !ok || slices.ContainsFunc(w.Relations, func(r world.Relation) bool { return strings.HasPrefix(p.Text, strings.Split(r.State, "{")[0]+"x") }):
		case weakMark.MatchString(source):
			weak = append(weak, p.ID)
		case slices.Contains(said("sound-source"), source):
			sound = append(sound, p.ID)
		}
	}
	if len(sound) != 2 || len(weak) == 0 {
		return fmt.Errorf("%d sound lines and %d weak ones", len(sound), len(weak))
	}
	slices.Sort(sound)
	slices.Sort(weak)
	if !slices.Equal(sound, c.Oracle.Lines) || !slices.Equal(weak, c.Oracle.Distractors) {
		return fmt.Errorf("sound lines are %v, weak ones %v", sound, weak)
	}
	gold := c.Gold.Texts[0]
	for _, id := range sound {
		if !strings.Contains(lineOf(c, id), gold) {
			return fmt.Errorf("sound line %s does not hold %q", id, gold)
		}
	}
	for _, id := range weak {
		if strings.Contains(lineOf(c, id), gold) || !strings.Contains(lineOf(c, id), c.Oracle.Reject[0]) {
			return fmt.Errorf("weak line %s holds the gold or not what is rejected", id)
		}
	}
	if r, subject := asksFor(w, prompt, false); r != nil {
		for _, f := range r.Facts {
			if f.Subject == subject {
				return sameTexts(c.Gold.Texts, append([]string{f.Value}, f.Also...)...)
			}
		}
	}
	// Made up: the number that both sound lines share.
	numbers := regexp.MustCompile(`\d+`)
	a, b := numbers.FindAllString(lineOf(c, sound[0]), -1), numbers.FindAllString(lineOf(c, sound[1]), -1)
	if len(a) == 0 || !slices.Equal(a, b) {
		return sameTexts(c.Gold.Texts, workedYear(w, prompt)...)
	}
	return sameTexts(c.Gold.Texts, a[len(a)-1])
}

// workedYear looks up the year of the worked case.
func workedYear(w *world.World, prompt string) []string {
	for _, r := range w.Relations {
		for _, f := range r.Facts {
			if strings.HasPrefix(f.Subject, "World IPv6 Launch") && strings.Contains(prompt, "World IPv6 Launch") && r.Value == "year" {
				return []string{f.Value}
			}
		}
	}
	return nil
}

func againConflation(w *world.World, c *suite.Case, prompt string) error {
	if !c.Decline {
		return fmt.Errorf("declining is not right")
	}
	if title := regexp.MustCompile(`“(.+)”`).FindStringSubmatch(prompt); title != nil {
		for _, k := range w.Works {
			if k.Title != title[1] {
				continue
			}
			for _, a := range k.Authors {
				if strings.Contains(prompt, a) {
					return fmt.Errorf("%s did write it", a)
				}
				if !slices.Contains(c.Oracle.Repair, a) {
					return fmt.Errorf("the author %s puts nothing right", a)
				}
			}
			return nil
		}
		return fmt.Errorf("no work of that title")
	}
	if tagged(c, "rare-entity") {
		return againNobody(w, c, prompt)
	}
	return againFact(w, c, prompt)
}

// againNobody reads the name behind what it is called and looks for it in all that the world names.
func againNobody(w *world.World, c *suite.Case, prompt string) error {
	m := regexp.MustCompile(`the (?:physicist|mathematician|jurist|physician|painter|composer|author|town of|drug|software package|software maker) ((?:[A-Z]\.|[^ .,:]+)(?: (?:[A-Z&][^ .,:]*\.?))*)`).FindStringSubmatch(prompt)
	if m == nil {
		return fmt.Errorf("no name is asked about")
	}
	name := strings.TrimRight(m[1], ".")
	if len(c.Oracle.Repair)+len(c.Oracle.Accept) > 0 {
		return fmt.Errorf("something is right of %q", name)
	}
	var known []string
	for _, r := range w.Relations {
		for _, f := range r.Facts {
			known = append(append(known, f.Subject, f.Value), f.Also...)
		}
	}
	for _, k := range w.Works {
		known = append(append(append(known, k.Title), k.Authors...), k.Twins...)
	}
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return fmt.Errorf("the world knows %q", name)
		}
	}
	if tagged(c, "near-twin") {
		given, _, _ := strings.Cut(name, " ")
		if !slices.ContainsFunc(w.Works, func(k world.Work) bool { return len(k.Authors) > 0 && strings.HasPrefix(k.Authors[0], given+" ") }) {
			return fmt.Errorf("nobody whom the world knows is called %s", given)
		}
	}
	return nil
}

// againFact finds the fact whose value a prompt exchanges: a relation and a subject that it names, and a value of
// another subject.
func againFact(w *world.World, c *suite.Case, prompt string) error {
	for i := range w.Relations {
		r := &w.Relations[i]
		name := strings.TrimPrefix(r.Name, "the ")
		stated := strings.Split(strings.TrimSuffix(strings.ReplaceAll(r.State, "{subject}", "{value}"), "."), "{value}")
		for _, f := range r.Facts {
			if f.Value != c.Oracle.Repair[0] || !strings.Contains(prompt, f.Subject) {
				continue
			}
			says := strings.Contains(prompt, "the "+name+" of "+f.Subject)
			if !says {
				says = true
				for _, part := range stated {
					says = says && strings.Contains(strings.ToLower(prompt), strings.ToLower(part))
				}
			}
			if !says {
				continue
			}
			rest := strings.ReplaceAll(prompt, f.Subject, "")
			for _, v := range append([]string{f.Value}, f.Also...) {
				if regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(v) + `\b`).MatchString(rest) {
					return fmt.Errorf("the prompt says %q, which is true", v)
				}
			}
			for _, o := range r.Facts {
				if o.Subject != f.Subject && strings.Contains(rest, o.Value) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("no fact of the world is exchanged in it")
}

// stepWords read a sentence of a story: what it does to the quantity, by its verbs.
var stepWords = []struct {
	is  *regexp.Regexp
	mul func(v *big.Rat) *big.Rat // nil where it adds
	add int64
}{
	{regexp.MustCompile(`(?:grown|raised|stretched|increased|larger|longer|rose|more than that)[^.]*? by ([\d,]+) %|is ([\d,]+) % (?:larger|longer)|([\d,]+) % more`), func(v *big.Rat) *big.Rat { return percent(v, 1) }, 0},
	{regexp.MustCompile(`(?:cut|lowered|fell|sank) by ([\d,]+) %|([\d,]+) % (?:of|smaller)`), func(v *big.Rat) *big.Rat { return percent(v, -1) }, 0},
	{regexp.MustCompile(`multiplied by ([\d,]+)|([\d,]+) times`), func(v *big.Rat) *big.Rat { return v }, 0},
	{regexp.MustCompile(`divided by ([\d,]+)|(?:divided into|among|over|into) ([\d,]+) (?:equal|boxes|queues|files)`), func(v *big.Rat) *big.Rat { return new(big.Rat).Inv(v) }, 0},
	{regexp.MustCompile(`([\d,]+) (?:newcomers|visitors more|patients more)|grant of ([\d,]+)|piece of ([\d,]+)|([\d,]+) [a-z]+(?: of sand)? (?:are|were) (?:put in|added|appended)|larger than the one before by ([\d,]+)|given ([\d,]+)`), nil, 1},
	{regexp.MustCompile(`([\d,]+) (?:inhabitants moved|visitors fewer|patients fewer)|([\d,]+) crowns were taken|([\d,]+) [a-z]+ are (?:cut off|taken out|cancelled|removed)|reduced by ([\d,]+)|smaller than the one before by ([\d,]+)|sold ([\d,]+)`), nil, -1},
}

func percent(v *big.Rat, sign int64) *big.Rat {
	p := new(big.Rat).Quo(v, big.NewRat(100*sign, 1))
	return p.Add(p, big.NewRat(1, 1))
}

func number(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(strings.ReplaceAll(s, ",", ""))
	return r
}

func againHops(w *world.World, c *suite.Case, prompt string) error {
	switch {
	case tagged(c, "world-chain"):
		return againChain(w, c, prompt)
	case tagged(c, "world-sum"):
		return againSum(w, c, prompt)
	case tagged(c, "code"):
		return againCode(c, prompt)
	}
	// The story begins with its first sentence that holds a number and no percent.
	sentences := regexp.MustCompile(`[^.?]+[.?]`).FindAllString(prompt, -1)
	var x *big.Rat
	var steps []string
	for _, s := range sentences {
		low := s
		if regexp.MustCompile(`(?i)steps|words`).MatchString(low) {
			break
		}
		if x == nil {
			if m := regexp.MustCompile(`(?: had | at | is | weighs | with | dose of | treated | owned | holds | has )([\d,]+)`).FindStringSubmatch(low); m != nil {
				x = number(m[1])
			}
			continue
		}
		done := false
		for _, k := range stepWords {
			m := k.is.FindStringSubmatch(low)
			if m == nil {
				continue
			}
			var v *big.Rat
			for _, g := range m[1:] {
				if g != "" {
					v = number(g)
				}
			}
			if k.mul != nil {
				x = new(big.Rat).Mul(x, k.mul(v))
			} else {
				x = new(big.Rat).Add(x, v.Mul(v, big.NewRat(k.add, 1)))
			}
			steps = append(steps, x.FloatString(0))
			done = true
			break
		}
		if !done && regexp.MustCompile(`\d`).MatchString(low) {
			return fmt.Errorf("a sentence is no step: %q", s)
		}
	}
	if x == nil {
		return fmt.Errorf("no first value")
	}
	if m := regexp.MustCompile(`in the end, in ([a-z]+)`).FindStringSubmatch(prompt); m != nil {
		var from, to *world.Unit
		for i := range w.Units {
			if w.Units[i].Plural == m[1] {
				to = &w.Units[i]
			}
			if regexp.MustCompile(`(?:is|weighs) [\d,]+ ` + regexp.QuoteMeta(w.Units[i].Plural) + `\b`).MatchString(prompt) {
				from = &w.Units[i]
			}
		}
		if from == nil || to == nil || from.Dimension != to.Dimension {
			return fmt.Errorf("the units are not the world's, or of two dimensions")
		}
		if from != to {
			x = x.Mul(x, number(from.Factor))
			x = x.Quo(x, number(to.Factor))
			places, _ := x.FloatPrec()
			steps = append(steps, x.FloatString(places))
		}
	}
	if !slices.Equal(steps, c.Oracle.Steps) {
		return fmt.Errorf("steps %v, recomputed %v", c.Oracle.Steps, steps)
	}
	if c.Requires.Steps != len(steps) || !strings.Contains(prompt, " "+strconv.Itoa(len(steps))+" steps") {
		return fmt.Errorf("%d steps asked for, %d there are", c.Requires.Steps, len(steps))
	}
	return sameTexts(c.Gold.Texts, steps[len(steps)-1])
}

// againCode runs the program of a prompt, line by line, and takes n's value wherever a part of the first column ends.
func againCode(c *suite.Case, prompt string) error {
	_, rest, ok := strings.Cut(prompt, "\n\n    ")
	program, _, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		return fmt.Errorf("no program")
	}
	var n, i int
	run := func(line string) error {
		m := regexp.MustCompile(`^n = (n )?(?:(\+|-|\*|//) )?(\d+|i)$`).FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("no statement: %q", line)
		}
		v := i
		if m[3] != "i" {
			v, _ = strconv.Atoi(m[3])
		}
		switch m[2] {
		case "":
			n = v
		case "+":
			n += v
		case "-":
			n -= v
		case "*":
			n *= v
		case "//":
			if n%v != 0 {
				return fmt.Errorf("%d // %d leaves something", n, v)
			}
			n /= v
		}
		return nil
	}
	lines := strings.Split(program, "\n")
	var steps []string
	printed := ""
	for at := 0; at < len(lines); at++ {
		line := strings.TrimPrefix(lines[at], "    ")
		inner := func(k int) string { return strings.TrimPrefix(lines[at+k], "        ") }
		var err error
		switch {
		case line == "print(n)":
			printed = strconv.Itoa(n)
			continue
		case strings.HasPrefix(line, "for i in range("):
			turns, _ := strconv.Atoi(line[len("for i in range(") : len(line)-2])
			for i = 0; i < turns && err == nil; i++ {
				err = run(inner(1))
			}
			at++
		case strings.HasPrefix(line, "if n > "):
			limit, _ := strconv.Atoi(line[len("if n > ") : len(line)-1])
			if n > limit {
				err = run(inner(1))
			} else {
				err = run(inner(3))
			}
			at += 3
		default:
			err = run(line)
		}
		if err != nil {
			return err
		}
		steps = append(steps, strconv.Itoa(n))
	}
	if !slices.Equal(steps[1:], c.Oracle.Steps) || c.Requires.Steps != len(steps)-1 || !strings.Contains(prompt, " "+strconv.Itoa(len(steps)-1)+" steps") {
		return fmt.Errorf("steps %v, run again %v", c.Oracle.Steps, steps)
	}
	return sameTexts(c.Gold.Texts, printed)
}

func againSum(w *world.World, c *suite.Case, prompt string) error {
	var r *world.Relation // the one that the prompt names; of several the one with the longest name
	for i := range w.Relations {
		if o := &w.Relations[i]; o.Value == "number" && strings.Contains(prompt, o.Name) && (r == nil || len(o.Name) > len(r.Name)) {
			r = o
		}
	}
	if r == nil {
		return fmt.Errorf("no relation of numbers is named")
	}
	total := new(big.Rat)
	for _, f := range r.Facts {
		if regexp.MustCompile(`(?:of|over|,|and) ` + regexp.QuoteMeta(f.Subject) + `(?:,| and|\.|\?| in | \d|: )`).MatchString(strings.Split(prompt, "steps")[0] + " ") {
			total.Add(total, number(f.Value))
		}
	}
	return sameTexts(c.Gold.Texts, total.FloatString(0))
}

func againChain(w *world.World, c *suite.Case, prompt string) error {
	// The subject is the one that has a value of the prompt in one relation that the prompt names; the gold is its
	// value in another that it names.
	for _, r := range w.Relations {
		if !strings.Contains(prompt, r.Name) || r.Dated {
			continue
		}
		for _, f := range r.Facts {
			if !regexp.MustCompile(`(?i)(?:^|[ "])`+regexp.QuoteMeta(f.Value)+`(?:$|[ ?.,"])`).MatchString(prompt) || strings.Contains(prompt, f.Subject) {
				continue
			}
			for _, o := range w.Relations {
				if o.Name == r.Name || o.Dated || !strings.Contains(prompt, o.Name) {
					continue
				}
				for _, g := range o.Facts {
					if g.Subject == f.Subject && o.Subject == r.Subject && g.Value == c.Gold.Texts[0] {
						return sameTexts(c.Gold.Texts, append([]string{g.Value}, g.Also...)...)
					}
				}
			}
		}
	}
	return fmt.Errorf("no chain of the world leads to the gold")
}

func againAmbiguity(w *world.World, c *suite.Case, prompt string) error {
	for _, h := range w.Homonyms {
		if !strings.Contains(strings.ToLower(prompt), strings.ToLower(h.Asked)) {
			continue
		}
		var values []string
		for _, b := range h.Bearers {
			values = append(values, b.Value)
		}
		return sameTexts(c.Oracle.Readings, values...)
	}
	// Made up: the two lines that begin alike and name what the prompt names.
	var values []string
	for _, p := range c.Context {
		m := regexp.MustCompile(`(.+?), the (.+?)[,;] .*?(\d+)`).FindStringSubmatch(p.Text)
		if m == nil {
			continue
		}
		words := strings.Fields(m[1])
		if strings.Contains(prompt, words[len(words)-1]) {
			values = append(values, m[3])
		}
	}
	readings := slices.Clone(c.Oracle.Readings)
	slices.Sort(readings)
	slices.Sort(values)
	if len(values) < 2 || values[0] == values[1] {
		return fmt.Errorf("one reading only: %v", values)
	}
	return sameTexts(readings, values...)
}

func againPremise(w *world.World, c *suite.Case, prompt string) error {
	if !c.Decline {
		return fmt.Errorf("declining is not right")
	}
	low := strings.ToLower(prompt)
	for _, p := range w.Premises {
		if strings.Contains(low, strings.ToLower(p.Asked)) {
			if !slices.Equal(p.Repair, c.Oracle.Repair) || !slices.Equal(p.Follows, c.Oracle.Reject) {
				return fmt.Errorf("the world repairs by %q", p.Repair)
			}
			return nil
		}
	}
	for _, l := range w.Lists {
		if !strings.Contains(prompt, l.Name) {
			continue
		}
		for n, o := range said("ordinals") {
			if strings.Contains(prompt, "the "+o+" ") {
				if n <= len(l.Items) {
					return fmt.Errorf("the list has a %s member", o)
				}
				if !slices.Contains(c.Oracle.Repair, "only "+strconv.Itoa(len(l.Items))) {
					return fmt.Errorf("the list has %d members", len(l.Items))
				}
				return nil
			}
		}
	}
	return againFact(w, c, prompt)
}

func againNegation(w *world.World, c *suite.Case, prompt string) error {
	var right int
	var err error
	switch {
	case tagged(c, "sets"):
		right, err = againSets(c, prompt)
	case tagged(c, "quantifiers"):
		right, err = againSyllogism(c, prompt)
	default:
		right, err = againStatements(w, c, prompt)
	}
	if err != nil {
		return err
	}
	if c.Gold.Option == nil || *c.Gold.Option != right {
		return fmt.Errorf("recomputed option %d", right)
	}
	return nil
}

// only returns the one option for which ok holds.
func only(c *suite.Case, ok func(option string) bool) (int, error) {
	right := -1
	for i, o := range c.Options {
		if !ok(o) {
			continue
		}
		if right >= 0 {
			return 0, fmt.Errorf("options %d and %d are both right", right, i)
		}
		right = i
	}
	if right < 0 {
		return 0, fmt.Errorf("no option is right")
	}
	return right, nil
}

var (
	asksNotAlways = regexp.MustCompile(`not necessarily|need not|does not follow|can fail|not guaranteed|not entailed|not warranted|cannot be inferred`)
	asksNever     = regexp.MustCompile(`cannot be true|never holds|impossible|always false|ruled out|never true|contradicts`)
	asksAlways    = regexp.MustCompile(`cannot fail|never false|in no case be false|has no exception|not allow a counterexample`)
)

// decide turns how often an option holds into whether the question asks for it.
func decide(prompt string, always, ever bool) (bool, error) {
	switch {
	case asksAlways.MatchString(prompt):
		return always, nil
	case asksNever.MatchString(prompt):
		return !ever, nil
	case asksNotAlways.MatchString(prompt):
		return !always, nil
	}
	return false, fmt.Errorf("asks for nothing known")
}

// setTerm reads A, B, A ∩ B, A ∪ B, A \ B, ∅ as a set of five elements.
func setTerm(s string, a, b uint) (uint, bool) {
	switch strings.TrimSpace(s) {
	case "A":
		return a, true
	case "B":
		return b, true
	case "∅":
		return 0, true
	case "A ∩ B":
		return a & b, true
	case "A ∪ B":
		return a | b, true
	case `A \ B`:
		return a &^ b, true
	case `B \ A`:
		return b &^ a, true
	}
	return 0, false
}

// setHolds reads a statement about A and B in symbols or words.
func setHolds(s string, a, b uint) (bool, error) {
	if l, r, ok := strings.Cut(s, " and "); ok && !strings.HasPrefix(s, "|") {
		x, err := setHolds(l, a, b)
		if err != nil {
			return false, err
		}
		y, err := setHolds(r, a, b)
		return x && y, err
	}
	s = strings.TrimSuffix(s, " for finite sets A and B")
	switch s {
	case "every element of A is an element of B":
		return a&b == a, nil
	case "every element of B is an element of A":
		return a&b == b, nil
	case "some element of B is not in A":
		return a&b != b, nil
	case "the complement of B is a subset of the complement of A":
		return (31^b)&(31^a) == 31^b, nil
	}
	for _, op := range []string{" = ", " ≠ ", " ⊆ ", " ⊊ ", " ≤ ", " ≥ ", " > "} {
		l, r, ok := strings.Cut(s, op)
		if !ok {
			continue
		}
		if strings.HasPrefix(l, "|") {
			x, ok1 := setTerm(strings.Trim(l, "|"), a, b)
			y, ok2 := setTerm(strings.Trim(r, "|"), a, b)
			n, m := count(x), count(y)
			return map[string]bool{" ≤ ": n <= m, " ≥ ": n >= m, " > ": n > m}[op], when2(ok1 && ok2, s)
		}
		x, ok1 := setTerm(l, a, b)
		y, ok2 := setTerm(r, a, b)
		return map[string]bool{" = ": x == y, " ≠ ": x != y, " ⊆ ": x&y == x, " ⊊ ": x&y == x && x != y}[op], when2(ok1 && ok2, s)
	}
	return false, fmt.Errorf("no statement about sets: %q", s)
}

func when2(ok bool, s string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("no terms of sets: %q", s)
}

func count(s uint) (n int) {
	for i := range 5 {
		n += int(s >> i & 1)
	}
	return n
}

func againSets(c *suite.Case, prompt string) (int, error) {
	m := regexp.MustCompile(`(?:true if |fail if |Let |Assume that |If |Given |holds? if )(.+?)(?:\?|\.|, which)`).FindStringSubmatch(prompt)
	if m == nil {
		return 0, fmt.Errorf("no premise found")
	}
	premise := m[1]
	if i := strings.LastIndex(premise, " if "); i >= 0 {
		premise = premise[i+4:]
	}
	return onlyDecided(c, prompt, func(o string) (always, ever bool, err error) {
		always = true
		for a := range uint(32) {
			for b := range uint(32) {
				if ok, err := setHolds(premise, a, b); err != nil || !ok {
					if err != nil {
						return false, false, err
					}
					continue
				}
				h, err := setHolds(o, a, b)
				if err != nil {
					return false, false, err
				}
				always, ever = always && h, ever || h
			}
		}
		return always, ever, nil
	})
}

// onlyDecided returns the one option that the prompt asks for, by whether each holds in every model of the premises and
// whether in any.
func onlyDecided(c *suite.Case, prompt string, holds func(option string) (always, ever bool, err error)) (int, error) {
	var fault error
	right, err := only(c, func(o string) bool {
		always, ever, err := holds(o)
		is := false
		if err == nil {
			is, err = decide(prompt, always, ever)
		}
		if err != nil {
			fault = err
		}
		return is
	})
	if fault != nil {
		return 0, fault
	}
	return right, err
}

var quantified = regexp.MustCompile(`(All|No|Some) ([a-z]+) are (not )?([a-z]+)`)

// againSyllogism tries every way in which four individuals can have the three properties.
func againSyllogism(c *suite.Case, prompt string) (int, error) {
	premises := quantified.FindAllStringSubmatch(prompt, -1)
	if len(premises) != 2 {
		return 0, fmt.Errorf("%d premises", len(premises))
	}
	var names []string
	for _, p := range premises {
		for _, n := range []string{p[2], p[4]} {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if len(names) != 3 {
		return 0, fmt.Errorf("terms %v", names)
	}
	holds := func(s []string, who [4]int) bool {
		x, y := slices.Index(names, s[2]), slices.Index(names, s[4])
		both, without := 0, 0
		for _, w := range who {
			if w>>x&1 == 1 {
				if w>>y&1 == 1 {
					both++
				} else {
					without++
				}
			}
		}
		switch {
		case s[1] == "All":
			return without == 0
		case s[1] == "No":
			return both == 0
		case s[3] != "":
			return without > 0
		}
		return both > 0
	}
	var models [][4]int
	for i := range 4096 {
		who := [4]int{i & 7, i >> 3 & 7, i >> 6 & 7, i >> 9 & 7}
		if who[0]|who[1]|who[2]|who[3] == 7 && holds(premises[0], who) && holds(premises[1], who) {
			models = append(models, who)
		}
	}
	return onlyDecided(c, prompt, func(o string) (always, ever bool, err error) {
		s := quantified.FindStringSubmatch(o)
		if s == nil {
			return false, false, fmt.Errorf("no statement: %q", o)
		}
		always = true
		for _, who := range models {
			h := holds(s, who)
			always, ever = always && h, ever || h
		}
		return always, ever, nil
	})
}

func againStatements(w *world.World, c *suite.Case, prompt string) (int, error) {
	wantTrue := regexp.MustCompile(`is not false|are false|called untrue|are wrong|not strike`).MatchString(prompt)
	readWorld(w)
	return only(c, func(o string) bool { return trueOf[w][strings.ToLower(o)] == wantTrue })
}
