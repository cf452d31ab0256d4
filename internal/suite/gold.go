package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/stat/figure"
)

// goldForms says how a gold may be written, for messages.
const goldForms = "gold must be a text, a list of texts any of which is right, {option: N}, {all: […]}, {value: " +
	"V, tolerance: T}, " +
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
	n, err := strictyaml.ReadJSON("gold", data, 1)
	if err != nil {
		return err
	}
	d := decoder{file: "gold"}
	*g, err = d.gold(n)
	return err
}

// gold reads a reference answer.
func (d *decoder) gold(n *strictyaml.Node) (g Gold, err error) {
	switch n.Kind {
	case strictyaml.Scalar:
		if n.Text == "" {
			return g, d.faultf(n.Line, "gold is empty; leave it out where there is none")
		}
		g.Texts = []string{n.Text}
	case strictyaml.List:
		g.Texts, err = d.texts(n, "gold")
	case strictyaml.Dict:
		g, err = d.goldOfKeys(n)
	}
	return g, err
}

// texts reads a list of texts, none of them twice.
func (d *decoder) texts(n *strictyaml.Node, what string) ([]string, error) {
	if n.Kind != strictyaml.List {
		return nil, d.faultf(n.Line, "%s must be a list, not %s", what, n.Kind)
	}
	if len(n.Items) == 0 {
		return nil, d.faultf(n.Line, "%s is an empty list; leave it out where there is none", what)
	}
	var texts []string
	seen := map[string]bool{}
	for _, item := range n.Items {
		if item.Kind != strictyaml.Scalar || item.Text == "" {
			return nil, d.faultf(item.Line, "%s lists %s; every entry must be a text", what, describe(item))
		}
		if seen[item.Text] {
			return nil, d.faultf(item.Line, "%s lists %q twice", what, item.Text)
		}
		seen[item.Text] = true
		texts = append(texts, item.Text)
	}
	return texts, nil
}

// goldOfKeys reads a gold that is written as keys and values.
func (d *decoder) goldOfKeys(n *strictyaml.Node) (g Gold, err error) {
	if len(n.Keys) == 0 {
		return g, d.faultf(n.Line, "%s", goldForms)
	}
	for i, k := range n.Keys {
		beside, ok := goldKeys[k.Name]
		if !ok {
			return g, d.faultf(k.Line, "%s; it has a key %q, %s", goldForms, k.Name,
				strictyaml.Suggest(k.Name, slices.Sorted(maps.Keys(goldKeys))))
		}
		for _, other := range n.Keys {
			if _, known := goldKeys[other.Name]; known && other.Name != k.Name && !slices.Contains(beside, other.Name) {
				return g, d.faultf(k.Line, "gold has %s beside %s; %s", k.Name, other.Name, goldForms)
			}
		}
		if n.Items[i].Kind == strictyaml.Null {
			return g, d.faultf(k.Line, "gold.%s has no value", k.Name)
		}
		if err := d.goldKey(&g, k.Name, n.Items[i]); err != nil {
			return Gold{}, err
		}
	}
	switch {
	case n.Get("value") != nil && len(n.Keys) == 1:
		return g, d.faultf(n.Line,
			"gold.value stands alone; write gold: %s, or give a tolerance or significant digits beside it", g.Texts[0])
	case n.Get("value") == nil && (g.Tolerance != "" || g.Significant > 0):
		return g, d.faultf(n.Line, "gold.%s has no value beside it; want gold: {value: 42.5, %s: …}",
			n.Keys[0].Name, n.Keys[0].Name)
	}
	return g, nil
}

// goldKey reads the value of one of the keys of a gold.
func (d *decoder) goldKey(g *Gold, name string, v *strictyaml.Node) (err error) {
	switch name {
	case "option":
		g.Option = new(int)
		err = d.integer(v, g.Option, "gold.option")
	case "all":
		g.All, err = d.texts(v, "gold.all")
	case "value":
		g.Texts = make([]string, 1)
		g.Texts[0], err = d.text(v, "gold.value")
	case "tolerance":
		g.Tolerance, err = d.text(v, "gold.tolerance")
	case "significant":
		if err = d.integer(v, &g.Significant, "gold.significant"); err == nil && g.Significant == 0 {
			err = d.faultf(v.Line, "gold.significant is 0; want a number of digits from 1")
		}
	case "range":
		g.Range, err = d.ends(v)
	}
	return err
}

// text reads a value that may not be empty.
func (d *decoder) text(n *strictyaml.Node, what string) (string, error) {
	if n.Kind != strictyaml.Scalar || n.Text == "" {
		return "", d.faultf(n.Line, "%s must be a value, not %s", what, describe(n))
	}
	return n.Text, nil
}

// ends reads the two ends of a range.
func (d *decoder) ends(n *strictyaml.Node) ([]string, error) {
	if n.Kind != strictyaml.List || len(n.Items) != 2 {
		return nil, d.faultf(n.Line,
			"gold.range must be a list of two numbers, the lowest and the highest that is right, as [40, 45]")
	}
	var ends []string
	for _, item := range n.Items {
		end, err := d.text(item, "an end of gold.range")
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	return ends, nil
}

// isGold reports whether an object in a cell is a gold that is written as keys and values, and not some text.
func isGold(n *strictyaml.Node) bool {
	return slices.ContainsFunc(n.Keys, func(k strictyaml.Key) bool { _, ok := goldKeys[k.Name]; return ok })
}

func describe(n *strictyaml.Node) string {
	if n.Kind == strictyaml.Scalar && n.Text == "" {
		return "an empty text"
	}
	return n.Kind.String()
}

// GoldOption returns the place of the reference answer among the options of the case, and false if it has no gold
// or is no choice.
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

// Answers returns right answers as texts: those of the gold, or the option that it points at; where each of several
// must be named, one text that names them; of a range, the number in its middle. Aliases are not among them.
func (c *Case) Answers() []string {
	if i, ok := c.GoldOption(); ok {
		return []string{c.Options[i]}
	}
	if n := len(c.Gold.All); n > 1 {
		return []string{strings.Join(c.Gold.All[:n-1], ", ") + " and " + c.Gold.All[n-1]}
	}
	if lo, hi, unit, ok := c.Gold.Interval(); ok && len(c.Gold.Range) > 0 {
		return []string{strings.TrimSpace(decimal(new(big.Rat).Mul(new(big.Rat).Add(lo, hi), big.NewRat(1, 2))) + " " +
			unit)}
	}
	return c.Gold.Texts
}

// GoldText returns the gold as people and judges read it: "Paris | Lutetia", "each of: Simon, Garfunkel", "42.5 ±
// 0.5", "from 40 to 45", or an option's text; "" where there is none. Aliases are not in it.
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
		return g.Texts[0] + " to " + figure.Counted(g.Significant, "significant digit")
	}
	return strings.Join(g.Texts, " | ")
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

// A decoder fills the structs of this package from the values of a file.
type decoder struct{ file string }

var (
	goldType    = reflect.TypeFor[Gold]()
	weightsType = reflect.TypeFor[Weights]()
)

func (d *decoder) faultf(line int, format string, args ...any) error {
	return strictyaml.Faultf(d.file, line, format, args...)
}

// decode fills what into points to from n. What is its name for messages: "case" or "suite".
func (d *decoder) decode(n *strictyaml.Node, into any, what string) error {
	s := &strictyaml.Decoder{File: d.file, Special: d.special}
	if what == "case" {
		s.Also = columnNames()
	}
	return s.Decode(n, into, what)
}

// special reads golds and whole numbers, and lets an axis without a weight keep its own.
func (d *decoder) special(n *strictyaml.Node, v reflect.Value, what string) (taken bool, err error) {
	switch {
	case n.Kind == strictyaml.Null:
		return false, nil
	case v.Type() == goldType:
		g, err := d.gold(n)
		v.Set(reflect.ValueOf(g))
		return true, err
	case v.Type() == weightsType:
		v.Set(reflect.ValueOf(DefaultWeights))
	case v.Kind() == reflect.Int:
		var i int
		err := d.integer(n, &i, what)
		v.SetInt(int64(i))
		return true, err
	}
	return false, nil
}

func (d *decoder) integer(n *strictyaml.Node, to *int, what string) error {
	i, err := strconv.Atoi(n.Text)
	if n.Kind != strictyaml.Scalar || err != nil || i < 0 {
		return d.faultf(n.Line, "%s must be a whole number from 0, not %q", what, n.Text)
	}
	*to = i
	return nil
}

// key is a key that a column, or another form of a case, stands for.
func key(name string, line int) strictyaml.Key { return strictyaml.Key{Name: name, Line: line} }
