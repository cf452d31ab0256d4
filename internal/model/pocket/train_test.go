package pocket

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/engine"
	"hallmark/internal/engine/kernel"
	"hallmark/internal/engine/train"
)

// short is the shipped recipe cut to 12 steps, of which 4 open the training, on a corpus of two exposures.
func short() Recipe {
	r := Shipped
	r.Mix.Exposures, r.Steps, r.Opening = 2, 12, 4
	return r
}

// shortHash is the SHA-256 of the weights after that, recorded when the recipe was fixed. It holds on every machine and
// for every number of workers.
const shortHash = "6bf1cf90e065901ef3cdc19e16f710eac6b5acfd96b2de54b8e2035de43ab696"

// halfHash is the same of half as many steps, recorded where those of shortHash came out.
const halfHash = "dbc1c19224676c58b779b5b09cecb9155709094e080095bdfd0759fe207d4b1a"

// trained are the files at the end of a training.
func trained(r Recipe, workers int, progress func(train.Progress, int)) (files map[string][]byte, err error) {
	err = r.TrainFrom(context.Background(), workers, nil, nil, 1, func(_ int, all map[string][]byte) error {
		files = all
		return nil
	}, progress)
	return files, err
}

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func TestTrainingIsTheSameOnEveryMachine(t *testing.T) {
	r, want := short(), shortHash
	counts := []int{1, 3}
	if !archtest.Long() {
		r.Steps, r.Opening, want = 6, 2, halfHash
		counts = []int{3}
	}
	for _, workers := range counts {
		files, err := trained(r, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := hash(files["model.safetensors"]); got != want {
			t.Errorf("with %d workers the weights are %s, want %s", workers, got, want)
		}
		// The vocabulary comes from a corpus of its own, whatever the number of exposures.
		if !bytes.Equal(files["tokenizer.json"], Files()["tokenizer.json"]) {
			t.Errorf("with %d workers the tokenizer is not the embedded one", workers)
		}
	}
}

func TestTrainingLearns(t *testing.T) {
	if !archtest.Long() {
		t.Skip("HALLMARK_LONG is not set; the short training gives the same bits as when this was seen")
	}
	r := short()
	r.Steps, r.Opening = 8, 0
	var first, last float64
	if _, err := trained(r, 2, func(p train.Progress, steps int) {
		if p.Step == 0 {
			first = p.Loss
		}
		last = p.Loss
	}); err != nil {
		t.Fatal(err)
	}
	if last > first-.5 {
		t.Errorf("the loss went from %.3f to %.3f nats in 8 steps", first, last)
	}
}

// tenthHash is the SHA-256 of the weights after the first tenth of the shipped recipe, recorded in the training that
// made the embedded weights.
const tenthHash = "99022b52628ce89dea0ef0e24d1d89fa91c705de0c3375249e119bba5ec881a7"

// earlyHash is that of the weights after the first 120 steps, beyond which the learning rate no longer rises, as
// little-endian bytes.
const earlyHash = "edc7e6970be3d55cf30baeba744dca5225a0e8297464ff7330d2fa6dbd5a3aea"

// The embedded weights are what the recipe makes, to the bit. HALLMARK_LONG=1 trains the first 120 steps and compares
// the weights with what was recorded; HALLMARK_LONG=full trains the whole model, and looks at the first tenth on the
// way. How an opening ends, stages and what comes later are in the short training of every test.
func TestTrainRebuildsTheEmbeddedModel(t *testing.T) {
	if !archtest.Long() {
		t.Skip("trains a part of the model, for half a minute; HALLMARK_LONG=1 runs it, HALLMARK_LONG=full the whole " +
			"training")
	}
	if kernel.Current() == kernel.Scalar {
		t.Skip("without vectors the training takes hours; the short one above gives the same bits on every path")
	}
	enough := errors.New("enough")
	var files map[string][]byte
	err := Shipped.TrainFrom(context.Background(), 0, nil, func(s train.State) error {
		if s.Step != 120 {
			return nil
		}
		b, err := binary.Append(nil, binary.LittleEndian, s.Weights)
		if got := hash(b); got != earlyHash {
			t.Errorf("after 120 steps the weights are %s, want %s", got, earlyHash)
		}
		if !archtest.Full() {
			err = enough
		}
		return err
	}, 10, func(stage int, f map[string][]byte) error {
		files = f
		if got := hash(f["model.safetensors"]); stage == 0 && got != tenthHash {
			t.Errorf("after the first tenth the weights are %s, want %s", got, tenthHash)
		}
		return nil
	}, func(p train.Progress, steps int) {
		if p.Step%500 == 0 {
			t.Logf("step %d of %d: loss %.3f", p.Step, steps, p.Loss)
		}
	})
	if errors.Is(err, enough) {
		return
	}
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
	if size := len(weights); size > 8<<20 {
		t.Errorf("%d bytes of weights", size)
	}
}

// A training can be cut into stages; a checkpoint is the model as it is then, and the last one is the model.
func TestStages(t *testing.T) {
	if !archtest.Long() {
		t.Skip("runs with HALLMARK_LONG=1")
	}
	r := short()
	var hashes []string
	if err := r.TrainFrom(context.Background(), 2, nil, nil, 3, func(stage int, files map[string][]byte) error {
		if stage != len(hashes) {
			t.Errorf("stage %d comes as number %d", stage, len(hashes))
		}
		hashes = append(hashes, hash(files["model.safetensors"]))
		return nil
	}, nil); err != nil {
		t.Fatal(err)
	}
	if len(hashes) != 3 || hashes[0] == hashes[1] || hashes[1] == hashes[2] || hashes[2] != shortHash {
		t.Errorf("the stages are %v, want three that differ, the last %s", hashes, shortHash)
	}
	// One that was stopped goes on to the same bits and saves what it had not.
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	var kept []byte
	if err := r.TrainFrom(context.Background(), 2, nil, func(s train.State) (err error) {
		if s.Step == 6 { // two steps after the opening and the first stage
			kept, err = s.Encode(text)
			return cmp.Or(err, stopped)
		}
		return nil
	}, 3, func(int, map[string][]byte) error { return nil }, nil); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	from, err := train.DecodeState(kept, text)
	if err != nil {
		t.Fatal(err)
	}
	var resumed []string
	if err := r.TrainFrom(context.Background(), 1, from, nil, 3, func(_ int, files map[string][]byte) error {
		resumed = append(resumed, hash(files["model.safetensors"]))
		return nil
	}, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed, hashes[1:]) {
		t.Errorf("stopped and gone on, the stages are %v, want %v", resumed, hashes[1:])
	}
	full := errors.New("disk full")
	if err := r.TrainFrom(context.Background(), 2, nil, nil, 3, func(int, map[string][]byte) error {
		return full
	}, nil); !errors.Is(err, full) {
		t.Errorf("a failing save ends the training with %v", err)
	}
}

// The larger model speaks the built-in one's tokens, has the size that is said, and begins to train.
func TestLarge(t *testing.T) {
	r := Large()
	r.Mix.Exposures, r.Steps = 2, 2
	if archtest.Long() {
		files, err := trained(r, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files["tokenizer.json"], Files()["tokenizer.json"]) {
			t.Error("the tokenizer is not the embedded one")
		}
	}
	shape := r.Shape
	shape.Vocab = r.Vocabulary
	m, err := engine.New(shape, r.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if n := m.NumParams(); n < 2_950_000 || n > 3_050_000 {
		t.Errorf("%d parameters", n)
	}
}

func TestFamily(t *testing.T) {
	members := Family()
	if n := len(members) * FamilyStages; n != 16 {
		t.Errorf("%d checkpoints", n)
	}
	seen := map[string]bool{}
	for _, m := range members {
		name := m.Folder(FamilyStages - 1)
		if seen[name] {
			t.Errorf("%s twice", name)
		}
		seen[name] = true
		shape := m.Recipe.Shape
		shape.Vocab = m.Recipe.Vocabulary
		if _, err := engine.New(shape, m.Recipe.Seed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
