package model

import (
	"strings"

	"hallmark/internal/base/pattern"
)

// OtherModel reports whether a server that was asked for one model says that another answered. Names that differ by
// letter case, by the organization or folder before them, by .gguf or .bin, or by a date, a version or a tag behind
// them are one model's: gpt-4o is gpt-4o-2024-08-06, llama3 is llama3:latest, org/name is name. Either may be the
// longer one. An empty name is no other.
func OtherModel(asked, said string) bool {
	a, b := plainName(asked), plainName(said)
	if a == "" || b == "" || a == b {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b, a)
	return !ok || !version.MatchString(rest)
}

// version is what may stand behind the name of a model without making it another's: a tag, a revision, a date or a
// release. A count of parameters (-70b) and a word (-mini) are another model's.
var version = pattern.New(`^(:latest|@[\w.-]+|[-_:@](20\d\d([-_]?\d\d){0,2}|[0-9]{4}|\d{6}|\d{8}|v\d+(:\d+)?|\d{3}|` +
	`latest))+$`)

// plainName drops what says nothing about which model it is.
func plainName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimRight(strings.ReplaceAll(s, `\`, "/"), "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	for _, end := range []string{".gguf", ".bin", ".safetensors", "-latest", ":latest"} {
		s = strings.TrimSuffix(s, end)
	}
	return s
}
