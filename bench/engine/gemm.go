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

	"hallmark/internal/transformer/kernel"
)

const turns = 15 // of each engine at each size

var sizes = []struct{ m, n, k int }{{256, 128, 128}, {512, 128, 128}, {1024, 128, 128}, {4096, 128, 128}, {256, 384, 128}, {256, 704, 128}, {256, 128, 352}}

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

// time runs a product and returns seconds of processor time and the sum of the result.
func (p *peer) time(m, n, k, repeats int) (seconds, sum float64, err error) {
	if _, err = fmt.Fprintln(p.in, m, n, k, repeats); err != nil {
		return 0, 0, err
	}
	_, err = fmt.Fscan(p.out, &seconds, &sum)
	return seconds, sum, err
}

// gemm prints one line a size and family: GFLOP/s of the engine with the right operand packed before (as weights are)
// and with it as it lies, of the peer, and the ratios' medians.
func gemm(w io.Writer, program []string) error {
	old := kernel.Current()
	defer kernel.Use(old)
	fmt.Fprintln(w, "m × n × k             kernels  packed  as it lies  openblas  packed/openblas  as it lies/openblas   (GFLOP/s: medians; ratios: medians by turn)")
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
	repeats := 1 + int(4e9/flops) // about 30 ms
	ours := func(right kernel.Matrix) (float64, float64) {
		start := cpuSeconds()
		for range repeats {
			kernel.Gemm(c, n, a, k, 1, m, right, false)
		}
		seconds := cpuSeconds() - start
		sum := 0.0
		for _, x := range c {
			sum += float64(x)
		}
		return seconds, sum
	}
	var speeds, ratios [3][]float64
	for range turns {
		seconds := [3]float64{2: math.NaN()}
		var sum float64
		seconds[1], _ = ours(rows)
		seconds[0], sum = ours(packed)
		if p != nil {
			peerSeconds, peerSum, err := p.time(m, n, k, repeats)
			if err != nil {
				return err
			}
			if math.Abs(sum-peerSum) > 1e-5*math.Abs(sum)+1e-2 {
				return fmt.Errorf("%d×%d×%d: the products add up to %g and %g", m, n, k, sum, peerSum)
			}
			seconds[2] = peerSeconds
		}
		for i, s := range seconds {
			speeds[i] = append(speeds[i], flops*float64(repeats)/s/1e9)
			ratios[i] = append(ratios[i], seconds[2]/s)
		}
	}
	size := fmt.Sprintf("%d × %d × %d", m, n, k)
	fmt.Fprintf(w, "%-20s  %-7v  %6.1f  %10.1f  %8.1f  %15.2f  %19.2f   best %.1f %.1f %.1f\n", size, path, median(speeds[0]), median(speeds[1]), median(speeds[2]),
		median(ratios[0]), median(ratios[1]), slices.Max(speeds[0]), slices.Max(speeds[1]), slices.Max(speeds[2]))
	return nil
}

// filled returns n floats, the same as openblas.c's.
func filled(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%7-3) / 8
	}
	return x
}
