//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"

	"hallmark/internal/engine/kernel"
)

const turns = 9 // of each engine at each size

var sizes = []struct{ m, n, k int }{{512, 128, 128}, {4096, 128, 128}, {256, 704, 128}, {256, 128, 352}}

// A peer is OpenBLAS in a process of its own, held to one family of kernels.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

func startPeer(program, core string) (*peer, error) {
	c := exec.Command(program)
	c.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OPENBLAS_CORETYPE="+core)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{in, bufio.NewReader(out)}, c.Start()
}

// time runs a product and returns seconds of processor time and the sum of the result. transposed is 1 if the right
// operand lies as weights do, 0 if it lies as the product runs through it.
func (p *peer) time(m, n, k, transposed, repeats int) (seconds, sum float64, err error) {
	if _, err = fmt.Fprintln(p.in, m, n, k, transposed, repeats); err != nil {
		return 0, 0, err
	}
	_, err = fmt.Fscan(p.out, &seconds, &sum)
	return seconds, sum, err
}

// gemm prints one line a size and family of kernels. Of the engine's two products the first has its right operand
// packed beforehand, as weights are once a step, beside a peer that finds it as weights lie; the second has it as rows,
// beside a peer that has the same.
func gemm(w io.Writer, program []string) error {
	old := kernel.Current()
	defer func() { _ = kernel.Use(old) }() // which ran a moment ago
	fmt.Fprintf(w, "GFLOP/s of processor time, median (best) of %d turns; ratios are medians by turn\n", turns)
	fmt.Fprintln(w,
		"m × n × k           kernels  weights: engine        openblas  ratio   rows: engine        openblas  ratio")
	for _, f := range []struct {
		path kernel.Path
		core string
	}{{kernel.AVX512, "SkylakeX"}, {kernel.AVX2, "Haswell"}} {
		if err := kernel.Use(f.path); err != nil {
			fmt.Fprintln(w, err)
			continue
		}
		var p *peer
		if len(program) > 0 {
			var err error
			if p, err = startPeer(program[0], f.core); err != nil {
				return err
			}
		}
		for _, s := range sizes {
			if err := compare(w, f.path, p, s.m, s.n, s.k); err != nil {
				return err
			}
		}
	}
	return nil
}

func compare(w io.Writer, path kernel.Path, p *peer, m, n, k int) error {
	a, b, c := filled(m*k), filled(n*k), make([]float32, m*n)
	packed := kernel.PackTransposed(make([]float32, kernel.PackedLen(n, k)), b, n, k)
	rows := kernel.RowMajor(b, k, n, n)
	flops := 2 * float64(m) * float64(n) * float64(k)
	repeats := 1 + int(3e9/flops) // about 20 ms of processor time
	ours := func(right kernel.Matrix) (seconds, sum float64) {
		start := cpuSeconds()
		for range repeats {
			kernel.Gemm(c, n, a, k, 1, m, right, false)
		}
		seconds = cpuSeconds() - start
		for _, x := range c {
			sum += float64(x)
		}
		return seconds, sum
	}
	var speeds [2][2][]float64 // by layout; the engine's, then the peer's
	var ratios [2][]float64
	for range turns {
		for i, right := range []kernel.Matrix{packed, rows} {
			seconds, sum := ours(right)
			peerSeconds := math.NaN()
			if p != nil {
				var peerSum float64
				var err error
				if peerSeconds, peerSum, err = p.time(m, n, k, 1-i, repeats); err != nil {
					return err
				}
				if math.Abs(sum-peerSum) > 1e-5*math.Abs(sum)+1e-2 {
					return fmt.Errorf("%d×%d×%d: the products add up to %g and %g", m, n, k, sum, peerSum)
				}
			}
			for j, s := range []float64{seconds, peerSeconds} {
				speeds[i][j] = append(speeds[i][j], flops*float64(repeats)/s/1e9)
			}
			ratios[i] = append(ratios[i], peerSeconds/seconds)
		}
	}
	fmt.Fprintf(w, "%-18s  %-7v", fmt.Sprintf("%d × %d × %d", m, n, k), path)
	for i := range speeds {
		fmt.Fprintf(w, "  %7.1f (%5.1f)  %5.1f (%5.1f)  %5.2f", median(speeds[i][0]), slices.Max(speeds[i][0]),
			median(speeds[i][1]), slices.Max(speeds[i][1]), median(ratios[i]))
	}
	fmt.Fprintln(w)
	return nil
}

// filled returns n floats, as openblas.c fills its own.
func filled(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%7-3) / 8
	}
	return x
}
