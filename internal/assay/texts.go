package assay

import (
	"cmp"
	"sync"

	"hallmark/internal/base/shelf"
	"hallmark/internal/grade"
)

// texts keep those of answers: of a run with many, most of them in a file, as they take more room than all that was
// measured. They are safe for concurrent use. What went wrong with one is said in its place, and by Err.
type texts struct {
	shelf.Shelf

	mu  sync.Mutex
	err error
}

// Err is the first error. What was made of the texts does not count then.
func (t *texts) Err() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *texts) failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = cmp.Or(t.err, err)
}

// put takes over the text of a trial's response.
func (t *texts) put(c *trial) {
	if c.response == nil || c.response.Text == nil {
		return
	}
	if !c.text.OK() {
		var err error
		if c.text, err = t.Put(*c.response.Text); err != nil {
			t.failed(err)
		}
	}
	c.response.Text = nil
}

// hold has a trial's response have its text, for as long as it is read; put takes it again.
func (t *texts) hold(c *trial) {
	if c.response != nil && c.response.Text == nil {
		c.response.Text = t.of(c)
	}
}

// of is the text of a trial's response; nil where it has none.
func (t *texts) of(c *trial) *string {
	if c.response != nil && c.response.Text != nil {
		return c.response.Text
	}
	text, err := t.Get(c.text)
	if err != nil {
		t.failed(err)
		return new("(" + err.Error() + ")")
	}
	return text
}

// reply is the answer of a trial of a case as people are shown it: the option that was chosen, or the text.
func (t *answerSet) reply(ci int, c *trial) string {
	switch {
	case c.option != nil:
		return t.cases.At(ci).Options[*c.option]
	case len(c.more().options) > 0: // none was
		return ""
	}
	return deref(t.shelf.of(c))
}

// said is the text of an answer that is held, in words; "" where there is none.
func (c *trial) said() string {
	if c.response == nil {
		return ""
	}
	return deref(c.response.Text)
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// whole returns the grade of a trial of a case with all that is in it.
func (t *answerSet) whole(ci int, c *trial) *grade.Grade {
	if !c.folded {
		return c.grade
	}
	return c.unfolded(t.reply(ci, c))
}

// Err says what kept rows from being laid out as they are: an answer that could not be read back. Who lays out rows
// asks it when they are done.
func (t CaseTable) Err() error {
	for _, p := range t.parts {
		if p.answers != nil {
			if err := p.answers.shelf.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Err is that of its table: see CaseTable.Err.
func (a *Assay) Err() error { return a.Cases.Err() }

// Err is CaseTable.Err, of readings that were laid out.
func (r *Readings) Err() error {
	for _, x := range r.sets {
		if err := x.shelf.Err(); err != nil {
			return err
		}
	}
	return nil
}
