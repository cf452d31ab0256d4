package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// goldForms says how a gold may be written, for messages.
const goldForms = "gold must be a text, a list of texts any of which is right, {option: N}, {all: […]}, {value: V, tolerance: T}, " +
	"{value: V, significant: N} or {range: [LOW, HIGH]}"

// fileGold is a gold that is written as keys and values.
type fileGold struct {
	Option      *int     `json:"option,omitempty" yaml:"option,omitempty"`
	All         []string `json:"all,omitempty" yaml:"all,omitempty"`
	Value       string   `json:"value,omitempty" yaml:"value,omitempty"`
	Tolerance   string   `json:"tolerance,omitempty" yaml:"tolerance,omitempty"`
	Significant int      `json:"significant,omitempty" yaml:"significant,omitempty"`
	Range       []string `json:"range,omitempty" yaml:"range,omitempty"`
}

// goldKeys are the keys of such a gold, and beside which others each stands.
var goldKeys = map[string][]string{
	"option": nil, "all": nil, "range": nil,
	"value": {"tolerance", "significant"}, "tolerance": {"value", "significant"}, "significant": {"value", "tolerance"},
}

// value returns the gold in the form of the files: nil, a string, a list of strings or keys and values.
func (g Gold) value() any {
	switch {
	case g.Option != nil || len(g.All) > 0 || g.isNumber():
		f := fileGold{Option: g.Option, All: g.All, Tolerance: g.Tolerance, Significant: g.Significant, Range: g.Range}
		if len(g.Texts) > 0 {
			f.Value = g.Texts[0]
		}
		return f
	case len(g.Texts) == 1:
		return g.Texts[0]
	case len(g.Texts) > 1:
		return g.Texts
	}
	return nil
}

// MarshalJSON writes a string, a list of strings, an object such as {"option": N}, or null.
func (g Gold) MarshalJSON() ([]byte, error) { return json.Marshal(g.value()) }

// MarshalYAML writes a string, a list of strings, or keys and values such as {option: N}.
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
		g.Texts, err = d.texts(n, "gold")
	case dict:
		g, err = d.goldOfKeys(n)
	}
	return g, err
}

// texts reads a list of texts, none of them twice.
func (d *decoder) texts(n *node, what string) ([]string, error) {
	if n.kind != list {
		return nil, faultf(d.file, n.line, "%s must be a list, not %s", what, n.kind)
	}
	if len(n.items) == 0 {
		return nil, faultf(d.file, n.line, "%s is an empty list; leave it out where there is none", what)
	}
	var texts []string
	seen := map[string]bool{}
	for _, item := range n.items {
		if item.kind != scalar || item.text == "" {
			return nil, faultf(d.file, item.line, "%s lists %s; every entry must be a text", what, describe(item))
		}
		if seen[item.text] {
			return nil, faultf(d.file, item.line, "%s lists %q twice", what, item.text)
		}
		seen[item.text] = true
		texts = append(texts, item.text)
	}
	return texts, nil
}

// goldOfKeys reads a gold that is written as keys and values.
func (d *decoder) goldOfKeys(n *node) (g Gold, err error) {
	if len(n.keys) == 0 {
		return g, faultf(d.file, n.line, "%s", goldForms)
	}
	for i, k := range n.keys {
		beside, ok := goldKeys[k.name]
		if !ok {
			return g, faultf(d.file, k.line, "%s; it has a key %q, %s", goldForms, k.name, suggest(k.name, slices.Sorted(maps.Keys(goldKeys))))
		}
		for _, other := range n.keys {
			if _, known := goldKeys[other.name]; known && other.name != k.name && !slices.Contains(beside, other.name) {
				return g, faultf(d.file, k.line, "gold has %s beside %s; %s", k.name, other.name, goldForms)
			}
		}
		v := n.items[i]
		if v.kind == null {
			return g, faultf(d.file, k.line, "gold.%s has no value", k.name)
		}
		switch k.name {
		case "option":
			g.Option = new(int)
			err = d.integer(v, g.Option, "gold.option")
		case "all":
			g.All, err = d.texts(v, "gold.all")
		case "value":
			var text string
			text, err = d.text(v, "gold.value")
			g.Texts = []string{text}
		case "tolerance":
			g.Tolerance, err = d.text(v, "gold.tolerance")
		case "significant":
			if err = d.integer(v, &g.Significant, "gold.significant"); err == nil && g.Significant == 0 {
				err = faultf(d.file, v.line, "gold.significant is 0; want a number of digits from 1")
			}
		case "range":
			g.Range, err = d.ends(v)
		}
		if err != nil {
			return Gold{}, err
		}
	}
	switch {
	case n.get("value") != nil && len(n.keys) == 1:
		return g, faultf(d.file, n.line, "gold.value stands alone; write gold: %s, or give a tolerance or significant digits beside it", g.Texts[0])
	case n.get("value") == nil && (g.Tolerance != "" || g.Significant > 0):
		return g, faultf(d.file, n.line, "gold.%s has no value beside it; want gold: {value: 42.5, %s: …}", n.keys[0].name, n.keys[0].name)
	}
	return g, nil
}

// text reads a value that may not be empty.
func (d *decoder) text(n *node, what string) (string, error) {
	if n.kind != scalar || n.text == "" {
		return "", faultf(d.file, n.line, "%s must be a value, not %s", what, describe(n))
	}
	return n.text, nil
}

// ends reads the two ends of a range.
func (d *decoder) ends(n *node) ([]string, error) {
	if n.kind != list || len(n.items) != 2 {
		return nil, faultf(d.file, n.line, "gold.range must be a list of two numbers, the lowest and the highest that is right, as [40, 45]")
	}
	var ends []string
	for _, item := range n.items {
		end, err := d.text(item, "an end of gold.range")
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	return ends, nil
}

// isGold reports whether an object in a cell is a gold that is written as keys and values, and not some text.
func isGold(n *node) bool {
	return slices.ContainsFunc(n.keys, func(k key) bool { _, ok := goldKeys[k.name]; return ok })
}

func describe(n *node) string {
	if n.kind == scalar && n.text == "" {
		return "an empty text"
	}
	return n.kind.String()
}

// GoldOption returns the place of the reference answer among the options of the case, and false if it has no gold or is no choice.
func (c *Case) GoldOption() (int, bool) {
	switch {
	case len(c.Options) == 0:
	case c.Gold.Option != nil:
		return *c.Gold.Option, true
	case len(c.Gold.Texts) == 1:
		return indexOf(c.Options, c.Gold.Texts[0])
	}
	return 0, false
}

// Answers returns right answers as texts: those of the gold, or the option that it points at; where each of several must be named, one
// text that names them; of a range, the number in its middle. Aliases are not among them.
func (c *Case) Answers() []string {
	if i, ok := c.GoldOption(); ok {
		return []string{c.Options[i]}
	}
	if n := len(c.Gold.All); n > 1 {
		return []string{strings.Join(c.Gold.All[:n-1], ", ") + " and " + c.Gold.All[n-1]}
	}
	if lo, hi, unit, ok := c.Gold.Interval(); ok && len(c.Gold.Range) > 0 {
		return []string{strings.TrimSpace(decimal(middle(lo, hi)) + " " + unit)}
	}
	return c.Gold.Texts
}

// GoldText returns the gold as people and judges read it: "Paris | Lutetia", "each of: Simon, Garfunkel", "42.5 ± 0.5", "from 40 to 45", or
// an option's text; "" where there is none. Aliases are not in it.
func (c *Case) GoldText() string {
	g := c.Gold
	switch {
	case g.Option != nil:
		if i := *g.Option; i >= 0 && i < len(c.Options) {
			return c.Options[i]
		}
		return ""
	case len(g.All) > 0:
		return "each of: " + strings.Join(g.All, ", ")
	case len(g.Range) == 2:
		return "from " + g.Range[0] + " to " + g.Range[1]
	case g.Tolerance != "" && len(g.Texts) == 1:
		return g.Texts[0] + " ± " + g.Tolerance
	case g.Significant > 0 && len(g.Texts) == 1:
		return fmt.Sprintf("%s to %d significant %s", g.Texts[0], g.Significant, plural(g.Significant, "digit"))
	}
	return strings.Join(g.Texts, " | ")
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// String returns the gold for messages.
func (g Gold) String() string {
	switch {
	case g.Option != nil:
		return fmt.Sprintf("option %d", *g.Option)
	case len(g.All) > 0 || g.isNumber():
		return (&Case{Gold: g}).GoldText()
	}
	return fmt.Sprintf("%q", g.Texts)
}
