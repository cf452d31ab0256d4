package suite

import (
	"encoding/json"
	"fmt"
)

// value returns the gold in the form of the files: nil, a string, a list of strings or {option: N}.
func (g Gold) value() any {
	switch {
	case g.Option != nil:
		return struct {
			Option int `json:"option" yaml:"option"`
		}{*g.Option}
	case len(g.Texts) == 1:
		return g.Texts[0]
	case len(g.Texts) > 1:
		return g.Texts
	}
	return nil
}

// MarshalJSON writes a string, a list of strings, {"option": N} or null.
func (g Gold) MarshalJSON() ([]byte, error) { return json.Marshal(g.value()) }

// MarshalYAML writes a string, a list of strings or {option: N}.
func (g Gold) MarshalYAML() (any, error) { return g.value(), nil }

// UnmarshalJSON reads what MarshalJSON writes; a number or boolean keeps its text.
func (g *Gold) UnmarshalJSON(data []byte) error {
	n, err := parseJSON("gold", data, 1)
	if err != nil {
		return err
	}
	d := decoder{file: "gold"}
	*g, err = d.gold(n)
	return err
}

// gold reads a reference answer.
func (d *decoder) gold(n *node) (g Gold, err error) {
	switch n.kind {
	case scalar:
		if n.text == "" {
			return g, faultf(d.file, n.line, "gold is empty; leave it out where there is none")
		}
		g.Texts = []string{n.text}
	case list:
		if len(n.items) == 0 {
			return g, faultf(d.file, n.line, "gold is an empty list; leave it out where there is none")
		}
		seen := map[string]bool{}
		for _, item := range n.items {
			if item.kind != scalar || item.text == "" {
				return g, faultf(d.file, item.line, "gold lists %s; every entry must be a text", describe(item))
			}
			if seen[item.text] {
				return g, faultf(d.file, item.line, "gold lists %q twice", item.text)
			}
			seen[item.text] = true
			g.Texts = append(g.Texts, item.text)
		}
	case dict:
		o := n.get("option")
		if o == nil || len(n.keys) != 1 {
			return g, faultf(d.file, n.line, "gold must be a text, a list of texts or {option: N}")
		}
		var i int
		if err := d.integer(o, &i, "gold.option"); err != nil {
			return g, err
		}
		g.Option = &i
	}
	return g, nil
}

func describe(n *node) string {
	if n.kind == scalar && n.text == "" {
		return "an empty text"
	}
	return n.kind.String()
}

// Index returns the place of the reference answer among the options of the case, and false if it has no gold or is no choice.
func (c *Case) Index() (int, bool) {
	switch {
	case len(c.Options) == 0:
	case c.Gold.Option != nil:
		return *c.Gold.Option, true
	case len(c.Gold.Texts) == 1:
		return indexOf(c.Options, c.Gold.Texts[0])
	}
	return 0, false
}

// Answers returns the reference answers as texts: those of the gold, or the option that it points at.
func (c *Case) Answers() []string {
	if i, ok := c.Index(); ok {
		return []string{c.Options[i]}
	}
	return c.Gold.Texts
}

// String returns the gold for messages.
func (g Gold) String() string {
	if g.Option != nil {
		return fmt.Sprintf("option %d", *g.Option)
	}
	return fmt.Sprintf("%q", g.Texts)
}
