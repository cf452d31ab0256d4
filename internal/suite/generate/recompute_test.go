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

	"hallmark/internal/archtest"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// This file computes the gold answers of generated cases again, by another path than the generators': from the text of
// the prompt and the context, and from the world's tables by plain scans. A generator that asks for one thing and takes
// the gold of another fails here.

// TestGold recomputes every gold answer of core, and of a suite from another seed.
func TestGold(t *testing.T) {
	w := world.Earth()
	for _, seed := range []uint64{1, 2}[:archtest.Draws(1, 2, 2)] {
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
				t.Errorf("%s %v: %v\nprompt: %s\ncontext: %v\noptions: %v\ngold %v %v, oracle %+v", c.ID, c.Tags, err, prompt,
					c.Context, c.Options, c.Gold.Texts, c.Gold.Option, *c.Oracle)
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

// stepWords read a sentence of a story: what it does to the quantity, by its verbs.
var stepWords = []struct {
	is  *regexp.Regexp
	mul func(v *big.Rat) *big.Rat // nil where it adds
	add int64
}{
	{regexp.MustCompile(`(?:grown|raised|stretched|increased|larger|longer|rose|more than that)[^.]*? by ([\d,]+) %|is ([\d,]+) % (?:larger|longer)|([\d,]+) % more`), func(v *big.Rat) *big.Rat {
		return percent(v, 1)
	}, 0},
	{regexp.MustCompile(`(?:cut|lowered|fell|sank) by ([\d,]+) %|([\d,]+) % (?:of|smaller)`), func(v *big.Rat) *big.Rat {
		return percent(v, -1)
	}, 0},
	{regexp.MustCompile(`multiplied by ([\d,]+)|([\d,]+) times`), func(v *big.Rat) *big.Rat { return v }, 0},
	{regexp.MustCompile(`divided by ([\d,]+)|(?:divided into|among|over|into) ([\d,]+) (?:equal|boxes|queues|files)`),
		func(v *big.Rat) *big.Rat {
			return new(big.Rat).Inv(v)
		}, 0},
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
	if !slices.Equal(steps[1:], c.Oracle.Steps) || c.Requires.Steps != len(steps)-1 ||
		!strings.Contains(prompt, " "+strconv.Itoa(len(steps)-1)+" steps") {
		return fmt.Errorf("steps %v, run again %v", c.Oracle.Steps, steps)
	}
	return sameTexts(c.Gold.Texts, printed)
}

func againSum(w *world.World, c *suite.Case, prompt string) error {
	var r *world.Relation // the one that the prompt names; of several the one with the longest name
	for i := range w.Relations {
		if o := &w.Relations[i]; o.Value == "number" && strings.Contains(prompt, o.Name) &&
			(r == nil || len(o.Name) > len(r.Name)) {
			r = o
		}
	}
	if r == nil {
		return fmt.Errorf("no relation of numbers is named")
	}
	total := new(big.Rat)
	for _, f := range r.Facts {
		if regexp.MustCompile(`(?:of|over|,|and) ` + regexp.QuoteMeta(f.Subject) +
			`(?:,| and|\.|\?| in | \d|: )`).MatchString(strings.Split(prompt, "steps")[0] + " ") {
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
			if !regexp.MustCompile(`(?i)(?:^|[ "])`+regexp.QuoteMeta(f.Value)+`(?:$|[ ?.,"])`).MatchString(prompt) ||
				strings.Contains(prompt, f.Subject) {
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
