// Command asm writes the assembly of package kernel; run it with go generate in the package's directory.
// It is a module of its own so that the generator's dependencies stay out of the product's.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	for m := 1; m <= 8; m++ {
		newTile(avx512, m, 1, true).emit()
	}
	newTile(avx512, 1, 4, false).emit()
	newTile(avx512, 2, 2, false).emit()
	for m := 1; m <= 6; m++ {
		newTile(avx2, m, 1, false).emit()
	}
	for m := 1; m <= 4; m++ {
		t := newTile(avx2, m, 1, true)
		t.name += "masked"
		t.emit()
	}
	newTile(avx2, 1, 4, false).emit()
	for _, byRow := range []bool{true, false} {
		newTile(avx512, 12, 1, false).fast(byRow)
		newTile(avx2, 6, 1, false).fast(byRow)
	}
	transpose()
	rowKernels()
	for panels := 1; panels <= 4; panels++ {
		gemv{avx512, panels}.emit()
	}
	gemv{avx2, 1}.emit()
	gemv{avx2, 2}.emit()
	avx512.heads(4)
	avx2.heads(2)
	Generate()
}
