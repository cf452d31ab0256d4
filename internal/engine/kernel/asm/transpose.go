package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose emits the transposition of a block of 8 × 8 floats, in three rounds of exchanging halves: of neighbouring
// rows' elements, of their pairs, and of rows four apart.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(dst *float32, ldd int, src *float32, lds int)")
	Pragma("noescape")
	Doc("transpose8 stores the transpose of 8 rows of 8 floats, lds apart, in rows ldd apart.")
	src := newRows(Load(Param("src"), GP64()), bytes("lds"), 8)
	dst := newRows(Load(Param("dst"), GP64()), bytes("ldd"), 8)
	var in, pairs, quads [8]Register
	for i := range in {
		in[i] = YMM()
		VMOVUPS(src.at(i, 0), in[i])
	}
	for i := 0; i < 8; i += 2 {
		pairs[i], pairs[i+1] = YMM(), YMM()
		VUNPCKLPS(in[i+1], in[i], pairs[i])
		VUNPCKHPS(in[i+1], in[i], pairs[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			lo, hi := YMM(), YMM()
			VSHUFPS(U8(0x44), pairs[i+2+j], pairs[i+j], lo)
			VSHUFPS(U8(0xee), pairs[i+2+j], pairs[i+j], hi)
			quads[i+2*j], quads[i+2*j+1] = lo, hi
		}
	}
	for i := range 4 {
		lo, hi := YMM(), YMM()
		VPERM2F128(U8(0x20), quads[i+4], quads[i], lo)
		VPERM2F128(U8(0x31), quads[i+4], quads[i], hi)
		VMOVUPS(lo, dst.at(i, 0))
		VMOVUPS(hi, dst.at(i+4, 0))
	}
	VZEROUPPER()
	RET()
}
