package bundle

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A bundle that another kind of processor made is verified, if figures differ in their last digits alone; one of this
// kind has no other digit.
func TestOtherArithmetic(t *testing.T) {
	_, _, b := made(t)
	all := unpacked(t, b.File)
	const was = `"hi": 0.`
	other := func(arithmetic string, digit func([]byte) []byte) []byte {
		m := unpacked(t, b.File)
		m[manifestName] = bytes.Replace(m[manifestName], []byte(b.Manifest.Arithmetic), []byte(arithmetic), 1)
		i := bytes.Index(m[resultName], []byte(was)) + len(was)
		end := i + bytes.IndexByte(m[resultName][i:], '\n')
		m[resultName] = append(append(bytes.Clone(m[resultName][:i]), digit(m[resultName][i:end])...), m[resultName][end:]...)
		if bytes.Equal(m[resultName], all[resultName]) {
			t.Fatal("nothing was changed")
		}
		return resealed(t, m)
	}
	change := func(at int) func([]byte) []byte {
		return func(digits []byte) []byte {
			d := bytes.Clone(digits)
			d[at] = '0' + (d[at]-'0'+1)%10
			return d
		}
	}
	v, err := Verify(context.Background(), other("arm64-0", change(13)), Options{Version: version})
	if err != nil || !strings.Contains(strings.Join(v.Notes, " "), "in their last digits") {
		t.Fatalf("%+v, %v", v, err)
	}
	refused(t, "the same arithmetic", other(b.Manifest.Arithmetic, change(13)), resultName, "")
	refused(t, "more than a last digit", other("arm64-0", change(5)), resultName, "")
}

func TestNearlyText(t *testing.T) {
	const page = `<p>28.6 % of 300</p><path d="M1.234567890123 2">`
	for _, tt := range []struct {
		got  string
		near bool
	}{
		{page, true},
		{strings.Replace(page, "0123", "0124", 1), true},
		{strings.Replace(page, "28.6", "28.7", 1), false},
		{strings.Replace(page, "300", "301", 1), false},
		{strings.Replace(page, "of", "in", 1), false},
		{strings.Replace(page, " 2", " 2.0", 1), true},
		{page + "1", false},
	} {
		if got := nearlyText(tt.got, page); got != tt.near {
			t.Errorf("%s: %t", tt.got, got)
		}
	}
}
