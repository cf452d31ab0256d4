package assay

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/suite"
)

// A plan that a few words make huge is refused by the flag, before a call of it is planned.
func TestValidateBoundsCalls(t *testing.T) {
	var cases []suite.Case
	for _, id := range []string{"a", "b"} {
		cases = append(cases, suite.Case{ID: id, Prompt: id, Options: []string{"x", "y"}})
	}
	s := &suite.Suite{Name: "s", Cases: suite.ListOf(cases)}
	for want, change := range map[string]func(*Plan){
		"":                        func(p *Plan) { p.Sampled, p.Repeats = MaxRepeats, MaxRepeats },
		"--sampled 2000000000: ":  func(p *Plan) { p.Sampled = 2_000_000_000 },
		"--repeats 2000000000: ":  func(p *Plan) { p.Repeats = 2_000_000_000 },
		"lower --limit, --varian": func(p *Plan) { p.Sampled, p.Suites = 4000, []*suite.Suite{many(s, 1000)} },
		"up to 20,000,000 calls": func(p *Plan) {
			p.Variants, p.Suites, p.Repeats = []prompt.Spec{{Kind: prompt.Templates, N: 9999}}, []*suite.Suite{many(s, 2000)}, 0
		},
		"come to up to 5 GB": func(p *Plan) { // hardly a byte of text each
			c := suite.Case{ID: "c", Prompt: "?"}
			for range 3000 {
				c.Demonstrations = append(c.Demonstrations, suite.Demonstration{Input: "a", Label: "b"})
			}
			p.Variants, p.Suites, p.Repeats = []prompt.Spec{{Kind: prompt.Demonstrations, N: 9999}},
				[]*suite.Suite{{Name: "examples", Cases: suite.ListOf([]suite.Case{c})}}, 0
		},
		"come to up to 80 GB": func(p *Plan) {
			long := suite.Case{ID: "c", Prompt: strings.Repeat("long ", 1_600_000)}
			p.Variants, p.Suites, p.Repeats = []prompt.Spec{{Kind: prompt.Templates, N: 9999}},
				[]*suite.Suite{{Name: "long", Cases: suite.ListOf([]suite.Case{long})}}, 0
		},
	} {
		p := Defaults()
		p.Suites, p.Models = []*suite.Suite{s}, []UnderTest{{Identity: "x"}}
		change(&p)
		_, err := (&p).Validate()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// many returns a suite with so many of the first case.
func many(s *suite.Suite, n int) *suite.Suite {
	return &suite.Suite{Name: "many", Cases: suite.ListOf(slices.Repeat(s.Cases.First(1).Loose(), n))}
}
