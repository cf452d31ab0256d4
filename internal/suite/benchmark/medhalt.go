package benchmark

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/suite"
)

func isMedHALT(path string, data []byte) bool {
	if isList(data) {
		var q medRow
		return firstOf(data, &q) && q.Question != "" && strings.HasPrefix(q.Options, "{")
	}
	return headed("question,options", "subject_name")(path, data)
}

// A medRow is a reasoning question of Med-HALT, under the names of its columns.
type medRow struct {
	Question      string
	Options       string // a Python dictionary of options by number; FCT's has the student's answer beside them
	CorrectAnswer string `json:"correct_answer"`
	CorrectIndex  *int   `json:"correct_index"`
	Subject       string `json:"subject_name"`
}

// studentKey is the key under which FCT's options hold the answer of a student, right or wrong, which its own test
// asks about.
const studentKey = "correct answer"

// readMedHALT reads the reasoning questions of Med-HALT (arXiv:2307.15343), as CSV or as the JSON list that its
// predictions come in: the False Confidence Test (FCT), None of the Above (NOTA) and the Fake Questions Test. They
// are asked as multiple choice, as in the study of prompts (arXiv:2602.00723, A.1): all options with letters,
// behind the authors' instruction, which is read from their prompts.json (,instruction=FILE). The gold is the
// correct answer; of a fake question, the option "I do not know". The student's answer of FCT is not shown.
func readMedHALT(f *file) error {
	if err := f.instruct(); err != nil {
		return err
	}
	kind, err := f.medRows(func(line int, q medRow) error {
		pairs, err := parseDict(q.Options)
		if err != nil {
			return f.errorf(line, "options: %v", err)
		}
		pairs = slices.DeleteFunc(pairs, func(p pair) bool { return p.key == studentKey })
		c, why := f.medCase(q, pairs)
		if why != "" {
			return f.leave(line, why)
		}
		return f.add("medhalt", line, c)
	})
	f.suite.Name = kind
	return err
}

// medRows takes each question of a file, and says which of the tests it is: medhalt-fake, -fct or -nota, or medhalt
// where nothing tells.
func (f *file) medRows(take func(line int, q medRow) error) (kind string, err error) {
	rows, fake := 0, 0
	count := func(line int, q medRow) error {
		rows++
		if q.CorrectAnswer == "" && q.CorrectIndex == nil {
			fake++
		}
		return take(line, q)
	}
	if isList(f.data) {
		err = objects(f, "questions", count)
	} else {
		err = f.table([]string{"question", "options"}, func(line int, get func(string) string) error {
			return count(line, medRow{Question: get("question"), Options: get("options"),
				CorrectAnswer: get("correct_answer"), Subject: get("subject_name")})
		})
	}
	switch base := strings.ToLower(baseName(f.path)); {
	case fake > 0 && fake == rows:
		return "medhalt-fake", err
	case strings.Contains(base, "fct"):
		return "medhalt-fct", err
	case strings.Contains(base, "nota"):
		return "medhalt-nota", err
	}
	return "medhalt", err
}

// medCase makes a case of a question, or says why it can be in no figure.
func (f *file) medCase(q medRow, pairs []pair) (c suite.Case, why string) {
	c = suite.Case{
		System: f.instruction, Prompt: strings.TrimSpace(q.Question), Form: suite.Answer, ShowOptions: true,
		AnswerType: suite.Choice,
		Domain:     "biomedical", Tags: tags(q.Subject),
	}
	var golds []int
	for i, p := range pairs {
		o := strings.TrimSpace(p.value)
		right := o == strings.TrimSpace(q.CorrectAnswer)
		if q.CorrectAnswer == "" {
			right = q.CorrectIndex != nil && p.key == fmt.Sprint(*q.CorrectIndex) ||
				q.CorrectIndex == nil && strings.EqualFold(strings.Trim(o, " .!"), "I do not know")
		}
		if right {
			golds = append(golds, i)
		}
		c.Options = append(c.Options, o)
	}
	switch why = noChoice(&c); {
	case why != "":
		return c, why
	case len(golds) > 1:
		return c, "two options are the right one"
	case len(c.Options) > suite.MaxShown:
		return c, "more options than letters"
	case len(golds) == 0 && q.CorrectAnswer == "" && q.CorrectIndex == nil:
		return c, `none of the options of a fake question is "I do not know"`
	case len(golds) == 0:
		return c, "the correct answer is none of the options"
	}
	c.Gold.Option = &golds[0]
	return c, ""
}

// instruct reads the authors' instruction from prompts.json, version v0, without the part that asks for JSON, which
// a letter is no answer to.
func (f *file) instruct() error {
	if f.ref.Instruction == "" {
		f.warnf("asked without the authors' instruction; the published study shows it: add ,instruction=FILE with " +
			"their prompts.json")
		return nil
	}
	prompt, _, err := f.authored()
	f.instruction = strings.TrimSpace(prompt)
	return err
}

// authored reads version v0 of prompts.json: the instruction, and the part that asks for JSON.
func (f *file) authored() (prompt, format string, err error) {
	var doc struct {
		Prompts []struct {
			ID, Prompt string
			Format     string `json:"output_format"`
		}
	}
	if err := readJSON("instruction", f.ref.Instruction, &doc); err != nil {
		return "", "", err
	}
	for _, p := range doc.Prompts {
		if p.ID == "v0" && strings.TrimSpace(p.Prompt) != "" {
			return p.Prompt, p.Format, nil
		}
	}
	return "", "", fmt.Errorf("%s:1: no prompt with the id v0 in it; want Med-HALT's prompts.json", f.ref.Instruction)
}

// readJSON reads a file of the authors' that goes with theirs.
func readJSON(what, path string, into any) error {
	data, err := suite.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := unmarshal(data, into); err != nil {
		return fmt.Errorf("%s:1: %w", path, err)
	}
	return nil
}
