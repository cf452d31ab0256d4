package main

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/answers"
	"hallmark/internal/commands/doctor"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/paired"
	"hallmark/internal/commands/schema"
	"hallmark/internal/commands/sheets"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/suitecheck"
	"hallmark/internal/commands/suites"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/report"
	"hallmark/internal/report/papers"
	"hallmark/internal/report/rulebook"
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
	"analyze-posterior": {"hallmark analyze posterior; what is of language models alone is absent elsewhere",
		reflect.TypeFor[schema.Posterior]()},
	"analyze-regression": {"hallmark analyze regression", reflect.TypeFor[synthetic.Summary]()},
	"plan-posterior":     {"hallmark plan posterior", reflect.TypeFor[posterior.Designs]()},
	"analyze-wilson":     {"hallmark analyze wilson", reflect.TypeFor[stat.Rate]()},
	"annotate":           {"hallmark annotate import, hallmark annotate show", reflect.TypeFor[sheets.Document]()},
	"annotate-row":       {"a line of a sheet of hallmark annotate export in JSONL", reflect.TypeFor[annotate.Row]()},
	"table": {"hallmark report --table NAME --format json; a row has the columns of its CSV",
		reflect.TypeFor[papers.Document]()},
	"several": {"hallmark report RUN RUN… --format json, hallmark run --json of a plan with suites:",
		reflect.TypeFor[assay.Several]()},
	"series":      {"hallmark compare --series", reflect.TypeFor[paired.Series]()},
	"protocol":    {"protocol.json of hallmark report --format evidence", reflect.TypeFor[report.Protocol]()},
	"check":       {"hallmark check --json", reflect.TypeFor[stored.Checked]()},
	"verify":      {"hallmark verify --json", reflect.TypeFor[verified]()},
	"grade-check": {"hallmark grade check", reflect.TypeFor[grading.CheckDocument]()},
	"grade-drift": {"hallmark grade drift", reflect.TypeFor[report.DriftDocument]()},
	"verdict": {"a line of verdicts.jsonl of hallmark report --format evidence",
		reflect.TypeFor[assay.Reading]()},
	"compare":     {"hallmark compare, hallmark analyze reduction", reflect.TypeFor[paired.Comparison]()},
	"doctor":      {"hallmark doctor --json", reflect.TypeFor[doctor.Document]()},
	"generate":    {"hallmark generate --json", reflect.TypeFor[suites.Generated]()},
	"plan":        {"hallmark plan", reflect.TypeFor[planned]()},
	"plan-run":    {"hallmark plan run", reflect.TypeFor[driver.Forecast]()},
	"rubric":      {"hallmark rubric --json", reflect.TypeFor[rulebook.Spec]()},
	"suite-check": {"hallmark suite check --json", reflect.TypeFor[suitecheck.Document]()},
	"suite":       {"a suite file in YAML or JSON", reflect.TypeFor[schema.SuiteFile]()},
	"suite-line":  {"a case of a suite in JSONL: a line after the header", reflect.TypeFor[suite.Case]()},
}

func (a *app) schemaCommand() *cobra.Command {
	return command("schema [NAME]", cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
		names := args
		if len(args) == 0 {
			names = slices.Collect(maps.Keys(schemas))
		}
		all := map[string]*jsonschema.Schema{}
		for _, name := range names {
			f, ok := schemas[name]
			if !ok {
				return exit.Usagef("no format is named %q; there are %s", name,
					strings.Join(slices.Sorted(maps.Keys(schemas)), ", "))
			}
			var err error
			if all[name], err = schema.Of("hallmark "+name, f.about, f.typ); err != nil {
				return err
			}
		}
		if len(args) > 0 {
			return writeJSON(a.stdout, all[args[0]])
		}
		return writeJSON(a.stdout, all)
	})
}
