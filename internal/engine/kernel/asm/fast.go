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
	t.name = strings.Replace(t.name, "p1", "cols", 1)
	if byRow {
		t.name = strings.Replace(t.name, "cols", "rows", 1)
		doc = "computes a tile of %d rows by %d columns; the rows of A are contiguous and s is between them."
	}
	t.header("func(k int, a *float32, s int, b *float32, ldb int, c *float32, ldc int, acc int)", doc)
	stride, ldb, ldc := bytes("s"), bytes("ldb"), bytes("ldc")
	p, c := Load(Param("a"), GP64()), Load(Param("c"), GP64())
	o := operands{tile: t, byRow: byRow, b: newRows(Load(Param("b"), GP64()), ldb, unroll)}
	if byRow {
		o.a = newRows(p, stride, t.m)
	} else {
		o.a = newRows(p, stride, unroll)
		o.soonA = o.a.later()
	}
	o.soonB = o.b.later()
	masks := make([]Register, t.vecs)
	t.begin(c, ldc, masks)
	t.fetchBelow(c, ldc)
	k, turns := Load(Param("k"), GP64()), GP64()
	MOVQ(k, turns)
	SHRQ(U8(2), turns)
	JZ(LabelRef("rest"))
	Label("loop")
	for u := range unroll {
		o.multiply(u)
	}
	o.advance(unroll)
	DECQ(turns)
	JNZ(LabelRef("loop"))
	Label("rest")
	ANDQ(U32(unroll-1), k)
	JZ(LabelRef("done"))
	Label("single")
	o.multiply(0)
	o.advance(1)
	DECQ(k)
	JNZ(LabelRef("single"))
	Label("done")
	t.end(c, ldc, masks)
}

// fetchBelow fetches the outputs of the tile below, most likely the next.
func (t tile) fetchBelow(c, ldc Register) {
	next := GP64()
	IMUL3Q(U32(t.m), ldc, next)
	ADDQ(c, next)
	for range t.m {
		for d := 0; d < t.vecs*t.width; d += 64 {
			PREFETCHT0(Mem{Base: next, Disp: d})
		}
		ADDQ(ldc, next)
	}
}

// operands are the two matrices of a fast tile, and what is fetched of them some steps early.
type operands struct {
	tile
	byRow              bool
	a, soonA, b, soonB rows // soonA where the columns of a are contiguous
}

// left is the element of row i, u steps on.
func (o operands) left(i, u int) Mem {
	if o.byRow {
		return o.a.at(i, 4*u)
	}
	return o.a.at(u, 4*i)
}

// multiply adds the products of step u to the accumulators.
func (o operands) multiply(u int) {
	if !o.byRow { // the steps of k are far apart, too far for the machine to foresee
		PREFETCHT0(o.soonA.at(u, 0))
	}
	for d := 0; d < o.vecs*o.width; d += 64 {
		PREFETCHT0(o.soonB.at(u, d))
	}
	var y []Register
	for j := range o.vecs {
		v := o.vector()
		VMOVUPS(o.b.at(u, j*o.width), v)
		y = append(y, v)
	}
	for i := range o.m {
		x := o.vector()
		VBROADCASTSS(o.left(i, u), x)
		for j, r := range o.acc[i] {
			VFMADD231PS(y[j], x, r)
		}
	}
}

// advance moves on by n steps of k, 1 or unroll.
func (o operands) advance(n int) {
	if o.byRow {
		o.a.advance(U32(4 * n))
	} else {
		o.a.step(n)
		o.soonA.step(n)
	}
	o.b.step(n)
	o.soonB.step(n)
}
