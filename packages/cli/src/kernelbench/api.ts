/** The APIs that a model can be behind. */
import { UsageError } from "../exit.ts";
import { chatApi } from "./chat.ts";
import type { Ask } from "./completion.ts";
import { endpointName, type Access } from "./endpoint.ts";

export const APIS = ["chat", "responses", "anthropic", "gemini"] as const;
export type ApiName = (typeof APIS)[number];

interface Api {
  /** The variable with its key, where none is named. */
  keyVariable: string;
  /** How the API calls the most tokens of an answer. */
  maxTokens: string;
  /** Its members that are ours to set, or would make the answer another than we read. */
  ours: readonly string[];
}

export const API: Record<ApiName, Api> = {
  chat: { keyVariable: "OPENAI_API_KEY", maxTokens: "max_tokens", ours: ["messages", "stream", "n"] },
  responses: {
    keyVariable: "OPENAI_API_KEY",
    maxTokens: "max_output_tokens",
    ours: ["input", "instructions", "stream", "background"],
  },
  anthropic: { keyVariable: "ANTHROPIC_API_KEY", maxTokens: "max_tokens", ours: ["messages", "system", "stream"] },
  gemini: {
    keyVariable: "GEMINI_API_KEY",
    maxTokens: "maxOutputTokens",
    ours: ["contents", "systemInstruction", "abortSignal", "candidateCount", "httpOptions"],
  },
};

/** @throws UsageError where an address is needed and missing, or the package of an SDK. */
export async function openApi(
  name: ApiName,
  access: Access,
  model: string,
  parameters: Record<string, unknown>,
): Promise<Ask> {
  switch (name) {
    case "chat": {
      const { url, ...rest } = access;
      if (url === null) throw new UsageError("--endpoint is missing; see kernelbot kernelbench generate --help");
      return chatApi({ url, ...rest }, { ...parameters, model });
    }
    case "responses":
      return (await import("./sdks/responses.ts")).responsesApi(access, model, parameters);
    case "anthropic":
      return (await import("./sdks/anthropic.ts")).anthropicApi(access, model, parameters);
    case "gemini":
      return (await import("./sdks/gemini.ts")).geminiApi(access, model, parameters);
  }
}

/** What usage.json calls the endpoint: its address, or the API where that is the SDK's own. */
export function apiName(name: ApiName, url: URL | null): string {
  return url === null ? name : endpointName(url);
}
