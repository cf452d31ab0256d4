package prompt

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/strictyaml"
)

// Bounds of a file of templates.
const (
	MaxTemplateBytes = 4 << 20
	maxTemplateText  = 64 << 10
)

// ParseTemplates reads templates from YAML or JSON: a list whose elements are texts, or mappings with a text and,
// if wanted, a name and a family. A text holds {question}, and {choices} and {topic} where it shows options and
// names the domain; what stands on the lines before is the introduction. Other braces stay as they are. A text that
// stands twice counts once, and the warning says how often. Errors name the file and the line.
func ParseTemplates(file string, data []byte) (templates []Template, warnings []string, err error) {
	if len(data) > MaxTemplateBytes {
		return nil, nil, fmt.Errorf("%s:1: the file is longer than %d MiB; write one template for each layout", file,
			MaxTemplateBytes>>20)
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, nil, fmt.Errorf(
			"%s:1: the file is empty; write a list of templates, such as - \"Question: {question}\"", file)
	}
	doc, err := strictyaml.Read(file, data)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; templates are a YAML or JSON list of texts", err)
	}
	if doc.Kind != strictyaml.List {
		return nil, nil, fmt.Errorf("%s:1: templates are a list; begin each with \"- \"", file)
	}
	seen := map[string]bool{}
	twice := 0
	for i, n := range doc.Items {
		t, err := parseTemplate(file, n)
		if err != nil {
			return nil, nil, err
		}
		text := strings.Join([]string{t.Intro, t.Question, t.Reply}, "\x00")
		if seen[text] {
			twice++
			continue
		}
		seen[text] = true
		t.Name = cmp.Or(t.Name, fmt.Sprintf("template %d", i+1))
		templates = append(templates, t)
	}
	if len(templates) == 0 {
		return nil, nil, fmt.Errorf("%s:1: the list is empty; write templates such as - \"Question: {question}\"", file)
	}
	if len(templates) > MaxVariants {
		return nil, nil, fmt.Errorf("%s:1: %d templates; want at most %d", file, len(templates), MaxVariants)
	}
	if twice > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: %d of %d templates stand there twice and count once",
			filepath.Base(file), twice, twice+len(templates)))
	}
	return templates, warnings, nil
}

// parseTemplate reads one element of the list of a file.
func parseTemplate(file string, n *strictyaml.Node) (t Template, err error) {
	var read struct {
		Text     string `yaml:"text"`
		Template string `yaml:"template"` // the same
		Name     string `yaml:"name"`
		Family   string `yaml:"family"`
	}
	if n.Kind == strictyaml.Dict {
		if err := (&strictyaml.Decoder{File: file}).Decode(n, &read, "a template"); err != nil {
			return t, err
		}
	} else if n.Kind != strictyaml.Scalar {
		return t, strictyaml.Faultf(file, n.Line, "want a text, or a mapping with text, name and family")
	}
	t.Name, t.Family = read.Name, cmp.Or(Family(read.Family), Several)
	if !slices.Contains(Families, t.Family) {
		return t, strictyaml.Faultf(file, n.LineOf("family"), "unknown family %q; want one of %s", read.Family,
			Joined(Families))
	}
	if err := t.split(cmp.Or(n.Text, read.Text, read.Template)); err != nil {
		return t, strictyaml.Faultf(file, n.Line, "%v", err)
	}
	return t, nil
}

// split parts the text of a template into introduction, question and mark of the answer.
func (t *Template) split(text string) error {
	if len(text) > maxTemplateText {
		return fmt.Errorf("the template is longer than %d KiB", maxTemplateText>>10)
	}
	switch n := strings.Count(text, questionMark); {
	case n == 0:
		return fmt.Errorf("the template has no %s; put it where the question goes", questionMark)
	case n > 1 || strings.Count(text, choicesMark) > 1:
		return fmt.Errorf("the template has %s or %s twice; keep one of each", questionMark, choicesMark)
	}
	start := strings.Index(text, questionMark)
	if c := strings.Index(text, choicesMark); c >= 0 {
		start = min(start, c)
	}
	t.Intro = text[:strings.LastIndexByte(text[:start], '\n')+1]
	t.Question = strings.TrimRight(text[len(t.Intro):], " \t\r\n")
	// The mark of the answer is what follows the last placeholder.
	end := max(strings.LastIndex(t.Question, questionMark)+len(questionMark),
		strings.LastIndex(t.Question, choicesMark)+len(choicesMark))
	if strings.Contains(t.Question, choicesMark) || end < len(t.Question) {
		t.Question, t.Reply = t.Question[:end], t.Question[end:]
	}
	return nil
}
