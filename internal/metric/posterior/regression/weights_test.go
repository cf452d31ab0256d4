package regression

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"

	"hallmark/internal/engine/train"
)

// What is shipped is what was measured: the figures of docs/regression.md are of these weights, by the recipe beside
// them.
func TestEmbeddedWeights(t *testing.T) {
	files := Files()
	if got := fmt.Sprintf("%x", sha256.Sum256(files[weightsFile])); got != WeightsHash {
		t.Errorf("the embedded weights are %s, want %s", got, WeightsHash)
	}
	if size := len(files[weightsFile]); size > 2<<20 {
		t.Errorf("%d bytes of weights, want at most 2 MB", size)
	}
	recipe, err := Shipped.Text()
	if err != nil {
		t.Fatal(err)
	}
	if string(files[recipeFile]) != recipe {
		t.Errorf("the embedded recipe is not Shipped:\n%s", files[recipeFile])
	}
	m, err := Built()
	if err != nil {
		t.Fatal(err)
	}
	if m.Shape() != Shipped.Shape || m.Shape().Window <= 300 {
		t.Errorf("the model's shape is %+v", m.Shape())
	}
}

// earlyHash is the SHA-256 of the training's state after 300 steps.
const earlyHash = "ec73480a322f163fd623a30372555ca2634f9aecebb5554ec2b5dc82547f3df1"

// The embedded weights are what the recipe makes, to the bit. HALLMARK_LONG=1 trains the first 300 steps and compares
// the state with what was recorded; HALLMARK_LONG=full trains the whole model.
func TestTrainRebuildsTheEmbeddedModel(t *testing.T) {
	long := os.Getenv("HALLMARK_LONG")
	if long == "" {
		t.Skip("trains for seconds to minutes; HALLMARK_LONG=1 runs the beginning, HALLMARK_LONG=full the whole training")
	}
	enough := errors.New("enough")
	files, err := Shipped.Train(context.Background(), 2, nil, func(s train.State) error {
		if s.Step != 300 {
			return nil
		}
		text, err := Shipped.Text()
		if err != nil {
			t.Fatal(err)
		}
		state, err := s.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(state)); got != earlyHash {
			t.Errorf("after 300 steps the state is %s, want %s", got, earlyHash)
		}
		if long != "full" {
			return enough
		}
		return nil
	}, nil)
	if errors.Is(err, enough) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range Files() {
		if !bytes.Equal(files[name], b) {
			t.Errorf("%s is not what is embedded", name)
		}
	}
}
