// Command gemv writes the assembly of the products of one row in package kernel: with a bfloat16 matrix, and of several
// rows with a matrix each. Run it with go generate in that package's directory.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	for panels := 1; panels <= 4; panels++ {
		gemv{fmt.Sprintf("gemv512p%d", panels), panels, 64, func() Register { return ZMM() }}.emit()
	}
	gemv{"gemv256p1", 1, 32, func() Register { return YMM() }}.emit()
	gemv{"gemv256p2", 2, 32, func() Register { return YMM() }}.emit()
	heads{"heads512", 4, 64, func() Register { return ZMM() }}.emit()
	heads{"heads256", 2, 32, func() Register { return YMM() }}.emit()
	Generate()
}

// A gemv multiplies a row by panels of 32 columns, whose rows lie side by side. A word of a panel's row holds
// column l in its low and column l+16 in its high half. A bfloat16 is the first half of a float32, so a shift and a
// mask make the two. Each output is one chain of fused multiply-adds over k, as in the product of float32 matrices.
type gemv struct {
	name   string
	panels int
	width  int // bytes of a vector
	vector func() Register
}

// ahead is how far in front the matrix is fetched, in bytes: the row after the last is that of the next panels.
const ahead = 2048

func (g gemv) emit() {
	TEXT(g.name, NOSPLIT, "func(k int, a *float32, b *uint32, step int, c *float32, acc int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %d columns, for k of 1 or more; step is the number of words from row to row.",
		g.name, 32*g.panels))
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	step := Load(Param("step"), GP64())
	SHLQ(U8(2), step)
	loads := 64 / g.width // vectors of words in a panel's row
	// acc[p][i] and acc[p][loads+i] take the low and the high halves of vector i of panel p.
	acc := make([][]Register, g.panels)
	for p := range acc {
		for range 2 * loads {
			acc[p] = append(acc[p], g.vector())
		}
	}
	mask := g.vector()
	if g.width == 64 {
		VPTERNLOGD(U8(0xff), mask, mask, mask)
	} else {
		VPCMPEQD(mask, mask, mask)
	}
	VPSLLD(U8(16), mask, mask)

	flag := Load(Param("acc"), GP64())
	TESTQ(flag, flag)
	JZ(LabelRef("clear"))
	g.each(acc, c, func(r Register, m Mem) { VMOVUPS(m, r) })
	JMP(LabelRef("begin"))
	Label("clear")
	g.each(acc, c, func(r Register, _ Mem) {
		if g.width == 64 {
			VPXORQ(r, r, r)
		} else {
			VXORPS(r, r, r)
		}
	})
	Label("begin")
	k := Load(Param("k"), GP64())
	Label("loop")
	x := g.vector()
	VBROADCASTSS(Mem{Base: a}, x)
	for p := range acc {
		PREFETCHT0(Mem{Base: b, Disp: ahead + 64*p})
		for i := range loads {
			lo, hi := g.vector(), g.vector()
			m := Mem{Base: b, Disp: p*64 + i*g.width}
			if g.width == 64 {
				VPSLLD(U8(16), m, lo)
				VPANDD(m, mask, hi)
			} else {
				VMOVDQU(m, hi)
				VPSLLD(U8(16), hi, lo)
				VPAND(hi, mask, hi)
			}
			VFMADD231PS(lo, x, acc[p][i])
			VFMADD231PS(hi, x, acc[p][loads+i])
		}
	}
	ADDQ(U8(4), a)
	ADDQ(step, b)
	DECQ(k)
	JNZ(LabelRef("loop"))
	g.each(acc, c, func(r Register, m Mem) { VMOVUPS(r, m) })
	VZEROUPPER()
	RET()
}

// each calls f for every vector of outputs.
func (g gemv) each(acc [][]Register, c Register, f func(r Register, m Mem)) {
	for p := range acc {
		for i, r := range acc[p] {
			f(r, Mem{Base: c, Disp: p*128 + i*g.width})
		}
	}
}

// A heads kernel multiplies several rows by a matrix of 32 columns each. One such product waits for its chain of
// sums, and reads one stream; several do not wait for each other.
type heads struct {
	name   string
	rows   int
	width  int // bytes of a vector
	vector func() Register
}

func (h heads) emit() {
	TEXT(h.name, NOSPLIT, "func(k int, a *float32, sa int, b *float32, sb, ldb int, c *float32, sc int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %d products, for k of 1 or more; ldb is the number of floats from row to row "+
		"of a matrix.", h.name, h.rows))
	a, b := h.strided("a", "sa"), h.strided("b", "sb")
	ldb := Load(Param("ldb"), GP64())
	SHLQ(U8(2), ldb)
	vecs := 128 / h.width
	acc := make([][]Register, h.rows)
	for i := range acc {
		for range vecs {
			r := h.vector()
			if h.width == 64 {
				VPXORQ(r, r, r)
			} else {
				VXORPS(r, r, r)
			}
			acc[i] = append(acc[i], r)
		}
	}
	k := Load(Param("k"), GP64())
	Label("loop")
	for i := range acc {
		x := h.vector()
		VBROADCASTSS(a(i, 0), x)
		for j, r := range acc[i] {
			VFMADD231PS(b(i, j*h.width), x, r)
		}
	}
	ADDQ(U8(4), a(0, 0).Base)
	ADDQ(ldb, b(0, 0).Base)
	DECQ(k)
	JNZ(LabelRef("loop"))
	c := h.strided("c", "sc")
	for i := range acc {
		for j, r := range acc[i] {
			VMOVUPS(r, c(i, j*h.width))
		}
	}
	VZEROUPPER()
	RET()
}

// strided addresses rows that are a stride of floats apart, displaced by bytes.
func (h heads) strided(base, stride string) func(i, disp int) Mem {
	p, s := Load(Param(base), GP64()), Load(Param(stride), GP64())
	SHLQ(U8(2), s)
	s3 := GP64()
	LEAQ(Mem{Base: s, Index: s, Scale: 2}, s3)
	return func(i, disp int) Mem {
		return []Mem{
			{Base: p, Disp: disp}, {Base: p, Index: s, Scale: 1, Disp: disp}, {Base: p, Index: s, Scale: 2, Disp: disp},
			{Base: p, Index: s3, Scale: 1, Disp: disp},
		}[i]
	}
}
