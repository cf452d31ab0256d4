package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/stub"
)

func TestServes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan int)
	var stderr bytes.Buffer
	go func() {
		done <- run(ctx, []string{"-script", "500,none", "-answer", "forty two", "-latency", "1ms"}, w, &stderr)
	}()
	var address string
	if _, err := fmt.Fscanln(r, &address); err != nil {
		t.Fatal(err)
	}
	m, err := hosted.New(hosted.Options{BaseURL: address, Name: "stub"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); err == nil {
		t.Error("no fault at the first request")
	}
	if out, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); err != nil || *out.Text != "forty two" {
		t.Errorf("%+v, %v", out, err)
	}
	cancel()
	if code := <-done; code != 0 || !strings.Contains(stderr.String(), "requests: 2") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
}

func TestArguments(t *testing.T) {
	for _, args := range []string{"-rate 500=2", "-rate 500", "-rate 500=.6,reset=.6", "-rate boom=.1", "-script boom",
		"-nope", "more"} {
		var stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%s: exit %d, %s", args, code, stderr.String())
		}
	}
	rates, err := parseRates("500=.5,html=.25")
	if err != nil || rates[stub.ServerError] != .5 || rates[stub.HTML] != .25 {
		t.Errorf("%v, %v", rates, err)
	}
}
