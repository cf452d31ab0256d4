package main

import (
	"os"
	"strings"
	"testing"
)

// TestDotEnv holds that .env is read behind a byte order mark, and that what is no text is refused with its remedy.
func TestDotEnv(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"mark", "\ufeffDOTENV_TEST_API_KEY=abc\n", ""},
		{"no text", "DOTENV_TEST_API_KEY=a\x00bc\n", "save it as UTF-8"},
		{"UTF-16", "\xff\xfeD\x00O\x00T\x00=\x00a\x00", "save it as UTF-8"},
		{"no assignment", "abc def\n", "one NAME=value a line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("DOTENV_TEST_API_KEY", "")
			os.Unsetenv("DOTENV_TEST_API_KEY")
			if err := os.WriteFile(".env", []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := loadDotEnv()
			if c.want == "" {
				if err != nil || os.Getenv("DOTENV_TEST_API_KEY") != "abc" {
					t.Errorf("%v, and the key is %q", err, os.Getenv("DOTENV_TEST_API_KEY"))
				}
			} else if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
