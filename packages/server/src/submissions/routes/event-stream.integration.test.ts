/** The event log over a real socket, with readers on poor connections. */
import { expect, test } from "vitest";
import { readEventStream, type Client } from "@kernelbot/api";
import { LogEvent } from "@kernelbot/core";
import { MACHINE, passing, report, request, runner } from "@kernelbot/testing/fixtures.ts";
import { claimRun } from "../../queue/lease.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

/** Judges the next run in two reports, and calls `between` after the first. */
async function judge(testServer: TestServer, between: () => Promise<unknown>): Promise<void> {
  const box = await runner(testServer.database);
  const leased = await claimRun(testServer.database, box, {
    target: "cpu",
    runner: "box",
    machine: MACHINE,
    waitMs: 0,
  });
  if (leased === null) throw new Error("nothing waits");
  const events = passing("ranked");
  const half = events.length >> 1;
  const { runId, attempt } = leased;
  await report(testServer.database, box, runId, { attempt, from: 0, events: events.slice(0, half) });
  await between();
  await report(testServer.database, box, runId, { attempt, from: half, events: events.slice(half) });
}

async function submitted(client: Client): Promise<number> {
  return (await client.submit(request({ mode: "ranked" }))).id;
}

async function idsOf(client: Client, id: number, after?: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const event of client.events(id, { after })) ids.push(event.id);
  return ids;
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

test("a reader follows a submission to its end and receives each event once and in order", async () => {
  await using testServer = await openTestServer({ listening: true });
  const client = testServer.client(await testServer.token("ann"));
  const id = await submitted(client);
  const reading = idsOf(client, id);
  await judge(testServer, async () => undefined);
  const ids = await reading;
  expect(ids).toEqual(upTo((await client.submission(id)).lastEvent));
});

test("a reader that reconnects resumes after the last event number, without losing or repeating any", async () => {
  await using testServer = await openTestServer({ listening: true });
  const token = await testServer.token("ann");
  const client = testServer.client(token);
  const id = await submitted(client);
  const seen: number[] = [];
  const read = async (until: (event: LogEvent) => boolean) => {
    const hangUp = new AbortController();
    const headers = { authorization: `Bearer ${token}`, "last-event-id": String(seen.at(-1) ?? 0) };
    const response = await fetch(`${testServer.url}/api/v1/submissions/${id}/events`, {
      headers,
      signal: hangUp.signal,
    });
    if (response.body === null) throw new Error("no body");
    for await (const { id: number, data } of readEventStream(response.body)) {
      const event = LogEvent.parse(JSON.parse(data));
      expect(String(event.id)).toBe(number);
      seen.push(event.id);
      if (until(event)) break;
    }
    hangUp.abort();
  };
  await read(({ event }) => event.type === "run_queued");
  await judge(testServer, () => read(({ event }) => event.type === "stage_started"));
  await read(() => false);
  expect(seen).toEqual(upTo((await client.submission(id)).lastEvent));
});

test("a reader that connects after the end receives the whole or remaining log, and the end", async () => {
  await using testServer = await openTestServer({ listening: true });
  const token = await testServer.token("ann");
  const client = testServer.client(token);
  const id = await submitted(client);
  await judge(testServer, async () => undefined);
  const { lastEvent } = await client.submission(id);
  expect(await idsOf(client, id)).toEqual(upTo(lastEvent));
  expect(await idsOf(client, id, lastEvent - 2)).toEqual([lastEvent - 1, lastEvent]);
  const nothing = await fetch(`${testServer.url}/api/v1/submissions/${id}/events?after=${lastEvent}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await nothing.text()).toBe("");
});

test("the public log contains only that events happened and when it ended", async () => {
  await using testServer = await openTestServer({ listening: true });
  const client = testServer.client(await testServer.token("ann"));
  const id = await submitted(client);
  await judge(testServer, async () => undefined);
  const { lastEvent } = await client.submission(id);
  const updates = await fetch(`${testServer.url}/submissions/${id}/updates?after=1`);
  expect(updates.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  expect(await updates.text()).toBe(`id: ${lastEvent}\nevent: finished\ndata: {}\n\n`);
});

test("a stopping server ends streams and long polls, then its socket, immediately", async () => {
  await using testServer = await openTestServer({ listening: true });
  const token = await testServer.token("ann");
  const box = await testServer.token("box", ["runner"], ["cpu"]);
  const { id } = await testServer.client(token).submit(request({ targets: ["H100"] }));
  const stream = await fetch(`${testServer.url}/api/v1/submissions/${id}/events?after=2`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const poll = fetch(`${testServer.url}/api/v1/runner/claim`, {
    method: "POST",
    headers: { authorization: `Bearer ${box}`, "content-type": "application/json" },
    body: JSON.stringify({ target: "cpu", runner: "box", machine: MACHINE, waitMs: 60_000 }),
  });
  // The poll has reached the server once its token was used.
  await expect
    .poll(() => testServer.database.db.selectFrom("token").select("id").where("last_used_at", "is not", null).execute())
    .toHaveLength(2);
  await testServer.stop();
  // The stream ends with a reconnection delay and no further event.
  expect(await stream.text()).toMatch(/^retry: \d{3,4}\n\n$/);
  expect((await poll).status).toBe(204);
  await expect(testServer.client(token).submission(id)).rejects.toMatchObject({ code: "unavailable" });
});

test("a run is not assigned to a runner that disconnects while it waits, but to the next one", async () => {
  await using testServer = await openTestServer({ listening: true });
  const box = await testServer.token("box", ["runner"], ["cpu"]);
  const ask = (waitMs: number, signal?: AbortSignal) =>
    fetch(`${testServer.url}/api/v1/runner/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${box}`, "content-type": "application/json" },
      body: JSON.stringify({ target: "cpu", runner: "box", machine: MACHINE, waitMs }),
      signal: signal ?? null,
    });
  const hangUp = new AbortController();
  const gone = ask(60_000, hangUp.signal);
  await expect
    .poll(() => testServer.database.db.selectFrom("token").select("id").where("last_used_at", "is not", null).execute())
    .toHaveLength(1);
  hangUp.abort();
  await expect(gone).rejects.toThrow();
  const next = ask(30_000);
  await submitted(testServer.client(await testServer.token("ann")));
  expect((await next).status).toBe(200);
});

test("rejects an oversized body over a socket, and answers the next request", async () => {
  await using testServer = await openTestServer({ listening: true });
  const client = testServer.client(await testServer.token("ann"));
  await expect(client.submit(request({ source: "x".repeat(5_000_000) }))).rejects.toMatchObject({ code: "too_large" });
  expect(await submitted(client)).toBeGreaterThan(0);
});
