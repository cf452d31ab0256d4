package consistency

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/text/answer"
)

// A rowOf is one parsed line, or why it is bad.
type rowOf struct {
	line      int
	id        string
	variant   int32
	unscored  bool
	open      bool // it could not be graded
	form      answer.Form
	gold      *goldOf // nil: not given
	tags      []string
	retrieved []string
	cluster   string   // its name; "" where none is given
	question  [16]byte // the start of its SHA-256; 0 where none is given
	err       error
}

// A goldOf is the gold of a row: forms ascending and distinct.
type goldOf struct {
	forms    []answer.Form
	declined bool
}

// fields holds the raw JSON of the known fields of a line; nil is absent.
type fields struct {
	id, variant, answer, gold, tags, retrieved, declined, goldDeclined, ungradable, cluster, question []byte
}

// at returns where the raw value of a key is kept, nil for unknown keys.
func (f *fields) at(key []byte) *[]byte {
	switch string(key) {
	case "id":
		return &f.id
	case "variant":
		return &f.variant
	case "answer":
		return &f.answer
	case "gold":
		return &f.gold
	case "tags":
		return &f.tags
	case "retrieved":
		return &f.retrieved
	case "declined":
		return &f.declined
	case "gold_declined":
		return &f.goldDeclined
	case "ungradable":
		return &f.ungradable
	case "cluster":
		return &f.cluster
	case "question":
		return &f.question
	}
	return nil
}

// A parser parses chunks; its caches make equal strings share memory within one.
type parser struct {
	equal answer.Relation
	f     fields               // of the line
	at    func([]byte) *[]byte // of f
	ids   map[string]string
	forms map[string]string     // raw JSON string to its form
	golds map[[2]string]*goldOf // raw JSON of gold and gold_declined
	lists map[string][]string   // raw JSON of tags and retrieved; shared between rows, never changed
}

// parse appends the rows of whole lines, the first of number line, to rows.
func (p *parser) parse(line int, data []byte, rows []rowOf) []rowOf {
	if p.ids == nil {
		p.ids, p.forms, p.golds, p.lists = make(map[string]string), make(map[string]string),
			make(map[[2]string]*goldOf), make(map[string][]string)
		p.at = p.f.at
	}
	clear(p.ids) // or they would hold on to every answer of the input
	clear(p.forms)
	clear(p.golds)
	clear(p.lists)
	rows = slices.Grow(rows, bytes.Count(data, []byte{'\n'})+1)
	for text := range bytes.Lines(data) {
		if text = bytes.Trim(text, " \t\r\n"); len(text) > 0 {
			r := rowOf{line: line}
			r.err = p.row(text, &r)
			rows = append(rows, r)
		}
		line++
	}
	return rows
}

func (p *parser) row(text []byte, r *rowOf) error {
	if len(text) > maxLineBytes {
		return errLongLine
	}
	p.f = fields{}
	if !jsonl.Split(text, p.at) {
		p.f = fields{}
		if err := decodeFields(text, &p.f); err != nil {
			return err
		}
	}
	return p.use(&p.f, r)
}

// decodeFields is the reference for jsonl.Split: it splits a line with encoding/json.
func decodeFields(text []byte, f *fields) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("not JSON at byte %d (%v): write one object a line, such as {\"id\": \"q1\", "+
				"\"variant\": 0, \"answer\": \"Paris\"}", syntax.Offset, err)
		}
		return errNotObject
	}
	if object == nil {
		return errNotObject
	}
	for key, raw := range object {
		if at := f.at([]byte(key)); at != nil {
			*at = raw
		}
	}
	return nil
}

var errNotObject = errors.New(`not a JSON object: write one object a line, such as {"id": "q1", "variant": 0, ` +
	`"answer": "Paris"}`)

// use turns the raw fields, each valid JSON, into a row.
func (p *parser) use(f *fields, r *rowOf) (err error) {
	for _, required := range []struct {
		name string
		raw  []byte
	}{{"id", f.id}, {"variant", f.variant}, {"answer", f.answer}} {
		if required.raw == nil {
			return fmt.Errorf("%q is missing: a row needs id, variant and answer (null if there is none)",
				required.name)
		}
	}
	if f.id[0] != '"' {
		return fmt.Errorf("id is %s: it must be a string in quotes", describe(f.id))
	}
	if len(f.id) == 2 {
		return errors.New("id is empty: each question needs an id of its own")
	}
	if r.id, err = intern(p.ids, f.id, jsonl.Text); err != nil {
		return err
	}
	v, err := strconv.ParseInt(string(f.variant), 10, 64)
	if err != nil || v < 0 || v > math.MaxInt32 {
		return fmt.Errorf("variant is %s: it must be an integer from 0 (the default prompt) to %d",
			describe(f.variant), math.MaxInt32)
	}
	r.variant = int32(v)
	declined, err := boolOf("declined", f.declined)
	if err != nil {
		return err
	}
	if r.open, err = boolOf("ungradable", f.ungradable); err != nil {
		return err
	}
	if err := p.answer(f, r, declined); err != nil {
		return err
	}
	if f.gold != nil || f.goldDeclined != nil {
		if r.gold, err = p.gold(f); err != nil {
			return err
		}
	}
	if f.tags != nil {
		if r.tags, err = p.list("tags", f.tags); err != nil {
			return err
		}
	}
	if f.retrieved != nil {
		if r.retrieved, err = p.list("retrieved", f.retrieved); err != nil {
			return err
		}
	}
	return p.unit(f, r)
}

// unit reads what a row is an observation of. A question that is no text is a field like others that are ignored.
func (p *parser) unit(f *fields, r *rowOf) (err error) {
	switch {
	case len(f.cluster) == 0 || f.cluster[0] == 'n':
	case f.cluster[0] != '"' || len(f.cluster) == 2:
		return fmt.Errorf("cluster is %s: it must be a name in quotes, or null if there is none", describe(f.cluster))
	default:
		r.cluster, err = intern(p.ids, f.cluster, jsonl.Text)
		return err
	}
	if len(f.question) == 0 || f.question[0] != '"' {
		return nil
	}
	text, err := jsonl.Text(f.question)
	if text = strings.TrimSpace(text); text != "" {
		sum := sha256.Sum256([]byte(text))
		r.question = [16]byte(sum[:16])
	}
	return err
}

// answer reads what a row says was answered.
func (p *parser) answer(f *fields, r *rowOf, declined bool) error {
	switch {
	case declined && r.open:
		return errors.New("declined and ungradable are both true: an answer that could be read as a decline was graded")
	case f.answer[0] != '"' && f.answer[0] != 'n':
		return fmt.Errorf("answer is %s: it must be a string in quotes, or null if there is none", describe(f.answer))
	case declined:
		r.form = answer.Declined
		return nil
	case f.answer[0] == 'n':
		r.unscored, r.open = true, false
		return nil
	case r.open:
		return nil
	}
	normal, err := intern(p.forms, f.answer, func(raw []byte) (string, error) {
		s, err := jsonl.Text(raw)
		return answer.Normalize(p.equal, s), err
	})
	if r.form = answer.Value(normal); err != nil || normal != "" {
		return err
	}
	text, err := jsonl.Text(f.answer) // nothing was said, or nothing that this equality compares
	if err != nil {
		return err
	}
	r.form, r.open = answer.Empty, strings.TrimSpace(text) != ""
	return nil
}

// gold reads the gold of a row, nil if it says none: null, blank or an empty list.
func (p *parser) gold(f *fields) (*goldOf, error) {
	if g, ok := p.golds[[2]string{string(f.gold), string(f.goldDeclined)}]; ok {
		return g, nil
	}
	g := new(goldOf)
	var err error
	if g.declined, err = boolOf("gold_declined", f.goldDeclined); err != nil {
		return nil, err
	}
	var texts []string
	switch {
	case f.gold == nil || f.gold[0] == 'n':
	case f.gold[0] == '"':
		s, err := jsonl.Text(f.gold)
		if err != nil {
			return nil, err
		}
		texts = []string{s}
	case f.gold[0] == '[':
		if texts, err = listOf("gold", f.gold); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("gold is %s: it must be a string in quotes, or a list of them", describe(f.gold))
	}
	var forms []string
	unread := ""
	for _, s := range texts {
		if form := answer.Normalize(p.equal, s); form != "" {
			forms = append(forms, form)
		} else if answer.Words(s) != "" {
			unread = s
		}
	}
	if unread != "" && len(forms) == 0 {
		return nil, fmt.Errorf(
			"gold %.60q cannot be read under --equal %s: choose another equality, such as normalized", unread, p.equal)
	}
	slices.Sort(forms)
	for _, form := range slices.Compact(forms) {
		g.forms = append(g.forms, answer.Value(form))
	}
	if len(g.forms) == 0 && !g.declined {
		g = nil
	}
	p.golds[[2]string{string(f.gold), string(f.goldDeclined)}] = g
	return g, nil
}

// longest is the size in bytes of raw values beyond which a cache would cost more than it saves: prose rarely repeats.
const longest = 96

// intern returns value(raw), computed once per short raw.
func intern(cache map[string]string, raw []byte, value func([]byte) (string, error)) (string, error) {
	if len(raw) > longest {
		return value(raw)
	}
	if s, ok := cache[string(raw)]; ok {
		return s, nil
	}
	s, err := value(raw)
	if err != nil {
		return "", err
	}
	cache[string(raw)] = s
	return s, nil
}

func boolOf(name string, raw []byte) (bool, error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "", "false", "null":
		return false, nil
	}
	return false, fmt.Errorf("%s is %s: it must be true or false", name, describe(raw))
}

// list is listOf, once for equal lists.
func (p *parser) list(name string, raw []byte) ([]string, error) {
	if l, ok := p.lists[string(raw)]; ok {
		return l, nil
	}
	l, err := listOf(name, raw)
	if err == nil {
		p.lists[string(raw)] = l
	}
	return l, err
}

// listOf decodes a list of strings; null is none, nil. An empty list is not nil.
func listOf(name string, raw []byte) ([]string, error) {
	if raw[0] == 'n' {
		return nil, nil
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s is %s: it must be a list of strings in quotes", name, describe(raw))
	}
	out := make([]string, len(list))
	for i, s := range list {
		if s == nil {
			return nil, fmt.Errorf("%s holds null: it must be a list of strings in quotes", name)
		}
		out[i] = *s
	}
	return out, nil
}

// describe names a JSON value in an error.
func describe(raw []byte) string {
	short := string(raw)
	if len(short) > 40 {
		short = short[:40] + "…"
	}
	short = string(bytes.ToValidUTF8([]byte(short), []byte("\uFFFD")))
	switch raw[0] {
	case '"':
		return "the string " + short
	case '{':
		return "an object"
	case '[':
		return "the list " + short
	case 't', 'f', 'n':
		return short
	}
	return "the number " + short
}
