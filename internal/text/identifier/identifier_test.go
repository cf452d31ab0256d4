package identifier

import (
	"strings"
	"testing"
)

// The valid numbers are published examples of their registries: ISBN 978-0-306-40615-7 and 0-306-40615-2 (ISBN manual),
// ISSN 0378-5955 (ISSN manual), ORCID 0000-0002-1825-0097 (ORCID's own example), the IBANs of the registry's examples.
// The wrong ones change a digit.
func TestIdentifierNumbers(t *testing.T) {
	for _, c := range []struct{ text, kind, key, fault string }{
		{"It is ISBN 978-0-306-40615-7.", "isbn", "9780306406157", ""},
		{"ISBN 0-306-40615-2", "isbn", "9780306406157", ""},
		{"ISBN 978-0-306-40615-8", "isbn", "9780306406158", "check digit"},
		{"ISBN 0-306-40615-3", "isbn", "0306406153", "check digit"},
		{"ISSN 0378-5955", "issn", "03785955", ""},
		{"issn: 0378-5956", "issn", "03785956", "check digit"},
		{"the years 1914-1918", "", "", ""},
		{"See RFC 2616.", "rfc", "rfc2616", ""},
		{"rfc-0791", "rfc", "rfc791", ""},
		{"His ORCID is 0000-0002-1825-0097", "orcid", "0000000218250097", ""},
		{"0000-0002-1694-233X", "orcid", "000000021694233X", ""},
		{"0000-0002-1825-0098", "orcid", "0000000218250098", "check digit"},
		{"Pay to DE89 3704 0044 0532 0130 00 TODAY", "iban", "DE89370400440532013000", ""},
		{"IBAN GB82WEST12345698765432", "iban", "GB82WEST12345698765432", ""},
		{"IBAN GB82WEST12345698765433", "iban", "GB82WEST12345698765433", "check digits"},
		{"doi:10.1000/XYZ123.", "doi", "10.1000/xyz123", ""},
		{"10.1000/хyz123", "doi", "10.1000/хyz123", "no letter"}, // a Cyrillic letter
		{"https://www.congress.gov/x/", "url", "congress.gov/x", ""},
		{"https://congress.gov@evil.example/x", "url", "congress.gov@evil.example/x", "@"},
		{"https://\u212aernel.org/x", "url", "\u212aernel.org/x", "no letter"},
		{"call 030 1234567890", "", "", ""},
	} {
		ids := Find(c.text)
		if c.kind == "" {
			if len(ids) > 0 {
				t.Errorf("%q: %+v", c.text, ids)
			}
			continue
		}
		if len(ids) != 1 || ids[0].Kind != c.kind || ids[0].Key != c.key {
			t.Errorf("%q: %+v, want %s %s", c.text, ids, c.kind, c.key)
			continue
		}
		if f := ids[0].Fault(); (f == "") != (c.fault == "") || !strings.Contains(f, c.fault) {
			t.Errorf("%q: fault %q, want %q", c.text, f, c.fault)
		}
	}
	if Likeness("978-O-465") != Likeness("9780465") {
		t.Error(Likeness("978-O-465"))
	}
	if Skeleton("10.1000/хYz") != "10.1000/xyz" || Skeleton("\u212aernel") != "kernel" {
		t.Error(Skeleton("10.1000/хYz"), Skeleton("\u212aernel"))
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"doi:10.1038/s41559-021-01234-5.", "doi 10.1038/s41559-021-01234-5"},
		{"See https://www.Example.gov/A/.", "url example.gov/A"},
		{"978-0-465-02656-2", "isbn 9780465026562"}, {"ISBN 0-465-02656-7", "isbn 9780465026562"},
		{"call 123-456-7890", ""}, {"arXiv:2601.07058", "arxiv arxiv:2601.07058"}, {"no ids", ""},
	} {
		var got []string
		for _, id := range Find(c.in) {
			got = append(got, id.Kind+" "+id.Key)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("Find(%q) = %q, want %q", c.in, s, c.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("ISBN 978-0-306-40615-7 ISSN 0378-5955 RFC 1 0000-0002-1825-0097 DE89 3704 0044 0532 0130 00 10.1/x " +
		"https://a.b/c arXiv:1234.56789")
	f.Add("IBAN GB82\xff ISSN ٠")
	f.Fuzz(func(t *testing.T, s string) {
		for _, id := range Find(s) {
			if id.Kind == "" || id.Key == "" || id.Text == "" {
				t.Fatalf("%q: %+v", s, id)
			}
			id.Fault()
			for _, again := range Find(id.Kind + " " + id.Text) {
				if again.Kind == id.Kind && again.Text == id.Text && again.Key != id.Key {
					t.Fatalf("%q reads as %q and %q", id.Text, id.Key, again.Key)
				}
			}
		}
	})
}
