//go:build !amd64

package kernel

func gemvGroup(_ Path, c, a []float32, h half, group, k, acc int) {
	gemvGroupScalar(c, a, h, group, k, acc)
}
