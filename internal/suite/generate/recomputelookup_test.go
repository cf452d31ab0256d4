package generate

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

func readWorld(w *world.World) {
	if waysToAsk[w] != nil {
		return
	}
	bySubject, said := map[string][]phrasing{}, map[string]bool{}
	for i := range w.Relations {
		r := &w.Relations[i]
		for _, f := range r.Facts {
			low := strings.ToLower(f.Subject)
			said[strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(r.State, "{subject}", f.Subject),
				"{value}", f.Value), "."))] = true
			if slices.ContainsFunc(bySubject[low], func(o phrasing) bool { return o.r == r }) {
				continue
			}
			for _, a := range r.Ask {
				before, behind, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(a), "{subject}", low), "{date}")
				bySubject[low] = append(bySubject[low], phrasing{r, f.Subject, strings.Trim(before, " ?.,"),
					strings.Trim(behind, " ?.,")})
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
			if k.r.Dated == dated && len(k.before)+len(k.behind) > length && strings.Contains(low, k.before) &&
				strings.Contains(low, k.behind) {
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
		case !ok || slices.ContainsFunc(w.Relations, func(r world.Relation) bool {
			return strings.HasPrefix(p.Text, strings.Split(r.State, "{")[0]+"x")
		}):
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
			if strings.HasPrefix(f.Subject, "World IPv6 Launch") && strings.Contains(prompt, "World IPv6 Launch") &&
				r.Value == "year" {
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
		if !slices.ContainsFunc(w.Works, func(k world.Work) bool {
			return len(k.Authors) > 0 && strings.HasPrefix(k.Authors[0], given+" ")
		}) {
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
