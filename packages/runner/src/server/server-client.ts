import { openAsBlob } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  Artifact,
  type CanaryReport,
  CanaryResponse,
  ClaimResponse,
  type Claimed,
  type ClaimRequest,
  MAX_ARTIFACT_BYTES,
  Problem,
  ReportResponse,
  RunnerToken,
} from "@kernelbot/core";
import { z } from "zod";
import type { Log } from "../log.ts";

/** Timeout of a response in ms, in addition to the time for which the server may hold the request. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Timeout of an artifact's upload in ms: the largest artifact at 1 Mbit/s. */
const UPLOAD_TIMEOUT_MS = (MAX_ARTIFACT_BYTES * 8) / 1000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Permanent rejection by the server; a retry would not change it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** Temporary failure that a retry may resolve: the server is restarting or busy, or a proxy responds in its place. */
class Trouble extends Error {
  /** Delay that the server requested before a retry, in milliseconds. */
  readonly waitMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

interface Question<T> {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: string | Blob;
  /** Media type of the body; JSON by default. */
  mediaType?: string;
  timeoutMs?: number;
  answer: z.ZodType<T>;
}

/**
 * Client of the runner's API. Requests are retried until they are answered, without limit; all of them are idempotent.
 * @throws Refusal when the server rejects a request; the signal's reason when it is aborted.
 */
export class ServerClient {
  readonly #server: URL;
  readonly #token: string;
  readonly #log: Log;
  /** Start of the current outage, in ms since 1970; undefined while the server responds. */
  #troubledSince: number | undefined;

  constructor(server: URL, token: string, log: Log) {
    this.#server = server;
    this.#token = token;
    this.#log = log;
  }

  /** Exchanges the client's proof of identity for the token of its launch. */
  async join(signal: AbortSignal): Promise<string> {
    return (await this.#ask({ method: "POST", path: "join", answer: RunnerToken }, signal)).token;
  }

  /**
   * Claims a run. Null when no run was queued within `request.waitMs`; a command when the runner should do something
   * else.
   */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<ClaimResponse | null> {
    const question = {
      method: "POST",
      path: "claim",
      body: JSON.stringify(request),
      timeoutMs: request.waitMs + ANSWER_TIMEOUT_MS,
      answer: ClaimResponse.nullable(),
    } as const;
    return this.#ask(question, signal);
  }

  canary(report: CanaryReport, signal: AbortSignal): Promise<CanaryResponse> {
    return this.#ask({ method: "POST", path: "canary", body: JSON.stringify(report), answer: CanaryResponse }, signal);
  }

  problem(version: string, signal: AbortSignal): Promise<Problem> {
    return this.#ask({ method: "GET", path: `problems/${encodeURIComponent(version)}`, answer: Problem }, signal);
  }

  /** Sends a report. `report` is a `Report` as JSON, so each event is serialised only once. */
  report(runId: number, report: string, signal: AbortSignal): Promise<ReportResponse> {
    return this.#ask({ method: "POST", path: `runs/${runId}/report`, body: report, answer: ReportResponse }, signal);
  }

  /**
   * Uploads an artifact of an attempt from its file. @throws also when the file cannot be read, or exceeds the size
   * limit.
   */
  async artifact(
    { runId, attempt }: Pick<Claimed, "runId" | "attempt">,
    { name, mediaType }: Pick<Artifact, "name" | "mediaType">,
    file: string,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const body = await openAsBlob(file);
    if (body.size > MAX_ARTIFACT_BYTES)
      throw new Error(`${name} has ${body.size} bytes, more than an artifact may have`);
    const path = `runs/${runId}/artifacts/${name}?attempt=${attempt}`;
    return this.#ask({ method: "PUT", path, body, mediaType, timeoutMs: UPLOAD_TIMEOUT_MS, answer: Artifact }, signal);
  }

  async #ask<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        const answer = await this.#askOnce(question, signal);
        this.#well();
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Trouble)) throw error;
        this.#trouble(error);
        // Half of the pause is jitter, so that runners do not reconnect to a restarted server all at once.
        await delay(Math.max(error.waitMs, pauseMs * (0.5 + Math.random() / 2)), undefined, { signal });
      }
    }
  }

  async #askOnce<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    // AbortSignal.timeout and any are avoided: each leaves a listener on a signal that lives as long as the runner.
    const giveUp = new AbortController();
    const timer = setTimeout(
      () => giveUp.abort(new Error("no answer in time")),
      question.timeoutMs ?? ANSWER_TIMEOUT_MS,
    );
    const abort = (): void => giveUp.abort(signal.reason);
    signal.addEventListener("abort", abort);
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(`api/v1/runner/${question.path}`, this.#server), {
        method: question.method,
        headers: { authorization: `Bearer ${this.#token}`, "content-type": question.mediaType ?? "application/json" },
        body: question.body ?? null,
        // The token must not be sent to another server.
        redirect: "manual",
        signal: giveUp.signal,
      });
      text = await response.text();
    } catch (error) {
      throw new Trouble(`${this.#server.origin} cannot be reached (${reasonOf(error)})`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
    if (!response.ok) throw this.#complaint(question, response, text);
    const parsed = question.answer.safeParse(response.status === 204 ? null : parseJson(text));
    if (!parsed.success) throw new Trouble(`${this.#server.origin} answers what no KernelBot server does`);
    return parsed.data;
  }

  #complaint({ method }: Question<unknown>, response: Response, text: string): Refusal | Trouble {
    const { status } = response;
    const detail = z.object({ detail: z.string() }).safeParse(parseJson(text)).data?.detail ?? response.statusText;
    const sentence = `${this.#server.origin} answers ${status}: ${detail}`;
    if (status >= 300 && status < 400) {
      const place = response.headers.get("location") ?? "elsewhere";
      return new Refusal(status, `${this.#server.origin} leads to ${place}: give its final address to --server`);
    }
    // 413 is temporary for reports: the connection is unusable, and a repeated batch may be smaller. An artifact stays
    // the same.
    if (status >= 500 || [408, 425, 429].includes(status) || (status === 413 && method !== "PUT")) {
      return new Trouble(sentence, 1000 * (Number(response.headers.get("retry-after")) || 0));
    }
    return new Refusal(status, sentence);
  }

  #trouble(trouble: Trouble): void {
    if (this.#troubledSince !== undefined) return;
    this.#troubledSince = Date.now();
    this.#log(`${trouble.message}; trying until it answers`);
  }

  #well(): void {
    if (this.#troubledSince === undefined) return;
    this.#log(`the server is back after ${((Date.now() - this.#troubledSince) / 1000).toFixed(1)} s`);
    this.#troubledSince = undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the reason of a failed fetch, which is in its cause, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.message;
}
