package evidence

import "testing"

func TestUnsourced(t *testing.T) {
	for in, want := range map[string]string{
		"6 strings — Grove Music Online, vol. 7, no. 7.":                 "6 strings — ",
		"Jim J. (Foister & Wyld, *Making and Meaning*, 1997)":            "Jim J. (",
		"1938, per Ammann & Woodruff, *The Failure* of 1941":             "1938",
		"51. Source: Greenwood, *Chemistry of the Elements*, vol. 50.":   "51. ",
		"It was opened in 1859. Illustrated London News, 11 Dec 1869.":   "It was opened in 1859. ",
		"Astrid Lindgren [1]. [1] Tuula Karjalainen: Work, Penguin 2014": "Astrid Lindgren [1]. [1]",
		"Christopher Marlowe, according to William Shakespeare.":         "Christopher Marlowe.",
		"As per William Shakespeare, Christopher Marlowe":                "Christopher Marlowe",
		"Pascal, as quoted by René Descartes":                            "Pascal",
		"Marlowe; see Shakespeare, Hamlet, 1603.":                        "Marlowe",
		"According to William Shakespeare.":                              "According to William Shakespeare.",
		// What says something, or is all there is, stays.
		"Marx and Engels, *Manifesto*, 1848":     "Marx and Engels, *Manifesto*, 1848",
		"Waterloo (Belgium, 1815)":               "Waterloo (Belgium, 1815)",
		"In 1938, per usual, they met.":          "In 1938, per usual, they met.",
		"Two men. Marx and Engels.":              "Two men. Marx and Engels.",
		"Paris — it was Lutetia in Roman times.": "Paris — it was Lutetia in Roman times.",
		"": "",
	} {
		if got := Unsourced(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func FuzzUnsourced(f *testing.F) {
	f.Add("6 — Grove, vol. 7. (A & B, 1990)")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Unsourced(s); len(got) > len(s) {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
