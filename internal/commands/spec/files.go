package spec

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/metric/grading"
)

// readTemplates reads the file of --templates into the plan.
func (r *Run) readTemplates(in *Surroundings, plan *assay.Plan) error {
	if r.Templates == "" {
		return nil
	}
	if !slices.ContainsFunc(plan.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Templates }) {
		return fmt.Errorf("--templates %s: no variants use it; add --variants templates=N", r.Templates)
	}
	data, err := readInput(r.Templates, prompt.MaxTemplateBytes)
	if err != nil {
		return err
	}
	templates, warnings, err := prompt.ParseTemplates(r.Templates, data)
	plan.Templates = &assay.TemplateFile{From: filepath.Base(r.Templates), Templates: templates}
	for _, w := range warnings {
		in.Log.Warn(w)
	}
	return err
}

// maxCheck bounds the document of a check of the grader, which lists what was misread.
const maxCheck = 64 << 20

// readGraderCheck reads the check by which outcomes are corrected into the plan.
func (r *Run) readGraderCheck(plan *assay.Plan) error {
	if r.GraderCheck == "" {
		return nil
	}
	data, err := readInput(r.GraderCheck, maxCheck)
	if err != nil {
		return err
	}
	check, err := grading.ReadCheck(r.GraderCheck, data)
	plan.GraderCheck = &assay.GraderCheck{From: filepath.Base(r.GraderCheck), Check: check}
	return err
}

// readInput reads a file of at most so many bytes, and one more, which its parser refuses.
func readInput(path string, most int64) ([]byte, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, inputfile.Cause(err))
	}
	defer file.Close() // only read
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, inputfile.Cause(err))
	}
	return data, nil
}
