// Package weights reads and writes model folders as Hugging Face lays them out: config.json, generation_config.json,
// tokenizer.json and model.safetensors, from any fs.FS, so that a model may be embedded in the binary.
package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hallmark/internal/engine"
	"io"
	"math"
	"slices"
	"strings"
)

// A DType is the stored form of a tensor's elements.
type DType string

// The stored forms.
const (
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
)

// Size is the number of bytes of an element, 0 for a form that is none of the three.
func (d DType) Size() int {
	switch d {
	case F32:
		return 4
	case F16, BF16:
		return 2
	}
	return 0
}

// A Tensor is one entry of a safetensors file, of which it reads when it is decoded.
type Tensor struct {
	Name  string
	DType DType
	Shape []int
	file  io.ReaderAt
	at    int64  // where its bytes begin
	size  int64  // of them
	in    string // the name of the file, of a folder's tensor
}

// Len is the number of elements.
func (t Tensor) Len() int { return int(t.size) / t.DType.Size() }

// Raw returns the stored elements, little-endian, row-major. It views the file, which must be in memory, as those of
// ParseSafetensors and Tensors are; else it returns nil.
func (t Tensor) Raw() []byte {
	if data, ok := t.file.(held); ok {
		return data[t.at : t.at+t.size]
	}
	return nil
}

// held is a file held in memory.
type held []byte

func (m held) ReadAt(p []byte, at int64) (int, error) { return bytes.NewReader(m).ReadAt(p, at) }

// Decode stores the elements as float32 in dst, which has Len elements. It reads the file piece by piece, so that no
// second copy of a tensor is held.
func (t Tensor) Decode(dst []float32) error {
	const piece = 1 << 18 // elements
	dst = dst[:t.Len()]
	size := t.DType.Size()
	raw := make([]byte, min(len(dst), piece)*size)
	for at := t.at; len(dst) > 0; at += int64(len(raw)) {
		n := min(len(dst), piece)
		raw = raw[:n*size]
		if got, err := t.file.ReadAt(raw, at); got < len(raw) {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		t.DType.Decode(dst[:n], raw)
		dst = dst[n:]
	}
	return nil
}

// Decode widens the stored elements of raw, one for each of dst.
func (d DType) Decode(dst []float32, raw []byte) {
	switch d {
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case BF16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		}
	case F16:
		for i := range dst {
			dst[i] = half(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	}
}

// Append appends the elements in their stored form, each rounded to the nearest there is, ties to even. What is beyond
// the largest becomes infinite: 65520 and more for F16.
func (d DType) Append(raw []byte, elements []float32) []byte {
	switch d {
	case F32:
		for _, x := range elements {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	case BF16:
		for _, x := range elements {
			raw = binary.LittleEndian.AppendUint16(raw, bfloat(x))
		}
	case F16:
		for _, x := range elements {
			raw = binary.LittleEndian.AppendUint16(raw, toHalf(x))
		}
	}
	return raw
}

// half widens a float16.
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // zero or subnormal: frac · 2⁻²⁴, exact in float32
		return math.Float32frombits(sign | math.Float32bits(float32(frac)/(1<<24)))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// toHalf narrows x to the nearest float16, ties to even; a NaN stays one.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign, a := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case a > 0x7f800000:
		return sign | 0x7e00
	case a >= 0x477ff000: // 65520, halfway from the largest to what would be the next
		return sign | 0x7c00
	case a < 0x38800000: // below 2⁻¹⁴: a multiple of 2⁻²⁴, which adding 1/2 rounds to, in the low bits of the sum
		return sign | uint16(math.Float32bits(math.Float32frombits(a)+0.5)-math.Float32bits(0.5))
	}
	return sign | uint16((a-0x38000000+0xfff+a>>13&1)>>13)
}

// bfloat narrows x to the nearest bfloat16, ties to even; a NaN stays one.
func bfloat(x float32) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// maxHeader bounds the header as the reference implementation does.
const maxHeader = 100_000_000

// ParseSafetensors reads a safetensors file held in memory; see OpenSafetensors.
func ParseSafetensors(data []byte) ([]Tensor, error) {
	return OpenSafetensors(held(data), int64(len(data)))
}

// OpenSafetensors reads the header of a safetensors file of so many bytes. The tensors, sorted by name, read their
// elements from it when they are decoded. A file that is cut off, that has a tensor twice, or whose tensors
// overlap, leave gaps or do not fit their shapes, is an error that names the tensor. Nothing is allocated beyond a
// small multiple of the header.
func OpenSafetensors(file io.ReaderAt, size int64) ([]Tensor, error) {
	var length [8]byte
	if size < 8 {
		return nil, fmt.Errorf("%d bytes, want at least the 8 of the header's length", size)
	}
	if _, err := file.ReadAt(length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || n > uint64(size-8) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if got, err := file.ReadAt(header, 8); got < len(header) {
		return nil, err
	}
	begin, body := 8+int64(n), uint64(size-8)-n
	var tensors []Tensor
	err := eachEntry(header, func(name string, raw json.RawMessage) error {
		if name == "__metadata__" {
			return nil
		}
		t, err := parseTensor(name, raw, body)
		t.file = file
		tensors = append(tensors, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	// In the order of their bytes each tensor must begin where the one before ends, and the last end the file.
	slices.SortFunc(tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.size, b.size), cmp.Compare(a.Name, b.Name))
	})
	var end int64
	for i := range tensors {
		t := &tensors[i]
		if t.at != end {
			return nil, fmt.Errorf("tensor %q: begins at byte %d of the data, want %d, where the one before ends",
				t.Name, t.at, end)
		}
		end += t.size
		t.at += begin
	}
	if end != int64(body) {
		return nil, fmt.Errorf("%d bytes after the last tensor", int64(body)-end)
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return tensors, nil
}

// eachEntry calls f for the entries of a JSON object, of which none may be there twice.
func eachEntry(object []byte, f func(name string, raw json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("header: %w", cmp.Or(err, errors.New("want a JSON object")))
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("header: %w", err)
		}
		name, ok := t.(string)
		if !ok {
			return fmt.Errorf("header: %v, want a name", t)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("header: %q: %w", name, err)
		}
		if seen[name] {
			return fmt.Errorf("tensor %q: twice in the header", name)
		}
		seen[name] = true
		if err := f(name, raw); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("header: more after the JSON object")
	}
	return nil
}

// parseTensor reads one entry of a header, of a file with so many bytes of data.
func parseTensor(name string, raw json.RawMessage, body uint64) (Tensor, error) {
	t := Tensor{Name: name}
	var e struct {
		DType   DType    `json:"dtype"`
		Shape   []uint64 `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return t, fmt.Errorf("tensor %q: %s holds %s; want dtype as text, shape and data_offsets as lists of "+
				"whole numbers of 0 or more", name, cmp.Or(wrong.Field, "its entry"), wrong.Value)
		}
		return t, fmt.Errorf("tensor %q: %w", name, err)
	}
	size := uint64(e.DType.Size())
	switch {
	case size == 0:
		return t, fmt.Errorf("tensor %q: dtype %q, want F32, F16 or BF16", name, e.DType)
	case len(e.Offsets) != 2 || e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > body:
		return t, fmt.Errorf("tensor %q: data_offsets %v, want a begin and an end within the %d bytes of data", name,
			e.Offsets, body)
	}
	t.DType, t.at, t.size = e.DType, int64(e.Offsets[0]), int64(e.Offsets[1]-e.Offsets[0])
	for _, d := range e.Shape {
		if d > 0 && size > body/d && !slices.Contains(e.Shape, 0) || d > math.MaxInt32 {
			return t, fmt.Errorf("tensor %q: shape %v is more than the file holds", name, e.Shape)
		}
		size *= d
		t.Shape = append(t.Shape, int(d))
	}
	if size != uint64(t.size) {
		return t, fmt.Errorf("tensor %q: shape %v of %s needs %d bytes, data_offsets give %d", name, e.Shape, e.DType,
			size, t.size)
	}
	return t, nil
}

// WriteSafetensors writes the tensors, sorted by name, each element rounded to nearest, ties to even. What F16 cannot
// hold is an error. The same tensors give the same bytes.
func WriteSafetensors(w io.Writer, tensors []engine.Tensor, as DType) error {
	if as.Size() == 0 {
		return fmt.Errorf("dtype %q, want F32, F16 or BF16", as)
	}
	tensors = slices.Clone(tensors)
	slices.SortFunc(tensors, func(a, b engine.Tensor) int { return strings.Compare(a.Name, b.Name) })
	type entry struct {
		DType   DType  `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	entries := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	end := 0
	for _, t := range tensors {
		n := 1
		for _, d := range t.Shape {
			n *= d
		}
		if n != len(t.Data) {
			return fmt.Errorf("tensor %q: shape %v, %d elements", t.Name, t.Shape, len(t.Data))
		}
		if entries[t.Name] != nil {
			return fmt.Errorf("tensor %q: twice", t.Name)
		}
		from := end
		end += n * as.Size()
		entries[t.Name] = entry{as, t.Shape, [2]int{from, end}}
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	for len(header)%8 != 0 { // the data begin aligned
		header = append(header, ' ')
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)); err != nil {
		return err
	}
	for _, t := range tensors {
		if i := slices.IndexFunc(t.Data, func(x float32) bool {
			return as == F16 && math.Abs(float64(x)) >= 65520
		}); i >= 0 {
			return fmt.Errorf("tensor %q: element %d is %g, which F16 cannot hold; BF16 can", t.Name, i, t.Data[i])
		}
		raw := as.Append(make([]byte, 0, len(t.Data)*as.Size()), t.Data)
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}
