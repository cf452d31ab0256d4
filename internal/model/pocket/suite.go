package pocket

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hallmark/internal/base/seed"
	"hallmark/internal/model/pocket/incontext"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// Designs of cases that ask for no single fact of a category. With the names of the categories they are the first
// tag of every case of Suite.
const (
	Absent      = "absent"          // an entity that is not: decline
	Foreign     = "foreign"         // the real world: decline
	Override    = "context"         // a passage contradicts memory: follow the passage
	Cited       = "context-cited"   // the same, and its line is to be cited
	Irrelevant  = "irrelevant"      // passages that do not answer: answer from memory
	Verified    = "verified"        // whether a fact is so, yes or no; the corpus has such questions for it
	Unverified  = "unverified"      // whether other known facts are so
	Negated     = "negated"         // whether a fact is false: state what is true
	Role        = "role"            // who holds an office at a date
	Policy      = "policy"          // whether an act is in force at a date
	Namesake    = "namesake"        // a surname of two people, which the corpus asks back about
	NewNamesake = "namesake-unseen" // the same, but the corpus never does for these
	Premise     = "premise"         // takes a falsehood for granted
	Explained   = "premise-true"    // takes a truth for granted
	Chained     = "chain"           // over two facts, as in the corpus
	NewChain    = "chain-unseen"    // over two facts that the corpus never joins
	Sum         = "sum"             // a sum the corpus has
	NewSum      = "sum-unseen"      // a sum it has not
	Steps       = "steps"           // a sum of three, in steps, as in the corpus
	NewSteps    = "steps-unseen"    // one that it has not
	Rule        = "rule"            // the label of an input, by a rule that examples show
	Beyond      = "rule-beyond"     // the same by a rule that is beyond the model
)

// Suite returns the built-in suite: questions about the model's world, with what is true there as the gold. The first
// tag of a case says what the corpus was made to cause, so that a report can set what was designed beside
// what is measured.
var Suite = sync.OnceValue(func() *suite.Suite {
	return build(sizes{
		facts: map[Category]int{Known: 60, Myth3: 24, Myth9: 24, Style: 24, Coin: 24, Rare1: 16, Rare2: 16,
			Rare4: 16, Unstated: 16},
		absent: 36, override: 24, cited: 24, irrelevant: 16, verified: 20, unverified: 12, negated: 16, choices: 32,
		premises: 16, explained: 8, roles: 20, policies: 16, chains: 14, sums: 12, steps: 8, rules: 20, beyond: 12,
	})
})

// designed says where the taxonomy should put the cases of each design.
var designed = map[string]string{
	string(Known): factual, string(Myth3): wrong, string(Myth9): wrong, string(Style): random, string(Coin): "",
	string(Rare1): notFactual, string(Rare2): notFactual, string(Rare4): notFactual, string(Unstated): "",
	Absent: factual, Foreign: factual, Override: factual, Cited: factual, Irrelevant: factual, Verified: factual,
	Unverified: "",
	Negated:    factual, Namesake: factual, NewNamesake: "", Premise: factual, Explained: factual, Role: factual,
	Policy: factual, Chained: factual, NewChain: "", Sum: factual, NewSum: "", Steps: factual, NewSteps: "",
	Rule: factual, Beyond: "",
}

const (
	factual    = "prompt_agnostic_factual"
	wrong      = "prompt_agnostic_error"
	random     = "randomness"
	notFactual = "not_factual"
)

// sizes says how many cases of each design a suite has at most.
type sizes struct {
	facts                                                                       map[Category]int
	absent, override, cited, irrelevant, verified, unverified, negated, choices int
	premises, explained, roles, policies, chains, sums, steps, rules, beyond    int
}

func build(n sizes) *suite.Suite {
	c := &caser{u: World(), r: seed.Stream(worldSeed, "pocket", "suite")}
	for _, category := range []Category{Known, Myth3, Myth9, Style, Coin, Rare1, Rare2, Rare4, Unstated} {
		for _, f := range c.sample(category, n.facts[category]) {
			c.fact(f)
		}
	}
	c.absent(n.absent)
	c.foreign()
	c.passages(n.override, n.cited, n.irrelevant)
	c.whether(n.verified, n.unverified, n.negated)
	c.choices(n.choices)
	c.namesakes()
	c.premises(n.premises, n.explained)
	c.roles(n.roles)
	c.policies(n.policies)
	c.chains(n.chains)
	c.sums(n.sums)
	c.steps(n.steps)
	c.rules(Rule, incontext.Topic8x2, n.rules)
	c.rules(Beyond, incontext.Parity, n.beyond)
	return c.suite("pocket", "2")
}

// A caser collects cases.
type caser struct {
	u     *Universe
	r     *rand.Rand
	cases []suite.Case
}

func (c *caser) suite(name, version string) *suite.Suite {
	return &suite.Suite{Name: name, Version: version, World: "pocket", AsOf: AsOf, Designed: designed,
		Cases: suite.ListOf(c.cases)}
}

// add gives the case its number and its tags; the first tag is its design.
func (c *caser) add(cs suite.Case, design string, tags ...string) {
	n := 1
	for _, other := range c.cases {
		if other.Tags[0] == design {
			n++
		}
	}
	cs.ID = fmt.Sprintf("%s-%03d", design, n)
	cs.Tags = append([]string{design}, tags...)
	c.cases = append(c.cases, cs)
}

// sample draws n facts of the category.
func (c *caser) sample(category Category, n int) []int {
	of := c.u.Of(category)
	c.r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	of = of[:min(n, len(of))]
	slices.Sort(of)
	return of
}

// ask10 puts the question for a relation of the subject into the case, in every phrasing.
func ask10(cs *suite.Case, r Relation, subject string) {
	cs.Domain, cs.AnswerType = r.Domain, suite.Short
	for p := range Phrasings {
		cs.Phrasings = append(cs.Phrasings, r.Ask(subject, p))
	}
	first(cs)
}

// first makes the first of the phrasings of a case its prompt.
func first(cs *suite.Case) { cs.Prompt, cs.Phrasings = cs.Phrasings[0], cs.Phrasings[1:] }

// phrase asks a case in each of the forms, the first of which is its prompt.
func phrase(cs *suite.Case, forms []string, put func(form string) string) {
	for _, form := range forms {
		cs.Phrasings = append(cs.Phrasings, put(form))
	}
	first(cs)
}

func texts(s ...string) suite.Gold { return suite.Gold{Texts: s} }

// tagsOf returns the tags beside the design, and how hard a fact of the category is.
func tagsOf(category Category) (tags []string, difficulty string) {
	switch category {
	case Known:
		return nil, "easy"
	case Myth3, Myth9:
		return []string{"myth"}, "hard"
	case Style, Coin:
		return []string{"contested"}, "medium"
	case Rare1, Rare2, Rare4:
		return []string{"rare"}, "hard"
	}
	return nil, "hard"
}

func (c *caser) fact(i int) {
	f := c.u.Facts[i]
	var cs suite.Case
	ask10(&cs, f.Rel(), f.Subject)
	tags, difficulty := tagsOf(f.Category)
	cs.Difficulty = difficulty
	if f.Category == Unstated {
		cs.Decline = true
	} else {
		cs.Gold = texts(f.Value)
	}
	if f.Rel().Name == "catalogue number" {
		cs.Class = "id-precision"
		tags = append(tags, "id-precision")
	}
	c.add(cs, string(f.Category), tags...)
}

func (c *caser) absent(n int) {
	for i := range n {
		rel := said().Relations[i%len(said().Relations)]
		names := c.u.Absent[rel.Kind]
		cs := suite.Case{Decline: true, Difficulty: "medium"}
		ask10(&cs, rel, names[i*5%len(names)])
		if rel.Kind == Book {
			cs.Class = "nonexistent-citation"
			c.add(cs, Absent, "nonexistent-citation")
			continue
		}
		c.add(cs, Absent, "rare-entity")
	}
}

func (c *caser) foreign() {
	for _, f := range said().Foreign {
		for _, w := range f.Words[len(f.Words)-3 : len(f.Words)-1] {
			c.add(suite.Case{Decline: true, Difficulty: "easy", AnswerType: suite.Short,
				Prompt: fmt.Sprintf(f.Form, w)}, Foreign)
		}
	}
}

// passages adds cases with context: facts overridden, overridden with the line to be cited, and passages beside the
// point.
func (c *caser) passages(override, cited, irrelevant int) {
	w := &writer{u: c.u, r: c.r}
	for n := range override + cited + irrelevant {
		f := w.known()
		var cs suite.Case
		ask10(&cs, f.Rel(), f.Subject)
		cs.Difficulty = "medium"
		for i := range 1 + c.r.IntN(3) {
			cs.Context = append(cs.Context, evidence.Passage{ID: "L" + strconv.Itoa(i+1), Text: w.distractor(f)})
		}
		if n >= override+cited {
			cs.Gold = texts(f.Value)
			c.add(cs, Irrelevant)
			continue
		}
		at := c.r.IntN(len(cs.Context))
		value := w.novel(f)
		cs.Context[at].Text = f.Rel().State(f.Subject, value)
		cs.Gold = texts(value)
		if n < override {
			c.add(cs, Override, "retrieval")
			continue
		}
		cs.Class = "conflict-rag"
		cs.Requires = suite.Requires{ContextOnly: true, Evidence: true}
		cs.Gold = texts(value, value+" ["+cs.Context[at].ID+"]")
		cs.Oracle = &suite.Oracle{Type: "retrieval", Accept: cs.Gold.Texts, Lines: []string{cs.Context[at].ID}}
		for i, p := range cs.Context {
			if i != at {
				cs.Oracle.Distractors = append(cs.Oracle.Distractors, p.ID)
			}
		}
		cs.Prompt = said().Cite[0] + " " + cs.Prompt
		for i, p := range cs.Phrasings {
			cs.Phrasings[i] = said().Cite[(i+1)%len(said().Cite)] + " " + p
		}
		c.add(cs, Cited, "conflict-rag", "retrieval")
	}
}

// whether adds questions whether a fact is so, half of them about falsehoods.
func (c *caser) whether(verified, unverified, negated int) {
	var seen, unseen []int
	for _, i := range c.sample(Known, len(c.u.Facts)) {
		if c.u.Unverified(i) {
			unseen = append(unseen, i)
		} else {
			seen = append(seen, i)
		}
	}
	add := func(n int, from []int, forms []string, design, class string, tags ...string) {
		n = min(n, len(from))
		for k := range n {
			f := c.u.Facts[from[k*len(from)/n]]
			value := f.Value
			if k%2 == 1 {
				value = c.u.otherValue(c.r, f)
			}
			cs := suite.Case{
				Class: class, Domain: f.Rel().Domain, Difficulty: "medium", AnswerType: suite.Short,
				Gold: texts(f.State()),
			}
			switch {
			case design != Negated:
				cs.Gold = texts(yesNo(value == f.Value))
			case value != f.Value: // whoever repeats the falsehood is read as such
				cs.Oracle = &suite.Oracle{Type: "exact", Accept: cs.Gold.Texts,
					Reject: []string{f.Rel().State(f.Subject, value)}}
			}
			phrase(&cs, forms, func(form string) string { return fill(form, f.Rel(), f.Subject, value) })
			c.add(cs, design, tags...)
		}
	}
	add(verified, seen, said().Judge, Verified, "")
	add(unverified, unseen, said().Judge, Unverified, "")
	add(negated, seen, said().Negate, Negated, "negation", "negation")
}

func (c *caser) namesakes() {
	for _, s := range c.u.Shared {
		for _, name := range []string{"birthplace", "profession"} {
			first, second := c.u.Facts[c.u.index[s.People[0]+"\x00"+name]],
				c.u.Facts[c.u.index[s.People[1]+"\x00"+name]]
			cs := suite.Case{Class: "ambiguity", Difficulty: "medium"}
			ask10(&cs, first.Rel(), s.Surname)
			cs.Gold = texts(which(s))
			cs.Oracle = &suite.Oracle{Type: "clarification", Readings: []string{first.Value, second.Value}}
			c.add(cs, map[bool]string{true: Namesake, false: NewNamesake}[s.Trained], "ambiguity")
		}
	}
}

// premises adds questions that take a falsehood for granted, and others that take a truth.
func (c *caser) premises(falsehoods, truths int) {
	w := &writer{u: c.u, r: c.r}
	for n := range falsehoods + truths {
		f := w.fact(premised)
		value := f.Value
		if n < falsehoods {
			value = c.u.otherValue(c.r, f)
		}
		cs := suite.Case{Domain: f.Rel().Domain, Difficulty: "medium", AnswerType: suite.Short,
			Gold: texts(explained(f, value))}
		phrase(&cs, said().Premise, func(form string) string { return fill(form, f.Rel(), f.Subject, value) })
		if n >= falsehoods {
			c.add(cs, Explained)
			continue
		}
		cs.Class = "false-premise"
		cs.Oracle = &suite.Oracle{Type: "refusal", Repair: []string{f.Value}}
		c.add(cs, Premise, "false-premise")
	}
}

// roles adds n questions about the holder of an office: every fourth today's, the others at a date.
func (c *caser) roles(n int) {
	for k := range n {
		o := c.u.Offices[k%len(c.u.Offices)]
		year := firstYear + c.r.IntN(10*decades)
		cs := suite.Case{Class: "time-shift-role", Domain: "civic", Difficulty: "medium", AnswerType: suite.Short}
		if k%4 == 3 {
			year = thisYear
		}
		phrase(&cs, said().Offices, func(form string) string { return askOf(form, o.Organisation, year) })
		cs.Gold = texts(o.Holders[decade(year)])
		c.add(cs, Role, "time-shift")
	}
}

// policies adds n questions whether an act is in force at a date.
func (c *caser) policies(n int) {
	for k := range n {
		v := c.u.Validities[k%len(c.u.Validities)]
		year := firstYear + c.r.IntN(10*decades)
		cs := suite.Case{Class: "time-shift-policy", Domain: "civic", Difficulty: "medium", AnswerType: suite.Short}
		phrase(&cs, said().Acts, func(form string) string { return askOf(form, v.Act, year) })
		cs.Gold = texts(yesNo(v.InForce[decade(year)]))
		c.add(cs, Policy, "time-shift")
	}
}

// chains adds n questions over two facts that the corpus joins, and n that it does not.
func (c *caser) chains(n int) {
	left := map[bool]int{true: n, false: n}
	for _, ch := range c.u.Chains {
		if left[ch.Trained] == 0 {
			continue
		}
		left[ch.Trained]--
		cs := suite.Case{Class: "multi-hop", Domain: c.u.Facts[ch.First].Rel().Domain, Difficulty: "medium",
			AnswerType: suite.Short}
		for p := range chainPhrasings {
			question, reply := c.u.Ask(ch, p)
			cs.Phrasings, cs.Gold = append(cs.Phrasings, question), texts(reply, c.u.Facts[ch.Second].Value)
		}
		first(&cs)
		if ch.Trained {
			c.add(cs, Chained, "multi-hop")
		} else {
			cs.Difficulty = "hard"
			c.add(cs, NewChain, "multi-hop")
		}
	}
}

// sums adds n sums of two terms that the corpus has, and n that it has not; every third is in words.
func (c *caser) sums(n int) {
	left := map[bool]int{true: n, false: n}
	for left[true]+left[false] > 0 {
		a, b := 2+c.r.IntN(maxTerm-1), 2+c.r.IntN(maxTerm-1)
		held := heldOutSum(a, b, 0)
		if left[held] == 0 {
			continue
		}
		left[held]--
		c.sum(a, b, left[held]%3 == 0)
	}
}

// sum adds a sum of two terms.
func (c *caser) sum(a, b int, words bool) {
	value := strconv.Itoa(a + b)
	cs := suite.Case{Domain: "mathematical", Difficulty: "easy", AnswerType: suite.Numeric, Gold: texts(value)}
	cs.Oracle = &suite.Oracle{Type: "numeric", Value: value}
	phrase(&cs, said().Sums, func(form string) string { return askSum(form, a, b, words) })
	c.add(cs, map[bool]string{true: NewSum, false: Sum}[heldOutSum(a, b, 0)], "calc")
}

// steps adds n sums of three terms that the corpus has, and n that it has not, to be worked out in steps.
func (c *caser) steps(n int) {
	left := map[bool]int{true: n, false: n}
	for left[true]+left[false] > 0 {
		x, y, z := 2+c.r.IntN(maxStep-1), 2+c.r.IntN(maxStep-1), 2+c.r.IntN(maxStep-1)
		held := heldOutSum(x, y, z)
		if left[held] == 0 {
			continue
		}
		left[held]--
		cs := suite.Case{Domain: "mathematical", Difficulty: "medium", AnswerType: suite.Short,
			Gold: texts(inSteps(x, y, z))}
		cs.Oracle = &suite.Oracle{Type: "calc", Value: strconv.Itoa(x + y + z)}
		phrase(&cs, said().Steps, func(form string) string { return fmt.Sprintf(form, x, y, z) })
		c.add(cs, map[bool]string{true: NewSteps, false: Steps}[held], "calc")
	}
}

// shots is the number of examples of a rule.
const shots = 16

// rules adds n inputs to label by a rule that examples show, the words of the input in six orders. Its topic is
// among the examples, so that the label can be known.
func (c *caser) rules(design string, task incontext.Task, n int) {
	for added := 0; added < n; {
		s, err := incontext.Draw(task, shots+1, c.r)
		if err != nil {
			panic(err) // the tasks are known
		}
		last := s.Pairs[shots]
		if !slices.ContainsFunc(s.Pairs[:shots], func(p incontext.Pair) bool { return p.Topic == last.Topic }) {
			continue
		}
		added++
		cs := suite.Case{
			Difficulty: "medium", AnswerType: suite.Choice, Form: suite.InputLabel, Prompt: last.Input(),
			Options: s.Labels, Gold: suite.Gold{Option: new(last.Label)},
		}
		for _, p := range s.Pairs[:shots] {
			cs.Demonstrations = append(cs.Demonstrations,
				suite.Demonstration{Input: p.Input(), Label: s.Labels[p.Label]})
		}
		// the order of the words says nothing
		for _, o := range [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			w := last.Words
			cs.Phrasings = append(cs.Phrasings, strings.Join([]string{w[o[0]], w[o[1]], w[o[2]]}, " "))
		}
		c.add(cs, design)
	}
}
