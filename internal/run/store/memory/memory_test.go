package memory_test

import (
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/store/memory"
	"hallmark/internal/run/storetest"
)

func TestContract(t *testing.T) {
	storetest.Test(t, func(testing.TB) run.Store { return memory.New() })
}
