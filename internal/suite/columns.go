package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hallmark/internal/base/strictyaml"
)

// columns are the names people use for the keys of a case, the preferred one first. Two of them in one row may not
// differ for the prompt and the gold; of the others the first counts.
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

// outputs are the names of the column that holds a model's answer; beside one of them, "answer" is not read as the
// gold.
var outputs = []string{"output", "actual_output", "response"}

// plainKeys are the keys of a case that a plain row may have beside those of columns; any other column is a tag, where
// its values make groups (tagColumn).
var plainKeys = []string{"class", "tags", "domain", "difficulty", "system", "answer_type", "phrasings",
	"demonstrations", "show_options", "decline", "aliases"}

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
func (r *reader) canonical(n *strictyaml.Node) (*strictyaml.Node, error) {
	names := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		names[i] = k.Name
		if !r.plain {
			continue
		}
		names[i] = columnName(k.Name)
		if before := slices.Index(names[:i], names[i]); before >= 0 && isColumn(names[i]) {
			return nil, r.faultf(k.Line, "%q and %q are one key but for case and spacing; keep one",
				n.Keys[before].Name, k.Name)
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
			r.reads(n.Keys[i].Name)
		case !r.plain:
			out.Add(n.Keys[i], n.Items[i])
		case slices.Contains(plainKeys, name):
			out.Add(key(name, n.Keys[i].Line), n.Items[i])
			r.reads(n.Keys[i].Name)
		case name != "" && isColumn(name):
			r.ignored[n.Keys[i].Name] = true
		case name != "":
			r.noteTag(n.Keys[i].Name, name, n.Items[i])
		}
	}
	if out.Get("prompt") == nil && r.plain {
		return nil, r.faultf(n.Line, "no question; want a value under one of %s; this row has keys %s",
			strings.Join(columns[1].names, ", "), quoteSome(keyNames(n)))
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
func (r *reader) pick(n *strictyaml.Node, names []string) (out *strictyaml.Node, used []bool, err error) {
	given := func(i int) bool { return n.Items[i].Kind != strictyaml.Null }
	hasGold, hasOutput := false, ""
	for i, name := range names {
		hasGold = hasGold || given(i) && slices.Contains(columns[2].names, name)
		if slices.Contains(outputs, name) {
			hasOutput = n.Keys[i].Name
		}
	}
	out = &strictyaml.Node{Kind: strictyaml.Dict, Line: n.Line}
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
			case !same(n.Items[first], n.Items[i]):
				return nil, nil, r.faultf(n.Keys[i].Line,
					"%q and %q both give the %s and differ; keep one", n.Keys[first].Name, n.Keys[i].Name, col.key)
			}
		}
		if i := slices.Index(names, "answer"); col.key == "gold" && !hasGold && i >= 0 {
			if hasOutput == "" {
				first, used[i] = i, true
			} else {
				r.noGold = fmt.Sprintf("; %q is not taken for it beside %q, so name it gold if it is", n.Keys[i].Name,
					hasOutput)
			}
		}
		if first >= 0 {
			out.Add(key(col.key, n.Keys[first].Line), n.Items[first])
		}
	}
	return out, used, nil
}

// words that are near a name of the gold and are no misspelling of it.
var nearGold = []string{"good", "goal", "golf", "idea"}

// misspelt refuses a row of others that has no column for the gold, and one whose name is nearly that of the gold:
// it would be asked and could not be graded.
func (r *reader) misspelt(n *strictyaml.Node, names []string) error {
	if !r.plain || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(goldNames, name) }) {
		return nil
	}
	for i, name := range names {
		if name == "" || isColumn(name) || slices.Contains(nearGold, name) {
			continue
		}
		for _, gold := range goldNames {
			if name[0] != gold[0] || strictyaml.Typos(name, gold) > 1+len(gold)/8 {
				continue
			}
			if gold == "answer" && slices.ContainsFunc(names, func(name string) bool {
				return slices.Contains(outputs, name)
			}) {
				gold = "gold" // beside an output, an answer is not read as the gold
			}
			line := n.Keys[i].Line
			if r.head > 0 {
				line = r.head
			}
			return r.faultf(line, "unknown column %q, and no column gives the gold; did you mean "+
				"%q? If it holds something else, give it a name less like it", n.Keys[i].Name, gold)
		}
	}
	return nil
}

func keyNames(n *strictyaml.Node) []string {
	names := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		names[i] = k.Name
	}
	return names
}

func same(a, b *strictyaml.Node) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, same)
}

// reshape turns the shapes in which values come into those of the suite format: passages given as texts, options in
// a cell or under their labels, a prompt that is a list of chat messages.
func (r *reader) reshape(n *strictyaml.Node) error {
	for i, k := range n.Keys {
		v := n.Items[i]
		if r.plain && v.Kind == strictyaml.Scalar {
			switch k.Name {
			case "options", "tags", "phrasings", "demonstrations", "context", "gold", "aliases":
				v = cell(k.Name, v)
			case "decline", "show_options":
				v = &strictyaml.Node{Kind: strictyaml.Scalar, Text: strings.ToLower(v.Text), Line: v.Line}
			}
		}
		// {"text": […], "label": […]}
		if r.plain && k.Name == "options" && v.Kind == strictyaml.Dict && v.Get("text") != nil {
			v = v.Get("text")
		}
		if k.Name == "context" {
			v = passages(v)
		}
		n.Items[i] = v
	}
	if p := n.Get("prompt"); r.plain && p != nil && p.Kind == strictyaml.List {
		return r.messages(n, p)
	}
	return nil
}

// cell reads a list that stands in one cell of a table: as JSON, or its parts separated by | or, where there is
// none, by ; (tags by a comma too). A gold or a passage is never split: its text may hold either.
func cell(name string, v *strictyaml.Node) *strictyaml.Node {
	text := strings.TrimSpace(v.Text)
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		if parsed, err := strictyaml.ReadJSON("", []byte(text), v.Line); err == nil &&
			(name != "gold" || parsed.Kind == strictyaml.List || isGold(parsed)) {
			relocate(parsed, v.Line)
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
	out := &strictyaml.Node{Kind: strictyaml.List, Line: v.Line}
	for part := range strings.SplitSeq(text, sep) {
		if part = strings.TrimSpace(part); part != "" {
			out.Items = append(out.Items, &strictyaml.Node{Kind: strictyaml.Scalar, Text: part, Line: v.Line})
		}
	}
	return out
}

func relocate(n *strictyaml.Node, line int) {
	n.Line = line
	for i := range n.Keys {
		n.Keys[i].Line = line
	}
	for _, item := range n.Items {
		relocate(item, line)
	}
}

// passages gives ids to passages that come as texts: L1, L2, …
func passages(v *strictyaml.Node) *strictyaml.Node {
	if v.Kind == strictyaml.Scalar {
		v = &strictyaml.Node{Kind: strictyaml.List, Line: v.Line, Items: []*strictyaml.Node{v}}
	}
	if v.Kind != strictyaml.List {
		return v
	}
	out := &strictyaml.Node{Kind: strictyaml.List, Line: v.Line}
	for i, p := range v.Items {
		if p.Kind == strictyaml.Scalar {
			id := &strictyaml.Node{Kind: strictyaml.Scalar, Text: "L" + strconv.Itoa(i+1), Line: p.Line}
			p = &strictyaml.Node{Kind: strictyaml.Dict, Line: p.Line,
				Keys: []strictyaml.Key{key("id", p.Line), key("text", p.Line)}, Items: []*strictyaml.Node{id, p}}
		}
		out.Items = append(out.Items, p)
	}
	return out
}

// messages reads a prompt that is a chat, as in OpenAI Evals: the system message, pairs of user and assistant as
// demonstrations, and the last user message as the question.
func (r *reader) messages(n, chat *strictyaml.Node) error {
	const want = "want system, then user and assistant in turn, and user last"
	var system, question *strictyaml.Node
	demos := &strictyaml.Node{Kind: strictyaml.List, Line: chat.Line}
	for i, m := range chat.Items {
		role, content := m.Get("role"), m.Get("content")
		if role == nil || content == nil || content.Kind != strictyaml.Scalar {
			return r.faultf(m.Line, "message %d of the prompt has no role or no text", i+1)
		}
		switch {
		case role.Text == "system" && i == 0:
			system = content
		case role.Text == "user" && question == nil:
			question = content
		case role.Text == "assistant" && question != nil:
			demos.Items = append(demos.Items, &strictyaml.Node{Kind: strictyaml.Dict, Line: m.Line,
				Keys:  []strictyaml.Key{key("input", m.Line), key("label", m.Line)},
				Items: []*strictyaml.Node{question, content}})
			question = nil
		default:
			return r.faultf(m.Line, "message %d of the prompt is from %q; %s", i+1, role.Text, want)
		}
	}
	if question == nil {
		return r.faultf(chat.Line, "the prompt does not end with a message of the user; %s", want)
	}
	n.Items[slices.IndexFunc(n.Keys, func(k strictyaml.Key) bool { return k.Name == "prompt" })] = question
	for _, extra := range []struct {
		name string
		v    *strictyaml.Node
	}{{"system", system}, {"demonstrations", demos}} {
		if extra.v == nil || extra.v.Kind == strictyaml.List && len(extra.v.Items) == 0 {
			continue
		}
		if _, twice := n.Add(key(extra.name, chat.Line), extra.v); twice {
			return r.faultf(chat.Line, "%s stands in the prompt's messages and in a column; keep one", extra.name)
		}
	}
	return nil
}

// adapt fits a plain row to the suite format where others' files commonly differ: a gold that is the letter of an
// option, classes and domains of their own.
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
