package spec

import (
	"fmt"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/text/retrieve"
)

// A Retrieve says which passages are searched for every question.
type Retrieve struct {
	Files  []string
	K      int
	Form   string
	Forbid []string
}

// Read reads and indexes the passages into the plan.
func (r *Retrieve) Read(in *Surroundings, changed func(string) bool, plan *assay.Plan) error {
	if len(r.Files) == 0 {
		for _, name := range []string{"retrieve-k", "retrieve-form", "retrieve-forbid"} {
			if changed(name) {
				return fmt.Errorf("--%s: nothing is searched; name passages with --retrieve FILE", name)
			}
		}
		return nil
	}
	form, err := prompt.ParseRetrievedForm(r.Form)
	if err != nil {
		return fmt.Errorf("--retrieve-form: %w", err)
	}
	if r.K < 1 || r.K > retrieve.MaxHits {
		return fmt.Errorf("--retrieve-k %d: want a number from 1 to %d", r.K, retrieve.MaxHits)
	}
	started := in.Now()
	x, err := retrieve.Build(retrieve.Paths(r.Files...), retrieve.Options{Forbidden: r.Forbid})
	if err != nil {
		return err
	}
	in.Log.Info("passages indexed", "passages", x.Len(), "seconds", in.Now().Sub(started).Seconds())
	if len(r.Forbid) > 0 && x.Forbidden() == 0 {
		return fmt.Errorf("--retrieve-forbid: no passage has the title or id %q", strings.Join(r.Forbid, `" or "`))
	}
	plan.Retrieval = assay.NewRetrieval(x, r.Files, r.K, form, r.Forbid)
	return nil
}
