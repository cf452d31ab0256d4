package suite

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/strictyaml"
)

// A column of a plain table that the suite format has no key for becomes a tag of each case, as topic:geography, where
// its values make groups: at least 2 and at most mostGroups different ones of at most longestGroup characters, of which
// one stands in two rows. Identifiers, addresses and comments do not, and would only make the suite larger.
const (
	mostGroups   = 100
	longestGroup = 80
)

// A tagColumn is what a column that the suite format does not know holds.
type tagColumn struct {
	shown  string           // its name, as the file has it
	key    string           // of its tags
	values map[string]int32 // each by its number, from 1
	of     []int32          // the number of each row's value; 0 where it has none
	shared bool             // a value stands twice
	why    string           // why it makes no groups; "" as long as it may
}

// noteTag takes the value of a column that the suite format does not know, of the row that is read.
func (r *reader) noteTag(shown, name string, v *strictyaml.Node) {
	if r.tagColumns == nil {
		r.tagColumns = map[string]*tagColumn{}
	}
	c := r.tagColumns[name]
	if c == nil {
		c = &tagColumn{shown: shown, key: strings.ReplaceAll(name, ":", "_"), values: map[string]int32{}}
		r.tagColumns[name], r.tagNames = c, append(r.tagNames, name)
		if utf8.RuneCountInString(c.key) > longestGroup {
			c.drop("a name of over %d characters", longestGroup)
		}
		if name == "accept" || name == "reject" {
			c.drop("answers, which a table has under gold and aliases, and YAML under oracle: {accept: […], reject: " +
				"[…]}")
		}
	}
	row := len(r.packer.cases)
	if c.why != "" || v.Kind == strictyaml.Null || len(c.of) > row { // the last: two names that are one but for case
		return
	}
	value := strings.Join(strings.Fields(v.Text), " ")
	switch {
	case v.Kind != strictyaml.Scalar:
		c.drop("%s in place of a text", v.Kind)
		return
	case value == "":
		return
	case utf8.RuneCountInString(value) > longestGroup:
		c.drop("texts of over %d characters", longestGroup)
		return
	}
	number, known := c.values[value]
	if !known {
		if number = int32(len(c.values) + 1); number > mostGroups {
			c.drop("over %d different values", mostGroups)
			return
		}
		c.values[value] = number
	}
	c.shared = c.shared || known
	c.of = append(c.of, make([]int32, row-len(c.of))...)
	c.of = append(c.of, number)
}

// drop lets go of a column's values, and keeps why.
func (c *tagColumn) drop(format string, args ...any) {
	c.values, c.of, c.why = nil, nil, fmt.Sprintf(format, args...)
}

// tagged gives the cases the tags of the columns that make groups, and says once which do not.
func (r *reader) tagged() {
	var kept []*tagColumn
	var left []string
	n := len(r.packer.cases)
	for _, name := range r.tagNames {
		c := r.tagColumns[name]
		switch {
		case c.why != "":
		case len(c.values) == 0:
			c.drop("nothing")
		case !c.shared && n > 1:
			c.drop("a different value in each row")
		case len(c.values) == 1 && !slices.Contains(c.of, 0) && len(c.of) == n:
			c.drop("one value in all rows")
		}
		if c.why != "" {
			left = append(left, c.shown+" ("+c.why+")")
		} else {
			kept = append(kept, c)
		}
	}
	if len(kept) > 0 {
		r.packer = *packerOf(n, tagging(r.packer.cases, kept))
	}
	if len(left) > 0 {
		r.suite.warnf("%s: columns that make no groups, and so no tags: %s", r.file, strings.Join(left, ", "))
	}
}

// tagging yields packed cases with the tags of columns behind their own.
func tagging(cases []packed, columns []*tagColumn) iter.Seq2[int, *Case] {
	texts := make([][]string, len(columns)) // of each value, once for all cases
	for i, c := range columns {
		texts[i] = make([]string, len(c.values)+1)
		for value, number := range c.values {
			texts[i][number] = c.key + ":" + value
		}
	}
	return func(yield func(int, *Case) bool) {
		var room Case
		for row := range cases {
			c := *cases[row].lay(&room)
			c.Tags = slices.Clone(c.Tags)
			for i, of := range columns {
				if row < len(of.of) && of.of[row] != 0 && !slices.Contains(c.Tags, texts[i][of.of[row]]) {
					c.Tags = append(c.Tags, texts[i][of.of[row]])
				}
			}
			if !yield(row, &c) {
				return
			}
		}
	}
}
