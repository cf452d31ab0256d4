#!/bin/sh
# Real clients against `hallmark model serve pocket`: the OpenAI clients for Python and Node, lm-evaluation-harness,
# promptfoo and Inspect. What they get is compared with what the model answers in process.
#
# Needs Python 3.10 or newer, Node 22 and npm, and a network to fetch the clients (several gigabytes, of which torch is
# most) into $CLIENTS, which a later run uses again; nothing else in the project needs them.
#
#	bench/clients/run.sh [hallmark|python|node|lm-eval|promptfoo|inspect…]	# all
set -eu
cd "$(dirname "$0")/../.."
clients=${CLIENTS:-$HOME/.cache/hallmark-clients}
here=$PWD/bench/clients
[ $# -gt 0 ] || set -- hallmark python node lm-eval promptfoo inspect
mkdir -p "$clients/node"
[ -x "$clients/venv/bin/python" ] || python3 -m venv "$clients/venv"
python=$clients/venv/bin/python
for need in "$@"; do
	case $need in
	python | inspect) "$python" -c 'import openai, inspect_ai' 2>/dev/null || "$clients/venv/bin/pip" install -q openai inspect-ai ;;
	lm-eval) "$python" -c 'import lm_eval, transformers, torch' 2>/dev/null || "$clients/venv/bin/pip" install -q 'lm_eval[api]' transformers torch ;;
	node) [ -d "$clients/node/node_modules/openai" ] || npm install -q --prefix "$clients/node" openai ;;
	promptfoo) [ -d "$clients/node/node_modules/promptfoo" ] || npm install -q --prefix "$clients/node" promptfoo@0.123.1 node@22.22 ;;
	esac
done

dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
if [ -n "${HALLMARK:-}" ]; then cp "$HALLMARK" "$dir/hallmark"; else go build -o "$dir/" ./cmd/hallmark; fi
"$dir/hallmark" model serve pocket --addr 127.0.0.1:0 --json >"$dir/address" & server=$!
until [ -s "$dir/address" ]; do sleep 0.1; done
base=$(sed 's/.*"base_url":"\([^"]*\)".*/\1/' "$dir/address")

# The same plans in process and over HTTP: plain text with scored options and samples, and chat. Detectors are left out:
# they ask each model for all that it can tell, and a server tells less.
measure() { # STORE MODEL
	"$dir/hallmark" run --store "sqlite:$dir/$1-raw.db" --model "$2" --suite "$here/choices.jsonl" --suite "$here/questions.jsonl" \
		--method rubric,consistency --form qa --max-tokens 64 --sampled 3 --repeats 2 --quiet --no-report --json >/dev/null
	"$dir/hallmark" run --store "sqlite:$dir/$1-chat.db" --model "$2" --suite "$here/questions.jsonl" \
		--method rubric,consistency --max-tokens 64 --sampled 3 --quiet --no-report --json >/dev/null
}
measure local pocket
for need in "$@"; do
	case $need in
	hallmark)
		measure served "$base#pocket"
		python3 "$here/answers.py" "$dir/local-raw.db" "$dir/served-raw.db"
		python3 "$here/answers.py" "$dir/local-chat.db" "$dir/served-chat.db"
		;;
	python) "$python" "$here/openai_client.py" "$base" pocket "$dir/local-raw.db" ;;
	node)
		cp "$here/openai_client.mjs" "$clients/node/" # imports are looked up from where the program is
		node "$clients/node/openai_client.mjs" "$base" pocket
		;;
	lm-eval) HF_HUB_OFFLINE=1 HF_DATASETS_CACHE="$dir/datasets" "$python" "$here/lm_eval_client.py" "$base" pocket "$dir/local-raw.db" "$PWD/internal/model/pocket/weights" 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; } ;;
	promptfoo)
		python3 "$here/promptfoo_config.py" "$base" pocket "$dir/local-chat.db" "$dir/local-raw.db" >"$dir/promptfooconfig.json"
		export PROMPTFOO_CONFIG_DIR="$dir/state" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_REMOTE_GENERATION=1
		bin=$clients/node/node_modules/.bin
		PATH=$bin:$PATH "$bin/promptfoo" eval -c "$dir/promptfooconfig.json" --no-cache --no-progress-bar --no-table -o "$dir/out.json" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
		python3 -c 'import json, sys; s = json.load(open(sys.argv[1]))["results"]["stats"]; assert s["successes"] and not s["failures"] + s["errors"], s; print("promptfoo 0.123.1:", s["successes"], "answers as in process, by chat and by completions")' "$dir/out.json"
		;;
	inspect) "$python" "$here/inspect_client.py" "$base" pocket "$dir/local-chat.db" ;;
	*) echo "$need is no client; there are hallmark, python, node, lm-eval, promptfoo and inspect" >&2; exit 2 ;;
	esac
done
kill -INT "$server"
wait "$server" && server= && echo "the server ended with 0 on an interrupt"
