// Package memory keeps answers that were adjudicated, in versions: each round adds to the one before and names it.
// What is remembered can be looked up when a question comes again, in other words too, and be learned as
// conversations.
package memory

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/text/evidence"
)

// An Entry is one adjudicated answer.
type Entry struct {
	System   string `json:"system,omitempty"`
	Question string `json:"question"` // the whole prompt, context included
	Answer   string `json:"answer"`
	// Abstains says that the answer declines, as nothing that was proposed held.
	Abstains bool `json:"abstains,omitempty"`
	// Reasons are what adjudication found, in its words.
	Reasons []string `json:"reasons,omitempty"`
	Round   int      `json:"round"` // the version in which it came
}

// A Memory is one version. The zero Memory is empty, version 0. It is immutable.
type Memory struct {
	Version int
	Parent  string // the hash of the version before, "" for the first
	Entries []Entry

	keys map[string][]int // entries by key, in order
}

// header is the first line of a file.
type header struct {
	Memory  int    `json:"memory"` // the version
	Parent  string `json:"parent,omitempty"`
	Entries int    `json:"entries"`
}

// The most that is read: of a file, and of one line, in bytes.
const (
	maxFile = 256 << 20
	maxLine = 1 << 20
)

// Read reads a memory as Write writes it. The error names the line.
func Read(file string, data []byte) (*Memory, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes; a memory has at most %d", file, len(data), maxFile)
	}
	m := &Memory{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, maxLine)
	entries := -1
	n := 0
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if entries < 0 {
			var h header
			if err := d.Decode(&h); err != nil || h.Memory < 1 || h.Entries < 0 {
				return nil, fmt.Errorf(`%s:%d: no header; want {"memory": VERSION, "entries": N} first, as hallmark `+
					`guard remember writes it`, file, n)
			}
			m.Version, m.Parent, entries = h.Memory, h.Parent, h.Entries
			continue
		}
		var e Entry
		switch err := d.Decode(&e); {
		case err != nil:
			return nil, fmt.Errorf(`%s:%d: %v; want {"question": …, "answer": …, "round": …}`, file, n, err)
		case strings.TrimSpace(e.Question) == "" || strings.TrimSpace(e.Answer) == "":
			return nil, fmt.Errorf("%s:%d: an entry without a question or an answer", file, n)
		}
		m.Entries = append(m.Entries, e)
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: a line of more than %d bytes", file, n+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case entries < 0:
		return nil, fmt.Errorf("%s: empty; hallmark guard remember writes a memory", file)
	case entries != len(m.Entries):
		return nil, fmt.Errorf("%s: %d entries where the header says %d; the file was cut or added to by hand", file,
			len(m.Entries), entries)
	}
	m.index()
	return m, nil
}

// Write writes the memory as JSON Lines, its header first. The same memory gives the same bytes.
func (m *Memory) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header{m.Version, m.Parent, len(m.Entries)}); err != nil {
		return err
	}
	for _, e := range m.Entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// Hash names the version by its content, as "sha256:" and hexadecimal digits.
func (m *Memory) Hash() string {
	sum := sha256.New()
	if err := m.Write(sum); err != nil {
		panic("memory: " + err.Error()) // a hash takes any bytes
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Next returns the version that follows m with the entries added. Of several answers to one question and system
// line the last is kept, in the place of the first. The order is that of arrival.
func (m *Memory) Next(entries []Entry) *Memory {
	next := &Memory{Version: m.Version + 1, Entries: slices.Clone(m.Entries)}
	if m.Version > 0 {
		next.Parent = m.Hash()
	}
	at := map[[2]string]int{}
	for i, e := range next.Entries {
		at[[2]string{e.System, e.Question}] = i
	}
	for _, e := range entries {
		e.Round = next.Version
		key := [2]string{e.System, e.Question}
		if i, ok := at[key]; ok {
			next.Entries[i] = e
			continue
		}
		at[key] = len(next.Entries)
		next.Entries = append(next.Entries, e)
	}
	next.index()
	return next
}

// Chat writes the entries as conversations to tune a model on, one JSON object a line.
func (m *Memory) Chat(w io.Writer) error {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range m.Entries {
		var c struct {
			Messages []message `json:"messages"`
		}
		if e.System != "" {
			c.Messages = append(c.Messages, message{"system", e.System})
		}
		c.Messages = append(c.Messages, message{"user", e.Question}, message{"assistant", e.Answer})
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the entry whose question is the same, to the letter or else in other words: the names, numbers and
// negations come in the same order, and of the other words that say something there are the same ones. A question
// that is put quite differently is not found; an answer to another question would be worse.
func (m *Memory) Find(system, question string) (Entry, bool) {
	best := -1
	for _, i := range m.keys[key(question)] {
		switch e := m.Entries[i]; {
		case e.System != system:
		case e.Question == question:
			return e, true
		default:
			best = i // the newest
		}
	}
	if best < 0 {
		return Entry{}, false
	}
	return m.Entries[best], true
}

func (m *Memory) index() {
	m.keys = map[string][]int{}
	for i, e := range m.Entries {
		k := key(e.Question)
		m.keys[k] = append(m.keys[k], i)
	}
}

// Words that turn a question round, and words that only ask.
var (
	negations = Words("not no never none without except false untrue wrong least all every only any")
	asking    = Words("please name tell give say state complete answer question know could would can")
)

// Words is the set of the words of a text.
func Words(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// key is a question in the parts by which it is found.
func key(question string) string {
	t := evidence.Read(question)
	var anchors, words []string
	for i, w := range t.Words {
		switch {
		case negations[w.Fold] || t.Name(i) || strings.ContainsAny(w.Fold, "0123456789"):
			anchors = append(anchors, w.Fold)
		case !evidence.IsStop(w.Fold) && !asking[w.Fold]:
			words = append(words, w.Fold)
		}
	}
	slices.Sort(words)
	return strings.Join(anchors, "\x00") + "\x01" + strings.Join(slices.Compact(words), "\x00")
}
