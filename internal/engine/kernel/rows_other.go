//go:build !amd64

package kernel

func vecDot(x, y []float32) (float32, int)                          { return 0, 0 }
func vecMax(x []float32) (float32, int)                             { return 0, 0 }
func vecExpSum(d, x []float32, scale, shift float32) (float32, int) { return 0, 0 }
func vecSoftmax(x []float32, scale float32) int                     { return 0 }
func vecRotate(x []float32, ld, rows int, c, s []float32) int       { return 0 }
func vecRotateBack(x []float32, ld, rows int, c, s []float32) int   { return 0 }
func vecScale(x []float32, f float32) int                           { return 0 }
func vecAdd(x, y []float32) int                                     { return 0 }
func vecSoftmaxBack(d, p []float32, s, scale float32) int           { return 0 }
func vecNormBack(d, e, x, w []float32, r float32) int               { return 0 }
func vecNormBackAdd(d, e, x []float32, r, f float32) int            { return 0 }
func vecSwiglu(d, e, u []float32) int                               { return 0 }
func vecSwigluBack(e, u, d []float32) int                           { return 0 }
func vecAdam(w, e, m, v []float32, a *[9]float32) int               { return 0 }
func vecNorms(d []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, r []float32) int {
	return 0
}
