package evidence

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"The capital is **Paris**.", "The capital is Paris."},
		{"_Paris_ and `C#`", "Paris and C#"},
		{"snake_case and 3*4 and 5*.1", "snake_case and 3*4 and 5*.1"},
		{"* one\n* two", "* one\n* two"},
		{"## Title\nText", "Title\nText"},
		{"#### 42", "#### 42"},
		{`\boxed{\text{Paris}}`, "Paris"},
		{`$\frac{3}{4}$`, "$3/4$"},
		{`\frac{P(B|A)}{P(B)}`, "(P(B|A))/(P(B))"},
		{`1{,}234 and 1\,234`, "1,234 and 1,234"},
		{`\$5 \times 2`, "$5 × 2"},
		{"<b>Paris</b><br>x", "Paris\nx"},
		{"a < b", "a < b"},
		{"<think>Lyon?</think>Paris", "Paris"},
		{"Tom &amp; Jerry;", "Tom & Jerry;"},
		{"Par\u200bis \u202eabc", "Paris abc"},
		{"\xffParis", " Paris"},
	} {
		if got := Read(c.in).Plain; got != c.want {
			t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if x := Read("<think>and so on"); !x.Open || len(x.Words) != 0 {
		t.Errorf("an open reasoning block is not seen: %+v", x)
	}
	if x := Read(strings.Repeat("a", 3*Limit)); !x.Cut || len(x.Plain) > 2*Limit+10 {
		t.Errorf("a long text is not cut: %d bytes", len(x.Plain))
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ in, bold string }{
		{"It is **Paris**, not __Lyon__.", "Paris|Lyon"}, {"# Title\nText\n## **Other**", "Other"}, {"2**3 and **open", ""},
		{"**one\ntwo** three", ""}, {"no marks", ""}, {"***both***", "both"}, {"**\\boxed{**x**}**", "x"},
	} {
		x := Read(c.in)
		var all []string
		for _, s := range x.Bold {
			all = append(all, x.Plain[s.Start:s.End])
		}
		if bold := strings.Join(all, "|"); bold != c.bold {
			t.Errorf("%q: bold %q, want %q", c.in, bold, c.bold)
		}
	}
	for in, want := range map[string]string{"Jaws 🦈 it is 👍🏽 ❤️.": "jaws it is",
		"RFC\u20119110 is 20°": "rfc 9110 is 20 °", "well\u2010known": "well known"} {
		if got := strings.Join(Read(in).Forms(), " "); got != want {
			t.Errorf("words of %q: %q, want %q", in, got, want)
		}
	}
	if p := Read("RFC\u20119110").Plain; p != "RFC-9110" {
		t.Errorf("a typographic hyphen gives %q", p)
	}
}

func TestPhrase(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"The Beatles", "beatles"}, {"J.R.R. Tolkien", "j r r tolkien"}, {"J. R. R. Tolkien", "j r r tolkien"},
		{"C#", "c#"}, {"C++", "c++"},
		{"Malmö", "malmo"}, {"Øresund", "oresund"}, {"1,234.50", "1234.50"}, {"don't", "do not"}, {"dont", "do not"},
		{"isn’t", "is not"},
		{"France's", "france 's"}, {"-5", "-5"}, {"10²", "10²"}, {"20%", "20 %"}, {"A≠∅", "a ≠ ∅"}, {"", ""}, {"...", ""},
	} {
		if got := strings.Join(Phrase(c.in), " "); got != c.want {
			t.Errorf("Phrase(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"One. Two! Three?", []string{"One", "Two", "Three"}},
		{"Dr. Smith and J. K. Rowling met. They spoke.", []string{"Dr. Smith and J. K. Rowling met", "They spoke"}},
		{"1. Paris\n2. Lyon", []string{"1. Paris", "2. Lyon"}},
		{"It is 3.14. Not 3.", []string{"It is 3.14", "Not 3"}},
		{"It is not D. It is C.", []string{"It is not D", "It is C"}},
	} {
		x := Read(c.in)
		var got []string
		for i := range x.Sentences {
			got = append(got, x.Sentence(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("sentences of %q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestStance(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Stance
	}{
		{"It is Paris.", Asserted}, {"It is not Paris.", Denied}, {"Paris is not the capital.", Denied},
		{"Not only Paris.", Asserted},
		{"People guess Paris, but that is wrong.", Denied}, {"Lyon rather than Paris.", Contrasted},
		{"It was replaced by Paris.", Asserted},
		{"Lyon replaced Paris.", Contrasted}, {"I don't know if it is Paris.", Doubted},
		{"I don't know, but it is Paris.", Asserted},
		{"There is no evidence for Paris.", Doubted}, {"Maybe Paris.", Uncertain}, {"Is it Paris? Hm.", Questioned},
		{"Paris. No, wait.", Retracted},
		{"Not Lyon but Paris.", Asserted}, {"neither Lyon nor Paris", Denied}, {"unlike Paris", Contrasted},
		{"Paris is wrong.", Denied},
	} {
		x := Read(c.in)
		if got := x.Stance(x.Find([]string{"paris"})[0]); got != c.want {
			t.Errorf("%q takes Paris with stance %d, want %d", c.in, got, c.want)
		}
	}
}

func TestDeclines(t *testing.T) {
	for _, s := range []string{
		"I don't know.", "I do not really know who that is.", "I cannot find any such paper.", "There is no such book.",
		"No evidence of this exists.",
		"As an AI language model, I cannot say.", "I'm sorry, but I can't help with that.",
		"The context does not mention it.", "Not found.",
		"I'm not aware of any such study.", "It cannot be determined from the text.", "I was unable to locate it.",
		"That paper doesn't exist.",
		"I don't have access to real-time data.", "Unknown.", "I have no information on this.",
		"There isn't enough information: not enough information is given.",
		"I'd rather not guess.", "I must decline.", "idk", "No DOI found in index.", "It is not known whether he did.",
	} {
		if _, ok := Read(s).Declines(); !ok {
			t.Errorf("not read as a decline: %q", s)
		}
	}
	for _, s := range []string{
		"Paris.", "I'm not sure, but I think it is Paris.", "No, it is Lyon.", "There is no doubt that it is Paris.",
		"It is not Lyon.", "I know it: Paris.",
	} {
		if c, ok := Read(s).Declines(); ok {
			t.Errorf("read as a decline by %v: %q", c, s)
		}
	}
}

// declining are answers that withhold, in words that no list was made from; asserting are such as hold the same words
// and assert.
var declining = []string{
	"The name for April 2008 escapes me.", "I'd have to look it up.", "I have no address to give.",
	"Cannot be verified; I won't invent a DOI.", "I'll leave it at that.",
	"I honestly couldn't tell you.", "Can't say.", "Not that I know of.", "I wouldn't want to guess.",
	"I'm not in a position to answer that.",
	"There is nothing about the price in the document.", "The excerpt is silent on this.",
	"The report never mentions the cost.", "Neither source names the mayor.",
	"No author of that name is known to me.", "I have never heard of this treaty.", "This isn't a paper I can find.",
	"I could find neither the book nor its author.",
	"It isn't possible to determine the year from the text.", "That can't be worked out from what is given.",
	"The documents give no figure for it.",
	"I do not possess that information.", "My records hold nothing on it.",
	"Nothing in the passages tells us who did it.", "I'm afraid that's beyond my knowledge.",
	"I must abstain from answering.", "I refuse to answer.", "I would rather skip this one.",
	"I don't feel comfortable giving a number.", "I'm not going to make up a link.",
	"We simply do not know.", "Nobody really knows.", "It has never been recorded.",
	"There's no reliable evidence for it.", "I was unable to track down the article.",
	"I'm drawing a blank on the name.", "My memory fails me here.", "The date slips my mind.", "Sorry, no clue.",
	"I haven't the faintest idea.",
	"I can't recall offhand.", "I don't have a source for that.", "As far as I can tell, no such book exists.",
	"That work seems to be fictional.", "I couldn't confirm it.",
	"The text leaves open who paid.", "The price is not stated.", "It's unclear from the passage.",
	"The author remains unnamed in the text.", "Such a study does not seem to exist.",
	"I lack the information to answer.", "That information is unavailable.", "I do not wish to speculate.",
	"I must admit that I don't know.",
	"I'm unsure.", "I don't recognise the title.", "The register has no entry for that day.",
	"It would be pure speculation.", "Your guess is as good as mine.",
	"I cannot give you a date.", "I won't name anyone.", "I'm not allowed to share that.",
	"Unfortunately the context doesn't cover it.", "I could only guess.",
}

var asserting = []string{
	"It is Paris, no doubt about it.", "Paris, not Lyon.", "The law does not allow it.",
	"He never said a word, so the answer is B.", "Water has no smell.",
	"There is more than enough; 42.", "No one else but Curie won two.", "The missing word is 'light'.",
	"An unknown soldier lies there: Arc de Triomphe.", "The rule gives tenants no right to sublet.",
	"Nothing can travel faster than light.", "She did not find gold but silver.",
	"It cannot be Lyon, since Lyon lies on the Rhône.", "He could not see, yet he wrote Paradise Lost.",
	"The treaty did not mention slavery; it dealt with borders.", "It took no less than 12 years.",
	"You can't divide by zero, so it's undefined.", "Nobody voted against it.",
	"The bridge was not open to cars until 1932.", "It was founded in 1921, not long after the war.",
	"There is no need to convert: 5 km.", "The Act does not require a permit.",
	"I believe it was Curie.", "The unit is not kilograms but pounds.",
	"He refused to answer, and was fined 10 dollars.", "The author remained silent for ten years; it's Salinger.",
	"None of the moons is larger than Ganymede.", "The company could not pay its debts and failed in 2008.",
	"The answer is unknown to most people: it is 206.", "They do not know the rules, says line 4.",
	"It is impossible to win; the probability is 0.", "No, it is 12.", "It has no capital letters, so B.",
	"The colour does not change.", "Without a doubt Everest.",
	"He was never king.", "Not quite: it is 1,450.", "It is not the largest, but the second largest.",
	"The patent was not granted before 1899.", "No country has more people than India.",
	"The speaker says he can't remember her name.", "Einstein did not believe in chance.",
	"Pluto is no longer a planet.", "The law says nothing may be sold there.",
	"Do not mix it with water.", "Yes, unless the report says otherwise.", "It doesn't matter, both are 7.",
	"The museum holds no fewer than 300 works.", "Not before 1990.",
}

func TestDeclinesInOtherWords(t *testing.T) {
	for _, s := range declining {
		if _, ok := Read(s).Declines(); !ok {
			t.Errorf("not read as a decline: %q", s)
		}
	}
	for _, s := range asserting {
		if c, ok := Read(s).Declines(); ok {
			t.Errorf("read as a decline by %v: %q", c, s)
		}
	}
}

func TestAsks(t *testing.T) {
	for s, want := range map[string]bool{
		"Do you mean the country or the state?": true, "Could you clarify which one?": true, "Please specify the year.": true,
		"Which Georgia?":                 true,
		"Paris. Is there anything else?": false, "What a question! It is Paris.": false,
		"Why Paris? Because kings lived there.": false,
	} {
		if _, got := Read(s).Asks(); got != want {
			t.Errorf("%q asks: %v, want %v", s, got, want)
		}
	}
}

func TestStructure(t *testing.T) {
	if n := len(Bullets("Intro:\n- a\n  - nested\n- b\n* c")); n != 3 {
		t.Errorf("%d bullets, want 3", n)
	}
	if n := len(Bullets("1. a\n2) b\n(c) d\nnot 3. this")); n != 3 {
		t.Errorf("%d numbered items, want 3", n)
	}
	if n := WordCount("Bayes' theorem: P(A|B) = P(B|A)·P(A)/P(B) — so."); n != 5 {
		t.Errorf("%d words, want 5: Bayes', theorem:, P(A|B), P(B|A)·P(A)/P(B), so.", n)
	}
	for in, want := range map[string]int{"1. x\n2. y\n3. z": 3, "First, a. Then b. Finally c.": 3, "50 → 60 → 70": 2,
		"2*3=6 and 6*2=12": 2, "just text": 0} {
		if n := len(Read(in).Steps()); n != want {
			t.Errorf("%d steps in %q, want %d", n, in, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "Paris", `\boxed{\frac{1}{2}}`, "“a b” [L1] 1+1=2", "\xff\u202e", "don't", "3/4/2020",
		"C++ #### 5", "<answer>x</answer>", "1,2,3 = 4", "9^9^9=1", "n't"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x := Read(s)
		if !utf8.ValidString(x.Plain) {
			t.Fatalf("Plain of %q is not valid: %q", s, x.Plain)
		}
		for _, s := range append(x.Bold, x.Boxes...) {
			if s.Start > s.End || s.End > len(x.Plain) {
				t.Fatalf("%q has the mark %v beyond %d bytes", x.Plain, s, len(x.Plain))
			}
		}
		last := 0
		for i, w := range x.Words {
			if w.Start < last && x.Words[i-1].Start != w.Start || w.End > len(x.Plain) || w.Start >= w.End || w.Fold == "" {
				t.Fatalf("word %d of %q is %+v", i, s, w)
			}
			last = w.Start
			x.Stance(Span{i, i + 1})
		}
		at := 0
		for _, sentence := range x.Sentences {
			if sentence.Words.Start != at || sentence.Words.End <= at {
				t.Fatalf("sentences of %q do not tile its words: %+v", s, x.Sentences)
			}
			at = sentence.Words.End
		}
		if at != len(x.Words) {
			t.Fatalf("sentences of %q leave words out", s)
		}
		x.Steps()
		x.Answer()
		x.Asks()
		x.Declines()
	})
}

func TestRefutes(t *testing.T) {
	question := map[string]bool{}
	for _, w := range Phrase("Who was crowned king of France in 1990?") {
		question[w] = true
	}
	for in, want := range map[string]bool{
		"France has no king.": true, "France had no crowned king in 1990": true,
		"There was never a king of France then.": true, "Nobody was; he was not crowned.": true,
		"No king of France was crowned.": true, "France no longer has kings.": true,
		"Louis XX.": false, "No, Louis was crowned king of France.": false, "The king has no power.": false,
		"Louis was not only crowned king.": false, "It is not known.": false,
		"One. Two. France has no king.": false, "Has France no king?": false, "He was not often seen as a king.": false,
	} {
		if s, ok := Read(in).Refutes(question); ok != want {
			t.Errorf("Refutes(%q) = %v, %v", in, s, ok)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"It was built by Thomas Brandt of Oldgate.": "Thomas Brandt Oldgate", "Brandt built it. Brandt did.": "",
		"Answer: Brandt": "", "on a Monday in May, at 3 Km": "",
		"- Brandt\n- “Ruiz” and (Voss)": "", "for the, Brandt, of I and II": "Brandt",
	} {
		x := Read(in)
		var got []string
		for i := range x.Words {
			if x.Name(i) {
				got = append(got, x.Slice(Span{i, i + 1}))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("names of %q: %q, want %q", in, s, want)
		}
	}
}
