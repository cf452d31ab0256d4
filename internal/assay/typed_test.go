package assay

import (
	"encoding"
	"encoding/json"
	"reflect"
	"testing"

	"hallmark/internal/metric/method"
	"hallmark/internal/metric/rate"
)

// What pages, gates and comparisons read is typed all the way down, and its JSON is that of its fields: a figure.Tree
// finds the same names in it. A method.Beneath is one of three types. Only what an added method measured is of whatever
// type that method has.
func TestResultsAreTyped(t *testing.T) {
	known := map[reflect.Type]bool{}
	var walk func(at string, of reflect.Type)
	walk = func(at string, of reflect.Type) {
		if known[of] || of == reflect.TypeFor[method.Result]() && at == "Document.Models.SuiteResult.Measured" {
			return
		}
		known[of] = true
		if of.Implements(reflect.TypeFor[json.Marshaler]()) || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			t.Errorf("%s: a %v writes its own JSON", at, of)
		}
		switch of.Kind() {
		case reflect.Interface:
			if of != reflect.TypeFor[method.Beneath]() {
				t.Errorf("%s has no type", at)
			}
			for _, one := range []method.Beneath{method.Figures{}, &method.Change{}, method.PerRun{}} {
				walk(at, reflect.TypeOf(one))
			}
		case reflect.Map:
			walk(at, of.Key())
			walk(at, of.Elem())
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(at, of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				if f := of.Field(i); f.Tag.Get("json") != "-" && (f.IsExported() || f.Anonymous) {
					walk(at+"."+f.Name, f.Type)
				}
			}
		}
	}
	walk("Document", reflect.TypeFor[Document]())
	walk("Reduction", reflect.TypeFor[rate.Reduction]())
	walk("Series", reflect.TypeFor[rate.Series]())
	walk("Several", reflect.TypeFor[Several]())
	if len(known) < 100 {
		t.Errorf("%d types were seen: the walk is broken", len(known))
	}
}
