package kernel

// headsNext computes some of the next most products, if there is a kernel for so many, and returns how many.
func headsNext(p Path, c []float32, sc int, a []float32, sa int, b []float32, sb, ldb, most, k int) int {
	switch {
	case p == AVX512 && most >= 4:
		heads512(k, &a[0], sa, &b[0], sb, ldb, &c[0], sc)
		return 4
	case p != Scalar && most >= 2:
		heads256(k, &a[0], sa, &b[0], sb, ldb, &c[0], sc)
		return 2
	}
	return 0
}
