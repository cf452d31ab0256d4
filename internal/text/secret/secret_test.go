package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/text/secret"
	"hallmark/internal/text/secret/secrettest"
)

const key = "sk-proj-Ab3/dE5+gH7_iJ9.kL1mN3oP5"

// bare undoes nothing, and finds the key only as it stands there.
func shows(text, key string) string {
	folded, key := strings.ToLower(text), strings.ToLower(key)
	for i := range len(key) - 11 {
		if strings.Contains(folded, key[i:i+12]) {
			return key[i : i+12]
		}
	}
	return ""
}

// Every form of the key, and of a part of it, in a text.
func TestForms(t *testing.T) {
	r := secret.New(key)
	for _, e := range secrettest.Forms {
		for _, part := range []string{key, key[4:16], key[9:24]} {
			hidden := e.Write(part)
			text := "The key is " + hidden + ", and \"that\" is all."
			got := r.Text(text)
			if !strings.Contains(got, secret.Mark) || !strings.HasPrefix(got, "The key is ") ||
				!strings.HasSuffix(got, " is all.") {
				t.Errorf("%s of %q: %q became %q", e.Name, part, text, got)
			}
			if rest := len(got) - len("The key is [key], and \"that\" is all."); rest > 12 {
				t.Errorf("%s of %q: %d bytes around the mark are left: %q", e.Name, part, rest, got)
			}
			if r.Holds(got) || r.Text(got) != got {
				t.Errorf("%s of %q: what is left holds it still: %q", e.Name, part, got)
			}
		}
	}
}

// Forms of forms, each pair of them, and threes.
func TestFormsOfForms(t *testing.T) {
	r := secret.New(key)
	for _, outer := range secrettest.Forms {
		for _, inner := range secrettest.Forms {
			hidden := inner.Write(key)
			if !keeps(outer, hidden) {
				continue
			}
			text := "a " + outer.Write(hidden) + " b"
			if got := r.Text(text); r.Holds(got) || !strings.Contains(got, secret.Mark) {
				t.Errorf("%s of %s: %q became %q", outer.Name, inner.Name, text, got)
			}
		}
	}
}

// Four forms around each other, and what no form above writes.
func TestRareForms(t *testing.T) {
	const key = "production-and-staging-key-17" // whose letters and digits alone are not looked for
	r := secret.New(key)
	four := key
	for range 4 {
		four = base64.StdEncoding.EncodeToString([]byte(four))
	}
	tags := strings.Map(func(r rune) rune { return r + 0xE0000 }, key)
	for name, text := range map[string]string{
		"base64 of base64 of base64 of base64": four,
		"soft line ends":                       strings.Join(strings.Split(key, ""), "=\n"),
		"tags":                                 tags,
		"tags between":                         strings.Join(strings.Split(key, ""), "\U000E0041"),
		"tags between, in JSON":                strings.Join(strings.Split(key, ""), `\udb40\udc41`),
		"tags in JSON":                         pairs(tags),
		"numbers with zeros before":            numbers(key, "%05d "),
		"numbers of three digits":              numbers(key, "%03d"),
		"hex in angle brackets":                numbers(key, "<%02x>"),
		"digits above the line":                strings.NewReplacer("1", "¹", "7", "⁷").Replace(key),
		"digits in Arabic script":              strings.NewReplacer("1", "١", "7", "۷").Replace(key),
		"numbers in Arabic script": strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r - '0' + 0x660
			}
			return r
		}, numbers(key, "%d ")),
		"variation selectors":             "😀" + selectors(key),
		"escaped pairs that show nothing": strings.Join(strings.Split(key, ""), `\udb40\udd00`),
	} {
		got := r.Text("a " + text + " b")
		if !strings.Contains(got, "[key]") || len(got) > len("a [key] b")+12 || r.Holds(got) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// selectors writes each byte as a variation selector.
func selectors(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if r := rune(c); r < 16 {
			b.WriteRune(0xFE00 + r)
		} else {
			b.WriteRune(0xE0100 + r - 16)
		}
	}
	return b.String()
}

// pairs writes each character beyond 16 bits as JSON does, in two halves.
func pairs(text string) string {
	var b strings.Builder
	for _, c := range text {
		hi, lo := utf16.EncodeRune(c)
		fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
	}
	return b.String()
}

// numbers writes each byte in a format.
func numbers(text, format string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// TestScattered: the numbers of a key's characters are found whatever stands between them.
func TestScattered(t *testing.T) {
	const key = "sk-proj-9fQ2mZx81LbTw7RyVk30"
	r := secret.New(key)
	encoded := base64.StdEncoding.EncodeToString([]byte(key))
	for name, text := range map[string]string{
		"chr":              numbers(key, "chr(%d)+"),
		"a list of pairs":  numbers(key, "code=%d; "),
		"code points":      numbers(key, "U+%04X "),
		"base64 apart":     numbers(encoded, "%c "),
		"base64 marked up": numbers(encoded, "<b>%c</b>"),
		"base64 quoted":    numbers(encoded, "'%c', "),
		"hex in bold":      numbers(key, "**%02x**"),
		"CDATA":            numbers(key, "<![CDATA[%c]]>"),
	} {
		if got := r.Text("The value is " + text + "."); !strings.Contains(got, "[key]") || r.Holds(got) ||
			len(got) > len(text)/2 {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, text := range []string{"In 1066, 115 men and 107 ships; then 45, 112, 114 and 111.",
		numbers("kings and queens", "chr(%d)+")} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// keeps reports whether a form keeps what a text that is a form itself stands for.
func keeps(outer secrettest.Form, text string) bool {
	wide := strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
	switch {
	case strings.HasSuffix(outer.Name, "er case"): // base64 in another case holds nothing
		return text == key
	case strings.Contains(outer.Name, "UTF-16"): // it is told by the zeros
		return !wide && !strings.Contains(text, "=\r\n")
	case outer.Name == "line ends": // behind an "=" one of them is quoted-printable
		return !strings.Contains(text, "=")
	case strings.Contains(text, "=\r\n"): // a soft line end, that is to stay one or to be encoded whole
		return outer.Name != "full width" && outer.Name != "JSON" && outer.Write("a") != "a"
	}
	return true
}

// selfEscaped is a key that reads as an escape itself: where only some of it is escaped, nobody can tell what it was.
var selfEscaped = regexp.MustCompile(`[%=][0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}|&[#a-zA-Z]`)

// Random keys in random forms of random forms: nothing is left, and a text without the key is left alone.
func FuzzForms(f *testing.F) {
	for s := range uint64(40) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s uint64) {
		d := seed.Stream(s, "secret", "forms")
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/=!$*,:;@^|#%&"
		k := make([]byte, 12+d.IntN(60))
		for k[0] == 0 || secret.Plain(string(k)) || selfEscaped.Match(k) {
			for i := range k {
				k[i] = alphabet[d.IntN(len(alphabet))]
			}
		}
		from := d.IntN(len(k) - 11)
		part := string(k[from : from+12+d.IntN(len(k)-from-11)])
		hidden, names := part, ""
		for range 1 + d.IntN(3) {
			e := secrettest.Forms[d.IntN(len(secrettest.Forms))]
			if !keeps(e, hidden) && (hidden != part || e.Name == "line ends") {
				continue
			}
			hidden, names = e.Write(hidden), e.Name+" of "+names
		}
		// Read barely, a letter of the noise could be the key's next: a letter that is in no key of this seed stands
		// between.
		i := strings.IndexFunc("zyxwvutsrqponmlkjihg", func(r rune) bool { return !bytes.ContainsRune(bytes.ToLower(k), r) })
		if i < 0 {
			t.Skip("the key has all letters")
		}
		fence := "zyxwvutsrqponmlkjihg"[i : i+1]
		before, after := noise(d)+fence, fence+"."+noise(d)
		r := secret.New(string(k))
		if clean := before + " " + after; r.Text(clean) != clean {
			t.Fatalf("seed %d: a text without the key changed: %q", s, clean)
		}
		text := before + " " + hidden + " " + after
		got := r.Text(text)
		if !strings.Contains(got, secret.Mark) {
			t.Fatalf("seed %d: key %q, %s in %q: not found", s, k, names, text)
		}
		// Where numbers are read with anything between them, digits of the noise next to the key may be a part of it by
		// chance.
		const near = 64
		if !strings.HasPrefix(got, before[:max(0, len(before)-near)]) ||
			!strings.HasSuffix(got, after[min(near, len(after)):]) {
			t.Fatalf("seed %d: key %q, %s: the text around it changed: %q became %q", s, k, names, text, got)
		}
		if r.Holds(got) || r.Text(got) != got {
			t.Fatalf("seed %d: key %q, %s: %q became %q, which holds it still", s, k, names, text, got)
		}
		if left := shows(got, string(k)); left != "" {
			t.Fatalf("seed %d: %q shows in %q", s, left, got)
		}
	})
}

// noise is a random text without a key: words, escapes, bytes that are no UTF-8.
func noise(d *rand.Rand) string {
	pieces := []string{"the ", "answer", " 42", "\\n", "\\\"", "&amp;", "%20", "=3D", "\xff", "é", "日本",
		"\u200b", "{\"a\": [1, 2, 3]}", "aGVsbG8gd29ybGQ=", "deadbeef", ".", "\n", "\\"}
	var b strings.Builder
	for range d.IntN(30) {
		b.WriteString(pieces[d.IntN(len(pieces))])
	}
	return b.String() + "."
}

// Any bytes are a text: nothing fails, nothing is left, and nothing but the key changes.
func FuzzText(f *testing.F) {
	f.Add([]byte("sk-proj-Ab3/dE5+gH7_iJ9.kL1mN3oP5"))
	f.Add([]byte(`{"a":"\u0073k-proj-Ab3\/dE5+gH7_iJ9.kL1mN3oP5"}`))
	f.Add([]byte("%5Cu0073=3D&#x;&#115\\u{\\x{\\U00\\ud83d\\u0000\xe2\x80"))
	f.Add([]byte(base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(key))))))
	r := secret.New(key, "another-SECRET-1")
	f.Fuzz(func(t *testing.T, b []byte) {
		was := bytes.Clone(b)
		got := r.Bytes(b)
		if !bytes.Equal(b, was) {
			t.Fatal("the argument changed")
		}
		if r.Holds(string(got)) {
			t.Fatalf("%q became %q, which holds a key", b, got)
		}
		if !r.Holds(string(b)) && !bytes.Equal(got, b) {
			t.Fatalf("%q changed without a key: %q", b, got)
		}
		if got := r.Document(b); json.Valid(b) && len(got) > 0 && !json.Valid(got) {
			t.Fatalf("%q is JSON, and %q is none", b, got)
		}
	})
}

// TestLongText: a key is found wherever it stands in a text that is looked through in parts, in every form, and the
// room for that does not grow with the text.
func TestLongText(t *testing.T) {
	archtest.OneGoroutine(t)
	const part, overlap = 256 << 10, 64 << 10 // as in the package
	r := secret.New(key)
	filler := strings.Repeat("An answer of words, \\u0061nd \\u00e9scapes. ", 20)
	long := strings.Repeat(filler, 4*part/len(filler))
	for i, e := range secrettest.Forms {
		if i%archtest.Draws(9, 1, 1) > 0 { // TestForms has all of them, in short texts
			continue
		}
		at := []int{part - overlap, part - 9, part, part + 7, 2*part - overlap - 5, 3 * part}[i%6]
		if hidden := e.Write(key); r.Holds("a "+hidden+" b") && !r.Holds(long[:at]+" "+hidden+" "+long[at:]) {
			t.Errorf("%s at %d is not found", e.Name, at)
		}
	}
	text := strings.Repeat(long, archtest.Draws(4, 16, 16))
	took := uint64(math.MaxUint64)
	for range 3 { // the collector may empty in between what is used again
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if r.Text(text) != text {
			t.Error("a text without a key changed")
		}
		runtime.ReadMemStats(&after)
		took = min(took, after.TotalAlloc-before.TotalAlloc)
	}
	if took > 10*uint64(len(text)) {
		t.Errorf("%d MiB for a text of %d", took>>20, len(text)>>20)
	}
}

// TestPlain: what an answer may well say is no key that can be blotted out: words, names, dates, numbers.
func TestPlain(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "x": true, "test": true, "EMPTY": true, "sk-1234": true, "not-needed": true, "lm-studio": true,
		" password ": true, "PLACEHOLDER": true, "LmStudioX": true, "correcthorsebattery": true,
		"Donaudampfschifffahrt": true,
		"Charles Robert Darwin": true, "Apollo 11 and Apollo 12": true,
		"a1b2c3d4\u00a0e5f6g7h8": true, "a1b2c3d4\te5f6g7h8": true,
		"1066-10-14": true, "12345678": true, "3.14159265358979": true, "+1-202-555-0143-0144": true, "1.602176634e-19": true,
		"COVID-19": true, "ISO-8601": true, "Windows95": true, "October-14-1066": true, "Étienne-Louis": true,
		"sk-12345": false, "sk-secret": false, "hunter2hunter2": false, "ghp_ABCDEFGHIJKL": false, "hf_AbCdEfGhIjKl": false,
		"A1b2C3d4E5": false, "production-key-17": false, "0123456789abcdef": false, " " + key + "\n": false,
	} {
		if got := secret.Plain(value); got != want {
			t.Errorf("Plain(%q) is %v", value, got)
		}
		text := "a " + value + " b"
		if got := secret.New(value).Text(text); (got == text) != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestShortSecretWhole(t *testing.T) {
	r := secret.New("sk-12345", key)
	if got := r.Text("sk-1234 sk-12345 sk-proj-Ab3 sk-proj-Ab3/"); got != "sk-1234 [key] sk-proj-Ab3 [key]" {
		t.Errorf("%q", got)
	}
	got := r.Text("=" + base64.StdEncoding.EncodeToString([]byte("u:sk-12345")))
	if strings.Contains(got, "1Mg") || !strings.Contains(got, secret.Mark) {
		t.Errorf("%q", got)
	}
}

func TestNilKnowsNothing(t *testing.T) {
	var r *secret.Redactor
	if r.Text(key) != key || r.Holds(key) ||
		string(r.Bytes([]byte(key))) != key || string(r.Document([]byte(key))) != key {
		t.Error("the nil redactor found something")
	}
	if with := r.With(key); with.Text(key) != secret.Mark {
		t.Error("With of the nil redactor found nothing")
	}
	zero := secret.New()
	with := zero.With(key)
	if zero.Text(key) != key || with.Text(key) != secret.Mark {
		t.Error("With changed the redactor, or knows nothing")
	}
}

func TestParts(t *testing.T) {
	r := secret.New(key)
	clean, found := r.Parts([]string{"The ", "key sk-", "proj-Ab3", "/dE5+g", "H7_iJ9.kL1mN3oP5", " is"})
	if want := []string{"The ", "key [key]", "", "", "", " is"}; !found || fmt.Sprint(clean) != fmt.Sprint(want) {
		t.Errorf("%q, %v", clean, found)
	}
	parts := []string{"sk-", "foo", "proj-Ab3/d"}
	if clean, found := r.Parts(parts); found || &clean[0] != &parts[0] {
		t.Errorf("found %q", clean)
	}
}

// A document in which a key is spread is dropped whole; so is one that would be none without it.
func TestDocument(t *testing.T) {
	r := secret.New(key)
	for in, want := range map[string]string{
		`{"text":"no key"}`:           `{"text":"no key"}`,
		`{"text":"` + key + `"}`:      `{"text":"[key]"}`,
		`{"bytes":` + ints(key) + `}`: "",
		`{"content":[{"token":"sk-pro","top":[]},{"token":"j-Ab3/dE","top":[]},{"token":"5+gH7_","top":[]}]}`: "",
		`{"content":[{"type":"text","text":"sk-proj-Ab3"},{"type":"text","text":"\/dE5+gH7_iJ9"}]}`:           "",
		`{"tokens":["sk-","proj-","Ab3/dE5","+gH"]}`:                                                          "",
		`{"c":[{"top":[{"token":"sk-proj-"},{"token":"x"}]},{"top":[{"token":"Ab3/"},{"token":"y"}]},` +
			`{"top":[{"token":"dE5+g"},{"token":"z"}]}]}`: "",
		`{"sk-proj":1,"-Ab3/dE":2,"5+gH7_":3}`:                                                                "",
		`{"top_logprobs":[{"sk-proj-":-1,"a":-2},{"Ab3/dE":-1,"b":-2}]}`:                                      "",
		`{"content":[{"token":"sk-pro","top":[]},{"token":" and ","top":[]},{"token":"j-Ab3/dE5","top":[]}]}`: "same",
	} {
		if want == "same" {
			want = in
		}
		if got := string(r.Document([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func ints(s string) string { return strings.ReplaceAll(fmt.Sprint([]byte(s)), " ", ",") }

// response is a body as servers send them, of about so many bytes, without a key.
func response(n int) []byte {
	d := seed.Stream(1, "secret", "response")
	words := strings.Split("The capital of France is Paris , which its people have called so since 1889 , "+
		"and \\\"the city of light\\\" . \\n", " ")
	var b bytes.Buffer
	b.WriteString(`{"id":"chatcmpl-9aKf3LmQz0","object":"chat.completion","created":1700000000,"model":"m",` +
		`"choices":[{"index":0,"message":{"role":"assistant","content":"`)
	for b.Len() < n {
		b.WriteString(words[d.IntN(len(words))] + " ")
	}
	b.WriteString(`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46}}`)
	return b.Bytes()
}

func BenchmarkClean(b *testing.B) {
	var tokens bytes.Buffer
	tokens.WriteString(`{"choices":[{"logprobs":{"content":[`)
	for i := range 200 {
		fmt.Fprintf(&tokens, `{"token":" word%d","logprob":-0.%d,"bytes":[32,119,111,114],`+
			`"top_logprobs":[{"token":" word","logprob":-0.25,"bytes":[32,119]},`+
			`{"token":" other","logprob":-1.25,"bytes":[32]}]},`, i, i)
	}
	tokens.WriteString(`null]}}]}`)
	for name, text := range map[string][]byte{
		"response 4 kB": response(4 << 10), "response 1 MiB": response(1 << 20), "logprobs": tokens.Bytes(),
		"base64 1 MiB":     bytes.Repeat([]byte("aGVsbG8gd29ybGQhIQ"), 1<<20/18),
		"hex 1 MiB":        bytes.Repeat([]byte("deadbeef0123"), 1<<20/12),
		"one letter 1 MiB": bytes.Repeat([]byte("A"), 1<<20),
		"numbers 1 MiB":    bytes.Repeat([]byte("65,"), 1<<20/3), "escapes 1 MiB": bytes.Repeat([]byte(`\u0041`), 1<<20/6),
		"backslashes 1 MiB": bytes.Repeat([]byte(`\\`), 1<<20/2), "ampersands 1 MiB": bytes.Repeat([]byte(`&`), 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			r := secret.New(key)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Document(text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(len(text))/1024), "ns/KB")
		})
	}
}

// TestBarely: a key with markup, spaces or marks between its characters is found, as who reads the text takes these
// away; words that a key holds too are not.
func TestBarely(t *testing.T) {
	for _, key := range []string{
		"sk-proj-9vQxT4mB7LcR2wZkY8dHs3JpNf6Ga1Ue",
		"7c1f09be5d3a48e2a6b4d0937f85ce21", "3f2b8c1d-77aa-4e0f-9c1e-55d0c2b7e913",
	} {
		r := secret.New(key)
		for name, between := range map[string]string{
			"colours": "\x1b[0m", "links of a terminal": "\x1b]8;;http://x\x07", "bold": "**",
			"spaces": " ", "no-break": "\u00a0", "commands": `\text{}`,
			"backslashes": `\`, "line ends": "\\\n", "braille": "\u2800", "accents": "\u0301",
			"strings": `", "`, "braces": "{}", "breaks": "<wbr>",
			"pairs of tags": "<b></b>",
		} {
			text := "It is " + strings.Join(strings.Split(key, ""), between) + ", I think."
			got := r.Text(text)
			if strings.Contains(got, between+key[len(key)-4:len(key)-3]) || !strings.Contains(got, secret.Mark) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if text := "The key is " + key[:11] + " or more, 9vQxT and 7c1f09, of 3f2b8c1d."; r.Text(text) != text {
			t.Errorf("rewritten: %q", r.Text(text))
		}
	}
	r := secret.New("my-company-production-key-2024-eu1")
	if text := "My company: production key. My company, production keys 2024."; r.Text(text) != text {
		t.Errorf("words are rewritten: %q", r.Text(text))
	}
}
