package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Plain returns the error of encoding/json in words about the text, and not about Go's types; other errors as they are.
func Plain(err error) error {
	var typ *json.UnmarshalTypeError
	if !errors.As(err, &typ) {
		return err
	}
	found, _, _ := strings.Cut(typ.Value, " ") // of a number, the number follows
	if typ.Field == "" {
		return fmt.Errorf("it is a JSON %s; want %s", found, Kind(typ.Type))
	}
	return fmt.Errorf("field %q is %s; want %s", Excerpt([]byte(typ.Field)), withArticle(found), Kind(typ.Type))
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// Kind says which kind of JSON value is read into a type of Go.
func Kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return Kind(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number in range"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Interface:
		return "an object"
	}
	return "a whole number in range"
}
