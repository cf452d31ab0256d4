package kernel

// Each vec function runs its row kernel, of which there is none on the scalar path and for an empty row: then the
// portable code beside it does the work. It says whether it did, or how many floats it took: all or none. Plain
// calls, for a call through a variable would move what it points to to the heap. The slices are at least as long as
// the one that counts.

// whole is the path, and the part of n that its kernels take.
func whole(n int) (Path, int) {
	path := Current()
	if path == Scalar {
		return path, 0
	}
	return path, n
}

func vecDot(x, y []float32) (float32, bool) {
	path, n := whole(len(x))
	if n == 0 {
		return 0, false
	}
	if path == AVX512 {
		return dot512(n, &x[0], &y[0]), true
	}
	return dot256(n, &x[0], &y[0]), true
}

func vecMax(x []float32) (float32, bool) {
	path, n := whole(len(x))
	if n == 0 {
		return 0, false
	}
	if path == AVX512 {
		return max512(n, &x[0]), true
	}
	return max256(n, &x[0]), true
}

func vecExpSum(d, x []float32, scale, shift float32) (float32, bool) {
	path, n := whole(len(x))
	if n == 0 {
		return 0, false
	}
	if path == AVX512 {
		return expSum512(n, &d[0], &x[0], scale, shift), true
	}
	return expSum256(n, &d[0], &x[0], scale, shift), true
}

func vecSoftmax(x []float32, scale float32) bool {
	path, n := whole(len(x))
	if n == 0 {
		return false
	}
	if path == AVX512 {
		softmax512(n, &x[0], scale)
	} else {
		softmax256(n, &x[0], scale)
	}
	return true
}

func vecNorms(d []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, inv []float32) bool {
	path, n := whole(len(w))
	if n == 0 {
		return false
	}
	if path == AVX512 {
		norms512(n, rows, &d[0], ldd, &x[0], ldx, &w[0], eps, &inv[0])
	} else {
		norms256(n, rows, &d[0], ldd, &x[0], ldx, &w[0], eps, &inv[0])
	}
	return true
}

func vecRotate(x []float32, ld, rows int, cos, sin []float32) bool {
	path, n := whole(len(cos))
	if n == 0 {
		return false
	}
	if path == AVX512 {
		rotate512(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	} else {
		rotate256(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	}
	return true
}

func vecRotateBack(x []float32, ld, rows int, cos, sin []float32) bool {
	path, n := whole(len(cos))
	if n == 0 {
		return false
	}
	if path == AVX512 {
		rotateBack512(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	} else {
		rotateBack256(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	}
	return true
}

func vecScale(x []float32, f float32) int {
	path, n := whole(len(x))
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
	path, n := whole(len(x))
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
	path, n := whole(len(p))
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

func vecNormBack(d, g, x, w []float32, r float32) int {
	path, n := whole(len(x))
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
	path, n := whole(len(x))
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
	path, n := whole(len(d))
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
	path, n := whole(len(g))
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

func vecAdam(w, g, m, v []float32, a *[9]float32) int {
	path, n := whole(len(w))
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
