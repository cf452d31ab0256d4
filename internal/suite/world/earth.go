package world

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed earth
var earthFiles embed.FS

// Earth returns the built-in world of true facts, read from the tables that the program carries. It is the same
// World at every call; do not change it. Its tables and their sources are listed in docs/worlds.md.
var Earth = sync.OnceValue(func() *World {
	folder, err := fs.Sub(earthFiles, "earth")
	if err != nil {
		panic(err)
	}
	w, err := readFS(folder, "earth")
	if err != nil {
		panic("the built-in world does not hold: " + err.Error()) // a test reads it
	}
	return w
})
