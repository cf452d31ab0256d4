// Package setting fills the flags of a command from the environment, from .env and from a plan file, and says what
// a file that came with a folder may decide: no program, no server, no key, no path outside, until somebody types
// that it may.
package setting

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/base/dotenv"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/base/within"
)

// maxConfigBytes bounds a plan file: far above any real one, far below what would hurt.
const maxConfigBytes = 4 << 20

// maxDotEnvBytes bounds .env, which holds a few keys.
const maxDotEnvBytes = 64 << 10

// LoadDotEnv adds the keys of .env in the working folder, the variables *_API_KEY, to the environment, where they are
// not set already. The folder may be a stranger's: what runs, where a key goes and what is believed comes from the
// command line and the process's environment alone. It returns the names that would have decided that, in order; names
// of other programs are not looked at.
func LoadDotEnv() (refused []string, err error) {
	info, err := os.Stat(".env")
	in, errLink := within.Folder(".", ".env")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf(".env: %v", errors.Unwrap(err))
	case errLink != nil || !in:
		return nil, errors.New(".env: it is a link that leads out of the working folder; " +
			"remove it, or work in another folder")
	case !info.Mode().IsRegular() || info.Size() > maxDotEnvBytes:
		return nil, fmt.Errorf(".env: it is no file of at most %d KiB; move it away, or work in another folder",
			maxDotEnvBytes>>10)
	}
	data, err := inputfile.Read(".env", maxDotEnvBytes)
	if err != nil {
		return nil, fmt.Errorf(".env: %v", inputfile.Cause(err))
	}
	vars, err := dotenv.Parse(data)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		_, set := os.LookupEnv(name)
		switch {
		case !strings.HasSuffix(name, "_API_KEY"):
			if decides(name) {
				refused = append(refused, name)
			}
		case !set:
			if err := os.Setenv(name, vars[name]); err != nil {
				return nil, fmt.Errorf(".env: %s: %v", name, err)
			}
		}
	}
	return refused, nil
}

// decides reports whether a variable is one by which this program, or what it connects with, goes.
func decides(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasPrefix(name, "HALLMARK_") || strings.HasPrefix(name, "SSL_CERT_") ||
		strings.HasSuffix(name, "_BASE_URL") || strings.HasSuffix(name, "_PROXY")
}

// Variable returns the variable that stands for a flag: --fail-on is HALLMARK_FAIL_ON.
func Variable(flag string) string {
	return "HALLMARK_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// former are the names that flags had in earlier releases, by which they go on to be known: on a command line, in a
// plan file, and as a variable.
var former = map[string]string{"paraphrase-draws": "paraphrase-samples", "wordings": "other-phrasings"}

// Renamed is the name of a flag that may be called by a former one.
func Renamed(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(cmp.Or(former[name], name))
}

// variable returns the variable that stands for a flag and its value, under a former name where that alone is set.
func variable(flag string) (name, value string) {
	name = Variable(flag)
	if value = os.Getenv(name); value == "" {
		for old, now := range former {
			if was := Variable(old); now == flag && os.Getenv(was) != "" {
				return was, os.Getenv(was)
			}
		}
	}
	return name, value
}

// FromEnvironment sets every flag that the command line left alone from its HALLMARK_… variable. An empty variable
// is none, as CI systems pass on variables that nobody set.
func FromEnvironment(flags *pflag.FlagSet) error {
	var first error
	flags.VisitAll(func(f *pflag.Flag) {
		name, value := variable(f.Name)
		if value == "" || f.Changed || first != nil || f.Name == "help" || f.Name == "version" {
			return
		}
		if slices.Contains(TypedOnly, f.Name) {
			first = fmt.Errorf("%s: --%s counts where it is typed only, so that no file or tool can set it", name,
				f.Name)
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			first = fmt.Errorf("%s: %w", name, BadValue(err))
		}
	})
	return first
}

// FromFile sets the flags that neither the command line nor the environment gave from a YAML plan file, whose keys
// are the flags' names. A list sets a repeatable flag once for each element; a mapping is written as key=value,… An
// unknown key is an error that names the line and the nearest key. A key of sections is no flag and read by its
// function, whose errors begin with FILE:LINE. What the file may not decide is an error, unless trusted says otherwise.
func FromFile(flags *pflag.FlagSet, path string, trusted Trust,
	sections map[string]func(*strictyaml.Node) error) error {
	trusted = trusted.Of(path)
	data, err := inputfile.Read(path, maxConfigBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %v", path, errors.Unwrap(err))
	}
	if err != nil {
		return fmt.Errorf("%s: %v; a plan file is a YAML file of at most %d MiB",
			path, inputfile.Cause(err), maxConfigBytes>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%s: the file is empty; write flags as keys, such as model: pocket", path)
	}
	doc, err := strictyaml.Read(path, data)
	if err != nil {
		return fmt.Errorf("%w; a plan is a YAML mapping of flags to values", err)
	}
	if doc.Kind != strictyaml.Dict {
		return fmt.Errorf("%s:1: a plan is a mapping of flags to values, such as model: pocket", path)
	}
	return Fill(flags, path, doc, trusted, sections)
}

// Fill sets the flags that were not given from a mapping of a plan file, as FromFile does from the whole file; trusted
// is the Trust of that file.
func Fill(flags *pflag.FlagSet, path string, doc *strictyaml.Node, trusted Trust,
	sections map[string]func(*strictyaml.Node) error) error {
	for i, key := range doc.Keys {
		value := doc.Items[i]
		if key.Name == "config" || key.Name == "help" {
			return fmt.Errorf("%s:%d: %s counts where it is typed only; take it out of the plan", path, key.Line,
				key.Name)
		}
		flag := flags.Lookup(key.Name)
		if section := sections[key.Name]; section != nil {
			if err := section(value); err != nil {
				return err
			}
			continue
		}
		if flag == nil {
			return fmt.Errorf("%s:%d: unknown key %q; did you mean %q?", path, key.Line, key.Name, Nearest(key.Name,
				slices.Concat(FlagNames(flags), slices.Sorted(maps.Keys(sections)))))
		}
		if flag.Changed {
			continue
		}
		values, err := scalars(value)
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %v", path, value.Line, key.Name, err)
		}
		for _, v := range values {
			if err := trusted.permits(flag, v); err != nil {
				return fmt.Errorf("%s:%d: %w", path, value.Line, err)
			}
			if err := flags.Set(key.Name, v); err != nil {
				return fmt.Errorf("%s:%d: %w", path, value.Line, BadValue(err))
			}
		}
	}
	return nil
}

// scalars returns the values that a value of a plan sets a flag to, in their order.
func scalars(n *strictyaml.Node) ([]string, error) {
	var all []string
	for i, e := range n.Items {
		switch {
		case e.Kind > strictyaml.Scalar && n.Kind == strictyaml.List:
			return nil, fmt.Errorf("a list here holds plain values")
		case e.Kind > strictyaml.Scalar:
			return nil, fmt.Errorf("a mapping here holds plain values")
		case n.Kind == strictyaml.Dict:
			all = append(all, n.Keys[i].Name+"="+e.Text)
		default:
			all = append(all, e.Text)
		}
	}
	switch n.Kind {
	case strictyaml.List:
		return all, nil
	case strictyaml.Dict:
		return []string{strings.Join(all, ",")}, nil
	}
	return []string{n.Text}, nil
}

// FlagNames returns the names of the flags in order.
func FlagNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	return names
}

// Nearest returns the candidate with the smallest edit distance to the word, in whose spelling capitals,
// underscores and what stands around it count for nothing.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(strings.Trim(strings.ReplaceAll(word, "_", "-"), "- "))
	return slices.MinFunc(candidates, func(a, b string) int {
		return strictyaml.Distance(word, a) - strictyaml.Distance(word, b)
	})
}

// BadValue replaces the parser's words about a flag's value by what the flag takes.
func BadValue(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	want := map[string]string{
		"int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number",
		"bool":     "true or false",
		"intSlice": "whole numbers, with commas", "float64Slice": "numbers, with commas",
		"duration": "a time with its unit, such as 90s or 2m",
	}[bad.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", bad.GetFlag().Name, bad.GetValue(), want)
}
