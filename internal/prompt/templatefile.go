package prompt

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/yamlfault"
)

// Bounds of a file of templates.
const (
	MaxTemplateBytes = 4 << 20
	maxTemplateText  = 64 << 10
)

// ParseTemplates reads templates from YAML or JSON: a list whose elements are texts, or mappings with a text and, if wanted, a name and a
// family. A text holds {question}, and {choices} and {topic} where it shows options and names the domain; what stands on the lines
// before is the introduction. Other braces stay as they are. A text that stands twice counts once, and the warning says how
// often. Errors name the file and the line.
func ParseTemplates(file string, data []byte) (templates []Template, warnings []string, err error) {
	if len(data) > MaxTemplateBytes {
		return nil, nil, fmt.Errorf("%s:1: the file is longer than %d MiB; write one template for each layout", file, MaxTemplateBytes>>20)
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, nil, fmt.Errorf("%s:1: the file is empty; write a list of templates, such as - \"Question: {question}\"", file)
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		line, what := yamlfault.Of(err)
		return nil, nil, fmt.Errorf("%s:%d: %s; templates are a YAML or JSON list of texts", file, line, what)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode {
		return nil, nil, fmt.Errorf("%s:1: templates are a list; begin each with \"- \"", file)
	}
	seen := map[string]bool{}
	twice := 0
	for i, n := range doc.Content[0].Content {
		t, err := parseTemplate(n)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", file, n.Line, err)
		}
		text := strings.Join([]string{t.Intro, t.Question, t.Reply}, "\x00")
		if seen[text] {
			twice++
			continue
		}
		seen[text] = true
		if t.Name == "" {
			t.Name = fmt.Sprintf("template %d", i+1)
		}
		templates = append(templates, t)
	}
	if len(templates) == 0 {
		return nil, nil, fmt.Errorf("%s:1: the list is empty; write templates such as - \"Question: {question}\"", file)
	}
	if len(templates) > MaxVariants {
		return nil, nil, fmt.Errorf("%s:1: %d templates; want at most %d", file, len(templates), MaxVariants)
	}
	if twice > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: %d of %d templates stand there twice and count once", filepath.Base(file), twice, twice+len(templates)))
	}
	return templates, warnings, nil
}

// parseTemplate reads one element of the list.
func parseTemplate(n *yaml.Node) (t Template, err error) {
	text := ""
	t.Family = Several
	switch n.Kind {
	case yaml.ScalarNode:
		text = n.Value
	case yaml.MappingNode:
		for pairs := n.Content; len(pairs) > 1; pairs = pairs[2:] {
			key, value := pairs[0].Value, pairs[1]
			if value.Kind != yaml.ScalarNode {
				return t, fmt.Errorf("%s: want a text", key)
			}
			switch key {
			case "text", "template":
				text = value.Value
			case "name":
				t.Name = value.Value
			case "family":
				if t.Family = Family(value.Value); !t.Family.known() {
					return t, fmt.Errorf("unknown family %q; want one of %s", value.Value, joined(Families))
				}
			default:
				return t, fmt.Errorf("unknown key %q; a template has text, name and family", key)
			}
		}
	default:
		return t, errors.New("want a text, or a mapping with text, name and family")
	}
	if len(text) > maxTemplateText {
		return t, fmt.Errorf("the template is longer than %d KiB", maxTemplateText>>10)
	}
	switch n := strings.Count(text, questionMark); {
	case n == 0:
		return t, fmt.Errorf("the template has no %s; put it where the question goes", questionMark)
	case n > 1 || strings.Count(text, choicesMark) > 1:
		return t, fmt.Errorf("the template has %s or %s twice; keep one of each", questionMark, choicesMark)
	}
	start := strings.Index(text, questionMark)
	if c := strings.Index(text, choicesMark); c >= 0 {
		start = min(start, c)
	}
	t.Intro = text[:strings.LastIndexByte(text[:start], '\n')+1]
	t.Question = strings.TrimRight(text[len(t.Intro):], " \t\r\n")
	// The mark of the answer is what follows the last placeholder.
	end := max(strings.LastIndex(t.Question, questionMark)+len(questionMark), strings.LastIndex(t.Question, choicesMark)+len(choicesMark))
	if strings.Contains(t.Question, choicesMark) || end < len(t.Question) {
		t.Question, t.Reply = t.Question[:end], t.Question[end:]
	}
	return t, nil
}
