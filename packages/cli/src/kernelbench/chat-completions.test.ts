import { expect, test } from "vitest";
import { startFakeModel } from "@kernelbot/testing/cli/fake-model.ts";
import { chatApi } from "./chat-completions.ts";

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
