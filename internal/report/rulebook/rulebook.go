// Package rulebook is the rubric as a document for people and programs: every rule by which answers are read, with
// examples. The tests of internal/grade/rubric hold it to the code.
package rulebook

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

//go:embed rubric.yaml
var source []byte

// A Spec is the rubric as rubric.yaml has it, one document for people and programs: the axes, and every rule with
// examples that pass and fail.
type Spec struct {
	Grading grade.Grading `yaml:"-" json:"grading"` // by which the rules read
	About   string        `yaml:"about" json:"about"`
	Weights suite.Weights `yaml:"weights" json:"weights"`
	AsOf    string        `yaml:"as_of" json:"as_of"` // today, in the examples
	Cases   yaml.Node     `yaml:"cases" json:"-"`     // the questions of the examples, as in a suite
	Asked   []suite.Case  `yaml:"-" json:"cases"`     // the same, read
	Rules   []Rule        `yaml:"rules" json:"rules"`
}

// A Rule is one reason for a verdict. Passes and Fails are answers to its case; the one of them that has the rule's
// verdict has it by this rule. Example is an answer for the other verdicts, and Note says more.
type Rule struct {
	Name string `yaml:"rule" json:"rule"`
	// the oracles, classes, tags and requirements under which it applies
	Of string `yaml:"of" json:"of"`
	// truth, decidability, reciprocity or format; two of them where it decides both
	Axis    string  `yaml:"axis" json:"axis"`
	Verdict string  `yaml:"verdict" json:"verdict"`
	Case    string  `yaml:"case" json:"case"`
	Passes  string  `yaml:"passes" json:"passes,omitempty"`
	Fails   string  `yaml:"fails" json:"fails,omitempty"`
	Example *string `yaml:"example" json:"example,omitempty"`
	Finish  string  `yaml:"finish" json:"finish,omitempty"` // how the response of the example ended
	Times   int     `yaml:"times" json:"times,omitempty"`   // how often the example is said; 0 means once
	// Replies are those of a judge by answer, and Failure says why it gave none; Option is the one that scores prefer,
	// -1 for none.
	Replies map[string]string `yaml:"replies" json:"replies,omitempty"`
	Failure string            `yaml:"failure" json:"failure,omitempty"`
	// Panel are the replies of judges that are asked of outcomes, by answer.
	Panel  map[string][]string `yaml:"panel" json:"panel,omitempty"`
	Option *int                `yaml:"option" json:"option,omitempty"`
	Note   string              `yaml:"note" json:"note,omitempty"`
}

// Specification returns the rubric of this program, which nobody may change.
var Specification = sync.OnceValue(func() *Spec {
	s := &Spec{Grading: grade.Current()}
	if err := yaml.Load(source, s, yaml.WithKnownFields()); err != nil {
		panic("rulebook: rubric.yaml: " + err.Error()) // which the tests read
	}
	questions, err := s.Suite()
	if err != nil {
		panic("rulebook: " + err.Error())
	}
	s.Asked = questions.Cases.Loose()
	for i := range s.Asked {
		s.Asked[i].Place = ""
	}
	return s
})

// Suite returns the questions of the examples as a suite.
func (s *Spec) Suite() (*suite.Suite, error) {
	strict := map[string]any{"strict": map[string]any{"strict_retrieval": true}}
	b, err := yaml.Dump(map[string]any{
		"suite": map[string]any{"name": "rubric", "as_of": s.AsOf, "by_tag": strict}, "cases": &s.Cases,
	})
	if err != nil {
		return nil, err
	}
	return suite.Parse("rubric.yaml", b)
}

// WriteJSON writes the rubric for programs.
func (s *Spec) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// page is how the page of the documentation begins: about what it is, the weights and the day of the examples.
//
//go:embed page.md
var page string

// WriteMarkdown writes the rubric as a page of the documentation.
func (s *Spec) WriteMarkdown(w io.Writer) error {
	prompts := map[string]string{}
	for _, c := range s.Asked {
		prompts[c.ID] = c.Prompt
	}
	var b strings.Builder
	fmt.Fprintf(&b, page, strings.TrimSpace(s.About), s.Weights.Truth, s.Weights.Decidability, s.Weights.Reciprocity,
		s.AsOf)
	for _, r := range s.Rules {
		passes, fails := cell(r.Passes), cell(r.Fails)
		if r.Example != nil {
			passes, fails = r.Verdict+": "+cell(*r.Example), ""
			if *r.Example == "" {
				passes = r.Verdict + ": (empty)"
				if r.Finish != "" {
					passes = r.Verdict + ": ended by " + r.Finish
				}
			}
		}
		name := r.Name
		if r.Note != "" {
			name += " (" + r.Note + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", cell(name), cell(r.Of), r.Axis, r.Verdict,
			cell(prompts[r.Case]), passes, fails)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell writes a text for a table of Markdown.
func cell(s string) string {
	return strings.NewReplacer("\n", " ⏎ ", "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;").Replace(s)
}
