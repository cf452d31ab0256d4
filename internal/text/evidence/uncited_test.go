package evidence

import "testing"

func TestUncited(t *testing.T) {
	for in, want := range map[string]string{
		"Canberra [1], not Sydney [2, 3].": "Canberra, not Sydney.", "Canberra [^1]\n\n[^1]: The Times": "Canberra",
		"12 million【3†source】": "12 million", "Paris ([Wikipedia](https://a.org/b))": "Paris (Wikipedia)",
		"[Paris](https://a.org/b)": "Paris", "Paris (pp. 3-4)": "Paris", "Paris (Smith et al., in print)": "Paris",
		"1969 (NASA, 2020)": "1969", "Paris, see https://a.org/1969": "Paris, see",
		"Paris.\n\n**Sources:**\n- The Times": "Paris.",
		"King Lear⁵ ⁵ Wilson, 1935":           "King Lear⁵", "Ten†\n† Handbook, ch. 11": "Ten†",
		"the won [Bank of Japan, \"The Yen\", 2021]": "the won",
		// What is no citation, or is all there is, stays.
		"10 m² and 5 m²": "10 m² and 5 m²", "† 1911": "† 1911", "the play (\"King Lear\")": "the play (\"King Lear\")",
		"[1]": "[1]", "It is [3]": "It is [3]", "x = [1]": "x = [1]", "(Smith 2019)": "(Smith 2019)",
		"Waterloo (Belgium, 1815)": "Waterloo (Belgium, 1815)",
		"1 day (May 2019)":         "1 day (May 2019)", "Phosphorus (P)": "Phosphorus (P)",
		"Sources: The Times": "Sources: The Times", "": "",
		"https://a.org": "https://a.org",
	} {
		if got := Uncited(in, true, true); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := Uncited("Jones (Smith 2019) [2]", false, false); got != "Jones (Smith 2019)" {
		t.Errorf("%q", got)
	}
}

func FuzzUncited(f *testing.F) {
	f.Add("Canberra [1] (Smith 2019)\nSources:\nhttps://a.b")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Uncited(s, true, false); len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
	})
}
