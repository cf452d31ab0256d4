package logs

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFilter(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": NaN, "b": [-Infinity, Infinity, -1]}`: `{"a": null, "b": [null, null, -1]}`,
		`{"NaN": "NaN \" Infinity\\", "b": NaN}`:     `{"NaN": "NaN \" Infinity\\", "b": null}`,
		`[NaN`:                                       `[null`, `[Na`: `[Na`, `-`: `-`, ``: ``, `Nope`: `Nope`,
		`[-Infinit]`:                     `[-Infinit]`,
		strings.Repeat("[NaN],", 40_000): strings.Repeat("[null],", 40_000),
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in),
			"by bytes":     iotest.OneByteReader(strings.NewReader(in)),
			"with its end": iotest.DataErrReader(strings.NewReader(in))} {
			got, err := io.ReadAll(newFilter(r))
			if err != nil || string(got) != want {
				t.Errorf("%s: %.60q becomes %.60q, %v", name, in, got, err)
			}
		}
	}
}
