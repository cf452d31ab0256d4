// Package benchmark reads published benchmarks from the files their authors
// distribute, byte for byte, into suites, and published model answers into rows
// for analyze. It fetches nothing and holds no benchmark items but the six
// worked examples that TruthfulQA's protocol puts before every question.
package benchmark

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/suite"
)

// A Format is one published file format.
type Format struct {
	Name  string // as in --suite NAME=FILE
	About string // one line for the help
	// detect reports whether a file is of this format; nil where the file of another format is read in another way, and
	// only the name says so.
	detect func(path string, data []byte) bool
	read   func(f *file) error
	takes  []string // options of a Reference that the format has a use for, beside for
}

// Formats are the formats that can be read, in the order in which Detect tries them.
var Formats = []Format{
	{Name: "truthfulqa-mc1", About: "TruthfulQA, one true answer among the choices (mc_task.json)",
		detect: isTruthfulMC, read: readMC("mc1_targets")},
	{Name: "truthfulqa-mc2", About: "TruthfulQA, several true answers among the choices (mc_task.json)",
		read: readMC("mc2_targets")},
	{Name: "truthfulqa-mc0", About: "TruthfulQA, two choices (mc_task.json of 2025)", read: readMC("mc0_targets")},
	{Name: "truthfulqa-gen", About: "TruthfulQA, answers in the model's own words (TruthfulQA.csv)",
		detect: headed("Best Answer", "Incorrect Answers"), read: readTruthfulCSV},
	{Name: "factor", About: "Wiki-, News- and Expert-FACTOR, the short context continued (wiki_factor.csv)",
		detect: headed("full_prefix", "contradiction_0"), read: readFactor(false)},
	{Name: "factor-prefix", About: "the same, the whole prefix continued, as its authors do", read: readFactor(true)},
	{Name: "medhalt", About: "Med-HALT's reasoning questions as multiple choice (reasoning_FCT.csv, " +
		"reasoning_nota.csv, reasoning_fake.csv)",
		detect: isMedHALT, read: readMedHALT, takes: []string{withInstruction}},
	{Name: "medhalt-test", About: "the same questions as Med-HALT's own tests, answered with reasons as a dictionary",
		read:  readMedHALTTest,
		takes: []string{withInstruction, withExamples}},
	{Name: "gsm8k", About: "GSM8K (test.jsonl, train.jsonl)", detect: isGSM8K, read: readGSM8K},
	{Name: "commonsenseqa", About: "CommonsenseQA (dev_rand_split.jsonl)", detect: isCommonsenseQA,
		read: readCommonsenseQA, takes: []string{withPool, withShots}},
	{Name: "fever", About: "FEVER, claims that are supported or refuted (shared_task_dev.jsonl, paper_dev.jsonl)",
		detect: isFEVER, read: readFEVER, takes: []string{withPool, withShots, withLabels}},
	{Name: "truefalse", About: "TrueFalse, statements that are true or false (TOPIC_true_false.csv)",
		detect: isTrueFalse, read: readTrueFalse, takes: []string{withPool, withShots, withLabels}},
	{Name: "simpleqa", About: "SimpleQA (simple_qa_test_set.csv)", detect: isSimpleQA, read: readSimpleQA},
	{Name: "medqa", About: "MedQA with lettered options in one text (test.jsonl)", detect: isMedQA, read: readMedQA,
		takes: []string{withInstruction}},
	{Name: "sst2", About: "SST-2 by sentence, learned from examples (stsa.binary.test)", detect: isSST2,
		read: readLabelled(sst2Task), takes: drawn},
	{Name: "subj",
		About:  "Subjectivity v1.0, learned from examples (quote.tok.gt9.5000, with plot.tok.gt9.5000 beside it)",
		detect: isSubj, read: readLabelled(subjTask), takes: drawn},
	{Name: "agnews", About: "AG News, learned from examples (test.csv)", read: readLabelled(agNewsTask), takes: drawn},
	{Name: "medicalqp", About: "Medical question pairs, learned from examples (mqp.csv)", detect: isMedicalPairs,
		read: readLabelled(medicalTask), takes: drawn},
	{Name: "rte", About: "RTE, learned from examples (val.jsonl of SuperGLUE, dev.tsv of GLUE)", detect: isRTE,
		read: readLabelled(rteTask), takes: drawn},
	{Name: "wnli", About: "WNLI, learned from examples (dev.tsv of GLUE)", read: readLabelled(wnliTask), takes: drawn},
	{Name: "mmlu", About: "MMLU, one subject (SUBJECT_test.csv)", detect: isMMLU, read: readMMLU,
		takes: []string{withPool, withShots}},
}

// drawn are the options of tasks that are learned from examples.
var drawn = []string{withPool, withShots, withContexts, withQueries, withTokenizer, withSeed}

// Names returns the names of the formats, in their order.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// Load reads what --suite names: a benchmark's file (Reference); or FILE, whose format is seen from its content, a
// suite's or a table's (suite.Read) where it is no benchmark's. Builtin are the names of the built-in suites, which
// the error for an unknown name lists. A suite that is trusted may name files outside its folder. The cases are packed:
// List has them. The file is read once, as it may be a stream.
func Load(ref string, trusted bool, builtin ...string) (*suite.Suite, error) {
	r, plain, err := ParseReference(ref)
	if err != nil {
		return nil, err
	}
	if r.Name != "" {
		return r.Open()
	}
	data, err := suite.ReadFile(r.Path, builtin...)
	if err != nil {
		return nil, err
	}
	name, ok := detect(r.Path, data)
	switch {
	case ok:
		r.Name = name
		if err := r.check(); err != nil {
			return nil, err
		}
		return r.read(data)
	case !plain:
		return nil, fmt.Errorf("%s:1: no benchmark's file, so it takes no %s; known are %s", r.Path,
			strings.Join(r.given(), ", "), strings.Join(Names(), ", "))
	}
	return suite.ParsePacked(r.Path, data, trusted)
}

// detect says which format the content of a file has, and false if it is no benchmark's.
func detect(path string, data []byte) (name string, ok bool) {
	for _, f := range Formats {
		if f.detect != nil && f.detect(path, data) {
			return f.Name, true
		}
	}
	return "", false
}

// Open reads what the reference names. Errors about the content of a file begin with FILE:LINE.
func (r *Reference) Open() (*suite.Suite, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	data, err := suite.ReadFile(r.Path)
	if err != nil {
		return nil, err
	}
	return r.read(data)
}

// check returns an error where the reference names no format, or what is of no use to it.
func (r *Reference) check() error {
	f, ok := formatOf(r.Name)
	if !ok {
		return fmt.Errorf("unknown benchmark %q; known are %s", r.Name, strings.Join(Names(), ", "))
	}
	for _, key := range r.given() {
		if key != withFor && !slices.Contains(f.takes, key) {
			return fmt.Errorf("suite %s=%s: %s is of no use to %s, which takes %s", r.Name, r.Path, key, r.Name,
				strings.Join(append(f.takes, withFor), ", "))
		}
	}
	return r.checkShots()
}

// read reads the file's content.
func (r *Reference) read(data []byte) (*suite.Suite, error) {
	f := newFile(*r, data)
	f.suite.Version = version(data)
	format, _ := formatOf(r.Name) // it was checked
	if err := format.read(f); err != nil {
		return nil, err
	}
	f.left()
	if len(f.cases) == 0 {
		if len(f.faults) > 0 {
			return nil, f.errorf(f.faults[0].first, "%s; no question of %s is left", f.faults[0].why, r.Name)
		}
		return nil, f.errorf(1, "no question in the form of %s", r.Name)
	}
	if to := r.For; to != "" {
		f.warnf("%s stands in for %s: no figure here is one of %s", f.suite.Name, to, to)
		f.suite.Name += "-for-" + to
	}
	f.suite.Cases = suite.ListOf(f.cases)
	if err := f.suite.Check(); err != nil {
		return nil, err
	}
	return f.suite, nil
}

func newFile(ref Reference, data []byte) *file {
	return &file{path: ref.Path, data: data, ref: ref, taken: map[string]int{},
		suite: &suite.Suite{Name: ref.Name, World: "earth"}}
}

// published names the files whose content is known, by the first 16 digits of their SHA-256.
var published = map[string]string{
	"c90d853454fd48c6": "2025-01", "b8d8ef1e12f98b4f": "2025-01",
	"6eb4125d25750c01": "v0", "8d7dd15f03319614": "v0",
	"b3799639bc76c939": "v1", "f9bd9e859cc102cb": "v1",
	"3730d312f6e34405": "test", "17f347dc51477c50": "train",
	"f4f3110a66bfca3a": "news", "39cbceba9b43e713": "expert",
	"4cb464f53160f6a2": "paper-dev", "e22861bba3ee8489": "shared-task-dev",
	"dda54bf6dd053854": "fake",
	"71c04bcc41291fa4": "train", "02fedc82855dbdca": "dev", "6a80dc9b9a0db2d3": "test",
	"7dbf14dc78494ef5": "v1.0", "3bd7ba2bd6190e6f": "v1.0",
	"521465c2428ed7f0": "test", "94ecd609a9ca9350": "2020",
	"fdfb03443abe3ec0": "train", "ab990507bf5f35dc": "val",
}

// version names the content of a file: as published, or by the beginning of its hash, so that a changed file is not
// taken for the published one.
func version(data []byte) string {
	for _, mark := range []string{"", "\xef\xbb\xbf"} { // the byte order mark is gone by now
		sum := sha256.Sum256(append([]byte(mark), data...))
		digits := hex.EncodeToString(sum[:8])
		if v, ok := published[digits]; ok {
			return v
		}
	}
	sum := sha256.Sum256(data)
	return "sha256-" + hex.EncodeToString(sum[:6])
}

// A file is one that is being read, and the suite that comes of it.
type file struct {
	path   string
	data   []byte
	ref    Reference
	suite  *suite.Suite // without its cases
	cases  []suite.Case
	taken  map[string]int
	faults []faultCount

	instruction string // of the benchmark's authors to the model
}

func (f *file) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", f.path, line, fmt.Sprintf(format, args...))
}

func (f *file) warnf(format string, args ...any) {
	f.suite.Warnings = append(f.suite.Warnings, f.path+": "+fmt.Sprintf(format, args...))
}

// add puts a case into the suite under an id made of the question: the same question has the same id in every
// version of the benchmark, in any order and in excerpts. A second case with one question (MMLU has some) gets a
// number behind it. It returns nil, as what reads rows does.
func (f *file) add(prefix string, line int, c suite.Case) error {
	return f.addAs(questionID(prefix, c.Prompt), line, c)
}

// addAs puts a case into the suite under an id that is made of other text.
func (f *file) addAs(id string, line int, c suite.Case) error {
	c.ID = id
	f.taken[c.ID]++
	if n := f.taken[c.ID]; n > 1 {
		c.ID = fmt.Sprintf("%s-%d", c.ID, n)
	}
	c.Place = fmt.Sprintf("%s:%d", f.path, line)
	f.cases = append(f.cases, c)
	return nil
}

func questionID(prefix, question string) string {
	sum := sha256.Sum256([]byte(question))
	return prefix + "-" + hex.EncodeToString(sum[:5])
}

// head returns the first line of data, at most 64 KiB of it.
func head(data []byte) []byte {
	line, _, _ := bytes.Cut(data[:min(len(data), 64<<10)], []byte{'\n'})
	return bytes.TrimSpace(line)
}

// headed returns what detects a table by words of its first line.
func headed(words ...string) func(path string, data []byte) bool {
	return func(_ string, data []byte) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(head(data), []byte(w)) })
	}
}

// slug turns a category into a tag: "Indexical Error: Time" into "indexical-error-time".
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
	}), "-")
}
