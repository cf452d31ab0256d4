package generate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

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
		return map[string]bool{" = ": x == y, " ≠ ": x != y, " ⊆ ": x&y == x, " ⊊ ": x&y == x && x != y}[op],
			when2(ok1 && ok2, s)
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
