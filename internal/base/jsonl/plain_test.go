package jsonl

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestPlain(t *testing.T) {
	type inner struct {
		N    uint8             `json:"n"`
		On   *bool             `json:"on"`
		List []string          `json:"list"`
		Map  map[string]string `json:"map"`
	}
	type manifest struct {
		Name  string `json:"name"`
		Inner inner  `json:"inner"`
	}
	for text, want := range map[string]string{
		`[]`:                      "it is a JSON array; want an object",
		`"x"`:                     "it is a JSON string; want an object",
		`7`:                       "it is a JSON number; want an object",
		`{"name": 1}`:             `field "name" is a number; want string`,
		`{"inner": []}`:           `field "inner" is an array; want an object`,
		`{"inner": {"n": 300}}`:   `field "inner.n" is a number; want a whole number in range`,
		`{"inner": {"n": 1e999}}`: `field "inner.n" is a number; want a whole number in range`,
		`{"inner": {"on": ""}}`:   `field "inner.on" is a string; want true or false`,
		`{"inner": {"list": {}}}`: `field "inner.list" is an object; want a list`,
		`{"inner": {"map": 3}}`:   `field "inner.map" is a number; want an object`,
		`{`:                       "unexpected end of JSON input",
	} {
		var m manifest
		if err := Plain(json.Unmarshal([]byte(text), &m)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if other := errors.New("x"); Plain(other) != other || Plain(nil) != nil {
		t.Error("another error was changed")
	}
}
