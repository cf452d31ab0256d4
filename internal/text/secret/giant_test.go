package secret_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/text/secret"
)

// TestGiantDocument: a document that is made to take memory is not kept, and takes little; the log-probabilities of a
// long answer are kept.
func TestGiantDocument(t *testing.T) {
	archtest.OneGoroutine(t)
	r := secret.New(key)
	var members, tokens strings.Builder
	for i := range 1 << 20 {
		fmt.Fprintf(&members, `"%x":"x",`, i)
	}
	for i := range 16_000 {
		fmt.Fprintf(&tokens, `{"token":" w%d","bytes":[32],"top_logprobs":[%s{"token":"a"}]},`, i,
			strings.Repeat(`{"token":"b"},`, 19))
	}
	for name, tt := range map[string]struct {
		text string
		kept bool
	}{
		"members": {`{` + members.String() + `"z":1}`, false},
		"lists":   {`[` + strings.Repeat(`["x"],`, 1<<20) + `0]`, false},
		"deep":    {strings.Repeat("[", 8<<20), false},
		"tokens":  {`{"content":[` + tokens.String() + `{}]}`, true},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := r.Document([]byte(tt.text))
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; (got != nil) != tt.kept || !tt.kept && took > 200 {
			t.Errorf("%s: %d bytes kept of %d, %d MiB", name, len(got), len(tt.text), took)
		}
	}
}
