package main

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

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

// args are the parameters of a row kernel in registers: how many floats count, pointers and ints, and the floats,
// broadcast.
type args struct {
	n      Register
	p, val map[string]Register
}

// row emits a function of rows, whose body it has for each vector width, and runs the one of the path in use. Its last
// result is how many floats were taken, those of the row that counts; on the scalar path 0: the portable code beside it
// does the work then.
func row(name, doc, signature, counts string, body func(v *isa, a args)) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("%s %s.", name, doc))
	parsed, err := types.Eval(token.NewFileSet(), nil, token.NoPos, signature)
	if err != nil {
		panic(err)
	}
	sig := parsed.Type.(*types.Signature)
	taken := ReturnIndex(sig.Results().Len() - 1)
	path := GP32()
	MOVL(Mem{Symbol: Symbol{Name: "·current"}, Base: StaticBase}, path)
	CMPL(path, U32(1)) // AVX2
	JLT(LabelRef("scalar"))
	JEQ(LabelRef("narrow"))
	for _, v := range []*isa{avx512, avx2} {
		if v == avx2 {
			Label("narrow")
		}
		v.passes = 0
		body(v, v.arguments(sig, counts))
		Store(Load(Param(counts).Len(), GP64()), taken)
		v.end()
	}
	Label("scalar")
	none := GP64()
	XORQ(none, none)
	Store(none, taken)
	RET()
}

// arguments loads the parameters.
func (v *isa) arguments(sig *types.Signature, counts string) args {
	a := args{Load(Param(counts).Len(), GP64()), map[string]Register{}, map[string]Register{}}
	for p := range sig.Params().Variables() {
		name, param := p.Name(), Param(p.Name())
		switch p.Type().String() {
		case "[]float32":
			a.p[name] = Load(param.Base(), GP64())
		case "float32":
			r, err := param.Resolve()
			if err != nil {
				panic(err)
			}
			a.val[name] = v.vector()
			VBROADCASTSS(r.Addr, a.val[name])
		default:
			a.p[name] = Load(param, GP64())
		}
	}
	return a
}

// each runs body on every vector of n floats; i counts the vectors of a group and disp is theirs from the pointers.
func (v *isa) each(n Register, ptrs map[string]Register, body func(i, disp int)) {
	group := func() {
		for i := range 64 / v.width {
			body(i, i*v.width)
		}
	}
	v.passes++
	label := func(name string) string { return fmt.Sprintf("%s%sn%d", name, v.name, v.passes) }
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
	for range 64 / v.width {
		s = append(s, v.constant(from))
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

// rowKernels emits them all.
func rowKernels() {
	reductions()
	softmax()
	norms()
	pointwise("vecScale", "multiplies x by f", "func(x []float32, f float32) int", "x", func(v *isa, a args, d int) {
		v.store(v.mul(v.load(a.p["x"], d), a.val["f"]), a.p["x"], d)
	})
	pointwise("vecAdd", "adds y to x", "func(x, y []float32) int", "x", func(v *isa, a args, d int) {
		v.store(v.add(v.load(a.p["x"], d), v.at(a.p["y"], d)), a.p["x"], d)
	})
	doc := "replaces d by p·(d − s)·scale"
	pointwise("vecSoftmaxBack", doc, "func(d, p []float32, s, scale float32) int", "d", func(v *isa, a args, d int) {
		x := v.mul(v.sub(v.load(a.p["d"], d), a.val["s"]), v.at(a.p["p"], d))
		v.store(v.mul(x, a.val["scale"]), a.p["d"], d)
	})
	doc = "adds e·(x·r) to d and multiplies e by w"
	pointwise("vecNormBack", doc, "func(d, e, x, w []float32, r float32) int", "d", func(v *isa, a args, d int) {
		g := v.load(a.p["e"], d)
		y := v.mul(v.mul(v.load(a.p["x"], d), a.val["r"]), g)
		v.store(v.add(y, v.at(a.p["d"], d)), a.p["d"], d)
		v.store(v.mul(g, v.at(a.p["w"], d)), a.p["e"], d)
	})
	doc = "adds e·r − x·f to d"
	pointwise("vecNormBackAdd", doc, "func(d, e, x []float32, r, f float32) int", "d", func(v *isa, a args, d int) {
		y := v.sub(v.mul(v.load(a.p["e"], d), a.val["r"]), v.mul(v.load(a.p["x"], d), a.val["f"]))
		v.store(v.add(y, v.at(a.p["d"], d)), a.p["d"], d)
	})
	pointwise("vecSwiglu", "stores silu(e)·u in d", "func(d, e, u []float32) int", "d", func(v *isa, a args, d int) {
		g := v.load(a.p["e"], d)
		y := v.div(g, v.add(v.exp(v.sub(v.constant(0), g)), f32(1)))
		v.store(v.mul(y, v.at(a.p["u"], d)), a.p["d"], d)
	})
	doc = "replaces e and u by the gradients of silu(e)·u, given that at the result, d"
	pointwise("vecSwigluBack", doc, "func(e, u, d []float32) int", "e", func(v *isa, a args, d int) {
		g, dh := v.load(a.p["e"], d), v.load(a.p["d"], d)
		one := v.constant(1)
		s := v.div(one, v.add(v.exp(v.sub(v.constant(0), g)), f32(1)))
		x := v.mul(g, s)
		slope := v.add(v.mul(v.sub(one, s), x), s)
		v.store(v.mul(v.mul(dh, v.at(a.p["u"], d)), slope), a.p["e"], d)
		v.store(v.mul(dh, x), a.p["u"], d)
	})
	rotate("vecRotate", "turns the pairs (x[i], x[i+n]) by the angles with cosine c and sine s", (*isa).add, (*isa).sub)
	rotate("vecRotateBack", "turns the pairs (x[i], x[i+n]) back", (*isa).sub, (*isa).add)
	adam()
}

// pointwise emits a function that does the same with every vector of its rows.
func pointwise(name, doc, signature, counts string, body func(v *isa, a args, d int)) {
	row(name, doc, signature, counts, func(v *isa, a args) {
		v.each(a.n, a.p, func(_, d int) { body(v, a, d) })
	})
}

func reductions() {
	row("vecDot", "returns Σ x·y", "func(x, y []float32) (float32, int)", "x", func(v *isa, a args) {
		s := v.lanes(0)
		v.each(a.n, a.p, func(i, d int) { v.addProduct(s[i], a.p["x"], a.p["y"], d) })
		Store(v.sum(s), ReturnIndex(0))
	})
	row("vecMax", "returns the largest number of x", "func(x []float32) (float32, int)", "x", func(v *isa, a args) {
		s := v.lanes(lowest)
		v.each(a.n, a.p, func(i, d int) { v.raise(s[i], a.p["x"], d) })
		Store(v.top(s), ReturnIndex(0))
	})
	doc := "stores exp(scale·x − shift) in d and returns the sum"
	row("vecExpSum", doc, "func(d, x []float32, scale, shift float32) (float32, int)", "d", func(v *isa, a args) {
		s := v.lanes(0)
		v.each(a.n, a.p, func(i, d int) {
			v.addExp(s[i], a.p["d"], a.p["x"], d, a.val["scale"], a.val["shift"])
		})
		Store(v.sum(s), ReturnIndex(0))
	})
}

func softmax() {
	doc := "replaces x by the softmax of scale·x"
	row("vecSoftmax", doc, "func(x []float32, scale float32) int", "x", func(v *isa, a args) {
		n, scale := a.n, a.val["scale"]
		s := v.lanes(lowest)
		v.pass(n, a.p, func(p map[string]Register, i, d int) { v.raise(s[i], p["x"], d) })
		shift := v.top(s)
		VMULSS(scale.(VecVirtual).AsX(), shift, shift)
		all := v.spread(shift)
		s = v.lanes(0)
		v.pass(n, a.p, func(p map[string]Register, i, d int) { v.addExp(s[i], p["x"], p["x"], d, scale, all) })
		over := XMM()
		VMOVSS(f32(1), over)
		VDIVSS(v.sum(s), over, over)
		all = v.spread(over)
		v.pass(n, a.p, func(p map[string]Register, _, d int) { v.store(v.mul(v.load(p["x"], d), all), p["x"], d) })
	})
}

// only is the pointers of those names.
func (a args) only(names ...string) map[string]Register {
	p := map[string]Register{}
	for _, name := range names {
		p[name] = a.p[name]
	}
	return p
}

func norms() {
	doc := "stores in each of rows of d, ldd apart, w·x/rms(x) of the row of x, ldx apart, and 1/rms(x) in r"
	signature := "func(d []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, r []float32) int"
	row("vecNorms", doc, signature, "w", func(v *isa, a args) {
		n, p := a.n, a.p
		SHLQ(U8(2), p["ldd"])
		SHLQ(U8(2), p["ldx"])
		count, one := XMM(), XMM()
		VMOVSS(f32(1), one)
		VCVTSI2SSQ(n, one, count)
		Label("row" + v.name)
		s := v.lanes(0)
		v.pass(n, a.only("x"), func(p map[string]Register, i, d int) { v.addProduct(s[i], p["x"], p["x"], d) })
		rms := v.sum(s)
		VDIVSS(count, rms, rms)
		VADDSS(a.val["eps"].(VecVirtual).AsX(), rms, rms)
		VSQRTSS(rms, rms, rms)
		VDIVSS(rms, one, rms)
		VMOVSS(rms, Mem{Base: p["r"]})
		all := v.spread(rms)
		v.pass(n, a.only("d", "x", "w"), func(p map[string]Register, _, d int) {
			v.store(v.mul(v.mul(v.load(p["x"], d), all), v.at(p["w"], d)), p["d"], d)
		})
		ADDQ(p["ldd"], p["d"])
		ADDQ(p["ldx"], p["x"])
		ADDQ(U8(4), p["r"])
		DECQ(p["rows"])
		JNZ(LabelRef("row" + v.name))
	})
}

func rotate(name, doc string, plus, minus func(v *isa, x Register, y Op) Register) {
	doc += ", in each of rows that are ld apart"
	row(name, doc, "func(x []float32, ld, rows int, c, s []float32) int", "c", func(v *isa, a args) {
		SHLQ(U8(2), a.p["ld"])
		a.p["y"] = GP64()
		LEAQ(Mem{Base: a.p["x"], Index: a.n, Scale: 4}, a.p["y"])
		Label("row" + v.name)
		v.pass(a.n, a.only("x", "y", "c", "s"), func(p map[string]Register, _, d int) {
			x, y, c, s := v.load(p["x"], d), v.load(p["y"], d), v.load(p["c"], d), v.load(p["s"], d)
			v.store(minus(v, v.mul(x, c), v.mul(y, s)), p["x"], d)
			v.store(plus(v, v.mul(y, c), v.mul(x, s)), p["y"], d)
		})
		ADDQ(a.p["ld"], a.p["x"])
		ADDQ(a.p["ld"], a.p["y"])
		DECQ(a.p["rows"])
		JNZ(LabelRef("row" + v.name))
	})
}

func adam() {
	doc := "is one AdamW step; a holds the fields of Adam, then 1 − Beta1 and 1 − Beta2"
	row("vecAdam", doc, "func(w, e, m, v []float32, a *[9]float32) int", "w", func(v *isa, a args) {
		var k []Register
		for i := range 9 {
			k = append(k, v.vector())
			VBROADCASTSS(Mem{Base: a.p["a"], Disp: 4 * i}, k[i])
		}
		beta1, beta2, scale, rate, second, epsilon, keep, c1, c2 := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8]
		p := a.only("w", "e", "m", "v")
		v.each(a.n, p, func(_, d int) {
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
	})
}
