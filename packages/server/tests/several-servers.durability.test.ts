/** Several server processes on one database: each handles any request, and no data is lost when one dies. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createClient, type Client } from "@kernelbot/api";
import { Artifact, Claimed, type JudgeEvent } from "@kernelbot/core";
import { startServer, stop, type RunningServer } from "../../../scripts/processes.ts";
import { openDatabase, type Database } from "../src/db/database.ts";
import { createAccount, issueToken } from "../src/auth/tokens.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { startFakeProvider, type FakeProvider } from "@kernelbot/testing/fake-provider.ts";
import { startFakeS3, type FakeS3 } from "@kernelbot/testing/fake-s3.ts";
import { MACHINE, passing, problemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";
import { startRelay, type Relay } from "@kernelbot/testing/relay.ts";

let provider: FakeProvider;
let s3: FakeS3;
let database: Database;
let servers: RunningServer[];
let relay: Relay;
/** Client of the operator, connected through the relay. */
let client: Client;
let box: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(inject("scratch"), "servers-"));
  const signingKey = join(folder, "key.pem");
  writeFileSync(signingKey, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
  const url = await emptyDatabase();
  [provider, s3] = await Promise.all([startFakeProvider("github"), startFakeS3()]);
  const env = {
    ...provider.env,
    ...s3.env,
    DATABASE_URL: url,
    KERNELBOT_SIGNING_KEY: signingKey,
    KERNELBOT_PUBLIC_URL: "http://localhost",
    KERNELBOT_DRAIN: "60",
  };
  const problems = problemTree({ "set/double": problemFiles(), "set/triple": problemFiles() });
  // The servers share the database and the bucket, but no folder.
  servers = await Promise.all(
    ["one", "two"].map((name) => startServer({ dataDir: join(folder, name), problems, env })),
  );
  relay = await startRelay(servers.map(({ port }) => port));
  client = createClient({ server: relay.url, token: servers.map(({ token }) => token).join("") });
  database = await openDatabase({ url });
  const { id: accountId } = await createAccount(database, "box");
  box = await issueToken(database, { accountId, label: "test", scopes: ["runner"], targets: ["cpu"] });
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await Promise.all(servers.map(({ process }) => stop(process, "SIGKILL")));
  await database.close();
  await Promise.all([provider, s3].map((fake) => fake[Symbol.asyncDispose]()));
});

/** Sends a request to one of the servers, by index. */
function ask(server: number, path: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
  const { token = box, ...rest } = init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(`${servers[server]?.url}${path}`, { ...rest, headers });
}

function send(server: number, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return ask(server, `/api/v1/runner${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function claim(server: number, waitMs = 0): Promise<Claimed> {
  const response = await send(server, "/claim", { target: "cpu", runner: `box ${server}`, machine: MACHINE, waitMs });
  return Claimed.parse(await response.json());
}

const reported = async (server: number, { runId, attempt }: Claimed, from: number, events: JudgeEvent[]) =>
  (await send(server, `/runs/${runId}/report`, { attempt, from, events })).status;

const finished = async (id: number): Promise<string[]> => {
  const types: string[] = [];
  for await (const { event } of client.events(id)) types.push(event.type);
  return types;
};

test("two servers that start concurrently on an empty database create it once, and one prints the operator's sign-in link", async () => {
  expect(servers.filter(({ token }) => token !== "")).toHaveLength(1);
  expect((await client.problems()).map(({ name }) => name)).toEqual(["double", "triple"]);
  const changes = await database.sql`select problem from problem_change`;
  expect(changes).toHaveLength(2);
  expect(await client.keys()).toHaveLength(1);
  for (const server of [0, 1]) {
    // Other tests use the same PostgreSQL, which may have no free connection for a moment.
    const readiness = async (): Promise<unknown> => (await ask(server, "/readyz")).json();
    const checks = { database: "ok", schema: "ok", store: "ok", serving: "ok" };
    await expect.poll(readiness).toEqual({ ready: true, checks });
  }
});

test("a runner waiting at one server is woken by a submission at the other, whose readers see its reports", async () => {
  const waiting = claim(0, 30_000);
  await expect.poll(() => database.sql`select from runner where name = 'box 0'`).toHaveLength(1);
  const { id } = await client.submit(request({ mode: "profile" }));
  const run = await waiting;
  const log = finished(id);

  const artifact = { name: "profile.txt", mediaType: "text/plain" } as const;
  const put = await ask(1, `/api/v1/runner/runs/${run.runId}/artifacts/${artifact.name}?attempt=1`, {
    method: "PUT",
    headers: { "content-type": artifact.mediaType },
    body: "where the time goes",
  });
  const stored = Artifact.parse(await put.json());
  expect(stored.sha256).toBe(createHash("sha256").update("where the time goes").digest("hex"));
  const events = passing("profile");
  const artifactEvent: JudgeEvent = { type: "artifact", stage: "profile", ...stored };
  expect(await reported(0, run, 0, [...events.slice(0, 3), artifactEvent])).toBe(200);
  expect(await reported(1, run, 4, events.slice(3))).toBe(200);
  expect((await log).slice(-2)).toEqual(["run_finished", "submission_finished"]);
  for (const server of [0, 1]) {
    const { token } = servers.find(({ token }) => token !== "") as RunningServer;
    const got = await ask(server, `/api/v1/runs/${run.runId}/artifacts/${artifact.name}`, { token });
    expect(await got.text()).toBe("where the time goes");
  }
});

test("a sign-in started at one server ends at the other, and sessions are valid at both", async () => {
  const origin = "http://localhost";
  const begun = await fetch(`${servers[0]?.url}/sign-in/github`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams({ next: "/account" }),
    redirect: "manual",
  });
  const cookie = (response: Response) =>
    response.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  const agreed = await fetch(begun.headers.get("location") ?? "", { method: "POST", redirect: "manual" });
  const { pathname, search } = new URL(agreed.headers.get("location") ?? "");
  const ended = await fetch(`${servers[1]?.url}${pathname}${search}`, {
    headers: { cookie: cookie(begun) },
    redirect: "manual",
  });
  expect(ended.status).toBe(303);
  for (const server of [0, 1]) {
    const account = await fetch(`${servers[server]?.url}/api/v1/account`, { headers: { cookie: cookie(ended) } });
    expect(await account.json()).toMatchObject({ name: "ada" });
  }
});

test("killing a server loses nothing: its accepted runs are queued, its submitted runs continue, and readers use the other", async () => {
  const [first] = servers as [RunningServer, RunningServer];
  const submitted = await client.submit(request({ mode: "ranked" }));
  const run = await claim(0);
  expect(await reported(0, run, 0, passing("ranked").slice(0, 2))).toBe(200);
  const log = finished(submitted.id);
  const direct = createClient({ server: first.url, token: servers.map(({ token }) => token).join("") });
  const { id } = await direct.submit(request({ mode: "test" }));
  const died = once(first.process, "exit");
  first.process.kill("SIGKILL");
  await died;

  expect(await reported(1, run, 2, passing("ranked").slice(2))).toBe(200);
  expect((await log).at(-1)).toBe("submission_finished");
  expect(await client.receipt(run.runId)).toContain('"signature"');
  expect((await client.submission(submitted.id)).runs[0]).toMatchObject({ attempt: 1, verdict: "passed" });
  const next = await claim(1);
  expect(await reported(1, next, 0, passing("test"))).toBe(200);
  expect((await finished(id)).at(-1)).toBe("submission_finished");
});

test("a stopping server reports it, still accepts requests while it drains, and exits at once on a second signal", async () => {
  const [, second] = servers as [RunningServer, RunningServer];
  second.process.kill("SIGTERM");
  await expect.poll(async () => (await ask(1, "/readyz")).status).toBe(503);
  expect(await (await ask(1, "/readyz")).json()).toMatchObject({
    ready: false,
    checks: { serving: "the server is stopping" },
  });
  expect((await ask(1, "/healthz")).status).toBe(200);
  expect((await client.submit(request())).runs[0]?.state).toBe("queued");
  const ended = once(second.process, "exit");
  second.process.kill("SIGTERM");
  expect(await ended).toEqual([1, null]);
});
