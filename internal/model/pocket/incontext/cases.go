package incontext

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
)

// Settings say which problems of a task a suite holds: for each number of pairs in N so many contexts, each with a
// rule of its own, and after each so many queries.
type Settings struct {
	Task     Task
	Noise    int   // labels in a hundred that are another than the rule's, drawn for each pair by itself
	N        []int // pairs of a context
	Contexts int
	Queries  int    // of a context
	Pool     int    // further pairs under the context's rule, which are known to be true
	Seed     uint64 // of the draws
}

// DefaultSettings are those of the source's language experiments, 50 contexts of ten queries for each number of
// pairs, with 20 true pairs.
func DefaultSettings() Settings {
	return Settings{N: []int{2, 4, 8, 16, 32}, Contexts: 50, Queries: 10, Pool: 20, Seed: 1}
}

// Prefix begins the reference of a suite of in-context problems.
const Prefix = "incontext:"

// Tasks are those that a suite may ask for.
var Tasks = []Task{Topic8x2, Topic4, Topic2, Parity}

// ParseSettings reads a reference such as incontext:topic8x2?noise=10&n=2,4,8&contexts=50&queries=10&pool=20&seed=1.
func ParseSettings(ref string) (Settings, error) {
	s := DefaultSettings()
	fail := func(format string, args ...any) (Settings, error) {
		return s, fmt.Errorf("%s: "+format, append([]any{ref}, args...)...)
	}
	task, query, _ := strings.Cut(strings.TrimPrefix(ref, Prefix), "?")
	s.Task = Task(task)
	if !slices.Contains(Tasks, s.Task) {
		return fail("no task is named %q; use topic8x2, topic4, topic2 or parity", task)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return fail("want settings as noise=10&contexts=50")
	}
	seed := int(s.Seed)
	numbers := map[string]struct {
		at          *int
		least, most uint64
	}{"noise": {&s.Noise, 0, 50}, "contexts": {&s.Contexts, 1, 10_000}, "queries": {&s.Queries, 1, 1000},
		"pool": {&s.Pool, 0, 1000}, "seed": {&seed, 0, math.MaxInt32}}
	for key, v := range values {
		if len(v) != 1 {
			return fail("%s stands twice", key)
		}
		if key == "n" {
			if s.N = rising(v[0]); s.N == nil {
				return fail("n=%s: want numbers of pairs from 2 to 1000, each above the one before", v[0])
			}
			continue
		}
		n, err := strconv.ParseUint(v[0], 10, 31)
		number, known := numbers[key]
		switch {
		case !known:
			return fail("unknown setting %q; use noise, n, contexts, queries, pool or seed", key)
		case err != nil || n < number.least || n > number.most:
			return fail("%s=%s: want a number from %d to %d", key, v[0], number.least, number.most)
		}
		*number.at = int(n)
	}
	s.Seed = uint64(seed)
	return s, nil
}

// rising reads numbers of pairs, each above the one before; nil where they are not that.
func rising(text string) (all []int) {
	last := 1
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n <= last || n > 1000 {
			return nil
		}
		all, last = append(all, n), n
	}
	return all
}

// Name is the reference of the settings, without those that are the default.
func (s Settings) Name() string {
	write := func(s Settings) []string {
		n := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.N), "[]"), " ", ",")
		return strings.Split(fmt.Sprintf("noise=%d&n=%s&contexts=%d&queries=%d&pool=%d&seed=%d", s.Noise, n, s.Contexts,
			s.Queries, s.Pool, s.Seed), "&")
	}
	normal := write(DefaultSettings())
	parts := slices.DeleteFunc(write(s), func(part string) bool { return slices.Contains(normal, part) })
	return strings.TrimSuffix(Prefix+string(s.Task)+"?"+strings.Join(parts, "&"), "?")
}

// Suite returns the problems as a suite: a case for each query, with the context's pairs as its demonstrations and
// the true pairs as its pool. Cases of one context follow each other. Each context draws from a stream of its own,
// so more contexts, or other numbers of pairs, change none.
func (s Settings) Suite() (*suite.Suite, error) {
	var cases []suite.Case
	for _, n := range s.N {
		for c := range s.Contexts {
			at := fmt.Sprintf("n%02d-c%02d", n, c+1)
			r := seed.Stream(s.Seed, "pocket", "incontext", "cases", string(s.Task), strconv.Itoa(s.Noise), at)
			q, err := Draw(s.Task, n+s.Queries+s.Pool, r)
			if err != nil {
				return nil, err
			}
			q.disturb(float64(s.Noise)/100, r)
			pairs := make([]suite.Demonstration, len(q.Pairs))
			for i, p := range q.Pairs {
				pairs[i] = suite.Demonstration{Input: p.Input(), Label: q.Labels[p.Label]}
			}
			for i, p := range q.Pairs[n : n+s.Queries] {
				k := suite.Case{
					ID: fmt.Sprintf("%s-q%02d", at, i+1), Tags: []string{fmt.Sprintf("n=%d", n)},
					Form: suite.InputLabel, AnswerType: suite.Choice, Prompt: p.Input(), Options: q.Labels,
					Gold: suite.Gold{Option: new(p.Label)}, Demonstrations: pairs[:n],
				}
				if s.Pool > 1 {
					k.Pool, k.Shots, k.Rows = at, 1, pairs[n+s.Queries:]
				}
				cases = append(cases, k)
			}
		}
	}
	out := &suite.Suite{Name: s.Name(), Version: "1", World: "pocket", Cases: suite.ListOf(cases)}
	return out, out.Check()
}

// disturb gives each pair another label of the task with a chance of rho, each of the others alike.
func (s Sequence) disturb(rho float64, r *rand.Rand) {
	if rho == 0 {
		return
	}
	for i := range s.Pairs {
		if r.Float64() < rho {
			s.Pairs[i].Label = (s.Pairs[i].Label + 1 + r.IntN(len(s.Labels)-1)) % len(s.Labels)
		}
	}
}
