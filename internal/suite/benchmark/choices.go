package benchmark

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/suite"
)

type commonsense struct {
	AnswerKey, ID string
	Question      struct {
		Concept string `json:"question_concept"`
		Stem    string
		Choices []struct{ Label, Text string }
	}
}

func isCommonsenseQA(_ string, data []byte) bool {
	var q commonsense
	return json.Unmarshal(head(data), &q) == nil && q.Question.Stem != "" && len(q.Question.Choices) > 1
}

// readCommonsenseQA reads CommonsenseQA: a stem with labelled choices a line, shown with letters.
func readCommonsenseQA(f *file) error {
	twice := 0
	err := f.lines(func(line int, text []byte) error {
		var q commonsense
		if err := unmarshal(text, &q); err != nil {
			return f.errorf(line, "%v", err)
		}
		c := suite.Case{Prompt: q.Question.Stem, ShowOptions: true, AnswerType: suite.Choice}
		for i, o := range q.Question.Choices {
			if c.Options = append(c.Options, strings.TrimSpace(o.Text)); o.Label == q.AnswerKey && q.AnswerKey != "" {
				c.Gold = suite.Gold{Option: &i}
			}
		}
		if q.AnswerKey != "" && c.Gold.IsZero() {
			return f.errorf(line, "answerKey %q is the label of no choice", q.AnswerKey)
		}
		twice += f.choice("commonsenseqa", line, c)
		return nil
	})
	f.repeated(twice)
	return err
}

// choice adds a case. Where its options repeat, the first of the same stands and the gold moves with it, for answers are compared
// by content; it returns 1 then.
func (f *file) choice(prefix string, line int, c suite.Case) (repeats int) {
	var options []string
	for _, o := range c.Options {
		if slices.Contains(options, o) {
			repeats = 1
		} else {
			options = append(options, o)
		}
	}
	if g := c.Gold.Option; g != nil {
		i := slices.Index(options, c.Options[*g])
		c.Gold.Option = &i
	}
	c.Options = options
	f.add(prefix, line, c)
	return repeats
}

func (f *file) repeated(n int) {
	if n > 0 {
		f.warnf("%d questions list an option twice; it stands once here", n)
	}
}

var lettered = regexp.MustCompile(`(?m)^([A-Z])\. `)

func isMedQA(_ string, data []byte) bool {
	var q struct{ Question, Options, Answer string }
	return json.Unmarshal(head(data), &q) == nil && q.Question != "" && strings.HasPrefix(q.Options, "A. ") && len(q.Answer) > 2
}

// readMedQA reads MedQA where the options stand in one text, "A. …\nB. …" (an option may go over several lines), and the answer is
// "C. …". The options are shown with letters.
func readMedQA(f *file) error {
	twice := 0
	err := f.lines(func(line int, text []byte) error {
		var q struct{ Question, Options, Answer string }
		if err := unmarshal(text, &q); err != nil {
			return f.errorf(line, "%v", err)
		}
		c := suite.Case{Prompt: strings.TrimSpace(q.Question), ShowOptions: true, AnswerType: suite.Choice, Domain: "biomedical"}
		at := lettered.FindAllStringSubmatchIndex(q.Options, -1)
		for i, m := range at {
			end := len(q.Options)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			letter := q.Options[m[2]:m[3]]
			if letter != string(rune('A'+i)) {
				return f.errorf(line, "option %d has the letter %s", i+1, letter)
			}
			c.Options = append(c.Options, strings.TrimSpace(q.Options[m[1]:end]))
			if strings.HasPrefix(q.Answer, letter+". ") {
				c.Gold = suite.Gold{Option: &i}
			}
		}
		if c.Gold.IsZero() {
			return f.errorf(line, "answer %.40q begins with the letter of no option", q.Answer)
		}
		twice += f.choice("medqa", line, c)
		return nil
	})
	f.repeated(twice)
	return err
}

func isMMLU(path string, data []byte) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".csv")
	if !strings.HasSuffix(name, "_test") && !strings.HasSuffix(name, "_dev") && !strings.HasSuffix(name, "_val") {
		return false
	}
	row, err := csv.NewReader(bytes.NewReader(data)).Read()
	return err == nil && len(row) == 6 && len(row[5]) == 1 && strings.Contains("ABCD", row[5])
}

// readMMLU reads one subject of MMLU: CSV without a header, question, four options, letter. The subject, from the file's name, is a
// tag. The options are shown with letters.
func readMMLU(f *file) error {
	subject := strings.TrimSuffix(filepath.Base(f.path), ".csv")
	if i := strings.LastIndexByte(subject, '_'); i > 0 {
		subject = subject[:i]
	}
	cr := csv.NewReader(bytes.NewReader(f.data))
	twice := 0
	for {
		row, err := cr.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.csvError(err)
		}
		line, _ := cr.FieldPos(0)
		if len(row) != 6 || len(row[5]) != 1 || row[5][0] < 'A' || row[5][0] > 'D' {
			return f.errorf(line, "want a question, four options and a letter from A to D")
		}
		gold := int(row[5][0] - 'A')
		c := suite.Case{Prompt: strings.TrimSpace(row[0]), ShowOptions: true, AnswerType: suite.Choice, Tags: tags(subject), Gold: suite.Gold{Option: &gold}}
		for _, o := range row[1:5] {
			c.Options = append(c.Options, strings.TrimSpace(o))
		}
		twice += f.choice("mmlu-"+slug(subject), line, c)
	}
	f.repeated(twice)
	return nil
}

func isSimpleQA(_ string, data []byte) bool { return string(head(data)) == "metadata,problem,answer" }

var topic = regexp.MustCompile(`'topic': '([^']*)'`)

// readSimpleQA reads SimpleQA: metadata (a Python dictionary, of which the topic becomes a tag), problem and answer.
func readSimpleQA(f *file) error {
	return f.table([]string{"metadata", "problem", "answer"}, func(line int, get func(string) string) error {
		c := suite.Case{Prompt: get("problem"), AnswerType: suite.Short, Gold: suite.Gold{Texts: []string{get("answer")}}}
		if m := topic.FindStringSubmatch(get("metadata")); m != nil {
			c.Tags = tags(m[1])
		}
		if c.Gold.Texts[0] == "" {
			return f.errorf(line, "no answer")
		}
		f.add("simpleqa", line, c)
		return nil
	})
}
