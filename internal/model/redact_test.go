package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/text/secret"
)

const key = "sk-proj-Ab3/dE5+gH7"

// fill sets every text that a value holds.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // Raw, which backends see to
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	}
}

// No text of a response keeps the key, also none that is added later.
func TestRedactReachesEveryText(t *testing.T) {
	var r model.Response
	fill(reflect.ValueOf(&r).Elem(), "a "+key+" b")
	r.Redact(secret.New(key))
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if secret.New(key).Holds(string(b)) {
		t.Errorf("a field of the response keeps the key: %s", b)
	}
	if *r.Text != "a [key] b" || r.Tokens[1].Top[1].Text != "a [key] b" {
		t.Errorf("the text around it is lost: %s", b)
	}
}

func TestRedactSpreadOverTokens(t *testing.T) {
	parts := []string{"It is sk-", "proj-Ab", "3/dE5+", "gH7", " ok"}
	r := model.Response{Raw: []byte("{}")}
	for _, p := range parts {
		r.Tokens = append(r.Tokens, model.Token{Text: "x", Top: []model.TopToken{{Text: "y"}, {Text: p}}})
	}
	r.Redact(secret.New(key))
	if got := r.Tokens[0].Top[1].Text + r.Tokens[1].Top[1].Text + r.Tokens[3].Top[1].Text; got != "It is [key]" ||
		r.Raw != nil {
		t.Errorf("second alternatives: %q, raw %q", got, r.Raw)
	}
	r = model.Response{Raw: []byte("{}"), Tokens: []model.Token{{Text: "x"}}}
	for _, p := range parts {
		r.Tokens[0].Top = append(r.Tokens[0].Top, model.TopToken{Text: p})
	}
	r.Redact(secret.New(key))
	if top := r.Tokens[0].Top; top[0].Text+top[1].Text+top[3].Text != "It is [key]" || r.Raw != nil {
		t.Errorf("alternatives of one token: %v, raw %q", top, r.Raw)
	}
	r = model.Response{Raw: []byte("{}")}
	for _, p := range parts {
		r.Tokens = append(r.Tokens, model.Token{Text: p})
	}
	r.Redact(secret.New(key))
	if got := r.Tokens[0].Text + r.Tokens[1].Text + r.Tokens[4].Text; got != "It is [key] ok" || r.Raw != nil {
		t.Errorf("tokens: %q, raw %q", got, r.Raw)
	}
}

// A cleaned error is what it was, and no way leads to its old text.
func TestRedacted(t *testing.T) {
	s := secret.New(key)
	clean := errors.New("no key")
	if model.Redacted(clean, s) != clean || model.Redacted(nil, s) != nil {
		t.Error("an error without a key changed")
	}
	gone := model.Redacted(fmt.Errorf("%w: %w: %s", model.ErrGone, model.ErrTooLong, key), s)
	if !errors.Is(gone, model.ErrGone) || !errors.Is(gone, model.ErrTooLong) || errors.Is(gone, model.ErrTransient) {
		t.Errorf("%v is no longer what it was", gone)
	}
	passing := model.Redacted(fmt.Errorf("try 3: %w", &model.Transient{After: time.Second, Limited: true,
		Err: errors.New(key)}), s)
	var wait *model.Transient
	if !errors.As(passing, &wait) || wait.After != time.Second || !wait.Limited ||
		!errors.Is(passing, model.ErrTransient) {
		t.Errorf("%v is no longer what it was", passing)
	}
	for _, err := range []error{gone, passing} {
		for ; err != nil; err = errors.Unwrap(err) {
			if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, key) || !strings.Contains(text, secret.Mark) {
				t.Errorf("%q", text)
			}
		}
	}
	if strings.Contains(fmt.Sprint(wait.Err), key) {
		t.Errorf("%v", wait.Err)
	}
}
