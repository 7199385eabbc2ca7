import { openAsBlob } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { addressOf, outputSchema, type Address, type Contract, type Output } from "@kernelbot/api";
import { runner } from "@kernelbot/api/runner";
import {
  parseRetryAfter,
  MAX_ARTIFACT_BYTES,
  type Artifact,
  type CanaryReport,
  type CanaryResponse,
  type Claimed,
  type ClaimRequest,
  type ClaimResponse,
  type Problem,
  type ReportResponse,
  type RunnerCheck,
  type RunnerCheckRequest,
} from "@kernelbot/core";
import { z } from "zod";
import type { Log } from "../log.ts";
import { reasonOf, sendRequest, type HttpResponse } from "./http-request.ts";

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
class TemporaryFailure extends Error {
  /** Delay that the server requested before a retry, in milliseconds. */
  readonly waitMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

interface ApiRequest<C extends Contract> {
  contract: C;
  address: Address<C>;
  /** Encoded body. */
  body?: string | Blob;
  /** Media type of the body; JSON by default. */
  mediaType?: string;
  timeoutMs?: number;
}

/**
 * Client of the runner's API. Requests are retried until they are answered, without limit; all of them are idempotent.
 * @throws Refusal when the server rejects a request; the signal's reason when it is aborted.
 */
export class ServerClient {
  readonly #server: URL;
  readonly #token: string;
  readonly #log: Log;
  readonly #onAnswer: () => void;
  /** Start of the current outage, in ms since 1970; undefined while the server responds. */
  #failingSince: number | undefined;

  /** @param onAnswer Called whenever the server has answered a request. */
  constructor(server: URL, token: string, log: Log, onAnswer: () => void = () => {}) {
    this.#server = server;
    this.#token = token;
    this.#log = log;
    this.#onAnswer = onAnswer;
  }

  /** Exchanges the client's proof of identity for the token of its launch. */
  async join(signal: AbortSignal): Promise<string> {
    return (await this.#send({ contract: runner.join, address: {} }, signal)).token;
  }

  /**
   * Returns whether the server would accept this runner. Tries once.
   * @throws Refusal when it would not; another error when the server does not answer.
   */
  check(request: RunnerCheckRequest, signal: AbortSignal): Promise<RunnerCheck> {
    return this.#sendOnce({ contract: runner.check, address: {}, body: JSON.stringify(request) }, signal);
  }

  /**
   * Claims a run. Undefined when no run was queued within `request.waitMs`; a command when the runner should do
   * something else.
   */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<ClaimResponse | undefined> {
    const timeoutMs = request.waitMs + ANSWER_TIMEOUT_MS;
    return this.#send({ contract: runner.claim, address: {}, body: JSON.stringify(request), timeoutMs }, signal);
  }

  /** Reports the times of the canary. */
  canary(report: CanaryReport, signal: AbortSignal): Promise<CanaryResponse> {
    return this.#send({ contract: runner.reportCanary, address: {}, body: JSON.stringify(report) }, signal);
  }

  /** Fetches a problem version. */
  problem(version: string, signal: AbortSignal): Promise<Problem> {
    return this.#send({ contract: runner.problem, address: { params: { version } } }, signal);
  }

  /** Sends a report. `report` is a `Report` as JSON, so each event is serialised only once. */
  report(runId: number, report: string, signal: AbortSignal): Promise<ReportResponse> {
    return this.#send({ contract: runner.report, address: { params: { id: runId } }, body: report }, signal);
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
      throw new Error(`${name} has ${body.size} bytes; the maximum for an artifact is ${MAX_ARTIFACT_BYTES}`);
    const address = { params: { id: runId, name }, query: { attempt } };
    const upload = { contract: runner.uploadArtifact, address, body, mediaType, timeoutMs: UPLOAD_TIMEOUT_MS };
    return this.#send(upload, signal);
  }

  async #send<C extends Contract>(request: ApiRequest<C>, signal: AbortSignal): Promise<Output<C>> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        const answer = await this.#sendOnce(request, signal);
        this.#recordSuccess();
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof TemporaryFailure)) throw error;
        this.#recordFailure(error);
        // Half of the pause is jitter, so that runners do not reconnect to a restarted server all at once.
        await delay(Math.max(error.waitMs, pauseMs * (0.5 + Math.random() / 2)), undefined, { signal });
      }
    }
  }

  async #sendOnce<C extends Contract>(request: ApiRequest<C>, signal: AbortSignal): Promise<Output<C>> {
    const { contract, address } = request;
    // AbortSignal.timeout and any are avoided: each leaves a listener on a signal that lives as long as the runner.
    const giveUp = new AbortController();
    const timer = setTimeout(
      () => giveUp.abort(new Error("no response in time")),
      request.timeoutMs ?? ANSWER_TIMEOUT_MS,
    );
    const abort = (): void => giveUp.abort(signal.reason);
    signal.addEventListener("abort", abort);
    let response: HttpResponse;
    try {
      response = await sendRequest(new URL(`api/v1${addressOf(contract, address)}`, this.#server), {
        method: contract.method.toUpperCase(),
        headers: { authorization: `Bearer ${this.#token}`, "content-type": request.mediaType ?? "application/json" },
        ...(request.body !== undefined && { body: request.body }),
        signal: giveUp.signal,
      });
    } catch (error) {
      throw new TemporaryFailure(`${this.#server.origin} cannot be reached (${reasonOf(error)})`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
    const { status, text } = response;
    if (status < 200 || status >= 300) throw this.#failure(contract, response);
    if (status === 204) return undefined as Output<C>;
    const parsed = outputSchema(contract)?.safeParse(parseJson(text));
    if (!parsed?.success)
      throw new TemporaryFailure(`${this.#server.origin} returned a response that is not of KernelBot`);
    return parsed.data as Output<C>;
  }

  #failure({ method }: Contract, { status, statusText, headers, text }: HttpResponse): Refusal | TemporaryFailure {
    const detail = z.object({ detail: z.string() }).safeParse(parseJson(text)).data?.detail ?? statusText;
    const message = `${this.#server.origin} returned ${status}: ${detail}`;
    if (status >= 300 && status < 400) {
      const location = headers.location ?? "another address";
      return new Refusal(status, `${this.#server.origin} redirects to ${location}: use that address for --server`);
    }
    // 413 is temporary for reports: the connection is unusable, and a repeated batch may be smaller. An artifact stays
    // the same.
    if (status >= 500 || [408, 425, 429].includes(status) || (status === 413 && method !== "put")) {
      return new TemporaryFailure(message, parseRetryAfter(headers["retry-after"]) ?? 0);
    }
    return new Refusal(status, message);
  }

  #recordFailure(failure: TemporaryFailure): void {
    if (this.#failingSince !== undefined) return;
    this.#failingSince = Date.now();
    this.#log(`${failure.message}; retrying`);
  }

  #recordSuccess(): void {
    this.#onAnswer();
    if (this.#failingSince === undefined) return;
    this.#log(`the server responds again after ${((Date.now() - this.#failingSince) / 1000).toFixed(1)} s`);
    this.#failingSince = undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
