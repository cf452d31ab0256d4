package answer

import (
	"encoding/json"
	"testing"
)

// Files hold an act as a marked word, no value reads as an act, and every form comes back from its text.
func TestFormText(t *testing.T) {
	for text, form := range map[string]Form{
		"": {}, "paris": Value("paris"), "declined": Value("declined"), "\x01paris": Value("\x01paris"),
		"\x01declined": Declined, "\x01empty": Empty, "\x01hedged": Hedged, "\x01right-act": RightAct,
		"\x01unread":        Ungradable,
		"\x01=\x01declined": Value("\x01declined"), "\x01=\x01=x": Value("\x01=x"), "\x01": Value("\x01"),
	} {
		if got, err := form.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%#v is written %q, %v, want %q", form, got, err, text)
		}
		var back Form
		if err := back.UnmarshalText([]byte(text)); err != nil || back != form {
			t.Errorf("%q is read as %#v, %v, want %#v", text, back, err, form)
		}
	}
}

// In JSON a form is a string, and absent where there is none.
func TestFormJSON(t *testing.T) {
	type holder struct {
		A Form `json:"a,omitzero"`
		B Form `json:"b,omitzero"`
		C Form `json:"c,omitzero"`
	}
	h := holder{A: Value("é"), B: Declined}
	out, err := json.Marshal(h)
	if want := `{"a":"é","b":"\u0001declined"}`; err != nil || string(out) != want {
		t.Fatalf("%s, %v; want %s", out, err, want)
	}
	var back holder
	if err := json.Unmarshal(out, &back); err != nil || back != h {
		t.Fatalf("%+v, %v; want %+v", back, err, h)
	}
}

// What a form is says whether it is compared, and whether there is a value to compare.
func TestFormKinds(t *testing.T) {
	for _, c := range []struct {
		form                   Form
		label                  string
		zero, compares, valued bool
	}{
		{Form{}, "", true, false, false},
		{Value(""), "", true, false, false},
		{Value("declined"), "declined", false, true, true},
		{Declined, "declined", false, true, false},
		{RightAct, "right-act", false, true, false},
		{Ungradable, "unread", false, false, false},
	} {
		_, valued := c.form.Value()
		if c.form.String() != c.label || c.form.IsZero() != c.zero || c.form.Compares() != c.compares || valued != c.valued {
			t.Errorf("%#v is %q, %v, %v, %v", c.form, c.form, c.form.IsZero(), c.form.Compares(), valued)
		}
	}
}
