/** A question to a model behind an OpenAI-compatible endpoint, and its answer: `POST {endpoint}/chat/completions`. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { z } from "zod";
import { UsageError } from "../exit.ts";
import { cleaned, oneLine } from "../text.ts";
import type { Answer } from "./answer.ts";
import { parsedJson } from "./files.ts";

/** The longest answer that is read, in bytes: many times a kernel, and room for what a model thinks aloud. */
const MAX_BODY_BYTES = 8_000_000;
/** A key of fewer characters is no secret, and may stand in code for another reason. */
const MIN_KEY_CHARACTERS = 16;

export interface Endpoint {
  /** Of its API, such as `https://api.example.org/v1`. */
  url: URL;
  key: string | undefined;
  /** The longest that an answer may take, in milliseconds. */
  timeoutMs: number;
}

export interface Completion extends Answer {
  /** Null where the endpoint does not tell. */
  promptTokens: number | null;
  completionTokens: number | null;
}

/** The endpoint did not answer the question. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  /** Null where there was no answer at all. */
  readonly status: number | null;
  /** How long the endpoint asks us to wait; null where it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null, retryAfterMs: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same question may be answered later. */
  get passing(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const Tokens = z.number().int().nonnegative().nullish().catch(null);
const Body = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }))
    .min(1),
  usage: z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullish(),
});
/** Some gateways send an error with status 200. */
const Refusal = z.object({
  error: z.union([z.string(), z.object({ message: z.string(), code: z.unknown().optional() })]),
});

/** Connections are kept, and watched: a question may stay without a word for minutes. */
const AGENTS = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

/** @throws UsageError for what is no address of an endpoint. */
export function endpointUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`${JSON.stringify(text)} is no endpoint; one looks like https://api.example.org/v1`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("an endpoint has no user or password in it; name the variable with the key: --key-env");
  }
  return url;
}

/** An endpoint as it may be shown and stored: a query can hold a key. */
export function endpointName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/**
 * Asks once.
 * @param question the body of the request
 * @throws EndpointError where there is no answer to it
 */
export async function ask(endpoint: Endpoint, question: object, signal: AbortSignal): Promise<Completion> {
  const { status, headers, text } = await post(endpoint, JSON.stringify(question), signal);
  const shown = hidden(text, endpoint.key);
  const body = parsedJson(shown);
  const refusal = Refusal.safeParse(body);
  if (status !== 200 || refusal.success) {
    const error = refusal.data?.error;
    const code = typeof error === "object" && typeof error.code === "number" ? error.code : status;
    const why = error === undefined ? shown : typeof error === "string" ? error : error.message;
    const words = oneLine(cleaned(why.slice(0, 1000))).slice(0, 300);
    const said = words === "" ? "" : `: ${words}`;
    throw new EndpointError(`it answers ${status === 200 ? code : status}${said}`, code, retryAfter(headers));
  }
  const parsed = Body.safeParse(body);
  const choice = parsed.data?.choices[0];
  if (choice === undefined) throw new EndpointError("its answer is no chat completion; is the address right?", status);
  return {
    text: hidden((choice.message.content ?? "").toWellFormed(), endpoint.key),
    complete: choice.finish_reason !== "length",
    promptTokens: parsed.data?.usage?.prompt_tokens ?? null,
    completionTokens: parsed.data?.usage?.completion_tokens ?? null,
  };
}

interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** By node:http, since `fetch` gives up where the first byte of an answer takes more than five minutes. */
async function post({ url, key, timeoutMs }: Endpoint, body: string, signal: AbortSignal): Promise<Response> {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, "")}/chat/completions`;
  const late = AbortSignal.timeout(timeoutMs);
  const secure = address.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = (secure ? httpsRequest : httpRequest)(
    address,
    {
      method: "POST",
      agent: secure ? AGENTS["https:"] : AGENTS["http:"],
      signal: AbortSignal.any([signal, late]),
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "content-length": Buffer.byteLength(body),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
    },
    (response) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        sizeBytes += chunk.length;
        if (sizeBytes <= MAX_BODY_BYTES) return;
        reject(new EndpointError("its answer is longer than any answer to this question is", 200));
        response.destroy();
      });
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        });
      });
    },
  );
  request.on("error", reject);
  request.end(body);
  try {
    return await promise;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EndpointError) throw error;
    const why = late.aborted ? `no answer within ${timeoutMs / 1000} s` : `the connection broke (${reasonOf(error)})`;
    throw new EndpointError(why, null, null, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** What came, without our key: an endpoint may send it back. */
function hidden(text: string, key: string | undefined): string {
  return key === undefined || key.length < MIN_KEY_CHARACTERS ? text : text.replaceAll(key, "[key]");
}

/** `Retry-After` (RFC 9110), in seconds or as a date, in milliseconds from now. */
export function retryAfter({ "retry-after": value }: IncomingHttpHeaders, nowMs = Date.now()): number | null {
  if (value === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
