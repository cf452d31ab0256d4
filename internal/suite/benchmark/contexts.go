package benchmark

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine/token"
	"hallmark/internal/suite"
)

// The design of the posterior hallucination rate's language study (arXiv:2406.07457, section 3.2): for each size of
// context so many contexts, and after each so many queries.
var contextSizes = []int{2, 4, 8, 16, 32}

const (
	contextsOfSize = 50
	queriesOf      = 10
	longestInput   = 116 // tokens of an input; longer ones are dropped
	truePairs      = 50  // pairs that truly go on with a context: what the model rate's ten sets are drawn from
)

// bytesPerToken estimates tokens where no tokenizer is named.
const bytesPerToken = 4

// readLabelled returns the reader of a task that is learned from examples. Its cases are problems of learning in
// context: for each size n of contexts (shots, all of contextSizes where absent) contexts of n pairs whose labels
// are as equally frequent as n allows, after each its queries, and as the rows of its pool true pairs, all with
// different inputs and drawn by the reference's seed. Contexts and true pairs come from the pool, queries from the
// file itself; without a pool all come from the one file, apart in every problem.
//
// Inputs of over longestInput tokens are dropped and counted, and so are inputs that stand under two labels; a
// repeated one stands once.
func readLabelled(task labelledTask) func(*file) error {
	return func(f *file) error {
		tokens, whose, err := f.counter()
		if err != nil {
			return err
		}
		queries, err := f.examples(task, tokens, whose)
		if err != nil {
			return err
		}
		pool, from := queries, f
		if f.ref.Pool != "" {
			if from, err = f.pool(); err != nil {
				return err
			}
			if pool, err = from.examples(task, tokens, whose); err != nil {
				return err
			}
			from.left()
			f.suite.Warnings = append(f.suite.Warnings, from.suite.Warnings...)
		} else {
			f.warnf("contexts come from the same file as queries, apart in every problem; pool=FILE names the " +
				"training file")
		}
		sizes := f.ref.Shots
		if sizes == nil {
			sizes = contextSizes
		}
		if len(sizes) == 1 {
			f.suite.Name += "-n" + strconv.Itoa(sizes[0])
		}
		for _, n := range sizes {
			if err := from.canBalance(task.labels, pool, n); err != nil {
				return err
			}
			if n < len(task.labels) {
				f.warnf("contexts of %d pairs show %d of the %d labels, drawn anew for each", n, n, len(task.labels))
			}
			for c := range cmp.Or(f.ref.Contexts, contextsOfSize) {
				if err := f.problem(task.labels, pool, queries, n, c); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// counter returns what counts the tokens of an input, and whose tokens they are.
func (f *file) counter() (func(string) (int, error), string, error) {
	if f.ref.Tokenizer == "" {
		return func(s string) (int, error) { return (len(s) + bytesPerToken - 1) / bytesPerToken, nil },
			fmt.Sprintf("estimated at %d bytes a token; tokenizer=tokenizer.json counts the model's own",
				bytesPerToken), nil
	}
	data, err := suite.ReadFile(f.ref.Tokenizer)
	if err != nil {
		return nil, "", fmt.Errorf("tokenizer: %w", err)
	}
	t, err := token.Parse(data)
	if err != nil {
		return nil, "", fmt.Errorf("%s:1: %w; want the tokenizer.json of a Hugging Face folder", f.ref.Tokenizer, err)
	}
	return func(s string) (int, error) {
		ids, err := t.EncodeText(s)
		return len(ids), err
	}, "of " + f.ref.Tokenizer, nil
}

// examples reads a file's rows and leaves out those that cannot be used.
func (f *file) examples(task labelledTask, tokens func(string) (int, error), whose string) ([]example, error) {
	rows, both, err := task.rows(f)
	if err != nil {
		return nil, err
	}
	var kept []example
	seen := map[string]bool{}
	again := 0
	for _, e := range rows {
		n, err := tokens(e.input)
		if err != nil {
			return nil, f.errorf(e.line, "%v", err)
		}
		switch {
		case e.input == "":
			f.leave(e.line, "the input is empty")
		case both[e.input]:
			f.leave(e.line, "the input stands under two labels")
		case n > longestInput:
			f.leave(e.line, fmt.Sprintf("the input has over %d tokens (%s)", longestInput, whose))
		case seen[e.input]:
			again++
		default:
			seen[e.input] = true
			kept = append(kept, e)
		}
	}
	if again > 0 {
		f.warnf("%d inputs repeat one before them and stand once", again)
	}
	if len(kept) == 0 {
		return nil, f.errorf(1, "no row can be used")
	}
	return kept, nil
}

// canBalance reports a label that the pool lacks, or has too few rows of.
func (f *file) canBalance(labels []string, pool []example, n int) error {
	counts := make([]int, len(labels))
	for _, e := range pool {
		counts[e.label]++
	}
	most := (n + len(labels) - 1) / len(labels)
	for l, have := range counts {
		switch {
		case have == 0:
			return f.errorf(1, "no usable row is labelled %q, so no context can be balanced; name another file",
				labels[l])
		case have < most:
			return f.errorf(1, "%d usable rows are labelled %q, but a context of %d pairs takes %d; name a larger "+
				"file or smaller shots", have, labels[l], n, most)
		}
	}
	return nil
}

// problem draws one context with its queries and true pairs, and adds a case for each query.
func (f *file) problem(labels []string, pool, queries []example, n, number int) error {
	name := fmt.Sprintf("n%d-c%02d", n, number)
	r := seed.Stream(uint64(cmp.Or(f.ref.Seed, 1)), "benchmark", f.ref.Name, name)
	used := map[string]bool{}
	context := balanced(r, pool, len(labels), n)
	for _, e := range context {
		used[e.input] = true
	}
	wanted := cmp.Or(f.ref.Queries, queriesOf)
	asked := apart(r, queries, used, wanted)
	if len(asked) < wanted {
		return f.errorf(1, "%d rows beside a context of %d pairs, but %d queries are drawn; name a larger file, "+
			"or smaller shots or queries", len(asked), n, wanted)
	}
	after := demonstrations(apart(r, pool, used, truePairs), labels)
	for q, e := range asked {
		c := suite.Case{
			Prompt: e.input, Form: suite.InputLabel, AnswerType: suite.Choice, Options: labels,
			Gold:           suite.Gold{Option: &asked[q].label},
			Demonstrations: demonstrations(context, labels), Tags: []string{"n-" + strconv.Itoa(n)},
		}
		if len(after) > 0 {
			c.Pool, c.Shots, c.Rows = cmp.Or(f.ref.Pool, f.path)+"#"+name, min(n, len(after)), after
		}
		line := e.line
		f.addAs(fmt.Sprintf("%s-%s-q%02d", f.ref.Name, name, q), line, c)
		if e.path != "" {
			f.cases[len(f.cases)-1].Place = fmt.Sprintf("%s:%d", e.path, line)
		}
	}
	return nil
}

// balanced draws n examples whose labels are as equally frequent as n allows, in random order; which labels come
// once more is drawn too.
func balanced(r *rand.Rand, pool []example, labels, n int) []example {
	left := make([]int, labels)
	for i, l := range r.Perm(labels) {
		left[l] = n / labels
		if i < n%labels {
			left[l]++
		}
	}
	var out []example
	for _, i := range r.Perm(len(pool)) {
		if e := pool[i]; left[e.label] > 0 {
			left[e.label]--
			out = append(out, e)
		}
		if len(out) == n {
			break
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// apart draws at most n examples whose inputs are not used, and marks them as used.
func apart(r *rand.Rand, from []example, used map[string]bool, n int) []example {
	var out []example
	for _, i := range r.Perm(len(from)) {
		if len(out) == n {
			break
		}
		if e := from[i]; !used[e.input] {
			used[e.input] = true
			out = append(out, e)
		}
	}
	return slices.Clip(out)
}

func demonstrations(examples []example, labels []string) []suite.Demonstration {
	out := make([]suite.Demonstration, len(examples))
	for i, e := range examples {
		out[i] = suite.Demonstration{Input: e.input, Label: labels[e.label]}
	}
	return out
}
