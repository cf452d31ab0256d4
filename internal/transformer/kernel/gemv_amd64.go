package kernel

// gemvPanels computes some of the next most panels of 32 columns and returns how many.
func gemvPanels(p Path, c, a []float32, h half, panel, most, k, acc int) int {
	switch p {
	case AVX512:
		switch n := min(most, 4); n {
		case 1:
			gemv512p1(k, &a[0], &h[0], panel, &c[0], acc)
		case 2:
			gemv512p2(k, &a[0], &h[0], panel, &c[0], acc)
		case 3:
			gemv512p3(k, &a[0], &h[0], panel, &c[0], acc)
		default:
			gemv512p4(k, &a[0], &h[0], panel, &c[0], acc)
		}
		return min(most, 4)
	case AVX2:
		if most > 1 {
			gemv256p2(k, &a[0], &h[0], panel, &c[0], acc)
			return 2
		}
		gemv256p1(k, &a[0], &h[0], panel, &c[0], acc)
	default:
		gemvScalar(c, a, h, k, acc)
	}
	return 1
}
