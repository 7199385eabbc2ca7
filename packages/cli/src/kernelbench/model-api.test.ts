import { expect, test } from "vitest";
import {
  anthropicReply,
  geminiReply,
  responsesReply,
  startFakeApi,
  type ApiReply,
  type Said,
} from "@kernelbot/testing/cli/fake-apis.ts";
import { openApi, type ApiName } from "./model-api.ts";
import { EndpointError } from "./endpoint.ts";
import { loadSdk } from "./sdks/load.ts";

const KEY = "sk-a-secret-that-is-never-shown";

interface Case {
  api: ApiName;
  reply: (request: Said) => ApiReply;
  route: string;
  key: readonly [string, string];
  /** The API's stop reason of an answer cut off at the token limit. */
  cut: string;
}

const CASES: Case[] = [
  {
    api: "anthropic",
    reply: anthropicReply,
    route: "POST /v1/messages",
    key: ["authorization", `Bearer ${KEY}`],
    cut: "max_tokens",
  },
  {
    api: "responses",
    reply: responsesReply,
    route: "POST /responses",
    key: ["authorization", `Bearer ${KEY}`],
    cut: "max_output_tokens",
  },
  {
    api: "gemini",
    reply: geminiReply,
    route: "POST /v1/models/m:streamGenerateContent?alt=sse",
    key: ["x-goog-api-key", KEY],
    cut: "MAX_TOKENS",
  },
];

async function ask(
  { api }: Case,
  reply: (calls: number) => ApiReply,
  parameters: Record<string, unknown> = {},
  system: string | null = null,
) {
  await using fake = await startFakeApi((_, count) => reply(count));
  const ask = await openApi(api, { url: new URL(fake.url), key: KEY, timeoutMs: 20_000 }, "m", parameters);
  const answer = await ask({ system, prompt: "write" }, new AbortController().signal).catch((error: unknown) => error);
  return { answer, requests: fake.requests };
}

test.each(CASES)(
  "$api: an answer has its text, thoughts and tokens, those from a cache and of thoughts too",
  async (each) => {
    const { answer, requests } = await ask(each, () => each.reply({ text: "the answer", thoughts: "let me see" }));
    expect(answer).toEqual({
      ...{ text: "the answer", complete: true, reasoning: "let me see", refusal: null },
      usage: { promptTokens: 18, cachedTokens: 5, completionTokens: 40, reasoningTokens: 15 },
    });
    expect(requests[0]?.route).toBe(each.route);
    expect(requests[0]?.headers[each.key[0]]).toBe(each.key[1]);
  },
);

test.each(CASES)("$api: the system prompt and parameters are sent under the names of the API", async (each) => {
  const { requests } = await ask(each, () => each.reply({ text: "x" }), { temperature: 0.5 }, "be brief");
  const bodies = {
    anthropic: { system: "be brief", temperature: 0.5, messages: [{ role: "user", content: "write" }], stream: true },
    responses: { instructions: "be brief", temperature: 0.5, input: "write", stream: true, store: false },
    gemini: {
      systemInstruction: { parts: [{ text: "be brief" }] },
      generationConfig: { temperature: 0.5 },
      contents: [{ role: "user", parts: [{ text: "write" }] }],
    },
  };
  expect(requests[0]?.body).toMatchObject(bodies[each.api as keyof typeof bodies]);
});

test.each(CASES)("$api: an answer that was cut at the limit of tokens is not complete", async (each) => {
  const { answer } = await ask(each, () => each.reply({ text: "half", stop: each.cut }));
  expect(answer).toMatchObject({ text: "half", complete: false, refusal: null });
});

test.each([
  ["anthropic", anthropicReply({ stop: "refusal", refusal: "not this" }), "not this"],
  ["responses", responsesReply({ refusal: "not this" }), "not this"],
  ["gemini", geminiReply({ refusal: "PROHIBITED_CONTENT" }), "the API blocked it: PROHIBITED_CONTENT"],
  ["gemini", geminiReply({ stop: "SAFETY" }), "the API blocked it: SAFETY"],
  ["responses", responsesReply({ stop: "content_filter" }), "a content filter cut off the answer"],
] as const)("%s: a refusal is returned with its reason", async (api, reply, refusal) => {
  const { answer } = await ask(CASES.find((each) => each.api === api) as Case, () => reply);
  expect(answer).toMatchObject({ refusal });
});

const anthropicError = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "r",
});
const openaiError = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });

test.each<[ApiName, string, ApiReply, { status: number | null; retryAfterMs: number | null; passing: boolean }]>([
  [
    "anthropic",
    "too many requests",
    { status: 429, headers: { "retry-after": "7" }, error: anthropicError("rate_limit_error", "slow down") },
    { status: 429, retryAfterMs: 7000, passing: true },
  ],
  [
    "anthropic",
    "an overloaded service",
    { status: 529, error: anthropicError("overloaded_error", "Overloaded") },
    { status: 529, retryAfterMs: null, passing: true },
  ],
  [
    "anthropic",
    "a service that is overloaded in the middle of an answer",
    {
      events: [
        ...(anthropicReply({ text: "x" }).events ?? []).slice(0, 5),
        { event: "error", data: anthropicError("overloaded_error", "Overloaded") },
      ],
    },
    { status: null, retryAfterMs: null, passing: true },
  ],
  [
    "anthropic",
    "a wrong key",
    { status: 401, error: anthropicError("authentication_error", `invalid x-api-key ${KEY}`) },
    { status: 401, retryAfterMs: null, passing: false },
  ],
  [
    "responses",
    "too many requests",
    { status: 429, headers: { "retry-after": "7" }, error: openaiError("rate_limit_exceeded", "slow down") },
    { status: 429, retryAfterMs: 7000, passing: true },
  ],
  [
    "responses",
    "a request that is not valid",
    { status: 400, error: openaiError("invalid_value", `no ${KEY}`) },
    { status: 400, retryAfterMs: null, passing: false },
  ],
  [
    "responses",
    "an answer that fails on the way",
    {
      events: [
        {
          event: "response.failed",
          data: { type: "response.failed", response: { error: { code: "server_error", message: "oops" }, output: [] } },
        },
      ],
    },
    { status: null, retryAfterMs: null, passing: true },
  ],
  [
    "gemini",
    "too many requests",
    {
      status: 429,
      error: {
        error: {
          ...{ code: 429, message: "quota", status: "RESOURCE_EXHAUSTED" },
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
        },
      },
    },
    { status: 429, retryAfterMs: 7000, passing: true },
  ],
  [
    "gemini",
    "an overloaded model",
    { status: 503, error: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } } },
    { status: 503, retryAfterMs: null, passing: true },
  ],
])("%s: %s is a failure with its status and the requested delay, without a retry", async (api, _, reply, expected) => {
  const { answer, requests } = await ask(CASES.find((each) => each.api === api) as Case, () => reply);
  expect(answer).toBeInstanceOf(EndpointError);
  const { status, retryAfterMs, passing, message } = answer as EndpointError;
  expect({ status, retryAfterMs, passing }).toEqual(expected);
  expect(message).not.toContain(KEY);
  expect(requests).toHaveLength(1);
});

test.each(CASES)("$api: a response that breaks off is a temporary failure", async (each) => {
  const { events = [] } = each.reply({ text: "the answer" });
  const { answer } = await ask(each, () => ({ events: events.slice(0, -2), breaks: true }));
  expect(answer).toBeInstanceOf(EndpointError);
  expect((answer as EndpointError).passing).toBe(true);
});

test("an API whose package is not installed says how to install it", async () => {
  const name = "@kernelbot/a-package-that-is-not-there";
  await expect(loadSdk(name, "anthropic", () => import(name) as Promise<unknown>)).rejects.toThrow(
    `--api anthropic needs the package ${name}, which is not installed; run npm install ${name}`,
  );
});
