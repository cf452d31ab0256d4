package simulated

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite"
)

// Rates are the behaviour of a simulated model on a group of cases. The six shares are of cases and sum to 1; nil is 0.
// The others are probabilities of single answers; nil is the default, or in an override what is set for all cases.
type Rates struct {
	Factual    *float64 `yaml:"prompt_agnostic_factual"` // right to every variant
	Error      *float64 `yaml:"prompt_agnostic_error"`   // the same wrong answer to every variant
	Randomness *float64 `yaml:"randomness"`              // drawn anew for each variant, and each draw where sampled
	Decline    *float64 `yaml:"decline"`                 // declined in every variant
	Unread     *float64 `yaml:"unread"`                  // text that no oracle can read, in every variant
	// Coin is a belief in two answers: greedy decoding settles on one of them, drawn once for the case, and each
	// draw where sampled is one of the two anew. A profile without it is the model that it was before there were
	// coins.
	Coin *float64 `yaml:"coin" json:",omitempty"`

	// RandomnessRight is the probability that an answer to a randomness case is right, and that what a coin case is
	// drawn to answer is; default 1/2.
	RandomnessRight *float64 `yaml:"randomness_right"`
	// Fail is the probability that a request, whatever its case, ends in a final error; default 0.
	Fail *float64 `yaml:"fail"`
}

// A Profile is the behaviour of a simulated model. Make one with ParseProfile.
type Profile struct {
	Name string `yaml:"-"`
	// Seed is of all draws; default 1.
	Seed  *uint64 `yaml:"seed"`
	Rates `yaml:",inline"`
	// ByClass and ByTag override the rates for the cases of a class or a tag. A tag beats a class; of several tags the
	// first of the case counts. An override that sets a share sets all six.
	ByClass map[string]Rates `yaml:"by_class"`
	ByTag   map[string]Rates `yaml:"by_tag"`

	DeclineText string `yaml:"decline_text"` // default "I don't know."
	UnreadText  string `yaml:"unread_text"`  // default "", an empty completion: short answers read any text

	// ConfidenceRight and ConfidenceWrong are the mean probabilities that the simulated model claims for a right and a
	// wrong answer, spread uniformly over ConfidenceSpread around them; defaults .8, .6 and .3. They show in
	// log-probabilities only.
	ConfidenceRight  *float64 `yaml:"confidence_right"`
	ConfidenceWrong  *float64 `yaml:"confidence_wrong"`
	ConfidenceSpread *float64 `yaml:"confidence_spread"`
}

// maxProfile bounds a profile in bytes.
const maxProfile = 1 << 20

// ParseProfile reads a profile from YAML. Unknown keys are errors; an error names the place, as in "name:3: …".
func ParseProfile(name string, data []byte) (Profile, error) {
	if len(data) > maxProfile {
		return Profile{}, fmt.Errorf("%s:1: profile has more than %d bytes", name, maxProfile)
	}
	p := Profile{Name: name, DeclineText: "I don't know."}
	root, err := strictyaml.Read(name, data)
	lines := map[string]int{}
	if err == nil {
		err = (&strictyaml.Decoder{File: name, Placed: func(path string, line int) {
			lines[path] = line
		}}).Decode(root, &p, "a phantom profile")
	}
	if err != nil {
		return Profile{}, err
	}
	fail := func(path, format string, args ...any) (Profile, error) {
		return Profile{}, fmt.Errorf("%s:%d: %s", name, max(lines[strings.TrimSuffix(path, "/")], 1),
			fmt.Sprintf(format, args...))
	}
	type group struct {
		path   string
		fields []field
		shares bool // the first of them are to sum to 1
	}
	groups := []group{{"", p.Rates.fields(), true}}
	for _, by := range []struct {
		key string
		m   map[string]Rates
	}{{"by_class", p.ByClass}, {"by_tag", p.ByTag}} {
		for _, k := range slices.Sorted(maps.Keys(by.m)) {
			groups = append(groups, group{by.key + "/" + k + "/", by.m[k].fields(), by.m[k].sharesSet()})
		}
	}
	groups = append(groups, group{"", []field{{"confidence_right", p.ConfidenceRight},
		{"confidence_wrong", p.ConfidenceWrong}, {"confidence_spread", p.ConfidenceSpread}}, false})
	for _, k := range slices.Sorted(maps.Keys(p.ByClass)) {
		if !slices.Contains(suite.Classes, k) {
			return fail("by_class/"+k, "unknown class %q: want one of %s", k, strings.Join(suite.Classes, ", "))
		}
	}
	for _, g := range groups {
		sum := 0.
		for i, f := range g.fields {
			v := of(f.v, 0)
			if !(v >= 0 && v <= 1) {
				return fail(g.path+f.key, "%s is %v: want a number from 0 to 1", f.key, v)
			}
			if i < shares {
				sum += v
			}
		}
		if g.shares && !(math.Abs(sum-1) <= 1e-9) {
			return fail(g.path, "the shares sum to %v: want 1 for prompt_agnostic_factual + prompt_agnostic_error "+
				"+ randomness + decline + unread + coin", math.Round(sum*1e9)/1e9)
		}
	}
	return p, nil
}

type field struct {
	key string
	v   *float64
}

// fields lists the shares, then the probabilities.
func (r Rates) fields() []field {
	return []field{{"prompt_agnostic_factual", r.Factual}, {"prompt_agnostic_error", r.Error},
		{"randomness", r.Randomness},
		{"decline", r.Decline}, {"unread", r.Unread}, {"coin", r.Coin}, {"randomness_right", r.RandomnessRight},
		{"fail", r.Fail}}
}

const shares = 6 // the first fields

func (r Rates) sharesSet() bool {
	return slices.ContainsFunc(r.fields()[:shares], func(f field) bool { return f.v != nil })
}

// over returns the rates with those of o in place.
func (r Rates) over(o Rates) Rates {
	right, fail := cmp.Or(o.RandomnessRight, r.RandomnessRight), cmp.Or(o.Fail, r.Fail)
	if o.sharesSet() {
		r = o
	}
	r.RandomnessRight, r.Fail = right, fail
	return r
}

// For returns the rates of the cases of a class with these tags, in the case's order.
func (p Profile) For(class string, tags []string) Rates {
	r := p.Rates
	if o, ok := p.ByClass[class]; ok {
		r = r.over(o)
	}
	for _, t := range tags {
		if o, ok := p.ByTag[t]; ok {
			return r.over(o)
		}
	}
	return r
}

func of[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}
