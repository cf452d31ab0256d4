// Package scaffold writes what a measurement begins with: a suite from a table of questions, a plan with comments, and
// a file for continuous integration. It never writes over a file.
package scaffold

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/within"
	"hallmark/internal/commands/suites"
	"hallmark/internal/model/pocket"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

var (
	//go:embed plan.yaml
	planText string
	//go:embed ci.yaml
	ciText string
)

// The files beside the suite.
const (
	PlanFile = "plan.yaml"
	CIFile   = ".github/workflows/hallmark.yml"
)

// exampleFile is the suite that is written where none is given.
const exampleFile = "example.yaml"

// A File is one to be written.
type File struct {
	Path  string `json:"path"` // below the folder, with slashes
	About string `json:"about"`
	data  []byte
}

// Files are those of a measurement of the questions in a file: a table, or a suite, which stays as it is and has to
// lie in the folder dir, as the plan may name no other. Without a file they are a small example about the world of the
// built-in model. The warnings are what was doubted in reading them.
func Files(dir, questions string) (files []File, warnings []string, err error) {
	s, name, about := example(), exampleFile, "a small example, about the world of the built-in model"
	written := true
	if questions != "" {
		if s, err = suites.Open(questions, false); err != nil {
			return nil, nil, err
		}
		ext := strings.ToLower(filepath.Ext(questions))
		written = ext != ".yaml" && ext != ".yml"
		if name, err = nameOf(dir, questions, written); err != nil {
			return nil, nil, err
		}
		about = "the questions of " + questions
	}
	if written {
		data, err := suiteFile(s, about)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, File{name, fmt.Sprintf("%s (%s)", about, figure.Counted(s.Cases.Len(), "case")), data})
	}
	fill := strings.NewReplacer("{plan}", PlanFile, "{suite}", quoted(name))
	return append(files, File{PlanFile, "the plan, with comments", []byte(fill.Replace(planText))},
		File{CIFile, "the same for GitHub Actions", []byte(fill.Replace(ciText))}), s.Warnings, nil
}

// nameOf is what a plan in the folder calls the suite of a file: a new file beside it, or the file itself.
func nameOf(dir, questions string, written bool) (string, error) {
	if written {
		base := filepath.Base(questions)
		return strings.TrimSuffix(base, filepath.Ext(base)) + ".yaml", nil
	}
	inside, err := within.Folder(dir, questions)
	rel, errRel := filepath.Rel(dir, questions)
	if err != nil || errRel != nil || !inside {
		return "", fmt.Errorf("%s: it lies outside this folder, and a plan may name no file there: copy it here, or "+
			"start in its folder", questions)
	}
	return filepath.ToSlash(rel), nil
}

// quoted is a name as YAML reads it back.
func quoted(name string) string {
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_./") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// suiteFile is a suite as a file, with what it is and how it is written.
func suiteFile(s *suite.Suite, about string) ([]byte, error) {
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		return nil, err
	}
	head := suite.SchemaLine + "# This is " + strings.Join(strings.Fields(about), " ") + ".\n" +
		"# docs/suites.md says what a case may have: aliases of the gold, other phrasings of the question, context,\n" +
		"# options, decline: true where the right act is to decline, …\n"
	data, found := bytes.CutPrefix(b.Bytes(), []byte(suite.SchemaLine))
	if !found {
		return nil, errors.New("the suite was written without its first line")
	}
	return append([]byte(head), data...), nil
}

// example is a suite of a few questions that the built-in model was made to know, and some that it was made to have
// wrong.
func example() *suite.Suite {
	left := map[string]int{"known": 6, "myth-3": 2, "contested-coin": 2, "absent": 2}
	var cases []suite.Case
	for _, c := range pocket.Suite().Cases.All() {
		for _, tag := range c.Tags {
			if left[tag] > 0 {
				left[tag]--
				few := *c
				few.Phrasings = few.Phrasings[:min(2, len(few.Phrasings))]
				cases = append(cases, few)
				break
			}
		}
	}
	return &suite.Suite{Name: "example", Version: "1", World: "pocket", Cases: suite.ListOf(cases)}
}

// Write writes the files below a folder. It writes all or none: where one is there already, or its folder leads out, it
// writes nothing.
func Write(dir string, files []File) (err error) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is there already, and is not written over: move it away, or start in another folder",
				f.Path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %v", f.Path, errors.Unwrap(err))
		}
		if in, err := within.Folder(dir, path); err != nil || !in {
			return fmt.Errorf("%s leads out of the folder by a link: remove the link", f.Path)
		}
	}
	var done []string
	defer func() {
		for _, path := range slices.Backward(done) {
			if err != nil {
				os.Remove(path)
			}
		}
	}()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		done = append(done, path)
		_, err = out.Write(f.data)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}
