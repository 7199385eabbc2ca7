/** A question to a model and its answer. */
import type { Answer } from "@kernelbot/core";

export interface Question {
  /** System prompt; null for none. */
  system: string | null;
  prompt: string;
}

/** Token counts of one answer. Each is null when the endpoint does not report it. */
interface TokenUsage {
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number | null;
  /** Tokens of the prompt that were read from a cache. */
  cachedTokens: number | null;
  /** All generated tokens, reasoning included. */
  completionTokens: number | null;
  reasoningTokens: number | null;
}

export interface Completion extends Answer {
  usage: TokenUsage;
  /** Reasoning before the answer; empty when the endpoint does not return it. */
  reasoning: string;
  /** Why the model or a filter refused to answer; null if neither did. */
  refusal: string | null;
}

/** Sends a question to a model. @throws EndpointError when there is no answer */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Completion>;
