package retrieve

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// The bounds of a part: as many passages as 16 bits can number, and lines of as many bytes. They are part of no result.
const (
	partPassages = 1 << 16
	partBytes    = 16 << 20
)

// A chunk is a run of lines of one file, and once a worker has read it the part made of them. Its memory is used again.
type chunk struct {
	file  int
	lines []int32 // their numbers
	ends  []int32 // their ends in data
	data  []byte

	part   *part
	dict   dictionary // the part's words
	ids    dictionary // of its passages, where they all differ
	length []uint32   // indexed words of each passage
	forbid []bool     // passages that must not be found; empty: none
	sums   []byte     // SHA-256 of each passage
	line   int32      // of the fault
	fault  error
}

// A part is the index of a run of passages, and what is needed once to join it to the others.
type part struct {
	first int // number of its first passage

	// words are the numbers of its words in the index, ascending, and own those in the part.
	words []uint32
	own   []uint32
	start []uint32          // of the postings of each word of the part, and the end
	most  []float32         // of each word, the most that it adds to a passage here
	docs  []uint16          // the passages that hold a word, ascending
	tfs   []uint8           // how often
	long  map[uint32]uint32 // how often, where that is 255 or more, by place
}

// A worker reads chunks. It keeps memory from one to the next.
type worker struct {
	forbidden map[string]bool
	surface   dictionary // words as they are written
	wordOf    []int32    // their numbers in the part, -1 for stop words
	last, at  []uint32   // of each word: 1 + the passage seen last, and its place in the streams
	word      []uint32   // streams: word and count, passage after passage
	count     []uint32
	end       []uint32 // of each passage in the streams
	place     []uint32 // of the next posting of each word
	buf       []byte
}

// read makes the part of a chunk.
func (w *worker) read(c *chunk) {
	c.part, c.fault = &part{}, nil
	c.dict.reset()
	c.ids.reset()
	c.length, c.forbid, c.sums = c.length[:0], c.forbid[:0], c.sums[:0]
	w.surface.reset()
	w.wordOf, w.last, w.at, w.word, w.count, w.end = w.wordOf[:0], w.last[:0], w.at[:0], w.word[:0], w.count[:0],
		w.end[:0]
	begin := int32(0)
	for i, end := range c.ends {
		line := c.data[begin:end]
		begin = end
		r, err := read(line)
		if err == nil && c.ids.add(r.id) != i {
			err = twice(r.id)
		}
		if err != nil {
			c.line, c.fault = c.lines[i], err
			return
		}
		if len(w.forbidden) > 0 {
			c.forbid = append(c.forbid, w.forbidden[string(r.id)] || w.forbidden[string(r.title)])
		}
		c.sums = append(c.sums, w.sum(&r)...)
		n := w.add(c, i, r.title)
		c.length = append(c.length, n+w.add(c, i, r.text))
		w.end = append(w.end, uint32(len(w.word)))
	}
	w.invert(c.part, c.dict.len())
}

// sum is the hash of a passage.
func (w *worker) sum(r *reading) []byte {
	w.buf = w.buf[:0]
	for _, s := range [][]byte{r.id, r.title, r.text} {
		w.buf = binary.AppendUvarint(w.buf, uint64(len(s)))
		w.buf = append(w.buf, s...)
	}
	sum := sha256.Sum256(w.buf)
	return sum[:]
}

// add counts the words of a text of passage i.
func (w *worker) add(c *chunk, i int, text []byte) (length uint32) {
	var buf [4 * maxWord]byte
	for at := 0; ; {
		written, end := next(text, at, buf[:0])
		if written == nil {
			return length
		}
		at = end
		s := w.surface.add(written)
		if s == len(w.wordOf) {
			n := int32(-1)
			if !stops[string(written)] {
				n = int32(c.dict.add(stem(written)))
			}
			w.wordOf = append(w.wordOf, n)
		}
		n := w.wordOf[s]
		if n < 0 {
			continue
		}
		length++
		if int(n) == len(w.last) {
			w.last, w.at = append(w.last, 0), append(w.at, 0)
		}
		if w.last[n] == uint32(i+1) {
			w.count[w.at[n]]++
			continue
		}
		w.last[n], w.at[n] = uint32(i+1), uint32(len(w.word))
		w.word, w.count = append(w.word, uint32(n)), append(w.count, 1)
	}
}

// invert sorts the streams by word.
func (w *worker) invert(p *part, words int) {
	p.start = make([]uint32, words+1)
	for _, n := range w.word {
		p.start[n+1]++
	}
	for n := range words {
		p.start[n+1] += p.start[n]
	}
	w.place = append(w.place[:0], p.start[:words]...)
	place := w.place
	p.docs, p.tfs = make([]uint16, len(w.word)), make([]uint8, len(w.word))
	at := uint32(0)
	for doc, end := range w.end {
		for ; at < end; at++ {
			n := w.word[at]
			to := place[n]
			place[n]++
			p.docs[to], p.tfs[to] = uint16(doc), uint8(min(w.count[at], math.MaxUint8))
			if w.count[at] >= math.MaxUint8 {
				if p.long == nil {
					p.long = map[uint32]uint32{}
				}
				p.long[to] = w.count[at]
			}
		}
	}
}

// tf returns how often a word is in a passage, by the place of the posting.
func (p *part) tf(at uint32) int {
	if n := p.tfs[at]; n < math.MaxUint8 {
		return int(n)
	}
	return int(p.long[at])
}

// postings returns where the postings of a word of the index lie in the part, and its number there; false if it has
// none.
func (p *part) postings(word uint32) (from, to uint32, own int, ok bool) {
	i, ok := slices.BinarySearch(p.words, word)
	if !ok {
		return 0, 0, 0, false
	}
	own = int(p.own[i])
	return p.start[own], p.start[own+1], own, true
}

// find returns the place of a passage's posting within a word's, false if it has none.
func (p *part) find(doc uint16, from, to uint32) (uint32, bool) {
	i, ok := slices.BinarySearch(p.docs[from:to], doc)
	return from + uint32(i), ok
}

// bound sets what each word adds at most to a passage of the part, given the norm of each passage.
func (p *part) bound(norm []float32) {
	p.most = make([]float32, len(p.start)-1)
	for n := range p.most {
		most := float32(0)
		for at := p.start[n]; at < p.start[n+1]; at++ {
			tf := float32(p.tf(at))
			most = max(most, tf/(tf+norm[p.first+int(p.docs[at])]))
		}
		p.most[n] = most
	}
}
