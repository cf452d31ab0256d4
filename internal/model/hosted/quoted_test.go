package hosted

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

// TestQuotedKey: what is told of a body that does not parse, or of a refusal, shows no part of a key, also of one with
// quotes and backslashes, one that lies over several strings, and one of another server.
func TestQuotedKey(t *testing.T) {
	const key = `q7"Zx\9Lm'K2"vB\\c4Rt8"Wd`
	const escaped = `q7\"Zx\\9Lm'K2\"vB\\\\c4Rt8\"Wd`
	parts := `[{"token":"q7\"Zx\\9","top":[]},{"token":"Lm'K2\"vB","top":[]},{"token":"\\\\c4Rt8\"Wd","top":[]}]`
	for name, tt := range map[string]struct {
		status     int
		body, want string
	}{
		"cut":                {200, `{"choices":[{"message":{"content":"it is ` + escaped, "it is [key]"},
		"cut in an escape":   {200, `{"choices":[{"message":{"content":"it is ` + escaped + `\`, "it is [key]"},
		"trailing garbage":   {200, `{"a":"` + escaped + `"}}`, "[key]"},
		"not escaped":        {200, `{"choices":"it is ` + key + `"`, "it is [key]"},
		"in an error":        {200, `{"error":{"message":"wrong ` + escaped + `"}}`, "wrong [key]"},
		"in a cut error":     {400, `{"error":{"message":"wrong ` + escaped, "wrong [key]"},
		"spread, and cut":    {200, `{"choices":[{"logprobs":{"content":` + parts, "): [key]"},
		"spread, in a text":  {400, `{"wrong":` + parts + `}`, "status 400: [key]"},
		"spread, in a list":  {400, `{"error":{"message":` + parts + `}}`, "status 400: [key]"},
		"spread, in an 200":  {200, `{"error":{"message":` + parts + `}}`, "status 400: [key]"},
		"spread, in a page":  {200, "<" + parts, "in place of JSON: [key]"},
		"spread, not parsed": {500, `{"error":{"message":` + parts, "status 500: [key]"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		}))
		for whose, o := range map[string]Options{"its own": {Key: key, KeyName: "K"},
			"another's": {Secrets: secret.New(key)}} {
			o.BaseURL, o.Name = s.URL, "m"
			m, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Generate(context.Background(), model.Request{Prompt: "?"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %v", name, whose, err)
				continue
			}
			for _, part := range []string{"q7", "Zx", "Lm'K2", "vB", "c4Rt8", "Wd"} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("%s, %s: %v shows %s", name, whose, err, part)
				}
			}
		}
		s.Close()
	}
}
