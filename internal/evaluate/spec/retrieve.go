package spec

import (
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/prompt"
	"hallmark/internal/retrieve"
)

// A Retrieve says which passages are searched for every question.
type Retrieve struct {
	Files  []string
	K      int
	Form   string
	Forbid []string
}

// Read reads and indexes the passages into the plan.
func (f *Retrieve) Read(in *Surroundings, changed func(string) bool, plan *assay.Plan) error {
	if len(f.Files) == 0 {
		for _, name := range []string{"retrieve-k", "retrieve-form", "retrieve-forbid"} {
			if changed(name) {
				return fmt.Errorf("--%s: nothing is searched; name passages with --retrieve FILE", name)
			}
		}
		return nil
	}
	form, err := prompt.ParseRetrievedForm(f.Form)
	if err != nil {
		return fmt.Errorf("--retrieve-form: %w", err)
	}
	if f.K < 1 || f.K > retrieve.MaxHits {
		return fmt.Errorf("--retrieve-k %d: want a number from 1 to %d", f.K, retrieve.MaxHits)
	}
	started := in.Now()
	x, err := retrieve.Build(retrieve.Paths(f.Files...), retrieve.Options{Forbidden: f.Forbid})
	if err != nil {
		return err
	}
	in.Log.Info("passages indexed", "passages", x.Len(), "seconds", in.Now().Sub(started).Seconds())
	if len(f.Forbid) > 0 && x.Forbidden() == 0 {
		return fmt.Errorf("--retrieve-forbid: no passage has the title or id %q", strings.Join(f.Forbid, `" or "`))
	}
	plan.Retrieval = assay.NewRetrieval(x, f.Files, f.K, form, f.Forbid)
	return nil
}
