package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strict returns an error unless data is exactly one JSON document in which no object has a key twice, however the
// keys are escaped: of two, one reader takes the first and another the last. Where fold is set, keys that differ in
// case alone are one, as encoding/json reads either into the same field of a struct. It takes time and memory that
// grow with data.
func Strict(data []byte, fold bool) error {
	if !json.Valid(data) {
		var v json.RawMessage
		return json.Unmarshal(data, &v)
	}
	var open []level
	for i := 0; i < len(data); {
		switch data[i] {
		case '{', '[':
			open = append(open, level{object: data[i] == '{', key: data[i] == '{'})
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			top := &open[len(open)-1]
			top.key = top.object
		case '"':
			end, plain := stringEnd(data, i)
			if n := len(open); n > 0 && open[n-1].key {
				if key := keyOf(data[i:end], plain, fold); !open[n-1].add(string(key)) {
					return fmt.Errorf("byte %d: the key %q is there twice", i, Excerpt(key))
				}
			}
			i = end
			continue
		}
		i++
	}
	return nil
}

// A level is a list or an object that is open.
type level struct {
	object, key bool // key: the next string is one
	keys        map[string]bool
}

// add notes a key, and reports whether it is new.
func (l *level) add(key string) bool {
	if l.keys == nil {
		l.keys = map[string]bool{}
	}
	twice := l.keys[key]
	l.key, l.keys[key] = false, true
	return !twice
}

// keyOf is the text of a key, which is valid JSON.
func keyOf(raw []byte, plain, fold bool) []byte {
	key := raw[1 : len(raw)-1]
	if !plain || !utf8.Valid(key) {
		text, _ := Text(raw)
		key = []byte(text)
	}
	if fold && bytes.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || 'A' <= r && r <= 'Z' }) {
		key = []byte(strings.Map(folded, string(key)))
	}
	return key
}

// folded is the one of the characters that differ from r in case alone by which they are compared: the small letter of
// ASCII, else the least.
func folded(r rune) rune {
	least := r
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		least = min(least, x)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
