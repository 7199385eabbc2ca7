/** APIs of model providers. */
import { UsageError } from "../command/exit.ts";
import { chatApi } from "./chat-completions.ts";
import type { Ask } from "./completion.ts";
import { endpointName, type Access } from "./endpoint.ts";

export const APIS = ["chat", "responses", "anthropic", "gemini"] as const;
export type ApiName = (typeof APIS)[number];

interface Api {
  /** Default environment variable of the key. */
  keyVariable: string;
  /** Name of the API's parameter that limits the tokens of an answer. */
  maxTokens: string;
  /** Request members that the CLI sets itself, or that would change the format of the answer. */
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

/** Opens an API client. @throws UsageError when a required address or the SDK's package is missing. */
export async function openApi(
  name: ApiName,
  access: Access,
  model: string,
  parameters: Record<string, unknown>,
): Promise<Ask> {
  switch (name) {
    case "chat": {
      const { url, ...rest } = access;
      if (url === null) throw new UsageError("--endpoint is required; see kernelbot kernelbench generate --help");
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

/**
 * Returns the name of the endpoint for usage.json: its address, or the API's name if the SDK's default address is used.
 */
export function apiName(name: ApiName, url: URL | null): string {
  return url === null ? name : endpointName(url);
}
