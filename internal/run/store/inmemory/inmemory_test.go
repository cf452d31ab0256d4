package inmemory_test

import (
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/run/storetest"
)

func TestContract(t *testing.T) {
	storetest.Test(t, func(testing.TB) run.Store { return inmemory.New() })
}
