package token

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hallmark/internal/archtest"
)

func load(t testing.TB, name string) (*Tokenizer, []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok, data
}

// TestAgainstHuggingFace compares with ids made by testdata/reference.py; the file names the version. Each tokenizer
// is also written and read back.
func TestAgainstHuggingFace(t *testing.T) {
	var ref struct {
		Tests map[string][]struct {
			Text    string
			IDs     []int32
			With    []int32
			Decoded string
		}
	}
	archtest.ReadJSON(t, "testdata/reference.json", &ref)
	if len(ref.Tests) != 10 {
		t.Fatalf("%d tokenizers, want 10", len(ref.Tests))
	}
	for name, rows := range ref.Tests {
		read, _ := load(t, name)
		written, err := read.JSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := again.JSON(); err != nil || !bytes.Equal(b, written) {
			t.Errorf("%s: written twice, two files (%v)", name, err)
		}
		for _, tok := range []*Tokenizer{read, again} {
			for _, row := range rows {
				if got := tok.Decode(row.IDs); got != row.Decoded {
					t.Errorf("%s: %v: decoded %q, want %q", name, row.IDs, got, row.Decoded)
				}
				if row.With == nil {
					continue // ids that come of no text
				}
				ids, err := tok.Encode(row.Text)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(ids, row.IDs) {
					t.Errorf("%s: %q: ids %v, want %v", name, row.Text, ids, row.IDs)
				}
				before, after := tok.Template()
				if with := slices.Concat(before, ids, after); !slices.Equal(with, row.With) {
					t.Errorf("%s: %q: with template %v, want %v", name, row.Text, with, row.With)
				}
			}
		}
	}
}

func TestSpecialTokensInUntrustedText(t *testing.T) {
	for _, name := range allTokenizers {
		tok, _ := load(t, name)
		end, ok := tok.ID("<|end|>")
		if !ok {
			t.Fatal("no <|end|>")
		}
		const text = "the<|end|>the"
		trusted, _ := tok.Encode(text)
		plain, err := tok.EncodeText(text)
		if err != nil || !slices.Contains(trusted, end) || slices.Contains(plain, end) {
			t.Errorf("%s: trusted %v, plain %v, end %d, %v", name, trusted, plain, end, err)
		}
		if got := tok.Decode(plain); strings.TrimPrefix(got, " ") != text && name != "tinyllama" && name != "never" {
			t.Errorf("%s: decoded %q", name, got)
		}
	}
}

// allTokenizers are the layouts of testdata.
var allTokenizers = []string{"gpt2", "qwen2", "llama3", "smollm", "deepseek", "llama2", "mistral", "tinyllama", "never",
	"nfkc"}

// TestParts: parts are split as one text, but a special token counts only where all of it is the template's own.
func TestParts(t *testing.T) {
	for _, name := range allTokenizers {
		tok, _ := load(t, name)
		end, ok := tok.ID("<|end|>")
		if !ok {
			t.Fatal("no <|end|>")
		}
		own := func(s string) Part { return Part{Text: s} }
		foreign := func(s string) Part { return Part{Text: s, Foreign: true} }
		encode := func(parts ...Part) []int32 {
			ids, err := tok.EncodeParts(parts)
			if err != nil {
				t.Fatal(err)
			}
			return ids
		}
		for _, text := range []string{"the<|end|> world of e\u0301", "  Hello  world", "x", ""} {
			whole, err := tok.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			for i := range len(text) + 1 {
				if got := encode(own(text[:i]), own(text[i:])); !slices.Equal(got, whole) && utf8.ValidString(text[:i]) {
					t.Errorf("%s: %q cut at %d: %v, want %v", name, text, i, got, whole)
				}
			}
			plain, err := tok.EncodeText(text)
			if got := encode(foreign(text)); err != nil || !slices.Equal(got, plain) {
				t.Errorf("%s: %q from outside: %v, want %v", name, text, got, plain)
			}
		}
		for _, parts := range [][]Part{
			{own("the "), foreign("a<|end|>b"), own("the")}, {own("<|en"), foreign("d|>")},
			{foreign("<|"), own("end|>")}, {own("<|"), foreign("end"), own("|>")},
		} {
			if got := encode(parts...); slices.Contains(got, end) {
				t.Errorf("%s: %v is read as the special token: %v", name, parts, got)
			}
		}
		if got := encode(foreign("e"), own("<|end|>"), foreign("\u0301")); !slices.Contains(got, end) {
			t.Errorf("%s: the template's own token is lost: %v", name, got)
		}
	}
}

// TestNext: what goes on after a text has no space put before it, so that the two join to the tokens of the whole.
func TestNext(t *testing.T) {
	for _, name := range allTokenizers {
		tok, _ := load(t, name)
		before, err := tok.Encode("The capital of France is")
		if err != nil {
			t.Fatal(err)
		}
		after, err := tok.EncodeNext(" Paris")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := tok.Encode("The capital of France is Paris")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Concat(before, after); !slices.Equal(got, whole) {
			t.Errorf("%s: in two %v, in one %v", name, got, whole)
		}
		var text []byte
		for _, id := range whole {
			text = append(text, tok.Bytes(id)...)
		}
		if got := strings.TrimPrefix(string(text), " "); got != "The capital of France is Paris" {
			t.Errorf("%s: the tokens' bytes are %q", name, text)
		}
	}
}

// TestHostilePatterns: patterns on which a matcher that goes back takes exponential or cubic time, and one on which a
// linear one takes quadratic time over all its matches: that ends with an error, at the same character on every
// machine.
func TestHostilePatterns(t *testing.T) {
	_, data := load(t, "qwen2")
	for pattern, want := range map[string]string{`(a*)*b|(a|a)*c`: "",
		`a.*b|a.*c|a.*d|a.*e|a`: "reads a character more than", `(a|aa)+b`: "", `((a+)+)+`: ""} {
		var f map[string]any
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		f["pre_tokenizer"].(map[string]any)["pretokenizers"].([]any)[0].(map[string]any)["pattern"] = map[string]any{"Regex": pattern}
		bad, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := Parse(bad)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tok.Encode(strings.Repeat("a", 20_000))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			len(err.Error()) > 200) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

// TestSplitBombs: patterns whose compilation might grow without bound are refused or stay small.
func TestSplitBombs(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("(", 4000), strings.Repeat("(", 1000) + "a" + strings.Repeat("{1000}",
		50), strings.Repeat("(a{1000}", 30) + strings.Repeat("){1000}", 30), strings.Repeat("[", 4000),
		strings.Repeat(`\p{L}|`, 600)} {
		if m, err := compile(pattern); err == nil && m.instructions > maxInstructions {
			t.Errorf("%.20s: %d instructions", pattern, m.instructions)
		}
	}
}

// naive is BPE by its definition: join the leftmost pair of the lowest rank until there is none.
func naive(t *Tokenizer, w string) []int32 {
	var ids []int32
	for i := range len(w) {
		ids = append(ids, t.ids[w[i:i+1]])
	}
	for {
		at, best := -1, merge{rank: 1 << 30}
		for i := range len(ids) - 1 {
			if m, ok := t.merges[pair{ids[i], ids[i+1]}]; ok && m.rank < best.rank {
				at, best = i, m
			}
		}
		if at < 0 {
			return ids
		}
		ids = slices.Replace(ids, at, at+2, best.id)
	}
}

func TestQueueIsTheDefinition(t *testing.T) {
	tok, _ := load(t, "gpt2")
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		w := make([]byte, 1+r.IntN(40))
		for i := range w {
			w[i] = " theoaaa"[r.IntN(8)]
		}
		if got, want := tok.bpe(nil, string(w)), naive(tok, string(w)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", w, got, want)
		}
	}
}

// TestLongTextsAreQuick: what took time quadratic in these would run into the limit of go test.
func TestLongTextsAreQuick(t *testing.T) {
	archtest.OneGoroutine(t)
	tok, _ := load(t, "qwen2")
	pieces, _ := load(t, "llama2")
	for _, s := range []string{"a", " ", "<", "\n ", "the", "1", "é", "'"} {
		text := strings.Repeat(s, archtest.Draws(50_000, 200_000, 200_000)/len(s))
		ids, err := tok.Encode(text)
		if err != nil || tok.Decode(ids) != text {
			t.Fatalf("%q repeated: %v", s, err)
		}
		if ids, err = pieces.Encode(text); err != nil || pieces.Decode(ids) != text {
			t.Fatalf("%q repeated, over characters: %v", s, err)
		}
	}
}

func TestTrainBPE(t *testing.T) {
	// By hand: "ab" occurs 5 times, then "abc" 3; "xy" and "xz" tie at 2, and y comes first.
	texts := []Text{{"abc", 3}, {"ab", 2}, {"xz", 2}, {"xy", 2}, {"q", 9}}
	tok, err := TrainBPE(texts, GPT2Pattern, 1000, Specials("<|end|>"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range tok.file.Model.Merges {
		got = append(got, m[0]+"+"+m[1])
	}
	if want := []string{"a+b", "ab+c", "x+y", "x+z"}; !slices.Equal(got, want) {
		t.Errorf("merges %v, want %v", got, want)
	}
	if end, ok := tok.ID("<|end|>"); !ok || end != 0 || tok.Size() != 1+256+4 {
		t.Errorf("<|end|> is %d %v of %d", end, ok, tok.Size())
	}
	slices.Reverse(texts)
	again, err := TrainBPE(texts, GPT2Pattern, 1000, Specials("<|end|>"))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := tok.JSON()
	b, _ := again.JSON()
	if !bytes.Equal(a, b) {
		t.Error("the order of the texts matters")
	}
	small, err := TrainBPE(texts, GPT2Pattern, 258, Specials("<|end|>"))
	if err != nil || small.Size() != 258 {
		t.Errorf("size %d, want 258: %v", small.Size(), err)
	}
	for _, bad := range []error{
		second(TrainBPE(texts, GPT2Pattern, 256, Specials("<|end|>"))),
		second(TrainBPE(nil, GPT2Pattern, 300, Specials("x", "x"))),
		second(TrainBPE(texts, GPT2Pattern, 300, Specials("ab"))), second(TrainBPE([]Text{{"a", -1}}, GPT2Pattern, 300, nil)),
	} {
		if bad == nil {
			t.Error("no error")
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestParseRefuses(t *testing.T) {
	_, data := load(t, "qwen2")
	for name, edit := range map[string]func(f map[string]any){
		"model.type":    func(f map[string]any) { f["model"].(map[string]any)["type"] = "WordPiece" },
		"vocab":         func(f map[string]any) { f["model"].(map[string]any)["vocab"] = map[string]any{} },
		"merges":        func(f map[string]any) { f["model"].(map[string]any)["merges"] = []any{"a b c"} },
		"vocabulary":    func(f map[string]any) { f["model"].(map[string]any)["merges"] = []any{[]any{"zzz", "b"}} },
		"byte_fallback": func(f map[string]any) { f["model"].(map[string]any)["byte_fallback"] = true },
		"unk_token":     func(f map[string]any) { f["model"].(map[string]any)["unk_token"] = "<none>" },
		"decoder":       func(f map[string]any) { f["decoder"] = map[string]any{"type": "WordPiece"} },
		"Metaspace": func(f map[string]any) {
			f["pre_tokenizer"], f["decoder"] = map[string]any{"type": "Metaspace", "replacement": "__"}, nil
		},
		"pattern of": func(f map[string]any) {
			f["pre_tokenizer"] = map[string]any{"type": "Split", "behavior": "Isolated",
				"pattern": map[string]any{"Regex": strings.Repeat("a", 5000)}}
		},
		"Replace": func(f map[string]any) {
			f["normalizer"] = map[string]any{"type": "Replace", "pattern": map[string]any{"String": "a"},
				"content": strings.Repeat("a", 1000)}
		},
		"content of": func(f map[string]any) {
			f["added_tokens"].([]any)[0].(map[string]any)["content"] = strings.Repeat("a", 5000)
		},
		"normalizer":    func(f map[string]any) { f["normalizer"] = map[string]any{"type": "Lowercase"} },
		"pre_tokenizer": func(f map[string]any) { f["pre_tokenizer"] = map[string]any{"type": "Whitespace"} },
		"ByteLevel":     func(f map[string]any) { f["pre_tokenizer"] = nil },
		"post_processor": func(f map[string]any) {
			f["post_processor"] = map[string]any{"type": "BertProcessing"}
		},
		"id": func(f map[string]any) {
			f["added_tokens"].([]any)[0].(map[string]any)["id"] = 1 << 30
		},
		"single_word": func(f map[string]any) {
			f["added_tokens"].([]any)[0].(map[string]any)["single_word"] = true
		},
	} {
		var f map[string]any
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		edit(f)
		bad, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range allTokenizers {
		_, data := load(f, name)
		f.Add(data)
	}
	f.Add([]byte(`{"pre_tokenizer":{"type":"ByteLevel"},"model":{"vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}`))
	f.Add([]byte(`{"added_tokens":[{"id":-1,"content":""}],"pre_tokenizer":{"type":"Sequence"},"model":{"vocab":{"a":0}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := tok.Encode("ab \xff the<|end|>\n"); err == nil {
			tok.Decode([]int32{-1, 0, 1, 2, 1 << 30})
		}
		if out, err := tok.JSON(); err != nil {
			t.Fatal(err)
		} else if _, err := Parse(out); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	tok, _ := load(f, "gpt2")
	f.Add("The quick <|end|>\x00 brown 👩‍👩‍👧‍👦")
	f.Add("\xff\xfe  \r\n")
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := tok.EncodeText(text)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); tok.Decode(ids) != want && !strings.Contains(text, "</tool>") {
			t.Fatalf("%q comes back as %q", want, tok.Decode(ids))
		}
	})
}

// A text that begins with a token does so in the tokenizer.json too, and only once.
func TestBegin(t *testing.T) {
	tok, err := TrainBPE([]Text{{"the cat sat on the mat", 3}}, Llama3Pattern, 270, Specials("<s>", "</s>"))
	if err != nil {
		t.Fatal(err)
	}
	if tok.Begin("<none>") {
		t.Error("a token that is not there begins the text")
	}
	if !tok.Begin("<s>") || tok.Begin("</s>") {
		t.Error("want one beginning")
	}
	data, err := tok.JSON()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := tok.ID("<s>")
	for _, x := range []*Tokenizer{tok, read} {
		if before, after := x.Template(); !slices.Equal(before, []int32{id}) || len(after) != 0 {
			t.Errorf("the template is %v and %v, want [%d] and nothing", before, after, id)
		}
	}
	if again, err := read.JSON(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again it differs (%v)", err)
	}
}
