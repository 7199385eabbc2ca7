/** In-memory fake of the server's runner API, with faults on demand, for tests. */
import { EventEmitter, once } from "node:events";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  CanaryReport,
  ClaimRequest,
  hardwareMismatch,
  type Claimed,
  type JudgeEvent,
  type RunnerCommand,
  type Problem,
  RunReport,
  RunnerCheckRequest,
} from "@kernelbot/core";

/** Response of the server; null to break the connection before it is sent. */
type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | null;

type Waiting = Partial<Claimed> & Pick<Claimed, "runId" | "source">;

/** Seed of every run that is leased. */
export const SEED = "5eed".repeat(16);

interface Emits {
  claim: [ClaimRequest];
  canary: [CanaryReport];
  report: [runId: number, RunReport];
  queued: [];
}

export class FakeServer extends EventEmitter<Emits> implements AsyncDisposable {
  readonly problems = new Map<string, Problem>();
  /** Stored events of each run, in order. */
  readonly stored = new Map<number, JudgeEvent[]>();
  /** Uploaded artifacts, by `RUN/NAME`. */
  readonly artifacts = new Map<string, Buffer>();
  readonly cancelled = new Set<number>();
  /** Commands returned to the next claims, one each, before any run. */
  readonly orders: RunnerCommand[] = [];
  /** Requests in order, such as `POST claim`. */
  readonly requests: string[] = [];
  /** Called before a request is handled. A returned response is sent instead of handling it. */
  before: (request: string) => Answer | undefined = () => undefined;
  /** Called after a request is handled. A returned response is sent instead of the real one. */
  after: (request: string) => Answer | undefined = () => undefined;
  readonly #queue: Waiting[] = [];
  readonly #attempts = new Map<number, number>();
  #server: Server | undefined;
  #port = 0;

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/`);
  }

  /** Starts listening; after a restart on the same port. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then((answer) => {
        if (answer === null) return request.socket.destroy();
        response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
        response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
      });
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Closes all connections and stops listening; stored data is kept. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server?.listening !== true) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Adds a run to the queue. */
  enqueue(run: Waiting): void {
    this.#queue.push(run);
    this.emit("queued");
  }

  /** Leases a run as if it had been claimed. */
  lend(run: Waiting): Claimed {
    const defaults = {
      attempt: 1,
      leaseMs: 30_000,
      mode: "test",
      target: "cpu",
      problemVersion: "v1",
      account: "ann",
      language: "py",
      seed: SEED,
    } as const;
    const claimed = { ...defaults, ...run };
    this.#attempts.set(claimed.runId, claimed.attempt);
    this.stored.set(claimed.runId, []);
    return claimed;
  }

  /** Leases a run to another attempt: further reports of the earlier attempt are rejected as stale. */
  supersede(runId: number): void {
    this.#attempts.set(runId, (this.#attempts.get(runId) ?? 0) + 1);
  }

  /** Resolves once an event of this type is stored for the run. */
  async until(runId: number, type: JudgeEvent["type"]): Promise<void> {
    while (!(this.stored.get(runId) ?? []).some((event) => event.type === type)) await once(this, "report");
  }

  async #answer(message: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    if (message.url === "/healthz") return { status: 200, body: { ok: true } };
    const path = (message.url ?? "").replace("/api/v1/runner/", "");
    const request = `${message.method ?? ""} ${path}`;
    this.requests.push(request);
    if (message.headers.authorization !== "Bearer secret") {
      return { status: 401, body: { detail: "this token is not known, or was revoked" } };
    }
    const early = this.before(request);
    if (early !== undefined) return early;
    const body = Buffer.concat(chunks);
    const answer = path.includes("/artifacts/")
      ? this.#artifact(path, message.headers["content-type"], body)
      : await this.#handle(path, body.toString());
    const late = this.after(request);
    return late === undefined ? answer : late;
  }

  async #handle(path: string, body: string): Promise<Answer> {
    const [room, id = "", verb] = path.split("/");
    if (room === "check") {
      const { target, machine } = RunnerCheckRequest.parse(JSON.parse(body));
      const refusal = machine === null ? null : hardwareMismatch(target, machine);
      return refusal === null
        ? { status: 200, body: { tokenExpiresAt: "2030-01-31T12:00:00.000Z" } }
        : { status: 403, body: { detail: refusal } };
    }
    if (room === "claim") return this.#claim(ClaimRequest.parse(JSON.parse(body)));
    if (room === "canary") {
      this.emit("canary", CanaryReport.parse(JSON.parse(body)));
      return { status: 200, body: { message: "noted" } };
    }
    if (room === "problems") {
      const problem = this.problems.get(id);
      return problem === undefined
        ? { status: 404, body: { detail: "no such version" } }
        : { status: 200, body: problem };
    }
    if (room === "runs" && verb === "report") return this.#report(Number(id), RunReport.parse(JSON.parse(body)));
    return { status: 404, body: { detail: `there is nothing at ${path}` } };
  }

  async #claim(request: ClaimRequest): Promise<Answer> {
    this.emit("claim", request);
    const order = this.orders.shift();
    if (order !== undefined) return { status: 200, body: order };
    if (this.#queue.length === 0) await Promise.race([once(this, "queued"), delay(request.waitMs)]);
    const run = this.#queue.shift();
    return run === undefined ? { status: 204 } : { status: 200, body: this.lend(run) };
  }

  #artifact(path: string, mediaType: string | undefined, body: Buffer): Answer {
    const [, runId, name, attempt] = /^runs\/(\d+)\/artifacts\/([\w.-]+)\?attempt=(\d+)$/.exec(path) ?? [];
    if (this.#attempts.get(Number(runId)) !== Number(attempt)) {
      return { status: 409, body: { detail: "this attempt is over" } };
    }
    this.artifacts.set(`${runId}/${name}`, body);
    const sha256 = createHash("sha256").update(body).digest("hex");
    return { status: 200, body: { name, mediaType, sizeBytes: body.length, sha256 } };
  }

  #report(runId: number, report: RunReport): Answer {
    const stored = this.stored.get(runId);
    if (stored === undefined || report.attempt !== this.#attempts.get(runId)) {
      return { status: 409, body: { detail: "this attempt is over" } };
    }
    if (report.from > stored.length) return { status: 422, body: { detail: "events are missing before these" } };
    stored.push(...report.events.slice(stored.length - report.from));
    this.emit("report", runId, report);
    return { status: 200, body: { received: stored.length, cancelled: this.cancelled.has(runId) } };
  }
}
