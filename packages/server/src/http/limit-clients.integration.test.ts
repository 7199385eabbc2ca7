import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { ApiError } from "@kernelbot/core";
import { NO_CLIENT_LIMITS, type ClientLimits } from "./clients/limits.ts";
import { MACHINE } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

/** Opens a server on a socket with these limits. */
async function limited(limits: Partial<ClientLimits>, proxies = 0): Promise<TestServer> {
  const testServer = await openTestServer({
    listening: true,
    clientLimits: { ...NO_CLIENT_LIMITS, ...limits },
    site: { proxies },
  });
  onTestFinished(() => testServer[Symbol.asyncDispose]());
  return testServer;
}

/** Opens a separate connection, which stays open between requests. */
function connection(testServer: TestServer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  // A stream that is still open at the end of a test ends with its connection.
  const begin = (path: string, options: RequestOptions = {}): ClientRequest =>
    request(`${testServer.url}${path}`, { agent, ...options }).on("error", () => undefined);
  return {
    begin,
    /** Returns the head of a response; `said` reads its body. */
    async get(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
      const [answer] = (await once(begin(path, { headers }).end(), "response")) as [IncomingMessage];
      return answer;
    },
    async status(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
      const answer = await this.get(path, headers);
      await text(answer);
      return answer.statusCode;
    },
    close: () => agent.destroy(),
  };
}

async function refusalOf(answer: IncomingMessage): Promise<[number | undefined, string | undefined, string]> {
  const { detail } = ApiError.parse(JSON.parse(await text(answer)));
  return [answer.statusCode, answer.headers["retry-after"], detail];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const BOARDS = "/api/v1/boards";

test("an address with too many connections is rejected, except for health checks and signed-in callers", async () => {
  const testServer = await limited({ connections: 3 });
  const token = await testServer.token("ann");
  const open = [connection(testServer), connection(testServer), connection(testServer)];
  for (const each of open) expect(await each.status(BOARDS)).toBe(200);
  const refused = await connection(testServer).get(BOARDS);
  expect(refused.headers.connection).toBe("close");
  expect(await refusalOf(refused)).toEqual([429, "5", expect.stringMatching(/more than 3 connections open/)]);
  expect(await connection(testServer).status("/healthz")).toBe(200);
  expect(await connection(testServer).status(BOARDS, bearer(token))).toBe(200);
  open[0]?.close();
  await expect.poll(() => connection(testServer).status(BOARDS)).toBe(200);
});

test("closes connections of an address beyond four times its limit immediately", async () => {
  const testServer = await limited({ connections: 2 });
  const { port } = new URL(testServer.url);
  const sockets = Array.from({ length: 9 }, () => connect(Number(port), "127.0.0.1"));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const closed = await Promise.race(sockets.map((socket) => once(socket.resume(), "close").then(() => socket)));
  expect(sockets).toContain(closed);
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(8);
});

test("long polls of runners behind one address are not limited", async () => {
  const testServer = await limited({ connections: 5, streams: 1, uploads: 1, requests: 1 });
  const token = await testServer.token("fleet", ["runner"], ["cpu"]);
  const claims = Array.from({ length: 20 }, (_, at) =>
    fetch(`${testServer.url}/api/v1/runner/claim`, {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify({ target: "cpu", runner: `box-${at}`, machine: MACHINE, waitMs: 500 }),
    }),
  );
  // Nothing is queued, so each long poll lasts its full time.
  expect((await Promise.all(claims)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 204));
});

test("a client with too many event streams is rejected until one ends", async () => {
  const testServer = await limited({ streams: 2 });
  const token = await testServer.token("ann");
  const streams = [connection(testServer), connection(testServer)];
  for (const stream of streams) expect((await stream.get("/queue/updates")).statusCode).toBe(200);
  const refused = await refusalOf(await connection(testServer).get("/queue/updates"));
  expect(refused).toEqual([429, "5", expect.stringMatching(/2 event streams open, which is the maximum/)]);
  expect(await connection(testServer).status(BOARDS)).toBe(200);
  expect((await connection(testServer).get("/queue/updates", bearer(token))).statusCode).toBe(200);
  streams[0]?.close();
  const again = async () => (await connection(testServer).get("/queue/updates")).statusCode;
  await expect.poll(again).toBe(200);
});

test("an account with too many open uploads is rejected until one completes", async () => {
  const testServer = await limited({ uploads: 2 });
  const headers = {
    ...bearer(await testServer.token("ann")),
    "content-type": "application/json",
    "content-length": "2",
  };
  const upload = () => connection(testServer).begin("/api/v1/submissions", { method: "POST", headers });
  const answerTo = async (sent: ClientRequest) => ((await once(sent, "response")) as [IncomingMessage])[0];
  const open = [upload(), upload()];
  for (const each of open) each.write("{");
  // Once a third upload is refused, the server has received the heads of both.
  const refusal = async () => refusalOf(await answerTo(upload().end("{}")));
  await expect.poll(refusal).toEqual([429, "5", expect.stringMatching(/2 uploads open, which is the maximum/)]);
  expect((await answerTo(open[0]?.end("}") as ClientRequest)).statusCode).toBe(422);
  expect((await answerTo(upload().end("{}"))).statusCode).toBe(422);
});

test("a client that exceeds its rate receives a retry time, and others are unaffected", async () => {
  const testServer = await limited({ requests: 1 }, 1);
  const from = (address: string) => ({ "x-forwarded-for": `203.0.113.9, ${address}` });
  const ask = connection(testServer);
  for (let at = 0; at < 10; at += 1) expect(await ask.status(BOARDS, from("192.0.2.1"))).toBe(200);
  const refused = await ask.get(BOARDS, from("192.0.2.1"));
  expect(await refusalOf(refused)).toEqual([429, "1", expect.stringMatching(/more than 1 requests per second/)]);
  const other = connection(testServer);
  expect(await other.status(BOARDS, from("192.0.2.2"))).toBe(200);
  expect(await other.status("/healthz", from("192.0.2.1"))).toBe(200);
  expect(await other.status("/readyz", from("192.0.2.1"))).toBe(200);
});

test("an address that exceeds its rate cannot make the server look for one unknown token after the other", async () => {
  // The burst of ten seconds is one request.
  const testServer = await limited({ requests: 0.101 });
  const token = await testServer.token("ann");
  const ask = connection(testServer);
  expect(await ask.status(BOARDS, bearer("x".repeat(43)))).toBe(401);
  expect(await ask.status(BOARDS, bearer(token))).toBe(429);
  const used = await testServer.database.sql`
    select last_used_at from token join account on account.id = token.account_id where account.name = 'ann'`;
  expect(used).toEqual([{ last_used_at: null }]);
});

test("clients cannot choose their address unless a proxy is trusted", async () => {
  const testServer = await limited({ requests: 1 });
  const ask = connection(testServer);
  for (let at = 0; at < 10; at += 1) await ask.status(BOARDS, { "x-forwarded-for": `192.0.2.${at}` });
  expect(await ask.status(BOARDS, { "x-forwarded-for": "192.0.2.99" })).toBe(429);
});

test.each(["/api/v1/account", BOARDS, "/admin/stats"])("a token that is not valid costs %s one query", async (path) => {
  const testServer = await limited({ requests: 100 });
  const reads = vi.spyOn(testServer.database.db, "selectFrom");
  onTestFinished(() => reads.mockRestore());
  const client = connection(testServer);
  expect(await client.status(path, bearer(`kb_${"A".repeat(43)}`))).toBe(401);
  expect(reads.mock.calls).toEqual([["token"]]);
  // One in another format is not looked for.
  expect(await client.status(path, bearer("a".repeat(31)))).toBe(401);
  expect(reads.mock.calls).toHaveLength(1);
});
