/** Fake HTTP server for tests: its responses are typed by core's schemas, and its requests are recorded. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson, text } from "node:stream/consumers";
import {
  KernelBotError,
  type Board,
  type BoardSummary,
  type ErrorCode,
  type LogEvent,
  type ProblemDetail,
  type PublicKey,
  type RunDetail,
  type Submission,
  type SubmitRequest,
} from "@kernelbot/core";

export const TOKEN = "kb_test_token";

export interface World {
  /** The only problem with all its details. */
  problem?: ProblemDetail;
  boards: BoardSummary[];
  board: Board | null;
  /** The only submission, in its current state. */
  submission: Submission;
  runs: RunDetail[];
  /** Events of the stream, which stays open after them unless the last one ends the submission. */
  events: LogEvent[];
  source: string;
  /** Receipt of every run, sent unchanged; null for none. */
  receipt: string | null;
  keys: PublicKey[];
  /** Artifacts of all runs, by name. */
  artifacts?: Record<string, string>;
  /** Responses to other requests, by method and path. */
  answers?: Record<string, unknown>;
  /** Streams that are sent completely and then disconnected, one per request, by method and path. */
  streams?: Record<string, { id: number; data: unknown }[][]>;
  /** Responses with these errors before the regular ones, by method and path. */
  refusals?: Record<string, { code: ErrorCode; retryAfterS?: number }[]>;
}

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** Body of requests that `answers` responds to. */
  body?: unknown;
}

export interface FakeServer extends AsyncDisposable {
  url: string;
  requests: Asked[];
  submitted: SubmitRequest[];
  /** Resolves when a reader of events has disconnected. */
  streamClosed: Promise<undefined>;
}

/** Starts the server on a free local port. */
export async function startFakeServer(world: World): Promise<FakeServer> {
  const requests: Asked[] = [];
  const submitted: SubmitRequest[] = [];
  const streamClosed = Promise.withResolvers<undefined>();

  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    const ask: Asked = { method: request.method ?? "", path, headers: request.headers };
    requests.push(ask);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const refuse = (status: number, code: string, detail: string) => answer(status, { code, detail });
    const { id } = world.submission;
    const route = `${request.method} ${path}`;
    const fixed = world.answers?.[route];

    if (route === "GET /problems") {
      return answer(200, {
        problems: [{ name: "vectoradd", targets: ["cpu", "H100"], version: "abc", competition: null }],
      });
    }
    const { problem } = world;
    if (problem !== undefined && route === `GET /problems/${problem.spec.name}`) return answer(200, problem);
    if (route === "GET /boards") return answer(200, { boards: world.boards });
    if (route.startsWith("GET /boards/")) {
      return world.board === null ? refuse(404, "not_found", "There is no such board.") : answer(200, world.board);
    }
    if (route === "GET /keys") return answer(200, { keys: world.keys });
    if (route.startsWith("GET /runs/") && route.endsWith("/receipt")) {
      if (world.receipt === null) return refuse(404, "not_found", "There is no such receipt.");
      return response.writeHead(200, { "content-type": "application/json" }).end(world.receipt);
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return refuse(401, "unauthorized", "This needs a token.");
    }
    const refusal = world.refusals?.[route]?.shift();
    if (refusal !== undefined) {
      const { code, retryAfterS } = refusal;
      if (retryAfterS !== undefined) response.setHeader("retry-after", String(retryAfterS));
      return refuse(new KernelBotError(code, "").status, code, "Not now.");
    }
    const stream = world.streams?.[route]?.shift();
    if (stream !== undefined) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join(""));
      setImmediate(() => response.destroy());
      return;
    }
    if (fixed !== undefined) {
      void text(request).then((body) => {
        if (body !== "") ask.body = JSON.parse(body);
        answer(200, fixed);
      });
      return;
    }
    if (route === "POST /submissions") {
      void readJson(request).then((body) => {
        submitted.push(body as SubmitRequest);
        answer(202, world.submission);
      });
      return;
    }
    if (route === "GET /account") {
      const account = { id: "a", name: "ada", roles: [], banReason: null, scopes: ["submit", "read"] };
      return answer(200, account);
    }
    if (path.startsWith("/submissions?")) return answer(200, { submissions: [world.submission] });
    if (route === `GET /submissions/${id}`) return answer(200, world.submission);
    if (route === `POST /submissions/${id}/cancel`) return answer(200, world.submission);
    if (route === `GET /submissions/${id}/source`) return response.end(world.source);
    if (route === `GET /submissions/${id}/events`) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.once("close", () => streamClosed.resolve(undefined));
      response.write(world.events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
      if (world.events.at(-1)?.event.type === "submission_finished") response.end();
      return;
    }
    if (route === "POST /problems/vectoradd/close") {
      return answer(200, { name: "vectoradd", closedAt: "2026-03-01T12:00:00.000Z" });
    }
    const [, name] = /^\/runs\/\d+\/artifacts\/(.+)$/.exec(path) ?? [];
    if (name !== undefined) return response.end(world.artifacts?.[name]);
    const run = world.runs.find((run) => route === `GET /runs/${run.id}`);
    return run === undefined ? refuse(404, "not_found", `There is no ${path}.`) : answer(200, run);
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    submitted,
    streamClosed: streamClosed.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
