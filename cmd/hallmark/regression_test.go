package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/metric/posterior/regression"
)

// regresses makes the folder of a regression model that learned for a moment: regresses DIR.
func regresses(ts *testscript.TestScript, _ bool, args []string) {
	r := regression.Shipped
	r.Shape.Hidden, r.Shape.Inner, r.Shape.Layers, r.Shape.Heads, r.Shape.Window, r.Shape.Bins = 16, 32, 1, 2, 40, 64
	r.Stages = []regression.Stage{{Steps: 40, Batch: 8, Length: 12}}
	files, err := r.Train(context.Background(), 1, nil, nil, nil)
	ts.Check(err)
	_, err = atomicfile.WriteFolder(ts.MkAbs(args[0]), files)
	ts.Check(err)
}
