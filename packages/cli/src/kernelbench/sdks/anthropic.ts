/** Client of Anthropic's Messages API, through `@anthropic-ai/sdk`. */
import type { Ask } from "../completion.ts";
import { endpointName, redactKey, type Access } from "../endpoint.ts";
import { answerInTime } from "./errors.ts";
import { loadSdk } from "./load.ts";

/** Default of the limit that the API requires: enough for a kernel with its reasoning. */
const MAX_TOKENS = 32_000;

/** Stop reasons of an answer that was cut off. */
const CUT = ["max_tokens", "model_context_window_exceeded", "refusal"];

export async function anthropicApi(access: Access, model: string, parameters: Record<string, unknown>): Promise<Ask> {
  const { default: Anthropic } = await loadSdk("@anthropic-ai/sdk", "anthropic", () => import("@anthropic-ai/sdk"));
  const { url, key, timeoutMs } = access;
  // The caller retries, with pauses shared by all requests.
  const client = new Anthropic({
    apiKey: key ?? null,
    authToken: null,
    ...(url !== null && { baseURL: endpointName(url) }),
    maxRetries: 0,
    timeout: timeoutMs,
  });
  return ({ system, prompt }, signal) =>
    answerInTime(access, signal, async (inTime) => {
      // Streamed, since a connection without any data for minutes may be closed.
      const stream = client.messages.stream(
        {
          max_tokens: MAX_TOKENS,
          ...parameters,
          model,
          ...(system !== null && { system }),
          messages: [{ role: "user", content: prompt }],
        },
        { signal: inTime },
      );
      const message = await stream.finalMessage();
      const { content, usage, stop_reason: stop, stop_details: details } = message;
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      const thoughts = content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("");
      const cached = usage.cache_read_input_tokens ?? 0;
      return {
        text: redactKey(text.toWellFormed(), key),
        complete: !CUT.includes(stop ?? ""),
        reasoning: redactKey(thoughts.toWellFormed(), key),
        refusal: stop === "refusal" ? redactKey(details?.explanation ?? "the model refused", key) : null,
        usage: {
          // input_tokens excludes tokens read from or written to a cache.
          promptTokens: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
          cachedTokens: cached,
          completionTokens: usage.output_tokens,
          reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? null,
        },
      };
    });
}
