package consistency

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// An Input is a named stream of rows, one JSON object a line.
type Input = inputfile.Input

// ReadOptions of ReadRows.
type ReadOptions struct {
	Equal   answer.Relation // which answers are equal
	SkipBad bool            // leave bad lines out and count them
}

// A Table is what ReadRows read.
type Table struct {
	Cases   []*Case  // ascending by id; answers without regard to the order of lines
	Rows    int      // good lines
	Skipped int      // bad lines left out
	Reasons []string // FILE:LINE: reason, of the first of them
}

const (
	chunkBytes    = 1 << 20
	maxLineBytes  = 64 << 20
	maxReasons    = 20
	chunksPerCore = 2
)

var errLongLine = errors.New("the line is longer than 64 MB")

// ReadRows reads the rows of `analyze consistency`:
//
//	{"id": "q1", "variant": 0, "answer": "Paris", "gold": "Paris", "tags": ["geo"], "retrieved": ["d7"]}
//
// id (a string), variant (an integer from 0) and answer (a string, or null for one that is missing) are required;
// gold (a string or a list), declined, gold_declined, ungradable, tags, retrieved, cluster and question are not;
// other fields are ignored; of a field given twice the last one counts. Cases are one observation where they name
// one cluster; where they name none, those whose rows all have one question, the same but for the space around it.
// Lines without text are skipped, as are a byte order mark and CR before LF. Several inputs are read as one.
//
// The first bad line is returned as a *jsonl.Fault, or skipped: not a JSON object, a field missing or of a wrong
// type, a pair of id and variant that was there, a gold (as a set of forms) or a cluster other than before for its
// id, a line over 64 MB (never skipped). An error of the reader is wrapped. An input without a row is an error too.
// Whatever the order of lines and the number of cores, the table is the same, but which of two conflicting lines is
// the bad one depends on the order.
//
// Lines are parsed on all cores, in memory proportional to the distinct answers, not to the bytes.
func ReadRows(inputs []Input, opt ReadOptions) (*Table, error) {
	answer.Normalize(opt.Equal, "") // an unknown relation is the caller's mistake: fail here, not in a worker
	m := merger{opt: opt, cases: make(map[string]*merged), table: new(Table)}
	for _, in := range inputs {
		before := m.table.Rows + m.table.Skipped
		if err := m.read(in); err != nil {
			return nil, err
		}
		if m.table.Rows+m.table.Skipped == before {
			return nil, fmt.Errorf("%s: no rows: write one object a line, such as {\"id\": \"q1\", \"variant\": "+
				"0, \"answer\": \"Paris\"}", in.Name)
		}
	}
	number := stat.Numbering[unit]{}
	for _, id := range slices.Sorted(maps.Keys(m.cases)) {
		c := m.cases[id]
		slices.Sort(c.Tags)
		c.Tags = slices.Compact(c.Tags)
		c.settle()
		m.table.Cases = append(m.table.Cases, &c.Case)
		if !c.unit.mixed {
			c.Cluster = number.Of(c.unit)
		}
	}
	return m.table, nil
}

// A chunk is a run of whole lines of one input, and, once parsed, its rows.
type chunk struct {
	line int // number of the first
	data []byte
	rows []rowOf
}

// read parses one input: one goroutine cuts it into chunks, one per core parses them, and the caller's merges them
// in order.
func (m *merger) read(in Input) error {
	workers := runtime.GOMAXPROCS(0)
	return jsonl.InOrder(workers, workers*chunksPerCore, func(get func() *chunk, emit func(*chunk) bool) error {
		err := cut(in.Reader, func(line int, data []byte) bool {
			c := get()
			c.line, c.data = line, append(c.data[:0], data...)
			return emit(c)
		})
		var long *jsonl.Fault
		switch {
		case errors.As(err, &long):
			long.File = in.Name
		case err != nil:
			err = fmt.Errorf("%s: %w", in.Name, err)
		}
		return err
	}, func() func(*chunk) {
		p := parser{equal: m.opt.Equal}
		return func(c *chunk) {
			clear(c.rows)
			c.rows = p.parse(c.line, c.data, c.rows[:0])
		}
	}, func(c *chunk) error { return m.merge(in.Name, c.rows) })
}

// cut calls emit with runs of whole lines, their buffer valid only during the call, until emit returns false.
func cut(r io.Reader, emit func(line int, data []byte) bool) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var b bytes.Buffer
	for line := 1; ; {
		b.Reset()
		_, err := io.CopyN(&b, in, chunkBytes)
		begun := bytes.LastIndexByte(b.Bytes(), '\n') + 1 // of the line that is not whole yet
		for whole := false; !whole && err == nil; {
			var part []byte
			part, err = in.ReadSlice('\n')
			b.Write(part)
			if whole = err == nil; errors.Is(err, bufio.ErrBufferFull) {
				err = nil
			}
			if !whole && b.Len()-begun > maxLineBytes {
				lines := b.Bytes()[:begun]
				emit(line, lines)
				return &jsonl.Fault{Line: line + bytes.Count(lines, []byte{'\n'}), Err: errLongLine}
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		lines := b.Bytes()
		if line == 1 {
			lines = bytes.TrimPrefix(lines, []byte("\ufeff"))
		}
		if len(lines) > 0 && !emit(line, lines) || err != nil {
			return nil
		}
		line += bytes.Count(lines, []byte{'\n'})
	}
}

// A unit is what a case is an observation of, by the name of a cluster, or else the question that all of its rows have.
type unit struct {
	cluster  string
	question [16]byte
	mixed    bool // its rows have several questions
}

// with returns a unit with what another row of the case says, and false where it names another cluster.
func (u unit) with(r *rowOf) (unit, bool) {
	switch {
	case u.cluster != "" && r.cluster != "" && u.cluster != r.cluster:
		return u, false
	case u.cluster != "" || r.cluster != "":
		return unit{cluster: cmp.Or(u.cluster, r.cluster)}, true
	case r.question == [16]byte{}:
	case u.question == [16]byte{}:
		u.question = r.question
	default:
		u.mixed = u.mixed || u.question != r.question
	}
	return u, true
}

// A merger adds rows to cases, in the order of the input.
type merger struct {
	opt   ReadOptions
	cases map[string]*merged
	last  *merged // rows of one id mostly follow each other
	table *Table
}

// A merged is a case in the making, and what its rows say that it is of.
type merged struct {
	Case
	unit unit
}

func (m *merger) merge(file string, rows []rowOf) error {
	for i := range rows {
		err := rows[i].err
		if err == nil {
			err = m.add(&rows[i])
		}
		if err == nil {
			m.table.Rows++
			continue
		}
		bad := &jsonl.Fault{File: file, Line: rows[i].line, Err: err}
		if !m.opt.SkipBad {
			return bad
		}
		m.table.Skipped++
		if len(m.table.Reasons) < maxReasons {
			m.table.Reasons = append(m.table.Reasons, bad.Error())
		}
	}
	return nil
}

func (m *merger) add(r *rowOf) error {
	c := m.last
	if c == nil || c.ID != r.id {
		var known bool
		if c, known = m.cases[r.id]; !known {
			c = &merged{Case: Case{ID: r.id}}
		}
	}
	if g := r.gold; g != nil && c.HasGold() && (c.GoldDeclined != g.declined || !slices.Equal(c.Gold, g.forms)) {
		return fmt.Errorf("the gold of id %q differs from an earlier line: one question has one gold, or one list",
			r.id)
	}
	u, same := c.unit.with(r)
	if !same {
		return fmt.Errorf("the cluster of id %q differs from an earlier line: one question is in one cluster", r.id)
	}
	var err error
	switch {
	case r.unscored:
		err = c.AddUnscored(int(r.variant))
	case r.open:
		err = c.AddUngradable(int(r.variant))
	default:
		err = c.Add(int(r.variant), Answer{r.form, r.retrieved})
	}
	if err != nil {
		return err
	}
	if g := r.gold; g != nil {
		c.Gold, c.GoldDeclined = g.forms, g.declined
	}
	c.unit = u
	for _, tag := range r.tags {
		if !slices.Contains(c.Tags, tag) {
			c.Tags = append(c.Tags, tag)
		}
	}
	if m.last != c {
		m.cases[c.ID], m.last = c, c
	}
	return nil
}
