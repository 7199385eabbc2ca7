import { openAsBlob } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  Artifact,
  type CanaryReport,
  CanaryTaken,
  ClaimAnswer,
  type Claimed,
  type ClaimRequest,
  MAX_ARTIFACT_BYTES,
  Problem,
  Reported,
  RunnerToken,
} from "@kernelbot/core";
import { z } from "zod";
import type { Log } from "./log.ts";

/** How long an answer may take beyond the time that the server was allowed to hold the question. */
const ANSWER_TIMEOUT_MS = 30_000;
/** How long an artifact may take on its way: the largest one at one megabit a second. */
const UPLOAD_TIMEOUT_MS = (MAX_ARTIFACT_BYTES * 8) / 1000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** The server said no, and to ask again would not change that. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** Asking again may help: the server is restarting, busy, or a proxy before it answers in its place. */
class Trouble extends Error {
  /** How long the server asked us to wait, in milliseconds. */
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
  /** The media type of the body; JSON unless given. */
  mediaType?: string;
  timeoutMs?: number;
  answer: z.ZodType<T>;
}

/**
 * The server as a runner sees it. A question is asked until it is answered, however long the server is away: all of them
 * may be repeated without harm.
 * @throws Refusal when the server understood and declined; the signal's reason when it is aborted.
 */
export class ServerClient {
  readonly #server: URL;
  readonly #token: string;
  readonly #log: Log;
  /** When the present trouble began; undefined while all is well. */
  #troubledSince: number | undefined;

  constructor(server: URL, token: string, log: Log) {
    this.#server = server;
    this.#token = token;
    this.#log = log;
  }

  /** The token of the launch that the token of this client is a proof of. */
  async join(signal: AbortSignal): Promise<string> {
    return (await this.#ask({ method: "POST", path: "join", answer: RunnerToken }, signal)).token;
  }

  /** Null when nothing waited for `request.waitMs`; an order where there is something else to do. */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer | null> {
    const question = {
      method: "POST",
      path: "claim",
      body: JSON.stringify(request),
      timeoutMs: request.waitMs + ANSWER_TIMEOUT_MS,
      answer: ClaimAnswer.nullable(),
    } as const;
    return this.#ask(question, signal);
  }

  canary(report: CanaryReport, signal: AbortSignal): Promise<CanaryTaken> {
    return this.#ask({ method: "POST", path: "canary", body: JSON.stringify(report), answer: CanaryTaken }, signal);
  }

  problem(version: string, signal: AbortSignal): Promise<Problem> {
    return this.#ask({ method: "GET", path: `problems/${encodeURIComponent(version)}`, answer: Problem }, signal);
  }

  /** `report` is a `Report` as JSON: its events are serialised once, when they happen. */
  report(runId: number, report: string, signal: AbortSignal): Promise<Reported> {
    return this.#ask({ method: "POST", path: `runs/${runId}/report`, body: report, answer: Reported }, signal);
  }

  /** Sends an artifact of an attempt from its file. @throws also when the file cannot be read, or is larger than may be sent. */
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
        // Half of the pause by chance, so that the runners of a restarted server do not come all at once.
        await delay(Math.max(error.waitMs, pauseMs * (0.5 + Math.random() / 2)), undefined, { signal });
      }
    }
  }

  async #askOnce<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    // Not AbortSignal.timeout and any: each leaves something on a signal that lives as long as the runner.
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
        // The token is for this server only.
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
    // 413 is trouble because a connection that it was said on is unusable, and a batch that is sent again may differ; an
    // artifact does not.
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

/** The reason of a failed fetch stands in its cause: `ECONNREFUSED` and its like. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.message;
}
