package answer

import "strings"

// A Form is what an answer amounts to where answers are compared: a value in normal form, or what it did instead of
// giving one. Two answers are the same where their forms are ==. The zero Form is that of no answer.
type Form struct {
	kind  formKind
	value string // of valued
}

type formKind uint8

const (
	absent formKind = iota
	valued
	declined
	empty
	hedged
	rightAct
	ungradable
)

// The forms of answers that give no value.
var (
	Declined   = Form{kind: declined}   // said that it does not know, or asked back
	Empty      = Form{kind: empty}      // said nothing
	Hedged     = Form{kind: hedged}     // committed to nothing
	RightAct   = Form{kind: rightAct}   // did what is right where no answer is
	Ungradable = Form{kind: ungradable} // nobody can tell what it says: it is compared with no other
)

// Value returns the form of a value, which is normalized: see Normalize. Without one it is the zero Form.
func Value(normal string) Form {
	if normal == "" {
		return Form{}
	}
	return Form{valued, normal}
}

// IsZero reports whether there is no answer.
func (f Form) IsZero() bool { return f.kind == absent }

// Compares reports whether the answer can be the same as another: it is there, and could be graded.
func (f Form) Compares() bool { return f.kind != absent && f.kind != ungradable }

// Value returns the value in normal form, and false where the answer gives none.
func (f Form) Value() (string, bool) { return f.value, f.kind == valued }

// labels name the kinds but values.
var labels = [...]string{absent: "", declined: "declined", empty: "empty", hedged: "hedged", rightAct: "right-act",
	ungradable: "unread"}

// String names the form in results: the value, or a word such as "declined", which a value may be as well.
func (f Form) String() string {
	if f.kind == valued {
		return f.value
	}
	return labels[f.kind]
}

// Bundles and results hold a form as one string, in which a mark stands before the word of an act, and before a value
// that would read as one. It is part of these formats, which stay; in memory a form has no mark, as its kind says what
// it is.
const (
	mark    = "\x01"
	literal = mark + "="
)

// Text returns the form as files hold it: no two forms have the same text. The order of the texts decides which pairs
// of answers a model is asked about, and so which records there are.
func (f Form) Text() string {
	switch {
	case f.kind == absent:
		return ""
	case f.kind != valued:
		return mark + labels[f.kind]
	case read(f.value) != f:
		return literal + f.value
	}
	return f.value
}

// MarshalText returns the form as files hold it.
func (f Form) MarshalText() ([]byte, error) { return []byte(f.Text()), nil }

// UnmarshalText reads what MarshalText returns, and any other text as a value.
func (f *Form) UnmarshalText(text []byte) error {
	*f = read(string(text))
	return nil
}

// read returns the form that a text of a file stands for.
func read(text string) Form {
	word, marked := strings.CutPrefix(text, mark)
	if !marked {
		return Value(text)
	}
	for k := declined; k <= ungradable; k++ {
		if labels[k] == word {
			return Form{kind: k}
		}
	}
	return Value(strings.TrimPrefix(text, literal))
}
