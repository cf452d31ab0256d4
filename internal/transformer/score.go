package transformer

import (
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/transformer/kernel"
)

// A trie is a set of token sequences with each shared prefix held once, as segments of a batch.
type trie struct {
	b     *batch
	paths [][]int // by sequence: its segments, first to last
}

// node is a trie under construction: tokens from the parent's end, then children.
type node struct {
	tokens   []int32
	children []*node
	ends     []int // sequences that end here
}

// newTrie puts the sequences in b. Each has at least one token. Segments come out parents first.
func newTrie(b *batch, sequences [][]int32) *trie {
	var roots []*node
	for i, s := range sequences {
		roots = insert(roots, s, i)
	}
	t := &trie{b, make([][]int, len(sequences))}
	var walk func(n *node, pos int, path []int)
	walk = func(n *node, pos int, path []int) {
		parent := -1
		if len(path) > 0 {
			parent = path[len(path)-1]
		}
		path = append(slices.Clip(path), len(b.segments))
		b.segments = append(b.segments, segment{row: len(b.tokens), n: len(n.tokens), pos: pos, parent: parent})
		b.tokens = append(b.tokens, n.tokens...)
		for _, i := range n.ends {
			t.paths[i] = path
		}
		for _, c := range n.children {
			walk(c, pos+len(n.tokens), path)
		}
	}
	for _, n := range roots {
		walk(n, 0, nil)
	}
	return t
}

func insert(nodes []*node, s []int32, id int) []*node {
	for _, n := range nodes {
		same := 0
		for same < min(len(s), len(n.tokens)) && s[same] == n.tokens[same] {
			same++
		}
		if same == 0 {
			continue
		}
		if same < len(n.tokens) { // split
			tail := &node{tokens: n.tokens[same:], children: n.children, ends: n.ends}
			n.tokens, n.children, n.ends = n.tokens[:same], []*node{tail}, nil
		}
		if same == len(s) {
			n.ends = append(n.ends, id)
		} else {
			n.children = insert(n.children, s[same:], id)
		}
		return nodes
	}
	return append(nodes, &node{tokens: s, ends: []int{id}})
}

// row is the row of a sequence's token at position pos.
func (t *trie) row(sequence, pos int) int {
	for _, i := range t.paths[sequence] {
		if s := t.b.segments[i]; pos < s.pos+s.n {
			return s.row + pos - s.pos
		}
	}
	panic("transformer: position past the end of a sequence")
}

// wanted collects rows and says where each comes in the logits.
type wanted map[int]int

func (w wanted) add(b *batch, row int) int {
	at, ok := w[row]
	if !ok {
		at = len(b.out)
		w[row] = at
		b.out = append(b.out, row)
	}
	return at
}

// Score returns the log-probability, in nats, of every token of each continuation given the prompt and the
// continuation's tokens before it. The prompt has at least one token, as the first token of all has no probability.
// Prefixes that continuations share, the prompt first of all, are computed once.
func (m *Model) Score(prompt []int32, continuations [][]int32) ([][]float64, error) {
	if len(prompt) == 0 {
		return nil, fmt.Errorf("transformer: the prompt is empty; begin it with a token such as the beginning of text")
	}
	if err := m.check(prompt); err != nil {
		return nil, err
	}
	sequences := make([][]int32, len(continuations))
	for i, c := range continuations {
		if err := m.check(c); err != nil {
			return nil, fmt.Errorf("continuation %d: %w", i, err)
		}
		if n := len(prompt) + len(c) - 1; n > m.cfg.MaxContext {
			return nil, fmt.Errorf("transformer: prompt of %d tokens and continuation %d of %d; the model takes %d", len(prompt), i, len(c), m.cfg.MaxContext+1)
		}
		sequences[i] = slices.Concat(prompt, c[:max(0, len(c)-1)]) // the last token is predicted, never read
	}
	if len(sequences) == 0 {
		return nil, nil
	}
	b := m.get()
	defer m.put(b)
	t := newTrie(b, sequences)
	w := wanted{}
	type token struct {
		id int32
		to *float64
	}
	var tokens [][]token // that each wanted row predicts
	out := make([][]float64, len(continuations))
	for i, c := range continuations {
		out[i] = make([]float64, len(c))
		for j, id := range c {
			at := w.add(b, t.row(i, len(prompt)-1+j))
			if at == len(tokens) {
				tokens = append(tokens, nil)
			}
			tokens[at] = append(tokens[at], token{id, &out[i][j]})
		}
	}
	b.forward(nil)
	v := m.cfg.Vocab
	scratch := make([]float32, v)
	for from := 0; from < len(tokens); from += headRows {
		logits := b.head(from, min(from+headRows, len(tokens)))
		for i, predicted := range tokens[from:min(from+headRows, len(tokens))] {
			row := logits[i*v : (i+1)*v]
			normalizer := logSumExp(row, scratch)
			if !finite(normalizer) {
				return nil, errBroken
			}
			for _, x := range predicted {
				*x.to = float64(row[x.id]) - normalizer
			}
		}
	}
	return out, nil
}

// headRows bounds the logits held at once: a vocabulary may be 150,000 tokens, and a prompt long.
const headRows = 64

// logSumExp returns ln Σ exp(logits); scratch has at least their length.
func logSumExp(logits, scratch []float32) float64 {
	top := kernel.Max(logits)
	return float64(top) + kernel.Log(float64(kernel.ExpSum(scratch, logits, 1, top)))
}

var errBroken = errors.New("transformer: the logits are not finite; the weights are broken")

func finite(x float64) bool { return x-x == 0 }

// Logits returns the logits after each token, len(tokens) rows of the vocabulary's size.
func (m *Model) Logits(tokens []int32) ([][]float32, error) {
	logits, _, err := m.States(tokens)
	return logits, err
}

// States returns the logits after each token and the last hidden states, from which the head computes them (after
// the last norm, as Hugging Face's last_hidden_state).
func (m *Model) States(tokens []int32) (logits, hidden [][]float32, err error) {
	if err := m.check(tokens); err != nil {
		return nil, nil, err
	}
	if len(tokens) > m.cfg.MaxContext {
		return nil, nil, fmt.Errorf("transformer: %d tokens; the model takes %d", len(tokens), m.cfg.MaxContext)
	}
	if len(tokens) == 0 {
		return nil, nil, nil
	}
	b := m.get()
	defer m.put(b)
	newTrie(b, [][]int32{tokens})
	for i := range tokens {
		b.out = append(b.out, i)
	}
	b.forward(nil)
	all := b.head(0, len(tokens))
	for i := range tokens {
		logits = append(logits, slices.Clone(all[i*m.cfg.Vocab:(i+1)*m.cfg.Vocab]))
		hidden = append(hidden, slices.Clone(b.normed[i*m.cfg.Hidden:(i+1)*m.cfg.Hidden]))
	}
	return logits, hidden, nil
}
