//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"

	"hallmark/internal/engine/kernel"
)

// products prints the speed of the three products of a linear layer, y = x·Wᵀ of the forward pass and dx = dy·W and
// dW += dyᵀ·x of the backward pass, at the sizes that training spends its time in.
func products(w io.Writer) error {
	const rows = 256
	fmt.Fprintf(w, "%d rows, %v   y = x·Wᵀ  dx = dy·W  dW += dyᵀ·x   (GFLOP/s, best and median of %d turns)\n", rows,
		kernel.Current(), turns)
	for _, s := range []struct{ outputs, inputs int }{{384, 128}, {128, 128}, {704, 128}, {128, 352}, {512, 128}} {
		x, y, weights := filled(rows*s.inputs), filled(rows*s.outputs), filled(s.outputs*s.inputs)
		gradient := make([]float32, len(weights))
		packed := kernel.PackTransposed(make([]float32, kernel.PackedLen(s.outputs, s.inputs)), weights, s.outputs,
			s.inputs)
		calls := []func(){
			func() { kernel.Gemm(y, s.outputs, x, s.inputs, 1, rows, packed, false) },
			func() {
				kernel.Gemm(x, s.inputs, y, s.outputs, 1, rows,
					kernel.RowMajor(weights, s.outputs, s.inputs, s.inputs), false)
			},
			func() {
				kernel.Gemm(gradient, s.inputs, y, 1, s.outputs, s.outputs,
					kernel.RowMajor(x, rows, s.inputs, s.inputs), true)
			},
		}
		flops := 2 * float64(rows*s.outputs*s.inputs)
		repeats := 1 + int(2e8/flops)
		speeds := make([][]float64, len(calls))
		for range turns {
			for i, f := range calls {
				copy(x, filled(len(x))) // or products of products overflow
				copy(y, filled(len(y)))
				start := cpuSeconds()
				for range repeats {
					f()
				}
				speeds[i] = append(speeds[i], flops*float64(repeats)/(cpuSeconds()-start)/1e9)
			}
		}
		fmt.Fprintf(w, "%4d × %-4d         %6.1f %5.1f  %5.1f %5.1f  %6.1f %5.1f\n", s.outputs, s.inputs,
			slices.Max(speeds[0]), median(speeds[0]), slices.Max(speeds[1]), median(speeds[1]), slices.Max(speeds[2]),
			median(speeds[2]))
	}
	return nil
}
