package rubric

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/suite"
)

// A Spec is the rubric as rubric.yaml has it, one document for people and programs: the axes, and every rule with examples that pass and fail.
type Spec struct {
	About   string        `yaml:"about"`
	Weights suite.Weights `yaml:"weights"`
	AsOf    string        `yaml:"as_of"` // today, in the examples
	Cases   yaml.Node     `yaml:"cases"` // the questions of the examples, as in a suite
	Rules   []Rule        `yaml:"rules"`
}

// A Rule is one reason for a verdict. Passes and Fails are answers to its case; the one of them that has the rule's verdict has it by this
// rule. Example is an answer for the other verdicts, and Note says more.
type Rule struct {
	Name    string  `yaml:"rule"`
	Of      string  `yaml:"of"`   // the oracles, classes, tags and requirements under which it applies
	Axis    string  `yaml:"axis"` // truth, decidability, reciprocity or format; two of them where it decides both
	Verdict string  `yaml:"verdict"`
	Case    string  `yaml:"case"`
	Passes  string  `yaml:"passes"`
	Fails   string  `yaml:"fails"`
	Example *string `yaml:"example"`
	Finish  string  `yaml:"finish"` // how the response of the example ended
	Times   int     `yaml:"times"`  // how often the example is said; 0 means once
	// Replies are those of a judge by answer, and Failure says why it gave none; Option is the one that scores prefer, -1 for none.
	Replies map[string]string `yaml:"replies"`
	Failure string            `yaml:"failure"`
	// Panel are the replies of judges that are asked of outcomes, by answer.
	Panel  map[string][]string `yaml:"panel"`
	Option *int                `yaml:"option"`
	Note   string              `yaml:"note"`
}

// specification returns the rubric's document, parsed.
func specification(t testing.TB) *Spec {
	t.Helper()
	b, err := os.ReadFile("rubric.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := &Spec{}
	if err := yaml.Load(b, s, yaml.WithKnownFields()); err != nil {
		t.Fatal("rubric.yaml: ", err)
	}
	return s
}

// Suite returns the questions of the examples as a suite.
func (s *Spec) Suite() (*suite.Suite, error) {
	b, err := yaml.Dump(map[string]any{
		"suite": map[string]any{"name": "rubric", "as_of": s.AsOf, "by_tag": map[string]any{"strict": map[string]any{"strict_retrieval": true}}}, "cases": &s.Cases,
	})
	if err != nil {
		return nil, err
	}
	return suite.Parse("rubric.yaml", b)
}

// Markdown returns the rubric as a page of the documentation.
func (s *Spec) Markdown() (string, error) {
	questions, err := s.Suite()
	if err != nil {
		return "", err
	}
	prompts := map[string]string{}
	for _, c := range questions.Cases.All() {
		prompts[c.ID] = c.Prompt
	}
	var b strings.Builder
	b.WriteString("# The rubric\n\nThis page is made from `internal/grade/rubric/rubric.yaml`, which the tests hold to the code: every rule that the code can name is here,\n")
	b.WriteString("and every example is graded.\n\n" + strings.TrimSpace(s.About) + "\n\n")
	fmt.Fprintf(&b, "The weighted score is %.2f truth + %.2f decidability + %.2f reciprocity. A suite, a class or a tag may set the weights, `format_is_gating` and\n", s.Weights.Truth, s.Weights.Decidability, s.Weights.Reciprocity)
	b.WriteString("`strict_retrieval`: see [suites](suites.md). How well answers are read is measured in [grading](grading.md).\n\n")
	b.WriteString("What decides an answer is bounded by counted steps and no clock, so a verdict is the same on every machine: an answer that the wordings of a proof\n" +
		"take more than 200 million steps to be searched for is ungradable; a module of WebAssembly that takes more than 300 million, or its share where\n" +
		"more than 200 modules of a suite have 60 billion together (20 million each at least), leaves it unscored. The reason says so.\n\n")
	fmt.Fprintf(&b, "In the examples today is %s. Their cases, with contexts and oracles, stand in the YAML.\n\n", s.AsOf)
	b.WriteString("| rule | under | axis | verdict | question | passes | fails |\n| --- | --- | --- | --- | --- | --- | --- |\n")
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", cell(name), cell(r.Of), r.Axis, r.Verdict, cell(prompts[r.Case]), passes, fails)
	}
	return b.String(), nil
}

// cell writes a text for a table of Markdown.
func cell(s string) string {
	return strings.NewReplacer("\n", " ⏎ ", "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;").Replace(s)
}
