package engine

import (
	"runtime"
	"slices"
	"sync"
)

// A branch is one token sequence to run through the model.
type branch struct {
	tokens []int32 // at least one
	from   int     // the logits after each token from this position on are wanted
	keep   *cache  // receives the keys and values of all tokens, or nil
}

// A past is a token sequence with its keys and values.
type past struct {
	tokens []int32
	cache  *cache
	age    int // of the weights they are computed with
}

// passRows is the number of tokens in one forward pass of a walk: enough to be worth reading the weights for, few
// enough that the activations stay in the caches.
const passRows = 256

// walk runs the branches through the model and calls visit with the logits after token pos of branch i, for every pos
// from the branch's from on. What branches share is computed once, whatever their order, and so is what they share
// with the last walk. They are the same bits as those of the branch alone, and valid during the call.
//
// The branches are the paths of a trie, which is walked depth first, passRows tokens at a time. What a pass needs of
// those before it is then one path from the root, so that the memory held is that of one sequence and one pass, for any
// number of branches.
func (m *Model) walk(branches []branch, visit func(i, pos int, logits []float32) error) error {
	return m.walkBy(passRows, branches, visit)
}

func (m *Model) walkBy(rows int, branches []branch, visit func(i, pos int, logits []float32) error) error {
	if len(branches) == 0 {
		return nil
	}
	w := m.newWalk(rows, branches)
	defer m.put(w.b)
	for w.fill() {
		w.run()
		if err := w.visit(visit); err != nil {
			return err
		}
	}
	w.past.tokens = slices.Clone(w.past.tokens)
	m.pasts.put(w.past)
	return nil
}

// A walk is a depth-first walk of a trie under way. Sorted sequences are their trie written out: each adds what follows
// the tokens it shares with the one before it, and all added is added in the order of the walk, the walk's rows.
type walk struct {
	m        *Model
	b        *batch
	rows     int // tokens in a pass
	branches []branch
	order    []int  // the branches, sorted by their tokens
	shared   []int  // by place in order, tokens that are computed before the branch's turn
	wants    []want // by row
	past     *past  // the path at the start of the pass

	done       int      // rows that earlier passes computed
	place, pos int      // the next token: its branch's place in order, its position
	path       []int32  // the tokens to the last row of the pass
	open       []int    // the segments of the pass that hold the end of the path
	ends       []ending // branches that end in the pass and are to be kept
}

// A want is the wish for the logits after a row.
type want struct{ row, branch, pos int }

// An ending is a branch of n tokens that ends in a pass: its start is in the past, the rest in the segments.
type ending struct {
	to       *cache
	n        int
	segments []int
}

func (m *Model) newWalk(rows int, branches []branch) *walk {
	w := &walk{m: m, b: m.get(), rows: rows, branches: branches, order: make([]int, len(branches)),
		shared: make([]int, len(branches))}
	longest := 0
	for i, b := range branches {
		w.order[i] = i
		longest = max(longest, len(b.tokens))
	}
	slices.SortStableFunc(w.order, func(i, j int) int { return slices.Compare(branches[i].tokens, branches[j].tokens) })
	first := branches[w.order[0]].tokens
	for k := 1; k < len(w.order); k++ {
		w.shared[k] = common(branches[w.order[k-1]].tokens, branches[w.order[k]].tokens)
	}
	w.past = m.pasts.take(m, first)
	w.past.cache.reserve(longest)
	w.b.past = w.past.cache

	// The past has keys and values, but no logits: a wanted row is computed, even if it is of the past.
	w.shared[0] = common(w.past.tokens, first)
	withFirst := len(first)
	for k, i := range w.order {
		if k > 0 {
			withFirst = min(withFirst, w.shared[k])
		}
		if from := branches[i].from; from < withFirst {
			w.shared[0] = min(w.shared[0], from)
		}
	}
	w.pos = w.shared[0]

	row := make([]int, longest) // of the path's tokens
	next := 0
	for k, i := range w.order {
		b := branches[i]
		for pos := w.shared[k]; pos < len(b.tokens); pos++ {
			row[pos] = next
			next++
		}
		for pos := b.from; pos < len(b.tokens); pos++ {
			w.wants = append(w.wants, want{row[pos], i, pos})
		}
	}
	slices.SortStableFunc(w.wants, func(a, b want) int { return a.row - b.row })
	return w
}

// common is the length of the longest common prefix.
func common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// fill puts the next rows into the batch; false if there are none.
func (w *walk) fill() bool {
	b := w.b
	b.tokens, b.segments, b.out = b.tokens[:0], b.segments[:0], b.out[:0]
	w.open, w.ends = w.open[:0], w.ends[:0]
	for w.place < len(w.order) {
		br := w.branches[w.order[w.place]]
		if rest := len(br.tokens) - w.pos; rest > 0 {
			n := min(rest, w.rows-len(b.tokens))
			if n > 0 {
				w.add(br.tokens[:w.pos+n], w.pos)
				w.pos += n
			}
			if n < rest {
				break
			}
		}
		if br.keep != nil {
			w.ends = append(w.ends, ending{br.keep, len(br.tokens), slices.Clone(w.open)})
		}
		if w.place++; w.place < len(w.order) {
			w.pos = w.shared[w.place]
		}
	}
	for _, want := range w.ready() {
		if row := want.row - w.done; len(b.out) == 0 || b.out[len(b.out)-1] != row {
			b.out = append(b.out, row)
		}
	}
	return len(b.tokens) > 0
}

// ready are the wants of the rows in the batch.
func (w *walk) ready() []want {
	n := 0
	for n < len(w.wants) && w.wants[n].row < w.done+len(w.b.tokens) {
		n++
	}
	return w.wants[:n]
}

// add puts tokens[pos:] into the batch, the next of the path that shares tokens[:pos] with the last.
func (w *walk) add(tokens []int32, pos int) {
	b := w.b
	for len(w.open) > 0 && b.segments[w.open[len(w.open)-1]].pos >= pos {
		w.open = w.open[:len(w.open)-1]
	}
	s := segment{row: len(b.tokens), n: len(tokens) - pos, pos: pos, parent: -1}
	if n := len(w.open); n > 0 {
		s.parent = w.open[n-1]
	}
	w.open = append(w.open, len(b.segments))
	b.segments = append(b.segments, s)
	b.tokens = append(b.tokens, tokens[pos:]...)
	w.path = tokens
}

// run computes the batch. The path is the next pass's past.
func (w *walk) run() {
	w.b.forward(w.store)
	w.past.tokens, w.past.cache.n = w.path, len(w.path)
}

// store keeps a layer's keys and values: of the branches that end, which read the past, and of the path.
func (w *walk) store(layer int, qkv []float32) {
	for _, e := range w.ends {
		e.to.copy(layer, w.past.cache, w.start(e.segments, e.n))
		w.storeSegments(e.to, layer, qkv, e.segments, e.n)
	}
	w.storeSegments(w.past.cache, layer, qkv, w.open, len(w.path))
}

// start is the position at which the segments of a path of n tokens begin.
func (w *walk) start(segments []int, n int) int {
	if len(segments) == 0 {
		return n
	}
	return w.b.segments[segments[0]].pos
}

// storeSegments stores the end of a path of n tokens, which the segments hold, each up to where the next begins.
func (w *walk) storeSegments(to *cache, layer int, qkv []float32, segments []int, n int) {
	width := w.m.cfg.qkvWidth()
	for i, si := range segments {
		s := w.b.segments[si]
		end := w.start(segments[i+1:], n)
		to.store(layer, s.pos, qkv[s.row*width:], end-s.pos)
	}
}

// visit calls f with the logits that are wanted of the pass, and closes it.
func (w *walk) visit(f func(i, pos int, logits []float32) error) error {
	wants := w.ready()
	w.wants = w.wants[len(wants):]
	for i, logits := range w.b.heads {
		for len(wants) > 0 && wants[0].row-w.done == w.b.out[i] {
			if err := f(wants[0].branch, wants[0].pos, logits); err != nil {
				return err
			}
			wants = wants[1:]
		}
	}
	w.done += len(w.b.tokens)
	return nil
}

// idleFloats bounds what is kept of pasts when no walk uses them: 256 MB.
const idleFloats = 64 << 20

// pasts are what walks left, for the next ones to go on from: a benchmark's requests come in many batches, and begin
// with the same demonstrations.
type pasts struct {
	mu   sync.Mutex
	idle []*past
	age  int // of the weights: a past is of no use once they changed
}

// take returns the past that shares the longest prefix with the tokens, or a new one.
func (p *pasts) take(m *Model, tokens []int32) *past {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return &past{cache: m.newCache(min(len(tokens), m.cfg.MaxContext), m.cfg.MaxContext), age: p.age}
	}
	best := slices.MaxFunc(p.idle, func(a, b *past) int { return common(a.tokens, tokens) - common(b.tokens, tokens) })
	p.idle = slices.DeleteFunc(p.idle, func(x *past) bool { return x == best })
	return best
}

// put keeps a past for later walks, as many of them as can run at once.
func (p *pasts) put(x *past) {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle, floats := append(p.idle, x), 0
	for _, y := range idle {
		floats += len(y.cache.keys) + len(y.cache.values)
	}
	if x.age == p.age && floats <= idleFloats && len(idle) <= runtime.GOMAXPROCS(0) {
		p.idle = idle
	}
}

// forget drops what was computed with other weights.
func (p *pasts) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle, p.age = nil, p.age+1
}
