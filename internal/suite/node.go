package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/yamlfault"
)

// Bounds on what a file may hold, so that a hostile one costs neither time nor memory.
const (
	maxBytes     = 256 << 20 // of a file in JSON, JSON Lines, CSV or TSV
	maxYAMLBytes = 32 << 20  // of a YAML file, whose tree takes some ten times its size
	maxDepth     = 32        // of lists and maps in one another
	maxAliased   = 100_000   // values that the aliases of a YAML file may expand to
	maxCases     = 1_000_000
	maxColumns   = 10_000     // of a table
	maxText      = 16 << 20   // bytes of one text of a case
	maxJSON      = 10_000_000 // values of a JSON document or a line, which take some 120 bytes each
	maxYAML      = 4_000_000  // and of a YAML file, some 300
)

type kind uint8

const (
	null kind = iota
	scalar
	list
	dict
)

func (k kind) String() string {
	return [...]string{"nothing", "a value", "a list", "keys and values"}[k]
}

// A node is one value of a file in any of the formats, with the line it stands on. A scalar keeps the text of the source, so
// that 2026-11-20, 007, yes and 1e3 stay what was written; the field that takes it decides what it is.
type node struct {
	kind  kind
	text  string
	line  int
	keys  []key // of a dict, in the order of the file; keys[i] belongs to items[i]
	items []*node
	lines map[string]int // of the keys, where they are many
}

type key struct {
	name string
	line int
}

// longest returns the bytes of the longest text in a node.
func (n *node) longest() int {
	most := len(n.text)
	for _, x := range n.items {
		most = max(most, x.longest())
	}
	return most
}

// get returns the value of a key of a dict, or nil.
func (n *node) get(name string) *node {
	if n.kind != dict {
		return nil
	}
	for i, k := range n.keys {
		if k.name == name {
			return n.items[i]
		}
	}
	return nil
}

// manyKeys is the number of keys of a dict from which on a key is not looked for one by one.
const manyKeys = 32

// add puts a key into a dict and says where the same key stood before.
func (n *node) add(k key, v *node) (before int, twice bool) {
	if len(n.keys) == manyKeys {
		n.lines = map[string]int{}
		for _, old := range n.keys {
			n.lines[old.name] = old.line
		}
	}
	if n.lines != nil {
		if before, twice = n.lines[k.name]; twice {
			return before, true
		}
		n.lines[k.name] = k.line
	} else if i := slices.IndexFunc(n.keys, func(old key) bool { return old.name == k.name }); i >= 0 {
		return n.keys[i].line, true
	}
	n.keys = append(n.keys, k)
	n.items = append(n.items, v)
	return 0, false
}

// A fault is an error at a place of a file.
type fault struct {
	file string
	line int
	text string
}

func (f *fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text) }

func faultf(file string, line int, format string, args ...any) error {
	return &fault{file, max(line, 1), fmt.Sprintf(format, args...)}
}

// fewValues refuses a text that may hold more values than are read, by the signs that stand between them.
func fewValues(file string, data []byte, line int, between string, most int) error {
	n := 0
	for i := range between {
		n += bytes.Count(data, []byte{between[i]})
	}
	if n > most {
		return faultf(file, line, "more than %d values or lines; split the file, or write a case a line (.jsonl)", most)
	}
	return nil
}

// parseYAML reads the one document of a YAML file.
func parseYAML(file string, data []byte) (*node, error) {
	if err := fewValues(file, data, 1, ",[{\n", maxYAML); err != nil {
		return nil, err
	}
	if len(data) > maxYAMLBytes {
		return nil, faultf(file, 1, "%d MiB of YAML; at most %d are read, write a larger suite as JSON Lines", len(data)>>20, maxYAMLBytes>>20)
	}
	var root yaml.Node
	if err := yaml.Load(data, &root, yaml.WithV4Defaults()); err != nil {
		line, what := yamlfault.Of(err)
		return nil, faultf(file, line, "not valid YAML: %s", what)
	}
	c := yamlReader{file: file}
	n := &root
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	return c.read(n, 0, false)
}

// A yamlReader turns the library's tree into ours and counts what aliases expand to.
type yamlReader struct {
	file    string
	aliased int
}

func (c *yamlReader) read(y *yaml.Node, depth int, aliased bool) (*node, error) {
	if depth > maxDepth && aliased {
		return nil, faultf(c.file, y.Line, "aliases nest too deep, or one stands in the value that it names; write them out")
	}
	if depth > maxDepth {
		return nil, faultf(c.file, y.Line, "more than %d lists and maps in one another", maxDepth)
	}
	if aliased {
		if c.aliased++; c.aliased > maxAliased {
			return nil, faultf(c.file, y.Line, "the aliases of this file expand to more than %d values; write them out", maxAliased)
		}
	}
	n := &node{line: y.Line}
	switch y.Kind {
	case yaml.AliasNode:
		return c.read(y.Alias, depth+1, true)
	case yaml.ScalarNode:
		if n.text = y.Value; y.ShortTag() != "!!null" {
			n.kind = scalar
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			v, err := c.read(item, depth+1, aliased)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case yaml.MappingNode:
		n.kind = dict
		for i := 0; i+1 < len(y.Content); i += 2 {
			k := y.Content[i]
			if k.Kind == yaml.AliasNode {
				k = k.Alias
			}
			if k.Kind != yaml.ScalarNode {
				return nil, faultf(c.file, k.Line, "a key must be a word")
			}
			v, err := c.read(y.Content[i+1], depth+1, aliased)
			if err != nil {
				return nil, err
			}
			if before, twice := n.add(key{k.Value, k.Line}, v); twice {
				return nil, faultf(c.file, k.Line, "key %q twice, first on line %d; keep one", k.Value, before)
			}
		}
	}
	return n, nil
}

// A jsonReader reads JSON values from data and knows the line of each.
type jsonReader struct {
	file string
	data []byte
	dec  *json.Decoder
	seen int64 // bytes whose line breaks are counted in line
	line int
}

func newJSON(file string, data []byte, line int) *jsonReader {
	r := &jsonReader{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: line}
	r.dec.UseNumber()
	return r
}

// parseJSON reads data that holds exactly one JSON value and begins on the given line.
func parseJSON(file string, data []byte, line int) (*node, error) {
	if err := fewValues(file, data, line, ",[{", maxJSON); err != nil {
		return nil, err
	}
	r := newJSON(file, data, line)
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, faultf(file, r.at(), "text after the end of the JSON value")
	}
	return n, nil
}

// at returns the line of the token that was read last.
func (r *jsonReader) at() int {
	if end := r.dec.InputOffset(); end > r.seen {
		r.line += bytes.Count(r.data[r.seen:end], []byte{'\n'})
		r.seen = end
	}
	return r.line
}

func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	line := r.at()
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, faultf(r.file, r.line+bytes.Count(bytes.TrimRight(r.data[r.seen:], "\r\n\t "), []byte{'\n'}), "the JSON value is cut off")
	case errors.As(err, &syntax):
		if rest := r.data[r.seen:]; syntax.Offset > r.seen && syntax.Offset <= int64(len(r.data)) {
			line += bytes.Count(rest[:syntax.Offset-r.seen], []byte{'\n'})
		}
		return nil, faultf(r.file, line, "not valid JSON: %v", syntax)
	}
	return nil, faultf(r.file, line, "not valid JSON: %v", err)
}

func (r *jsonReader) value(depth int) (*node, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	return r.rest(t, depth)
}

// rest reads the rest of the value that begins with t.
func (r *jsonReader) rest(t json.Token, depth int) (*node, error) {
	n := &node{kind: scalar, line: r.at()}
	if depth > maxDepth {
		return nil, faultf(r.file, n.line, "more than %d lists and objects in one another", maxDepth)
	}
	switch t := t.(type) {
	case nil:
		n.kind = null
	case string:
		n.text = t
	case json.Number:
		n.text = t.String()
	case bool:
		n.text = fmt.Sprint(t)
	case json.Delim:
		if n.kind = list; t == '{' {
			n.kind = dict
		}
		for r.dec.More() {
			var k key
			if n.kind == dict {
				t, err := r.token()
				if err != nil {
					return nil, err
				}
				k = key{t.(string), r.at()}
			}
			v, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if n.kind == list {
				n.items = append(n.items, v)
			} else if before, twice := n.add(k, v); twice {
				return nil, faultf(r.file, k.line, "key %q twice, first on line %d; keep one", k.name, before)
			}
		}
		if _, err := r.token(); err != nil { // the closing bracket
			return nil, err
		}
	}
	return n, nil
}

// Nearest returns the known word that a misspelt one most likely means, and false where none is near.
func Nearest(word string, known []string) (string, bool) {
	best, bestAt := "", len(word)/3+2
	for _, k := range known {
		if d := Distance(strings.ToLower(word), k); d < bestAt {
			best, bestAt = k, d
		}
	}
	return best, best != ""
}

// Distance is the number of letters to insert, delete or replace to get from a to b (Levenshtein); above 64 letters it is not counted.
func Distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0]++
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(last+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// typos is the distance, with two neighbouring letters exchanged counted as one.
func typos(a, b string) int {
	d := Distance(a, b)
	for i := 0; i+1 < len(a) && len(a) <= 64; i++ {
		if a[i] != a[i+1] {
			swapped := a[:i] + a[i+1:i+2] + a[i:i+1] + a[i+2:]
			d = min(d, 1+Distance(swapped, b))
		}
	}
	return d
}

// suggest ends a message about an unknown word: with the near one, or with all.
func suggest(word string, known []string) string {
	if k, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", k)
	}
	return "known are " + strings.Join(known, ", ")
}
