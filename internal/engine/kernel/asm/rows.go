package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Row kernels work on groups of 16 floats: one AVX-512 vector or two AVX2 vectors, the lanes of the sums in package
// kernel. They never fuse, so that Go code which rounds every product gives the same bits. The last group may be short:
// what is past it is read as 0 and not written.

// An isa emits kernels for one vector width.
type isa struct {
	name   string
	width  int // bytes
	vector func() Register

	// of row kernels
	bits   Register // AVX-512, in a short group: the floats that count
	window Register // AVX2, in a short group: where 16 masks lie in memory
	passes int      // loops over a row that the function has so far
}

var (
	avx512 = &isa{name: "512", width: 64, vector: func() Register { return ZMM() }}
	avx2   = &isa{name: "256", width: 32, vector: func() Register { return YMM() }}
)

// row starts a function whose parameters are n, a multiple of 16, then pointers and floats as named:
// "*x" is a pointer to floats, "+i" an int, "f" a float and "=" a result, which is a float. It returns the registers of
// pointers and ints, and the floats, broadcast.
func (v *isa) row(name, doc string, params ...string) (n Register, ptr, val map[string]Register) {
	sig, result := []string{"n int"}, ""
	for _, p := range params {
		switch {
		case p == "=":
			result = " float32"
		case p[0] == '*':
			sig = append(sig, p[1:]+" *float32")
		case p[0] == '+':
			sig = append(sig, p[1:]+" int")
		default:
			sig = append(sig, p+" float32")
		}
	}
	TEXT(name+v.name, NOSPLIT, "func("+strings.Join(sig, ", ")+")"+result)
	v.passes = 0
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s %s.", name, v.name, doc))
	n = Load(Param("n"), GP64())
	ptr, val = map[string]Register{}, map[string]Register{}
	for _, p := range params {
		if p == "=" {
			continue
		}
		if p[0] == '*' || p[0] == '+' {
			ptr[p[1:]] = Load(Param(p[1:]), GP64())
			continue
		}
		r, err := Param(p).Resolve()
		if err != nil {
			panic(err)
		}
		val[p] = v.vector()
		VBROADCASTSS(r.Addr, val[p])
	}
	return n, ptr, val
}

// each runs body on every vector of n floats; i counts the vectors of a group and disp is theirs from the pointers.
func (v *isa) each(n Register, ptrs map[string]Register, body func(i, disp int)) {
	group := func() {
		for i := range 64 / v.width {
			body(i, i*v.width)
		}
	}
	v.passes++
	label := func(name string) string { return fmt.Sprintf("%s%d", name, v.passes) }
	rest := GP64()
	MOVQ(n, rest)
	SHRQ(U8(4), n)
	JZ(LabelRef(label("short")))
	Label(label("loop"))
	group()
	for _, name := range sorted(ptrs) {
		ADDQ(U8(64), ptrs[name])
	}
	DECQ(n)
	JNZ(LabelRef(label("loop")))
	Label(label("short"))
	ANDQ(U8(15), rest)
	JZ(LabelRef(label("done")))
	v.begin(rest)
	group()
	v.bits, v.window = nil, nil
	Label(label("done"))
}

// begin starts a group of which the first n floats count.
func (v *isa) begin(n Register) {
	if v.width == 64 {
		bits := GP32()
		MOVL(U32(0xffff), bits)
		BZHIL(n.(GPVirtual).As32(), bits, bits)
		v.bits = K()
		KMOVW(bits, v.bits)
		return
	}
	v.window = GP64()
	LEAQ(masks().Offset(64), v.window)
	SHLQ(U8(2), n)
	SUBQ(n, v.window)
}

var maskTable *Mem

// masks is 16 set lanes, then 16 clear ones: the window that starts n lanes before the clear ones selects n.
func masks() Mem {
	if maskTable == nil {
		m := GLOBL("masks", RODATA|NOPTR)
		for i := range 32 {
			if i < 16 {
				DATA(4*i, U32(0xffffffff))
			} else {
				DATA(4*i, U32(0))
			}
		}
		maskTable = &m
	}
	return *maskTable
}

// mask is the mask of the short group's vector at disp, nil in a whole group; for AVX2 loaded anew at each use, as
// registers are few.
func (v *isa) mask(disp int) Register {
	if v.window == nil {
		return v.bits
	}
	m := v.vector()
	VMOVUPS(Mem{Base: v.window, Disp: disp}, m)
	return m
}

// fetch loads the floats of a vector that the mask selects, and 0 for the others; all where it is nil.
func (v *isa) fetch(m Mem, mask, r Register) {
	switch {
	case mask == nil:
		VMOVUPS(m, r)
	case v.width == 64:
		VMOVUPS_Z(m, mask, r)
	default:
		VMASKMOVPS(m, mask, r)
	}
}

// put stores the floats of a vector that the mask selects, all where it is nil.
func (v *isa) put(r, mask Register, m Mem) {
	switch {
	case mask == nil:
		VMOVUPS(r, m)
	case v.width == 64:
		VMOVUPS(r, mask, m)
	default:
		VMASKMOVPS(r, mask, m)
	}
}

// clear sets a vector to 0.
func (v *isa) clear(r Register) {
	if v.width == 64 {
		VPXORQ(r, r, r)
	} else {
		VXORPS(r, r, r)
	}
}

// only is x where the floats of the vector at disp count, and other elsewhere.
func (v *isa) only(x, other Register, disp int) Register {
	r := v.vector()
	switch {
	case v.bits != nil:
		VBLENDMPS(x, other, v.bits, r)
	case v.window != nil:
		VBLENDVPS(v.mask(disp), x, other, r)
	default:
		return x
	}
	return r
}

func sorted(m map[string]Register) []string { return slices.Sorted(maps.Keys(m)) }

// pass runs body on every vector of a row of n floats at the pointers, which it leaves as they are.
func (v *isa) pass(n Register, ptrs map[string]Register, body func(p map[string]Register, i, disp int)) {
	count, p := GP64(), map[string]Register{}
	MOVQ(n, count)
	for _, name := range sorted(ptrs) {
		p[name] = GP64()
		MOVQ(ptrs[name], p[name])
	}
	v.each(count, p, func(i, d int) { body(p, i, d) })
}

// lanes returns the lanes' accumulators, all equal to from.
func (v *isa) lanes(from float32) []Register {
	var s []Register
	for i := range 64 / v.width {
		s = append(s, v.vector())
		VMOVUPS(f32(from), s[i])
	}
	return s
}

// fold joins the lanes in the order of halving, as fold of package kernel: op(x, y, z) is z = y op x. The result is the
// first of the vector's floats.
func (v *isa) fold(s []Register, op func(x, y, z Op)) Register {
	half := YMM()
	if v.width == 64 {
		VEXTRACTF64X4(U8(1), s[0], half)
		op(s[0].(VecVirtual).AsY(), half, half)
	} else {
		op(s[0], s[1], half)
	}
	x, y := XMM(), half.(VecVirtual).AsX()
	VEXTRACTF128(U8(1), half, x)
	op(y, x, x)
	y = XMM()
	VMOVHLPS(x, x, y)
	op(x, y, x)
	VMOVSHDUP(x, y)
	op(x, y, x)
	return x
}

func (v *isa) sum(s []Register) Register {
	return v.fold(s, func(x, y, z Op) { VADDPS(x, y, z) })
}

// top is the largest of the lanes; of two that are equal, 0 and −0, the first.
func (v *isa) top(s []Register) Register {
	return v.fold(s, func(x, y, z Op) { VMAXPS(x, y, z) })
}

// spread is the first float of x in all places.
func (v *isa) spread(x Register) Register {
	r := v.vector()
	VBROADCASTSS(x.(VecVirtual).AsX(), r)
	return r
}

// result returns the first float of x.
func (v *isa) result(x Register) {
	Store(x, ReturnIndex(0))
	v.end()
}

func (v *isa) end() {
	VZEROUPPER()
	RET()
}

func (v *isa) load(p Register, disp int) Register {
	r := v.vector()
	v.fetch(Mem{Base: p, Disp: disp}, v.mask(disp), r)
	return r
}

// at is the vector at p as an operand.
func (v *isa) at(p Register, disp int) Op {
	if v.bits != nil || v.window != nil {
		return v.load(p, disp)
	}
	return Mem{Base: p, Disp: disp}
}

func (v *isa) store(r, p Register, disp int) { v.put(r, v.mask(disp), Mem{Base: p, Disp: disp}) }

func (v *isa) rows() {
	v.reductions()
	v.softmax()
	v.norms()
	v.pointwise("scale", "multiplies x by f", "*x f", func(p, f map[string]Register, d int) {
		v.store(v.mul(v.load(p["x"], d), f["f"]), p["x"], d)
	})
	v.pointwise("add", "adds y to x", "*x *y", func(p, _ map[string]Register, d int) {
		v.store(v.add(v.load(p["x"], d), v.at(p["y"], d)), p["x"], d)
	})
	v.pointwise("softmaxBack", "replaces d by p·(d − s)·scale", "*d *p s scale", func(p, f map[string]Register, d int) {
		x := v.mul(v.sub(v.load(p["d"], d), f["s"]), v.at(p["p"], d))
		v.store(v.mul(x, f["scale"]), p["d"], d)
	})
	v.pointwise("normBack", "adds e·(x·r) to d and multiplies e by w",
		"*d *e *x *w r", func(p, f map[string]Register, d int) {
			g := v.load(p["e"], d)
			y := v.mul(v.mul(v.load(p["x"], d), f["r"]), g)
			v.store(v.add(y, v.at(p["d"], d)), p["d"], d)
			v.store(v.mul(g, v.at(p["w"], d)), p["e"], d)
		})
	v.pointwise("normBackAdd", "adds e·r − x·f to d", "*d *e *x r f", func(p, f map[string]Register, d int) {
		y := v.sub(v.mul(v.load(p["e"], d), f["r"]), v.mul(v.load(p["x"], d), f["f"]))
		v.store(v.add(y, v.at(p["d"], d)), p["d"], d)
	})
	v.pointwise("swiglu", "stores silu(e)·u in d", "*d *e *u", func(p, _ map[string]Register, d int) {
		g := v.load(p["e"], d)
		y := v.div(g, v.add(v.exp(v.sub(v.zero(), g)), f32(1)))
		v.store(v.mul(y, v.at(p["u"], d)), p["d"], d)
	})
	doc := "replaces e and u by the gradients of silu(e)·u, given that at the result, d"
	v.pointwise("swigluBack", doc, "*e *u *d", func(p, _ map[string]Register, d int) {
		g, dh := v.load(p["e"], d), v.load(p["d"], d)
		one := v.one()
		s := v.div(one, v.add(v.exp(v.sub(v.zero(), g)), f32(1)))
		a := v.mul(g, s)
		slope := v.add(v.mul(v.sub(one, s), a), s)
		v.store(v.mul(v.mul(dh, v.at(p["u"], d)), slope), p["e"], d)
		v.store(v.mul(dh, a), p["u"], d)
	})
	v.rotate("rotate", "turns the pairs (a, b) by the angles with cosine c and sine s", v.add, v.sub)
	v.rotate("rotateBack", "turns the pairs (a, b) back", v.sub, v.add)
	v.adam()
}

// pointwise emits a function that does the same with every vector of its rows.
func (v *isa) pointwise(name, doc, params string, body func(p, f map[string]Register, d int)) {
	n, p, f := v.row(name, doc, strings.Fields(params)...)
	v.each(n, p, func(_, d int) { body(p, f, d) })
	v.end()
}

func (v *isa) reductions() {
	n, p, _ := v.row("dot", "returns Σ x·y", "*x", "*y", "=")
	s := v.lanes(0)
	v.each(n, p, func(i, d int) { v.addProduct(s[i], p["x"], p["y"], d) })
	v.result(v.sum(s))

	n, p, _ = v.row("max", "returns the largest number of x", "*x", "=")
	s = v.lanes(lowest)
	v.each(n, p, func(i, d int) { v.raise(s[i], p["x"], d) })
	v.result(v.top(s))

	n, p, f := v.row("expSum", "stores exp(scale·x − shift) in d and returns the sum", "*d", "*x", "scale", "shift",
		"=")
	s = v.lanes(0)
	v.each(n, p, func(i, d int) { v.addExp(s[i], p["d"], p["x"], d, f["scale"], f["shift"]) })
	v.result(v.sum(s))
}

func (v *isa) softmax() {
	n, p, f := v.row("softmax", "replaces x by the softmax of scale·x", "*x", "scale")
	row := map[string]Register{"x": p["x"]}
	s := v.lanes(lowest)
	v.pass(n, row, func(p map[string]Register, i, d int) { v.raise(s[i], p["x"], d) })
	shift := v.top(s)
	VMULSS(f["scale"].(VecVirtual).AsX(), shift, shift)
	all := v.spread(shift)
	s = v.lanes(0)
	v.pass(n, row, func(p map[string]Register, i, d int) { v.addExp(s[i], p["x"], p["x"], d, f["scale"], all) })
	over := XMM()
	VMOVSS(f32(1), over)
	VDIVSS(v.sum(s), over, over)
	all = v.spread(over)
	v.pass(n, row, func(p map[string]Register, _, d int) { v.store(v.mul(v.load(p["x"], d), all), p["x"], d) })
	v.end()
}

func (v *isa) norms() {
	n, p, f := v.row("norms",
		"stores in each of rows of d, ldd apart, w·x/rms(x) of the row of x, ldx apart, and 1/rms(x) in r",
		"+rows", "*d", "+ldd", "*x", "+ldx", "*w", "eps", "*r")
	ldd, ldx := p["ldd"], p["ldx"]
	SHLQ(U8(2), ldd)
	SHLQ(U8(2), ldx)
	count, one := XMM(), XMM()
	VMOVSS(f32(1), one)
	VCVTSI2SSQ(n, one, count)
	Label("row")
	s := v.lanes(0)
	v.pass(n, map[string]Register{"x": p["x"]}, func(p map[string]Register, i, d int) {
		v.addProduct(s[i], p["x"], p["x"], d)
	})
	rms := v.sum(s)
	VDIVSS(count, rms, rms)
	VADDSS(f["eps"].(VecVirtual).AsX(), rms, rms)
	VSQRTSS(rms, rms, rms)
	VDIVSS(rms, one, rms)
	VMOVSS(rms, Mem{Base: p["r"]})
	all := v.spread(rms)
	v.pass(n, map[string]Register{"d": p["d"], "x": p["x"], "w": p["w"]}, func(p map[string]Register, _, d int) {
		v.store(v.mul(v.mul(v.load(p["x"], d), all), v.at(p["w"], d)), p["d"], d)
	})
	ADDQ(ldd, p["d"])
	ADDQ(ldx, p["x"])
	ADDQ(U8(4), p["r"])
	DECQ(p["rows"])
	JNZ(LabelRef("row"))
	v.end()
}

func (v *isa) rotate(name, doc string, plus, minus func(x Register, y Op) Register) {
	n, p, _ := v.row(name, doc+", in each of rows that are ld apart", "+rows", "*a", "*b", "+ld", "*c", "*s")
	ld := p["ld"]
	SHLQ(U8(2), ld)
	Label("row")
	v.pass(n, map[string]Register{"a": p["a"], "b": p["b"], "c": p["c"], "s": p["s"]},
		func(p map[string]Register, _, d int) {
			x, y, c, s := v.load(p["a"], d), v.load(p["b"], d), v.load(p["c"], d), v.load(p["s"], d)
			v.store(minus(v.mul(x, c), v.mul(y, s)), p["a"], d)
			v.store(plus(v.mul(y, c), v.mul(x, s)), p["b"], d)
		})
	ADDQ(ld, p["a"])
	ADDQ(ld, p["b"])
	DECQ(p["rows"])
	JNZ(LabelRef("row"))
	v.end()
}

func (v *isa) adam() {
	n, p, _ := v.row("adam", "is one AdamW step; a holds the fields of Adam, then 1 − Beta1 and 1 − Beta2", "*w",
		"*e", "*m", "*v", "*a")
	var k []Register
	for i := range 9 {
		k = append(k, v.vector())
		VBROADCASTSS(Mem{Base: p["a"], Disp: 4 * i}, k[i])
	}
	beta1, beta2, scale, rate, second, epsilon, keep, c1, c2 := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8]
	delete(p, "a")
	v.each(n, p, func(_, d int) {
		x := v.mul(v.load(p["e"], d), scale)
		m := v.add(v.mul(v.load(p["m"], d), beta1), v.mul(x, c1))
		s := v.add(v.mul(v.load(p["v"], d), beta2), v.mul(v.mul(x, x), c2))
		v.store(m, p["m"], d)
		v.store(s, p["v"], d)
		root := v.mul(s, second)
		VSQRTPS(root, root)
		step := v.div(v.mul(m, rate), v.add(root, epsilon))
		v.store(v.sub(v.mul(v.load(p["w"], d), keep), step), p["w"], d)
	})
	v.end()
}
