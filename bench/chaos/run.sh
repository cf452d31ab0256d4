#!/bin/sh
# The rounds whose result stands in docs/workers.md: bench/chaos/run.sh [ROUNDS [SEED]], 100 where nothing is said.
# Needs Postgres installed, and started as root the user postgres; nothing of it is left.
set -eu
cd "$(dirname "$0")/../.."
echo "commit $(git rev-parse --short HEAD), $(date -u +%F), $(nproc) cores"
HALLMARK_CHAOS="${1:-100}" HALLMARK_CHAOS_SEED="${2:-1}" go test -count=1 -parallel 8 -timeout 6h -v ./bench/chaos |
	grep -E '^ *chaos_test.go|^ *--- FAIL|^ok|^FAIL'
