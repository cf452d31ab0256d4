package assay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/stat"
)

// A coin answers every prompt as its table does when decoded greedily; where it is sampled, every second draw of a
// prompt that begins with "c" is another answer.
type coin struct {
	modeltest.Table
	mu    *sync.Mutex
	draws map[string]int
}

func (m coin) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if req.Temperature > 0 && strings.HasPrefix(req.Prompt, "c") {
		m.mu.Lock()
		m.draws[req.Prompt]++
		n := m.draws[req.Prompt]
		m.mu.Unlock()
		if n%2 == 0 {
			text := "Pisa"
			return model.Response{Text: &text}, nil
		}
	}
	return m.Table.Generate(ctx, req)
}

const split = `suite: {name: split, version: "1", designed: {coin: prompt_agnostic_factual, known: prompt_agnostic_factual}}
cases:
  - {id: c, tags: [coin, all], prompt: c0, phrasings: [c1, c2], gold: Paris}
  - {id: d, tags: [coin, all], prompt: c3, phrasings: [c4, c5], gold: Oslo}
  - {id: k, tags: [known, all], prompt: p0, phrasings: [p1, p2], gold: Paris}
  - {id: m, tags: [all], prompt: cr, phrasings: [r1, r2], gold: Oslo}
  - {id: gone, tags: [all], prompt: t0, phrasings: [t1, t2], gold: Bern}
`

// Two of four cases agree over the prompt variants and are split when drawn; a third moves with the wording, and is
// split too, so that greedy consistency sees it; of the fifth there is no draw.
func TestUnseenByGreedy(t *testing.T) {
	m := coin{modeltest.Table{"c0": "Paris", "c1": "Paris", "c2": "Paris", "c3": "Rome", "c4": "Rome", "c5": "Rome",
		"cr": "Oslo"}, new(sync.Mutex), map[string]int{}}
	for prompt, text := range answers {
		m.Table[prompt] = text
	}
	p, store := plan(read(t, "split.yaml", split)), inmemory.New()
	p.Sampled, p.Repeats = 6, 1
	execute(t, p, m, store)
	result := evaluate(t, p, store).Document.Models[0]
	u := result.ConsistencySampled.UnseenByGreedy
	if u.Cases != 4 || u.Stable != 3 || u.Split != 2 || u.Share.Value != .5 || u.OfStable.Value != 2./3 {
		t.Errorf("unseen by greedy: %s, want 2 of 4, of 3 stable", bytesOf(t, u))
	}
	for tag, want := range map[string][3]int{"coin": {2, 2, 2}, "known": {1, 1, 0}, "all": {4, 3, 2}} {
		if g := u.ByTag[tag]; [3]int{g.Cases, g.Stable, g.Split} != want {
			t.Errorf("tag %s: %+v, want cases, stable, split %v", tag, g, want)
		}
	}
	for _, d := range result.Designed {
		want := map[string]float64{"coin": 1, "known": 0}[d.Category]
		if d.UnseenByGreedy == nil || d.UnseenByGreedy.Value != want {
			t.Errorf("designed %s: %s, want %v unseen by greedy", d.Category, bytesOf(t, d), want)
		}
	}
	const sentence = "Greedy consistency overlooks 2 of 4 questions, 50 % [15, 85]: their greedy answers agree over the " +
		"prompt variants (self-consistency of at least 0.8), and their samples do not (below it)."
	found := false
	for _, f := range result.Findings {
		if f.Path == "consistency_sampled.unseen_by_greedy.share" {
			found = f.Sentence == sentence
			if !found {
				t.Errorf("the finding is %q, want %q", f.Sentence, sentence)
			}
		}
	}
	if !found {
		t.Error("no finding on what greedy consistency does not see")
	}
}

// unseenOf is a group of so many cases, of which some are stable, and of these some split.
func unseenOf(cases, stable, split int) UnseenGroup {
	var g UnseenGroup
	for i := range cases {
		g.add(consistency.Question{Stable: i < stable}, consistency.Question{Stable: i >= split})
	}
	return g.withShares()
}

// The finding names the tag where it lies above the rest.
func TestUnseenNamesTheWorstTag(t *testing.T) {
	u := &Unseen{unseenOf(100, 90, 20), map[string]UnseenGroup{
		"b-coin": unseenOf(20, 18, 18), "a-few": unseenOf(2, 2, 2),
		"known": unseenOf(80, 72, 2),
	}}
	if name, g, ok := worstTag(u); !ok || name != "b-coin" || g.Split != 18 {
		t.Errorf("the worst tag is %q, %+v; want b-coin, as two cases of a-few say less", name, g)
	}
	u.ByTag = map[string]UnseenGroup{"a-few": unseenOf(2, 2, 1)}
	if name, _, ok := worstTag(u); ok {
		t.Errorf("tag %s is named, which does not lie above the rest", name)
	}
	// 12 of 20 are above 20 of 100 by bounds of 95 % each, from .387 and to .289, and of a few tags; of thirty they
	// are not.
	u.ByTag = map[string]UnseenGroup{"some": UnseenGroup{Cases: 20, Stable: 18, Split: 12}.withShares()}
	if name, _, _ := worstTag(u); name != "some" {
		t.Error("the one tag is not named")
	}
	for i := range 30 {
		u.ByTag[fmt.Sprint("other", i)] = UnseenGroup{Cases: 20, Stable: 18, Split: 4}.withShares()
	}
	if name, _, ok := worstTag(u); ok {
		t.Errorf("tag %s is named, which of so many may lie above the rest by chance", name)
	}
}

// Of a question that was asked eighteen times, one case says what all do: the tag is not named.
func TestUnseenOfClusters(t *testing.T) {
	of := func(cluster int32) UnseenGroup {
		var g UnseenGroup
		for i := range 20 {
			g.add(consistency.Question{Stable: true, Standing: consistency.Standing{Cluster: cluster}},
				consistency.Question{Stable: i >= 18})
		}
		return g.withShares()
	}
	for cluster, want := range map[int32]bool{0: true, 1: false} {
		u := &Unseen{unseenOf(100, 90, 20), map[string]UnseenGroup{"coin": of(cluster)}}
		if name, _, ok := worstTag(u); ok != want {
			t.Errorf("cluster %d: %q, %v", cluster, name, ok)
		}
	}
}

// Most of a group fell where its design calls for by the exact test of one half, adjusted by Holm for the groups that
// call for something: p = 2/2^6.
func TestRecovered(t *testing.T) {
	of := func(hits ...[2]int) (groups []Designed, p []float64) {
		for _, h := range hits {
			groups = append(groups, Designed{N: h[1], AsDesigned: stat.Wilson(h[0], h[1], level).Known()})
			p = append(p, stat.McNemar(h[0], h[1]-h[0]))
		}
		return groups, stat.Holm(p)
	}
	one, p := of([2]int{6, 6})
	if recovered(one, p); one[0].Recovered == nil || !*one[0].Recovered || *one[0].PHolm != 2./64 {
		t.Errorf("6 of 6, alone: %v, p %v", one[0].Recovered, *one[0].PHolm)
	}
	many, p := of([2]int{6, 6}, [2]int{4, 5}, [2]int{0, 20}, [2]int{20, 20})
	many = slices.Insert(many, 1, Designed{N: 3}) // calls for nothing
	recovered(many, p)
	for i, want := range []any{nil, nil, nil, false, true} {
		var got any
		if r := many[i].Recovered; r != nil {
			got = *r
		}
		if got != want {
			t.Errorf("group %d: %v, want %v", i, got, want)
		}
	}
}

// The figure is absent where one of the two was not measured or nothing was decoded greedily, and stands in a document
// of which nothing was asked.
func TestUnseenNeedsBoth(t *testing.T) {
	for _, tt := range []struct {
		suite   string
		sampled int
		refuses bool // temperature 0
		want    string
	}{
		{split, 0, false, ""},
		{split, 4, true, ""},
		{"cases:\n  - {id: a, prompt: p0, gold: Paris}\n", 4, false, ""},
		{"cases:\n  - {id: a, tags: [moved], prompt: p0, phrasings: [p1], gold: Paris}\n", 4, false,
			`{"cases":0,"stable":0,"split":0,"share":null,"of_stable":null,"by_tag":{"moved":{"cases":0,"stable":0,"split":0,"share":null,"of_stable":null}}}`},
	} {
		p := plan(read(t, "s.yaml", tt.suite))
		p.Sampled, p.Models[0].Sampling = tt.sampled, tt.refuses
		a, err := Shape(t.Context(), p, "test")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if d := a.Document.Models[0].ConsistencySampled; d != nil && d.UnseenByGreedy != nil {
			b, err := json.Marshal(d.UnseenByGreedy)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if got != tt.want {
			t.Errorf("%d draws: %s, want %s", tt.sampled, got, tt.want)
		}
	}
}
