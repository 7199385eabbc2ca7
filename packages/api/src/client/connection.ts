/**
 * HTTP connection of the client: requests with retries, parsed responses, and streams that resume after a dropped
 * connection.
 */
import type { z } from "zod";
import { ApiError, isErrorCode, KernelBotError, parseRetryAfter } from "@kernelbot/core";
import { DEFAULT_BODY } from "../body-limits.ts";
import type { Contract } from "../contract.ts";
import { readEventStream, type ServerSentEvent } from "./event-stream.ts";
import { addressOf, encodeBody, outputSchema, type Input, type Output } from "./request.ts";

/** Timeout of a response, and maximum silence of a stream (the server sends something every 15 s), in milliseconds. */
export const RESPONSE_TIMEOUT_MS = 30_000;
/** Timeout of a request or response body of many megabytes, also on a slow connection, in milliseconds. */
export const LARGE_BODY_TIMEOUT_MS = 600_000;
const SILENCE_MS = 45_000;
/** Delays before each retry after a connection failure, in milliseconds, for requests that are safe to repeat. */
const RETRY_MS = [100, 400];
/**
 * Time for which a request is repeated while the server responds with 429 or 503, and for which an event reader tries
 * to reconnect, before it throws, in milliseconds.
 */
export const REPEAT_FOR_MS = 60_000;
/** Statuses of a server, or of the proxy before it, that is not available at the moment. */
const UNAVAILABLE = [502, 503, 504];

export interface ClientOptions {
  /** Base URL of the server, such as `http://127.0.0.1:8080`. */
  server: string;
  token?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Last sentence of the error where the server cannot be reached. */
  unreachableAdvice?: string | undefined;
  /** Called before a request is repeated after a response with 429 or 503. */
  onRetry?: ((error: KernelBotError) => void) | undefined;
}

export interface EventsOptions {
  /** Returns only events after this number. */
  after?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Options of a call that override the defaults. */
export interface CallOptions {
  /** Key under which repeated requests count once, for contracts with this header. Default: a random key. */
  idempotencyKey?: string | undefined;
  /** Default: 30 s, or 10 min for a contract with a larger body than a submission. */
  timeoutMs?: number;
}

export type Connection = ReturnType<typeof connect>;

/** Creates a connection object; sends nothing yet. */
export function connect({
  server,
  token,
  fetch = globalThis.fetch,
  unreachableAdvice = "Is it running, and is the address correct?",
  onRetry,
}: ClientOptions) {
  const base = `${server.replace(/\/+$/, "")}/api/v1`;

  const unreachable = (error: unknown): Unreachable =>
    new Unreachable(
      "unavailable",
      `Cannot reach the server at ${server} (${whyUnreachable(error)}). ${unreachableAdvice}`,
      { cause: error },
    );

  async function sendOnce<C extends Contract>(
    contract: C,
    input: Input<C>,
    { headers: extra = {}, signal }: { headers?: Record<string, string>; signal: AbortSignal },
  ): Promise<Response> {
    const { mediaType, body } = encodeBody(contract, input);
    const headers = {
      ...(mediaType !== undefined && { "content-type": mediaType }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...extra,
    };
    const init = { method: contract.method.toUpperCase(), headers, ...(body !== undefined && { body }), signal };
    try {
      return await fetch(base + addressOf(contract, input), init);
    } catch (error) {
      throw unreachable(error);
    }
  }

  /**
   * Makes an attempt, and further ones where that is safe: soon after a connection failure, and as Retry-After says while
   * the server is not available or a limit is reached, for up to REPEAT_FOR_MS.
   */
  async function repeat<T>(isIdempotent: boolean, attempt: () => Promise<T>): Promise<T> {
    let giveUpAt: number | undefined;
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pauseMs = isIdempotent && error instanceof KernelBotError ? pauseAfter(error, tries) : null;
        giveUpAt ??= Date.now() + REPEAT_FOR_MS;
        if (pauseMs === null || Date.now() + pauseMs > giveUpAt) throw error;
        if (!(error instanceof Unreachable)) onRetry?.(error as KernelBotError);
        await sleep(pauseMs);
      }
    }
  }

  /** Calls a contract, and again where that is safe. Returns the successful response. */
  async function send<C extends Contract>(
    contract: C,
    input: Input<C>,
    { idempotencyKey = crypto.randomUUID(), timeoutMs = timeoutOf(contract) }: CallOptions = {},
  ): Promise<Response> {
    const hasKey = contract.headers?.shape["idempotency-key"] !== undefined;
    const isIdempotent = hasKey || contract.isIdempotent || contract.method !== "post";
    const headers = hasKey ? { "idempotency-key": idempotencyKey } : {};
    return repeat(isIdempotent, async () => {
      const response = await sendOnce(contract, input, { headers, signal: AbortSignal.timeout(timeoutMs) });
      if (response.ok) return withBody(response, unreachable);
      throw await errorFrom(response);
    });
  }

  /** Calls a contract. Returns the parsed JSON of the response, or undefined where it has no body. */
  async function request<C extends Contract>(contract: C, input: Input<C>, options?: CallOptions): Promise<Output<C>> {
    const response = await send(contract, input, options);
    const schema = response.status === 204 ? undefined : outputSchema(contract);
    return (schema && (await parseResponse(schema, contract, response))) as Output<C>;
  }

  async function parseResponse<Schema extends z.ZodType>(
    schema: Schema,
    { path }: Contract,
    response: Response,
  ): Promise<z.infer<Schema>> {
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw new KernelBotError(
      "unavailable",
      `The response of ${server} to ${path} has an unexpected format; is it a KernelBot server of the same version?`,
      { cause: parsed.error },
    );
  }

  /** Converts an error response to a KernelBotError. */
  async function errorFrom(response: Response): Promise<KernelBotError> {
    const body = ApiError.safeParse(await response.json().catch(() => undefined));
    const retryAfterMs =
      parseRetryAfter(response.headers.get("retry-after")) ?? (UNAVAILABLE.includes(response.status) ? 0 : null);
    const options = retryAfterMs === null ? {} : { retryAfterS: retryAfterMs / 1000 };
    if (!body.success) {
      return new KernelBotError(
        response.status < 500 ? "bad_request" : "unavailable",
        `${server} responded with status ${response.status} without an error message; is it the address of a KernelBot server?`,
        options,
      );
    }
    const { code } = body.data;
    // The server says how to send a token, to those who write requests.
    const detail = response.status === 401 && token === undefined ? `${server} requires a token.` : body.data.detail;
    const known = isErrorCode(code) ? code : response.status < 500 ? "bad_request" : "unavailable";
    return new KernelBotError(known, detail, options);
  }

  /**
   * Yields the numbered messages of an event stream until the consumer stops. After a dropped connection, reconnects
   * and resumes after the last message's number, as Retry-After says. Throws on an error response below 500 other than
   * 429, and when reconnecting fails for REPEAT_FOR_MS.
   */
  async function* followEvents<C extends Contract>(
    contract: C,
    input: Input<C>,
    { after = 0, signal }: EventsOptions = {},
  ): AsyncGenerator<ServerSentEvent, never> {
    let last = after;
    let goneSince: number | undefined;
    let tries = 0;
    for (;;) {
      signal?.throwIfAborted();
      let pauseMs = Math.min(2_000, 50 * 2 ** tries);
      const silence = new SilenceTimeout(SILENCE_MS);
      try {
        const response = await sendOnce(contract, input, {
          headers: { accept: "text/event-stream", "last-event-id": String(last) },
          signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
        });
        if (!response.ok || response.body === null) throw await errorFrom(response);
        goneSince = undefined;
        for await (const message of readEventStream(response.body.pipeThrough(silence.broken()))) {
          last = Number(message.id);
          tries = 0;
          yield message;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof KernelBotError && error.status < 500 && error.code !== "too_many_requests") throw error;
        goneSince ??= Date.now();
        if (error instanceof KernelBotError) pauseMs = Math.max(pauseMs, 1000 * (error.retryAfterS ?? 0));
        if (Date.now() + pauseMs - goneSince > REPEAT_FOR_MS) throw error;
      } finally {
        silence.end();
      }
      await sleep(pauseMs, signal);
      tries += 1;
    }
  }

  /** Yields the bytes of a response as they arrive. The timeout applies to silence, not to the total duration. */
  async function* streamBytes<C extends Contract>(
    contract: C,
    input: Input<C>,
    headers: Record<string, string> = {},
  ): AsyncGenerator<Uint8Array, void> {
    const begin = async () => {
      const timeout = new SilenceTimeout(SILENCE_MS);
      try {
        const response = await sendOnce(contract, input, { headers, signal: timeout.signal });
        if (!response.ok || response.body === null) throw await errorFrom(response);
        return { body: response.body, timeout };
      } catch (error) {
        timeout.end();
        throw error;
      }
    };
    const { body, timeout: silence } = await repeat(contract.method === "get", begin);
    try {
      const reader = body.pipeThrough(silence.broken()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    } catch (error) {
      throw error instanceof KernelBotError ? error : unreachable(error);
    } finally {
      silence.end();
    }
  }

  return { errorFrom, followEvents, parseResponse, request, send, sendOnce, streamBytes };
}

function timeoutOf({ bodyLimit = DEFAULT_BODY }: Contract): number {
  return bodyLimit.maxBytes > DEFAULT_BODY.maxBytes ? LARGE_BODY_TIMEOUT_MS : RESPONSE_TIMEOUT_MS;
}

/** The server did not respond at all, unlike a response with code `unavailable`. */
class Unreachable extends KernelBotError {}

/** Returns the pause before a request is repeated, in milliseconds; null if repeating it does not help. */
function pauseAfter(error: KernelBotError, tries: number): number | null {
  if (error instanceof Unreachable) return RETRY_MS[tries] ?? null;
  const { retryAfterS } = error;
  return retryAfterS === undefined ? null : Math.max(1000 * retryAfterS, Math.min(2_000, 100 * 2 ** tries));
}

function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name))
    return "it did not respond in time";
  return cause instanceof Error && cause.message !== "" ? cause.message : "the connection failed";
}

/** Reads the whole body of a response, so that a connection failure within it is detected here. */
async function withBody(response: Response, unreachable: (error: unknown) => Unreachable): Promise<Response> {
  try {
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } catch (error) {
    throw unreachable(error);
  }
}

/** Aborts its signal after a period without data. */
class SilenceTimeout {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Passes chunks through; each chunk restarts the timeout. */
  broken(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.end();
        this.#timer = this.#start();
        controller.enqueue(chunk);
      },
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start() {
    return setTimeout(() => this.#controller.abort(), this.#ms);
  }
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
