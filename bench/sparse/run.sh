#!/bin/sh
# Measures how much faster models score with three fifths of their body gone, and decode, on one thread.
#
#	bench/sparse/run.sh [FLAGS]	# -small leaves out the model of 0.1 billion parameters
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/" ./bench/sparse ./bench/decode ./cmd/hallmark
"$dir/hallmark" --quiet model compress pocket -o "$dir/small" --schedule 60 --learn none
uptime
"$dir/sparse" "$@" "$dir/small/R1"
for _ in 1 2 3; do
	for model in internal/model/pocket/weights "$dir/small/R1"; do "$dir/decode" -model "$model"; done
done
uptime
