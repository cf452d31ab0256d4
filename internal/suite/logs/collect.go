package logs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/shelf"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// A collector puts the rows of files together.
type collector struct {
	o     *Options
	own   *imported.Answers // of files of rows
	files []string
	taken int

	sources  []*imported.Source
	printed  map[string]map[string]float64 // by task
	notes    []string
	wordings []string // the first is the default prompt
	cases    []entry
	at       map[uint64]int32 // of a case, by the hash of its task and id
	clash    map[string]int32 // of a case whose hash another has, by both
	from     maphash.Seed     // of these hashes
	taskIDs  map[string]int32
	tasks    []string
	others   map[int32][]string // of a case the prompts of further wordings, "" where one is not known
	asked    map[string]string  // the model, by task, of a file of results
	rows     []place            // of each of the list
	list     *imported.Answers  // of which an item is an entry, until the suite is made
	index    map[imported.Place]int32
	answered bool // a row has an answer, or says why it has none
	extra    int  // draws of other prompts, which have no place
	reworded int  // questions that a later row words otherwise
}

// An entry is one question of the logs: what most have stands in it.
type entry struct {
	id, prompt string
	gold       string    // the only one; "" where rest has several
	rest       *Question // of a question with more; nil
	place      place
	task       int32
}

type place struct{ file, line int32 }

func newCollector(o *Options) *collector {
	return &collector{
		o: o, at: map[uint64]int32{}, from: maphash.MakeSeed(), asked: map[string]string{},
		taskIDs: map[string]int32{}, others: map[int32][]string{}, index: map[imported.Place]int32{},
		list: &imported.Answers{Asked: o.Suite == nil, Map: o.Map.list()}, printed: map[string]map[string]float64{},
	}
}

// wrote notes what a file of results says of a task.
func (c *collector) wrote(task, model string, printed map[string]float64) {
	c.asked[task] = model
	if c.printed[task] == nil {
		c.printed[task] = map[string]float64{}
	}
	maps.Copy(c.printed[task], printed)
}

func (c *collector) where(f *file, p place) string {
	return (&file{name: c.files[p.file], kind: f.kind}).place(int(p.line))
}

// take adds a row.
func (c *collector) take(f *file, at int, r *Row) error {
	if len(c.files) == 0 || c.files[len(c.files)-1] != f.name {
		c.files = append(c.files, f.name)
	}
	here := place{int32(len(c.files) - 1), int32(at)}
	if err := r.check(); err != nil {
		return f.errorf(at, "%w", err)
	}
	c.taken++
	r.Gold = slices.DeleteFunc(r.Gold, func(g string) bool { return strings.TrimSpace(g) == "" }) // of a reader's own
	variant := slices.Index(c.wordings, r.Wording)
	if variant < 0 {
		variant = len(c.wordings)
		c.wordings = append(c.wordings, r.Wording)
	}
	e, err := c.ask(f, r, here, variant)
	if err != nil {
		return err
	}
	if variant > 0 && r.Repeat > 0 {
		c.extra++
		return nil
	}
	x := imported.Answer{Item: e, Variant: variant, Repeat: r.Repeat, Model: r.Model, Finish: r.Finish,
		Failure: r.Failure, Text: r.Text}
	if x.Scores, err = scored(r.Scores); err != nil {
		return f.errorf(at, "%w", err)
	}
	key := c.list.Place(&x)
	if before, twice := c.index[key]; twice {
		return c.again(f, at, r, int(before))
	}
	c.answered = c.answered || r.Text != nil || r.Failure != ""
	c.index[key] = int32(len(c.rows))
	c.rows = append(c.rows, here)
	if err := c.list.Append(&x); err != nil {
		return f.errorf(at, "%w", err)
	}
	return nil
}

// again adds the scores of a row to an answer that was given before.
func (c *collector) again(f *file, at int, r *Row, before int) error {
	b := c.list.At(before)
	said, err := c.list.Said(&b)
	if err != nil {
		return err
	}
	all := scoresOf(&b)
	if !r.Again || !same(said, r.Text) || shared(all, r.Scores) {
		return f.errorf(at, "sample %q of model %q, prompt %d, draw %d was answered before, at %s; name one log of "+
			"it, or import logs of two runs one by one", jsonl.Excerpt([]byte(r.ID)), cmp.Or(r.Model, c.o.Name),
			b.Variant, r.Repeat, c.where(f, c.rows[before]))
	}
	maps.Copy(all, r.Scores)
	if b.Scores, err = scored(all); err != nil {
		return err
	}
	return c.list.Set(before, &b)
}

// shared reports whether a score stands in both.
func shared(a, b map[string]float64) bool {
	for name := range b {
		if _, ok := a[name]; ok {
			return true
		}
	}
	return false
}

// check says what is wrong with a row.
func (r *Row) check() error {
	long := func(s string, most int) bool {
		return len(s) > most || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
	}
	switch {
	case r.ID == "":
		return errors.New("the sample has no id")
	case long(r.ID, 500), long(r.Task, 500):
		return fmt.Errorf("id %q is no name of at most 500 bytes on one line", jsonl.Excerpt([]byte(r.ID)))
	case long(r.Model, imported.MostModel):
		return fmt.Errorf("model %q is no name of at most %d bytes on one line", jsonl.Excerpt([]byte(r.Model)),
			imported.MostModel)
	case r.Repeat < 0 || r.Repeat > imported.Most:
		return fmt.Errorf("draw %d: want a whole number from 0 to %d", r.Repeat, imported.Most)
	case len(r.Scores) > mostColumns:
		return fmt.Errorf("%d scores, at most %d are read", len(r.Scores), mostColumns)
	}
	return nil
}

// ask enters the question of a row, or holds it against what an earlier row says of it.
func (c *collector) ask(f *file, r *Row, here place, variant int) (int32, error) {
	e, known := c.entry(r)
	if !known {
		c.cases = append(c.cases, newEntry(r, here))
		c.cases[e].task = c.taskIDs[r.Task]
	}
	x := &c.cases[e]
	if known && r.golden() {
		q := x.question()
		switch {
		case !q.golden():
			q.Gold, q.Option = r.Gold, r.Option
			x.rest = &q
		case !slices.Equal(q.Gold, r.Gold) || (q.Option == nil) != (r.Option == nil) ||
			q.Option != nil && *q.Option != *r.Option:
			return 0, f.errorf(int(here.line), "sample %q has another right answer than at %s; import the logs one "+
				"by one", jsonl.Excerpt([]byte(r.ID)), c.where(f, x.place))
		}
	}
	p := &x.prompt
	if variant > 0 {
		for len(c.others[e]) < variant {
			c.others[e] = append(c.others[e], "")
		}
		p = &c.others[e][variant-1]
	}
	switch {
	case *p == "":
		*p = r.Prompt
	case r.Prompt != "" && *p != r.Prompt:
		c.reworded++
	}
	return e, nil
}

// entry is the place of a question among the cases, the next where it is not known.
func (c *collector) entry(r *Row) (e int32, known bool) {
	task, ok := c.taskIDs[r.Task]
	if !ok {
		task = int32(len(c.tasks))
		c.taskIDs[r.Task], c.tasks = task, append(c.tasks, r.Task)
	}
	key := maphash.Comparable(c.from, struct {
		task int32
		id   string
	}{task, r.ID})
	e, known = c.at[key]
	if !known {
		c.at[key] = int32(len(c.cases))
		return int32(len(c.cases)), false
	}
	if x := &c.cases[e]; x.task == task && x.id == r.ID {
		return e, true
	}
	both := r.Task + "\x00" + r.ID
	if e, known = c.clash[both]; !known {
		if e = int32(len(c.cases)); c.clash == nil {
			c.clash = map[string]int32{}
		}
		c.clash[both] = e
	}
	return e, known
}

// newEntry enters the question of a row, without its prompt.
func newEntry(r *Row, here place) entry {
	x := entry{id: r.ID, place: here}
	if len(r.Gold) == 1 && r.Gold[0] != "" && r.Option == nil && r.System == "" && len(r.Options) == 0 &&
		len(r.Context) == 0 && len(r.Shown) == 0 && len(r.Tags) == 0 {
		x.gold = r.Gold[0]
		return x
	}
	q := r.Question
	q.Prompt = ""
	x.rest = &q
	return x
}

// question is all of a question but its prompts.
func (e *entry) question() Question {
	if e.rest != nil {
		return *e.rest
	}
	return Question{ID: e.id, Gold: []string{e.gold}}
}

// golden reports whether the right answer is known.
func (q *Question) golden() bool { return len(q.Gold) > 0 || q.Option != nil }

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// scored is the JSON of scores; nil of none.
func scored(scores map[string]float64) (json.RawMessage, error) {
	for name, x := range scores {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("score %q is %v; want a number", jsonl.Excerpt([]byte(name)), x)
		}
	}
	if len(scores) == 0 {
		return nil, nil
	}
	return json.Marshal(scores)
}

// scoresOf are the scores of an answer, whose JSON scored wrote.
func scoresOf(x *imported.Answer) map[string]float64 {
	scores := map[string]float64{}
	_ = json.Unmarshal(x.Scores, &scores) // an answer may have none
	return scores
}

// answers returns what all files hold.
func (c *collector) answers() (*imported.Answers, error) {
	if c.own != nil && len(c.rows) > 0 {
		return nil, errors.New("rows of answers and logs of other tools are imported one by one")
	}
	if c.own != nil {
		c.own.Done()
		return c.own, nil
	}
	if len(c.rows) == 0 {
		names := c.files
		for _, s := range c.sources { // of results alone
			names = append(names, s.File)
		}
		return nil, fmt.Errorf("%s: no answers in it; name the samples beside it too",
			strings.Join(names, ", "))
	}
	verdict, err := c.verdict()
	if err != nil {
		return nil, err
	}
	c.at, c.index, c.clash = nil, nil, nil
	s, places := c.o.Suite, []int32(nil)
	if s == nil {
		s, places = c.suite(verdict != "")
	} else if places, err = c.in(s); err != nil {
		return nil, err
	}
	c.compare()
	out, n := c.list, len(c.rows)
	undecided := c.settle(places, verdict)
	c.cases, c.rows, out.Suite = nil, nil, s // of many, what was read of them is as long as the suite
	if c.o.Suite == nil {
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("the questions of the log make no suite: %w; write one, and name it with --suite",
				err)
		}
	}
	if undecided != nil {
		return nil, undecided
	}
	for i := range n {
		x := out.At(i)
		said, err := out.Said(&x)
		if err != nil {
			return nil, err
		}
		out.Count(&x, said)
	}
	c.say()
	out.Sources, out.Notes = c.sources, c.notes
	out.Phrased = out.Suite.Cases.Has(func(c *suite.Case) bool { return len(c.Phrasings) > 0 })
	out.Done()
	return out, nil
}

// settle has each answer be of the case at its question's place in the suite, and of a model; where a verdict stands
// in the place of answers, it says that.
func (c *collector) settle(places []int32, verdict string) (err error) {
	for i := range c.rows {
		x := c.list.At(i)
		e := x.Item
		if verdict != "" {
			x.Shelf = shelf.Slot{}
			if x.Text, err = c.decided(i, &x, e, verdict); err != nil {
				return err
			}
			if err := c.list.Set(i, &x); err != nil {
				return err
			}
		}
		c.list.Move(i, places[e], cmp.Or(x.Model, c.asked[c.tasks[c.cases[e].task]]))
	}
	return nil
}

// verdict names the score that stands in the place of answers: the one that --map names, or where no row has an answer
// the only one; "" where answers are graded.
func (c *collector) verdict() (string, error) {
	if name := c.o.Map[verdict]; name != "" || c.answered {
		return name, nil
	}
	list := c.list.Scores()
	switch len(list) {
	case 0:
		return "", fmt.Errorf("%s: neither answers nor scores; name their columns, as --map answer=COLUMN", c.files[0])
	case 1:
		return list[0], nil
	}
	return "", fmt.Errorf("%s: scores without answers; say which of them is the verdict, as --map verdict=%s (there "+
		"are %s)", c.files[0], list[0], strings.Join(list[:min(len(list), 8)], ", "))
}

// decided is the score of a row in the place of its answer.
func (c *collector) decided(i int, a *imported.Answer, e int32, name string) (*string, error) {
	scores := scoresOf(a)
	x, ok := scores[name]
	switch {
	case !ok && a.Failure != "":
		return nil, nil
	case !ok:
		near := slices.Sorted(maps.Keys(scores))
		return nil, fmt.Errorf("%s: sample %q has no score %q; it has %s", c.files[c.rows[i].file],
			jsonl.Excerpt([]byte(c.cases[e].id)), name, strings.Join(near[:min(len(near), 8)], ", "))
	case x != 0 && x != 1:
		return nil, fmt.Errorf("%s: sample %q: score %q is %v, and a verdict is 0 or 1; map another score, or leave "+
			"the answers to be graded", c.files[c.rows[i].file], jsonl.Excerpt([]byte(c.cases[e].id)), name, x)
	}
	return &imported.Verdicts[int(x)], nil
}

// compare holds the means of scores, over questions of the mean over a question's draws, against what each tool
// printed.
func (c *collector) compare() {
	for _, s := range c.sources {
		if p := c.printed[s.Task]; len(p) > 0 && s.Printed == nil {
			s.Printed = p
		}
		if len(s.Printed) == 0 {
			continue
		}
		means := c.means(s)
		for _, name := range slices.Sorted(maps.Keys(s.Printed)) {
			if got, ok := means[name]; ok && math.Abs(got-s.Printed[name]) > 1e-9*max(1, math.Abs(got)) {
				c.notes = append(c.notes, fmt.Sprintf("%s: %s printed %s for %s, and the mean of its samples is %s: "+
					"it weighs or reduces them otherwise", s.File, s.Tool, figure.Exact(s.Printed[name]), name,
					figure.Exact(got)))
			}
		}
	}
}

// means are the means of the scores of a source.
func (c *collector) means(s *imported.Source) map[string]float64 {
	type unit struct {
		entry, variant int32
		model          string
	}
	sums := map[string]map[unit][2]float64{}
	for i := range c.rows {
		a := c.list.At(i)
		if filepath.Base(c.files[c.rows[i].file]) != s.File {
			continue
		}
		for name, x := range scoresOf(&a) {
			if _, ok := s.Printed[name]; !ok {
				continue
			}
			if sums[name] == nil {
				sums[name] = map[unit][2]float64{}
			}
			u := unit{a.Item, int32(a.Variant), a.Model}
			sum := sums[name][u]
			sums[name][u] = [2]float64{sum[0] + x, sum[1] + 1}
		}
	}
	out := map[string]float64{}
	for name, by := range sums {
		var total float64
		for _, sum := range by {
			total += sum[0] / sum[1]
		}
		out[name] = total / float64(len(by))
	}
	return out
}

// say adds what is said of all logs.
func (c *collector) say() {
	if c.extra > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s of other prompts than the first were left out: draws are of the "+
			"first", figure.Counted(c.extra, "draw")))
	}
	if c.reworded > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s a question otherwise than the first of it: the first wording is kept",
			figure.Plural(c.reworded, "sample words", "samples word")))
	}
}
