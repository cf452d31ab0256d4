package stat

import (
	"encoding/json"
	"slices"
	"testing"
)

// What an estimate becomes keeps what it rests on, and its JSON is what documents have.
func TestShapes(t *testing.T) {
	e := Estimate{Value: .25, Lo: .125, Hi: .5, N: 8, Method: "m", Warnings: []string{"a"}}
	none, missing := Estimate{}.Bounds()
	value, bounds := e.Bounds()
	most := Estimate{Value: .5, Lo: .25, Hi: .75, N: 8, Method: "m", Warnings: []string{"a", "b"}}
	within := Between(e, most)
	for _, tt := range []struct {
		of   any
		want string
	}{
		{struct {
			Rate *float64 `json:"rate"`
			Bounds
		}{value, bounds}, `{"rate":0.25,"lo":0.125,"hi":0.5}`},
		{struct {
			Alpha *float64 `json:"alpha"`
			Bounds
		}{none, missing}, `{"alpha":null,"lo":null,"hi":null}`},
		{within, `{"lo":0.125,"hi":0.75}`},
		{e.Rest(), `{"estimate":0.75,"lo":0.5,"hi":0.875}`},
		{e.Times(-2), `{"estimate":-0.5,"lo":-1,"hi":-0.25}`},
	} {
		if got, err := json.Marshal(tt.of); string(got) != tt.want || err != nil {
			t.Errorf("%s, want %s; %v", got, tt.want, err)
		}
	}
	if within.N != 8 || within.Method != "m" || !slices.Equal(within.Warnings, []string{"a", "b"}) ||
		len(e.Warnings) != 1 || bounds.Of.Method != "m" || e.Rest().N != 8 {
		t.Errorf("%+v, %+v", within, bounds.Of)
	}
}
