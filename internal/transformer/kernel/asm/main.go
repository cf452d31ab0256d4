// Command asm writes the assembly of package kernel; run it with go generate in the package's directory.
// It is a module of its own so that the generator's dependencies stay out of the product's.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	for m := 1; m <= 8; m++ {
		gemm512(m, 1)
	}
	gemm512(1, 4)
	gemm512(2, 2)
	for m := 1; m <= 6; m++ {
		gemm256(m, 1, false)
	}
	for m := 1; m <= 4; m++ {
		gemm256(m, 1, true)
	}
	gemm256(1, 4, false)
	for _, v := range isas {
		v.rows()
	}
	Generate()
}
