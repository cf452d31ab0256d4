// Package gguf reads and writes GGUF, the one-file format of llama.cpp, version 3: metadata (the model's shape and
// its tokenizer) and tensors. It exports the Hugging Face folders that package weights reads, and reads back what
// it exported to the same bits. Quantised tensors are for servers and are refused.
//
// Source: the specification in the ggml repository, docs/gguf.md, and llama.cpp's loader.
package gguf

import (
	"fmt"
	"reflect"

	"hallmark/internal/engine/weights"
)

const (
	magic   = "GGUF"
	version = 3

	alignmentKey     = "general.alignment"
	defaultAlignment = 32
	maxAlignment     = 1 << 16
	maxDims          = 4  // of a tensor, as ggml has it
	maxName          = 63 // bytes of a tensor's name, as ggml has it
	maxKey           = 1<<16 - 1

	maxPairs    = 1 << 16   // entries of metadata
	maxTensors  = 1 << 16   // entries of the table
	maxElements = 1 << 24   // of an array of the metadata; vocabularies have some 2^18
	maxHeader   = 512 << 20 // bytes of metadata and table, of a file that may be sparse
)

// A Pair is one entry of a file's metadata.
type Pair struct {
	Key string
	// Value is a uint8, int8, uint16, int16, uint32, int32, float32, bool, string, uint64, int64, float64 or a slice of
	// one of these.
	Value any
}

// kinds are the types of metadata by their number in the file; that of an array is followed by its elements'.
var kinds = [...]reflect.Type{
	0: reflect.TypeFor[uint8](), 1: reflect.TypeFor[int8](), 2: reflect.TypeFor[uint16](), 3: reflect.TypeFor[int16](),
	4: reflect.TypeFor[uint32](), 5: reflect.TypeFor[int32](), 6: reflect.TypeFor[float32](),
	7:          reflect.TypeFor[bool](),
	kindString: reflect.TypeFor[string](), kindArray: nil,
	10: reflect.TypeFor[uint64](), 11: reflect.TypeFor[int64](), 12: reflect.TypeFor[float64](),
}

const (
	kindString = 8
	kindArray  = 9
)

// The stored forms of tensors that are read and written, by ggml's number.
var types = map[uint32]weights.DType{0: weights.F32, 1: weights.F16, 30: weights.BF16}

// typeNumber is ggml's number of a stored form.
func typeNumber(d weights.DType) (uint32, bool) {
	for n, t := range types {
		if t == d {
			return n, true
		}
	}
	return 0, false
}

// otherTypes names ggml's other forms, most of them quantised.
var otherTypes = map[uint32]string{
	2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K",
	14: "Q6_K", 15: "Q8_K",
	16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS",
	24: "I8", 25: "I16",
	26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}

// dtype is the stored form with ggml's number n.
func dtype(n uint32) (weights.DType, error) {
	if d, ok := types[n]; ok {
		return d, nil
	}
	name, ok := otherTypes[n]
	switch {
	case !ok:
		return "", fmt.Errorf("type %d is none that is known; F32, F16 and BF16 are read", n)
	case n >= 24 && n <= 28:
		return "", fmt.Errorf("type %s; F32, F16 and BF16 are read", name)
	}
	return "", fmt.Errorf("type %s is quantised; quantised models are for servers (llama-server, Ollama)", name)
}

// align rounds n up to a multiple of to.
func align(n, to int64) int64 { return (n + to - 1) / to * to }
