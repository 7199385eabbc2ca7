import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MAX_ARTIFACT_BYTES, type Claimed, type JudgeEvent, type RunReport } from "@kernelbot/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServerClient } from "../server/server-client.ts";
import { FakeServer } from "@kernelbot/testing/runner/fake-server.ts";
import { Reporter } from "./reporter.ts";

let server: FakeServer;
let reporter: Reporter;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kernelbot-reporter-"));
  server = await new FakeServer().start();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Starts reporting a run that the server has leased. */
function report(run: Partial<Claimed> = {}): void {
  const client = new ServerClient(server.url, "secret", () => undefined);
  reporter = new Reporter(client, server.lend({ runId: 1, source: "", ...run }), new AbortController().signal, folder);
}

const progress = (done: number): JudgeEvent => ({ type: "progress", stage: "test", done, total: 5000 });
const verdict: JudgeEvent = { type: "verdict", verdict: "passed", failureClass: null, message: null, detail: null };

test("events arrive in order and the verdict ends the report", async () => {
  report();
  for (const event of [progress(1), progress(2), verdict]) reporter.push(event);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(server.stored.get(1)).toEqual([progress(1), progress(2), verdict]);
});

test("a second report waits for further events", async () => {
  report();
  const sizes: number[] = [];
  server.on("report", (_, { events }) => sizes.push(events.length));
  reporter.push(progress(1));
  await once(server, "report");
  // Each of them would be a report of its own.
  for (let done = 2; done <= 4; done += 1) {
    await new Promise(setImmediate);
    reporter.push(progress(done));
  }
  await once(server, "report");
  expect(sizes).toEqual([1, 3]);
});

test("a short run for a reward is one report", async () => {
  report({ mode: "reward" });
  const sizes: number[] = [];
  server.on("report", (_, { events }) => sizes.push(events.length));
  reporter.push(progress(1));
  await delay(20);
  reporter.push(verdict);
  await reporter.ended;
  expect(sizes).toEqual([2]);
});

test("events after the verdict are ignored", async () => {
  report();
  reporter.push(verdict);
  reporter.push(progress(1));
  await reporter.ended;
  expect(server.stored.get(1)).toEqual([verdict]);
});

test("thousands of events are split into reports of the maximum size", async () => {
  report();
  const sizes: number[] = [];
  server.on("report", (_, { events }) => sizes.push(events.length));
  for (let done = 0; done < 1700; done++) reporter.push(progress(done));
  reporter.push(verdict);
  await reporter.ended;
  expect(server.stored.get(1)?.slice(0, -1)).toEqual(Array.from({ length: 1700 }, (_, done) => progress(done)));
  expect(Math.max(...sizes)).toBe(500);
});

test("a report has at most half a megabyte plus one event", async () => {
  report();
  const output = { type: "output", stage: "test", head: "x".repeat(20_000), tail: "", droppedBytes: 0 } as const;
  const sizes: number[] = [];
  server.on("report", (_, { events }) => sizes.push(events.length));
  for (let index = 0; index < 60; index++) reporter.push(output);
  reporter.push(verdict);
  await reporter.ended;
  expect(Math.max(...sizes)).toBeLessThanOrEqual(25);
  expect(server.stored.get(1)).toHaveLength(61);
});

test("events whose acknowledgement was lost are sent again and stored once", async () => {
  report();
  let losses = 3;
  server.after = (request) => (request.endsWith("report") && losses-- > 0 ? null : undefined);
  for (const event of [progress(1), progress(2)]) reporter.push(event);
  await server.until(1, "progress");
  reporter.push(verdict);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(server.stored.get(1)).toEqual([progress(1), progress(2), verdict]);
});

test("events that the server did not store are sent again", async () => {
  report();
  let times = 2;
  server.before = () => (times-- > 0 ? { status: 200, body: { received: 0, cancelled: false } } : undefined);
  for (const event of [progress(1), verdict]) reporter.push(event);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(server.stored.get(1)).toEqual([progress(1), verdict]);
});

test.for([413, 429, 500, 503])("a report is retried after status %d", async (status) => {
  report();
  let times = 2;
  server.before = () => (times-- > 0 ? { status, headers: { connection: "close" } } : undefined);
  reporter.push(verdict);
  expect(await reporter.ended).toEqual({ how: "delivered" });
});

test("Retry-After is respected", async () => {
  report();
  let firstAt = 0;
  server.before = () => {
    if (firstAt > 0) return undefined;
    firstAt = performance.now();
    return { status: 503, headers: { "retry-after": "1" } };
  };
  reporter.push(verdict);
  await reporter.ended;
  expect(performance.now() - firstAt).toBeGreaterThan(950);
});

test("a lease is renewed by empty reports while nothing happens", async () => {
  report({ leaseMs: 60 });
  const heartbeats = await new Promise<RunReport[]>((resolve) => {
    const seen: RunReport[] = [];
    server.on("report", (_, got) => {
      if (seen.push(got) === 3) resolve(seen);
    });
  });
  expect(heartbeats).toEqual(Array.from({ length: 3 }, () => ({ attempt: 1, from: 0, events: [] })));
  reporter.push(verdict);
  await reporter.ended;
});

test("a stale attempt, a cancelled run and a rejected report end the reporting", async () => {
  report();
  server.supersede(1);
  reporter.push(progress(1));
  expect(await reporter.ended).toEqual({ how: "stale" });

  report({ runId: 2 });
  server.cancelled.add(2);
  reporter.push(progress(1));
  expect(await reporter.ended).toEqual({ how: "cancelled" });

  report({ runId: 3 });
  server.before = () => ({ status: 422, body: { detail: "event 0 has no stage" } });
  reporter.push(progress(1));
  expect(await reporter.ended).toEqual({
    how: "refused",
    why: `${server.url.origin} returned 422: event 0 has no stage`,
  });
});

test("a revoked token ends the runner", async () => {
  report();
  server.before = () => ({ status: 403, body: { detail: "this token may not claim for cpu" } });
  reporter.push(verdict);
  await expect(reporter.ended).rejects.toThrow("returned 403: this token may not claim for cpu");
});

/** Writes an artifact to the folder. Returns its event. */
async function artifact(name: string, text = name): Promise<JudgeEvent> {
  await writeFile(join(folder, name), text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { type: "artifact", stage: "profile", name, mediaType: "text/plain", sizeBytes: text.length, sha256 };
}

test("an artifact is uploaded before its event and all later ones", async () => {
  report();
  const events = [progress(1), await artifact("a.txt"), progress(2), await artifact("b.txt"), verdict];
  const uploads: string[] = [];
  server.on("report", (_, { events }) => {
    for (const event of events)
      if (event.type === "artifact") uploads.push(event.name, [...server.artifacts.keys()].join());
  });
  for (const event of events) reporter.push(event);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(server.stored.get(1)).toEqual(events);
  expect(uploads).toEqual(["a.txt", expect.stringMatching("1/a.txt"), "b.txt", "1/a.txt,1/b.txt"]);
  expect(server.artifacts.get("1/b.txt")?.toString()).toBe("b.txt");
});

test("the lease is renewed while an artifact is uploaded", async () => {
  report({ leaseMs: 30 });
  let tries = 0;
  // The pause before the second try is longer than three heartbeat intervals.
  server.before = (request) => {
    if (!request.includes("/artifacts/")) return undefined;
    tries += 1;
    return tries === 1 ? { status: 503 } : undefined;
  };
  reporter.push(await artifact("a.txt"));
  reporter.push(verdict);
  for (let beat = 0; beat < 3; beat += 1) await once(server, "report");
  expect(server.stored.get(1)).toEqual([]);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(tries).toBe(2);
});

test("an artifact is uploaded again if the response was lost", async () => {
  report();
  let lost = 0;
  server.after = (request) => (request.includes("/artifacts/") && (lost += 1) === 1 ? null : undefined);
  const events = [await artifact("a.txt"), verdict];
  for (const event of events) reporter.push(event);
  await reporter.ended;
  expect(lost).toBe(2);
  expect(server.stored.get(1)).toEqual(events);
});

test("an artifact of a stale attempt ends the reporting", async () => {
  report();
  server.supersede(1);
  reporter.push(await artifact("a.txt"));
  expect(await reporter.ended).toEqual({ how: "stale" });
  expect(server.artifacts.size).toBe(0);
});

test.for([
  ["that the server rejects", (): undefined => undefined, /a\.txt could not be uploaded: .* returned 413: too large/],
  [
    "that is missing",
    (): Promise<void> => rm(join(folder, "a.txt")),
    /a\.txt could not be uploaded: Unable to open file/,
  ],
  [
    "that is too large",
    (): Promise<void> => truncate(join(folder, "a.txt"), MAX_ARTIFACT_BYTES + 1),
    /a\.txt could not be uploaded: a\.txt has 67108865 bytes/,
  ],
] as const)("an artifact %s is omitted, and the verdict reports it", async ([what, spoil, reason]) => {
  report();
  const refuse = what === "that the server rejects";
  server.before = (request) =>
    refuse && request.includes("/a.txt") ? { status: 413, body: { detail: "too large" } } : undefined;
  const kept = await artifact("b.txt");
  const lost = await artifact("a.txt");
  await spoil();
  for (const event of [lost, kept, verdict]) reporter.push(event);
  expect(await reporter.ended).toEqual({ how: "delivered" });
  expect(server.stored.get(1)).toEqual([kept, { ...verdict, message: expect.stringMatching(reason) as string }]);
});
