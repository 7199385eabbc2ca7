/** What a model is asked and what it answers, whichever API it is behind. */
import type { Answer } from "./answer.ts";

export interface Question {
  /** The system prompt; null for none. */
  system: string | null;
  prompt: string;
}

/** Each number is null where the endpoint does not report it. */
export interface TokenUsage {
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
  /** What the model thought before its answer, where the endpoint returns it. */
  reasoning: string;
  /** Why the model, or a filter, refused to answer; null where neither did. */
  refusal: string | null;
}

/** @throws EndpointError where there is no answer */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Completion>;
