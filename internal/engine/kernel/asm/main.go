// Command asm writes the assembly of package kernel; run it with go generate in the package's directory.
// It is a module of its own so that the generator's dependencies stay out of the product's.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	for m := 1; m <= 8; m++ {
		gemm512(m, 1).emit()
	}
	gemm512(1, 4).emit()
	gemm512(2, 2).emit()
	for m := 1; m <= 6; m++ {
		gemm256(m, 1, false).emit()
	}
	for m := 1; m <= 4; m++ {
		gemm256(m, 1, true).emit()
	}
	gemm256(1, 4, false).emit()
	for _, byRow := range []bool{true, false} {
		gemm512(12, 1).fast(byRow)
		gemm256(6, 1, false).fast(byRow)
	}
	transpose()
	for _, v := range isas {
		v.rows()
	}
	Generate()
}
