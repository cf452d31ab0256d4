package benchmark

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/within"
	"hallmark/internal/suite"
)

// An example is one input with the index of its label: a row of a labelled task.
type example struct {
	line  int
	input string
	label int
	path  string // of another file than the one that is read; "" for that
}

// A labelledTask is FEVER's, TrueFalse's (claims.go) or one of the tasks of the posterior hallucination rate's
// language study (arXiv:2406.07457): its labels in the study's words, and the reader of its files. The files are those
// of the tasks' authors; how two texts become one input, the study does not say, and what stands here is this
// project's reading.
type labelledTask struct {
	labels []string
	read   func(f *file, take func(example)) error
}

// rows reads the examples of a file, and says which inputs stand under several labels.
func (t labelledTask) rows(f *file) (rows []example, both map[string]bool, err error) {
	first, both := map[string]int{}, map[string]bool{}
	err = t.read(f, func(e example) {
		label, seen := first[e.input]
		if !seen {
			first[e.input] = e.label
		} else if label != e.label {
			both[e.input] = true
		}
		rows = append(rows, e)
	})
	return rows, both, err
}

// The tasks. "Sci/Tech" is Science, "not entailment" is not, as the study renames them; its two names for the
// second label of the medical pairs are "dissimilar" and "different", of which the first stands here.
var (
	sst2Task    = labelledTask{[]string{"positive", "negative"}, (*file).sst2}
	subjTask    = labelledTask{[]string{"subjective", "objective"}, (*file).subj}
	agNewsTask  = labelledTask{[]string{"World", "Sports", "Business", "Science"}, (*file).agNews}
	medicalTask = labelledTask{[]string{"similar", "dissimilar"}, (*file).medicalPairs}
	rteTask     = labelledTask{[]string{"entailment", "not"}, (*file).rte}
	wnliTask    = labelledTask{[]string{"entailment", "not"}, func(f *file, take func(example)) error {
		return f.gluePairs(take, "Sentence 1", "Sentence 2")
	}}
)

// inputLine returns text as an input: on one line, with single spaces.
func inputLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sst2 reads sentences of SST-2 as they are handed round by sentence (stsa.binary.train, .dev, .test): "1 text" is
// positive, "0 text" negative.
func (f *file) sst2(take func(example)) error {
	return f.lines(func(line int, text []byte) error {
		mark, rest, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
		if !ok || mark != "0" && mark != "1" || strings.TrimSpace(rest) == "" {
			return f.errorf(line, `want "0" or "1", a space and a sentence`)
		}
		take(example{line: line, input: inputLine(rest), label: index(mark == "1")})
		return nil
	})
}

// subj reads the subjectivity data set v1.0, which is two files beside each other: quote.tok.gt9.5000 is
// subjective, plot.tok.gt9.5000 objective, a sentence a line. Either file names the pair.
func (f *file) subj(take func(example)) error {
	dir, name := filepath.Split(f.path)
	halves := []string{"quote", "plot"}
	half := slices.IndexFunc(halves, func(h string) bool { return strings.HasPrefix(name, h+".") })
	if half < 0 {
		return f.errorf(1, "the data set is two files, quote.tok.gt9.5000 (subjective) and plot.tok.gt9.5000 "+
			"(objective); name one, with the other beside it")
	}
	for label, h := range halves {
		one := f
		if label != half {
			path := filepath.Join(dir, h+strings.TrimPrefix(name, halves[half]))
			if err := beside(f.path, path); err != nil {
				return err
			}
			data, err := suite.ReadFile(path)
			if err != nil {
				return fmt.Errorf("the other half of %s: %w", name, err)
			}
			one = newFile(Reference{Path: path}, data)
		}
		err := one.lines(func(line int, text []byte) error {
			take(example{line, inputLine(string(text)), label, one.path})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// beside returns an error where a file that nobody named is elsewhere, by a link, than beside the named one or
// beside what that leads to.
func beside(named, path string) error {
	at, err := within.Real(named)
	if err != nil {
		return err
	}
	for _, folder := range []string{filepath.Dir(named), filepath.Dir(at)} {
		if in, err := within.Folder(folder, path); err != nil || in {
			return err
		}
	}
	return fmt.Errorf(
		"%s leads out of its folder by a link, which may have come with the folder; put the file itself beside %s",
		path, filepath.Base(named))
}

// agNews reads AG News (train.csv, test.csv): class, title, description without a header, classes 1 to 4 as in
// classes.txt. The input is the title and the description; a backslash, which stands for a line break in the file,
// becomes a space.
func (f *file) agNews(take func(example)) error {
	return f.columns(3, func(line int, row []string) error {
		class := strings.IndexAny("1234", row[0])
		if len(row[0]) != 1 || class < 0 {
			return f.errorf(line, "class is %.20q; want 1 to 4", row[0])
		}
		take(example{line: line, input: inputLine(strings.ReplaceAll(row[1]+" "+row[2], `\`, " ")), label: class})
		return nil
	})
}

// medicalPairs reads the medical question pairs (mqp.csv): doctor, two questions and 1 for similar or 0 without a
// header.
func (f *file) medicalPairs(take func(example)) error {
	return f.columns(4, func(line int, row []string) error {
		if row[3] != "0" && row[3] != "1" {
			return f.errorf(line, "label is %.20q; want 1 for similar or 0", row[3])
		}
		take(example{line: line, input: pairInput("Question 1", row[1], "Question 2", row[2]),
			label: index(row[3] == "1")})
		return nil
	})
}

// rte reads RTE: SuperGLUE's JSON Lines of premise, hypothesis and label, or GLUE's table.
func (f *file) rte(take func(example)) error {
	if !bytes.HasPrefix(head(f.data), []byte("{")) {
		return f.gluePairs(take, "Premise", "Hypothesis")
	}
	return objects(f, "", func(line int, q struct{ Premise, Hypothesis, Label string }) error {
		label, ok := entails(q.Label)
		if !ok || q.Premise == "" || q.Hypothesis == "" {
			return f.errorf(line, "want a premise, a hypothesis and a label, entailment or not_entailment, which "+
				"is %.40q; test files without labels cannot be used", q.Label)
		}
		take(example{line: line, input: pairInput("Premise", q.Premise, "Hypothesis", q.Hypothesis), label: label})
		return nil
	})
}

// gluePairs reads GLUE's tables of sentence pairs (WNLI and RTE: train.tsv, dev.tsv): index, sentence1, sentence2
// and label with a header, without quoting; the label is 1 or entailment, 0 or not_entailment. GLUE's test files
// have no labels and cannot be used. Source: GLUE's data as its authors distribute them (gluebenchmark.com); no
// file of WNLI was at hand, so the format is the documented one.
func (f *file) gluePairs(take func(example), first, second string) error {
	header := false
	return f.lines(func(line int, text []byte) error {
		row := strings.Split(strings.TrimRight(string(text), "\r"), "\t")
		if !header {
			header = true
			if !slices.Equal(row, []string{"index", "sentence1", "sentence2", "label"}) {
				return f.errorf(line, "want the header index, sentence1, sentence2, label between tabs, as in "+
					"GLUE's train.tsv and dev.tsv")
			}
			return nil
		}
		if len(row) != 4 {
			return f.errorf(line, "%d fields between tabs; want 4", len(row))
		}
		label, ok := entails(row[3])
		if !ok {
			return f.errorf(line, "label is %.20q; want 1 or 0, entailment or not_entailment", row[3])
		}
		take(example{line: line, input: pairInput(first, row[1], second, row[2]), label: label})
		return nil
	})
}

// entails is the index of a label of entailment.
func entails(label string) (int, bool) {
	switch label {
	case "1", "entailment":
		return 0, true
	case "0", "not_entailment":
		return 1, true
	}
	return 0, false
}

// pairInput is two texts as one input, each behind its name, on one line.
func pairInput(first, a, second, b string) string {
	return inputLine(first + ": " + a + " " + second + ": " + b)
}

// columns takes each row of a CSV file without a header.
func (f *file) columns(fields int, take func(line int, row []string) error) error {
	cr := csv.NewReader(bytes.NewReader(f.data))
	cr.FieldsPerRecord = -1
	return f.rows(cr, func(line int, row []string) error {
		if len(row) != fields {
			return f.errorf(line, "%d fields; want %d", len(row), fields)
		}
		return take(line, row)
	})
}

// How the files of the tasks are known: by their names where their content could be any text.
func isSST2(path string, data []byte) bool {
	h := head(data)
	return strings.HasPrefix(baseName(path), "stsa.binary.") && len(h) > 2 && (h[0] == '0' || h[0] == '1') &&
		h[1] == ' '
}

func isSubj(path string, _ []byte) bool {
	return slices.Contains([]string{"quote.tok.gt9.5000", "plot.tok.gt9.5000"}, baseName(path))
}

func isMedicalPairs(path string, data []byte) bool {
	row, err := csv.NewReader(bytes.NewReader(data)).Read()
	return err == nil && baseName(path) == "mqp.csv" && len(row) == 4 && (row[3] == "0" || row[3] == "1")
}

func isRTE(_ string, data []byte) bool {
	var q struct{ Premise, Hypothesis, Label string }
	if unmarshal(head(data), &q) != nil || q.Premise == "" || q.Hypothesis == "" {
		return false
	}
	_, ok := entails(q.Label)
	return ok
}
