//go:build !amd64

package kernel

func vecDot(x, y []float32, s *[lanes]float32) int                          { return 0 }
func vecMax(x []float32, s *[lanes]float32) int                             { return 0 }
func vecExpSum(d, x []float32, scale, shift float32, s *[lanes]float32) int { return 0 }
func vecScale(x []float32, f float32) int                                   { return 0 }
func vecAdd(x, y []float32) int                                             { return 0 }
func vecSoftmaxBack(d, p []float32, s, scale float32) int                   { return 0 }
func vecNorm(d, x, w []float32, r float32) int                              { return 0 }
func vecNormBack(d, g, x, w []float32, r float32) int                       { return 0 }
func vecNormBackAdd(d, g, x []float32, r, f float32) int                    { return 0 }
func vecSwiglu(d, g, u []float32) int                                       { return 0 }
func vecSwigluBack(g, u, d []float32) int                                   { return 0 }
func vecRotate(a, b, c, s []float32) int                                    { return 0 }
func vecRotateBack(a, b, c, s []float32) int                                { return 0 }
func vecAdam(w, g, m, v []float32, a *[9]float32) int                       { return 0 }
