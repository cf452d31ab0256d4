// Package pattern has regular expressions that are compiled when they are first used, so that a command that reads no
// answer starts without compiling the patterns of those that do.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression in the syntax of package regexp, for package-level variables. Its methods are those
// of regexp.Regexp; the first call panics where the expression is malformed. It is safe for concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// New returns the pattern of an expression, which is compiled at the first use.
func New(expression string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString reports whether s holds a match.
func (p Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString returns the text of the first match, "" where there is none.
func (p Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringIndex returns where the first match is, nil where there is none.
func (p Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

// FindStringSubmatch returns the first match and its groups, nil where there is none.
func (p Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the first match and its groups are, nil where there is none.
func (p Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// FindAllString returns the first n matches, all of them for a negative n.
func (p Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// FindAllStringIndex returns where the first n matches are, all of them for a negative n.
func (p Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns the first n matches with their groups, all of them for a negative n.
func (p Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where the first n matches and their groups are, all of them for a negative n.
func (p Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString returns s with every match replaced, where $1 stands for a group.
func (p Pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc returns s with every match replaced by what with makes of it.
func (p Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, with)
}

// Regexp returns the compiled expression, for what else it can do.
func (p Pattern) Regexp() *regexp.Regexp { return p.compiled() }
