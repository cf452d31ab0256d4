package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rows addresses the rows of a strided matrix from one base register for every four.
type rows struct {
	base            []Register // rows 0, 4, …
	stride, stride3 Register   // bytes between rows, and three times that
}

func newRows(p Register, stride Register, n int) rows {
	r := rows{base: []Register{p}, stride: stride}
	if n > 3 {
		r.stride3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.stride3)
	}
	for i := 4; i < n; i += 4 {
		next := GP64()
		LEAQ(Mem{Base: r.base[len(r.base)-1], Index: stride, Scale: 4}, next)
		r.base = append(r.base, next)
	}
	return r
}

// at is the address of row i, displaced by disp bytes.
func (r rows) at(i, disp int) Mem {
	m := Mem{Base: r.base[i/4], Disp: disp}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = r.stride, 1
	case 2:
		m.Index, m.Scale = r.stride, 2
	case 3:
		m.Index, m.Scale = r.stride3, 1
	}
	return m
}

// advance moves every base by step bytes.
func (r rows) advance(step Op) {
	for _, b := range r.base {
		ADDQ(step, b)
	}
}

// step moves the only base by n rows, 1 or 4.
func (r rows) step(n int) {
	if n == 1 {
		ADDQ(r.stride, r.base[0])
	} else {
		LEAQ(Mem{Base: r.base[0], Index: r.stride, Scale: uint8(n)}, r.base[0])
	}
}

// bytes loads a stride parameter, in elements, as a number of bytes.
func bytes(name string) Register {
	r := Load(Param(name), GP64())
	SHLQ(U8(2), r)
	return r
}

// A tile describes one GEMM kernel: m rows by panels·cols outputs, where a panel's columns are contiguous.
// Each output is one chain of fused multiply-adds over k = 0, 1, …, so its bits do not depend on the tile's shape,
// the vector width, or how a caller splits k. Vectors run along columns, never along k.
type tile struct {
	*isa
	name            string
	m, panels, vecs int // vecs: vectors to a panel
	masked          bool
	acc             [][]Register // acc[i][j]: row i, vector j over all panels
}

// newTile is a tile of AVX-512 panels, 32 columns each, or of AVX2 panels, 16 columns each. A masked one has a single
// panel, which may be narrower.
func newTile(v *isa, m, panels int, masked bool) tile {
	name := fmt.Sprintf("gemm%sm%dp%d", v.name, m, panels)
	return tile{isa: v, name: name, m: m, panels: panels, vecs: 2, masked: masked}
}

// masks loads the masks of the vectors of a panel.
func (v *isa) masks() []Register {
	if v.width == 64 {
		bits := GP32()
		Load(Param("mask"), bits)
		lo, hi := K(), K()
		KMOVW(bits, lo)
		SHRL(U8(16), bits)
		KMOVW(bits, hi)
		return []Register{lo, hi}
	}
	p := Load(Param("mask"), GP64())
	lo, hi := YMM(), YMM()
	VMOVUPS(Mem{Base: p}, lo)
	VMOVUPS(Mem{Base: p, Disp: 32}, hi)
	return []Register{lo, hi}
}

// header starts the function; doc says what it does with a tile of %d rows by %d columns.
func (t *tile) header(signature, doc string) {
	TEXT(t.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(t.name + " " + fmt.Sprintf(doc, t.m, t.panels*t.vecs*t.width/4))
	for range t.m {
		var row []Register
		for range t.panels * t.vecs {
			row = append(row, t.vector())
		}
		t.acc = append(t.acc, row)
	}
}

// begin loads the accumulators from c, or clears them.
func (t tile) begin(c, ldc Register, masks []Register) {
	flag, p := Load(Param("acc"), GP64()), GP64()
	TESTQ(flag, flag)
	JZ(LabelRef("clear"))
	MOVQ(c, p)
	for i := range t.acc {
		for j, r := range t.acc[i] {
			t.fetch(Mem{Base: p, Disp: j * t.width}, masks[j%t.vecs], r)
		}
		ADDQ(ldc, p)
	}
	JMP(LabelRef("begin"))
	Label("clear")
	for i := range t.acc {
		for _, r := range t.acc[i] {
			t.clear(r)
		}
	}
	Label("begin")
}

// end stores the accumulators in c and returns.
func (t tile) end(c, ldc Register, masks []Register) {
	for i := range t.acc {
		for j, r := range t.acc[i] {
			t.put(r, masks[j%t.vecs], Mem{Base: c, Disp: j * t.width})
		}
		ADDQ(ldc, c)
	}
	VZEROUPPER()
	RET()
}

// emit emits the tile for any strides.
func (t tile) emit() {
	maskType := "uint32"
	if t.width == 32 {
		maskType = "*int32"
	}
	t.header("func(k int, a *float32, rsa, csa int, b *float32, ldb, panel int, c *float32, ldc int, mask "+maskType+
		", acc int)",
		"computes a tile of %d rows by %d columns.")
	var stride Register
	if t.m > 1 {
		stride = bytes("rsa")
	}
	a := newRows(Load(Param("a"), GP64()), stride, t.m)
	csa, ldb, ldc := bytes("csa"), bytes("ldb"), bytes("ldc")
	var panel Register
	if t.panels > 1 {
		panel = bytes("panel")
	}
	b := newRows(Load(Param("b"), GP64()), panel, t.panels)
	c := Load(Param("c"), GP64())
	masks := make([]Register, t.vecs)
	if t.masked {
		masks = t.masks()
	}

	t.begin(c, ldc, masks)
	k := Load(Param("k"), GP64())
	TESTQ(k, k)
	JZ(LabelRef("done"))

	Label("loop")
	if t.m == 1 {
		x := t.vector()
		VBROADCASTSS(a.at(0, 0), x)
		for j, r := range t.acc[0] {
			m := b.at(j/t.vecs, j%t.vecs*t.width)
			if t.masked {
				y := t.vector()
				t.fetch(m, masks[j%t.vecs], y)
				VFMADD231PS(y, x, r)
			} else {
				VFMADD231PS(m, x, r)
			}
		}
	} else {
		var y []Register
		for j := range t.panels * t.vecs {
			v := t.vector()
			t.fetch(b.at(j/t.vecs, j%t.vecs*t.width), masks[j%t.vecs], v)
			y = append(y, v)
		}
		for i := range t.acc {
			x := t.vector()
			VBROADCASTSS(a.at(i, 0), x)
			for j, r := range t.acc[i] {
				VFMADD231PS(y[j], x, r)
			}
		}
	}
	a.advance(csa)
	b.advance(ldb)
	DECQ(k)
	JNZ(LabelRef("loop"))

	Label("done")
	t.end(c, ldc, masks)
}
