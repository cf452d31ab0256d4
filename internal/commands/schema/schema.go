// Package schema makes the JSON Schemas of the formats that other programs read and write.
package schema

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"hallmark/internal/base/lists"
	"hallmark/internal/grade"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// A Posterior is a result of analyze posterior: of a language model that of package language, of another
// without what is said of calls.
type Posterior struct {
	Missing []language.Reason `json:"missing,omitempty"`
	Redrawn *int              `json:"redrawn,omitempty"`
	Calls   *int              `json:"calls,omitempty"`
	language.Result
}

// A SuiteFile is a suite as it stands in a file.
type SuiteFile struct {
	Suite suite.Suite  `json:"suite"`
	Cases []suite.Case `json:"cases"`
}

// scalar is a text, or a number that is read as its text.
func scalar() *jsonschema.Schema { return &jsonschema.Schema{Types: []string{"string", "number"}} }

type members = map[string]*jsonschema.Schema

func object(of members, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: of, Required: required}
}

func matches() []any {
	return lists.Map(suite.Matches, func(m suite.Match) any { return string(m) })
}

// special are the types whose JSON is not that of their fields.
var special = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[suite.Gold](): {
		Description: "one accepted text, a list of them, the index of an option, " +
			"texts each of which must be named, or numbers",
		AnyOf: []*jsonschema.Schema{
			scalar(), {Type: "array", Items: scalar()},
			object(members{"option": {Type: "integer"}}, "option"),
			object(members{"all": {Type: "array", Items: scalar()}}, "all"),
			object(members{"value": scalar(), "tolerance": scalar()}, "value", "tolerance"),
			object(members{"value": scalar(), "significant": {Type: "integer"}}, "value", "significant"),
			object(members{"range": {Type: "array", Items: scalar()}}, "range"),
		},
	},
	reflect.TypeFor[suite.Match]():   {Type: "string", Enum: matches()},
	reflect.TypeFor[grade.Verdict](): {Type: "string"},
	reflect.TypeFor[answer.Form]():   {Type: "string"},
	// An oracle has parts that are oracles, which the library cannot follow by itself.
	reflect.TypeFor[[]suite.Oracle](): {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
}

// Of makes the schema of a format from its Go type. Later releases may add keys, so none is forbidden.
func Of(title, about string, typ reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(typ, &jsonschema.ForOptions{TypeSchemas: special})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	openUp(s)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title, s.Description = title, about
	return s, nil
}

// openUp lets objects have keys that this release does not know.
func openUp(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	} else {
		openUp(s.AdditionalProperties)
	}
	for _, p := range s.Properties {
		openUp(p)
	}
	openUp(s.Items)
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.AllOf, s.OneOf} {
		for _, e := range list {
			openUp(e)
		}
	}
}
