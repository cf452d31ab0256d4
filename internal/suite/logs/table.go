package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/pattern"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite/imported"
)

// A role is what a column of a table is for.
type role = string

// The roles.
const (
	id       role = "id"
	question role = "question"
	answer   role = "answer"
	gold     role = "gold"
	options  role = "options"
	passages role = "context"
	system   role = "system"
	model    role = "model"
	wording  role = "variant"
	repeat   role = "repeat"
	finish   role = "finish" // how the answer ended
	score    role = "score"
	verdict  role = "verdict" // a score that stands in the place of answers, in any log
	cluster  role = "cluster"
	tag      role = "tag"
)

var roles = []role{id, question, answer, gold, options, passages, system, model, wording, repeat, finish, score,
	verdict, cluster, tag}

// defaults are the names under which people have the columns of a role, the preferred first.
var defaults = map[role][]string{
	id:       {"id", "case_id", "sample_id", "doc_id"},
	question: {"question", "prompt", "query", "input", "text", "user_input"},
	answer:   {"response", "output", "actual_output"},
	gold:     {"gold", "target", "ideal", "expected", "expected_output", "reference", "ground_truth"},
	options:  {"options", "choices"},
	passages: {"context", "retrieval_context", "retrieved_contexts", "contexts"},
	system:   {"system"}, model: {"model"}, wording: {"variant"}, repeat: {"repeat", "epoch"},
	finish: imported.FinishNames, score: {"score"}, cluster: {"cluster"}, tag: {"tag"},
}

// A Mapping names the column of each role; scores may be several, with strokes between.
type Mapping map[role]string

var mapped = pattern.New(`(?:^|,)\s*([a-z]+)=`)

// ParseMapping reads the values of --map, as question=Q,answer=A,gold=G. A name may have a comma where no role follows.
func ParseMapping(values []string) (Mapping, error) {
	m, columns := Mapping{}, map[string]role{}
	for _, v := range values {
		at := mapped.FindAllStringSubmatchIndex(v, -1)
		if len(at) == 0 || at[0][0] != 0 {
			return nil, fmt.Errorf("--map %q: write what a column is for and its name, as question=Q,answer=A,gold=G",
				jsonl.Excerpt([]byte(v)))
		}
		for i, x := range at {
			end := len(v)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			r, column := v[x[2]:x[3]], strings.TrimSpace(v[x[1]:end])
			if err := m.add(r, column, columns); err != nil {
				return nil, fmt.Errorf("--map: %w", err)
			}
		}
	}
	return m, nil
}

// list writes a mapping again, a role at a time.
func (m Mapping) list() (out []string) {
	for _, r := range roles {
		for _, column := range strings.Split(m[r], "|") {
			if column != "" {
				out = append(out, r+"="+column)
			}
		}
	}
	return out
}

func (m Mapping) add(r role, column string, columns map[string]role) error {
	before, taken := columns[column]
	switch {
	case !slices.Contains(roles, r):
		return fmt.Errorf("a column can be for %s; %s", strings.Join(roles, ", "), strictyaml.Suggest(r, roles))
	case column == "":
		return fmt.Errorf("%s= names no column", r)
	case strings.Contains(column, "|"):
		return fmt.Errorf("column %q has a stroke in its name, which cannot be named here; give it another", column)
	case m[r] != "" && r != score:
		return fmt.Errorf("columns %q and %q are both to be the %s; keep one", m[r], column, r)
	case taken && !(before == verdict || r == verdict):
		return fmt.Errorf("column %q is to be both %s and %s; keep one", column, before, r)
	}
	columns[column] = r
	if r == score && m[r] != "" {
		column = m[r] + "|" + column
	}
	m[r] = column
	return nil
}

// fits says what is wrong with a mapping for a kind of file: the columns of a tool's log are known.
func (m Mapping) fits(k Kind) error {
	if k == Rows || k == Table || k == RAGAS {
		return nil
	}
	for _, r := range slices.Sorted(maps.Keys(m)) {
		if r != verdict {
			return fmt.Errorf("is a log of %s, whose parts are known: --map %s=… is for tables; leave it out",
				toolOf(k), r)
		}
	}
	return nil
}

// hasQuestions reports whether a table, or rows of JSON, have a column of questions, or scores and no answers.
func hasQuestions(head []byte) bool {
	text := textIn(head)
	var names []string
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		names = firstKeys(text)
	} else {
		line, _, _ := bytes.Cut(text, []byte("\n"))
		names = strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(",;\t\r", r) })
	}
	has := func(r role) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.Contains(defaults[r], plain(strings.Trim(name, `" `)))
		})
	}
	return has(question) || has(score) && !has(answer)
}

// plain is the form in which names of columns are compared.
func plain(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// Columns are those of a table by what they are for; -1 where there is none.
type layout struct {
	at     map[role]int
	scores []int
	also   []double
	names  []string
}

// A double is two columns that by their names are both the answer or both the gold, so that they must agree.
type double struct {
	role          role
	first, second int
}

// lay finds the columns of roles among names.
func (m Mapping) lay(names []string, k Kind) (*layout, error) {
	if len(names) > mostColumns {
		return nil, fmt.Errorf("%d columns, at most %d are read; leave out what is not needed", len(names), mostColumns)
	}
	first, err := m.firsts(names)
	if err != nil {
		return nil, err
	}
	l := &layout{at: map[role]int{}, names: names}
	for _, r := range roles {
		if column := m[r]; column != "" {
			for _, column := range strings.Split(column, "|") {
				at := slices.Index(names, column)
				if at < 0 {
					return nil, fmt.Errorf("no column %q, which --map says is the %s; %s", column, r,
						strictyaml.Suggest(column, names))
				}
				l.set(r, at)
			}
			continue
		}
		for _, name := range defaults[r] {
			at, ok := first[name]
			if !ok || m.takes(names[at]) {
				continue
			}
			if _, taken := l.at[r]; !taken || r == score {
				l.set(r, at)
			} else if r == answer || r == gold {
				l.also = append(l.also, double{r, l.at[r], at})
			}
		}
	}
	return l, l.settle(first, m, k)
}

// firsts are the first columns of a name, by its plain form. That of a column that is read may stand there once.
func (m Mapping) firsts(names []string) (map[string]int, error) {
	first := map[string]int{}
	for i, name := range names {
		before, twice := first[plain(name)]
		switch {
		case !twice || plain(name) == "":
			first[plain(name)] = i
		case slices.Contains(names[:i], name) || m.uses(plain(name)):
			return nil, fmt.Errorf("columns %q and %q are one but for case and spacing; keep one", names[before], name)
		}
	}
	return first, nil
}

func (l *layout) set(r role, at int) {
	if r == score || r == verdict {
		if !slices.Contains(l.scores, at) {
			l.scores = append(l.scores, at)
		}
		return
	}
	l.at[r] = at
}

// uses reports whether a column of that name would be read.
func (m Mapping) uses(name string) bool {
	for r, names := range defaults {
		if m[r] == "" && slices.Contains(names, name) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(m)), func(c string) bool { return plain(c) == name })
}

// takes reports whether a column was given a role.
func (m Mapping) takes(name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(m)), func(c string) bool {
		return slices.Contains(strings.Split(c, "|"), name)
	})
}

// settle decides what a column called answer is, and what else a table must have.
func (l *layout) settle(first map[string]int, m Mapping, k Kind) error {
	has := func(r role) bool { _, ok := l.at[r]; return ok }
	if at, ok := first["answer"]; ok && !m.takes(l.names[at]) {
		switch {
		case has(answer) && !has(gold):
			l.at[gold] = at
		case !has(answer) && has(gold):
			l.at[answer] = at
		case !has(answer):
			return fmt.Errorf("column %q may be the model's answer or the right one: say --map answer=%[1]s or "+
				"--map gold=%[1]s", l.names[at])
		}
	}
	if k == RAGAS {
		l.metrics()
	}
	if !has(answer) && len(l.scores) == 0 {
		return fmt.Errorf("no column of answers (%s) and none of scores; name one, as --map answer=COLUMN; there "+
			"are %s", strings.Join(defaults[answer], ", "), some(l.names))
	}
	return nil
}

// metrics takes the columns of a table of RAGAS that are not known by name for metrics.
func (l *layout) metrics() {
	for i, name := range l.names {
		known := slices.Contains([]string{"reference_contexts", "rubrics", "multi_responses"}, name)
		for _, at := range l.at {
			known = known || at == i
		}
		if !known && plain(name) != "" && plain(name) != "unnamed:_0" && !slices.Contains(l.scores, i) {
			l.scores = append(l.scores, i)
		}
	}
}

// some lists names, not all of many.
func some(names []string) string {
	out := make([]string, 0, 8)
	for _, n := range names[:min(len(names), 8)] {
		out = append(out, fmt.Sprintf("%q", jsonl.Excerpt([]byte(n))))
	}
	if len(names) > 8 {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// A cell of a table: its text, and its JSON where the table has it.
type tableCell struct {
	text  string
	raw   json.RawMessage
	empty bool
}

// list is a cell of several texts: a list of JSON, or of Python as pandas writes it, or parts with strokes between.
func (c tableCell) list(split bool) []string {
	text := strings.TrimSpace(c.text)
	var x flexible
	switch {
	case c.empty:
		return nil
	case len(c.raw) > 0 && c.raw[0] == '[' && json.Unmarshal(c.raw, &x) == nil && x.list:
		return x.texts
	case strings.HasPrefix(text, "["):
		if json.Unmarshal([]byte(text), &x) == nil && x.list {
			return x.texts
		}
		if list, ok := pythonList(text); ok {
			return list
		}
	case split && strings.Contains(text, "|"):
		var out []string
		for _, part := range strings.Split(text, "|") {
			out = append(out, strings.TrimSpace(part))
		}
		return out
	}
	return []string{c.text}
}

// pythonList reads a list of strings as Python prints it: ['a', "b"], as a data frame saves lists in a CSV.
func pythonList(s string) (out []string, ok bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	for s = strings.TrimLeft(s, " ,\n"); s != ""; s = strings.TrimLeft(s, " ,\n") {
		if s[0] != '\'' && s[0] != '"' {
			return nil, false
		}
		text, rest, ok := pythonText(s[1:], s[0])
		if !ok {
			return nil, false
		}
		out, s = append(out, text), rest
	}
	return out, true
}

// pythonText reads a string up to its quote. The escapes of Python are those of Go, in a repr.
func pythonText(s string, quote byte) (text, rest string, ok bool) {
	var b strings.Builder
	for s != "" && s[0] != quote {
		if strings.HasPrefix(s, `\'`) || strings.HasPrefix(s, `\"`) {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		c, _, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", "", false
		}
		b.WriteRune(c)
		s = tail
	}
	if s == "" {
		return "", "", false
	}
	return b.String(), s[1:], true
}

// agree reports columns of one role that differ.
func (l *layout) agree(cell func(i int) tableCell) error {
	for _, two := range l.also {
		if a, b := cell(two.first), cell(two.second); !a.empty && !b.empty && a.text != b.text {
			return fmt.Errorf("columns %q and %q may be the same and differ, as %q and %q; say what each is for, as "+
				"--map %s=%s", l.names[two.first], l.names[two.second], jsonl.Excerpt([]byte(a.text)),
				jsonl.Excerpt([]byte(b.text)), two.role, l.names[two.first])
		}
	}
	return nil
}

// row makes a row of cells; n is its number in the file, from 0, which is its id where it has none.
func (l *layout) row(n int, cell func(i int) tableCell, r *Row) error {
	of := func(role role) tableCell {
		if at, ok := l.at[role]; ok {
			return cell(at)
		}
		return tableCell{empty: true}
	}
	if err := l.agree(cell); err != nil {
		return err
	}
	*r = Row{Model: strings.TrimSpace(of(model).text)}
	r.ID = strings.TrimSpace(of(id).text)
	if _, ok := l.at[id]; !ok {
		r.ID = strconv.Itoa(n)
	}
	r.Prompt, r.System, r.Context = of(question).text, of(system).text, of(passages).list(false)
	r.Gold, r.Options = of(gold).list(false), of(options).list(true)
	r.lettered()
	if x := of(answer); !x.empty {
		r.Text = &x.text
	} else if _, ok := l.at[answer]; ok {
		if r.Failure = "the log has no answer: null"; len(x.raw) == 0 { // an empty cell is an empty answer
			r.Text, r.Failure = new(string), ""
		}
	}
	if w := strings.TrimSpace(of(wording).text); w != "" && w != "0" {
		r.Wording = w
	}
	r.Finish = imported.FinishOf(of(finish).text)
	if x := strings.TrimSpace(of(repeat).text); x != "" {
		var err error
		if r.Repeat, err = strconv.Atoi(x); err != nil {
			return fmt.Errorf("repeat %q: want a whole number", jsonl.Excerpt([]byte(x)))
		}
	}
	if x := strings.TrimSpace(of(cluster).text); x != "" {
		r.Tags = append(r.Tags, cluster+":"+x)
	}
	if x := strings.TrimSpace(of(tag).text); x != "" {
		r.Tags = append(r.Tags, x)
	}
	return l.scored(cell, r)
}

// lettered takes a gold that is the letter of an option for the option.
func (q *Question) lettered() {
	if len(q.Gold) != 1 || slices.Contains(q.Options, q.Gold[0]) {
		return
	}
	for i, text := range q.Options {
		if strings.EqualFold(strings.TrimSpace(q.Gold[0]), string(rune('A'+i))) {
			q.Gold = []string{text}
			return
		}
	}
}

func (l *layout) scored(cell func(i int) tableCell, r *Row) error {
	for _, at := range l.scores {
		c := cell(at)
		text := strings.TrimSpace(c.text)
		if c.empty || text == "" || strings.EqualFold(text, "nan") {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if word, ok := words[text]; err != nil && ok {
			x, err = word, nil
		}
		if err != nil {
			return fmt.Errorf("score %q is %q; want a number", jsonl.Excerpt([]byte(l.names[at])),
				jsonl.Excerpt([]byte(text)))
		}
		r.enter(l.names[at], x)
	}
	return nil
}
