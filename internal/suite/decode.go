package suite

import (
	"reflect"
	"strconv"

	"hallmark/internal/base/strictyaml"
)

// A decoder fills the structs of this package from the values of a file.
type decoder struct{ file string }

var (
	goldType    = reflect.TypeFor[Gold]()
	weightsType = reflect.TypeFor[Weights]()
)

// decode fills what into points to from n. What is its name for messages: "case" or "suite".
func (d *decoder) decode(n *strictyaml.Node, into any, what string) error {
	s := &strictyaml.Decoder{File: d.file, Special: d.special}
	if what == "case" {
		s.Also = columnNames()
	}
	return s.Decode(n, into, what)
}

// special reads golds and whole numbers, and lets an axis without a weight keep its own.
func (d *decoder) special(n *strictyaml.Node, v reflect.Value, what string) (taken bool, err error) {
	switch {
	case n.Kind == strictyaml.Null:
		return false, nil
	case v.Type() == goldType:
		g, err := d.gold(n)
		v.Set(reflect.ValueOf(g))
		return true, err
	case v.Type() == weightsType:
		v.Set(reflect.ValueOf(DefaultWeights))
	case v.Kind() == reflect.Int:
		var i int
		err := d.integer(n, &i, what)
		v.SetInt(int64(i))
		return true, err
	}
	return false, nil
}

func (d *decoder) integer(n *strictyaml.Node, to *int, what string) error {
	i, err := strconv.Atoi(n.Text)
	if n.Kind != strictyaml.Scalar || err != nil || i < 0 {
		return strictyaml.Faultf(d.file, n.Line, "%s must be a whole number from 0, not %q", what, n.Text)
	}
	*to = i
	return nil
}

// key is a key that a column, or another form of a case, stands for.
func key(name string, line int) strictyaml.Key { return strictyaml.Key{Name: name, Line: line} }
