package spec

import (
	"fmt"
	"slices"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// checkName says what is wrong with the name of a run; "" is none.
func checkName(name string) error {
	if err := run.CheckName(name); name != "" && err != nil {
		return fmt.Errorf("--name %w", err)
	}
	return nil
}

// nameModels parts the names that models were given from their references. A name is of one model, and no reference of
// another.
func (r *Run) nameModels() error {
	r.Named = map[string]string{}
	of := map[string]string{}
	r.Models = slices.Clone(r.Models)
	for i, text := range r.Models {
		name, ref := model.Named(text)
		if name == "" {
			continue
		}
		switch {
		case of[name] != "":
			return fmt.Errorf("--model %s=…: the name is there twice; give each model its own", name)
		case r.Named[ref] != "":
			return fmt.Errorf("--model %s=…: the same model is called %s already", name, r.Named[ref])
		}
		of[name], r.Named[ref], r.Models[i] = ref, name, ref
	}
	for _, ref := range r.Models {
		if of[ref] != "" && of[ref] != ref {
			return fmt.Errorf("--model %s=…: that is the reference of another model of the run; choose another name",
				ref)
		}
	}
	return nil
}
