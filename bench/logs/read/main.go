// Command read reads logs as `hallmark import` does, and stores nothing: what reading alone takes.
package main

import (
	"fmt"
	"os"
	"time"

	"hallmark/internal/suite/logs"
)

func main() {
	start := time.Now()
	a, err := logs.Read(os.Args[1:], &logs.Options{Name: "m", Stdin: os.Stdin})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d answers to %d questions, %s in %.1f s\n", a.Len(), a.Suite.Cases.Len(), a.Hash(),
		time.Since(start).Seconds())
}
