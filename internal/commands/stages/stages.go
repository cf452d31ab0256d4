// Package stages finds what --sweep names: the stages of a compression in their folder, or a list of models in a file.
package stages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/base/within"
	"hallmark/internal/commands/setting"
	"hallmark/internal/model"
	"hallmark/internal/model/compress"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/suite"
)

// Wanted says that the models of a run are stages along an axis.
type Wanted struct {
	From   string
	Probes []string
	Corpus string
	Given  func() bool       // reports whether From was set, be it to nothing
	places map[string]string // where a model stands in the file, FILE:LINE
}

// A Listed sweep is what --sweep names: the stages and the model of each.
type Listed struct {
	Stages []assay.SweepStage
	Models []string
	Dense  string            // the --model that came with a folder
	Places map[string]string // FILE:LINE of a model that a file lists
}

// Read reads what --sweep names and puts its models in the place of those of --model. It returns nil where there is
// no sweep. A list of models names what trusted says that it may.
func (s *Wanted) Read(models *[]string, trusted setting.Trust) (*Listed, error) {
	if s.From == "" {
		return nil, s.unnamed()
	}
	info, err := os.Stat(s.From)
	if err != nil {
		return nil, fmt.Errorf(
			"--sweep %s: %v; name a folder that `hallmark model compress` wrote, or a YAML file of models", s.From,
			errors.Unwrap(err))
	}
	var l *Listed
	switch {
	case info.IsDir() && len(*models) != 1:
		return nil, fmt.Errorf("--sweep %s: name the one dense model that these stages were made from with "+
			"--model, as --model pocket", s.From)
	case info.IsDir():
		l, err = stagesOf(s.From, (*models)[0])
	case len(*models) > 0:
		return nil, fmt.Errorf("--sweep %s: the file lists every model; leave out --model", s.From)
	default:
		l, err = readList(s.From, trusted.Of(s.From))
	}
	if err != nil {
		return nil, err
	}
	*models, s.places = l.Models, l.Places
	return l, nil
}

// unnamed refuses flags of a sweep where there is none.
func (s *Wanted) unnamed() error {
	if s.Given != nil && s.Given() {
		return errors.New(
			"--sweep: names nothing; name a folder that `hallmark model compress` wrote, or a YAML file of models")
	}
	for name, set := range map[string]bool{"corpus": s.Corpus != "", "probe": len(s.Probes) > 0} {
		if set {
			return fmt.Errorf("--%s is of a sweep; name its models with --sweep", name)
		}
	}
	return nil
}

// readList reads a file of models, all of which it may name.
func readList(file string, trusted setting.Trust) (*Listed, error) {
	data, err := suite.ReadLines(file, "models: and a list of {name: …, model: …, sparsity: …}")
	if err != nil {
		return nil, err
	}
	l, err := Parse(file, data)
	if err != nil {
		return nil, err
	}
	for _, ref := range l.Models {
		if err := trusted.PermitsModel("model", ref); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Places[ref], err)
		}
	}
	return l, nil
}

// Place says where a model was named, for a message.
func (f *Wanted) Place(ref string) string {
	if at := f.places[ref]; at != "" {
		return at + ": model"
	}
	return "--model"
}

// Resolve makes the sweep of a plan; nil where there is none.
func (f *Wanted) Resolve(l *Listed, suites []*suite.Suite) (*assay.Sweep, error) {
	if l == nil {
		return nil, nil
	}
	s := &assay.Sweep{Stages: l.Stages, From: f.From, Dense: l.Dense}
	for _, text := range f.Probes {
		b, err := assay.ParseProbe(text)
		if err != nil {
			return nil, fmt.Errorf("--probe: %w", err)
		}
		s.Probes = append(s.Probes, b)
	}
	if len(f.Probes) == 0 && slices.ContainsFunc(suites, func(s *suite.Suite) bool {
		return s.World == "pocket" && s.Name == "pocket"
	}) {
		for _, b := range pocket.Probes {
			s.Probes = append(s.Probes, assay.SweepProbe{Name: b.Name, Suite: "pocket", Tags: b.Tags})
		}
	}
	if f.Corpus == "" {
		return s, nil
	}
	var err error
	texts := pocket.HeldOut()
	if f.Corpus != "pocket" {
		if texts, err = suite.ReadLines(f.Corpus,
			`{"text": "…"} a line, or pocket for the built-in texts`); err != nil {
			return nil, err
		}
	}
	s.Corpus, err = assay.ReadCorpus(f.Corpus, texts)
	return s, err
}

// compressed is what a stage's compression.json says that a sweep reads.
type compressed struct {
	Plan     string   `json:"plan"`
	Name     string   `json:"stage"`
	Sparsity *float64 `json:"sparsity"`
	OfAll    *float64 `json:"sparsity_of_all"`

	Files      map[string]string `json:"files"`
	DenseFiles map[string]string `json:"dense_files"`

	folder string
}

// stagesOf reads the stages of a compression in the order of their sparsity.
func stagesOf(dir, dense string) (*Listed, error) {
	all, err := readStages(dir)
	if err != nil {
		return nil, err
	}
	l := &Listed{Stages: []assay.SweepStage{{Name: "dense", OfAll: new(0.)}}, Models: []string{dense}, Dense: dense}
	for _, s := range all {
		l.Stages = append(l.Stages, assay.SweepStage{Name: s.Name, Sparsity: *s.Sparsity, OfAll: s.OfAll})
		l.Models = append(l.Models, "hf:"+s.folder)
	}
	if _, err := (&assay.Sweep{Stages: l.Stages}).Check(); err != nil {
		return nil, fmt.Errorf("--sweep %s: %w", dir, err)
	}
	if err := verify(all, dense); err != nil {
		return nil, fmt.Errorf("--sweep %s: %w", dir, err)
	}
	return l, nil
}

// readStages reads what the folders of a compression say of themselves, in the order of their sparsity.
func readStages(dir string) ([]compressed, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--sweep %s: %v", dir, errors.Unwrap(err))
	}
	var all []compressed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // of a stage that is being written
		}
		s, err := readStage(dir, e)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		if len(all) > 0 && all[0].Plan != s.Plan {
			return nil, fmt.Errorf("%s:1: a stage of another compression than %s; a sweep is over the stages of one",
				filepath.Join(s.folder, compress.File), all[0].folder)
		}
		all = append(all, *s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf(
			"--sweep %s: no folder in it holds a %s; name the folder that `hallmark model compress -o` wrote", dir,
			compress.File)
	}
	slices.SortStableFunc(all, func(a, b compressed) int { return cmp.Compare(*a.Sparsity, *b.Sparsity) })
	return all, nil
}

// readStage reads the log of one stage; nil where the entry holds none.
func readStage(dir string, e os.DirEntry) (*compressed, error) {
	s := &compressed{folder: filepath.Join(dir, e.Name())}
	path := filepath.Join(s.folder, compress.File)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() || err != nil && !e.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > compress.MaxLog {
		return nil, fmt.Errorf("%s:1: more than %d MiB; this is no file of `hallmark model compress`", path,
			compress.MaxLog>>20)
	}
	data, err := inputfile.Read(path, compress.MaxLog)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) && within.LeadsOut(path) {
		return nil, fmt.Errorf("%s: leads out of the working folder by a link, which may have come with the "+
			"folder; list the model in a YAML file and type --allow-path, or name the folder by its full path", path)
	}
	if err := json.Unmarshal(data, s); err != nil || s.Name == "" || s.Sparsity == nil {
		return nil, fmt.Errorf(
			"%s:1: no stage and sparsity in it; want a file as `hallmark model compress` writes it", path)
	}
	return s, nil
}

// verify checks that the files of the stages are those that were written, and that the dense model is theirs.
// How large a stage may be is not known, and neither are the files of the dense model, where that is served elsewhere.
func verify(all []compressed, dense string) error {
	folder, err := denseFolder(dense)
	if err != nil {
		return err
	}
	most := int64(math.MaxInt64)
	if folder != nil { // so that none is read for hours
		const wider, rest = 4, 64 << 20 // weights of 8 bits may be written with 32; a log and a tokenizer
		size, err := weightBytes(folder)
		if err != nil {
			return err
		}
		most = wider*size + rest
	}
	for _, s := range all {
		if size, err := weightBytes(local.Folder(s.folder)); err == nil && size > most {
			return fmt.Errorf("%s: its files have %d MiB, more than a stage of %s can have; name "+
				"the dense model that it was made from with --model", s.Name, size>>20, dense)
		}
		if err := compress.Verify(local.Folder(s.folder), s.Files); err != nil {
			return fmt.Errorf("%s: %w; remove that folder and let `hallmark model compress` make "+
				"it again, or list models of your own in a YAML file", s.Name, err)
		}
	}
	if folder == nil {
		return nil
	}
	files := all[0].DenseFiles
	if err := compress.Verify(folder, files); err != nil {
		own := "that one"
		if compress.Verify(pocket.Weights(), files) == nil {
			own = "pocket, which it was,"
		}
		return fmt.Errorf("--model %s is not the dense model that the stages were made from: its %w; name %s with "+
			"--model, or list models of your own in a YAML file", dense, err, own)
	}
	return nil
}

// weightBytes returns how many bytes the files have that make a model's answers.
func weightBytes(folder fs.FS) (size int64, err error) {
	names, err := local.Files(folder)
	for _, name := range names {
		info, err := fs.Stat(folder, name)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, err
}

// denseFolder returns the files of a model, or nil where it is served elsewhere.
func denseFolder(text string) (fs.FS, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	name := ref.Name
	switch ref.Scheme {
	case model.Pocket:
		name = text
	case model.HF:
	default:
		return nil, nil
	}
	folder, err := pocket.Checkpoint(name)
	if err != nil {
		return nil, fmt.Errorf("--model %s: %w", text, err)
	}
	return folder, nil
}

// maxSweepBytes bounds a file of models: far above any real one.
const maxSweepBytes = 1 << 20

// Parse reads a file of models:
//
//	models:
//	  - {name: dense, model: hf:models/Qwen3-0.6B, sparsity: 0}
//	  - {name: R1, model: hf:models/R1, sparsity: .149, sparsity_of_all: .1}
//
// with size, in any unit, in the place of sparsity where that is not known. A fault begins with FILE:LINE.
func Parse(file string, data []byte) (*Listed, error) {
	fault := func(n *strictyaml.Node, format string, args ...any) error {
		return strictyaml.Faultf(file, n.Line, format, args...)
	}
	first := &strictyaml.Node{Line: 1}
	if len(data) > maxSweepBytes {
		return nil, fault(first, "more than %d KiB; this is no list of models", maxSweepBytes>>10)
	}
	doc, err := strictyaml.Read(file, data)
	if err != nil {
		return nil, fmt.Errorf("%w; a sweep is a YAML mapping with a list of models", err)
	}
	var read struct {
		Models []listedModel `yaml:"models"`
	}
	if err := (&strictyaml.Decoder{File: file}).Decode(doc, &read, "a sweep"); err != nil {
		return nil, err
	}
	list := doc.Get("models")
	if len(read.Models) == 0 {
		return nil, fault(first, "want a mapping with the key models: a list of {name: …, model: …, sparsity: …}")
	}
	l := &Listed{Places: map[string]string{}}
	axis := ""
	for i, n := range list.Items {
		s, ref, of, err := read.Models[i].stage(n, fault)
		if err != nil {
			return nil, err
		}
		if at, twice := l.Places[ref]; twice {
			return nil, fault(n, "%s: the same model stands at %s already; want another one", s.Name, at)
		}
		l.Places[ref] = fmt.Sprintf("%s:%d", file, n.Line)
		if axis = cmp.Or(axis, of); of != axis {
			return nil, fault(n, "%s has a %s and the models before it a %s; give the same for all", s.Name, of, axis)
		}
		if of == "size" {
			dense := s.Size
			if len(l.Stages) > 0 {
				dense = l.Stages[0].Size
			}
			if s.Sparsity = 1 - s.Size/dense; s.Sparsity < 0 {
				return nil, fault(n,
					"%s: a size of %v is above the %v of the first; want the dense model first and sizes decreasing",
					s.Name, s.Size, dense)
			}
		}
		l.Stages, l.Models = append(l.Stages, s), append(l.Models, ref)
	}
	if at, err := (&assay.Sweep{Stages: l.Stages}).Check(); err != nil {
		return nil, fault(list.Items[min(at, len(list.Items)-1)], "%v", err)
	}
	return l, nil
}

// A listedModel is one of a file of models.
type listedModel struct {
	Name     string   `yaml:"name"`
	Model    string   `yaml:"model"`
	Sparsity *float64 `yaml:"sparsity"` // a share, as .149 for 14.9 %
	Size     *float64 `yaml:"size"`     // above 0, in any unit
	OfAll    *float64 `yaml:"sparsity_of_all"`
}

// stage is the model as a stage of the sweep, its reference, and by what it is placed: sparsity or size.
func (m listedModel) stage(n *strictyaml.Node,
	fault func(*strictyaml.Node, string, ...any) error) (s assay.SweepStage, ref, axis string, err error) {
	s.Name, s.OfAll, ref = strings.TrimSpace(m.Name), m.OfAll, strings.TrimSpace(m.Model)
	if m.Sparsity != nil {
		s.Sparsity, axis = *m.Sparsity, "sparsity"
	}
	if m.Size != nil {
		s.Size, axis = *m.Size, "size"
	}
	switch {
	case s.Name == "":
		err = fault(n, "a model without a name: write one, as name: R1")
	case ref == "":
		err = fault(n, "%s: no model; write a reference, as model: hf:DIR", s.Name)
	case strings.ContainsFunc(s.Name, unicode.IsControl):
		err = fault(n, "name: %q is not of one line of text", s.Name)
	case m.Sparsity != nil && m.Size != nil:
		err = fault(n, "%s: sparsity and size; give one of them, the same for all models", s.Name)
	case m.Size != nil && !(s.Size > 0):
		err = fault(n, "size: want a number above 0, in any unit")
	case axis == "":
		err = fault(n, "%s: no sparsity and no size; give one of them, the same for all models", s.Name)
	}
	return s, ref, axis, err
}
