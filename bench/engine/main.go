//go:build unix

// Command engine measures the in-process engine: products beside OpenBLAS's, and training. bench/engine/run.sh builds
// the peer and runs all three.
//
//	engine gemm OPENBLAS     # OPENBLAS is the program that peer/openblas.c makes; without it, the engine alone
//	engine products          # the products of a training step
//	engine train             # tokens a second at the configuration that docs/benchmarks.md names
//
// Times are of the processor, not of the clock, unless a line says otherwise: a neighbour that takes the cores makes
// the clock run on. What a neighbour does to the caches stays in, so engines take turns and ratios are by turn.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) >= 1 && len(args) <= 2 && args[0] == "gemm":
		err = gemm(stdout, args[1:])
	case len(args) == 1 && args[0] == "products":
		err = products(stdout)
	case len(args) == 1 && args[0] == "train":
		err = training(stdout)
	default:
		err = fmt.Errorf("want gemm [OPENBLAS], products or train, got %q", args)
	}
	if err != nil {
		fmt.Fprintln(stderr, "engine:", err)
		return 1
	}
	return 0
}

// cpuSeconds is the processor time this process has taken.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the call has no way to fail with these arguments
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}
