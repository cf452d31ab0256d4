#!/bin/sh
# Makes a small random folder of every kind and sets hallmark beside transformers on each, and on the built-in model and FOLDERs.
# PYTHON names a Python with transformers 5, tokenizers and torch; python3 without it.
#
#	bench/transformers/run.sh [FOLDER…]
set -eu
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)
"$python" -c 'import torch, transformers' || { echo "the comparison needs: pip install torch transformers" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$here/../.." && go build -o "$dir/hallmark" ./cmd/hallmark)
"$python" "$here/folders.py" "$dir/models" >/dev/null
"$python" "$here/compare.py" --hallmark "$dir/hallmark" "$dir"/models/* "$here/../../internal/model/pocket/weights" "$@"
