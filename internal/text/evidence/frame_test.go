package evidence

import "testing"

func TestUnframed(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Sure! It is Paris.", "It is Paris."},
		{"Great question! Here is the answer:\n\nParis", "Paris"},
		{"## Answer\n\nParis, on the Seine.", "Paris, on the Seine."},
		{"**Answer:**\n\nParis", "Paris"},
		{"Short answer: Paris.", "Paris."},
		{"It is Paris. I hope this helps! 😊", "It is Paris."},
		{"Paris\n\nWould you like to know more?", "Paris"},
		{"I’d be happy to help! Paris.", "Paris."},
		// What says something, or is all there is, stays.
		{"Sure!", "Sure!"},
		{"Let me know if you have any other questions.", "Let me know if you have any other questions."},
		{"Answer: Paris", "Answer: Paris"},
		{"Certainly not.", "Certainly not."},
		{"Let me know which Paris you mean.", "Let me know which Paris you mean."},
		{"By Shakespeare, of course!", "By Shakespeare, of course!"},
		{"It is 20°", "It is 20°"},
		{"", ""},
		{"😊", "😊"},
	} {
		if got := unframed(c.in); trimmed(got) != trimmed(c.want) {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	if got := Read("Sure! It is Paris. I hope this helps!"); got.Framed != 5 || got.Plain != "It is Paris." {
		t.Errorf("%q with %d words taken off; want 5", got.Plain, got.Framed)
	}
}

func trimmed(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\n') {
		s = s[:len(s)-1]
	}
	return s
}

func FuzzUnframed(f *testing.F) {
	f.Add("Sure! It is Paris. I hope this helps!")
	f.Add("I’d be happy to help: ’’’")
	f.Fuzz(func(t *testing.T, s string) {
		if got := unframed(s); len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
		Read(s)
	})
}
