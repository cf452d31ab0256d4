package pocket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"hallmark/internal/transformer/kernel"
	"hallmark/internal/transformer/train"
)

// shortHash is the SHA-256 of the weights after 12 steps of the shipped recipe on a corpus of two exposures, recorded
// when the recipe was fixed. It holds on every machine and for every number of workers.
const shortHash = "de482f9bc04cfae14f62b0a64a09bf96b78048ccbe722ddd2a4e685b939c47e2"

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func TestTrainingIsTheSameOnEveryMachine(t *testing.T) {
	r := Shipped
	r.Mix.Exposures, r.Steps = 2, 12
	for _, workers := range []int{1, 3} {
		files, err := r.Train(context.Background(), workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := hash(files["model.safetensors"]); got != shortHash {
			t.Errorf("with %d workers the weights are %s, want %s", workers, got, shortHash)
		}
		// The vocabulary comes from a corpus of its own, whatever the number of exposures.
		if !bytes.Equal(files["tokenizer.json"], Files()["tokenizer.json"]) {
			t.Errorf("with %d workers the tokenizer is not the embedded one", workers)
		}
	}
}

func TestTrainingLearns(t *testing.T) {
	r := Shipped
	r.Mix.Exposures, r.Steps = 2, 12
	var first, last float64
	if _, err := r.Train(context.Background(), 2, func(p train.Progress, steps int) {
		if p.Step == 0 {
			first = p.Loss
		}
		last = p.Loss
	}); err != nil {
		t.Fatal(err)
	}
	if last > first-.5 {
		t.Errorf("the loss went from %.3f to %.3f nats in 12 steps", first, last)
	}
}

// The embedded weights are what the recipe makes, to the bit. This trains for minutes.
func TestTrainRebuildsTheEmbeddedModel(t *testing.T) {
	if os.Getenv("HALLMARK_LONG") == "" {
		t.Skip("trains the whole model, for minutes; HALLMARK_LONG=1 runs it")
	}
	if kernel.Current() == kernel.Scalar {
		t.Skip("without vectors the training takes hours; the short one above gives the same bits on every path")
	}
	files, err := Train(context.Background(), 0, func(p train.Progress, steps int) {
		if p.Step%500 == 0 {
			t.Logf("step %d of %d: loss %.3f", p.Step, steps, p.Loss)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	shipped := Files()
	if len(files) != len(shipped) {
		t.Errorf("%d files, %d are embedded", len(files), len(shipped))
	}
	for name, b := range shipped {
		if !bytes.Equal(files[name], b) {
			t.Errorf("%s: %s, embedded is %s", name, hash(files[name]), hash(b))
		}
	}
}

// What is shipped is what was measured: the figures of docs/pocket.md are of these weights.
func TestEmbeddedWeights(t *testing.T) {
	weights := Files()["model.safetensors"]
	if got := hash(weights); got != WeightsHash {
		t.Errorf("the embedded weights are %s, want %s", got, WeightsHash)
	}
	if size := len(weights); size > 4<<20 {
		t.Errorf("%d bytes of weights", size)
	}
}
