package spec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/guard"
	"hallmark/internal/guard/memory"
	"hallmark/internal/inputfile"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// A Guard says what the constraint layer does.
type Guard struct {
	On         bool // of run
	Index      string
	Memory     string
	Coverage   float64
	Off        []string
	Candidates int
	Phrasings  int
	Agreement  float64
	Repairs    int

	Config guard.Config // made of the settings by Resolve
	// Read reads a file by its kind (index, memory) and path, where they do not lie on the disk.
	Read func(kind, path string) ([]byte, error)
}

// DefaultGuard is the guard's settings where nothing is said.
func DefaultGuard() Guard {
	d := guard.Defaults()
	return Guard{Coverage: 100, Candidates: d.Candidates, Phrasings: d.Phrasings, Agreement: d.Agreement, Repairs: d.Repairs}
}

// Resolve makes the configuration, and reads the index.
func (f *Guard) Resolve(prefix string, seed uint64) error {
	f.Config = guard.Config{
		Off: f.Off, Candidates: f.Candidates, Phrasings: f.Phrasings, Agreement: f.Agreement, Repairs: f.Repairs, Seed: seed,
	}
	if err := f.Config.Check(); err != nil {
		return fmt.Errorf("--%s…: %w", prefix, err)
	}
	if !(f.Coverage >= 0 && f.Coverage <= 100) {
		return fmt.Errorf("--%scoverage %v: want a percentage from 0 to 100", prefix, f.Coverage)
	}
	if args := f.Args(); !f.On && len(args) > 1 {
		return fmt.Errorf("%s is given without --guard; give both", args[1])
	}
	if f.Memory != "" {
		data, err := f.file("memory", f.Memory)
		if err != nil {
			return fmt.Errorf("--%smemory: %w", prefix, err)
		}
		if f.Config.Memory, err = memory.Read(f.Memory, data); err != nil {
			return err
		}
	}
	if f.Index == "" {
		return nil
	}
	var index io.Reader
	if f.Read != nil {
		data, err := f.Read("index", f.Index)
		if err != nil {
			return fmt.Errorf("--%sindex: %w", prefix, err)
		}
		index = bytes.NewReader(data)
	} else {
		file, err := inputfile.Open(f.Index)
		if err != nil {
			return fmt.Errorf("--%sindex: %s: %v", prefix, f.Index, inputfile.Cause(err))
		}
		defer file.Close()
		index = file
	}
	x, err := guard.ReadInventory(f.Index, index)
	if err != nil {
		return err
	}
	if f.Coverage < 100 {
		x = x.Cover(f.Coverage, seed)
	}
	f.Config.Inventory = x
	return nil
}

// file reads a file that a flag names.
func (f *Guard) file(kind, path string) ([]byte, error) {
	if f.Read != nil {
		return f.Read(kind, path)
	}
	return suite.ReadFile(path)
}

// Args are the flags that name the same guard again, of those that differ from the defaults.
func (f *Guard) Args() []string {
	d := guard.Defaults()
	args := []string{"--guard"}
	add := func(name, value, normal string) {
		if value != normal {
			args = append(args, "--guard-"+name, value)
		}
	}
	share := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	off := slices.Sorted(slices.Values(f.Off))
	add("index", f.Index, "")
	add("memory", f.Memory, "")
	add("coverage", share(f.Coverage), "100")
	add("off", strings.Join(off, ","), "")
	add("candidates", strconv.Itoa(f.Candidates), strconv.Itoa(d.Candidates))
	add("phrasings", strconv.Itoa(f.Phrasings), strconv.Itoa(d.Phrasings))
	add("agreement", share(f.Agreement), share(d.Agreement))
	add("repairs", strconv.Itoa(f.Repairs), strconv.Itoa(d.Repairs))
	return args
}

// RebuildGuard makes the constraint layer that a subject of a plan names by its flags, with the files that read has.
func RebuildGuard(s assay.Subject, seed uint64, inner model.Model, read func(kind, path string) ([]byte, error)) (model.Model, error) {
	r := Default()
	flags := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	r.AddGroup(flags, Guarding)
	if err := flags.Parse(s.Guard); err != nil {
		return nil, err
	}
	r.Guard.On, r.Guard.Read = true, read
	if err := r.Guard.Resolve(guardPrefix, seed); err != nil {
		return nil, err
	}
	return guard.New(inner, r.Guard.Config)
}
