package suitecheck

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
)

func parsed(t *testing.T, name, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checked(t *testing.T, name, text string) *Checked {
	t.Helper()
	d, err := Check(t.Context(), name, parsed(t, name, text), Options{Seed: 1, Mutants: -1, HalfWidth: .03, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const faulty = `suite: {name: s, cluster: entity}
cases:
  - {id: a, class: multi-hop, domain: civic, prompt: "What is the capital of France?", gold: Paris, tags: ["entity:f"]}
  - {id: b, class: multi-hop, domain: cultural, prompt: "what is the capital of France", gold: Lyon, tags: ["entity:f"]}
  - {id: c, class: negation, domain: civic, prompt: "How many moons does the planet Mars have in all, please?", gold: 2}
  - {id: d, prompt: "How many moons does the planet Mars have in all?", gold: 2}
  - {id: e, prompt: "How many moons does the planet Venus have in all?", gold: 0}
  - {id: f, prompt: "Which town is it?", oracle: {type: program, expression: "false", accept: [Rome]}}
  - {id: g, prompt: "Which town was it?", oracle: {type: program, expression: "true", accept: [Bonn]}}
`

// TestCheck looks through a suite with one of every fault.
func TestCheck(t *testing.T) {
	d := checked(t, "s.yaml", faulty)
	c := d.Coverage
	if !slices.Equal(c.Classes, []string{"multi-hop", "negation", ""}) ||
		!slices.Equal(c.Domains, []string{"civic", "cultural", ""}) ||
		fmt.Sprint(c.Cells) != "[[1 1 0] [1 0 0] [0 0 4]]" || fmt.Sprint(c.Gaps) != "[{negation cultural}]" ||
		len(c.Missing) != len(suite.Classes)-2 {
		t.Errorf("coverage %+v", c)
	}
	if d.Clusters != (Clusters{"entity", 6, 2}) || d.Size.N != 6 {
		t.Errorf("clusters %+v, size of %d", d.Clusters, d.Size.N)
	}
	same := d.Duplicates.Identical
	if len(same) != 1 || !same[0].Conflict || fmt.Sprint(same[0].Cases) != "[s.yaml:3 s.yaml:4]" {
		t.Errorf("identical %+v", same)
	}
	// c and d differ in "please"; d and e in a name, which makes another question of it; f and g in 2 of 5 words
	near := d.Duplicates.Near
	if len(near) != 1 || near[0].Conflict || fmt.Sprint(near[0].Cases) != "[s.yaml:5 s.yaml:6]" ||
		near[0].Shared != 10./11 {
		t.Errorf("near %+v", near)
	}
	g := d.Golds
	if g.Cases != 7 || g.Rejected != 1 || g.Ungradable != 0 || g.Bare != 1 || len(g.Found) != 2 ||
		g.Found[0].Place != "s.yaml:8" ||
		!strings.Contains(g.Found[0].Remedy, "contradicts itself") {
		t.Errorf("golds %+v", g)
	}
	want := []string{"1 gold alone is not called correct by its own oracle", "1 question stands more than once",
		"1 oracle kills none of its mutants"}
	if !slices.Equal(d.Faults, want) {
		t.Errorf("faults %q", d.Faults)
	}
	var b strings.Builder
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"gap: negation: no case in cultural",
		"2 times: s.yaml:3, s.yaml:4; their golds differ",
		"s.yaml:9: the oracle kills none of 1 mutants", "fault: 1 question stands more than once",
		`s.yaml:8: "Rome" is incorrect (program: rejected); the case contradicts itself`,
		"The cases are 6 clusters (grouped by entity), the largest of 2"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the page lacks %q:\n%s", line, &b)
		}
	}
}

// TestPlainTable has one class, none, and no fault.
func TestPlainTable(t *testing.T) {
	d := checked(t, "q.csv",
		"id,question,gold\na,What is the capital of France?,Paris\nb,Which river is it on?,Seine\n")
	if fmt.Sprint(d.Coverage.Cells) != "[[2]]" || len(d.Coverage.Gaps)+len(d.Coverage.Missing) != 0 ||
		len(d.Faults) != 0 || d.Clusters != (Clusters{"", 2, 1}) {
		t.Errorf("%+v", d)
	}
	d = checked(t, "q.csv", "id,question\na,What is it?\n")
	if d.Golds.Cases != 0 || d.Mutation.Tested != 0 || len(d.Faults) != 0 {
		t.Errorf("without golds: %+v", d)
	}
}

// TestSize has figures of `hallmark plan`. By hand: at a rate of one half no interval is wider than at k = n/2, so that
// n is the least with z/(2 sqrt(n + z²)) <= .03: 1.959964² (1/(4 .0009) - 1) = 1063.2.
func TestSize(t *testing.T) {
	s, err := size(1064, Options{HalfWidth: .03, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	last := s.Rates[len(s.Rates)-1]
	if last.Base != .5 || last.Needs != 1064 || math.Abs(*last.Half-.0299890) > 1e-6 || *last.Fall < .04 ||
		*last.Fall > .05 {
		t.Errorf("%+v: half %v, fall %v", last, *last.Half, *last.Fall)
	}
	s, err = size(0, Options{HalfWidth: .03, Level: .95})
	if err != nil || s.Rates[0].Half != nil || s.Rates[0].Fall != nil {
		t.Errorf("no cases: %+v, %v", s, err)
	}
}

// TestNear finds the pairs that comparing each with each finds.
func TestNear(t *testing.T) {
	rng := seed.Stream(1, "near")
	words := strings.Fields("a b c d e f g h i j k l m n o p")
	for range 200 {
		var all []*question
		for i := range 30 {
			text := slices.Clone(words[:4+rng.IntN(12)])
			for range rng.IntN(4) {
				text[rng.IntN(len(text))] = words[rng.IntN(len(words))]
			}
			all = append(all, newQuestion(i, &suite.Case{Prompt: strings.Join(text, " ")}))
		}
		want, got := map[[2]int]bool{}, map[[2]int]bool{}
		for i, a := range all {
			for _, b := range all[:i] {
				if _, ok := alike(b, a); ok {
					want[[2]int{b.at, a.at}] = true
				}
			}
		}
		near(all, func(a, b *question, _ float64) { got[[2]int{a.at, b.at}] = true })
		if len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("found %v, want %v", got, want)
		}
	}
}

// TestSiblings are questions of one form about other things: no two are nearly the same.
func TestSiblings(t *testing.T) {
	d := checked(t, "q.csv", "id,question,gold\n"+
		"a,\"Tell me please: how much is twelve plus seven, in words?\",nineteen\n"+
		"b,\"Tell me please: how much is twelve plus eight, in words?\",twenty\n"+
		"c,\"Tell me please: how much is 7 plus 7 plus 3, in all?\",17\n"+
		"d,\"Tell me please: how much is 7 plus 3 plus 3, in all?\",13\n"+
		"e,\"Tell me whether of these two towns Rome is larger than Bonn, or not\",yes\n"+
		"f,\"Tell me whether of these two towns Bonn is larger than Rome, or not\",no\n")
	if len(d.Duplicates.Near)+len(d.Duplicates.Identical) != 0 {
		t.Errorf("%+v", d.Duplicates)
	}
}

// TestToday refuses a case that asks about today where nobody says which day that is.
func TestToday(t *testing.T) {
	s := parsed(t, "s.yaml",
		"suite: {name: s}\ncases:\n  - {id: a, class: time-shift-role, prompt: Who heads it?, gold: Voss}\n")
	o := Options{HalfWidth: .03, Level: .95}
	_, err := Check(t.Context(), "s.yaml", s, o)
	if err == nil || !strings.Contains(err.Error(), `s.yaml:3: case "a" asks about today`) {
		t.Errorf("%v", err)
	}
	o.AsOf = "2026-11-01"
	if _, err := Check(t.Context(), "s.yaml", s, o); err != nil {
		t.Error(err)
	}
}

// Golds that hardly any answer gives are told, with how many: sentences, and texts that say that there is no answer.
func TestDoubtful(t *testing.T) {
	const long = "It is the number that comes of adding two and two together"
	d := checked(t, "q.csv", "id,question,answer\na,What is the capital of Chile?,N/A\nb,Who was it?,I don't know\n"+
		"c,What is 2 + 2?,"+long+"\nd,What is the capital of Peru?,Lima\ne,How many are left?,0\n"+
		"f,What is the capital of Italy? (Rome.),Rome\ng,Is 4 more than 3?,4\nh,What are limas?,Lima\n")
	want := []string{`q.csv:2: the gold "N/A" says that there is no answer; where not to answer is right, write decline: ` +
		`true in its place, else the answer; so is another`,
		`q.csv:4: the gold "It is the number that comes of adding tw…" is a sentence, and answers in other words could ` +
			`not be graded; shorten it to the words that answer, or name a judge (--judge)`,
		`q.csv:7: the gold "Rome" stands in its question; leave it out there, unless the question gives answers to ` +
			`choose from or the text that it asks about`}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("%q", d.Warnings)
	}
	if i := slices.IndexFunc(d.Golds.Found, func(g Gold) bool { return g.CaseID == "b" }); i < 0 ||
		!strings.Contains(d.Golds.Found[i].Remedy, "write decline: true") {
		t.Errorf("%+v", d.Golds.Found)
	}
	of := checked(t, "s.yaml", "suite: {name: s}\ncases:\n  - {id: a, prompt: Who was it?, decline: true}\n"+
		"  - {id: b, prompt: Why?, oracle: {type: exact, accept: ["+long+"]}}\n"+
		"  - {id: c, prompt: What is it?, gold: "+long+", options: ["+long+", Unknown]}\n")
	if len(of.Warnings) != 0 {
		t.Errorf("%q", of.Warnings)
	}
}
