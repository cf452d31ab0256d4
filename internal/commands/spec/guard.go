package spec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// A Guard says what the constraint layer does.
type Guard struct {
	guard.Config        // of which Resolve enters what is read, and the seed
	On           bool   // of run
	Index        string // a file, as Memory
	Memory       string
	Coverage     float64
	// Read reads a file by its kind (index, memory) and path, where they do not lie on the disk.
	Read func(kind, path string) ([]byte, error)
}

// DefaultGuard is the guard's settings where nothing is said.
func DefaultGuard() Guard {
	return Guard{Coverage: 100, Config: guard.Defaults()}
}

// Resolve makes the configuration, and reads the index.
func (g *Guard) Resolve(prefix string, seed uint64) error {
	g.Config.Inventory, g.Config.Memory, g.Config.Seed = nil, nil, seed
	if err := g.Config.Check(); err != nil {
		return fmt.Errorf("--%s%w", prefix, err)
	}
	if !(g.Coverage >= 0 && g.Coverage <= 100) {
		return fmt.Errorf("--%scoverage %v: want a percentage from 0 to 100", prefix, g.Coverage)
	}
	if args := g.Args(); !g.On && len(args) > 1 {
		return fmt.Errorf("%s is given without --guard; give both", args[1])
	}
	if g.Memory != "" {
		data, err := g.file("memory", g.Memory)
		if err != nil {
			return fmt.Errorf("--%smemory: %w", prefix, err)
		}
		if g.Config.Memory, err = memory.Read(g.Memory, data); err != nil {
			return err
		}
	}
	if g.Index == "" {
		return nil
	}
	var index io.Reader
	if g.Read != nil {
		data, err := g.Read("index", g.Index)
		if err != nil {
			return fmt.Errorf("--%sindex: %w", prefix, err)
		}
		index = bytes.NewReader(data)
	} else {
		file, err := inputfile.Open(g.Index)
		if err != nil {
			return fmt.Errorf("--%sindex: %s: %v", prefix, g.Index, inputfile.Cause(err))
		}
		defer file.Close()
		index = file
	}
	x, err := guard.ReadInventory(g.Index, index)
	if err != nil {
		return err
	}
	if g.Coverage < 100 {
		x = x.Cover(g.Coverage, seed)
	}
	g.Config.Inventory = x
	return nil
}

// file reads a file that a flag names.
func (g *Guard) file(kind, path string) ([]byte, error) {
	if g.Read != nil {
		return g.Read(kind, path)
	}
	return suite.ReadFile(path)
}

// Args are the flags that name the same guard again, of those that differ from the defaults.
func (g *Guard) Args() []string {
	args, r := []string{"--guard"}, Default()
	flags := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	flags.SortFlags = false
	r.AddGroup(flags, Guarding)
	r.Guard, r.Guard.On, r.Guard.Off = *g, false, slices.Sorted(slices.Values(g.Off))
	flags.VisitAll(func(f *pflag.Flag) {
		if value := f.Value.String(); value != f.DefValue {
			args = append(args, "--"+f.Name, strings.Trim(value, "[]")) // of a list
		}
	})
	return args
}

// RebuildGuard makes the constraint layer that a subject of a plan names by its flags, with the files that read has.
func RebuildGuard(s assay.UnderTest, seed uint64, inner model.Model,
	read func(kind, path string) ([]byte, error)) (model.Model, error) {
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
