// Package pocket is the built-in calibration model: a small transformer that the project trains itself on a
// fictional world. What is true in that world is known, and so is what the corpus made of it (stated often, seldom,
// falsely, in two ways, or never), so that an instrument's reading can be set beside the behaviour that was built
// in. It knows nothing of the real world. docs/pocket.md describes it and says what was measured.
package pocket

import (
	"embed"
	"io/fs"
	"sync"

	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

// WeightsHash is the SHA-256 of the embedded model.safetensors.
const WeightsHash = "ee45d4df649e660efc3dbcb99f7ba62b7698de5e6a007f6e7b7e32f6ab6d116d"

//go:embed weights
var embedded embed.FS

var carried = weights.Embedded(embedded, "weights")

// Weights returns the model as a Hugging Face folder: what TrainFrom makes of Shipped, to the bit.
func Weights() fs.FS { return carried }

// Files returns the files of the folder by name.
func Files() map[string][]byte { return weights.Contents(carried) }

var open = sync.OnceValues(func() (*local.Model, error) { return local.Open(Weights(), "pocket") })

// Model returns the built-in model. It is read once and safe for concurrent use.
func Model() (model.Batcher, error) { return open() }
