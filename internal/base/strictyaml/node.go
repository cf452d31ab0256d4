// Package strictyaml reads what people write into files: YAML and JSON, as values that know their line, and these
// into structs. It refuses what it does not know: an unknown key comes with the nearest known one, a key that
// stands twice with the line of the first, and every fault names FILE:LINE. Hostile files are bounded.
package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Bounds on what a file may hold, so that a hostile one costs neither time nor memory.
const (
	MaxBytes   = 32 << 20   // of a YAML file, whose tree takes some ten times its size
	maxDepth   = 32         // of lists and maps in one another
	maxAliased = 100_000    // values that the aliases of a YAML file may expand to
	MaxJSON    = 10_000_000 // values of a JSON document or a line, which take some 120 bytes each
	MaxValues  = 4_000_000  // and of a YAML file, some 300
)

// A Kind is what a value of a file is.
type Kind uint8

// The kinds of values.
const (
	Null   Kind = iota // nothing, as null, ~ or no text at all in YAML
	Scalar             // a text, a number, true or false
	List
	Dict // keys and values
)

// String returns the kind in words.
func (k Kind) String() string {
	return [...]string{"nothing", "a value", "a list", "keys and values"}[k]
}

// A Node is one value of a file, with the line it stands on. A scalar keeps the text of the source, so that 2026-11-20,
// 007, yes and 1e3 stay what was written; the field that takes it decides what it is.
type Node struct {
	Kind  Kind
	Text  string
	Line  int
	Keys  []Key // of a Dict, in the order of the file; Keys[i] belongs to Items[i]
	Items []*Node
	lines map[string]int // of the keys, where they are many
}

// A Key is one of a Dict, with its line.
type Key struct {
	Name string
	Line int
}

// LineOf returns the line of a key of a node, or of the node where it has no such key.
func (n *Node) LineOf(key string) int {
	if i := n.index(key); i >= 0 {
		return max(n.Keys[i].Line, 1)
	}
	return max(n.Line, 1)
}

// index returns which key has a name, -1 where none has.
func (n *Node) index(name string) int {
	return slices.IndexFunc(n.Keys, func(k Key) bool { return k.Name == name })
}

// Longest returns the bytes of the longest text in a node.
func (n *Node) Longest() int {
	most := len(n.Text)
	for _, x := range n.Items {
		most = max(most, x.Longest())
	}
	return most
}

// Get returns the value of a key of a dict, or nil.
func (n *Node) Get(name string) *Node {
	if i := n.index(name); i >= 0 {
		return n.Items[i]
	}
	return nil
}

// manyKeys is the number of keys of a dict from which on a key is not looked for one by one.
const manyKeys = 32

// add is Add where a key that stands twice is a fault.
func (n *Node) add(file string, k Key, v *Node) error {
	if before, twice := n.Add(k, v); twice {
		return Faultf(file, k.Line, "key %q twice, first on line %d; keep one", clip(k.Name), before)
	}
	return nil
}

// Add puts a key into a dict and says where the same key stood before.
func (n *Node) Add(k Key, v *Node) (before int, twice bool) {
	if len(n.Keys) == manyKeys {
		n.lines = map[string]int{}
		for _, old := range n.Keys {
			n.lines[old.Name] = old.Line
		}
	}
	if n.lines != nil {
		if before, twice = n.lines[k.Name]; twice {
			return before, true
		}
		n.lines[k.Name] = k.Line
	} else if i := n.index(k.Name); i >= 0 {
		return n.Keys[i].Line, true
	}
	n.Keys = append(n.Keys, k)
	n.Items = append(n.Items, v)
	return 0, false
}

// A Fault is an error at a place of a file.
type Fault struct {
	File string
	Line int
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Faultf returns a fault at a line of a file, the first where it has none.
func Faultf(file string, line int, format string, args ...any) error {
	return &Fault{file, max(line, 1), fmt.Sprintf(format, args...)}
}

// fewValues refuses a text that may hold more values than are read, by the signs that stand between them.
func fewValues(file string, data []byte, line int, between string, most int) error {
	n := 0
	for _, sign := range []byte(between) {
		n += bytes.Count(data, []byte{sign})
	}
	if n > most {
		return Faultf(file, line, "more than %d values or lines; split the file, or write a case a line (.jsonl)", most)
	}
	return nil
}

// Read reads the one document of a YAML file, or a JSON value, which is YAML. Keys that stand twice, what nests too
// deep and what would expand to too much are faults at their line.
func Read(file string, data []byte) (*Node, error) {
	if err := fewValues(file, data, 1, ",[{\n", MaxValues); err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, Faultf(file, 1, "%d MiB of YAML; at most %d are read, write a larger file as JSON lines",
			len(data)>>20, MaxBytes>>20)
	}
	var root yaml.Node
	if err := yaml.Load(data, &root, yaml.WithV4Defaults()); err != nil {
		line, what := of(err)
		return nil, Faultf(file, line, "not valid YAML: %s", what)
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

func (c *yamlReader) read(y *yaml.Node, depth int, aliased bool) (*Node, error) {
	if depth > maxDepth && aliased {
		return nil, Faultf(c.file, y.Line,
			"aliases nest too deep, or one stands in the value that it names; write them out")
	}
	if depth > maxDepth {
		return nil, Faultf(c.file, y.Line, "more than %d lists and maps in one another", maxDepth)
	}
	if aliased {
		if c.aliased++; c.aliased > maxAliased {
			return nil, Faultf(c.file, y.Line,
				"the aliases of this file expand to more than %d values; write them out", maxAliased)
		}
	}
	n := &Node{Line: y.Line}
	switch y.Kind {
	case yaml.AliasNode:
		return c.read(y.Alias, depth+1, true)
	case yaml.ScalarNode:
		if n.Text = y.Value; y.ShortTag() != "!!null" {
			n.Kind = Scalar
		}
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range y.Content {
			v, err := c.read(item, depth+1, aliased)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
		}
	case yaml.MappingNode:
		n.Kind = Dict
		return n, c.entries(n, y, depth, aliased)
	}
	return n, nil
}

// entries adds the keys of a mapping, those that "<<" names last.
func (c *yamlReader) entries(n *Node, y *yaml.Node, depth int, aliased bool) error {
	var merged []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Tag == "!!merge" {
			merged = append(merged, y.Content[i+1])
			continue
		}
		if k.Kind != yaml.ScalarNode {
			return Faultf(c.file, k.Line, "a key must be a word")
		}
		v, err := c.read(y.Content[i+1], depth+1, aliased)
		if err != nil {
			return err
		}
		if err := n.add(c.file, Key{k.Value, k.Line}, v); err != nil {
			return err
		}
	}
	for _, m := range merged {
		if err := c.merge(n, m, depth); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the keys of what "<<" names, one mapping or a list of them, that a mapping does not have itself.
func (c *yamlReader) merge(n *Node, of *yaml.Node, depth int) error {
	v, err := c.read(of, depth+1, of.Kind == yaml.AliasNode)
	if err != nil {
		return err
	}
	all := []*Node{v}
	if v.Kind == List {
		all = v.Items
	}
	for _, m := range all {
		if m.Kind != Dict {
			return Faultf(c.file, of.Line, "<< must name keys and values, not %s", m.Kind)
		}
		for i, k := range m.Keys {
			n.Add(k, m.Items[i]) // one that is there stays
		}
	}
	return nil
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

// A jsonReader reads JSON values from data and knows the line of each.
type jsonReader struct {
	file string
	data []byte
	dec  *json.Decoder
	seen int64 // bytes whose line breaks are counted in line
	line int
}

// ReadJSON reads data that holds exactly one JSON value and begins on the given line.
func ReadJSON(file string, data []byte, line int) (*Node, error) {
	if err := fewValues(file, data, line, ",[{", MaxJSON); err != nil {
		return nil, err
	}
	r := &jsonReader{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: line}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, Faultf(file, r.at(), "text after the end of the JSON value")
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
		return nil, Faultf(r.file, r.line+bytes.Count(bytes.TrimRight(r.data[r.seen:], "\r\n\t "), []byte{'\n'}),
			"the JSON value is cut off")
	case errors.As(err, &syntax):
		if rest := r.data[r.seen:]; syntax.Offset > r.seen && syntax.Offset <= int64(len(r.data)) {
			line += bytes.Count(rest[:syntax.Offset-r.seen], []byte{'\n'})
		}
		return nil, Faultf(r.file, line, "not valid JSON: %v", syntax)
	}
	return nil, Faultf(r.file, line, "not valid JSON: %v", err)
}

func (r *jsonReader) value(depth int) (*Node, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: Scalar, Line: r.at()}
	if depth > maxDepth {
		return nil, Faultf(r.file, n.Line, "more than %d lists and objects in one another", maxDepth)
	}
	switch t := t.(type) {
	case nil:
		n.Kind = Null
	default: // a word, a number, true or false
		n.Text = fmt.Sprint(t)
	case json.Delim:
		if n.Kind = List; t == '{' {
			n.Kind = Dict
		}
		for r.dec.More() {
			var k Key
			if n.Kind == Dict {
				t, err := r.token()
				if err != nil {
					return nil, err
				}
				k = Key{t.(string), r.at()}
			}
			v, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if n.Kind == List {
				n.Items = append(n.Items, v)
			} else if err := n.add(r.file, k, v); err != nil {
				return nil, err
			}
		}
		if _, err := r.token(); err != nil { // the closing bracket
			return nil, err
		}
	}
	return n, nil
}
