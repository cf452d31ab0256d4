package model

import "testing"

func TestNamed(t *testing.T) {
	for text, want := range map[string][2]string{
		"gpt=openai:gpt-4o": {"gpt", "openai:gpt-4o"}, "gpt-4.1=http://h/v1#x=y": {"gpt-4.1", "http://h/v1#x=y"},
		"exec:A=b c": {"", "exec:A=b c"}, "exact:linreg?dim=1": {"", "exact:linreg?dim=1"},
		"http://h/v1#a=b": {"", "http://h/v1#a=b"},
		"pocket":          {"", "pocket"}, "=pocket": {"", "=pocket"}, "a b=pocket": {"", "a b=pocket"},
		"hf:a=b": {"", "hf:a=b"}, "x=": {"x", ""},
	} {
		if name, ref := Named(text); name != want[0] || ref != want[1] {
			t.Errorf("%q: %q, %q, want %q", text, name, ref, want)
		}
	}
}
