package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A gemv multiplies a row by panels of 32 columns, whose rows lie side by side. A word of a panel's row holds
// column l in its low and column l+16 in its high half. A bfloat16 is the first half of a float32, so a shift and a
// mask make the two. Each output is one chain of fused multiply-adds over k, as in the product of float32 matrices.
type gemv struct {
	*isa
	panels int
}

// ahead is how far in front the matrix is fetched, in bytes: the row after the last is that of the next panels.
const ahead = 2048

func (g gemv) emit() {
	name := fmt.Sprintf("gemv%sp%d", g.name, g.panels)
	TEXT(name, NOSPLIT, "func(k int, a *float32, b *uint32, step int, c *float32, acc int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %d columns, for k of 1 or more; step is the number of words from row to row.",
		name, 32*g.panels))
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	step := bytes("step")
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
	g.outputs(acc, c, func(r Register, m Mem) { VMOVUPS(m, r) })
	JMP(LabelRef("begin"))
	Label("clear")
	g.outputs(acc, c, func(r Register, _ Mem) { g.clear(r) })
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
	g.outputs(acc, c, func(r Register, m Mem) { VMOVUPS(r, m) })
	g.end()
}

// outputs calls f for every vector of outputs.
func (g gemv) outputs(acc [][]Register, c Register, f func(r Register, m Mem)) {
	for p := range acc {
		for i, r := range acc[p] {
			f(r, Mem{Base: c, Disp: p*128 + i*g.width})
		}
	}
}

// heads emits a kernel that multiplies several rows by a matrix of 32 columns each. One such product waits for its
// chain of sums, and reads one stream; several do not wait for each other.
func (v *isa) heads(n int) {
	name := "heads" + v.name
	TEXT(name, NOSPLIT, "func(k int, a *float32, sa int, b *float32, sb, ldb int, c *float32, sc int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %d products, for k of 1 or more; ldb is the number of floats from row to row "+
		"of a matrix.", name, n))
	strided := func(base, stride string) rows { return newRows(Load(Param(base), GP64()), bytes(stride), n) }
	a, b, ldb := strided("a", "sa"), strided("b", "sb"), bytes("ldb")
	acc := make([][]Register, n)
	for i := range acc {
		for range 128 / v.width {
			r := v.vector()
			v.clear(r)
			acc[i] = append(acc[i], r)
		}
	}
	k := Load(Param("k"), GP64())
	Label("loop")
	for i := range acc {
		x := v.vector()
		VBROADCASTSS(a.at(i, 0), x)
		for j, r := range acc[i] {
			VFMADD231PS(b.at(i, j*v.width), x, r)
		}
	}
	a.advance(U8(4))
	b.advance(ldb)
	DECQ(k)
	JNZ(LabelRef("loop"))
	c := strided("c", "sc")
	for i := range acc {
		for j, r := range acc[i] {
			VMOVUPS(r, c.at(i, j*v.width))
		}
	}
	v.end()
}
