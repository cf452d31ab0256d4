#!/bin/sh
# Measures greedy decoding of one sequence on one thread, in turn with llama.cpp on the same weights in each of the types it
# is given; and of batches.
#
#	NODE_LLAMA=DIR bench/decode/run.sh [MODEL] [TURNS]	# the built-in model, 3
#
# MODEL is a Hugging Face folder. DIR is where the npm package node-llama-cpp is installed, with its prebuilt
# @node-llama-cpp/linux-x64 (npm install --ignore-scripts node-llama-cpp); it needs Node. Without it, only hallmark runs.
set -eu
turns=${2:-3}
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/" ./bench/decode ./cmd/hallmark
model=${1:-internal/model/pocket/weights}
for type in f32 f16 bf16; do
	"$dir/hallmark" --quiet model export "$model" --type $type -o "$dir/$type.gguf" 2>/dev/null
done
echo "$(getconf _NPROCESSORS_ONLN) cores, $(uptime | sed 's/.*load/load/')"
for _ in $(seq "$turns"); do
	"$dir/decode" -model "$model"
	if [ -z "${NODE_LLAMA:-}" ]; then continue; fi
	for type in f32 f16 bf16; do node bench/decode/peer.mjs "$dir/$type.gguf"; done
done
for batch in 8 32; do "$dir/decode" -model "$model" -batch $batch -rounds 20; done
