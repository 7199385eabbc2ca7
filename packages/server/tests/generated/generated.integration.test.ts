/**
 * Ten thousand seeded requests, valid and invalid, to every route and from every kind of caller: each is answered or
 * rejected with a documented error, and the server keeps working. A failure prints the seed and the request.
 */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError, CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../../src/competitions/change.ts";
import { authenticate } from "../../src/auth/tokens.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { request, submitted } from "@kernelbot/testing/fixtures.ts";
import { entered, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { VISITORS, visitorsOf, type Tokens, type Visitor } from "@kernelbot/testing/visitors.ts";
import { Random } from "./random.ts";
import { ApiDocument, requestBy, waysOf, wayTo, type Asked, type Way } from "./requests.ts";
import type { Known } from "./values.ts";

/** Seeds; each runs against a server of its own, because requests change its state. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const REQUESTS = 1_000;
const AT_ONCE = 8;

/**
 * `/admin/stop` would make all later requests fail with 503; the other routes revoke the tokens that all requests use.
 */
const LEFT_OUT = ["POST /admin/stop", "POST /api/v1/sign-out", "POST /api/v1/tokens/{id}/revoke"];

/** Responses that are not JSON: pages, plain text, and the linking instructions of the popcorn client. */
const IN_WORDS = /^text\/(html|plain)/;

/** Text that an error response must not contain: file paths and internals of the server. */
const INSIDES = new RegExp(
  `${join(import.meta.dirname, "../../../..")}|node_modules|node:internal|\\.ts:\\d|PostgresError|\\n +at `,
);

/** Server of problem archives; it has none. */
let archives: Server;
beforeAll(async () => {
  archives = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  await once(archives, "listening");
});
afterAll(() => archives.close());

interface Scene {
  testServer: TestServer;
  tokens: Tokens;
  known: Known;
  document: ApiDocument;
  ways: Way[];
}

async function scene(): Promise<Scene> {
  const testServer = await openTestServer({ archives: `http://127.0.0.1:${(archives.address() as AddressInfo).port}` });
  const { database, app } = testServer;
  const tokens = await visitorsOf(testServer);
  const organiser = await authenticate(database, tokens.organiser ?? "");
  const dates = { startsAt: inHours(-1), endsAt: inHours(1) };
  const spec = CompetitionSpec.parse({ name: "spring", title: "Spring", problems: ["triple"], ...dates });
  await createCompetition(database, organiser, spec);
  const owner = await authenticate(database, tokens.owner ?? "");
  const numbers: number[] = [];
  for (const mode of ["test", "ranked", "profile"] as const) numbers.push(await submitted(database, owner, { mode }));
  await withSuite(database, organiser);
  numbers.push((await entered(database, owner)).id);
  const document = ApiDocument.parse(await (await testServer.ask("/api/v1/openapi.json")).json());
  const described = waysOf(document).filter(({ method, path }) => !LEFT_OUT.includes(`${method} ${path}`));
  const routes = app.routes.filter(
    ({ method, path }) => !path.startsWith("/api/v1/") && method !== "ALL" && !LEFT_OUT.includes(`${method} ${path}`),
  );
  const others = routes.map(({ method, path }) => wayTo(method, path));
  const words = [
    "double",
    "triple",
    "cpu",
    "H100",
    "test",
    "leaderboard",
    "spring",
    "tiny",
    "set/double",
    "owner",
    owner.account.id,
  ];
  return { testServer, tokens, known: { words, numbers }, document, ways: [...described, ...described, ...others] };
}

/** Sends the request. Returns the status of the response, and its fault if it has one. */
async function answered(
  { app }: TestServer,
  request: Asked,
  who: Visitor,
  token: string | undefined,
): Promise<{ status: number; fault?: string }> {
  const headers = new Headers(request.headers);
  const named = headers.has("x-popcorn-cli-id") || who === "none";
  if (token !== undefined && !named) headers.set("authorization", `Bearer ${token}`);
  const { method, path, body } = request;
  const response = await app.request(path, { method, headers, ...(body !== undefined && { body }) });
  const { status } = response;
  if (status < 400) {
    // Some responses are endless streams.
    await response.body?.cancel();
    return { status };
  }
  const text = await response.text();
  if (status >= 500) return { status, fault: text };
  if (INSIDES.test(text)) return { status, fault: `reveals server internals: ${text}` };
  if (IN_WORDS.test(response.headers.get("content-type") ?? "") || method === "HEAD") return { status };
  const refusal = ApiError.safeParse(JSON.parse(text));
  return { status, ...(!refusal.success && { fault: `no refusal of ours: ${text}` }) };
}

test.each(SEEDS)("a thousand requests by seed %i are answered or refused, and the server continues", async (seed) => {
  const { testServer: opened, tokens, known, document, ways } = await scene();
  // Disposed also where the test fails: later tests need its database connections.
  await using testServer = opened;
  const random = new Random(seed);
  const faults: unknown[] = [];
  let accepted = 0;
  const left = Array.from({ length: REQUESTS }, () => {
    const way = random.pick(ways);
    const request = requestBy(random, way, document.components.schemas, known, random.pick([0, 0.3, 0.8]));
    return { request, who: visitorTo(way, random) };
  });
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const { request: request, who } = one;
      const { status, fault } = await answered(testServer, request, who, tokens[who]);
      if (status < 400) accepted += 1;
      if (fault !== undefined)
        faults.push({ seed, who, status, fault, request: inspect(request, { maxStringLength: 300 }) });
    }
  });
  await Promise.all(workers);
  const logged = testServer.logged.filter((line) => line.includes("request failed"));
  expect(faults, logged.join("")).toEqual([]);
  // Otherwise most requests were rejected before they reached the handlers.
  expect(accepted).toBeGreaterThan(REQUESTS / 10);
  await expectAtWork(testServer, tokens);
});

/** Chooses mostly a caller with permission, so that requests reach the handlers. */
function visitorTo({ path }: Way, random: Random): Visitor {
  if (random.chance(0.4)) return random.pick(VISITORS);
  return path.startsWith("/api/v1/runner/") ? "runner" : "administrator";
}

/** Checks that the server still works after the requests: a board can be created and accepts a submission. */
async function expectAtWork(testServer: TestServer, { administrator }: Tokens): Promise<void> {
  const post = (path: string, body: unknown) =>
    testServer.ask(path, administrator, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await post("/admin/leaderboards", { directory: "set/double" })).status).toBe(200);
  expect((await post("/api/v1/submissions", request())).status).toBe(202);
}
