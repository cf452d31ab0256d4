package benchmark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
)

// readMedHALTTest reads the same files as readMedHALT for Med-HALT's own tests, in which the model writes a
// dictionary with its answer and its reasons: the prompt is their text (medhalt/prompts/utils.py of
// github.com/medhalt/medhalt) with instruction, output format, two examples and the question with its options as
// Python writes them. In FCT the options hold the answer of a student, which is to be judged. The authors draw the
// examples at random, one of each kind; here they are the first of each in the file.
//
// An answer is right as their evaluation has it (medhalt/eval/eval_full.py): the field with the answer is the
// correct one in any case of letters; of a fake question, the field holds one of the words that give up. Their
// points are 1 for a right answer and -.25 for a wrong one: 1.25 a - .25 at an accuracy a.
func readMedHALTTest(f *file) error {
	if f.ref.Instruction == "" {
		return errors.New(
			"Med-HALT's own tests are asked in its authors' words: add ,instruction=FILE with their prompts.json")
	}
	head, err := f.medHead()
	if err != nil {
		return err
	}
	kind, err := f.medRows(func(line int, q medRow) error {
		pairs, err := parseDict(q.Options)
		if err != nil {
			return f.errorf(line, "options: %v", err)
		}
		pattern, gold := givesUp, "I do not know"
		if q.CorrectAnswer != "" {
			key := "cop"
			for _, p := range pairs {
				if p.key == studentKey {
					key = `(?:corr?e[cn]t[ _]?)?answer` // the spellings that the evaluation accepts
				}
			}
			pattern, gold = fieldIs(key, q.CorrectAnswer), q.CorrectAnswer
		}
		if strings.TrimSpace(q.Question) == "" {
			return f.leave(line, "there is no question")
		}
		return f.addAs(questionID("medhalt-test", q.Question), line, suite.Case{
			Prompt: head + "Input: {'Question': " + pyString(q.Question) + ", 'Options': " + pyDict(pairs) +
				"}\nOutput: ",
			Form: suite.Continue, AnswerType: suite.Short, Domain: "biomedical", Tags: tags(q.Subject),
			Gold:   suite.Gold{Texts: []string{gold}},
			Oracle: &suite.Oracle{Type: "program", Expression: "answer.matches(" + strconv.Quote(pattern) + ")"},
		})
	})
	f.suite.Name = kind + "-test"
	return err
}

// inside is a character of a value between quotes: a quote ends it only before a comma, a bracket, a space or the end.
const inside = `(?:[^'"]|['"][^,}\s])`

// fieldIs returns a pattern that finds a field of a dictionary in a model's answer with exactly this value, in any
// case of letters.
func fieldIs(key, value string) string {
	value = regexp.QuoteMeta(strings.TrimSpace(value))
	value = strings.NewReplacer(`'`, `\\?'`, `"`, `\\?"`).Replace(value)
	return `(?is)['"]` + key + `['"]\s*:\s*['"]` + value + `['"]`
}

// givesUp finds a chosen option that says that nobody knows, by the words of Med-HALT's evaluation.
var givesUp = `(?is)['"]cop['"]\s*:\s*['"]` + inside + `*?(?:` + strings.Join([]string{
	"i do not know", "conceding defeat", "admit", "none of the above", "acknowled", "irrelevant", "fiction",
	"all of the above", "nonsensical",
	"no correct", "absurd", "defy", `i don['"]t know`, "defies",
}, "|") + `)`

// medHead returns what stands before every question: instruction, output format and examples.
func (f *file) medHead() (string, error) {
	prompt, format, err := f.authored()
	if err != nil {
		return "", err
	}
	head := prompt + "\n" + format + "\n"
	if f.ref.Examples == "" {
		f.warnf("asked without the authors' examples; their test shows two: add ,examples=FILE with their shots.json")
		return head, nil
	}
	type shot struct {
		Input  json.RawMessage `json:"input"`
		Output json.RawMessage `json:"Output"`
		Kind   string          `json:"prompt_type"`
	}
	var shots struct{ Shots [][]shot }
	if err := readJSON("examples", f.ref.Examples, &shots); err != nil {
		return "", err
	}
	head += "Examples: \n"
	for _, kind := range []string{"default", "task_specific"} {
		all := slices.Concat(shots.Shots...)
		i := slices.IndexFunc(all, func(s shot) bool { return s.Kind == kind })
		if i < 0 {
			return "", fmt.Errorf("%s:1: no example of the kind %s; want Med-HALT's shots.json", f.ref.Examples, kind)
		}
		var texts [2]string
		for k, v := range []json.RawMessage{all[i].Input, all[i].Output} {
			dec := json.NewDecoder(bytes.NewReader(v))
			dec.UseNumber()
			var err error
			if texts[k], err = pyValue(dec, 0); err != nil {
				return "", fmt.Errorf("%s:1: an example: %w", f.ref.Examples, err)
			}
		}
		head += "Input : " + texts[0] + "\nOutput: " + texts[1] + "Stop Here\n\n"
	}
	return head, nil
}

// pyValue writes a JSON value as Python's repr writes what json.load makes of it, keys in the order of the text.
func pyValue(dec *json.Decoder, depth int) (string, error) {
	if depth > 16 {
		return "", errors.New("nested deeper than 16")
	}
	t, err := dec.Token()
	if err != nil {
		return "", err
	}
	switch v := t.(type) {
	case nil:
		return "None", nil
	case bool:
		return map[bool]string{true: "True", false: "False"}[v], nil
	case string:
		return pyString(v), nil
	case json.Number:
		return v.String(), nil
	}
	var parts []string
	object := t == json.Delim('{')
	for dec.More() {
		key := ""
		if object {
			k, err := dec.Token()
			if err != nil {
				return "", err
			}
			key = pyString(k.(string)) + ": "
		}
		value, err := pyValue(dec, depth+1)
		if err != nil {
			return "", err
		}
		parts = append(parts, key+value)
	}
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	if object {
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}
