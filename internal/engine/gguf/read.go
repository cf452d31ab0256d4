package gguf

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"hallmark/internal/engine/weights"
)

// A File is what a GGUF file holds: its metadata, and its tensors, whose elements are read when they are asked for.
type File struct {
	Metadata []Pair // in the order of the file
	Tensors  []Tensor
	values   map[string]any
	tensors  map[string]*Tensor
}

// A Tensor is one entry of a file's table.
type Tensor struct {
	Name  string        `json:"name"`
	DType weights.DType `json:"type"`
	Shape []int         `json:"shape"` // row-major, outputs by inputs for a matrix
	data  *io.SectionReader
}

// Len is the number of elements.
func (t Tensor) Len() int { return int(t.data.Size()) / t.DType.Size() }

// Read reads the header of a GGUF file of the given size: its metadata and its table of tensors, whose data stay
// where they are. A file that is cut off, that claims more than it holds, or whose tensors overlap, are misaligned,
// quantised or named twice, is an error that names the field or the tensor. Memory is bounded by a small multiple
// of the file's size, and of maxHeader.
func Read(r io.ReaderAt, size int64) (*File, error) {
	d := &decoder{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), left: min(size, maxHeader)}
	tensors, pairs, err := d.start()
	if err != nil {
		return nil, err
	}
	f := &File{values: map[string]any{}, tensors: map[string]*Tensor{}}
	for i := range pairs {
		p, err := d.pair()
		if err != nil {
			return nil, fmt.Errorf("metadata entry %d of %d: %w", i+1, pairs, err)
		}
		if _, ok := f.values[p.Key]; ok {
			return nil, fmt.Errorf("metadata %q: twice", p.Key)
		}
		f.values[p.Key] = p.Value
		f.Metadata = append(f.Metadata, p)
	}
	to, err := f.alignment()
	if err != nil {
		return nil, err
	}
	var table []entry
	for i := range tensors {
		e, err := d.entry()
		if err != nil {
			return nil, fmt.Errorf("tensor %d of %d: %w", i+1, tensors, err)
		}
		table = append(table, e)
	}
	return f, f.place(table, io.NewSectionReader(r, 0, size), align(min(size, maxHeader)-d.left, to), size, to)
}

// alignment is what the offsets of tensors are multiples of.
func (f *File) alignment() (int64, error) {
	v, ok := f.values[alignmentKey]
	if !ok {
		return defaultAlignment, nil
	}
	n, ok := v.(uint32)
	if !ok || n == 0 || n > maxAlignment || bits.OnesCount32(n) != 1 {
		return 0, fmt.Errorf("metadata %q: %v, want a power of two up to %d as uint32", alignmentKey, v, maxAlignment)
	}
	return int64(n), nil
}

// An entry is a tensor of the table, not yet checked against the others and the file's size.
type entry struct {
	Tensor
	bytes  int64
	offset uint64
}

// place finds the tensors' data, which begin at byte start of the file.
func (f *File) place(table []entry, r io.ReaderAt, start, size, alignment int64) error {
	slices.SortStableFunc(table, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	end, before := uint64(0), ""
	room := uint64(max(0, size-start))
	for _, e := range table {
		switch {
		case f.tensors[e.Name] != nil:
			return fmt.Errorf("tensor %q: twice", e.Name)
		case e.offset%uint64(alignment) != 0:
			return fmt.Errorf("tensor %q: offset %d is no multiple of the alignment %d", e.Name, e.offset, alignment)
		case e.offset > room || uint64(e.bytes) > room-e.offset:
			return fmt.Errorf("tensor %q: %d bytes from %d on, but the file has %d bytes of data", e.Name, e.bytes,
				e.offset, room)
		case e.offset < end:
			return fmt.Errorf("tensor %q: begins at byte %d of the data, within %q, which ends at %d", e.Name,
				e.offset, before, end)
		}
		end, before = e.offset+uint64(e.bytes), e.Name
		e.data = io.NewSectionReader(r, start+int64(e.offset), e.bytes)
		f.Tensors = append(f.Tensors, e.Tensor)
		f.tensors[e.Name] = &e.Tensor
	}
	return nil
}

// A decoder reads the header's fields and knows how many bytes the file still has.
type decoder struct {
	r    *bufio.Reader
	left int64
	buf  [8 * 512]byte
}

// start reads what all files begin with.
func (d *decoder) start() (tensors, pairs uint64, err error) {
	head, err := d.bytes(8)
	if err != nil || string(head[:4]) != magic {
		return 0, 0, errors.New("no GGUF file: it does not begin with the letters GGUF and a version")
	}
	switch v := binary.LittleEndian.Uint32(head[4:]); {
	case v != 0 && v&0xffff == 0:
		return 0, 0, errors.New(
			"a big-endian file; little-endian ones are read: convert the model again for this machine")
	case v != version:
		return 0, 0, fmt.Errorf("GGUF version %d, want %d: convert the model again with a llama.cpp of today", v,
			version)
	}
	if tensors, err = field[uint64](d, "the number of tensors"); err != nil {
		return 0, 0, err
	}
	if pairs, err = field[uint64](d, "the number of metadata entries"); err != nil {
		return 0, 0, err
	}
	switch {
	case tensors > maxTensors:
		return 0, 0, fmt.Errorf("the number of tensors: %d, want at most %d", tensors, maxTensors)
	case pairs > maxPairs:
		return 0, 0, fmt.Errorf("the number of metadata entries: %d, want at most %d", pairs, maxPairs)
	}
	// The least bytes of an entry: a tensor's name, dimensions, type and offset; a pair's key, kind and value.
	if least := uint64(8 + 4 + 4 + 8); tensors > uint64(d.left)/least {
		return 0, 0, fmt.Errorf("the number of tensors: %d, more than a file of this size holds", tensors)
	}
	if least := uint64(8 + 4 + 1); pairs > uint64(d.left)/least {
		return 0, 0, fmt.Errorf("the number of metadata entries: %d, more than a file of this size holds", pairs)
	}
	return tensors, pairs, nil
}

// bytes returns the next n bytes, at most those of buf, until the next call.
func (d *decoder) bytes(n int) ([]byte, error) {
	if int64(n) > d.left {
		return nil, errors.New("the file ends in it")
	}
	if _, err := io.ReadFull(d.r, d.buf[:n]); err != nil {
		return nil, err
	}
	d.left -= int64(n)
	return d.buf[:n], nil
}

// field reads a number.
func field[T uint32 | uint64](d *decoder, what string) (n T, err error) {
	b, err := d.bytes(binary.Size(n))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	_, err = binary.Decode(b, binary.LittleEndian, &n)
	return n, err
}

func (d *decoder) string(what string, most uint64) (string, error) {
	n, err := field[uint64](d, what)
	switch {
	case err != nil:
		return "", err
	case n > uint64(d.left):
		return "", fmt.Errorf("%s: %d bytes, but the file has %d left", what, n, d.left)
	case n > most:
		return "", fmt.Errorf("%s: %d bytes, want at most %d", what, n, most)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.r, b); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	d.left -= int64(n)
	return string(b), nil
}

func (d *decoder) pair() (Pair, error) {
	key, err := d.string("key", maxKey)
	if err != nil {
		return Pair{}, err
	}
	kind, err := field[uint32](d, "kind")
	if err == nil {
		var v any
		if v, err = d.value(kind); err == nil {
			return Pair{key, v}, nil
		}
	}
	return Pair{}, fmt.Errorf("%q: %w", key, err)
}

func (d *decoder) value(kind uint32) (any, error) {
	switch {
	case kind >= uint32(len(kinds)):
		return nil, fmt.Errorf("kind %d is none that is known", kind)
	case kind == kindString:
		return d.string("value", math.MaxInt64)
	case kind == kindArray:
		return d.array()
	}
	v := reflect.New(kinds[kind])
	err := d.numbers(v.Interface(), int(kinds[kind].Size()))
	return v.Elem().Interface(), err
}

// numbers fills into, a pointer or a slice that takes up to buf's bytes in the file.
func (d *decoder) numbers(into any, size int) error {
	b, err := d.bytes(size)
	if err == nil {
		_, err = binary.Decode(b, binary.LittleEndian, into)
	}
	if err != nil {
		return fmt.Errorf("value: %w", err)
	}
	return nil
}

func (d *decoder) array() (any, error) {
	kind, err := field[uint32](d, "kind of the array's elements")
	if err != nil {
		return nil, err
	}
	n, err := field[uint64](d, "length of the array")
	switch {
	case err != nil:
		return nil, err
	case kind == kindArray:
		return nil, errors.New("an array of arrays is not read")
	case kind >= uint32(len(kinds)):
		return nil, fmt.Errorf("kind %d of the array's elements is none that is known", kind)
	}
	size := 8 // of an empty string
	if kind != kindString {
		size = int(kinds[kind].Size())
	}
	if n > uint64(d.left)/uint64(size) {
		return nil, fmt.Errorf("an array of %d elements, but the file has %d bytes left", n, d.left)
	}
	if n > maxElements {
		return nil, fmt.Errorf("an array of %d elements, want at most %d", n, maxElements)
	}
	if kind == kindString {
		list := make([]string, 0, n) // 16 bytes for each 8 of the file
		for i := range n {
			s, err := d.string("string", math.MaxInt64)
			if err != nil {
				return nil, fmt.Errorf("element %d of %d: %w", i, n, err)
			}
			list = append(list, s)
		}
		return list, nil
	}
	list := reflect.MakeSlice(reflect.SliceOf(kinds[kind]), int(n), int(n))
	for at, step := 0, len(d.buf)/size; at < int(n); at += step {
		end := min(at+step, int(n))
		if err := d.numbers(list.Slice(at, end).Interface(), (end-at)*size); err != nil {
			return nil, err
		}
	}
	return list.Interface(), nil
}

// entry reads one tensor of the table.
func (d *decoder) entry() (entry, error) {
	name, err := d.string("name", maxName)
	if err != nil {
		return entry{}, err
	}
	e, err := d.shape(name)
	if err != nil {
		return entry{}, fmt.Errorf("%q: %w", name, err)
	}
	return e, nil
}

func (d *decoder) shape(name string) (entry, error) {
	e := entry{Tensor: Tensor{Name: name}}
	dims, err := field[uint32](d, "number of dimensions")
	switch {
	case err != nil:
		return e, err
	case dims > maxDims:
		return e, fmt.Errorf("%d dimensions, want at most %d", dims, maxDims)
	}
	elements := uint64(1)
	for range dims {
		n, err := field[uint64](d, "dimension")
		if err != nil {
			return e, err
		}
		if n == 0 || n > math.MaxInt32 || elements > math.MaxInt64/8/n {
			return e, fmt.Errorf("dimensions of %d and more elements, want a number of bytes that a file can hold", n)
		}
		elements *= n
		e.Shape = append(e.Shape, int(n))
	}
	slices.Reverse(e.Shape)
	number, err := field[uint32](d, "type")
	if err != nil {
		return e, err
	}
	if e.DType, err = dtype(number); err != nil {
		return e, err
	}
	e.bytes = int64(elements) * int64(e.DType.Size())
	e.offset, err = field[uint64](d, "offset")
	return e, err
}
