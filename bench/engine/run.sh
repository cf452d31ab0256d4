#!/bin/sh
# Measures the engine's products beside OpenBLAS's AVX-512 and AVX2 kernels, one thread each, and its training.
#
#	bench/engine/run.sh
#
# The peer needs a C compiler and OpenBLAS (Debian: libopenblas-pthread-dev); without them the engine runs alone. The
# most that one core does, against which to read the figures, comes from peer/fma.c.
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/engine" .
include=$(find /usr/include -maxdepth 3 -type d -name 'openblas*' 2>/dev/null | head -1)
peer=
if cc -O2 -I"${include:-.}" -o "$dir/openblas" peer/openblas.c -lopenblas 2>/dev/null; then peer=$dir/openblas; else echo "no C compiler or no OpenBLAS: the engine alone"; fi
if cc -O2 -mavx512f -mfma -o "$dir/fma" peer/fma.c 2>/dev/null; then "$dir/fma" || true; fi
uptime
"$dir/engine" gemm $peer
"$dir/engine" products
"$dir/engine" train
uptime
