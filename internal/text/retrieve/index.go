package retrieve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/parallel"
)

// An Index is searched by any number of goroutines at once. It holds words and ids; the passages themselves stay in
// their files.
type Index struct {
	files  []File
	parts  []*part
	words  dictionary
	df     []uint32 // passages that hold each word
	ids    dictionary
	length []uint32  // indexed words of each passage
	norm   []float32 // of each passage, for bounds
	forbid []bool    // passages that are never found; nil: none
	pairs  []uint64  // of join
	mean   float64   // length
	hash   string
	found  int // forbidden titles and ids that are there
	pool   sync.Pool
}

// Options of Build.
type Options struct {
	// Forbidden are titles and ids of passages that are never found. They stay in the counts, as in the source:
	// arXiv:2302.00083, whose code drops the page that a text comes from after the search.
	Forbidden []string
}

// Build reads and indexes the passages of files, in their order. The first bad line is the error, a *jsonl.Fault
// that names file and line: what is no JSON object, a passage without id or text, an id that was there before. It
// reads on all cores but holds only a few parts of the text at a time; the index takes some 300 bytes for a passage
// of a hundred words.
func Build(files []File, opt Options) (*Index, error) {
	// An index grows steadily and holds no pointers, so collecting often costs next to nothing, and seldom lets
	// garbage match the index in size.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	x := &Index{files: files}
	forbidden := map[string]bool{}
	for _, f := range opt.Forbidden {
		forbidden[f] = true
	}
	workers := min(runtime.GOMAXPROCS(0), 8)
	sum := sha256.New()
	err := jsonl.InOrder(workers, workers, func(get func() *chunk, emit func(*chunk) bool) error {
		return cutFiles(files, get, emit)
	}, func() func(*chunk) {
		w := worker{forbidden: forbidden}
		return w.read
	}, func(c *chunk) error {
		sum.Write(c.sums)
		err := x.join(c)
		c.part = nil // it is the index's now
		return err
	})
	if err != nil {
		return nil, err
	}
	x.hash = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	x.finish()
	return x, nil
}

// errStopped ends the reading of files where nobody wants more.
var errStopped = errors.New("stopped")

// cutFiles calls emit with runs of lines of the files until it returns false. Each file holds a passage.
func cutFiles(files []File, get func() *chunk, emit func(*chunk) bool) error {
	for i, f := range files {
		var c *chunk
		rows := 0
		err := f.eachLine(func(n int, line []byte) error {
			if c != nil && (len(c.ends) == partPassages || len(c.data)+len(line) > partBytes) {
				if !emit(c) {
					return errStopped
				}
				c = nil
			}
			if c == nil {
				c = get()
				c.file, c.lines, c.ends, c.data = i, c.lines[:0], c.ends[:0], c.data[:0]
			}
			rows++
			c.data = append(c.data, line...)
			c.lines, c.ends = append(c.lines, int32(n)), append(c.ends, int32(len(c.data)))
			return nil
		})
		switch {
		case errors.Is(err, errStopped):
			return nil
		case c != nil && !emit(c): // what stands before a fault may have one of its own
			return nil
		case err != nil:
			return err
		case rows == 0:
			return &jsonl.Fault{File: f.Name, Line: 1, Err: errNoPassage}
		}
	}
	return nil
}

// twice is the id that a chunk has twice.
type twice string

func (id twice) Error() string { return fmt.Sprintf("id %q stands twice", string(id)) }

// join adds the part of a chunk to the index.
func (x *Index) join(c *chunk) error {
	p := c.part
	p.first = len(x.length)
	if len(x.length)+len(c.length) > maxNumber {
		return errTooMany
	}
	for i := range c.ids.len() {
		id := c.ids.at(i)
		if len(x.ids.text)+len(id) > math.MaxUint32 {
			return errTooMany
		}
		if n := x.ids.add(id); n < p.first {
			return x.twice(c, i, n)
		}
	}
	if c.fault != nil {
		if again, ok := errors.AsType[twice](c.fault); ok {
			return x.twice(c, slices.Index(c.lines, c.line), p.first+c.ids.find([]byte(again)))
		}
		return &jsonl.Fault{File: x.files[c.file].Name, Line: int(c.line), Err: c.fault}
	}
	x.pairs = x.pairs[:0]
	for own := range c.dict.len() {
		word := x.words.add(c.dict.at(own))
		if word == len(x.df) {
			x.df = append(x.df, 0)
		}
		x.df[word] += p.start[own+1] - p.start[own]
		x.pairs = append(x.pairs, uint64(word)<<32|uint64(own))
	}
	slices.Sort(x.pairs)
	p.words, p.own = make([]uint32, len(x.pairs)), make([]uint32, len(x.pairs))
	for i, pair := range x.pairs {
		p.words[i], p.own[i] = uint32(pair>>32), uint32(pair)
	}
	x.forbid = append(x.forbid, c.forbid...)
	x.length = append(x.length, c.length...)
	x.parts = append(x.parts, p)
	return nil
}

// twice is the fault of passage i of a chunk, whose id passage n of the index has.
func (x *Index) twice(c *chunk, i, n int) error {
	id := string(x.ids.at(n))
	where := ""
	at := 0
	for _, f := range x.files[:c.file+1] {
		if f.eachLine(func(line int, _ []byte) error {
			if at == n {
				where = fmt.Sprintf(" on %s:%d", f.Name, line)
				return errStopped
			}
			at++
			return nil
		}) != nil {
			break
		}
	}
	return &jsonl.Fault{File: x.files[c.file].Name, Line: int(c.lines[i]),
		Err: fmt.Errorf("id %q stands%s already; each passage needs one of its own", id, where)}
}

// finish computes what needs all passages.
func (x *Index) finish() {
	total := 0
	for _, n := range x.length {
		total += int(n)
	}
	x.mean = float64(total) / float64(len(x.length))
	x.norm = make([]float32, len(x.length))
	for i, n := range x.length {
		x.norm[i] = float32(norm(int(n), x.mean))
	}
	for _, f := range x.forbid {
		if f {
			x.found++
		}
	}
	x.ids.slots, x.pairs = nil, nil // numbers of ids are looked up no more
	parallel.Do(runtime.GOMAXPROCS(0), len(x.parts), func(i int) { x.parts[i].bound(x.norm) })
}

// Len returns the number of passages.
func (x *Index) Len() int { return len(x.length) }

// Hash returns the hash of the passages in their order, as "sha256:" and hexadecimal digits. How files are packed,
// or parted, or their JSON is written does not matter.
func (x *Index) Hash() string { return x.hash }

// Forbidden returns the number of passages that are never found.
func (x *Index) Forbidden() int { return x.found }

// ID returns the id of a passage.
func (x *Index) ID(passage int) string { return string(x.ids.at(passage)) }

// Passages reads passages of given numbers from the files, which are read once more as far as needed. It is an
// error if a file is no longer what was indexed.
func (x *Index) Passages(numbers []int) (map[int]TitledPassage, error) {
	found := make(map[int]TitledPassage, len(numbers))
	wanted := slices.Clone(numbers)
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	at := 0
	for _, f := range x.files {
		err := f.eachLine(func(n int, line []byte) error {
			if len(wanted) == 0 {
				return errStopped
			}
			if at++; at-1 != wanted[0] {
				return nil
			}
			p, err := parse(line)
			if err != nil || p.ID != x.ID(wanted[0]) {
				return &jsonl.Fault{File: f.Name, Line: n,
					Err: errors.New("the file changed while it was read; run again")}
			}
			found[wanted[0]] = p
			wanted = wanted[1:]
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			return nil, err
		}
	}
	if len(wanted) > 0 {
		return nil, fmt.Errorf("passage %d is in none of the files any more; run again", wanted[0]+1)
	}
	return found, nil
}
