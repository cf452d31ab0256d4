package suite

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// scopedNames are names of cases by scope: what their oracles reject and what their golds are, so that an alias is
// looked up and not searched for.
type scopedNames struct {
	suite    *Suite
	rejected map[[2]string]int   // scope and name: the first case there that rejects it
	golds    map[[2]string][]int // scope and name: the first cases there whose gold it is
}

// mostPerName bounds how many cases with one question and one gold are compared; more of them are repeats.
const mostPerName = 16

// checkAliases checks the aliases of every case against the other cases. An alias says that the gold has another
// name, whatever the case; so another case may not reject it where the gold or the question is the same, nor take
// it for another answer to the same question. A name that other questions reject is no contradiction: what names
// one thing is wrong for the next. Place gives the place of the aliases of a case.
func (s *Suite) checkAliases(place func(i int) string) error {
	if !s.Cases.Has(func(c *Case) bool { return len(c.Aliases) > 0 }) {
		return nil
	}
	x := newScopedNames(s)
	for i, c := range s.Cases.Pass() {
		for _, a := range c.Aliases {
			if text := x.fault(i, a); text != "" {
				return fmt.Errorf("%s: %s", place(i), text)
			}
		}
	}
	return nil
}

func newScopedNames(s *Suite) *scopedNames {
	x := &scopedNames{s, map[[2]string]int{}, map[[2]string][]int{}}
	for i, c := range s.Cases.Pass() {
		question := c.question()
		for _, exact := range []bool{false, true} { // the alias that is looked up says which
			scopes := []string{question}
			for _, g := range c.Answers() {
				scopes = append(scopes, nameKey(g, exact))
				if k := [2]string{question, nameKey(g, exact)}; len(x.golds[k]) < mostPerName {
					x.golds[k] = append(x.golds[k], i)
				}
			}
			for _, r := range c.Oracle.rejected() {
				for _, scope := range scopes {
					k := [2]string{scope, nameKey(r, exact)}
					if _, known := x.rejected[k]; !known {
						x.rejected[k] = i
					}
				}
			}
		}
	}
	return x
}

// question tells questions apart that are not the same: by prompt, passages and options.
func (c *Case) question() string {
	parts := []string{c.Prompt}
	for _, p := range c.Context {
		parts = append(parts, p.Text)
	}
	parts = append(append(parts, ""), c.Options...)
	for i, p := range parts {
		parts[i] = nameKey(p, false)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "\x00" + string(sum[:]) // no name begins so
}

// fault says what another case holds against an alias of the i-th.
func (x *scopedNames) fault(i int, alias string) string {
	c := x.suite.Cases.At(i)
	exact := x.suite.ExactMatch(c)
	question, name := c.question(), nameKey(alias, exact)
	golds := c.Answers()
	if j, ok := x.rejected[[2]string{question, name}]; ok && j != i {
		return fmt.Sprintf("alias %q is rejected by %s, which has the same question; drop it from one of the two",
			alias, x.at(j))
	}
	for _, g := range golds {
		if j, ok := x.rejected[[2]string{nameKey(g, exact), name}]; ok && j != i {
			return fmt.Sprintf("alias %q of %q is rejected by %s, whose gold is %q too; drop it from one of the two",
				alias, g, x.at(j), g)
		}
	}
	for _, j := range x.golds[[2]string{question, name}] {
		other := x.suite.Cases.At(j)
		takes := func(g string) bool {
			return slices.ContainsFunc(slices.Concat(other.Answers(), other.Aliases), func(t string) bool {
				return nameKey(t, exact) == nameKey(g, exact)
			})
		}
		if j != i && !slices.ContainsFunc(golds, takes) {
			return fmt.Sprintf("alias %q is the gold of %s, which has the same question and does not take %q; "+
				"drop the alias, or give both cases one gold", alias, x.at(j), golds[0])
		}
	}
	return ""
}

func (x *scopedNames) at(j int) string {
	if p := x.suite.Cases.At(j).Place; p != "" {
		return "the case at " + p
	}
	return fmt.Sprintf("case %d (%q)", j+1, x.suite.Cases.ID(j))
}
