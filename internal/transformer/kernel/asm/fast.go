package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const unroll = 4 // steps of k in one turn of a fast tile's loop

// later is r some steps of k on, what to fetch now so that it is there in time.
func (r rows) later() rows {
	p := GP64()
	LEAQ(Mem{Base: r.base[0], Index: r.stride, Scale: 8}, p)
	LEAQ(Mem{Base: p, Index: r.stride, Scale: 8}, p)
	LEAQ(Mem{Base: p, Index: r.stride, Scale: 8}, p)
	r.base = []Register{p}
	return r
}

// fast emits the tile for a left operand whose rows (byRow) or columns are contiguous, the two that occur in
// training. One of A's strides is then a constant, and four steps of k need no arithmetic on addresses but one addition
// for each base. Integer instructions compete with the multiply-adds for ports: this is worth a sixth of the time.
func (t tile) fast(byRow bool) {
	doc := "computes a tile of %d rows by %d columns; the columns of A are contiguous and s is between them."
	t.masked = false
	t.name = strings.Replace(t.name, "p1", "cols", 1)
	if byRow {
		t.name = strings.Replace(t.name, "cols", "rows", 1)
		doc = "computes a tile of %d rows by %d columns; the rows of A are contiguous and s is between them."
	}
	t.header("func(k int, a *float32, s int, b *float32, ldb int, c *float32, ldc int, acc int)", doc)
	stride, ldb, ldc := bytes("s"), bytes("ldb"), bytes("ldc")
	p, c := Load(Param("a"), GP64()), Load(Param("c"), GP64())
	b := newRows(Load(Param("b"), GP64()), ldb, unroll)
	var a, soon rows
	if byRow {
		a = newRows(p, stride, t.m)
	} else {
		a = newRows(p, stride, unroll)
		soon = a.later()
	}
	soonB := b.later()
	left := func(i, u int) Mem { // element of row i, u steps on
		if byRow {
			return a.at(i, 4*u)
		}
		return a.at(u, 4*i)
	}
	step := func(u int) {
		if !byRow { // the steps of k are far apart, too far for the machine to foresee
			PREFETCHT0(soon.at(u, 0))
		}
		for d := 0; d < t.vecs*t.width; d += 64 {
			PREFETCHT0(soonB.at(u, d))
		}
		var y []Register
		for j := range t.vecs {
			v := t.vector()
			VMOVUPS(b.at(u, j*t.width), v)
			y = append(y, v)
		}
		for i := range t.m {
			x := t.vector()
			VBROADCASTSS(left(i, u), x)
			for j, r := range t.acc[i] {
				VFMADD231PS(y[j], x, r)
			}
		}
	}
	advance := func(n int) {
		if byRow {
			a.advance(U32(4 * n))
		} else {
			a.step(n)
			soon.step(n)
		}
		b.step(n)
		soonB.step(n)
	}
	masks := make([]Register, t.vecs)
	t.begin(c, ldc, masks)
	next := GP64() // the tile below, most likely the next
	IMUL3Q(U32(t.m), ldc, next)
	ADDQ(c, next)
	for range t.m {
		for d := 0; d < t.vecs*t.width; d += 64 {
			PREFETCHT0(Mem{Base: next, Disp: d})
		}
		ADDQ(ldc, next)
	}
	k, turns := Load(Param("k"), GP64()), GP64()
	MOVQ(k, turns)
	SHRQ(U8(2), turns)
	JZ(LabelRef("rest"))
	Label("loop")
	for u := range unroll {
		step(u)
	}
	advance(unroll)
	DECQ(turns)
	JNZ(LabelRef("loop"))
	Label("rest")
	ANDQ(U32(unroll-1), k)
	JZ(LabelRef("done"))
	Label("single")
	step(0)
	advance(1)
	DECQ(k)
	JNZ(LabelRef("single"))
	Label("done")
	t.end(c, ldc, masks)
}
