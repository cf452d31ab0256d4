#!/bin/sh
# Makes the logs of other tools that `hallmark import` is tested on, by these tools, each asking `hallmark model serve`.
# They lie in internal/suite/logs/testdata; what the tools printed lies beside them. Needs a network, Python and npm: the
# tools are fetched into a folder that is thrown away, unless TOOLS names one where they are (bin/ of Python's, and
# node_modules).
#
#	bench/logs/make.sh [OUTPUT]	# internal/suite/logs/testdata
set -eu
lm_eval=0.4.13 inspect=0.3.285 openai=3.57.0 promptfoo=0.123.1 node=22.22
cd "$(dirname "$0")/../.."
root=$PWD out=$(realpath -m "${1:-internal/suite/logs/testdata}")
dir=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
tools=${TOOLS:-$dir/tools}
if [ -z "${TOOLS:-}" ]; then
	python3 -m venv "$tools"
	"$tools/bin/pip" install -q "lm_eval[api]==$lm_eval" "inspect_ai==$inspect" "openai==$openai"
	(cd "$tools" && npm install --silent --no-audit --no-fund --omit=optional "promptfoo@$promptfoo" "node@$node")
fi
go build -o "$dir/hallmark" ./cmd/hallmark
"$dir/hallmark" model serve pocket --addr 127.0.0.1:8392 >"$dir/server" 2>&1 & server=$!
until curl -fs http://127.0.0.1:8392/v1/models >/dev/null; do sleep 0.2; done
export POCKET=http://127.0.0.1:8392/v1 OPENAI_API_KEY=none HF_HUB_OFFLINE=1 HF_HOME="$dir/hf" NO_COLOR=1
cp bench/logs/questions.jsonl bench/logs/tasks/* "$dir"
cd "$dir"

echo "lm-evaluation-harness $lm_eval"
for form in completions:pocket_mc chat-completions:pocket_gen chat-completions:pocket_draws; do
	task=${form#*:} chat= at=completions
	case $form in chat-*) chat=--apply_chat_template at=chat/completions ;; esac
	rm -rf lm
	"$tools/bin/lm_eval" run --model "local-${form%:*}" --tasks "$task" --include_path . $chat \
		--model_args "model=pocket,base_url=$POCKET/$at,tokenizer_backend=remote,tokenized_requests=False,num_concurrent=1" \
		--output_path lm --log_samples >"$task.txt" 2>"$task.log" || { tail -5 "$task.log" >&2; exit 1; }
	mkdir -p "$out/lm-eval"
	for f in lm/*/*.json*; do # the time of the run is no part of their names here
		name=$(basename "$f" | sed -E "s/_[0-9]{4}-[0-9]{2}-.*\././; s/^results/results_$task/")
		cp "$f" "$out/lm-eval/$name"
	done
	grep '^|' "$task.txt" >"$out/lm-eval/$task.txt"
done

echo "inspect_ai $inspect"
export POCKET_BASE_URL=$POCKET POCKET_API_KEY=none
mkdir -p "$out/inspect"
inspect() { # task, its format, further arguments
	name=$1 format=$2
	shift 2
	rm -rf inspected
	"$tools/bin/inspect" eval "pocket_tasks.py@$name" --log-dir inspected --log-format "$format" --display plain \
		--max-tokens 16 "$@" >"$name.txt" 2>&1 || true
	ls inspected/*."$format" >/dev/null || { tail -5 "$name.txt" >&2; exit 1; }
}
keep() { cp inspected/*."$2" "$out/inspect/${3:-$1}.$2"; sed -n '/^\(match\|includes\|choice\|accuracy\|stderr\|  *accuracy\)/p' "$1.txt" >"$out/inspect/${3:-$1}.txt"; }
inspect capitals eval --model openai-api/pocket/pocket --limit 6 --temperature 1 --seed 7
keep capitals eval
inspect options json --model openai-api/pocket/pocket --limit 4 --temperature 0
keep options json
inspect looked_up eval --model openai-api/pocket/pocket
keep looked_up eval

echo "promptfoo $promptfoo"
mkdir -p "$out/promptfoo"
"$tools/bin/python" - <<'EOF'
import json
rows = [json.loads(line) for line in open("questions.jsonl")][2:5]
with open("tests.yaml", "w") as f:
    for r in rows:
        f.write(json.dumps({"description": r["id"], "vars": {"question": r["question"]},
                            "assert": [{"type": "icontains", "value": r["answer"]}]}).join(["- ", "\n"]))
EOF
export PROMPTFOO_CONFIG_DIR="$dir/state" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 \
	PROMPTFOO_DISABLE_REMOTE_GENERATION=1
PATH="$tools/node_modules/.bin:$PATH" promptfoo eval -c promptfooconfig.yaml -j 1 --no-cache --no-progress-bar \
	--no-table -o out.json -o out.jsonl -o out.csv >promptfoo.txt 2>&1 || [ $? = 100 ] # some tests fail
for format in json jsonl csv; do cp "out.$format" "$out/promptfoo/capitals.$format"; done
grep -iE 'passed|failed|pass rate|errors' promptfoo.txt >"$out/promptfoo/capitals.txt"
