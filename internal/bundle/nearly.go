package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/pattern"
)

// arithmetic names how this processor computes: its architecture, and a hash of what functions give in the last bits,
// in which processors of one architecture differ too.
var arithmetic = sync.OnceValue(func() string {
	h := sha256.New()
	sum := 0.
	for i := range 4096 {
		x := float64(i+1) / 97
		sum = sum*x + 1/x // in one rounding or in two
		for _, y := range []float64{sum, math.Exp(-x), math.Log(x), math.Pow(x, .3), math.Sqrt(x), math.Log1p(x),
			math.Tanh(x)} {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(y)))
		}
		sum = math.Mod(sum, 1)
	}
	return runtime.GOARCH + "-" + hex.EncodeToString(h.Sum(nil)[:4])
})

// lastDigits says of a bundle of this very build that it is not so byte for byte.
const lastDigits = "some figures differ from those that are computed here in their last digits, by at most 1e-9 of " +
	"their value, as they do between kinds of processors; all else is as computed again"

// nearly reports whether a bundle differs from what was computed only in the last digits of figures: processors
// multiply and add in one rounding or in two, so that one build gives other digits on another machine.
func (c *contents) nearly(want map[string][]byte) bool {
	if len(want) != len(c.members) || c.counted() != nil {
		return false
	}
	for name, computed := range want {
		got, there := c.members[name]
		if !there || !bytes.Equal(got, computed) && !nearlySame(name, got, computed) {
			return false
		}
	}
	return true
}

// nearlySame reports whether two members of a name differ only in the last digits of figures. What figures are
// computed from has to be equal.
func nearlySame(name string, got, want []byte) bool {
	l := &likeness{exact: true}
	switch name {
	case verdictsName:
		if !l.lines(got, want) {
			return false
		}
	case manifestName, resultName, protocolName, casesName:
		l.member(name, got, want)
	case reportName, pageName:
		return nearlyText(string(got), string(want))
	default:
		return false
	}
	return l.fault == "" && l.beyond.figures == 0 && l.lacking.figures == 0
}

// numbers finds what is a number in a page, or looks like one.
var numbers = pattern.New(`[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// nearlyText reports whether two texts differ only in the last digits of numbers with decimals.
func nearlyText(got, want string) bool {
	x, y := numbers.FindAllString(got, -1), numbers.FindAllString(want, -1)
	if len(x) != len(y) || !slices.Equal(numbers.Regexp().Split(got, -1), numbers.Regexp().Split(want, -1)) {
		return false
	}
	for i := range x {
		if !strings.EqualFold(x[i], y[i]) && !near(json.Number(x[i]), json.Number(y[i])) {
			return false
		}
	}
	return true
}
