package retrieve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hallmark/internal/base/jsonl"
)

// memory is a file that is held as text.
func memory(name, text string) File {
	return File{name, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func built(t *testing.T, files ...File) *Index {
	t.Helper()
	x, err := Build(files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"The Capital of France is Paris.", "capit franc pari"},
		{"U.S.A. won 1,234.5 of 3:4 games; O'Neil's dogs don't run", "u.s.a won 1,234.5 3 4 game o'neil dog don't run"},
		{"snake_case_ _x 12_ab", "snake_cas x 12_ab"},
		{"It’s the dog’s — ÉCOLE naïve", "dog école naïv"},
		{"東京タワー と Токио", "東 京 タワー と токио"},
		{"a.b.c, e.g. x.1 1.x", "a.b.c e.g x 1 1 x"},
		{"cafe\u0301s  \u200b zero", "cafe\u0301 zero"},
		{"\xff\xfeabc\xffdef", "abc def"},
	} {
		if got := strings.Join(Words(tt.in), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	long := Words(strings.Repeat("x", 3*maxWord+1))
	if len(long) != 4 || len(long[0]) != maxWord || len(long[3]) != 1 {
		t.Errorf("a long word gives %d", len(long))
	}
}

// Words and stems of NLTK 3.10.4 (PorterStemmer, MARTIN_EXTENSIONS), a word or two for each rule. All 49,608 different
// words of Natural Questions, BECEL, AG News and FACTOR in ../shared/data had the same stem there as here (2026-11-22).
func TestStem(t *testing.T) {
	const pairs = `
caresses:caress ponies:poni caress:caress cats:cat feed:feed agreed:agre plastered:plaster bled:bled motoring:motor
sing:sing conflated:conflat troubled:troubl sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz
failing:fail filing:file happy:happi sky:sky relational:relat conditional:condit rational:ration valenci:valenc
hesitanci:hesit digitizer:digit possibli:possibl radicalli:radic differentli:differ vileli:vile analogousli:analog
vietnamization:vietnam predication:predic operator:oper feudalism:feudal decisiveness:decis hopefulness:hope
callousness:callous formaliti:formal sensitiviti:sensit sensibiliti:sensibl archaeology:archaeolog triplicate:triplic
formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope goodness:good revival:reviv
allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
replacement:replac adjustment:adjust dependent:depend adoption:adopt communism:commun activate:activ angulariti:angular
homologous:homolog effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas controll:control roll:roll
yes:ye yyyy:yyyi ion:ion as:as is:is`
	for pair := range strings.FieldsSeq(pairs) {
		word, want, _ := strings.Cut(pair, ":")
		if got := string(stem([]byte(word))); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// What a passage holds twice counts once, then saturates; checked by hand. Four passages of 3, 3, 2 and 4 words, mean
// 3: the norms are .9(.6 + .4·1) = .9, .9, .9(.6 + .4·2/3) = .78, .9(.6 + .4·4/3) = 1.02. "river" is in 2 of 4: idf
// ln(1 + 2.5/2.5) = ln 2; "bridg" in 3: ln(1 + 1.5/3.5).
func TestScoresByHand(t *testing.T) {
	x := built(t, memory("f", `{"id": "a", "title": "River", "text": "the bridge of stone"}
{"id": "b", "text": "river and river and bridges"}
{"_id": 7, "contents": "stone bridges"}

{"doc_id": "d", "title": "Tower", "text": "a tower of wood, glass"}`))
	ln2, bridge := math.Log(2), math.Log(1+1.5/3.5)
	want := []Hit{{1, ln2*2/(2+.9) + bridge/(1+.9)}, {0, ln2/(1+.9) + bridge/(1+.9)}, {2, bridge / (1 + .78)}}
	got := x.Search("Rivers bridge?", 9)
	if len(got) != 3 {
		t.Fatalf("found %v", got)
	}
	for i := range want {
		if got[i].Passage != want[i].Passage || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
			t.Errorf("hit %d is %v, want %v", i, got[i], want[i])
		}
	}
	// A word twice in the query counts twice.
	if got := x.Search("bridge bridge", 1); math.Abs(got[0].Score-2*bridge/(1+.78)) > 1e-12 {
		t.Errorf("twice: %v", got)
	}
	if x.Search("the of and", 3) != nil || x.Search("unheard", 3) != nil || x.Search("river", 0) != nil {
		t.Error("found what is not there")
	}
	if x.Len() != 4 || x.ID(2) != "7" {
		t.Errorf("%d passages, the third %q", x.Len(), x.ID(2))
	}
	p, err := x.Passages([]int{3, 0, 3})
	if diff := cmp.Diff(map[int]TitledPassage{0: {"a", "River", "the bridge of stone"},
		3: {"d", "Tower", "a tower of wood, glass"}}, p); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// brute scores every passage.
func brute(passages []TitledPassage, query string, k int, skip func(TitledPassage) bool) []Hit {
	type doc struct {
		tf     map[string]int
		length int
	}
	var docs []doc
	df := map[string]int{}
	total := 0
	for _, p := range passages {
		d := doc{tf: map[string]int{}}
		for _, w := range Words(p.Title + " " + p.Text) {
			if d.tf[w]++; d.tf[w] == 1 {
				df[w]++
			}
			d.length++
		}
		total += d.length
		docs = append(docs, d)
	}
	var words []string
	weight := map[string]float64{}
	for _, w := range Words(query) {
		if df[w] > 0 {
			if weight[w] == 0 {
				words = append(words, w)
			}
			weight[w] += IDF(df[w], len(docs))
		}
	}
	var hits []Hit
	for i, d := range docs {
		score := 0.
		for _, w := range words {
			if d.tf[w] > 0 {
				score += float64(weight[w] * Saturation(d.tf[w], d.length, float64(total)/float64(len(docs))))
			}
		}
		if score > 0 && !skip(passages[i]) {
			hits = append(hits, Hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		if a.Score > b.Score {
			return -1
		} else if a.Score < b.Score {
			return 1
		}
		return 0
	})
	return hits[:min(k, len(hits))]
}

func lines(passages []TitledPassage) string {
	var b strings.Builder
	for _, p := range passages {
		fmt.Fprintf(&b, "{\"id\": %q, \"title\": %q, \"text\": %q}\n", p.ID, p.Title, p.Text)
	}
	return b.String()
}

// The search gives what scoring every passage gives, to the bit, ties in the order of the file, over parts of any size.
func TestSearchIsExhaustive(t *testing.T) {
	vocabulary := strings.Fields("river bridge stone wood glass tower hill lake king queen war peace gold iron tin " +
		"clay salt wine corn rye")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) string { // some are common, some rare
			n := len(vocabulary)
			return vocabulary[min(rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b"))]
		})
		text := func(least, most int, name string) string {
			return strings.Join(rapid.SliceOfN(word, least, most).Draw(t, name), " ")
		}
		var passages []TitledPassage
		for i := range rapid.IntRange(1, 60).Draw(t, "passages") {
			passages = append(passages, TitledPassage{fmt.Sprint("p", i), text(0, 2, "title"), text(1, 8, "text")})
		}
		opt := Options{}
		if rapid.Bool().Draw(t, "forbid") {
			opt.Forbidden = []string{"p1", "river"}
		}
		skip := func(p TitledPassage) bool {
			return slices.Contains(opt.Forbidden, p.ID) || slices.Contains(opt.Forbidden, p.Title)
		}
		// Files end parts, so several files make several parts.
		cut := rapid.IntRange(0, len(passages)).Draw(t, "cut")
		var files []File
		for i, some := range [][]TitledPassage{passages[:cut], passages[cut:]} {
			if len(some) > 0 {
				files = append(files, memory(fmt.Sprint(i), lines(some)))
			}
		}
		x, err := Build(files, opt)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Build([]File{memory("all", lines(passages))}, opt)
		if err != nil || whole.Hash() != x.Hash() {
			t.Fatalf("hashes %s and %s, %v", whole.Hash(), x.Hash(), err)
		}
		for range 5 {
			query, k := text(0, 6, "query"), rapid.IntRange(1, 20).Draw(t, "k")
			want := brute(passages, query, k, skip)
			for _, x := range []*Index{x, whole} {
				if got := x.Search(query, k); !slices.Equal(got, want) {
					t.Fatalf("%q, %d best: %v, want %v", query, k, got, want)
				}
			}
		}
	})
}

// A word that stands more often than a byte counts keeps its number.
func TestManyOfOneWord(t *testing.T) {
	passages := []TitledPassage{{"a", "", strings.Repeat("salt ", 254)}, {"b", "", strings.Repeat("salt ", 255)},
		{"c", "", strings.Repeat("salt ", 700) + "rye"}, {"d", "", "rye"}}
	x := built(t, memory("f", lines(passages)))
	for _, query := range []string{"salt", "salt rye", "rye"} {
		if got, want := x.Search(query, 4), brute(passages, query, 4, func(TitledPassage) bool {
			return false
		}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// TestBomb: a packed file of gigabytes is refused once it is seen to be one.
func TestBomb(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, `{"id": "%d", "text": "w%s"}`+"\n", i, strings.Repeat(" ", 800_000)) // one word, as many cost
	}
	_, err := Build([]File{memory("f.jsonl.gz", packed(text.String()))}, Options{})
	if want := "unpacks to more than 100 times its size; unpack it, if that is right"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestManyBlankLines(t *testing.T) {
	const good = `{"id": "a", "text": "one"}`
	built(t, memory("f.jsonl.gz", packed(strings.Repeat("\n", maxBlank)+good)))
	_, err := Build([]File{memory("f.jsonl.gz", packed(strings.Repeat("\n", maxBlank+1)+good))}, Options{})
	if want := "f.jsonl.gz:10001: more than 10000 blank lines; take them out"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFiles(t *testing.T) {
	const good = `{"id": "a", "text": "one", "title": "T"}` + "\n"
	dir := t.TempDir()
	plain, gz := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl.gz")
	if os.WriteFile(plain, []byte("\ufeff"+good+"\r\n"), 0o600) != nil ||
		os.WriteFile(gz, []byte(packed(`{"id": 2, "text": "caf\u00e9 \"two\"", "more": [1, {"x": null}]}`)), 0o600) != nil {
		t.Fatal("cannot write")
	}
	x := built(t, Paths(plain, gz)...)
	one := built(t, memory("all", `{"contents":"one","id":"a","title":"T"}`+"\n"+
		`{"text":"café \"two\"","id":"2"}`))
	if x.Len() != 2 || x.Hash() != one.Hash() {
		t.Errorf("%d passages, hash %s, want %s", x.Len(), x.Hash(), one.Hash())
	}
	if p, err := x.Passages([]int{1}); err != nil || p[1].Text != `café "two"` {
		t.Errorf("%v, %v", p, err)
	}
	if os.WriteFile(plain, []byte(`{"id": "z", "text": "other"}`), 0o600) != nil {
		t.Fatal("cannot write")
	}
	if _, err := x.Passages([]int{0}); err == nil || !strings.Contains(err.Error(), "a.jsonl:1: the file changed") {
		t.Errorf("a changed file: %v", err)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"f.jsonl", "", "f.jsonl:1: no passages: write one object a line"},
		{"f.jsonl", "\n \r\n", "f.jsonl:1: no passages"},
		{"f.jsonl", good + "\n" + `{"id": "b"}`, `f.jsonl:3: passage "b" has no text; write it under text or contents`},
		{"f.jsonl", `{"id": "b", "text": "  "}`, `f.jsonl:1: passage "b" has no text`},
		{"f.jsonl", `{"id": "b", "text": ["x"]}`, `f.jsonl:1: text is ["x"]; want a string`},
		{"f.jsonl", `{"id": "b", "text": "x", "title": 3}`, `f.jsonl:1: title is 3; want a string`},
		{"f.jsonl", `{"text": "x"}`, `f.jsonl:1: a passage without an id; write {"id": "d1"`},
		{"f.jsonl", `{"id": " ", "text": "x"}`, `f.jsonl:1: id is empty`},
		{"f.jsonl", `{"id": 1.5, "text": "x"}`, `f.jsonl:1: id is 1.5; want a string or a whole number`},
		{"f.jsonl", `{"id": "` + strings.Repeat("x", 600) + `", "text": "x"}`,
			`f.jsonl:1: an id of 600 bytes; want at most 512`},
		{"f.jsonl", good + good, `f.jsonl:2: id "a" stands on f.jsonl:1 already; each passage needs one of its own`},
		{"f.jsonl", good + "{", `f.jsonl:2: no valid JSON: `},
		{"f.jsonl", good + "[1]", `f.jsonl:2: want a JSON object, found "[1]"`},
		{"f.jsonl", "null", `f.jsonl:1: want a JSON object, found "null"`},
		{"f.jsonl", good + "{\"id\": \"b\", \"text\": \"\xff\"}", `f.jsonl:2: the line is not UTF-8`},
		{"f.jsonl", good + `{"id": "b", "text": "` + strings.Repeat("x", MaxLine),
			`f.jsonl:2: the line is longer than 1 MiB`},
		{"f.jsonl.gz", good, "f.jsonl.gz:1: named .gz but not gzip; pack it, or give it another name"},
		{"f.jsonl.gz", packed(good)[:20], "f.jsonl.gz:1: unexpected EOF"},
		{"f.jsonl.gz", "\x1f\x8bxx", "f.jsonl.gz:1: damaged gzip: "},
		{"f.jsonl.gz", "", "f.jsonl.gz:1: no passages"},
	} {
		if _, err := Build([]File{memory(tt.name, tt.text)}, Options{}); err == nil ||
			!strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %s", tt.text, err, tt.want)
		}
	}
	_, err := Build([]File{memory("a", good), memory("b", "\n"+good)}, Options{})
	if want := `b:2: id "a" stands on a:1 already; each passage needs one of its own`; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Build(Paths(filepath.Join(dir, "none")), Options{}); err == nil ||
		!strings.Contains(err.Error(), "none: no such file or directory; name a file of passages") {
		t.Errorf("no file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"id": "a", "text": "x"}`, `{"_id": 3, "contents": "é\n", "title": null}`,
		`{"id":"a","id":2,"text":"b"}`, `{"\u0069d": "a", "text": "t"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		p, err := parse(line)
		if err != nil {
			return
		}
		if strings.TrimSpace(p.ID) == "" || len(p.ID) > MaxID || strings.TrimSpace(p.Text) == "" {
			t.Errorf("%q gives %+v", line, p)
		}
		var fast, slow fields
		if !jsonl.Split(line, fast.at) {
			return
		}
		if err := decode(line, &slow); err != nil {
			t.Fatalf("%q splits, but is %v", line, err)
		}
		if diff := cmp.Diff(slow, fast, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	})
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte("{\"id\": \"a\", \"text\": \"river bridge\"}\n{\"id\": \"b\", \"text\": \"bridge\"}"), "river")
	f.Add([]byte(packed(`{"id": "a", "text": "salt"}`)), "salts")
	f.Fuzz(func(t *testing.T, data []byte, query string) {
		file := memory("f", string(data))
		x, err := Build([]File{file}, Options{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		for _, h := range x.Search(query, 5) {
			if !(h.Score > 0) || h.Passage < 0 || h.Passage >= x.Len() {
				t.Errorf("%q: hit %v", data, h)
			}
			if p, err := x.Passages([]int{h.Passage}); err != nil || p[h.Passage].ID != x.ID(h.Passage) {
				t.Errorf("%q: %v, %v", data, p, err)
			}
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("U.S.A.'s 1,2 _x_ 東京 don't\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(text) {
			if w == "" || len(w) > 4*maxWord {
				t.Errorf("%q gives the word %q", text, w)
			}
		}
	})
}
