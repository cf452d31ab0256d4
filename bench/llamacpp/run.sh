#!/bin/sh
# Exports the built-in model and random ones as GGUF and holds llama.cpp's tokens, logits and greedy answers against ours.
# Needs Node.js and npm, and a network to fetch node-llama-cpp with its prebuilt llama.cpp (several hundred megabytes) unless
# NODE_MODULES names a node_modules folder that has it; nothing else here does.
#
#	bench/llamacpp/run.sh [-type f32|f16|bf16] [FOLDER…]
#
# FOLDERs are Hugging Face folders to check too, by their full paths.
set -eu
command -v npm >/dev/null || { echo "the check runs llama.cpp from Node.js: https://nodejs.org" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$here/../.." && go run ./bench/llamacpp -o "$dir" "$@")
[ -n "${NODE_MODULES:-}" ] || npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" node-llama-cpp@3.22.1
node "$here/check.mjs" "$dir"
