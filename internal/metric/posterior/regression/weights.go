package regression

import (
	"embed"
	"io/fs"
	"sync"

	"hallmark/internal/engine/weights"
)

// WeightsHash is the SHA-256 of the embedded model.safetensors.
const WeightsHash = "6cb4b4b6b7390f3ede54c7c989f20089b07e12092600314e9e8edd316f33cfd6"

//go:embed weights
var embedded embed.FS

var carried = weights.Embedded(embedded, "weights")

// Weights returns the built-in model's folder: what Train makes of Shipped, to the bit.
func Weights() fs.FS { return carried }

// Files returns the files of the folder by name.
func Files() map[string][]byte { return weights.Contents(carried) }

// Built returns the built-in model. It is read once.
var Built = sync.OnceValues(func() (*Model, error) { return Open(Weights()) })
