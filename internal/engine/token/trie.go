package token

import (
	"bytes"
	"strings"
	"unicode"
)

// A trie finds added tokens, by their bytes.
type trie struct {
	nodes  []trieNode // the first is the root; none if there are no tokens
	starts [256]bool  // the bytes that a token begins with
}

type trieNode struct {
	keys  []byte  // the bytes that can come next
	next  []int32 // the nodes they lead to
	end   bool    // a token ends here
	added Added
}

// insert adds a token that is spelled so, with at least one byte. Of two with one spelling the first stays.
func (t *trie) insert(spelling string, a Added) {
	if len(t.nodes) == 0 {
		t.nodes = []trieNode{{}}
	}
	t.starts[spelling[0]] = true
	at := int32(0)
	for i := range len(spelling) {
		next := t.step(at, spelling[i])
		if next < 0 {
			next = int32(len(t.nodes))
			n := &t.nodes[at]
			n.keys, n.next = append(n.keys, spelling[i]), append(n.next, next)
			t.nodes = append(t.nodes, trieNode{})
		}
		at = next
	}
	if n := &t.nodes[at]; !n.end {
		n.end, n.added = true, a
	}
}

// step is the node after byte b of node at, or -1.
func (t *trie) step(at int32, b byte) int32 {
	n := &t.nodes[at]
	if i := bytes.IndexByte(n.keys, b); i >= 0 {
		return n.next[i]
	}
	return -1
}

// match returns the longest token that begins at byte i of x, and where it ends.
func (t *trie) match(x source, i int) (a Added, end int) {
	at := int32(0)
	for j := i; j < len(x.text); j++ {
		if at = t.step(at, x.text[j]); at < 0 {
			break
		}
		if n := &t.nodes[at]; n.end && (!n.added.Special || x.special(i, j+1)) {
			a, end = n.added, j+1
		}
	}
	return a, end
}

// extract cuts x into the added tokens in it and the texts between them, none empty.
func (t *trie) extract(x source) []source {
	if x.text == "" {
		return nil
	}
	if len(t.nodes) == 0 {
		return []source{x}
	}
	var out []source
	start := 0
	for i := 0; i < len(x.text); {
		if !t.starts[x.text[i]] {
			i++
			continue
		}
		a, end := t.match(x, i)
		if end == 0 {
			i++
			continue
		}
		before := x.text[start:i]
		if a.LStrip {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		if a.RStrip {
			end = len(x.text) - len(strings.TrimLeftFunc(x.text[end:], unicode.IsSpace))
		}
		if before != "" {
			out = append(out, x.cut(start, start+len(before)))
		}
		out = append(out, source{id: a.ID, found: true})
		start, i = end, end
	}
	if start < len(x.text) {
		out = append(out, x.cut(start, len(x.text)))
	}
	return out
}
