package yamlfault

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Load reads YAML into a pointer to a struct. The first key that is none of the struct's, or stands twice, is an error, in time that grows with
// the text alone: the library compares every key with every other. It returns the line of an error and what is wrong, as Of does, and the
// document.
func Load(data []byte, into any) (root *yaml.Node, line int, err error) {
	root = &yaml.Node{}
	if err := yaml.Load(data, root); err != nil {
		line, what := Of(err)
		return nil, line, errors.New(what)
	}
	w := walk{seen: map[visit]bool{}}
	if err := w.keys(root, reflect.TypeOf(into)); err != nil {
		return nil, max(w.line, 1), err
	}
	if err := root.Load(into, yaml.WithUniqueKeys(false)); err != nil {
		line, what := Of(err)
		return nil, line, errors.New(what)
	}
	return root, 0, nil
}

// A visit is a node and the type that it is read as; an alias leads to one again.
type visit struct {
	n *yaml.Node
	t reflect.Type
}

type walk struct {
	seen map[visit]bool
	line int // of the fault
}

// keys checks the keys of a node that is read as a type, and of those in it.
func (w *walk) keys(n *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v := (visit{n, t}); w.seen[v] {
		return nil
	} else {
		w.seen[v] = true
	}
	switch {
	case n.Kind == yaml.DocumentNode:
		for _, c := range n.Content {
			if err := w.keys(c, t); err != nil {
				return err
			}
		}
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			if err := w.keys(c, t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode:
		return w.mapping(n, t)
	}
	return nil
}

func (w *walk) mapping(n *yaml.Node, t reflect.Type) error {
	lines := map[string]int{}
	known, names := map[string]reflect.Type{}, []string{}
	if t.Kind() == reflect.Struct {
		names = fields(t, known)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if w.line = k.Line; k.Kind != yaml.ScalarNode {
			return errors.New("a key must be a word")
		}
		if k.Tag == "!!merge" {
			if err := w.keys(v, t); err != nil {
				return err
			}
			continue
		}
		if before, twice := lines[k.Value]; twice {
			return fmt.Errorf("key %q twice, first on line %d; keep one", clip(k.Value), before)
		}
		lines[k.Value] = k.Line
		var of reflect.Type
		switch t.Kind() {
		case reflect.Map:
			of = t.Elem()
		case reflect.Struct:
			var ok bool
			if of, ok = known[k.Value]; !ok {
				return fmt.Errorf("unknown key %q; known are %s", clip(k.Value), strings.Join(names, ", "))
			}
		default:
			return nil // which the library refuses
		}
		if err := w.keys(v, of); err != nil {
			return err
		}
	}
	return nil
}

// fields adds the types of a struct's fields by their keys, with those of inlined structs, and returns the keys in their order.
func fields(t reflect.Type, into map[string]reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case rest == "inline":
			names = append(names, fields(f.Type, into)...)
		case name != "" && name != "-":
			into[name] = f.Type
			names = append(names, name)
		}
	}
	return names
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
