package figure

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/stat"
)

type inner struct {
	Sum   float64        `json:"sum"`
	Known *stat.Estimate `json:"known"`
	Same  string         `json:"same"`
}

type deeper struct {
	Deep *stat.Rate `json:"deep,omitempty"`
	Same int        `json:"same"`
}

// everything has a member of each kind that results have.
type everything struct {
	inner
	*deeper
	N        int               `json:"n"`
	Small    uint8             `json:"small,omitempty"`
	Text     string            `json:"text,omitempty"`
	Yes      bool              `json:"yes"`
	Maybe    *bool             `json:"maybe"`
	List     []inner           `json:"list"`
	Few      []string          `json:"few,omitempty"`
	Pair     [2]float64        `json:"pair"`
	By       map[string]*inner `json:"by,omitempty"`
	ByN      map[int]float64   `json:"by_n"`
	Any      any               `json:"any"`
	Zero     stat.Estimate     `json:"zero,omitzero"`
	Below    float64           `json:"below_0.5"`
	Hidden   int               `json:"-"`
	Untagged float64
	unseen   int
}

var some = rapid.Custom(func(t *rapid.T) everything {
	number := rapid.Float64Range(-1e9, 1e9)
	in := rapid.Custom(func(t *rapid.T) inner {
		i := inner{Sum: number.Draw(t, "sum"), Same: rapid.String().Draw(t, "same")}
		if rapid.Bool().Draw(t, "known") {
			i.Known = &stat.Estimate{Value: number.Draw(t, "value"), Lo: -1, Hi: 2, N: 3, Warnings: []string{"few"}}
		}
		return i
	})
	e := everything{
		inner: in.Draw(t, "inner"), N: int(rapid.Int32().Draw(t, "n")), Small: rapid.Uint8().Draw(t, "small"),
		Yes: rapid.Bool().Draw(t, "yes"), Untagged: number.Draw(t, "untagged"),
		Text: rapid.String().Draw(t, "text"), List: rapid.SliceOfN(in, 0, 3).Draw(t, "list"), Pair: [2]float64{1, 2},
		Below: .25, Hidden: 1, unseen: 1,
		ByN: rapid.MapOfN(rapid.IntRange(-5, 5), number, 0, 3).Draw(t, "by n"),
	}
	if rapid.Bool().Draw(t, "more") {
		e.deeper = &deeper{Deep: &stat.Rate{Value: .5, Lo: .4, Hi: .6, N: 10}, Same: 4}
		e.Few, e.Maybe = []string{"x", ""}, &e.Yes
		e.By = map[string]*inner{"one.two": {Sum: 1}, "none": nil}
		e.Any = []any{e.inner, 3, nil, "x"}
		e.Zero = stat.Estimate{Value: 1}
	}
	return e
})

// A tree has at every path what JSON has there, and nothing else.
func TestTreeIsAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := some.Draw(t, "result")
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range []Tree{Of(e), Of(&e)} {
			from := json.NewDecoder(bytes.NewReader(b))
			from.UseNumber()
			var want any
			if err := from.Decode(&want); err != nil {
				t.Fatal(err)
			}
			same(t, result, want)
		}
	})
}

// same holds a tree against what was read from JSON.
func same(t *rapid.T, got Tree, want any) {
	switch x := want.(type) {
	case nil:
		if got.Has() {
			t.Fatalf("%v: there is something where JSON has null", got.At())
		}
	case map[string]any:
		var names []string
		for name := range x {
			if x[name] != nil || got.Has(name) {
				names = append(names, name)
			}
			same(t, got.Sub(name), x[name])
		}
		slices.Sort(names)
		known := slices.DeleteFunc(got.Names(), func(name string) bool { return !got.Has(name) })
		if !slices.Equal(known, names) || got.Has("nothing of the kind") || got.Has("Hidden") || got.Has("unseen") {
			t.Fatalf("%v: members %q, JSON has %q", got.At(), known, names)
		}
	case []any:
		if got.Len() != len(x) || len(got.Items()) != len(x) || got.Has(strconv.Itoa(len(x))) || got.Has("-1") {
			t.Fatalf("%v: %d items, JSON has %d", got.At(), got.Len(), len(x))
		}
		for i, item := range got.Items() {
			same(t, item, x[i])
		}
	case json.Number:
		w, err := x.Float64()
		if n, ok := got.Number(); err != nil || !ok || n != w || got.Text() != "" {
			t.Fatalf("%v: %v, JSON has %v", got.At(), n, x)
		}
	case string:
		b, _ := json.Marshal(got.Text())
		if w, _ := json.Marshal(x); !bytes.Equal(b, w) {
			t.Fatalf("%v: %q, JSON has %q", got.At(), got.Text(), x)
		}
	case bool:
		if yes, there := got.Bool(); yes != x || !there {
			t.Fatalf("%v: %v, JSON has %v", got.At(), yes, x)
		}
	}
}

func TestEstimate(t *testing.T) {
	e := everything{inner: inner{Known: &stat.Estimate{Value: .5, N: 8}},
		deeper: &deeper{Deep: &stat.Rate{Value: .25, N: 4, Warnings: []string{"few"}}}}
	root := Of(&e)
	if x, name, ok := root.Estimate("known"); !ok || name != "estimate" || x.N != 8 || x.Value != .5 {
		t.Errorf("%+v as %q", x, name)
	}
	if x, name, ok := root.Estimate("deep"); !ok || name != "rate" || x.N != 4 || len(x.Warnings) != 1 {
		t.Errorf("%+v as %q", x, name)
	}
	for _, key := range []string{"sum", "maybe", "none", "zero"} {
		if _, _, ok := root.Estimate(key); ok {
			t.Errorf("%s is an estimate", key)
		}
	}
}

func TestFind(t *testing.T) {
	root := Of(everything{N: 2, Below: .25, By: map[string]*inner{"one.two": {Sum: 3}}, List: []inner{{Sum: 1}}})
	for path, want := range map[string]float64{"n": 2, "below_0.5": .25, "by.one.two.sum": 3, "list.0.sum": math.NaN(),
		"by.one": math.NaN(), "text": math.NaN(), "": math.NaN(), "by": math.NaN()} {
		got, ok := root.Find(split(path)).Number()
		if ok == math.IsNaN(want) || ok && got != want {
			t.Errorf("%q: %v, %v, want %v", path, got, ok, want)
		}
	}
}

func split(path string) (keys []string) {
	for key := range strings.SplitSeq(path, ".") {
		keys = append(keys, key)
	}
	return keys
}

// A cell is what stands at a path in full, and nothing where there is no number, text or truth value.
func TestCell(t *testing.T) {
	tree := Of(map[string]any{"f": .1, "n": 1000000, "u": uint8(7), "s": "a b", "yes": true, "none": nil,
		"list": []int{1}})
	for key, want := range map[string]string{"f": "0.1", "n": "1000000", "u": "7", "s": "a b", "yes": "true", "none": "",
		"list": "", "missing": ""} {
		if got := tree.Cell(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
