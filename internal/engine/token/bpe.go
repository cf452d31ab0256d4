package token

import (
	"container/heap"
	"unicode/utf8"
)

// bpe appends the tokens of one word: its bytes or characters, joined pair by pair in the order of the merges' ranks,
// leftmost first among equals. The time is n log n in the word's bytes, so that a text without spaces is no trap.
func (t *Tokenizer) bpe(out []int32, w string) []int32 {
	if t.file.Model.IgnoreMerges {
		if id, ok := t.whole(w); ok && !t.added[id].Special {
			return append(out, id)
		}
	}
	parts := t.atoms(w)
	if len(parts) == 0 {
		return out
	}
	parts[len(parts)-1].next = -1
	var q joins
	push := func(i int32) {
		if j := parts[i].next; j >= 0 {
			if m, ok := t.merges[pair{parts[i].id, parts[j].id}]; ok {
				heap.Push(&q, join{m, i, parts[i].id, parts[j].id})
			}
		}
	}
	for i := range parts {
		push(int32(i))
	}
	for len(q) > 0 {
		j := heap.Pop(&q).(join)
		left := &parts[j.at]
		if j.late(parts) {
			continue
		}
		right := &parts[left.next]
		left.id, left.next, right.gone = j.id, right.next, true
		if left.next >= 0 {
			parts[left.next].prev = j.at
		}
		push(j.at)
		if left.prev >= 0 {
			push(left.prev)
		}
	}
	for i := int32(0); i >= 0; i = parts[i].next {
		out = append(out, parts[i].id)
	}
	return out
}

// whole is the token that is a word.
func (t *Tokenizer) whole(w string) (id int32, ok bool) {
	table := t.vocab
	if t.byteLevel {
		table = t.ids
	}
	id, ok = table[w]
	return id, ok
}

// atoms are the tokens a word is made of before any is joined. A character that the vocabulary lacks becomes its
// bytes' tokens, if there are all of them, or else the unknown token, one for several in a row if they are to be
// fused; without one it is dropped. The order in which Hugging Face's tokenizers put the unknown token and bytes
// after it is kept.
func (t *Tokenizer) atoms(w string) []part {
	parts := make([]part, 0, len(w))
	add := func(id int32) {
		parts = append(parts, part{id: id, prev: int32(len(parts)) - 1, next: int32(len(parts)) + 1})
	}
	pending := false // an unknown token that has yet to be added
	for at := 0; at < len(w); {
		size := 1
		if !t.byteLevel {
			_, size = utf8.DecodeRuneInString(w[at:])
		}
		atom := w[at : at+size]
		at += size
		if id, ok := t.whole(atom); ok {
			if pending {
				add(t.unknown)
			}
			pending = false
			add(id)
			continue
		}
		if t.fallback != nil && t.hasBytes(atom) {
			for i := range len(atom) {
				add(t.fallback[atom[i]])
			}
			continue
		}
		if t.unknown >= 0 {
			if pending && !t.file.Model.FuseUnknown {
				add(t.unknown)
			}
			pending = true
		}
	}
	if pending {
		add(t.unknown)
	}
	return parts
}

// hasBytes reports whether each byte of s has a token.
func (t *Tokenizer) hasBytes(s string) bool {
	for i := range len(s) {
		if t.fallback[s[i]] < 0 {
			return false
		}
	}
	return true
}

// A part is a token of a word under way, in a linked list.
type part struct {
	id         int32
	prev, next int32
	gone       bool
}

// A join is a merge that was possible when it was queued.
type join struct {
	merge
	at   int32
	a, b int32
}

// late reports whether one of the two has been joined otherwise.
func (j join) late(parts []part) bool {
	left := &parts[j.at]
	return left.gone || left.id != j.a || left.next < 0 || parts[left.next].id != j.b
}

type joins []join

func (q joins) Len() int { return len(q) }
func (q joins) Less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].at < q[j].at
}
func (q joins) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *joins) Push(x any)   { *q = append(*q, x.(join)) }
func (q *joins) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// letters maps each byte to the printable character that stands for it in tokenizer.json: itself where it is one,
// else the next from U+0100 on (GPT-2's bytes_to_unicode).
var letters = func() (l [256]rune) {
	next := rune(256)
	for b := range l {
		switch c := rune(b); {
		case '!' <= c && c <= '~', '¡' <= c && c <= '¬', '®' <= c:
			l[b] = c
		default:
			l[b] = next
			next++
		}
	}
	return l
}()

var bytesOf = func() map[rune]byte {
	m := make(map[rune]byte, 256)
	for b, c := range letters {
		m[c] = byte(b)
	}
	return m
}()

// fromLetters returns the bytes that s stands for; a string with other characters stands for itself.
func fromLetters(s string) string {
	out := make([]byte, 0, len(s))
	for _, c := range s {
		b, ok := bytesOf[c]
		if !ok {
			return s
		}
		out = append(out, b)
	}
	return string(out)
}

// toLetters is the inverse of fromLetters for bytes.
func toLetters(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = letters[s[i]]
	}
	return string(out)
}
