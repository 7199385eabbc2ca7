/** Client of OpenAI's Responses API, through the package `openai`. */
import type { Ask } from "../completion.ts";
import { EndpointError, endpointName, endpointMessage, redactKey, type Access } from "../endpoint.ts";
import { answerInTime } from "./errors.ts";
import { loadSdk } from "./load.ts";

export async function responsesApi(access: Access, model: string, parameters: Record<string, unknown>): Promise<Ask> {
  const { default: OpenAI } = await loadSdk("openai", "responses", () => import("openai"));
  const { url, key, timeoutMs } = access;
  // The caller retries, with pauses shared by all requests.
  const client = new OpenAI({
    ...(key !== undefined && { apiKey: key }),
    ...(url !== null && { baseURL: endpointName(url) }),
    maxRetries: 0,
    timeout: timeoutMs,
  });
  return ({ system, prompt }, signal) =>
    answerInTime(access, signal, async (inTime) => {
      // Streamed, since a connection without any data for minutes may be closed.
      const events = await client.responses.create(
        {
          store: false,
          ...parameters,
          model,
          input: prompt,
          ...(system !== null && { instructions: system }),
          stream: true,
        },
        { signal: inTime },
      );
      for await (const event of events) {
        if (event.type === "error") throw new EndpointError(endpointMessage(event.message, key), null);
        if (event.type === "response.failed") {
          const { code, message } = event.response.error ?? { code: "unknown", message: "" };
          throw new EndpointError(endpointMessage(`the request failed: ${code}: ${message}`, key), null);
        }
        if (event.type !== "response.completed" && event.type !== "response.incomplete") continue;
        const { output, usage, incomplete_details: incomplete } = event.response;
        const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
        const thoughts = output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
        const refusal = parts.map((part) => (part.type === "refusal" ? part.refusal : "")).join("");
        const filtered = incomplete?.reason === "content_filter" ? "a content filter cut off the answer" : null;
        return {
          text: redactKey(parts.map((part) => (part.type === "output_text" ? part.text : "")).join(""), key),
          complete: event.type === "response.completed",
          reasoning: redactKey(thoughts.map(({ text }) => text).join("\n\n"), key),
          refusal: refusal === "" ? filtered : redactKey(refusal, key),
          usage: {
            promptTokens: usage?.input_tokens ?? null,
            cachedTokens: usage?.input_tokens_details.cached_tokens ?? null,
            completionTokens: usage?.output_tokens ?? null,
            reasoningTokens: usage?.output_tokens_details.reasoning_tokens ?? null,
          },
        };
      }
      throw new EndpointError("the response ended before it was complete", null);
    });
}
