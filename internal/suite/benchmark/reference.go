package benchmark

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/suite"
)

// A Reference is what --suite names: a benchmark's file, and what goes with it.
//
//	NAME=FILE[,pool=FILE][,shots=N][,instruction=FILE][,examples=FILE][,labels=YES/NO][,for=BENCHMARK]
//	NAME=FILE[,pool=FILE][,shots=N/N/…][,contexts=N][,queries=N][,tokenizer=FILE][,seed=N][,for=BENCHMARK]
type Reference struct {
	Name, Path string
	// Pool is the file that demonstrations are drawn from, in the benchmark's own format, and Shots how many; of a task
	// that is learned from examples the sizes of contexts. Without it the published number or grid is meant.
	Pool  string
	Shots []int
	// Instruction is the file with the authors' instruction to the model (Med-HALT's prompts.json).
	Instruction string
	// Examples is the file with the authors' worked examples (Med-HALT's shots.json).
	Examples string
	// Labels are the two words that answer a claim, the one for true first.
	Labels []string
	// For names the benchmark that this one stands in for. The suite's name and a warning say so, and with them
	// every figure.
	For string
	// Contexts is how many of each size, Queries how many inputs are asked after each, 0 for the published numbers.
	Contexts, Queries int
	// Tokenizer is the tokenizer.json that counts the tokens of inputs; Seed that of the draws, 0 for 1.
	Tokenizer string
	Seed      int
}

// The options of a reference.
const (
	withPool        = "pool"
	withShots       = "shots"
	withInstruction = "instruction"
	withExamples    = "examples"
	withLabels      = "labels"
	withFor         = "for"
	withContexts    = "contexts"
	withQueries     = "queries"
	withTokenizer   = "tokenizer"
	withSeed        = "seed"
)

// maxSizes bounds the sizes of contexts that one reference names.
const maxSizes = 20

// optionKeys are the options, each the name of a field of Reference in small letters.
var optionKeys = []string{withPool, withShots, withInstruction, withExamples, withLabels, withFor, withContexts,
	withQueries, withTokenizer, withSeed}

// option is where an option begins: a comma that is not followed by one of the keys belongs to a file's name.
var option = pattern.New(",(?:" + strings.Join(optionKeys, "|") + ")=")

// ParseReference reads NAME=FILE,key=value,…; the name may be missing. Plain is false where there are no keys and no
// name of a benchmark, so that the reference may be any suite.
func ParseReference(s string) (ref Reference, plain bool, err error) {
	values, keys := option.Regexp().Split(s, -1), option.FindAllString(s, -1)
	ref.Path = values[0]
	if name, path, ok := strings.Cut(ref.Path, "="); ok && slices.Contains(Names(), name) {
		ref.Name, ref.Path = name, path
	}
	for i, key := range keys {
		name, value := strings.Trim(key, ",="), values[i+1]
		switch {
		case slices.Contains(keys[:i], key):
			return ref, false, fmt.Errorf("suite %q gives %s twice; keep one", s, name)
		case value == "":
			return ref, false, fmt.Errorf("suite %q: %s is empty", s, name)
		}
		if err := ref.set(name, value); err != nil {
			return ref, false, fmt.Errorf("suite %q: %w", s, err)
		}
	}
	if ref.Name != "" {
		if err := ref.checkShots(); err != nil {
			return ref, false, err
		}
	}
	return ref, ref.Name == "" && len(keys) == 0, nil
}

// set takes the value of one option.
func (r *Reference) set(key, value string) error {
	switch key {
	case withShots:
		for _, size := range strings.Split(value, "/") {
			n, err := strconv.Atoi(size)
			if err != nil || n < 1 || n > 1000 || slices.Contains(r.Shots, n) || len(r.Shots) == maxSizes {
				return fmt.Errorf("shots is %q; want a whole number from 1 to 1000, or several as 2/4/8 of what "+
					"is learned from examples", value)
			}
			r.Shots = append(r.Shots, n)
		}
	case withContexts, withQueries, withSeed:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 100_000 {
			return fmt.Errorf("%s is %q; want a whole number from 1 to 100000", key, value)
		}
		*map[string]*int{withContexts: &r.Contexts, withQueries: &r.Queries, withSeed: &r.Seed}[key] = n
	case withLabels:
		r.Labels = strings.Split(value, "/")
		if len(r.Labels) != 2 || strings.TrimSpace(r.Labels[0]) == "" || strings.TrimSpace(r.Labels[1]) == "" ||
			r.Labels[0] == r.Labels[1] {
			return fmt.Errorf("labels are %q; want the word for true and the word for false, as SUPPORTS/REFUTES",
				value)
		}
	case withFor:
		if r.For = value; slug(value) != value {
			return fmt.Errorf("for is %q; want the name of a benchmark in small letters, such as wiki-factor", value)
		}
	default:
		*map[string]*string{withPool: &r.Pool, withTokenizer: &r.Tokenizer, withInstruction: &r.Instruction,
			withExamples: &r.Examples}[key] = value
	}
	return nil
}

// checkShots reports shots that the named format cannot draw.
func (r *Reference) checkShots() error {
	switch f, _ := formatOf(r.Name); {
	case slices.Contains(f.takes, withContexts) || r.Shots == nil:
		return nil
	case len(r.Shots) > 1:
		return fmt.Errorf("suite %s=%s: shots gives %d sizes; %s takes one", r.Name, r.Path, len(r.Shots), r.Name)
	case r.Pool == "" && r.Name != "truefalse":
		return fmt.Errorf("suite %s=%s: shots are drawn from a pool; add ,pool=FILE", r.Name, r.Path)
	}
	return nil
}

// formatOf returns the format of a name.
func formatOf(name string) (f Format, ok bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// given lists the options that a reference gives.
func (r *Reference) given() []string {
	var keys []string
	for f, v := range reflect.ValueOf(r).Elem().Fields() {
		if key := strings.ToLower(f.Name); slices.Contains(optionKeys, key) && !v.IsZero() {
			keys = append(keys, key)
		}
	}
	return keys
}

// demonstrate gives every case the rows of a pool to draw from. Rows that repeat are dropped. Shots is the
// published number of them.
func (f *file) demonstrate(rows []suite.Demonstration, shots int) error {
	shots = append(f.ref.Shots, shots)[0]
	seen := make(map[suite.Demonstration]bool, len(rows))
	var kept []suite.Demonstration
	for _, d := range rows {
		if !seen[d] {
			seen[d] = true
			kept = append(kept, d)
		}
	}
	if len(kept) <= shots {
		return fmt.Errorf("%s:1: %d different rows to draw %d demonstrations from, beside the question itself; "+
			"name a larger pool or fewer shots", f.ref.Pool, len(kept), shots)
	}
	for i := range f.cases {
		c := &f.cases[i]
		c.Pool, c.Shots, c.Rows = f.ref.Pool, shots, kept
	}
	return nil
}

// A faultCount counts cases of a published file that can be in no figure, and names the first.
type faultCount struct {
	why   string
	n     int
	first int // its line
}

// noPair is why a row is left out that lacks its question or its answer.
const noPair = "there is no question or no answer"

// leave counts a row that is left out, for one reason. That is no error: it returns nil, as what reads rows does.
func (f *file) leave(line int, why string) error {
	i := slices.IndexFunc(f.faults, func(g faultCount) bool { return g.why == why })
	if i < 0 {
		i, f.faults = len(f.faults), append(f.faults, faultCount{why: why, first: line})
	}
	f.faults[i].n++
	return nil
}

// left says what was left out.
func (f *file) left() {
	for _, g := range f.faults {
		f.warnf("%d left out, in no figure, the first at line %d: %s", g.n, g.first, g.why)
	}
}

// Writable reports why a suite that a reference names cannot be written as a suite file.
func Writable(reference string, s *suite.Suite) error {
	if ref, _, err := ParseReference(reference); err == nil &&
		(ref.Pool != "" || s.Cases.At(0).Pool != "" && s.Cases.At(0).Rows != nil && ref.Name != "") {
		return fmt.Errorf("%s: its demonstrations are drawn from a file that only a benchmark's reader reads, so "+
			"no suite file can name it; use --suite %s as it stands", s.Name, reference)
	}
	return nil
}
