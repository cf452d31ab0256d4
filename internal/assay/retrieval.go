package assay

import (
	"errors"
	"maps"
	"runtime"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/parallel"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/retrieve"
)

// Searched says which passages are searched for every question, and how what is found is shown.
type Searched struct {
	Files     []string             `json:"files"`    // as the user wrote them; they decide nothing
	Passages  int                  `json:"passages"` // that can be found, or are kept from being
	Hash      string               `json:"hash"`     // of the passages in their order
	Method    string               `json:"method"`
	K         int                  `json:"k"`     // passages that are found; the best is shown
	Words     int                  `json:"words"` // of a question that are searched for, its last
	Form      prompt.RetrievedForm `json:"form"`
	Forbidden []string             `json:"forbidden,omitempty"` // titles and ids of passages that are never found
}

// A Retrieval is a search with what was found: so that a stored run needs no passages.
type Retrieval struct {
	Searched
	// Found holds the ids of what was found for each query, best first, and Shown the best passages by id.
	Found map[string][]string               `json:"found,omitempty"`
	Shown map[string]retrieve.TitledPassage `json:"shown,omitempty"`

	index *retrieve.Index // nil in a stored plan
}

// NewRetrieval returns the retrieval of a plan from an index.
func NewRetrieval(x *retrieve.Index, files []string, k int, form prompt.RetrievedForm, forbidden []string) *Retrieval {
	forbidden = slices.Clone(forbidden)
	slices.Sort(forbidden)
	return &Retrieval{Searched: Searched{
		Files: files, Passages: x.Len(), Hash: x.Hash(), Method: retrieve.Method, K: k, Words: prompt.QueryWords,
		Form: form, Forbidden: slices.Compact(forbidden),
	}, Found: map[string][]string{}, Shown: map[string]retrieve.TitledPassage{}, index: x}
}

// Searches has a stored search go on in an index, for questions that are yet to be made. The index must be of the
// same passages.
func (r *Retrieval) Searches(x *retrieve.Index) error {
	if x.Hash() != r.Hash {
		return errors.New("the passages are not those that were searched when the run was planned")
	}
	r.index = x
	return nil
}

// errUnsearched is what is wrong with a stored plan whose questions are no longer those that were searched.
var errUnsearched = errors.New("the stored run has no passages for some of its questions; run it again with --retrieve")

// find searches for the variants that were not searched for yet.
func (r *Retrieval) find(variants [][][]prompt.Variant) error {
	if r == nil {
		return nil
	}
	missing := map[string]bool{}
	for _, cases := range variants {
		for _, vs := range cases {
			for _, v := range vs {
				if q := prompt.Query(v); r.Found[q] == nil {
					missing[q] = true
				}
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if r.index == nil {
		return errUnsearched
	}
	queries := slices.Sorted(maps.Keys(missing))
	hits := make([][]retrieve.Hit, len(queries))
	parallel.Do(runtime.GOMAXPROCS(0), len(queries), func(i int) { hits[i] = r.index.Search(queries[i], r.K) })
	var best []int
	for i, q := range queries {
		ids := make([]string, len(hits[i])) // not nil: that nothing was found is known
		for j, h := range hits[i] {
			ids[j] = r.index.ID(h.Passage)
		}
		if r.Found[q] = ids; len(ids) > 0 {
			best = append(best, hits[i][0].Passage)
		}
	}
	passages, err := r.index.Passages(best)
	if err != nil {
		return err
	}
	for _, p := range passages {
		r.Shown[p.ID] = p
	}
	return nil
}

// top returns the passage that is shown with a variant, nil if none was found.
func (r *Retrieval) top(v prompt.Variant) *retrieve.TitledPassage {
	if r == nil {
		return nil
	}
	ids := r.Found[prompt.Query(v)]
	if len(ids) == 0 {
		return nil
	}
	return new(r.Shown[ids[0]])
}

// retrieved returns the ids of the passages that an answer rests on, best first: those that the plan found, else
// those that the model says it used; nil where that is not known.
func (p *Plan) retrieved(trial *trial) []string {
	if p.Retrieval != nil {
		return p.Retrieval.Found[prompt.Query(*trial.variant)]
	}
	if r := trial.response; r != nil {
		return r.Retrieved
	}
	return nil
}

// shown returns the passages that stand before the variants of a case, each once.
func (r *Retrieval) shown(trials []trial) []evidence.Passage {
	var out []evidence.Passage
	known := map[string]bool{}
	for i := range trials {
		if top := r.top(*trials[i].variant); top != nil && !known[top.ID] {
			known[top.ID] = true
			text := top.Text
			if top.Title != "" {
				text = top.Title + ": " + text
			}
			out = append(out, evidence.Passage{ID: top.ID, Text: text})
		}
	}
	return out
}

// supplied returns a suite as answers to it are graded: with the passages that were shown with any variant of a
// case in the case's context, so that a quotation from them is none from nowhere.
func (p *Plan) supplied(s *suite.Suite) (*suite.Suite, error) {
	if p.Retrieval == nil {
		return s, nil
	}
	asked := p.asked(s)
	variants, _, err := prompt.OfSuite(asked, p.Variants, p.Seed, p.given(s))
	if err != nil {
		return nil, err
	}
	if err := p.Retrieval.find([][][]prompt.Variant{variants}); err != nil {
		return nil, err
	}
	cases := s.Cases.Loose()
	for ci, vs := range variants {
		c := &cases[ci]
		own, shown := map[string]bool{}, map[string]bool{}
		for _, o := range c.Context {
			own[o.ID] = true
		}
		context := slices.Clone(c.Context)
		for _, v := range vs {
			top := p.Retrieval.top(v)
			if top == nil || shown[top.ID] {
				continue
			}
			shown[top.ID] = true
			id := top.ID
			if own[id] { // the case's own passage of that name is another one
				id += " (retrieved)"
			}
			context = append(context, evidence.Passage{ID: id, Text: top.Text})
		}
		c.Context = context
	}
	return s.With(suite.ListOf(cases)), nil
}

// RetrievalInfo says what was searched.
type RetrievalInfo struct {
	Searched
	Queries int `json:"queries"` // different ones
	Empty   int `json:"empty"`   // of them, those for which nothing was found
}

func (r *Retrieval) info() *RetrievalInfo {
	if r == nil {
		return nil
	}
	info := &RetrievalInfo{Searched: r.Searched, Queries: len(r.Found)}
	for _, ids := range r.Found {
		if len(ids) == 0 {
			info.Empty++
		}
	}
	return info
}
