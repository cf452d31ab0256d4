package kernel

// Each vec function runs its row kernel and returns how many floats it took: all, or none on the scalar path, where
// the portable code beside it does the work. Plain calls, for a call through a variable would move the lanes to the
// heap. The slices are at least as long as the one that counts.

// whole is the part of n that the kernels of p take.
func whole(p Path, n int) int {
	if p == Scalar {
		return 0
	}
	return n
}

func vecDot(x, y []float32, s *[lanes]float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		dot512(n, &x[0], &y[0], &s[0])
	} else {
		dot256(n, &x[0], &y[0], &s[0])
	}
	return n
}

func vecMax(x []float32, s *[lanes]float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		max512(n, &x[0], &s[0])
	} else {
		max256(n, &x[0], &s[0])
	}
	return n
}

func vecExpSum(d, x []float32, scale, shift float32, s *[lanes]float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		expSum512(n, &d[0], &x[0], scale, shift, &s[0])
	} else {
		expSum256(n, &d[0], &x[0], scale, shift, &s[0])
	}
	return n
}

func vecScale(x []float32, f float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		scale512(n, &x[0], f)
	} else {
		scale256(n, &x[0], f)
	}
	return n
}

func vecAdd(x, y []float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		add512(n, &x[0], &y[0])
	} else {
		add256(n, &x[0], &y[0])
	}
	return n
}

func vecSoftmaxBack(d, p []float32, s, scale float32) int {
	path := Current()
	n := whole(path, len(p))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		softmaxBack512(n, &d[0], &p[0], s, scale)
	} else {
		softmaxBack256(n, &d[0], &p[0], s, scale)
	}
	return n
}

func vecNorm(d, x, w []float32, r float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		norm512(n, &d[0], &x[0], &w[0], r)
	} else {
		norm256(n, &d[0], &x[0], &w[0], r)
	}
	return n
}

func vecNormBack(d, g, x, w []float32, r float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		normBack512(n, &d[0], &g[0], &x[0], &w[0], r)
	} else {
		normBack256(n, &d[0], &g[0], &x[0], &w[0], r)
	}
	return n
}

func vecNormBackAdd(d, g, x []float32, r, f float32) int {
	path := Current()
	n := whole(path, len(x))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		normBackAdd512(n, &d[0], &g[0], &x[0], r, f)
	} else {
		normBackAdd256(n, &d[0], &g[0], &x[0], r, f)
	}
	return n
}

func vecSwiglu(d, g, u []float32) int {
	path := Current()
	n := whole(path, len(d))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		swiglu512(n, &d[0], &g[0], &u[0])
	} else {
		swiglu256(n, &d[0], &g[0], &u[0])
	}
	return n
}

func vecSwigluBack(g, u, d []float32) int {
	path := Current()
	n := whole(path, len(g))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		swigluBack512(n, &g[0], &u[0], &d[0])
	} else {
		swigluBack256(n, &g[0], &u[0], &d[0])
	}
	return n
}

func vecRotate(a, b, c, s []float32) int {
	path := Current()
	n := whole(path, len(c))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		rotate512(n, &a[0], &b[0], &c[0], &s[0])
	} else {
		rotate256(n, &a[0], &b[0], &c[0], &s[0])
	}
	return n
}

func vecRotateBack(a, b, c, s []float32) int {
	path := Current()
	n := whole(path, len(c))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		rotateBack512(n, &a[0], &b[0], &c[0], &s[0])
	} else {
		rotateBack256(n, &a[0], &b[0], &c[0], &s[0])
	}
	return n
}

func vecAdam(w, g, m, v []float32, a *[9]float32) int {
	path := Current()
	n := whole(path, len(w))
	if n == 0 {
		return 0
	}
	if path == AVX512 {
		adam512(n, &w[0], &g[0], &m[0], &v[0], &a[0])
	} else {
		adam256(n, &w[0], &g[0], &m[0], &v[0], &a[0])
	}
	return n
}
