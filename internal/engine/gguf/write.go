package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"hallmark/internal/engine/weights"
)

// A Source is a tensor to be written.
type Source struct {
	Name  string
	Shape []int         // row-major, outputs by inputs for a matrix; the file has the dimensions in the other order
	DType weights.DType // the form to write
	// Row stores row i, of the last dimension's length, in dst.
	Row func(i int, dst []float32)
}

// len is the number of elements.
func (s Source) len() int {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Write writes a file with the metadata and tensors in the order given; the same ones give the same bytes. Tensors
// are converted row by row. An error names the key or the tensor: a value that GGUF has no kind for, an element that is
// not finite or is beyond what its form holds.
func Write(w io.Writer, metadata []Pair, tensors []Source) error {
	h, err := header(metadata, tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(pad(h)); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeTensor(w, t); err != nil {
			return err
		}
	}
	return nil
}

// header is everything before the tensors' data.
func header(metadata []Pair, tensors []Source) ([]byte, error) {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte(magic), version)
	b = le.AppendUint64(b, uint64(len(tensors)))
	b = le.AppendUint64(b, uint64(len(metadata)))
	seen := map[string]bool{}
	for _, p := range metadata {
		if seen[p.Key] {
			return nil, fmt.Errorf("metadata %q: twice", p.Key)
		}
		seen[p.Key] = true
		var err error
		if b, err = appendPair(b, p); err != nil {
			return nil, err
		}
	}
	offset := int64(0)
	for _, t := range tensors {
		kind, ok := typeNumber(t.DType)
		switch {
		case !ok:
			return nil, fmt.Errorf("tensor %q: dtype %q, want F32, F16 or BF16", t.Name, t.DType)
		case len(t.Name) > maxName:
			return nil, fmt.Errorf("tensor %q: a name of %d bytes, want at most %d", t.Name, len(t.Name), maxName)
		case len(t.Shape) > maxDims:
			return nil, fmt.Errorf("tensor %q: %d dimensions, want at most %d", t.Name, len(t.Shape), maxDims)
		}
		b = appendString(b, t.Name)
		b = le.AppendUint32(b, uint32(len(t.Shape)))
		for i := len(t.Shape) - 1; i >= 0; i-- {
			b = le.AppendUint64(b, uint64(t.Shape[i]))
		}
		b = le.AppendUint32(b, kind)
		b = le.AppendUint64(b, uint64(offset))
		offset += align(int64(t.len()*t.DType.Size()), defaultAlignment)
	}
	return b, nil
}

// pad fills b with zeros to the alignment.
func pad(b []byte) []byte {
	return append(b, make([]byte, align(int64(len(b)), defaultAlignment)-int64(len(b)))...)
}

func writeTensor(w io.Writer, t Source) error {
	n := t.len()
	width := n
	if len(t.Shape) > 0 {
		width = t.Shape[len(t.Shape)-1]
	}
	row := make([]float32, width)
	raw := make([]byte, 0, width*t.DType.Size())
	for at := 0; at < n; at += width {
		t.Row(at/width, row)
		for i, x := range row {
			if x-x != 0 {
				return fmt.Errorf("tensor %q: element %d is %v, want finite numbers", t.Name, at+i, x)
			}
			if big := math.Abs(float64(x)); t.DType == weights.F16 && big >= 65520 ||
				t.DType == weights.BF16 && big >= 0x1.ffp127 {
				return fmt.Errorf("tensor %q: element %d is %g, more than %s holds; write another type", t.Name, at+i,
					x, t.DType)
			}
		}
		raw = t.DType.Append(raw[:0], row)
		if at+width == n {
			size := int64(n * t.DType.Size())
			raw = append(raw, make([]byte, align(size, defaultAlignment)-size)...)
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func appendPair(b []byte, p Pair) ([]byte, error) {
	le := binary.LittleEndian
	b = appendString(b, p.Key)
	t := reflect.TypeOf(p.Value)
	if t != nil && t.Kind() == reflect.Slice {
		t = t.Elem()
		b = le.AppendUint32(b, kindArray)
		b = le.AppendUint32(b, uint32(slices.Index(kinds[:], t)))
		b = le.AppendUint64(b, uint64(reflect.ValueOf(p.Value).Len()))
	} else {
		b = le.AppendUint32(b, uint32(slices.Index(kinds[:], t)))
	}
	if t == nil || !slices.Contains(kinds[:], t) {
		return nil, fmt.Errorf("metadata %q: a %T is not written", p.Key, p.Value)
	}
	switch v := p.Value.(type) {
	case string:
		return appendString(b, v), nil
	case []string:
		for _, s := range v {
			b = appendString(b, s)
		}
		return b, nil
	}
	return binary.Append(b, le, p.Value)
}
