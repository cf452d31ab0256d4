package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v4"
)

// SchemaLine is the first line of a suite in YAML. Editors find the schema that it names beside the suite; hallmark
// schema prints it.
const SchemaLine = "# yaml-language-server: $schema=hallmark-suite.schema.json\n"

// WriteYAML writes the suite in its canonical form, which Read reads back unchanged: keys in the order of the
// structs, zero values left out, pools by name.
func (s *Suite) WriteYAML(w io.Writer) error {
	put := func(v any) error {
		out, err := yaml.Dump(v, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
		if err != nil {
			return fmt.Errorf("suite %q: %w", s.Name, err)
		}
		_, err = w.Write(out)
		return err
	}
	head := "cases:\n"
	cases := s.Cases
	if cases.Len() == 0 {
		head = "cases: []\n"
	}
	if _, err := io.WriteString(w, SchemaLine); err != nil {
		return err
	}
	if err := put(struct {
		Suite *Suite `yaml:"suite"`
	}{s}); err != nil {
		return err
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for part := range slices.Chunk(cases.Loose(), yamlPart) {
		if err := put(part); err != nil {
			return err
		}
	}
	return nil
}

// yamlPart is how many cases are written at a time: the tree of nodes of a whole suite takes 90 kB a case.
const yamlPart = 64

// WriteJSONL writes the suite as JSON Lines, the header first; the form for large suites.
func (s *Suite) WriteJSONL(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Suite *bare `json:"suite"`
	}{(*bare)(s)}); err != nil {
		return err
	}
	for _, c := range s.Cases.Pass() {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}
