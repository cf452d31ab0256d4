// Holds what `go run ./bench/llamacpp -o DIR` wrote against llama.cpp, in Node. run.sh runs both.
//
//	node check.mjs DIR
//
// It needs node-llama-cpp, with its prebuilt llama.cpp, in the folder that NODE_MODULES names, by default DIR/node_modules.
// With VERBOSE set it prints each string that is tokenized otherwise.
import {createRequire} from "node:module";
import {readdirSync, readFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const dir = resolve(process.argv[2]);
const modules = process.env.NODE_MODULES ?? join(dir, "node_modules");
const main = createRequire(join(modules, "x")).resolve("node-llama-cpp");
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(main));

const limits = {F32: 3e-4, F16: 3e-2, BF16: 3e-2}; // of the largest |logit|

const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1});
const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
let failures = 0;

// logits evaluates the tokens and returns those after the last.
async function logits(sequence, tokens) {
    const out = await sequence.controlledEvaluate(tokens.map((t, i) => i < tokens.length - 1 ? t : [t, {generateNext: {logits: true}}]));
    return out[tokens.length - 1].next.logits;
}

const best = (map) => [...map].reduce((a, b) => b[1] > a[1] || b[1] === a[1] && b[0] < a[0] ? b : a)[0];

async function check(name) {
    const expected = JSON.parse(readFileSync(join(dir, name + ".json"), "utf8"));
    const model = await llama.loadModel({modelPath: join(dir, name + ".gguf"), gpuLayers: 0});
    const context = await model.createContext({contextSize: 256, sequences: 1, threads: 1, flashAttention: false,
        experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32"}); // by default it rounds keys and values to F16
    const sequence = context.getSequence();
    let texts = 0, worst = 0, same = 0, steps = 0;
    for (const r of expected.results) {
        const plain = model.tokenize(r.text, false), tokens = model.tokenize(r.text, true);
        if (equal(plain, r.plain) && equal(tokens, r.tokens)) texts++;
        else console.log(`  ${name}: ${JSON.stringify(r.text)}\n    hallmark  ${r.plain} | ${r.tokens}\n    llama.cpp ${plain} | ${tokens}`);
        await sequence.clearHistory();
        let map = await logits(sequence, r.prompt);
        const largest = Math.max(...r.logits.map(Math.abs));
        for (const [token, x] of map) worst = Math.max(worst, Math.abs(x - r.logits[token]) / largest);
        if (map.size !== r.logits.length) { failures++; console.log(`  ${name}: ${map.size} logits, want ${r.logits.length}`); }
        for (const want of r.next) {
            const token = best(map);
            steps++;
            if (token === want) same++;
            map = await logits(sequence, [want]);
        }
    }
    let strings = 0;
    for (const s of expected.strings) {
        const tokens = model.tokenize(s.text, false);
        if (equal(tokens, s.tokens)) strings++;
        else if (process.env.VERBOSE) console.log(`  ${name}: ${JSON.stringify(s.text)}\n    hallmark  ${s.tokens}\n    llama.cpp ${tokens}`);
    }
    const ok = strings === expected.strings.length && texts === expected.results.length && worst <= limits[expected.type] && (same === steps || expected.type !== "F32");
    if (!ok) failures++;
    console.log(`${ok ? "ok  " : "FAIL"} ${name} ${expected.type}: ${texts} of ${expected.results.length} texts and ${strings} of ${expected.strings.length} random strings tokenized alike, logits differ by at most ${worst.toExponential(1)} of the largest, `
        + `${same} of ${steps} greedy tokens alike; bos ${model.tokens.bos} eos ${model.tokens.eos} add_bos ${model.tokens.shouldPrependBosToken}`);
    for (const w of expected.warnings ?? []) console.log(`     warned: ${w}`);
    await context.dispose();
    await model.dispose();
}

for (const file of readdirSync(dir).sort()) if (file.endsWith(".gguf")) await check(file.slice(0, -5));
process.exit(failures > 0 ? 1 : 0);
