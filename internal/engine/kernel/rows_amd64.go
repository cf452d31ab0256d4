package kernel

// Each vec function runs its row kernel, of which there is none on the scalar path and for an empty row: then the
// portable code beside it does the work. It says whether it did, or how many floats it took: all or none. Plain
// calls, for a call through a variable would move what it points to to the heap. The slices are at least as long as
// the one that counts.

// whole is the path, and the part of n that its kernels take: on the scalar path nothing.
func whole(n int) (Path, int) {
	path := Current()
	if path == Scalar || n == 0 {
		return Scalar, 0
	}
	return path, n
}

func vecDot(x, y []float32) (result float32, ok bool) {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		result = dot512(n, &x[0], &y[0])
	case AVX2:
		result = dot256(n, &x[0], &y[0])
	}
	return result, n > 0
}

func vecMax(x []float32) (result float32, ok bool) {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		result = max512(n, &x[0])
	case AVX2:
		result = max256(n, &x[0])
	}
	return result, n > 0
}

func vecExpSum(d, x []float32, scale, shift float32) (result float32, ok bool) {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		result = expSum512(n, &d[0], &x[0], scale, shift)
	case AVX2:
		result = expSum256(n, &d[0], &x[0], scale, shift)
	}
	return result, n > 0
}

func vecSoftmax(x []float32, scale float32) bool {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		softmax512(n, &x[0], scale)
	case AVX2:
		softmax256(n, &x[0], scale)
	}
	return n > 0
}

func vecNorms(d []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, inv []float32) bool {
	path, n := whole(len(w))
	switch path {
	case AVX512:
		norms512(n, rows, &d[0], ldd, &x[0], ldx, &w[0], eps, &inv[0])
	case AVX2:
		norms256(n, rows, &d[0], ldd, &x[0], ldx, &w[0], eps, &inv[0])
	}
	return n > 0
}

func vecRotate(x []float32, ld, rows int, cos, sin []float32, back bool) bool {
	path, n := whole(len(cos))
	switch {
	case path == AVX512 && back:
		rotateBack512(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	case path == AVX512:
		rotate512(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	case path == AVX2 && back:
		rotateBack256(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	case path == AVX2:
		rotate256(n, rows, &x[0], &x[n], ld, &cos[0], &sin[0])
	}
	return n > 0
}

func vecScale(x []float32, f float32) int {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		scale512(n, &x[0], f)
	case AVX2:
		scale256(n, &x[0], f)
	}
	return n
}

func vecAdd(x, y []float32) int {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		add512(n, &x[0], &y[0])
	case AVX2:
		add256(n, &x[0], &y[0])
	}
	return n
}

func vecSoftmaxBack(d, p []float32, s, scale float32) int {
	path, n := whole(len(p))
	switch path {
	case AVX512:
		softmaxBack512(n, &d[0], &p[0], s, scale)
	case AVX2:
		softmaxBack256(n, &d[0], &p[0], s, scale)
	}
	return n
}

func vecNormBack(d, g, x, w []float32, r float32) int {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		normBack512(n, &d[0], &g[0], &x[0], &w[0], r)
	case AVX2:
		normBack256(n, &d[0], &g[0], &x[0], &w[0], r)
	}
	return n
}

func vecNormBackAdd(d, g, x []float32, r, f float32) int {
	path, n := whole(len(x))
	switch path {
	case AVX512:
		normBackAdd512(n, &d[0], &g[0], &x[0], r, f)
	case AVX2:
		normBackAdd256(n, &d[0], &g[0], &x[0], r, f)
	}
	return n
}

func vecSwiglu(d, g, u []float32) int {
	path, n := whole(len(d))
	switch path {
	case AVX512:
		swiglu512(n, &d[0], &g[0], &u[0])
	case AVX2:
		swiglu256(n, &d[0], &g[0], &u[0])
	}
	return n
}

func vecSwigluBack(g, u, d []float32) int {
	path, n := whole(len(g))
	switch path {
	case AVX512:
		swigluBack512(n, &g[0], &u[0], &d[0])
	case AVX2:
		swigluBack256(n, &g[0], &u[0], &d[0])
	}
	return n
}

func vecAdam(w, g, m, v []float32, a *[9]float32) int {
	path, n := whole(len(w))
	switch path {
	case AVX512:
		adam512(n, &w[0], &g[0], &m[0], &v[0], &a[0])
	case AVX2:
		adam256(n, &w[0], &g[0], &m[0], &v[0], &a[0])
	}
	return n
}
