package suite

import (
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// SchemaLine is the first line of a suite in YAML. Editors find the schema that it names beside the suite; hallmark schema prints it.
const SchemaLine = "# yaml-language-server: $schema=hallmark-suite.schema.json\n"

// WriteYAML writes the suite in its canonical form, which Read reads back unchanged: keys in the order of the structs, zero
// values left out, pools by name.
func (s *Suite) WriteYAML(w io.Writer) error {
	out, err := yaml.Dump(struct {
		Suite *Suite `yaml:"suite"`
		Cases []Case `yaml:"cases"`
	}{s, s.Cases}, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
	if err != nil {
		return fmt.Errorf("suite %q: %w", s.Name, err)
	}
	_, err = w.Write(append([]byte(SchemaLine), out...))
	return err
}

// WriteJSONL writes the suite as JSON Lines, the header first; the form for large suites.
func (s *Suite) WriteJSONL(w io.Writer) error {
	head := *s
	head.Cases = nil
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Suite header `json:"suite"`
	}{header{&head, nil}}); err != nil {
		return err
	}
	for i := range s.Cases {
		if err := enc.Encode(&s.Cases[i]); err != nil {
			return err
		}
	}
	return nil
}

// A header is a suite without its cases: the outer field hides the inner one of the same name.
type header struct {
	*Suite
	Cases *struct{} `json:"cases,omitempty"`
}
