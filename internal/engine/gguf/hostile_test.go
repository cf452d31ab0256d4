package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"hallmark/internal/engine/weights"
)

// file puts a header together: its counts, then what follows them.
func file(tensors, pairs uint64, rest ...any) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	b = binary.LittleEndian.AppendUint64(b, tensors)
	b = binary.LittleEndian.AppendUint64(b, pairs)
	for _, x := range rest {
		switch x := x.(type) {
		case string:
			b = appendString(b, x)
		case zeros:
			b = append(b, make([]byte, x)...)
		default:
			var err error
			if b, err = binary.Append(b, binary.LittleEndian, x); err != nil {
				panic(err)
			}
		}
	}
	return b
}

// zeros is a run of so many zero bytes.
type zeros int

// tensor is an entry of the table with one dimension.
func tensor(name string, n uint64, kind uint32, offset uint64) []any {
	return []any{name, uint32(1), n, kind, offset}
}

func two(a, b []any, data int) []byte {
	head := file(2, 0, append(a, b...)...)
	return append(pad(head), make([]byte, data)...)
}

// hostile files by what their error says.
var hostile = map[string][]byte{
	"no GGUF file: it does not begin":                     []byte("GGML\x03\x00\x00\x00"),
	"letters GGUF":                                        []byte("GGUF\x03\x00\x00"),
	"GGUF version 2, want 3":                              append([]byte("GGUF\x02\x00\x00\x00"), make([]byte, 16)...),
	"GGUF version 1, want 3":                              append([]byte("GGUF\x01\x00\x00\x00"), make([]byte, 16)...),
	"GGUF version 0, want 3":                              append([]byte("GGUF\x00\x00\x00\x00"), make([]byte, 16)...),
	"a big-endian file":                                   append([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 16)...),
	"the number of tensors: the file ends":                file(0, 0)[:12],
	"the number of metadata entries: the file ends":       file(0, 0)[:20],
	"the number of tensors: 1152921504606846976":          file(1<<60, 0, zeros(64)),
	"the number of metadata entries: 1152921504606846976": file(0, 1<<60, zeros(64)),
	"entry 1 of 1: key: 9223372036854775808 bytes": file(0, 1, uint64(1<<63),
		zeros(16)),
	"key: 70000 bytes, want at most 65535": file(0, 1,
		strings.Repeat("k", 70000), zeros(16)),
	`"five5": kind: the file ends`: file(0, 1, "five5"),
	`"key": kind 13 is none`: file(0, 1, "key", uint32(13),
		zeros(8)),
	`"key": value: 1099511627776 bytes, but the file has 8 left`: file(0, 1, "key", uint32(8),
		uint64(1<<40), zeros(8)),
	`"key": an array of 1152921504606846976 elements, but the file has 8 bytes`: file(0, 1, "key", uint32(9),
		uint32(8), uint64(1<<60), zeros(8)),
	`"key": an array of 3 elements, but the file has 8 bytes`: file(0, 1, "key", uint32(9),
		uint32(6), uint64(3), zeros(8)),
	`"key": an array of arrays`: file(0, 1, "key", uint32(9),
		uint32(9), uint64(1), zeros(80)),
	`"key": kind 77 of the array's elements`: file(0, 1, "key", uint32(9),
		uint32(77), uint64(1), zeros(8)),
	`"key": element 1 of 2: string: 5 bytes`: file(0, 1, "key", uint32(9),
		uint32(8), uint64(2), uint64(0), uint64(5)),
	`"key": length of the array: the file ends`: file(0, 1, "key", uint32(9),
		uint32(9)),
	`metadata "a": twice`: file(0, 2, "a", uint32(7),
		true, "a", uint32(7), true, zeros(8)),
	`"general.alignment": 3, want a power`: file(0, 1, alignmentKey,
		uint32(4), uint32(3)),
	`"general.alignment": 0, want a power`: file(0, 1, alignmentKey,
		uint32(4), uint32(0)),
	`"general.alignment": 2147483648, want a`: file(0, 1, alignmentKey,
		uint32(4), uint32(1<<31)),
	`"general.alignment": 32, want a power`: file(0, 1, alignmentKey,
		uint32(10), uint64(32)),
	"tensor 1 of 1: name: 64 bytes, want at most 63": file(1, 0,
		strings.Repeat("n", 64), zeros(64)),
	`"t": 5 dimensions, want at most 4`: file(1, 0, "t", uint32(5),
		zeros(64)),
	`"t": dimensions of 4294967296 and more`: file(1, 0, "t", uint32(1),
		uint64(1<<32), zeros(64)),
	`"t": dimensions of 0 and more`: file(1, 0, "t", uint32(1),
		zeros(64)),
	`"t": dimensions of 2147483647 and more`: file(1, 0, "t", uint32(3),
		uint64(math.MaxInt32), uint64(math.MaxInt32), uint64(math.MaxInt32), zeros(64)),
	`"t": type Q4_K is quantised; quantised models are for servers (llama-server, Ollama)`: file(1, 0,
		append(tensor("t", 256, 12, 0), zeros(256))...),
	`"t": type I32; F32, F16 and BF16`:   file(1, 0, append(tensor("t", 1, 26, 0), zeros(64))...),
	`"t": type 99 is none that is known`: file(1, 0, append(tensor("t", 1, 99, 0), zeros(64))...),
	`"t": offset: the file ends`:         file(1, 0, "t", uint32(1), uint64(1), uint32(0)),
	`tensor "t": 64 bytes from 0 on, but the file has 32`: append(pad(file(1, 0, tensor("t", 16, 0, 0)...)),
		make([]byte, 32)...),
	`tensor "t": 4 bytes from 1152921504606846976 on`: append(pad(file(1, 0, tensor("t", 1, 0, 1<<60)...)),
		make([]byte, 32)...),
	`tensor "t": 4 bytes from 0 on, but the file has 0 bytes`:  file(1, 0, tensor("t", 1, 0, 0)...),
	`tensor "b": offset 33 is no multiple of the alignment 32`: two(tensor("a", 1, 0, 0), tensor("b", 1, 0, 33), 96),
	`tensor "a": begins at byte 32 of the data, within "b"`:    two(tensor("a", 1, 0, 32), tensor("b", 9, 0, 0), 96),
	`tensor "a": twice`: two(tensor("a", 1, 0, 0), tensor("a", 1, 0, 32), 64),
}

// A sparse is a file of some bytes and then zeros, of which none is stored.
type sparse []byte

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s)) {
		copy(p, s[off:])
	}
	return len(p), nil
}

// TestSparse: a file that takes no room on the disk makes no large header.
func TestSparse(t *testing.T) {
	for want, data := range map[string][]byte{
		"the number of tensors: 1000000, want at most 65536":          file(1_000_000, 0),
		"the number of metadata entries: 1000000, want at most 65536": file(0, 1_000_000),
		`"key": an array of 400000000 elements, but the file has`: file(0, 1, "key", uint32(9), uint32(8),
			uint64(400_000_000)),
		`"key": an array of 20000000 elements, want at most 16777216`: file(0, 1, "key", uint32(9), uint32(8),
			uint64(20_000_000)),
		`"key": value: 1099511627776 bytes, but the file has`: file(0, 1, "key", uint32(8), uint64(1<<40)),
		`"key": an array of 17000000 elements, want at most`:  file(0, 1, "key", uint32(9), uint32(0), uint64(17_000_000)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(sparse(data), 1<<42)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", want, took)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	for want, data := range hostile {
		if _, err := Read(bytes.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestTruncated cuts a file off everywhere: an error, never a panic, and the file itself reads.
func TestTruncated(t *testing.T) {
	good := exported(t, folder(t, "gpt2", weights.F32), "")
	for n := 0; n < len(good)-32; n += 1 + n/64 {
		if _, err := Read(bytes.NewReader(good[:n]), int64(n)); err == nil {
			t.Fatalf("the first %d of %d bytes read as a file", n, len(good))
		}
	}
}

// TestMemory: a small file that claims much takes little.
func TestMemory(t *testing.T) {
	for what, data := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Read(bytes.NewReader(data), int64(len(data)))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<18+uint64(4*len(data)) {
			t.Errorf("%s: %d bytes for a file of %d", what, n, len(data))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range hostile {
		f.Add(data)
	}
	var b bytes.Buffer
	if err := Write(&b, []Pair{{"a", []string{"x"}}, {"b", []bool{true}}, {"c", int64(-1)}}, []Source{
		{"t", []int{2, 2}, weights.BF16, func(_ int, dst []float32) { dst[1] = 1 }},
		{"u", nil, weights.F32, func(_ int, dst []float32) { dst[0] = 1 }},
	}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(exported(f, folder(f, "gpt2", weights.BF16), ""))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		total := 0
		for _, x := range file.Tensors {
			if err := x.decode(make([]float32, x.Len())); err != nil {
				t.Fatal(err)
			}
			total += x.Len() * x.DType.Size()
		}
		if total > len(data) {
			t.Fatalf("%d bytes of tensors in a file of %d", total, len(data))
		}
		// What was read can be written, and reads back the same.
		if err := Write(io.Discard, file.Metadata, nil); err != nil {
			t.Fatal(err)
		}
	})
}
