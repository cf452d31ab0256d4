package kernel

// gemvGroup computes the columns of one group of panels.
func gemvGroup(p Path, c, a []float32, h half, group, k, acc int) {
	step := group * halfWords
	switch p {
	case AVX512:
		switch group {
		case 1:
			gemv512p1(k, &a[0], &h[0], step, &c[0], acc)
		case 2:
			gemv512p2(k, &a[0], &h[0], step, &c[0], acc)
		case 3:
			gemv512p3(k, &a[0], &h[0], step, &c[0], acc)
		default:
			gemv512p4(k, &a[0], &h[0], step, &c[0], acc)
		}
	case AVX2:
		panel := 0
		for ; panel+2 <= group; panel += 2 {
			gemv256p2(k, &a[0], &h[panel*halfWords], step, &c[panel*panelCols], acc)
		}
		if panel < group {
			gemv256p1(k, &a[0], &h[panel*halfWords], step, &c[panel*panelCols], acc)
		}
	default:
		gemvGroupScalar(c, a, h, group, k, acc)
	}
}
