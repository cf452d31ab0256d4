package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"hallmark/internal/annotate"
	"hallmark/internal/answer"
	"hallmark/internal/assay"
	"hallmark/internal/assay/belief"
	"hallmark/internal/evaluate/answers"
	"hallmark/internal/evaluate/driver"
	"hallmark/internal/evaluate/paired"
	"hallmark/internal/evaluate/sheets"
	"hallmark/internal/evaluate/stored"
	"hallmark/internal/exit"
	"hallmark/internal/grade"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/report"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// schemas are the formats that other programs read and write, by name, with the Go type that makes or reads each.
var schemas = map[string]struct {
	about string
	typ   reflect.Type
}{
	"run":                 {"hallmark run --json, hallmark report --format json", reflect.TypeFor[assay.Document]()},
	"case":                {"hallmark show RUN CASE --json", reflect.TypeFor[assay.CaseRow]()},
	"analyze-consistency": {"hallmark analyze consistency", reflect.TypeFor[consistency.Result]()},
	"analyze-rubric":      {"hallmark analyze rubric", reflect.TypeFor[answers.Rubric]()},
	"analyze-agreement":   {"hallmark analyze agreement", reflect.TypeFor[agreement.Result]()},
	"analyze-detection":   {"hallmark analyze detection", reflect.TypeFor[detect.Result]()},
	"analyze-posterior":   {"hallmark analyze posterior; what is of language models alone is absent elsewhere", reflect.TypeFor[analyzedPosterior]()},
	"analyze-regression":  {"hallmark analyze regression", reflect.TypeFor[synthetic.Summary]()},
	"plan-posterior":      {"hallmark plan posterior", reflect.TypeFor[posteriorDesign]()},
	"analyze-wilson":      {"hallmark analyze wilson", reflect.TypeFor[stat.Rate]()},
	"annotate":            {"hallmark annotate import, hallmark annotate show", reflect.TypeFor[sheets.Document]()},
	"annotate-row":        {"a line of a sheet of hallmark annotate export in JSONL", reflect.TypeFor[annotate.Row]()},
	"series":              {"hallmark compare --series", reflect.TypeFor[paired.Series]()},
	"protocol":            {"protocol.json of hallmark report --format evidence", reflect.TypeFor[report.Protocol]()},
	"check":               {"hallmark check --json", reflect.TypeFor[stored.Checked]()},
	"verify":              {"hallmark verify --json", reflect.TypeFor[verified]()},
	"grade-check":         {"hallmark grade check", reflect.TypeFor[grading.CheckDocument]()},
	"verdict":             {"a line of verdicts.jsonl of hallmark report --format evidence", reflect.TypeFor[assay.Reading]()},
	"compare":             {"hallmark compare, hallmark analyze reduction", reflect.TypeFor[paired.Comparison]()},
	"generate":            {"hallmark generate --json", reflect.TypeFor[generated]()},
	"plan":                {"hallmark plan", reflect.TypeFor[sizeDocument]()},
	"plan-run":            {"hallmark plan run", reflect.TypeFor[driver.Forecast]()},
	"suite":               {"a suite file in YAML or JSON", reflect.TypeFor[suiteFile]()},
	"suite-line":          {"a case of a suite in JSONL: a line after the header", reflect.TypeFor[suite.Case]()},
}

// An analyzedPosterior is a result of analyze posterior: of a language model that of package belief, of another without what is said of calls.
type analyzedPosterior struct {
	Missing []belief.Reason `json:"missing,omitempty"`
	Redrawn *int            `json:"redrawn,omitempty"`
	Calls   *int            `json:"calls,omitempty"`
	belief.Result
}

// A suiteFile is a suite as it stands in a file.
type suiteFile struct {
	Suite suite.Suite  `json:"suite"`
	Cases []suite.Case `json:"cases"`
}

// scalar is a text, or a number that is read as its text.
func scalar() *jsonschema.Schema { return &jsonschema.Schema{Types: []string{"string", "number"}} }

func matches() []any {
	var all []any
	for _, m := range suite.Matches {
		all = append(all, string(m))
	}
	return all
}

// special are the types whose JSON is not that of their fields.
var special = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[suite.Gold](): {
		Description: "one accepted text, a list of them, the index of an option, texts each of which must be named, or numbers",
		AnyOf: []*jsonschema.Schema{
			scalar(), {Type: "array", Items: scalar()},
			{Type: "object", Properties: map[string]*jsonschema.Schema{"option": {Type: "integer"}}, Required: []string{"option"}},
			{Type: "object", Properties: map[string]*jsonschema.Schema{"all": {Type: "array", Items: scalar()}}, Required: []string{"all"}},
			{Type: "object", Properties: map[string]*jsonschema.Schema{"value": scalar(), "tolerance": scalar()}, Required: []string{"value", "tolerance"}},
			{Type: "object", Properties: map[string]*jsonschema.Schema{"value": scalar(), "significant": {Type: "integer"}}, Required: []string{"value", "significant"}},
			{Type: "object", Properties: map[string]*jsonschema.Schema{"range": {Type: "array", Items: scalar()}}, Required: []string{"range"}},
		},
	},
	reflect.TypeFor[suite.Match]():   {Type: "string", Enum: matches()},
	reflect.TypeFor[grade.Verdict](): {Type: "string"},
	reflect.TypeFor[answer.Form]():   {Type: "string"},
	// An oracle has parts that are oracles, which the library cannot follow by itself.
	reflect.TypeFor[[]suite.Oracle](): {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schemas of the formats that other programs read",
		Long:  "Print one JSON Schema, or without a name an object of all of them: " + strings.Join(slices.Sorted(maps.Keys(schemas)), ", ") + ".",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				all := map[string]*jsonschema.Schema{}
				for name := range schemas {
					s, err := schemaOf(name)
					if err != nil {
						return err
					}
					all[name] = s
				}
				return writeJSON(a.stdout, all)
			}
			if _, ok := schemas[args[0]]; !ok {
				return exit.Usagef("no format is named %q; there are %s", args[0], strings.Join(slices.Sorted(maps.Keys(schemas)), ", "))
			}
			s, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, s)
		},
	}
}

// schemaOf makes the schema of a format from its Go type. Later releases may add keys, so none is forbidden.
func schemaOf(name string) (*jsonschema.Schema, error) {
	f := schemas[name]
	s, err := jsonschema.ForType(f.typ, &jsonschema.ForOptions{TypeSchemas: special})
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	openUp(s)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title, s.Description = "hallmark "+name, f.about
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
