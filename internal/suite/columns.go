package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// columns are the names people use for the keys of a case, the preferred one first. Two of them in one row may not differ
// for the prompt and the gold; of the others the first counts.
var columns = []struct {
	key   string
	names []string
}{
	{"id", []string{"id", "sample_id", "doc_id"}},
	{"prompt", []string{"prompt", "question", "query", "input", "text"}},
	{"gold", []string{"gold", "target", "ideal", "expected", "expected_output", "reference"}},
	{"options", []string{"options", "choices"}},
	{"context", []string{"context", "retrieval_context"}},
}

// outputs are the names of the column that holds a model's answer; beside one of them, "answer" is not read as the gold.
var outputs = []string{"output", "actual_output", "response"}

// plainKeys are the keys of a case that a plain row may have beside those of columns; any other column is not read.
var plainKeys = []string{"class", "tags", "domain", "difficulty", "system", "answer_type", "phrasings", "demonstrations", "show_options", "decline", "aliases"}

// goldNames are the names of the column that holds the gold.
var goldNames = append(slices.Clone(columns[2].names), "answer")

// columnNames are the names of columns that are not keys of a case themselves.
func columnNames() []string {
	all := []string{"answer"}
	for _, col := range columns {
		all = append(all, col.names[1:]...)
	}
	return all
}

var separators = strings.NewReplacer(" ", "_", "-", "_", "\u00a0", "_")

// columnName is the form in which names of columns are compared.
func columnName(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	return separators.Replace(strings.ToLower(s))
}

// isColumn reports whether a column of that name is read, or decides what is.
func isColumn(name string) bool {
	for _, col := range columns {
		if slices.Contains(col.names, name) {
			return true
		}
	}
	return name == "answer" || slices.Contains(outputs, name) || slices.Contains(plainKeys, name)
}

// canonical returns the row with the keys of the suite format.
func (r *reader) canonical(n *node) (*node, error) {
	names := make([]string, len(n.keys))
	for i, k := range n.keys {
		names[i] = k.name
		if !r.plain {
			continue
		}
		names[i] = columnName(k.name)
		if before := slices.Index(names[:i], names[i]); before >= 0 && isColumn(names[i]) {
			return nil, faultf(r.file, k.line, "%q and %q are one key but for case and spacing; keep one", n.keys[before].name, k.name)
		}
	}
	if err := r.misspelt(n, names); err != nil {
		return nil, err
	}
	out, used, err := r.pick(n, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		switch {
		case used[i]:
			r.reads(n.keys[i].name)
		case !r.plain:
			out.add(n.keys[i], n.items[i])
		case slices.Contains(plainKeys, name):
			out.add(key{name, n.keys[i].line}, n.items[i])
			r.reads(n.keys[i].name)
		case name != "":
			r.ignored[n.keys[i].name] = true
		}
	}
	if out.get("prompt") == nil && r.plain {
		return nil, faultf(r.file, n.line, "no question; want a value under one of %s; this row has keys %s", strings.Join(columns[1].names, ", "), quoteSome(keyNames(n)))
	}
	return out, r.reshape(out)
}

// reads notes a column that is read.
func (r *reader) reads(name string) {
	if r.plain && !slices.Contains(r.found, name) {
		r.found = append(r.found, name)
	}
}

// pick returns a row of the values that have a name of columns, under the first of its names, and which keys those are.
func (r *reader) pick(n *node, names []string) (out *node, used []bool, err error) {
	given := func(i int) bool { return n.items[i].kind != null }
	hasGold, hasOutput := false, ""
	for i, name := range names {
		hasGold = hasGold || given(i) && slices.Contains(columns[2].names, name)
		if slices.Contains(outputs, name) {
			hasOutput = n.keys[i].name
		}
	}
	out = &node{kind: dict, line: n.line}
	used = make([]bool, len(names))
	for _, col := range columns {
		first := -1
		for _, name := range col.names {
			i := slices.Index(names, name)
			if i < 0 {
				continue
			}
			if first >= 0 && given(i) && col.key != "prompt" && col.key != "gold" {
				continue // left unused, so it is named as not read or as unknown
			}
			used[i] = true
			switch {
			case !given(i):
			case first < 0:
				first = i
			case !same(n.items[first], n.items[i]):
				return nil, nil, faultf(r.file, n.keys[i].line, "%q and %q both give the %s and differ; keep one", n.keys[first].name, n.keys[i].name, col.key)
			}
		}
		if i := slices.Index(names, "answer"); col.key == "gold" && !hasGold && i >= 0 {
			if hasOutput == "" {
				first, used[i] = i, true
			} else {
				r.noGold = fmt.Sprintf("; %q is not taken for it beside %q, so name it gold if it is", n.keys[i].name, hasOutput)
			}
		}
		if first >= 0 {
			out.add(key{col.key, n.keys[first].line}, n.items[first])
		}
	}
	return out, used, nil
}

// words that are near a name of the gold and are no misspelling of it.
var nearGold = []string{"good", "goal", "golf", "idea"}

// misspelt refuses a row of others that has no column for the gold, and one whose name is nearly that of the gold: it would be asked and
// could not be graded.
func (r *reader) misspelt(n *node, names []string) error {
	if !r.plain || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(goldNames, name) }) {
		return nil
	}
	for i, name := range names {
		if name == "" || isColumn(name) || slices.Contains(nearGold, name) {
			continue
		}
		for _, gold := range goldNames {
			if name[0] != gold[0] || typos(name, gold) > 1+len(gold)/8 {
				continue
			}
			if gold == "answer" && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(outputs, name) }) {
				gold = "gold" // beside an output, an answer is not read as the gold
			}
			line := n.keys[i].line
			if r.head > 0 {
				line = r.head
			}
			return faultf(r.file, line, "unknown column %q, and no column gives the gold; did you mean %q? If it holds something else, give it a name less like it", n.keys[i].name, gold)
		}
	}
	return nil
}

func keyNames(n *node) []string {
	names := make([]string, len(n.keys))
	for i, k := range n.keys {
		names[i] = k.name
	}
	return names
}

func same(a, b *node) bool {
	return a.kind == b.kind && a.text == b.text && slices.EqualFunc(a.items, b.items, same)
}

// reshape turns the shapes in which values come into those of the suite format: passages given as texts, options in a cell or
// under their labels, a prompt that is a list of chat messages.
func (r *reader) reshape(n *node) error {
	for i, k := range n.keys {
		v := n.items[i]
		if r.plain && v.kind == scalar {
			switch k.name {
			case "options", "tags", "phrasings", "demonstrations", "context", "gold", "aliases":
				v = cell(k.name, v)
			case "decline", "show_options":
				v = &node{kind: scalar, text: strings.ToLower(v.text), line: v.line}
			}
		}
		if r.plain && k.name == "options" && v.kind == dict && v.get("text") != nil { // {"text": […], "label": […]}
			v = v.get("text")
		}
		if k.name == "context" {
			v = passages(v)
		}
		n.items[i] = v
	}
	if p := n.get("prompt"); r.plain && p != nil && p.kind == list {
		return r.messages(n, p)
	}
	return nil
}

// cell reads a list that stands in one cell of a table: as JSON, or its parts separated by | or, where there is none, by ;
// (tags by a comma too). A gold or a passage is never split: its text may hold either.
func cell(name string, v *node) *node {
	text := strings.TrimSpace(v.text)
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		if parsed, err := parseJSON("", []byte(text), v.line); err == nil && (name != "gold" || parsed.kind == list || isGold(parsed)) {
			relocate(parsed, v.line)
			return parsed
		}
	}
	sep := ";"
	switch {
	case name == "gold" || name == "context" || name == "demonstrations":
		return v
	case strings.Contains(text, "|"):
		sep = "|"
	case name == "tags" && !strings.Contains(text, ";"):
		sep = ","
	}
	out := &node{kind: list, line: v.line}
	for part := range strings.SplitSeq(text, sep) {
		if part = strings.TrimSpace(part); part != "" {
			out.items = append(out.items, &node{kind: scalar, text: part, line: v.line})
		}
	}
	return out
}

func relocate(n *node, line int) {
	n.line = line
	for i := range n.keys {
		n.keys[i].line = line
	}
	for _, item := range n.items {
		relocate(item, line)
	}
}

// passages gives ids to passages that come as texts: L1, L2, …
func passages(v *node) *node {
	if v.kind == scalar {
		v = &node{kind: list, line: v.line, items: []*node{v}}
	}
	if v.kind != list {
		return v
	}
	out := &node{kind: list, line: v.line}
	for i, p := range v.items {
		if p.kind == scalar {
			id := &node{kind: scalar, text: "L" + strconv.Itoa(i+1), line: p.line}
			p = &node{kind: dict, line: p.line, keys: []key{{"id", p.line}, {"text", p.line}}, items: []*node{id, p}}
		}
		out.items = append(out.items, p)
	}
	return out
}

// messages reads a prompt that is a chat, as in OpenAI Evals: the system message, pairs of user and assistant as
// demonstrations, and the last user message as the question.
func (r *reader) messages(n, chat *node) error {
	const want = "want system, then user and assistant in turn, and user last"
	var system, question *node
	demos := &node{kind: list, line: chat.line}
	for i, m := range chat.items {
		role, content := m.get("role"), m.get("content")
		if role == nil || content == nil || content.kind != scalar {
			return faultf(r.file, m.line, "message %d of the prompt has no role or no text", i+1)
		}
		switch {
		case role.text == "system" && i == 0:
			system = content
		case role.text == "user" && question == nil:
			question = content
		case role.text == "assistant" && question != nil:
			demos.items = append(demos.items, &node{kind: dict, line: m.line, keys: []key{{"input", m.line}, {"label", m.line}}, items: []*node{question, content}})
			question = nil
		default:
			return faultf(r.file, m.line, "message %d of the prompt is from %q; %s", i+1, role.text, want)
		}
	}
	if question == nil {
		return faultf(r.file, chat.line, "the prompt does not end with a message of the user; %s", want)
	}
	n.items[slices.IndexFunc(n.keys, func(k key) bool { return k.name == "prompt" })] = question
	for _, extra := range []struct {
		name string
		v    *node
	}{{"system", system}, {"demonstrations", demos}} {
		if extra.v == nil || extra.v.kind == list && len(extra.v.items) == 0 {
			continue
		}
		if _, twice := n.add(key{extra.name, chat.line}, extra.v); twice {
			return faultf(r.file, chat.line, "%s stands in the prompt's messages and in a column; keep one", extra.name)
		}
	}
	return nil
}

// adapt fits a plain row to the suite format where others' files commonly differ: a gold that is the letter of an option,
// classes and domains of their own.
func (r *reader) adapt(c *Case) {
	if len(c.Gold.Texts) == 1 && len(c.Options) > 0 {
		g := strings.TrimSpace(c.Gold.Texts[0])
		if _, ok := indexOf(c.Options, g); !ok && len(g) == 1 {
			if i := int(strings.ToUpper(g)[0]) - 'A'; i >= 0 && i < len(c.Options) {
				c.Gold = Gold{Option: &i}
				r.lettered++
			}
		}
	}
	for _, f := range []struct {
		value *string
		known []string
	}{{&c.Class, Classes}, {&c.Domain, Domains}} {
		if *f.value != "" && !slices.Contains(f.known, *f.value) {
			if !slices.Contains(c.Tags, *f.value) {
				c.Tags = append(c.Tags, *f.value)
			}
			*f.value = ""
			r.retagged++
		}
	}
}

// indexOf finds a text among the options; outer space does not count.
func indexOf(options []string, text string) (int, bool) {
	i := slices.IndexFunc(options, func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(text) })
	return i, i >= 0
}
