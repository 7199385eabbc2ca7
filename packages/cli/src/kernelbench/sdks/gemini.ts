/** Client of the Gemini API, through `@google/genai`. */
import type { Ask } from "../completion.ts";
import { EndpointError, endpointName, redactKey, type Access } from "../endpoint.ts";
import { answerInTime } from "./errors.ts";
import { loadSdk } from "./load.ts";

/** Finish reasons of content filters. */
const FILTERS = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"];

interface Usage {
  promptTokenCount?: number;
  cachedContentTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
}

export async function geminiApi(access: Access, model: string, parameters: Record<string, unknown>): Promise<Ask> {
  const { GoogleGenAI } = await loadSdk("@google/genai", "gemini", () => import("@google/genai"));
  const { url, key, timeoutMs } = access;
  const client = new GoogleGenAI({
    ...(key !== undefined && { apiKey: key }),
    // The caller retries, with pauses shared by all requests.
    httpOptions: {
      ...(url !== null && { baseUrl: endpointName(url) }),
      timeout: timeoutMs,
      retryOptions: { attempts: 1 },
    },
  });
  return ({ system, prompt }, signal) =>
    answerInTime(access, signal, async (inTime) => {
      // Streamed, since a connection without any data for minutes may be closed.
      const chunks = await client.models.generateContentStream({
        model,
        contents: prompt,
        config: { ...parameters, ...(system !== null && { systemInstruction: system }), abortSignal: inTime },
      });
      let [text, reasoning, finish, blocked] = ["", "", "", ""];
      let usage: Usage | undefined;
      for await (const chunk of chunks) {
        const [candidate] = chunk.candidates ?? [];
        for (const part of candidate?.content?.parts ?? []) {
          if (part.thought === true) reasoning += part.text ?? "";
          else text += part.text ?? "";
        }
        finish = candidate?.finishReason ?? finish;
        blocked = chunk.promptFeedback?.blockReason ?? blocked;
        usage = chunk.usageMetadata ?? usage;
      }
      if (finish === "" && blocked === "") throw new EndpointError("the response ended before it was complete", null);
      const filter = blocked === "" ? FILTERS.find((each) => each === finish) : blocked;
      const { candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = usage ?? {};
      return {
        text: redactKey(text.toWellFormed(), key),
        complete: finish === "STOP",
        reasoning: redactKey(reasoning.toWellFormed(), key),
        refusal: filter === undefined ? null : `the API blocked it: ${filter}`,
        usage: {
          promptTokens: usage?.promptTokenCount ?? null,
          cachedTokens: usage?.cachedContentTokenCount ?? null,
          // candidatesTokenCount excludes reasoning.
          completionTokens: answer === undefined && thoughts === undefined ? null : (answer ?? 0) + (thoughts ?? 0),
          reasoningTokens: thoughts ?? null,
        },
      };
    });
}
