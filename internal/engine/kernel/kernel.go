// Package kernel holds the loops a transformer spends its time in: a float32 matrix product, and the element-wise
// and row-wise functions around it.
//
// Every function gives the same bits on every machine and on every path. A product's element is one chain of fused
// multiply-adds over k in order; a sum over a row adds element j to lane j mod 16 and folds the lanes in a fixed
// tree; all other arithmetic rounds each operation. So neither the vector width, the tiling, the rows that share a
// batch, nor a machine's inclination to fuse products can change a result.
package kernel

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
)

//go:generate sh -c "cd asm && go run . -out ../kernel_amd64.s -stubs ../stubs_amd64.go -pkg kernel"

// A Path is one implementation of the kernels.
type Path int32

// The paths, slowest first. Scalar runs everywhere.
const (
	Scalar Path = iota
	AVX2
	AVX512
)

func (p Path) String() string { return [...]string{"scalar", "avx2", "avx512"}[p] }

var current atomic.Int32

func init() {
	current.Store(int32(paths[len(paths)-1]))
	_ = FromEnvironment() // commands report it
}

// variable is the environment variable that names a path.
const variable = "HALLMARK_KERNEL"

// FromEnvironment switches to the path that the environment names, the fastest if it names none, as the start of the
// process does. It is an error, and nothing changes, if this machine does not run it.
func FromEnvironment() error {
	name := os.Getenv(variable)
	if name == "" {
		return Use(paths[len(paths)-1])
	}
	for _, p := range paths {
		if p.String() == name {
			return Use(p)
		}
	}
	return fmt.Errorf("%s=%s: this machine runs %v; any of them gives the same bits", variable, name, paths)
}

// Paths lists the paths this machine can run, slowest first.
func Paths() []Path { return paths }

// Current is the path in use: the fastest this machine can run, or the one the environment variable HALLMARK_KERNEL
// names (scalar, avx2 or avx512) if the machine can run it.
func Current() Path { return Path(current.Load()) }

// Use switches every later call in the process to p. It is an error if the machine cannot run p.
func Use(p Path) error {
	if !slices.Contains(paths, p) {
		return fmt.Errorf("kernel path %v: this machine runs %v", p, paths)
	}
	current.Store(int32(p))
	return nil
}
