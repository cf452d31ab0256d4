package benchmark

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/base/seed"
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

// readCommonsenseQA reads CommonsenseQA: a stem with labelled choices a line, shown with letters. With a pool,
// which is its train set, the demonstrations have the same layout and the letter behind "Answer:", as in the study
// (arXiv:2602.00723, A.1).
func readCommonsenseQA(f *file) error {
	if err := f.commonsense(); err != nil || f.ref.Pool == "" {
		return err
	}
	rows, err := f.letterPool((*file).commonsense)
	if err != nil {
		return err
	}
	if name := baseName(f.ref.Pool); !strings.Contains(name, "train") {
		f.warnf("demonstrations are drawn from %s, which is not CommonsenseQA's train set but stands in for it", name)
	}
	for i := range f.cases {
		f.cases[i].Form = suite.Answer
	}
	return f.demonstrate(rows, claimShots)
}

// letterPool reads a pool of questions with options, in this file's format, as demonstrations: the options with
// letters behind the question, and the letter of the right one as its label. Questions without a gold are left out.
func (f *file) letterPool(read func(*file) error) ([]suite.Demonstration, error) {
	pool, err := f.pool()
	if err != nil {
		return nil, err
	}
	if err := read(pool); err != nil {
		return nil, err
	}
	f.warnPool(pool)
	var rows []suite.Demonstration
	for i := range pool.cases {
		c := &pool.cases[i]
		if n := len(c.Options); n > suite.MaxShown {
			return nil, fmt.Errorf("%s: %d options to show; letters go to %d", c.Place, n, suite.MaxShown)
		}
		gold, ok := c.GoldOption()
		if !ok {
			continue
		}
		d := suite.Demonstration{Input: c.Prompt, Label: string(rune('A' + gold))}
		for k, o := range c.Options {
			d.Input += "\n" + string(rune('A'+k)) + ". " + o
		}
		rows = append(rows, d)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s:1: no question with an answer in it to show as a demonstration", f.ref.Pool)
	}
	return rows, nil
}

func (f *file) commonsense() error {
	return objects(f, "", func(line int, q commonsense) error {
		c := suite.Case{Prompt: q.Question.Stem, ShowOptions: true, AnswerType: suite.Choice}
		for i, o := range q.Question.Choices {
			if c.Options = append(c.Options, strings.TrimSpace(o.Text)); o.Label == q.AnswerKey && q.AnswerKey != "" {
				c.Gold = suite.Gold{Option: &i}
			}
		}
		if q.AnswerKey != "" && c.Gold.IsZero() {
			return f.leave(line, noOption)
		}
		return f.choice("commonsenseqa", line, c)
	})
}

// noOption is why a case is left out whose gold names none of its options.
const noOption = "its answer is the letter of no option"

// choice adds a case, unless its options are too few, empty or repeat: then it can be in no figure, for answers are
// compared by content.
func (f *file) choice(prefix string, line int, c suite.Case) error {
	if why := noChoice(&c); why != "" {
		return f.leave(line, why)
	}
	return f.add(prefix, line, c)
}

// mix puts the options of a case whose file lists the right one first into an order drawn from its own text: the
// same in every run and under every seed. Scores do not see an order; where options are shown with letters, "A"
// would be right every time.
func mix(c *suite.Case, text string) {
	order := seed.Stream(0, "benchmark", "order of options", text).Perm(len(c.Options))
	mixed := make([]string, len(order))
	for to, from := range order {
		mixed[to] = c.Options[from]
	}
	if g := c.Gold.Option; g != nil {
		i := slices.Index(order, *g)
		c.Gold.Option = &i
	}
	c.Options = mixed
}

// noChoice says why a case is no question with options to choose from; "" where it is one.
func noChoice(c *suite.Case) string {
	switch {
	case strings.TrimSpace(c.Prompt) == "":
		return "there is no question"
	case len(c.Options) < 2:
		return "fewer than two options"
	}
	seen := map[string]bool{}
	for _, o := range c.Options {
		if o == "" {
			return "an option is empty"
		}
		if seen[o] {
			return "an option stands twice"
		}
		seen[o] = true
	}
	return ""
}

var lettered = pattern.New(`(?m)^([A-Z])\. `)

func isMedQA(_ string, data []byte) bool {
	var q struct{ Question, Options, Answer string }
	return json.Unmarshal(head(data), &q) == nil && q.Question != "" && strings.HasPrefix(q.Options, "A. ") &&
		len(q.Answer) > 2
}

// readMedQA reads MedQA where the options stand in one text, "A. …\nB. …" (an option may go over several lines),
// and the answer is "C. …". The options are shown with letters. With an instruction they are asked as Med-HALT's
// questions are (readMedHALT), whose source they are in part.
func readMedQA(f *file) error {
	if f.ref.Instruction != "" {
		if err := f.instruct(); err != nil {
			return err
		}
	}
	return objects(f, "", func(line int, q struct{ Question, Options, Answer string }) error {
		c := suite.Case{Prompt: strings.TrimSpace(q.Question), ShowOptions: true, AnswerType: suite.Choice,
			Domain: "biomedical"}
		if f.instruction != "" {
			c.System, c.Form = f.instruction, suite.Answer
		}
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
			return f.leave(line, noOption)
		}
		return f.choice("medqa", line, c)
	})
}

func isMMLU(path string, data []byte) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".csv")
	if !strings.HasSuffix(name, "_test") && !strings.HasSuffix(name, "_dev") && !strings.HasSuffix(name, "_val") {
		return false
	}
	row, err := csv.NewReader(bytes.NewReader(data)).Read()
	return err == nil && len(row) == 6 && len(row[5]) == 1 && strings.Contains("ABCD", row[5])
}

// mmluShots is the number of demonstrations that MMLU's authors show: all of a subject's dev file.
const mmluShots = 5

// readMMLU reads one subject of MMLU: CSV without a header, question, four options, letter. The subject, from the
// file's name, is a tag. The options are shown with letters. With a pool, which is the subject's dev file, its
// first questions are shown before each question, in their order and behind the line that names the subject, as its
// authors do (arXiv:2009.03300; evaluate.py of github.com/hendrycks/test).
func readMMLU(f *file) error {
	f.suite.Name = "mmlu-" + slug(subject(f.path)) // several subjects may stand in one run
	if err := f.mmlu(); err != nil || f.ref.Pool == "" {
		return err
	}
	rows, err := f.letterPool((*file).mmlu)
	if err != nil {
		return err
	}
	shots := append(f.ref.Shots, mmluShots)[0]
	if len(rows) < shots {
		return fmt.Errorf("%s:1: %d questions to show as %d demonstrations", f.ref.Pool, len(rows), shots)
	}
	// two spaces, as published
	system := "The following are multiple choice questions (with answers) about  " +
		strings.ReplaceAll(subject(f.path), "_", " ") + "."
	for i := range f.cases {
		c := &f.cases[i]
		c.Form, c.System, c.Demonstrations = suite.Answer, system, rows[:shots]
	}
	return nil
}

// subject returns the subject in the name of one of MMLU's files.
func subject(path string) string {
	s := strings.TrimSuffix(baseName(path), ".csv")
	if i := strings.LastIndexByte(s, '_'); i > 0 {
		s = s[:i]
	}
	return s
}

func (f *file) mmlu() error {
	subject := subject(f.path)
	return f.rows(csv.NewReader(bytes.NewReader(f.data)), func(line int, row []string) error {
		if len(row) != 6 {
			return f.errorf(line, "want a question, four options and a letter from A to D")
		}
		if len(row[5]) != 1 || row[5][0] < 'A' || row[5][0] > 'D' {
			return f.leave(line, noOption)
		}
		gold := int(row[5][0] - 'A')
		c := suite.Case{Prompt: strings.TrimSpace(row[0]), ShowOptions: true, AnswerType: suite.Choice,
			Tags: tags(subject), Gold: suite.Gold{Option: &gold}}
		for _, o := range row[1:5] {
			c.Options = append(c.Options, strings.TrimSpace(o))
		}
		return f.choice("mmlu-"+slug(subject), line, c)
	})
}

func isSimpleQA(_ string, data []byte) bool { return string(head(data)) == "metadata,problem,answer" }

var topic = pattern.New(`'topic': '([^']*)'`)

// readSimpleQA reads SimpleQA: metadata (a Python dictionary, of which the topic becomes a tag), problem and answer.
func readSimpleQA(f *file) error {
	return f.table([]string{"metadata", "problem", "answer"}, func(line int, get func(string) string) error {
		c := suite.Case{Prompt: get("problem"), AnswerType: suite.Short,
			Gold: suite.Gold{Texts: []string{get("answer")}}}
		if m := topic.FindStringSubmatch(get("metadata")); m != nil {
			c.Tags = tags(m[1])
		}
		if c.Prompt == "" || c.Gold.Texts[0] == "" {
			return f.leave(line, noPair)
		}
		return f.add("simpleqa", line, c)
	})
}
