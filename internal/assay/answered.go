package assay

import (
	"maps"
	"slices"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// answeredBy notes, of records as they are read, the names that servers gave their models, by the identity that was
// asked.
type answeredBy map[string]map[string]int

func (a answeredBy) note(_ run.Key, r *run.Record) {
	if r.Response == nil || r.Response.Model == "" {
		return
	}
	said := a[r.Call.Model]
	setIn(&said, r.Response.Model, said[r.Response.Model]+1)
	a[r.Call.Model] = said
}

// warnings says of each model of the plan that others answered for it, and which.
func (a answeredBy) warnings(p *Plan) (list []string) {
	subjects := slices.Clone(p.Models)
	for _, m := range p.Helpers() {
		subjects = append(subjects, *m)
	}
	if p.Equivalence != nil {
		subjects = append(subjects, p.Equivalence.Model)
	}
	done := map[string]bool{}
	for _, s := range subjects {
		if done[s.Identity] {
			continue
		}
		done[s.Identity] = true
		asked := askedName(s.Ref)
		for _, said := range slices.Sorted(maps.Keys(a[s.Identity])) {
			if model.OtherModel(asked, said) {
				note(&list, "%s was asked for %q, and the server says that %q answered", s.Ref, asked, said)
			}
		}
	}
	return list
}

// askedName returns the name by which a reference asks a server for its model; "" where it asks for none.
func askedName(text string) string {
	if rest, ok := strings.CutPrefix(text, string(model.Replay)+":"); ok {
		_, text, _ = strings.Cut(rest, " ") // behind the run's id
	}
	ref, err := model.ParseRef(text)
	if err != nil {
		return ""
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic:
		return ref.Name
	}
	return ""
}
