// The official OpenAI client for Node against a served model. Needs the package openai.
//
//	node openai_client.mjs BASE_URL MODEL
import assert from "node:assert/strict";
import OpenAI from "openai";
import { VERSION } from "openai/version";

const [baseURL, model] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "none" });
let checks = 0;
const same = (got, want, what) => { assert.deepEqual(got, want, what); checks++; };

const models = await client.models.list();
same(models.data.map(m => m.id), [model], "models");
same((await client.models.retrieve(model)).id, model, "one model");

const ask = { model, messages: [{ role: "user", content: "What is the capital of France?" }], seed: 7, max_completion_tokens: 20 };
const one = await client.chat.completions.create({ ...ask, logprobs: true, top_logprobs: 2 });
const text = one.choices[0].message.content;
same(one.choices[0].logprobs.content.map(t => t.token).join("").trim().startsWith(text), true, "logprobs spell the text");
let streamed = "", usage;
for await (const part of await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } })) {
	streamed += part.choices[0]?.delta?.content ?? "";
	usage = part.usage ?? usage;
}
same([streamed, usage], [text, one.usage], "stream");
const runner = client.chat.completions.stream(ask);
same((await runner.finalChatCompletion()).choices[0].message.content, text, "the client's own stream reader");

const prompt = "Q: Où est-ce?\nA: Genève";
const echo = await client.completions.create({ model, prompt, max_tokens: 0, echo: true, logprobs: 1 });
const l = echo.choices[0].logprobs;
same([echo.choices[0].text, l.token_logprobs[0], l.tokens.length], [prompt, null, l.text_offset.length], "echo");
let whole = "";
for await (const part of await client.completions.create({ model, prompt, max_tokens: 12, seed: 1, stream: true })) whole += part.choices[0].text;
same(whole, (await client.completions.create({ model, prompt, max_tokens: 12, seed: 1 })).choices[0].text, "completion stream");

const packed = await client.embeddings.create({ model, input: ["a town", "a river"] });
const plain = await client.embeddings.create({ model, input: "a river", encoding_format: "float" });
same(Array.from(packed.data[1].embedding), plain.data[0].embedding.map(x => Math.fround(x)), "embeddings, base64 and float");

await assert.rejects(client.chat.completions.create({ ...ask, tools: [{ type: "function", function: { name: "f" } }] }),
	e => e instanceof OpenAI.BadRequestError && e.param === "tools" && e.code === "unsupported_parameter");
checks++;
console.log(`openai ${VERSION} for Node: ${checks} checks`);
