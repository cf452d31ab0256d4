package method

import (
	"encoding/json"
	"testing"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// listed is a method that has a catalogue and nothing else.
type listed struct {
	Method
	figures string
}

func (l listed) Figures() []figure.Entry { return figure.Read(l.figures) }

// told is a result that tells the values of cases of one of its figures.
type told struct {
	Share *stat.Estimate                       `json:"share"`
	Mean  *stat.Rate                           `json:"mean"`
	By    map[string]map[string]*stat.Estimate `json:"by"`
	More  struct {
		stat.Estimate
		Deep *stat.Estimate `json:"deep"`
	} `json:"more"`
	Count  int            `json:"count"`
	Bare   float64        `json:"bare"`
	BareIn *stat.Estimate `json:"bare_in"`

	cases []CaseValue
}

func (r *told) ByCase(path ...string) []CaseValue {
	if path[0] == "share" {
		return r.cases
	}
	return nil
}

const catalogue = `
	share | share | a share
	count | count | a count
	by/*/* | mean | * of *
	more | share | a share with more beside it
	more/deep | share | what lies beneath it
	bare | mean | a mean whose interval stands apart | | bare_in
	mean | share | another
`

func some(value float64) *stat.Estimate {
	return &stat.Estimate{Value: value, Lo: value - .1, Hi: value + .1, N: 10}
}

func results() (base, other *told) {
	base, other = &told{Share: some(.5), Mean: some(.2).Rate(), Count: 3, Bare: .7, BareIn: some(.7),
		By: map[string]map[string]*stat.Estimate{"x": {"y": some(.3)}}}, &told{Share: some(.6),
		By: map[string]map[string]*stat.Estimate{"x": {"y": some(.4), "z": some(.8)}}}
	base.More.Estimate, base.More.Deep = *some(.1), some(.1)
	for id, was := range map[string]float64{"a": 1, "b": 0, "c": 1} {
		base.cases = append(base.cases, CaseValue{id, 0, was})
		other.cases = append(other.cases, CaseValue{id, 0, 1})
	}
	return base, other
}

// What is compared is what the catalogue has an estimate of in one of the results; each is at its path, and nothing is
// said of a difference where no values of cases are told.
func TestCompare(t *testing.T) {
	base, other := results()
	got, err := json.Marshal(Compare(listed{figures: catalogue}, base, other, nil, .95))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Share, Mean, More, Bare *Change
		By                      map[string]map[string]*Change
		Count                   any
	}
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	want := stat.ShareByCluster([]float64{1, 0, 1}, nil, .95)
	if c := doc.Share; !c.Paired || c.N != 3 || c.Base.Lo != want.Lo || c.Other.Value != 1 || *c.P != 1 || *c.PHolm != 1 {
		t.Errorf("told by case: %s", got)
	}
	if c := doc.By["x"]["y"]; c.Paired || c.Base.Value != .3 || c.Other.Value != .4 || c.Difference != nil || c.P != nil {
		t.Errorf("not told by case: %s", got)
	}
	if c := doc.By["x"]["z"]; c.Base != nil || c.Other.Value != .8 || doc.Mean.Other != nil || doc.More.Other != nil ||
		doc.Bare.Base.Value != .7 || doc.Count != nil {
		t.Errorf("what one of the runs lacks, and what is no estimate: %s", got)
	}
}

// Of several runs there is the estimate of each.
func TestBeside(t *testing.T) {
	base, other := results()
	got := Beside(listed{figures: "by/*/* | mean | * of *"}, []Result{base, other, base})
	of, ok := got["by"].(Figures)["x"].(Figures)["z"].(PerRun)
	if !ok || len(of) != 3 || of[0] != nil || of[1].Value != .8 || of[2] != nil {
		t.Errorf("%v", got)
	}
}

// Before a run it is known what has no name in its path that the run gives.
func TestShape(t *testing.T) {
	shape := Shape(listed{figures: catalogue}).(Figures)
	if _, ok := shape["share"].(*Change); !ok {
		t.Errorf("no change of a figure: %v", shape)
	}
	if by, ok := shape["by"]; !ok || by != nil {
		t.Errorf("of names that a run gives %v is known", by)
	}
	if s := Shape(listed{figures: "*/mean | mean | mean of *"}); s != nil {
		t.Errorf("%v is known of a result that is a map", s)
	}
}
