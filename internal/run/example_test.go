package run_test

import (
	"context"
	"fmt"
	"slices"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A parrot repeats what it is asked.
type parrot struct{}

func (parrot) Identity() string { return "parrot" }

func (parrot) Generate(_ context.Context, r model.Request) (model.Response, error) {
	return text("re: " + r.Prompt), nil
}

// A run that is started again asks only for the calls whose records are missing.
func ExampleExecute() {
	ctx, store, models := context.Background(), inmemory.New(), map[string]model.Model{"parrot": parrot{}}
	calls := []run.Call{
		{Model: "parrot", Request: model.Request{Prompt: "Who wrote Emma?"}},
		{Model: "parrot", Request: model.Request{Prompt: "Who wrote Faust?"}},
	}
	for _, wave := range [][]run.Call{calls[:1], calls} {
		counts, err := run.Execute(ctx, store, models, slices.Values(wave), run.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Printf("asked %d, reused %d\n", counts.Asked, counts.Reused)
	}
	records, err := run.Records(ctx, store, calls)
	if err != nil {
		panic(err)
	}
	fmt.Println(*records[1].Response.Text)
	// Output:
	// asked 1, reused 0
	// asked 1, reused 1
	// re: Who wrote Faust?
}
