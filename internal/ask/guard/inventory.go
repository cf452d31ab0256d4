package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/seed"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quotation"
)

// An Inventory is what a deployment declares to know, an index in the words of users: names of entities,
// identifiers and passages. It is no list of answers; what it does not hold is not thereby false, except where it
// is complete. It must not be changed once a guard has it.
type Inventory struct {
	Name string `yaml:"name" json:"name,omitempty"`
	// Complete says that whoever and whatever questions may be about is in the inventory, so that a name that
	// neither the inventory nor the context holds is one of which nothing can be known.
	Complete    bool               `yaml:"complete" json:"complete,omitempty"`
	Entities    []Entity           `yaml:"entities" json:"entities,omitempty"`
	Identifiers []Identifier       `yaml:"identifiers" json:"identifiers,omitempty"`
	Passages    []evidence.Passage `yaml:"passages" json:"passages,omitempty"`

	once     sync.Once
	byFirst  map[string][]*named    // names by their first word
	byLast   map[string][]*named    // names of several words by their last
	words    map[string]bool        // of all names
	ids      map[string]*Identifier // by compared form
	shapes   map[string]bool        // of the identifiers: see shapeOf
	kinds    map[string]string      // compared names of entities to their kinds; "" where two kinds share a name
	mention  map[string][]int       // words of passages to passages
	passages []quotation.Source     // as Passages
	reading  []map[string]bool      // words of each passage
}

// An Entity is something that exists by a name.
type Entity struct {
	Name    string   `yaml:"name" json:"name"`
	Kind    string   `yaml:"kind" json:"kind,omitempty"`       // person, city, country, …
	Aliases []string `yaml:"aliases" json:"aliases,omitempty"` // other names
	About   string   `yaml:"about" json:"about,omitempty"`     // what tells it from others of its name: "the country"
}

// An Identifier is one that exists, and of what.
type Identifier struct {
	ID   string `yaml:"id" json:"id"`
	Kind string `yaml:"kind" json:"kind,omitempty"` // doi, isbn, url, catalogue number, …
	// the name of what it identifies; empty if the inventory does not say
	Of string `yaml:"of" json:"of,omitempty"`
}

// MaxInventoryBytes bounds an inventory file.
const MaxInventoryBytes = 64 << 20

// ReadInventory reads an inventory in YAML (or JSON). The error is one line that starts with FILE:LINE where a line
// is at fault.
func ReadInventory(name string, r io.Reader) (*Inventory, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxInventoryBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(data) > MaxInventoryBytes:
		return nil, fmt.Errorf("%s: an index has at most %d MiB", name, MaxInventoryBytes>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s:1: the file is empty; write lists of entities, identifiers or passages", name)
	}
	if values(data) > maxValues {
		return nil, fmt.Errorf("%s:1: more than %d values or lines; leave out what no question is about", name,
			maxValues)
	}
	x, lines := readEntries(data)
	lineOf := func(list string, i int) int { return lines[list][i] }
	if x == nil {
		if values(data) > maxTree {
			return nil, fmt.Errorf("%s:1: more than %d values or lines; in an index of so many each entry stands "+
				"on a line of its own, as JSON, without comments: - {\"name\": \"…\"}", name, maxTree)
		}
		x = &Inventory{}
		root, err := load(name, data, x)
		if err != nil {
			return nil, err
		}
		lineOf = func(list string, i int) int { return root.Get(list).Items[i].Line }
	}
	if list, i, err := x.check(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, lineOf(list, i), err)
	}
	return x, nil
}

// Bounds on the values of an index, each of which takes some hundred bytes, and in the tree of a YAML file a thousand.
const (
	maxValues = 4_000_000
	maxTree   = 400_000
	atOnce    = 64 << 10 // bytes of entries that are read as one tree
)

// values returns how many values a text may hold, by the signs that stand between them.
func values(data []byte) (n int) {
	for _, sign := range []string{",", "[", "{", "\n"} {
		n += bytes.Count(data, []byte(sign))
	}
	return n
}

// readEntries reads an index of which each entry stands on a line of its own as JSON, as Write writes them, some at
// a time: the tree of the whole file would take a hundred times its bytes. It returns the lines of the entries too,
// and nil for any other index, also one with comments.
func readEntries(data []byte) (*Inventory, map[string][]int) {
	// which YAML takes for an end of a line too
	if bytes.Count(data, []byte("\r")) > bytes.Count(data, []byte("\r\n")) {
		return nil, nil
	}
	x, lines := &Inventory{}, map[string][]int{}
	into := map[string]func(part []byte) bool{"entities": entriesOf(&x.Entities),
		"identifiers": entriesOf(&x.Identifiers), "passages": entriesOf(&x.Passages)}
	var head, part []byte // the lines that are in no list, and entries of the list that are still to be read
	list, indent, n := "", 0, 0
	flush := func() bool {
		ok := len(part) == 0 || into[list](part)
		part = part[:0]
		return ok
	}
	for line := range bytes.Lines(data) {
		n++
		key, rest, isKey := strings.Cut(string(line[:min(len(line), 1<<10)]), ":")
		before, ok := entryAt(line)
		switch {
		case len(bytes.Trim(line, " \r\n")) == 0:
			continue
		case ok && list != "":
			if len(lines[list]) == 0 {
				indent = before
			}
			ok = before == indent && (len(part)+len(line) <= atOnce || flush())
			lines[list], part = append(lines[list], n), append(part, line...)
		case isKey && into[key] != nil && strings.Trim(rest, " \r\n") == "" && lines[key] == nil:
			ok = flush()
			list, lines[key] = key, []int{}
		default:
			ok = isKey && (key == "name" || key == "complete")
			head = append(head, line...)
		}
		if !ok {
			return nil, nil
		}
	}
	if !flush() || len(head)+len(lines) == 0 {
		return nil, nil
	}
	if len(head) > 0 {
		if _, err := load("", head, x); err != nil {
			return nil, nil
		}
	}
	return x, lines
}

// entryAt reports whether a line is an entry of a list in JSON, and how many blanks are before it.
func entryAt(line []byte) (blanks int, ok bool) {
	text := bytes.TrimLeft(line, " ")
	entry, ok := bytes.CutPrefix(text, []byte("- "))
	return len(line) - len(text), ok && len(line) <= atOnce && bytes.HasPrefix(entry, []byte("{")) && json.Valid(entry)
}

// entriesOf returns a function that adds what a YAML list holds to entries, and reports whether it could be read.
func entriesOf[T any](entries *[]T) func(part []byte) bool {
	return func(part []byte) bool {
		var more []T
		if _, err := load("", part, &more); err != nil {
			return false
		}
		*entries = append(*entries, more...)
		return true
	}
}

// load reads an index, or a part of one, and returns where its parts stand.
func load(name string, data []byte, into any) (*strictyaml.Node, error) {
	root, err := strictyaml.Read(name, data)
	if err == nil {
		err = (&strictyaml.Decoder{File: name}).Decode(root, into, "an index")
	}
	return root, err
}

// check returns the first entry that is unusable: its list, its place there and what is wrong.
func (x *Inventory) check() (list string, i int, err error) {
	for i, e := range x.Entities {
		if len(evidence.Phrase(e.Name)) == 0 {
			return "entities", i, fmt.Errorf("entity %d has no name: write {name: …, kind: …}", i+1)
		}
	}
	for i, id := range x.Identifiers {
		if strings.TrimSpace(id.ID) == "" {
			return "identifiers", i, fmt.Errorf("identifier %d is empty: write {id: …, kind: …, of: …}", i+1)
		}
	}
	seen := map[string]bool{}
	for i, p := range x.Passages {
		switch {
		case p.ID == "" || strings.TrimSpace(p.Text) == "":
			return "passages", i, fmt.Errorf("passage %d lacks its id or its text: write {id: P1, text: …}", i+1)
		case seen[p.ID]:
			return "passages", i, fmt.Errorf("passage %q stands twice: ids are unique", p.ID)
		}
		seen[p.ID] = true
	}
	return "", 0, nil
}

// Hash names the content of an inventory, as "sha256:" and 16 hexadecimal digits; "none" is that of nil and of an
// empty one.
func (x *Inventory) Hash() string {
	if x == nil || len(x.Entities)+len(x.Identifiers)+len(x.Passages) == 0 && !x.Complete {
		return "none"
	}
	b, err := json.Marshal(x)
	if err != nil { // plain values only
		panic("guard: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:8])
}

// Write writes the inventory in the form that ReadInventory reads, a line for each entry.
func (x *Inventory) Write(w io.Writer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(x.Name)
	head := strings.TrimSpace(b.String())
	b.Reset()
	fmt.Fprintf(&b, "name: %s\ncomplete: %v\n", head, x.Complete)
	list := func(name string, n int, entry func(i int) any) {
		if n == 0 {
			return
		}
		b.WriteString(name + ":\n")
		for i := range n {
			b.WriteString("  - ")
			err = errors.Join(err, enc.Encode(entry(i))) // JSON, which YAML holds
		}
	}
	list("entities", len(x.Entities), func(i int) any { return x.Entities[i] })
	list("identifiers", len(x.Identifiers), func(i int) any { return x.Identifiers[i] })
	list("passages", len(x.Passages), func(i int) any { return x.Passages[i] })
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// Cover returns the part of an inventory that is left when each entity is known with the given chance, in percent:
// with it go its identifiers and the passages that name it. Parts of one seed are nested: what is in 50 % is in 80
// %. What names no entity is drawn by itself. The part keeps Complete.
func (x *Inventory) Cover(percent float64, from uint64) *Inventory {
	kept := func(kind, name string) bool {
		return seed.Stream(from, "guard", "coverage", kind, name).Float64()*100 < percent
	}
	part := &Inventory{Name: x.Name, Complete: x.Complete}
	known := map[string]bool{} // by name: in the part or not
	for _, e := range x.Entities {
		if known[e.Name] = kept("entity", e.Name); known[e.Name] {
			part.Entities = append(part.Entities, e)
		}
	}
	for _, id := range x.Identifiers {
		in, of := known[id.Of]
		if !of {
			in = kept("identifier", id.ID)
		}
		if in {
			part.Identifiers = append(part.Identifiers, id)
		}
	}
	x.prepare()
	for _, p := range x.Passages {
		names := x.namesIn(evidence.Read(p.Text))
		lacks := slices.ContainsFunc(names, func(n mention) bool { return !known[n.entity.Name] })
		if !lacks && (len(names) > 0 || kept("passage", p.ID)) {
			part.Passages = append(part.Passages, p)
		}
	}
	return part
}
