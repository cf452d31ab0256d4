//go:build !amd64

package kernel

func vecDot(x, y []float32) (float32, bool)                          { return 0, false }
func vecMax(x []float32) (float32, bool)                             { return 0, false }
func vecExpSum(d, x []float32, scale, shift float32) (float32, bool) { return 0, false }
func vecSoftmax(x []float32, scale float32) bool                     { return false }
func vecNorms(d []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, inv []float32) bool {
	return false
}
func vecRotate(x []float32, ld, rows int, cos, sin []float32) bool     { return false }
func vecRotateBack(x []float32, ld, rows int, cos, sin []float32) bool { return false }
func vecScale(x []float32, f float32) int                              { return 0 }
func vecAdd(x, y []float32) int                                        { return 0 }
func vecSoftmaxBack(d, p []float32, s, scale float32) int              { return 0 }
func vecNormBack(d, g, x, w []float32, r float32) int                  { return 0 }
func vecNormBackAdd(d, g, x []float32, r, f float32) int               { return 0 }
func vecSwiglu(d, g, u []float32) int                                  { return 0 }
func vecSwigluBack(g, u, d []float32) int                              { return 0 }
func vecAdam(w, g, m, v []float32, a *[9]float32) int                  { return 0 }
