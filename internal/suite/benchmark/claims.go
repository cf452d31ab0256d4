package benchmark

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/suite"
)

// claimShots is the number of demonstrations before a claim, as in the study (arXiv:2602.00723, A.1).
const claimShots = 16

// The labels of FEVER.
const (
	supports = "SUPPORTS"
	refutes  = "REFUTES"
	unknown  = "NOT ENOUGH INFO"
)

// The tasks of claims: the first label is that of what is true.
var (
	feverTask     = labelledTask{[]string{supports, refutes}, (*file).fever}
	trueFalseTask = labelledTask{[]string{"True", "False"}, (*file).statements}
)

type feverRow struct {
	Claim string `json:"claim"`
	Label string `json:"label"`
}

func isFEVER(_ string, data []byte) bool {
	var q feverRow
	read := isList(data) && firstOf(data, &q) || !isList(data) && json.Unmarshal(head(data), &q) == nil
	return read && q.Claim != "" && slices.Contains([]string{supports, refutes, unknown}, q.Label)
}

// readFEVER reads FEVER: JSON Lines of claims as published, or one JSON list of them. Claims without enough
// information are left out, as the study asks for one of two labels. The form is "Claim: …\nLabel: …", with the
// label's word scored; its authors give none for a language model, so the words can be set. Demonstrations are
// drawn from a pool in the same format, from which the claims of this file are taken out.
func readFEVER(f *file) error {
	if err := f.claims("fever", feverTask); err != nil {
		return err
	}
	if f.ref.Pool == "" {
		f.warnf("asked without demonstrations; the published study shows %d: add ,pool=FILE", claimShots)
		return nil
	}
	rows, err := f.claimPool(feverTask)
	if err != nil {
		return err
	}
	if name := baseName(f.ref.Pool); !strings.Contains(name, "train") {
		f.warnf("demonstrations are drawn from %s, which is not FEVER's train.jsonl but stands in for it", name)
	}
	return f.demonstrate(rows, claimShots)
}

// fever reads the claims with a label of the two, and counts the others.
func (f *file) fever(take func(example)) error {
	without := 0
	err := objects(f, "claims", func(line int, q feverRow) error {
		q.Claim = strings.TrimSpace(q.Claim)
		switch {
		case q.Claim == "":
			f.leave(line, "there is no claim")
		case q.Label == unknown:
			without++
		case q.Label == supports || q.Label == refutes:
			take(example{line: line, input: q.Claim, label: index(q.Label == supports)})
		case q.Label == "":
			f.leave(line, "the claim has no label")
		default:
			return f.errorf(line, "label is %.40q; want %s, %s or %s", q.Label, supports, refutes, unknown)
		}
		return nil
	})
	if without > 0 {
		f.warnf("%d claims with the label %s were left out, as the study asks for one of two labels", without, unknown)
	}
	return err
}

// claims makes a case of each claim of a task. One that stands under both labels has two golds and is left out
// wherever it stands; one that is repeated with its label stands as often as in the file, for published counts have it
// so, and a warning says how many.
func (f *file) claims(prefix string, task labelledTask) error {
	claims, both, err := task.rows(f)
	if err != nil {
		return err
	}
	labels := task.labels
	if f.ref.Labels != nil {
		labels = f.ref.Labels
	}
	repeated := map[string]bool{}
	again := 0
	for _, c := range claims {
		if both[c.input] {
			f.leave(c.line, fmt.Sprintf("the claim stands under %s and under %s", labels[0], labels[1]))
			continue
		}
		if repeated[c.input] {
			again++
		}
		repeated[c.input] = true
		f.add(prefix, c.line, suite.Case{
			Prompt: c.input, Form: suite.Claim, AnswerType: suite.Choice, Options: labels,
			Gold: suite.Gold{Option: &c.label},
		})
	}
	if again > 0 {
		f.warnf("%d claims repeat one before them; they count as often as they stand in the file", again)
	}
	return nil
}

// index is the place of a truth among the options of a claim: true first.
func index(truth bool) int {
	if truth {
		return 0
	}
	return 1
}

// pool is the file that demonstrations are drawn from.
func (f *file) pool() (*file, error) {
	data, err := suite.ReadFile(f.ref.Pool)
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	return newFile(Reference{Path: f.ref.Pool, Labels: f.ref.Labels}, data), nil
}

// warnPool says what reading another file as the pool met.
func (f *file) warnPool(pool *file) {
	pool.left()
	for _, w := range pool.suite.Warnings {
		f.suite.Warnings = append(f.suite.Warnings, "pool "+w)
	}
}

// claimPool reads the pool's claims as demonstrations, by the same rules. Claims of the file itself are taken out
// of another file's, and said so.
func (f *file) claimPool(task labelledTask) ([]suite.Demonstration, error) {
	pool, err := f.pool()
	if err != nil {
		return nil, err
	}
	if err := pool.claims("pool", task); err != nil {
		return nil, err
	}
	own := map[string]bool{}
	if filepath.Clean(f.ref.Pool) != filepath.Clean(f.path) {
		f.warnPool(pool)
		for i := range f.cases {
			own[f.cases[i].Prompt] = true
		}
	}
	out := 0
	var rows []suite.Demonstration
	for i := range pool.cases {
		c := &pool.cases[i]
		if own[c.Prompt] {
			out++
			continue
		}
		rows = append(rows, suite.Demonstration{Input: c.Prompt, Label: c.Options[*c.Gold.Option]})
	}
	if out > 0 {
		f.warnf("%d of the %d claims of the pool are questions of this suite and were taken out of it", out,
			len(pool.cases))
	}
	return rows, nil
}

func isTrueFalse(_ string, data []byte) bool {
	h := strings.ToLower(strings.ReplaceAll(string(head(data)), `"`, ""))
	return h == "statement,label" || strings.HasPrefix(h, "statement,label,")
}

// readTrueFalse reads TrueFalse (Azaria and Mitchell 2023, arXiv:2304.13734): CSV with the columns statement and
// label, 1 for true. Files of several topics may stand one after the other, each with its header. The form is that
// of FEVER, as in the study; the labels' words are this project's and can be set. Demonstrations are drawn from the
// set itself, unless another pool is named, for it has no other part.
func readTrueFalse(f *file) error {
	if err := f.claims("truefalse", trueFalseTask); err != nil {
		return err
	}
	if topic, ok := strings.CutSuffix(strings.ToLower(baseName(f.path)), "_true_false.csv"); ok {
		for i := range f.cases {
			f.cases[i].Tags = tags(topic)
		}
	}
	f.ref.Pool = cmp.Or(f.ref.Pool, f.path)
	rows, err := f.claimPool(trueFalseTask)
	if err != nil {
		return err
	}
	return f.demonstrate(rows, claimShots)
}

// statements reads the statements of TrueFalse.
func (f *file) statements(take func(example)) error {
	return f.table([]string{"statement", "label"}, func(line int, get func(string) string) error {
		text, label := get("statement"), get("label")
		switch {
		case text == "statement" && label == "label": // the header of the next topic
		case text == "":
			f.leave(line, "there is no statement")
		case label == "":
			f.leave(line, "the statement has no label")
		case label == "0" || label == "1":
			take(example{line: line, input: text, label: index(label == "1")})
		default:
			return f.errorf(line, "label is %.40q; want 1 for a true statement or 0 for a false one", label)
		}
		return nil
	})
}
