package assay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/run"
	"hallmark/internal/text/answer"
)

// keptFrom is the number of planned answers from which on it is kept how they were read: to read fewer again takes no
// time that anybody notices.
const keptFrom = 2000

// mostKept bounds what a text takes while it is read, in bytes.
const mostKept = 64 << 20

// EvaluateKept is Evaluate of a run whose store keeps how its answers were read (run.TextStore): what a program read
// before of the same records it takes from there, in place of a reader, and what it reads anew it keeps, where keeps
// says so. The result is the same. program names the program, to whom another one's readings are nothing; it is asked
// where there are answers enough.
func EvaluateKept(ctx context.Context, store run.Store, p *Plan, version string, program func() string, keeps bool) (
	*Assay, error) {
	return evaluateWith(ctx, store, p, version, &evaluation{
		keeping: &keeping{program: program, writes: keeps, from: keptFrom}})
}

// keeping is what an evaluation needs to take readings from the store, or to keep them.
type keeping struct {
	program func() string
	writes  bool
	from    int       // the answers that are many
	part    int       // the place of the sitting among those of the run
	sum     hash.Hash // of what its readings depend on; nil where they are not kept
}

// A keptCase is a line of what is kept: how the answers to a case were read.
type keptCase struct {
	Brief   rubric.Brief  `json:"brief"`
	Golds   []answer.Form `json:"golds,omitempty"`
	Answers []keptAnswer  `json:"answers"`
}

// A keptAnswer is how one answer was read.
type keptAnswer struct {
	Grade  *grade.Grade `json:"grade,omitempty"`  // its own, or the next of those that answers share
	Shared int          `json:"shared,omitempty"` // the place of a grade that answers share, from 1; 0: its own
	At     [2]int32     `json:"at,omitzero"`      // of a shared grade: where in the text stands what was read
	Sure   float64      `json:"sure,omitempty"`   // of a shared grade: the confidence
	Class  answer.Form  `json:"class,omitzero"`
	Open   string       `json:"open,omitempty"`
	Option *int         `json:"option,omitempty"`
}

// begin prepares to take or keep the readings of a sitting, before its records are fetched. It does so where answers
// are many, are read once, and no model has a part in how they are read.
func (k *keeping) begin(x *sitting) {
	if k == nil {
		return
	}
	k.part, k.sum = k.part+1, nil
	answers := 0
	for _, trials := range x.table {
		answers += len(trials)
	}
	if answers < k.from || !x.readsOnce() || !x.puts() || len(x.plan.judges()) > 0 || x.plan.Equivalence != nil {
		return
	}
	k.sum = sha256.New()
	fmt.Fprintf(k.sum, "readings 1\n%s\n%s\n%s\n%d\n", k.program(), grade.Version, x.id, k.part)
}

// note enters the record of an answer, nil where there is none. One that the store keeps no hash of may have been
// changed, so that nothing is kept of the sitting.
func (k *keeping) note(key run.Key, r *run.Record) {
	switch {
	case k == nil || k.sum == nil:
	case r == nil:
		k.sum.Write(make([]byte, 1))
	case r.Unhashed:
		k.sum = nil
	default:
		k.sum.Write(append(key[:], r.Sum[:]...))
	}
}

// readOrRecall reads the answers of a sitting, or takes from the store how they were read before.
func (x *sitting) readOrRecall(ctx context.Context) error {
	k := x.keeping
	if k == nil || k.sum == nil {
		x.forms = x.readAll(ctx, x.rub, x.suite, x.table, x.readsOnce())
		return nil
	}
	name, key := fmt.Sprintf("readings %s %d", x.id, k.part), k.sum.Sum(nil)
	text, err := x.store.Text(ctx, name)
	if err != nil {
		return err
	}
	if of, found := bytes.CutPrefix(text, key); found && x.recallKept(of) == nil {
		return nil
	}
	x.forms = x.readAll(ctx, x.rub, x.suite, x.table, true)
	if !k.writes || ctx.Err() != nil || x.rub.Err() != nil || x.texts.Err() != nil {
		return nil
	}
	if text, err = x.keptText(key); err == nil {
		err = x.store.PutText(ctx, name, text)
	}
	return err
}

// keptText writes down how the answers were read: the key, and packed a line a case.
func (x *sitting) keptText(key []byte) ([]byte, error) {
	out := bytes.NewBuffer(key)
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	lines, shared := json.NewEncoder(z), map[*grade.Grade]int{}
	for ci, c := range x.cases.Pass() {
		line := keptCase{Brief: x.rub.Brief(c), Golds: x.forms[ci], Answers: make([]keptAnswer, 0, len(x.table[ci]))}
		for i := range x.table[ci] {
			t := &x.table[ci][i]
			a := keptAnswer{Class: t.class, Open: t.more().open, Option: t.option, Grade: t.grade}
			if t.folded {
				a.At, a.Sure, a.Shared = [2]int32{t.saidAt, t.saidEnd}, t.confidence, shared[t.grade]
				if a.Shared == 0 {
					shared[t.grade] = len(shared) + 1
					a.Shared = len(shared)
				} else {
					a.Grade = nil
				}
			}
			line.Answers = append(line.Answers, a)
		}
		if err := lines.Encode(line); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}

// possible reports whether a grade is there and can have been given.
func possible(g *grade.Grade) bool {
	if g == nil || g.Confidence < 0 || g.Confidence > 1 {
		return false
	}
	for _, j := range g.Axes() {
		if j.Verdict < grade.Unscored || j.Verdict > grade.NotApplicable {
			return false
		}
	}
	return true
}

// recallKept takes from a text of keptText, without its key, how the answers were read. After an error the table is as
// if nothing was.
func (x *sitting) recallKept(text []byte) (err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, t := range eachTrial(x.table) {
			t.seen, t.folded, t.grade, t.class, t.option = false, false, nil, answer.Form{}, nil
			if t.few != nil {
				t.few.open = ""
			}
		}
		var anew error
		if x.rub, anew = x.plan.rubric(x.suite); anew != nil {
			err = anew
		}
		x.forms = nil
	}()
	z, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostKept))
	if err != nil {
		return err
	}
	defer z.Close()
	x.forms = make([][]answer.Form, x.cases.Len())
	var shared []*grade.Grade
	ci := 0
	err = jsonl.Each("", z, func(_ int, line keptCase) error {
		if ci == len(x.table) || len(line.Answers) != len(x.table[ci]) {
			return errors.New("it is of other answers")
		}
		c := x.cases.At(ci)
		x.rub.Recall(c, line.Brief)
		x.forms[ci] = line.Golds
		for i := range line.Answers {
			a, t := &line.Answers[i], &x.table[ci][i]
			t.seen, t.class, t.option, t.grade = true, a.Class, a.Option, a.Grade
			if a.Open != "" {
				t.own().open = a.Open
			}
			if a.Shared > 0 {
				if a.Grade != nil {
					shared = append(shared, a.Grade)
				}
				if a.Shared > len(shared) || a.At[0] < 0 || a.At[1] < a.At[0] {
					return errors.New("a grade is missing")
				}
				t.grade, t.folded, t.confidence = shared[a.Shared-1], true, a.Sure
				t.saidAt, t.saidEnd = a.At[0], a.At[1]
			}
			if !possible(t.grade) || t.confidence < 0 || t.confidence > 1 ||
				a.Option != nil && (*a.Option < 0 || *a.Option >= len(c.Options)) {
				return errors.New("a grade or an option cannot be")
			}
		}
		ci++
		return nil
	}, nil)
	if err == nil && ci < len(x.table) {
		err = errors.New("it is of fewer cases")
	}
	if err != nil {
		return err
	}
	for _, t := range eachTrial(x.table) {
		x.texts.put(t)
		t.letGo()
	}
	return nil
}
