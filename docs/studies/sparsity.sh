#!/bin/sh
# The study of docs/studies/sparsity.md: stages R1 to R8 of three trainings of the built-in model, made in five ways, each set beside the dense model it
# came from. Run it in an empty folder with hallmark on the PATH. What is there is not made again, so it goes on where it was interrupted.
#
#   MODELS   the dense models: folders, or pocket (default pocket, seed-2 and seed-3; a folder seed-N that is not there is trained, which takes long)
#   TEXT     what the stages learn from (default "--text pocket", for models trained as pocket; for others the names of files: docs/sparsity.md)
#   SUITES   what is asked (default the built-in suites; for other models "--suite FILE --suite FILE")
#   CORPUS   the texts whose perplexity is measured (default "--corpus pocket", texts of the built-in model's world that it has not read; for others "--corpus FILE")
#   WAYS     the ways that every model goes (default "staged one-shot none")
#   MORE     the ways that only the first model goes (default "hard random long"; long is one-shot to 61.8 %, with all the learning of eight stages)
#   STEPS, COMPRESS   steps a stage (150), and further flags of model compress, as "--lr 1e-5"
#   TOKENS   most tokens of an answer (48): a stage that lost too much may never end one
set -e
export HALLMARK_STORE="sqlite:$PWD/study.db"
run_of() { grep -o '"id": *"[0-9a-f]*"' "$1" | head -1 | grep -o '[0-9a-f]\{16\}'; }
first=
for dense in ${MODELS:-pocket seed-2 seed-3}; do
  name=$(basename "$dense") ref=$dense
  case $dense in
    pocket) ;;
    seed-*) [ -f "$dense/model.safetensors" ] || hallmark model train pocket --seed "${dense#seed-}" -o "$dense" ;;
  esac
  [ "$dense" = pocket ] || ref=hf:$dense
  ways=${WAYS-staged one-shot none}
  [ -n "$first" ] || ways="$ways ${MORE-hard random long}"
  first=$name
  for way in $ways; do
    steps=${STEPS:-150}
    case $way in
      staged) flags= ;;
      one-shot) flags=--one-shot ;;
      none) flags="--learn none" ;;
      hard) flags="--learn hard" ;;
      random) flags="--rank random" ;;
      long) flags="--one-shot --schedule 61.8" steps=$((8 * steps)) ;;
    esac
    hallmark model compress "$dense" ${TEXT---text pocket} $flags --steps "$steps" $COMPRESS -o "$name-$way" > "$name-$way.stages"
    # A stage that never ends an answer has some that are cut off: they are unscored, and in no rate.
    hallmark run --sweep "$name-$way" --model "$ref" ${SUITES---suite pocket --suite pocket-sums --suite pocket-choices} ${CORPUS---corpus pocket} \
      --method rubric,consistency --sampled 0 --repeats 0 --max-tokens "${TOKENS:-48}" --allow-unscored 1000000 --no-report --quiet --json > "$name-$way.json"
    id=$(run_of "$name-$way.json")
    hallmark show "$id" > "$name-$way.txt"
    hallmark report "$id" --format sweep -o "$name-$way.csv"
    hallmark report "$id" --format phase -o "$name-$way.svg"
    # The posterior rate of the built-in model's rules, once.
    if [ "$name-$way" = pocket-staged ] && [ -z "$SUITES" ]; then
      hallmark run --sweep "$name-$way" --model "$ref" --method rubric,consistency,posterior --probe 'rules=rule*' --sampled 0 --repeats 0 --max-tokens 48 \
        --allow-unscored 1000000 --no-report > rules.txt
    fi
  done
  # The ways in one sweep, for the picture of what became of the error. Every answer is stored.
  {
    printf 'models:\n- {name: dense, model: "%s", sparsity: 0}\n' "$ref"
    for stage in R4 R6 R8; do
      for way in staged one-shot none; do
        [ -f "$name-$way/$stage/compression.json" ] || continue
        sparsity=$(grep -o '"sparsity": *[0-9.]*' "$name-$way/$stage/compression.json" | head -1 | grep -o '[0-9.]*$')
        echo "$sparsity - {name: $stage $way, model: \"hf:$name-$way/$stage\", sparsity: $sparsity}"
      done
    done | LC_ALL=C sort -n | cut -d ' ' -f 2-
  } > "$name-ways.yaml"
  hallmark run --sweep "$name-ways.yaml" ${SUITES---suite pocket --suite pocket-sums --suite pocket-choices} --method rubric,consistency --sampled 0 --repeats 0 \
    --max-tokens "${TOKENS:-48}" --allow-unscored 1000000 --no-report --quiet --json > "$name-ways.json"
  hallmark report "$(run_of "$name-ways.json")" --format decomposition -o "$name-ways.svg"
done

# Over the models: a row for each way, probe and stage with the mean of each figure and, as +-, half of its 95 % interval over the models (t with
# one degree of freedom less than there are models; empty for one).
awk -F, '
  BEGIN {
    count = split("semantic_stability d_semantic_stability accuracy d_accuracy bias_squared variance d_bias_squared d_variance pc_below_0.5 pc_at_least_0.8 perplexity collapsed peak_share", want, " ")
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", t, " ")
  }
  FNR == 1 {
    for (i = 1; i <= NF; i++) at[$i] = i
    match(FILENAME, /(staged|one-shot|none|hard|random|long)\.csv$/); way = substr(FILENAME, RSTART, RLENGTH - 4); next
  }
  {
    key = way "," $at["probe"] "," $at["stage"]
    if (!m[key]++) order[++keys] = key
    sparsity[key] = $at["sparsity"]
    for (j = 1; j <= count; j++) { x = $at[want[j]]; if (x != "") { s[key, j] += x; q[key, j] += x * x; c[key, j]++ } }
  }
  END {
    printf "way,probe,stage,models,sparsity"; for (j = 1; j <= count; j++) printf ",%s,+-", want[j]; print ""
    for (i = 1; i <= keys; i++) {
      key = order[i]; printf "%s,%d,%.3f", key, m[key], sparsity[key]
      for (j = 1; j <= count; j++) {
        n = c[key, j]; if (!n) { printf ",,"; continue }
        mean = s[key, j] / n; v = n > 1 ? (q[key, j] - n * mean * mean) / (n - 1) : -1
        printf ",%.4f,", mean; if (v > 0 && n < 11) printf "%.4f", t[n - 1] * sqrt(v / n)
      }
      print ""
    }
  }' ./*-*.csv > means.csv
