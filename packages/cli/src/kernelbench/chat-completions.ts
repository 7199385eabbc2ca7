/** Client of an OpenAI-compatible endpoint: `POST {endpoint}/chat/completions`. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { proxyEnvironment } from "@kernelbot/api/proxy";
import { parseRetryAfter } from "@kernelbot/core";
import { z } from "zod";
import type { Ask, Completion, Question } from "./completion.ts";
import { completionBody } from "./completion-body.ts";
import { EndpointError, endpointMessage, redactKey, type Endpoint } from "./endpoint.ts";

/** Maximum size of an answer in bytes: many times a kernel, with its reasoning. */
const MAX_BODY_BYTES = 8_000_000;

const Tokens = z.number().int().nonnegative().nullish().catch(null);
const Text = z.string().nullish().catch(null);
/** Part of a content list or of the reasoning. The member that contains its text depends on its type. */
const Part = z.object({
  type: Text,
  text: Text,
  refusal: Text,
  thinking: z
    .union([z.string(), z.array(z.object({ text: Text }))])
    .nullish()
    .catch(null),
  summary: Text,
});
const Parts = z.union([z.string(), z.array(z.union([z.string(), Part]))]).nullish();
const Body = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: Parts,
          refusal: Text,
          // The member for reasoning differs between endpoints.
          reasoning_content: Text,
          reasoning: Text,
          reasoning_details: Parts.catch(null),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens }).nullish().catch(null),
      completion_tokens_details: z.object({ reasoning_tokens: Tokens }).nullish().catch(null),
      prompt_cache_hit_tokens: Tokens,
    })
    .nullish()
    .catch(null),
});
/** Finish reasons of an answer that was cut off. */
const CUT = ["length", "max_tokens", "content_filter"];
/** Some gateways return an error with status 200. Google returns a list with one error. */
const Refusal = z.preprocess(
  (body) => (Array.isArray(body) ? body[0] : body) as unknown,
  z.object({ error: z.union([z.string(), z.object({ message: z.string(), code: z.unknown().optional() })]) }),
);
/** Google requests a delay by `RetryInfo` of google.rpc in the body instead of `Retry-After`: `"retryDelay": "34s"`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** Connections are kept alive with TCP probes: an endpoint may send nothing for minutes. */
const AGENT = { keepAlive: true, proxyEnv: proxyEnvironment(process.env) };
const AGENTS = { "http:": new HttpAgent(AGENT), "https:": new HttpsAgent(AGENT) };

/**
 * Returns a client of the endpoint.
 * @param parameters sent with each request: the model, a temperature and others
 */
export function chatApi(endpoint: Endpoint, parameters: Record<string, unknown>): Ask {
  return (question, signal) => ask(endpoint, { ...parameters, messages: messagesOf(question) }, signal);
}

function messagesOf({ system, prompt }: Question): { role: string; content: string }[] {
  return [...(system === null ? [] : [{ role: "system", content: system }]), { role: "user", content: prompt }];
}

async function ask(endpoint: Endpoint, body: object, signal: AbortSignal): Promise<Completion> {
  const { status, headers, text } = await post(endpoint, JSON.stringify(body), signal);
  const answer = completionBody(redactKey(text, endpoint.key));
  const errorBody = Refusal.safeParse(answer);
  if (status !== 200 || errorBody.success) {
    const error = errorBody.data?.error;
    const code = typeof error === "object" && typeof error.code === "number" ? error.code : status;
    const words = endpointMessage(
      error === undefined ? text : typeof error === "string" ? error : error.message,
      endpoint.key,
    );
    const reason = words === "" ? "" : `: ${words}`;
    throw new EndpointError(
      `the endpoint returned ${status === 200 ? code : status}${reason}`,
      code,
      parseRetryAfter(headers["retry-after"] ?? RETRY_DELAY.exec(text)?.[1]),
    );
  }
  const { choices, usage } = Body.safeParse(answer).data ?? {};
  const choice = choices?.[0];
  if (choice === undefined) throw new EndpointError("the response is not a chat completion; check the address", status);
  const { message, finish_reason: finish } = choice;
  const shown = (value: string) => redactKey(value.toWellFormed(), endpoint.key);
  const refusal = message.refusal ?? partTexts(message.content, "refusal");
  return {
    text: shown(partTexts(message.content, "text")),
    complete: !CUT.includes(finish ?? ""),
    reasoning: shown(
      message.reasoning_content ??
        message.reasoning ??
        (partTexts(message.reasoning_details, "thought") || partTexts(message.content, "thought")),
    ),
    refusal:
      refusal === "" ? (finish === "content_filter" ? "a content filter cut off the answer" : null) : shown(refusal),
    usage: {
      promptTokens: usage?.prompt_tokens ?? null,
      cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? null,
      completionTokens: usage?.completion_tokens ?? null,
      reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
    },
  };
}

/** Returns the texts of one kind in a content: answer, refusal or reasoning. A string content is the answer. */
function partTexts(content: z.infer<typeof Parts>, kind: "text" | "refusal" | "thought"): string {
  if (typeof content === "string" || !content) return kind === "text" ? (content ?? "") : "";
  return content.map((part) => partText(part, kind)).join("");
}

function partText(part: string | z.infer<typeof Part>, kind: "text" | "refusal" | "thought"): string {
  if (typeof part === "string") return kind === "text" ? part : "";
  const { type, text, refusal, thinking, summary } = part;
  const isThought = /think|reason|thought/.test(type ?? "");
  if (kind === "refusal") return refusal ?? "";
  if (kind === "text") return isThought ? "" : (text ?? "");
  if (!isThought) return "";
  return typeof thinking === "string"
    ? thinking
    : (thinking?.map((each) => each.text ?? "").join("") ?? text ?? summary ?? "");
}

interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Uses node:http, since `fetch` times out when the first byte of an answer takes more than five minutes. */
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
        reject(new EndpointError(`the response is larger than ${MAX_BODY_BYTES / 1e6} MB`, 200));
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
    const why = late.aborted ? `no response within ${timeoutMs / 1000} s` : `the connection broke (${reasonOf(error)})`;
    throw new EndpointError(why, null, null, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
