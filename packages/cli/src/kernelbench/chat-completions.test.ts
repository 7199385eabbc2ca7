import { expect, test } from "vitest";
import { startFakeModel, type Reply } from "@kernelbot/testing/cli/fake-model.ts";
import { chatApi } from "./chat-completions.ts";
import { EndpointError } from "./endpoint.ts";

/** Returns the completion for a message of an endpoint. */
async function completionOf(message: object, finish = "stop", usage?: object) {
  await using model = await startFakeModel(() => ({
    body: { choices: [{ index: 0, message, finish_reason: finish }], usage },
  }));
  const ask = chatApi({ url: new URL(model.url), key: undefined, timeoutMs: 20_000 }, { model: "m" });
  const completion = await ask({ system: "be brief", prompt: "write" }, new AbortController().signal);
  return { ...completion, messages: model.questions[0]?.messages };
}

test("the system prompt is the first message", async () => {
  const { messages } = await completionOf({ content: "x" });
  expect(messages).toEqual([
    { role: "system", content: "be brief" },
    { role: "user", content: "write" },
  ]);
});

test.each<[string, unknown]>([
  ["a text", "one two"],
  [
    "a list of parts",
    [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ],
  ],
  ["a list of parts of output", [{ type: "output_text", text: "one two", annotations: [] }]],
  ["a list of texts", ["one ", "two"]],
  [
    "parts among which are thoughts",
    [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "one two" },
    ],
  ],
  [
    "parts of a kind that we do not know",
    [
      { type: "audio", data: 7 },
      { type: "text", text: "one two" },
    ],
  ],
])("a content that is %s is read", async (_, content) => {
  expect(await completionOf({ content })).toMatchObject({ text: "one two", complete: true, refusal: null });
});

test.each<[string, object]>([
  ["reasoning_content", { reasoning_content: "hm" }],
  ["reasoning", { reasoning: "hm" }],
  ["reasoning_details", { reasoning_details: [{ type: "reasoning.text", text: "hm" }] }],
  ["parts of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }],
])("what a model thought is read from %s, and is no part of the text", async (_, message) => {
  expect(await completionOf({ content: "", ...message })).toMatchObject({ text: "", reasoning: "hm" });
});

test.each<[string, object, string, string]>([
  ["a member of the message", { content: null, refusal: "no" }, "stop", "no"],
  ["a part of the content", { content: [{ type: "refusal", refusal: "no" }] }, "stop", "no"],
  ["the end of the answer", { content: "half" }, "content_filter", "a content filter cut off the answer"],
])("a refusal is read from %s", async (_, message, finish, refusal) => {
  expect(await completionOf(message, finish)).toMatchObject({ refusal });
});

test("tokens that an endpoint does not report are unknown, those of other names are read, and nonsense is unknown", async () => {
  const unknown = { promptTokens: null, cachedTokens: null, completionTokens: null, reasoningTokens: null };
  expect((await completionOf({ content: "" })).usage).toEqual(unknown);
  expect((await completionOf({ content: "" }, "stop", { prompt_tokens: "many", completion_tokens: -1 })).usage).toEqual(
    unknown,
  );
  expect((await completionOf({ content: "" }, "stop", { prompt_tokens: 9, prompt_cache_hit_tokens: 4 })).usage).toEqual(
    {
      ...unknown,
      ...{ promptTokens: 9, cachedTokens: 4 },
    },
  );
});

const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { content: "one two" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 7, completion_tokens: 9 },
});
const events = (...values: (object | string)[]) =>
  values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("");
const delta = (part: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: part, finish_reason: finish }],
});
const STREAM = [
  delta({ role: "assistant", reasoning: "hm" }),
  delta({ content: "one " }),
  delta({ content: "two" }, "stop"),
];
const USAGE = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } };

async function completionOfBody(body: string) {
  await using model = await startFakeModel(() => ({ body }));
  const ask = chatApi({ url: new URL(model.url), key: undefined, timeoutMs: 20_000 }, { model: "m" });
  return await ask({ system: null, prompt: "write" }, new AbortController().signal);
}

test.each([
  ["after comments that keep the connection open", `: PROCESSING\n\n: PROCESSING\n\n${WHOLE}`],
  ["after blank lines", `\n\n  ${WHOLE}`],
  ["after a byte order mark", `\ufeff${WHOLE}`],
  ["as one event of a stream", events(JSON.parse(WHOLE) as object, "[DONE]")],
  ["as a stream of events", `: ping\n\n${events(...STREAM, USAGE, "[DONE]")}`],
  ["as a stream whose lines end in CRLF", events(...STREAM, USAGE).replaceAll("\n", "\r\n")],
])("an answer that an endpoint sends %s is read", async (_, body) => {
  expect(await completionOfBody(body)).toMatchObject({
    text: "one two",
    complete: true,
    usage: { promptTokens: 7, completionTokens: 9 },
  });
});

test("the reasoning of a stream does not belong to the answer", async () => {
  expect(await completionOfBody(events(...STREAM))).toMatchObject({ text: "one two", reasoning: "hm" });
});

test("a stream that ends without a finish reason is an answer that was cut off", async () => {
  expect(await completionOfBody(events(...STREAM.slice(0, 2)))).toMatchObject({ text: "one ", complete: false });
});

test("an error in a stream is a failure with its message", async () => {
  await expect(completionOfBody(events({ error: { message: "overloaded", code: 529 } }))).rejects.toThrow("overloaded");
});

const KEY = "sk-a-secret-that-is-never-shown";
/** Google's endpoint sends a list, and requests a delay in the body only. */
const GOOGLE = [
  {
    error: {
      ...{ code: 429, message: "quota", status: "RESOURCE_EXHAUSTED" },
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7.5s" }],
    },
  },
];

test.each<[string, Reply, { message: string; retryAfterMs: number | null; passing: boolean }]>([
  [
    "a throttled request",
    { status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow down" } } },
    { message: "the endpoint returned 429: slow down", retryAfterMs: 7000, passing: true },
  ],
  [
    "a throttled request with its delay in the body",
    { status: 429, body: GOOGLE },
    { message: "the endpoint returned 429: quota", retryAfterMs: 7500, passing: true },
  ],
  [
    "an overloaded service",
    { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    { message: "the endpoint returned 529: Overloaded", retryAfterMs: null, passing: true },
  ],
  [
    "a rejected key",
    { status: 401, body: { error: { message: `invalid key ${KEY}`, code: "invalid_api_key" } } },
    { message: "the endpoint returned 401: invalid key [key]", retryAfterMs: null, passing: false },
  ],
])("%s is a failure with the requested delay, and without the key", async (_, reply, expected) => {
  await using model = await startFakeModel(() => reply);
  const ask = chatApi({ url: new URL(model.url), key: KEY, timeoutMs: 20_000 }, { model: "m" });
  const failure: unknown = await ask({ system: null, prompt: "write" }, new AbortController().signal).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(EndpointError);
  const { message, retryAfterMs, passing } = failure as EndpointError;
  expect({ message, retryAfterMs, passing }).toEqual(expected);
});
