// Package pattern has regular expressions that are compiled when they are first used, so that a command that reads no
// answer starts without compiling the patterns of those that do.
package pattern

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Pattern is a regular expression in the syntax of package regexp, for package-level variables. Its methods are those
// of regexp.Regexp; the first call panics where the expression is malformed. It is safe for concurrent use.
type Pattern struct {
	compiled func() *regexp.Regexp
	signs    []string
	folds    bool
}

// New returns the pattern of an expression, which is compiled at the first use. Where signs are given, every match
// holds one of them, and a text without any is not searched, which would cost far more than to look for signs. Signs
// are in small letters where the expression begins with (?i), and then stand for capitals too.
func New(expression string, signs ...string) Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return Pattern{compiled, signs, strings.HasPrefix(expression, "(?i")}
}

// never is tried at the beginning of a text only.
var never = regexp.MustCompile(`\A[^\x00-\x{10ffff}]`)

// of returns the compiled expression, or one that matches nothing where the text cannot hold a match.
func (p Pattern) of(text string) *regexp.Regexp {
	if p.mayMatch(text) {
		return p.compiled()
	}
	return never
}

// mayMatch reports whether a text has one of the signs.
func (p Pattern) mayMatch(text string) bool {
	if len(p.signs) > 0 && p.folds {
		text = strings.ReplaceAll(strings.ToLower(text), "ſ", "s") // as the expression takes it
	}
	return len(p.signs) == 0 || slices.ContainsFunc(p.signs, func(s string) bool { return strings.Contains(text, s) })
}

// MatchString reports whether s holds a match.
func (p Pattern) MatchString(s string) bool { return p.of(s).MatchString(s) }

// FindString returns the text of the first match, "" where there is none.
func (p Pattern) FindString(s string) string { return p.of(s).FindString(s) }

// FindStringIndex returns where the first match is, nil where there is none.
func (p Pattern) FindStringIndex(s string) []int { return p.of(s).FindStringIndex(s) }

// FindStringSubmatch returns the first match and its groups, nil where there is none.
func (p Pattern) FindStringSubmatch(s string) []string { return p.of(s).FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the first match and its groups are, nil where there is none.
func (p Pattern) FindStringSubmatchIndex(s string) []int { return p.of(s).FindStringSubmatchIndex(s) }

// FindAllString returns the first n matches, all of them for a negative n.
func (p Pattern) FindAllString(s string, n int) []string { return p.of(s).FindAllString(s, n) }

// FindAllStringIndex returns where the first n matches are, all of them for a negative n.
func (p Pattern) FindAllStringIndex(s string, n int) [][]int { return p.of(s).FindAllStringIndex(s, n) }

// FindAllStringSubmatch returns the first n matches with their groups, all of them for a negative n.
func (p Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.of(s).FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where the first n matches and their groups are, all of them for a negative n.
func (p Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.of(s).FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString returns s with every match replaced, where $1 stands for a group.
func (p Pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s // as it is: regexp would copy it
	}
	return p.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc returns s with every match replaced by what with makes of it.
func (p Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.compiled().ReplaceAllStringFunc(s, with)
}

// Regexp returns the compiled expression, for what else it can do.
func (p Pattern) Regexp() *regexp.Regexp { return p.compiled() }
