// Measures llama.cpp's greedy decoding of one sequence on one thread, as main.go does hallmark's.
//
//	node peer.mjs MODEL.gguf [PROMPT [TOKENS [ROUNDS]]]
//
// Needs Node and the npm package node-llama-cpp with its prebuilt @node-llama-cpp/linux-x64. The rates are by
// llama.cpp's own clock, without the JavaScript around it.
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [file, prompt = 8, tokens = 120, rounds = 100] = process.argv.slice(2).map((x, i) => (i ? Number(x) : x));
const require = createRequire(path.join(process.env.NODE_LLAMA ?? process.cwd(), "x.js"));
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(require.resolve("node-llama-cpp")));

const lines = [];
const llama = await getLlama({
    gpu: false, build: "never", skipDownload: true, logLevel: LlamaLogLevel.debug, logger: (_, text) => lines.push(text),
});
const model = await llama.loadModel({modelPath: file, gpuLayers: 0});
const ids = Array.from({length: prompt}, (_, i) => 2 + i);
let rates = [], got = [];
for (let round = 0; round < rounds; round++) {
    const context = await model.createContext({
        contextSize: prompt + tokens + 2, sequences: 1, threads: 1, performanceTracking: true,
    });
    got = [];
    for await (const token of context.getSequence().evaluate(ids, {temperature: 0, yieldEogToken: true})) {
        got.push(token);
        if (got.length === tokens + 1) break;
    }
    lines.length = 0;
    await context.printTimings();
    // "eval time" is of single tokens; that of the prompt is another line.
    const [, ms, runs] = lines.join("\n").match(/(?<!prompt )eval time =\s+([\d.]+) ms \/\s+(\d+) runs/);
    rates.push(runs / ms * 1e3);
    await context.dispose();
}
rates = rates.sort((a, b) => a - b).map((x) => x.toFixed(0));
console.log(
    `llama.cpp ${path.basename(file)}: ${tokens} tokens after ${prompt}: ${rates.at(-1)} tokens/s in the best of ${rounds} rounds, ` +
    `${rates[rounds >> 1]} in the median; begins ${got.slice(0, 12).join(" ")}`
);
process.exit(0);
