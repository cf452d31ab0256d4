package secret

import (
	"slices"
	"testing"
)

func TestProxyKeys(t *testing.T) {
	for address, want := range map[string][]string{
		"http://user:Pa55%2Fword@proxy:3128": {"Pa55%2Fword", "Pa55/word"},
		"user:Pa55word2xZ@127.0.0.1:18500":   {"Pa55word2xZ", "Pa55word2xZ"},
		"socks5://user:p@ss9word@proxy:1080": {"p@ss9word", "p@ss9word"},
		"http://user:p4/ss9word@proxy:3128":  {"p4/ss9word", "p4/ss9word"},
		"http://T0ken9xQ2@proxy/":            {"T0ken9xQ2", "T0ken9xQ2"},
		"http://proxy:3128":                  nil,
		"localhost,127.0.0.1":                nil,
	} {
		if got := proxyKeys(address); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
