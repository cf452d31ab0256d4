package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The arithmetic of two operands returns a new register; y may be memory.

func (v *isa) add(x Register, y Op) Register { r := v.vector(); VADDPS(y, x, r); return r }
func (v *isa) sub(x Register, y Op) Register { r := v.vector(); VSUBPS(y, x, r); return r }
func (v *isa) mul(x Register, y Op) Register { r := v.vector(); VMULPS(y, x, r); return r }
func (v *isa) div(x Register, y Op) Register { r := v.vector(); VDIVPS(y, x, r); return r }

var consts = map[uint32]Mem{}

// f32 is a constant, 16 times over, in read-only memory.
func f32(x float32) Mem {
	bits := math.Float32bits(x)
	m, ok := consts[bits]
	if !ok {
		m = GLOBL(fmt.Sprintf("f32_%08x", bits), RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(bits))
		}
		consts[bits] = m
	}
	return m
}

// exp is exp32 of package kernel, operation for operation.
func (v *isa) exp(x Register) Register {
	y := v.vector()
	VMAXPS(f32(-87), x, y)
	VMINPS(f32(88), y, y)
	t := v.add(v.mul(y, f32(1.44269504088896341)), f32(3<<22))
	n := v.sub(t, f32(3<<22))
	r := v.sub(y, v.mul(n, f32(0.693359375)))
	r = v.sub(r, v.mul(n, f32(-2.12194440e-4)))
	p := v.constant(1.9875691500e-4)
	for _, c := range []float32{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		p = v.add(v.mul(p, r), f32(c))
	}
	p = v.add(v.add(v.mul(p, v.mul(r, r)), r), f32(1))
	e := v.vector()
	VPSLLD(U8(23), t, e)
	VPADDD(e, p, e)
	return e
}

func (v *isa) constant(x float32) Register {
	r := v.vector()
	VMOVUPS(f32(x), r)
	return r
}

var lowest = float32(math.Inf(-1))

// addProduct adds x·y to the lanes s.
func (v *isa) addProduct(s, x, y Register, d int) {
	VADDPS(v.mul(v.load(x, d), v.at(y, d)), s, s)
}

// raise raises the lanes s to x.
func (v *isa) raise(s, x Register, d int) { VMAXPS(s, v.only(v.load(x, d), s, d), s) }

// addExp stores exp(scale·x − shift) in to and adds it to the lanes s.
func (v *isa) addExp(s, to, x Register, d int, scale, shift Register) {
	e := v.exp(v.sub(v.mul(v.load(x, d), scale), shift))
	v.store(e, to, d)
	VADDPS(v.only(e, v.constant(0), d), s, s)
}
