package stat

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"

	"hallmark/internal/archtest"
)

func TestZ(t *testing.T) {
	if got := Z(.95); !archtest.Near(got, 1.959963984540054, 1e-14) { // scipy 1.17.1, norm.ppf(.975)
		t.Errorf("Z(.95) = %.16g", got)
	}
}

// statsmodels 0.15.0, proportion_confint with methods wilson and beta.
func TestProportionIntervals(t *testing.T) {
	for _, tt := range []struct {
		k, n               int
		level              float64
		wLo, wHi, cLo, cHi float64
	}{
		{0, 10, .95, 0, .277532799862889, 0, .308497107818761},
		{10, 10, .95, .722467200137111, 1, .691502892181239, 1},
		{5, 50, .95, .0434757649318904, .213602314374797, .0332750935890225, .218135366434202},
		{30, 600, .95, .0352452677845947, .070480263127736, .0339855472153755, .0706114060326745},
		{1, 3, .95, .0614919447203962, .792340399197952, .00840375865961264, .905700675949754},
		{7, 9, .99, .36453041217234, .955267033732957, .307393649231456, .987876410919377},
		{500, 1000, .9, .47402769147842, .52597230852158, .473517731235691, .526482268764309},
		{3, 2000, .95, .000510263583638482, .00440103255577069, .000309442949312333, .00437732010452962},
	} {
		if e := Wilson(tt.k, tt.n, tt.level); !archtest.Near(e.Lo, tt.wLo, 1e-13) ||
			!archtest.Near(e.Hi, tt.wHi, 1e-13) ||
			e.Value != float64(tt.k)/float64(tt.n) {
			t.Errorf("Wilson(%d, %d) = %+v", tt.k, tt.n, e)
		}
		if e := clopperPearson(tt.k, tt.n, tt.level); !archtest.Near(e.Lo, tt.cLo, 1e-10) ||
			!archtest.Near(e.Hi, tt.cHi, 1e-10) {
			t.Errorf("ClopperPearson(%d, %d) = %+v", tt.k, tt.n, e)
		}
	}
	if e := Wilson(0, 10, .95); e.Lo != 0 {
		t.Errorf("lower bound of 0/10 is %v, want exactly 0", e.Lo)
	}
	for _, e := range []Estimate{Wilson(0, 0, .95), clopperPearson(0, 0, .95), Mean(nil, .95),
		Paired(nil, nil, nil, .95).Estimate, Reduction(nil, nil, nil, .95), Ratio(nil, nil, .95)} {
		if e.OK() || e.Known() != nil || e.Rate() != nil {
			t.Errorf("%s: no cases give %+v, want no value", e.Method, e)
		}
	}
}

func TestProportionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		for _, f := range []func(int, int, float64) Estimate{Wilson, clopperPearson} {
			e, mirror, wider := f(k, n, .95), f(n-k, n, .95), f(k, n, .99)
			if !(0 <= e.Lo && e.Lo <= e.Value && e.Value <= e.Hi && e.Hi <= 1 && e.Lo < e.Hi) {
				t.Fatalf("%+v is out of order", e)
			}
			if !archtest.Near(e.Lo, 1-mirror.Hi, 1e-9) || !archtest.Near(e.Hi, 1-mirror.Lo, 1e-9) {
				t.Fatalf("%+v and %+v do not mirror", e, mirror)
			}
			if wider.Lo > e.Lo || wider.Hi < e.Hi {
				t.Fatalf("99 %% %+v does not hold 95 %% %+v", wider, e)
			}
		}
	})
}

// The 15 p values that CHECKLIST recovered from a published table of 16 paired differences (Figure 4 of the
// prompt-multiplicity paper), by the W that gives each.
func TestSignedRankPublished(t *testing.T) {
	for w, want := range map[int]float64{0: .00003, 1: .00006, 3: .00015, 5: .00031, 7: .00058, 13: .00269, 14: .00336,
		25: .02496, 28: .03864,
		31: .05768, 32: .06540, 44: .23120, 51: .40375, 62: .78195, 65: .89993} {
		d := make([]float64, 16)
		left := w // the positive ranks: any set that sums to w
		for rank := 16; rank >= 1; rank-- {
			d[rank-1] = -float64(rank)
			if rank <= left {
				d[rank-1] = float64(rank)
				left -= rank
			}
		}
		got := SignedRank(d)
		if !archtest.Near(got.P, want, .000005) || !got.Exact || got.W != float64(w) || got.N != 16 {
			t.Errorf("W = %d: %+v, want p = %v", w, got, want)
		}
	}
}

func TestSignedRank(t *testing.T) {
	linear := make([]float64, 60)
	rounded := make([]float64, 60)
	for i := range linear {
		linear[i] = (float64(i*37%101) - 30) / 8
		rounded[i] = math.RoundToEven(linear[i])
	}
	fifty := make([]float64, 50)
	for i := range fifty {
		fifty[i] = float64(i) + .5
		if i*i%7%2 == 1 {
			fifty[i] = -fifty[i]
		}
	}
	for _, tt := range []struct {
		name  string
		d     []float64
		p     float64
		zeros int
		exact bool
	}{
		// Enumeration of all signs with scipy 1.17.1's rankdata (Python).
		{"ties", []float64{1, 1, 2, -2, 3, 3, -4, 5}, .3515625, 0, true},
		{"zeros", []float64{0, 0, .5, .5, .5, -.5, 1.5}, .3125, 2, true},
		{"twelve", []float64{3, -1, 4, 1, 5, 9, -2, 6, 5, 3, 5, 8}, .00439453125, 0, true},
		// scipy 1.17.1, wilcoxon(method='exact').
		{"one sign", []float64{-1, -2, -3}, .25, 0, true},
		{"fifty", fifty, .006131180232502587, 0, true},
		// scipy 1.17.1, wilcoxon(method='approx', correction=True); the second with ties and zero_method='wilcox'.
		{"sixty", linear, 2.846116132917414e-05, 1, false},
		{"sixty rounded", rounded, 2.022326887273817e-05, 5, false},
		{"none", []float64{0, 0}, 1, 2, true},
	} {
		got := SignedRank(tt.d)
		if !archtest.Near(got.P, tt.p, 1e-12*max(1, tt.p)) || got.Zeros != tt.zeros || got.Exact != tt.exact {
			t.Errorf("%s: %+v, want p = %v, zeros %d, exact %v", tt.name, got, tt.p, tt.zeros, tt.exact)
		}
	}
}

func TestSignedRankProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Map(rapid.IntRange(-4, 4), func(i int) float64 { return float64(i) }), 0, 70).Draw(t, "d")
		before := slices.Clone(d)
		a := SignedRank(d)
		if !slices.Equal(d, before) {
			t.Fatal("the argument changed")
		}
		for i := range d {
			d[i] *= -3
		}
		if b := SignedRank(d); !archtest.Near(a.P, b.P, 1e-12) || !(a.P > 0 && a.P <= 1) {
			t.Fatalf("p = %v, of the negated and scaled differences %v", a.P, b.P)
		}
	})
}

// statsmodels 0.15.0, mcnemar(exact=True).
func TestMcNemar(t *testing.T) {
	for _, tt := range []struct {
		b, c int
		p    float64
	}{{0, 0, 1}, {0, 1, 1}, {5, 0, .0625}, {10, 2, .03857421875}, {30, 17, .0789406936814885},
		{400, 300, .000178476314485624}, {6, 6, 1}} {
		if got := McNemar(tt.b, tt.c); !archtest.Near(got, tt.p, 1e-10*tt.p) || got != McNemar(tt.c, tt.b) {
			t.Errorf("McNemar(%d, %d) = %v, want %v", tt.b, tt.c, got, tt.p)
		}
	}
}

// statsmodels 0.15.0, multipletests(method='holm').
func TestHolm(t *testing.T) {
	p := []float64{.01, .04, .03, .005, .5, .5}
	want := []float64{.05, .12, .12, .03, 1, 1}
	for i, got := range Holm(p) {
		if !archtest.Near(got, want[i], 1e-15) {
			t.Errorf("p = %v adjusts to %v, want %v", p[i], got, want[i])
		}
	}
}

func TestAUROC(t *testing.T) {
	x := []float64{.9, .8, .8, .7, .55, .5}
	y := []float64{.1, .3, .5, .5, .7, .2, .8}
	e := AUROC(x, y, .95)
	if !archtest.Near(e.Value, 34.5/42, 1e-15) || e.N != 13 { // scipy 1.17.1: mannwhitneyu statistic 34.5
		t.Errorf("AUROC = %+v, want %v", e, 34.5/42)
	}
	if perfect := AUROC([]float64{2, 3}, []float64{0, 1}, .95); perfect.Value != 1 || perfect.Hi != 1 || perfect.Lo > .7 {
		t.Errorf("two cases of each class, separated: %+v", perfect)
	}
	// By hand: each class with half a case at each end has the placements 5/6, 5/6, 1/12 and 11/12 (the last two
	// half), the mean 13/18 and the variance (2(1/9)² + (23/36)²/2 + (7/36)²/2)/2; 4 degrees of freedom, whose
	// quartile is .740697.
	half := .740697 * math.Sqrt(2*(2./81+23.*23/2592+7.*7/2592)/2/3)
	if e := AUROC([]float64{2, 3}, []float64{0, 1}, .5); !archtest.Near(e.Lo, 13./18-half, 1e-6) || e.Hi != 1 {
		t.Errorf("by hand %v: %+v", 13./18-half, e)
	}
	if none := AUROC(nil, y, .95); none.OK() || len(none.Warnings) == 0 {
		t.Errorf("no positive case: %+v", none)
	}
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(i int) float64 { return float64(i) }), 1, 30)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		var pairs float64
		for _, x := range a {
			for _, y := range b {
				if x > y {
					pairs++
				} else if x == y {
					pairs += .5
				}
			}
		}
		e, swapped := AUROC(a, b, .95), AUROC(b, a, .95)
		if want := pairs / float64(len(a)*len(b)); !archtest.Near(e.Value, want, 1e-14) {
			t.Fatalf("AUROC = %v, by pairs %v", e.Value, want)
		}
		if !(0 <= e.Lo && e.Lo <= e.Value && e.Value <= e.Hi && e.Hi <= 1 && e.Lo < e.Hi) ||
			!archtest.Near(e.Lo, 1-swapped.Hi, 1e-9) {
			t.Fatalf("%+v, swapped %+v", e, swapped)
		}
	})
}

func units(coders ...string) [][]string {
	us := make([][]string, len(coders[0]))
	for _, ratings := range coders {
		for u, l := range ratings {
			if l != '*' {
				us[u] = append(us[u], string(l))
			}
		}
	}
	return us
}

func TestKrippendorff(t *testing.T) {
	for _, tt := range []struct {
		coders []string
		want   float64
	}{
		// The sample of pln-fing-udelar/fast-krippendorff, and the example of Hayes and Krippendorff 2007 with four
		// coders; both recomputed with Python's krippendorff 0.9.0, nominal.
		{[]string{"*****34121133*3", "1*213343*******", "**21344*21133*4"}, .691358024691358},
		{[]string{"123321412***", "1233224125*3", "*3332342251*", "12332441251*"}, .743421052631579},
	} {
		a := KrippendorffByCluster(units(tt.coders...), nil, 1, .95)
		if !archtest.Near(a.Value, tt.want, 1e-12) {
			t.Errorf("alpha = %v, want %v", a.Value, tt.want)
		}
		if !(a.Lo < a.Value && a.Value < a.Hi && a.Hi <= 1) ||
			!reflect.DeepEqual(a, KrippendorffByCluster(units(tt.coders...), nil, 1, .95)) {
			t.Errorf("%+v", a)
		}
	}
	for _, us := range [][][]string{nil, {{"a"}, {"b"}}, {{"a", "a"}, {"a", "a", "a"}}} {
		if a := KrippendorffByCluster(us, nil, 1, .95); a.OK() || len(a.Warnings) != 1 {
			t.Errorf("units %q: %+v, want no value and a warning", us, a)
		}
	}
	perfect := KrippendorffByCluster([][]string{{"a", "a"}, {"b", "b"}, {"a", "a"}}, nil, 1, .95)
	if perfect.Value != 1 || perfect.Lo > .5 {
		t.Errorf("three units in agreement: %+v, want 1 with a wide interval", perfect)
	}
}

func TestPlans(t *testing.T) {
	// CHECKLIST, recomputed from the textbook formula: .25 to .20 needs 1094 an arm; 600, 900 and 50 find .067, .055
	// and .199.
	p, err := SizeUnpaired(.25, .05, .95, .8)
	if err != nil || p.N != 1094 || !archtest.Near(p.Power, .8, .001) {
		t.Errorf("SizeUnpaired = %+v, %v", p, err)
	}
	for n, want := range map[int]float64{600: .067, 900: .055, 50: .199} {
		if got, ok := Detectable(.25, n, .95, .8); !ok || !archtest.Near(got, want, .001) {
			t.Errorf("%d cases detect %v, want %v", n, got, want)
		}
	}
	// Python, scipy 1.17.1: sums of binom.pmf over all tables.
	for _, tt := range []struct {
		base, detect, rho float64
		n                 int
		want              float64
	}{{.25, .05, .5, 584, .800377294414}, {.25, .05, .5, 583, .799662872103}, {.5, .2, .3, 80, .825290060156},
		{.1, .1, 0, 60, .562834129263}} {
		if got, err := PowerPaired(tt.base, tt.detect, tt.rho, tt.n, .95); err != nil ||
			!archtest.Near(got, tt.want, 1e-9) {
			t.Errorf("PowerPaired(%v) = %v, %v, want %v", tt, got, err, tt.want)
		}
	}
	if p, err := SizePaired(.25, .05, .5, .95, .8); err != nil || p.N != 584 {
		t.Errorf("SizePaired = %+v, %v, want 584", p, err)
	}
	for _, bad := range [][3]float64{{1.2, .1, 0}, {.2, .3, 0}, {.2, 0, 0}, {.5, .3, .99}} {
		if p, err := SizePaired(bad[0], bad[1], bad[2], .95, .8); err == nil {
			t.Errorf("SizePaired(%v) = %+v, want an error", bad, p)
		}
	}
}

// clopperPearson returns the share k/n of n cases with the interval that inverts the two one-sided binomial tests,
//
//	lo = Beta^-1(α/2; k, n-k+1),  hi = Beta^-1(1-α/2; k+1, n-k),  α = 1 - level
//
// in [0, 1], with lo = 0 at k = 0 and hi = 1 at k = n; n = 0 gives no value. It is conservative: it covers at least the
// level at every true share. Source: Clopper and Pearson, Biometrika 26 (1934) 404-413.
func clopperPearson(k, n int, level float64) Estimate {
	e := Estimate{Level: level, N: n, Method: "clopper-pearson"}
	Z(level)
	checkCounts(k, n)
	if n == 0 {
		return e
	}
	tail := (1 - level) / 2
	e.Value, e.Hi = float64(k)/float64(n), 1
	if k > 0 {
		e.Lo = mathext.InvRegIncBeta(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		e.Hi = mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-tail)
	}
	return e
}
