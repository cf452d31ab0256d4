package assay

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/model"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/stat"
)

// A mover answers by the rules below, so that each kind of variant does what a test expects of it.
type mover struct {
	id     string
	orders bool // the order of the demonstrations changes its answer
}

func (m mover) Identity() string { return m.id }

// Generate answers a wording that begins with "say" in capitals, and "moved" where the first demonstration is not the
// file's. Options get one token a letter, of -1 each for the second and -2 for others.
func (m mover) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if len(req.Options) > 0 {
		var scores []model.OptionScore
		for i, o := range req.Options {
			lp := -2.
			if i == 1 {
				lp = -1
			}
			s := model.OptionScore{}
			for range len(strings.TrimSpace(o)) {
				s.LogProbs = append(s.LogProbs, lp)
			}
			scores = append(scores, s)
		}
		return model.Response{Options: scores}, nil
	}
	text := "paris"
	switch {
	case strings.HasPrefix(req.Prompt, "gone"):
		return model.Response{}, errors.New("gone")
	case m.orders && len(req.Messages) > 0 && req.Messages[0].Text != "1?":
		text = "moved"
	case strings.HasPrefix(req.Prompt, "say"):
		text = "PARIS"
	case req.Temperature > 0 && *req.Seed%2 == 0:
		text = "lyon"
	}
	return model.Response{Text: &text}, nil
}

const moving = `suite: {name: moving, version: "1"}
cases:
  - {id: a, prompt: ask a, phrasings: [say a, say a again], gold: Paris, demonstrations: [{input: "1?", label: x}, {input: "2?", label: y}, {input: "3?", label: z}]}
  - {id: b, prompt: ask b, phrasings: [say b], gold: Paris, demonstrations: [{input: "1?", label: x}, {input: "2?", label: y}, {input: "3?", label: z}]}
`

func evaluated(t *testing.T, p *Plan, models ...model.Model) *Assay {
	t.Helper()
	store := inmemory.New()
	p.Models = nil
	for _, m := range models {
		one := *p
		one.Models = []UnderTest{{Ref: m.Identity(), Identity: m.Identity()}}
		execute(t, &one, m, store)
		p.Models = append(p.Models, one.Models[0])
	}
	return evaluate(t, p, store)
}

// The kinds of variants stand apart: wordings change nothing but the case of letters, orders change the answers.
func TestFamiliesOfARun(t *testing.T) {
	p := plan(read(t, "moving.yaml", moving))
	p.Variants = []prompt.Spec{{Kind: prompt.Phrasings}, {Kind: prompt.Demonstrations, N: 5}}
	m := evaluated(t, p, mover{"m", true}).Document.Models[0]
	f := m.Families
	if f == nil || len(f.Ranking) != 2 || f.Ranking[0].Family != "demonstrations" || f.CommonR != 2 ||
		len(f.Differences) != 1 {
		t.Fatalf("families are %s", bytesOf(t, f))
	}
	// Of the five other orders of three, four begin with another demonstration; with the default, two answers "paris"
	// and four "moved": 1 + 6 pairs of 15 agree.
	if d := f.Ranking[0]; math.Abs(d.Disagreement.Value-8./15) > 1e-12 || math.Abs(d.Changed.Value-.8) > 1e-12 ||
		d.Questions != 2 {
		t.Errorf("orders: %s", bytesOf(t, d))
	}
	if w := f.Ranking[1]; w.Disagreement.Value != 0 || w.Changed.Value != 0 ||
		w.Variants != (consistency.Extremes{Min: 2, Max: 3}) {
		t.Errorf("wordings: %s", bytesOf(t, w))
	}
	// Letter by letter the wordings differ: of a's eight answers 2 are paris, 2 PARIS and 4 moved; of b's seven 2, 1
	// and 4.
	if raw := m.Contrast.RawStrings; math.Abs(raw.SemanticStability.Value-(4./8+4./7)/2) > 1e-12 ||
		raw.Ambiguity.Value != 1 {
		t.Errorf("raw strings: %s", bytesOf(t, raw))
	}
	if ss := m.Consistency.SemanticStability.Value; math.Abs(ss-(4./8+4./7)/2) > 1e-12 {
		t.Errorf("semantic stability is %v", ss)
	}
	if len(m.Consistency.Taus) < 3 || m.Contrast.Perplexity != nil || m.Contrast.PassAtK != nil {
		t.Errorf("contrast %s", bytesOf(t, m.Contrast))
	}
}

// Draws give pass@k: its first is the accuracy of the draws.
func TestPassAtOfARun(t *testing.T) {
	p := plan(read(t, "moving.yaml", moving))
	p.Sampled, p.Repeats = 6, 1
	m := evaluated(t, p, mover{id: "m"}).Document.Models[0]
	pass := m.Contrast.PassAtK
	if len(pass) != 3 || pass[0].Value != m.ConsistencySampled.Accuracy.Value || pass[2].K != 5 ||
		pass[2].Value < pass[1].Value || pass[0].Cases != 2 {
		t.Errorf("%s at an accuracy of %v", bytesOf(t, pass), m.ConsistencySampled.Accuracy.Value)
	}
	if m.ConsistencySampled.OldTerms != nil {
		t.Error("draws have a default prompt")
	}
}

// The perplexity of scored options is that of the ones that won: the second, at -1 a token.
func TestPerplexityOfARun(t *testing.T) {
	text := "suite: {name: choices, version: \"1\"}\ncases:\n"
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		text += "  - {id: " + id + ", prompt: " + id + "?, phrasings: [or " + id +
			"?], options: [xx, yyyy], gold: {option: 1}}\n"
	}
	p := plan(read(t, "choices.yaml", text))
	c := evaluated(t, p, mover{id: "m"}).Document.Models[0].Contrast
	if c == nil || c.Perplexity == nil {
		t.Fatalf("%s", bytesOf(t, c))
	}
	x := c.Perplexity
	if x.Cases != 6 || x.Tokens != 24 || math.Abs(*x.PerToken-math.E) > 1e-12 || math.Abs(x.Median.Value-math.E) > 1e-12 ||
		x.Median.Lo > x.Median.Hi || len(x.Warnings) != 0 {
		t.Errorf("%s", bytesOf(t, x))
	}
	if c.RawStrings != nil && c.RawStrings.Ambiguity.Value != 0 {
		t.Errorf("%s", bytesOf(t, c.RawStrings))
	}
	p.Limit = 5
	if x := evaluated(t, p, mover{id: "m"}).Document.Models[0].Contrast.Perplexity; x.Median != nil ||
		len(x.Warnings) != 1 || *x.PerToken == 0 {
		t.Errorf("of five: %s", bytesOf(t, x))
	}
}

// Two models on two suites: four cells, ambiguity at the fewest variants of all, a trend of each suite.
func TestGrid(t *testing.T) {
	p := plan(read(t, "moving.yaml", moving),
		read(t, "other.yaml", strings.ReplaceAll(strings.ReplaceAll(moving, "name: moving", "name: other"), "gold: Paris",
			"gold: Rome")))
	p.Variants, p.Repeats = []prompt.Spec{{Kind: prompt.Phrasings}, {Kind: prompt.Demonstrations, N: 5}}, 1
	g := evaluated(t, p, mover{"still", false}, mover{"moving", true}).Document.Grid
	if g == nil || len(g.Cells) != 4 || g.CommonR != 7 || len(g.Trends) != 2 || len(g.Warnings) != 0 {
		t.Fatalf("%s", bytesOf(t, g))
	}
	for i, want := range []struct {
		model, suite       string
		ambiguity, at, old float64
	}{{"still", "moving", 0, 0, 1}, {"still", "other", 0, 0, 0}, {"moving", "moving", 1, 1, 1},
		{"moving", "other", 1, 1, 0}} {
		c := g.Cells[i]
		if c.Model != want.model || c.Suite != want.suite || c.Ambiguity.Value != want.ambiguity ||
			c.AmbiguityAtR.Value != want.at || c.OldTerms.Factual.Value != want.old || c.AmbiguityAtR.R != 7 {
			t.Errorf("cell %d: %s", i, bytesOf(t, c))
		}
	}
	if s := g.Trends[1].Sentence; !strings.Contains(s, "On other ") ||
		!strings.Contains(s, "do not show which of the two is larger for still, moving") {
		t.Errorf("trend %q", s)
	}
	p.CommonR = 8
	if g := evaluated(t, p, mover{"still", false}, mover{"moving", true}).Document.Grid; g.CommonR != 0 ||
		g.Cells[0].AmbiguityAtR != nil || len(g.Warnings) != 1 {
		t.Errorf("at eight: %s", bytesOf(t, g))
	}
	p.Suites = p.Suites[:1]
	if g := evaluated(t, p, mover{"still", false}).Document.Grid; g != nil {
		t.Errorf("one model on one suite: %s", bytesOf(t, g))
	}
}

// A trend is only said where every interval bears it.
func TestTrend(t *testing.T) {
	cell := func(model string, stays, moves float64) GridCell {
		around := func(x float64) *stat.Estimate { return &stat.Estimate{Value: x, Lo: x - .05, Hi: x + .05} }
		return GridCell{Model: model, Suite: "s",
			TaxonomyIntervals: &consistency.Taxonomy[*stat.Estimate]{Factual: around(.2), Error: around(stays),
				Randomness: around(moves)}}
	}
	for _, tt := range []struct {
		cells []GridCell
		want  string
	}{
		{[]GridCell{cell("a", .6, .2), cell("b", .5, .3)}, "On s stable errors outweigh randomness for all 2 models."},
		{[]GridCell{cell("a", .2, .6)}, "On s randomness outweighs stable errors for a."},
		{[]GridCell{cell("a", .2, .6), cell("b", .42, .38), cell("c", .6, .2)},
			"On s stable errors outweigh randomness for c; randomness outweighs stable errors for a; the data do not " +
				"show which of the two is larger for b."},
	} {
		g := Grid{Cells: tt.cells}
		if f, ok := g.trend("s"); !ok || f.Sentence != tt.want {
			t.Errorf("%q, want %q", f.Sentence, tt.want)
		}
	}
}

// Each harm that occurs is said with its own cure, and neither with the other's.
func TestHarms(t *testing.T) {
	at := func(x, by float64) *stat.Estimate { return &stat.Estimate{Value: x, Lo: x - by, Hi: x + by} }
	result := func(stays, moves, by, sd float64) *SuiteResult {
		return &SuiteResult{Consistency: &consistency.Result{
			Ambiguity: at(.6, .05), Accuracy: &consistency.Accuracy{Average: stat.Average{Value: .4}, SD: sd},
			Taxonomy: &consistency.Taxonomy[float64]{},
			TaxonomyIntervals: &consistency.Taxonomy[*stat.Estimate]{Factual: at(1-stays-moves, by), Error: at(stays, by),
				Randomness: at(moves, by)},
		}}
	}
	for _, tt := range []struct {
		name         string
		r            *SuiteResult
		stays, moves int    // findings with each cure
		says         string // in some sentence
	}{
		{"stays", result(.5, .1, .05, .2), 1, 1, "mostly stable"},
		{"moves", result(.1, .5, .05, .2), 1, 1, "mostly random"},
		{"open", result(.3, .3, .2, .2), 1, 1, "do not show which are more frequent"},
		{"no error", result(0, .5, .05, .2), 0, 1, "mostly random"},
		{"neither", result(0, 0, .05, .01), 0, 0, "one standard deviation is 1 points"},
		{"nothing random", result(.5, 0, .05, .2), 1, 0, "mostly stable"},
		{"steady accuracy", result(.1, .5, .05, .01), 1, 1, "Accuracy varies little over the prompt variants (one standard " +
			"deviation is 1 points), but 60 % [55, 65] of questions"},
	} {
		stays, moves, says := 0, 0, false
		for _, f := range findings(tt.r, false) {
			if f.Advice == cureStays {
				stays++
			}
			if f.Advice == cureSensitive {
				moves++
			}
			says = says || strings.Contains(f.Sentence, tt.says)
		}
		if stays != tt.stays || moves != tt.moves || !says {
			t.Errorf("%s: %d and %d cures, says %q: %v", tt.name, stays, moves, tt.says, says)
		}
	}
	f := &consistency.Families{
		Ranking: []consistency.FamilyResult{{Family: "options", Disagreement: at(.5, .1)},
			{Family: "phrasings", Disagreement: at(.2, .1)}},
		Differences: []consistency.FamilyDifference{{Family: "options", Less: "phrasings", Difference: at(.3, .1)}},
	}
	if out := findings(&SuiteResult{Families: f}, false); len(out) != 0 {
		t.Errorf("undecided: %+v", out)
	}
	f.ChangesMost = "options"
	if out := findings(&SuiteResult{Families: f}, false); len(out) != 1 || !strings.Contains(out[0].Sentence,
		"kind options change the answers most: two of them disagree on a question with chance 50 % [40, 60]") ||
		!strings.Contains(out[0].Sentence, "than phrasings by 30 points [20, 40]") {
		t.Errorf("decided: %+v", out)
	}
}

// Templates are grouped by the part of the prompt that they change, other variants by their kind.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		v    prompt.Variant
		want string
	}{
		{prompt.Variant{Kind: prompt.Templates, Family: prompt.Separators}, "templates: separators"},
		{prompt.Variant{Kind: prompt.Options, Family: prompt.Order}, "options"},
		{prompt.Variant{Kind: prompt.Demonstrations, Family: prompt.Order}, "demonstrations"},
	} {
		if got := groupOf(&tt.v).String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	text := strings.ReplaceAll(moving, "prompt: ask", "form: qa, prompt: ask")
	p := plan(read(t, "moving.yaml", text))
	p.Variants = []prompt.Spec{{Kind: prompt.Phrasings}, {Kind: prompt.Templates, N: 12}}
	p.Repeats = 1
	f := evaluated(t, p, mover{id: "m"}).Document.Models[0].Families
	groups := 0
	for _, r := range f.Ranking {
		if strings.HasPrefix(r.Family, "templates: ") {
			groups++
		}
	}
	if groups < 2 || len(f.Ranking) != groups+1 {
		t.Errorf("%s", bytesOf(t, f.Ranking))
	}
}
