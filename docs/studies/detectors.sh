#!/bin/sh
# Detectors over sixteen checkpoints (docs/detection.md): both halves of the source's table of p values, the gain of consistency over correctness,
# and what follows in words. Run it in an empty folder with hallmark on the PATH. FAMILY names a folder of checkpoints; without it they are trained,
# some four minutes of one core, and the study takes as much again. LIMIT and DRAWS make it smaller.
set -e
family=${FAMILY:-family}
[ -d "$family" ] || hallmark model train pocket-family -o "$family"
set --
for d in "$family"/*/; do set -- "$@" --model "hf:${d%/}"; done
hallmark run "$@" --method rubric,consistency,detection --sampled "${DRAWS:-10}" --repeats 1 --limit "${LIMIT:-0}" -o reports > summary.txt || [ $? = 3 ]
sed -n '/^DETECTORS ACROSS MODELS/,/^$/p' summary.txt
hallmark report latest --format scores | hallmark analyze detection - > detection.json
