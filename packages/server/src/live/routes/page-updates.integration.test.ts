/** The event streams that open pages follow, over real sockets. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readEventStream } from "@kernelbot/api";
import { readListChangeNumber, readChangeNumber } from "../../boards/change-numbers.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { changeCompetition, createCompetition } from "../../competitions/change.ts";
import { claimInvite, createInvites, revokeInvite } from "../../competitions/invites.ts";
import type { Identity } from "../../auth/identity.ts";
import { authenticate, revokeToken } from "../../auth/tokens.ts";
import { releaseRun } from "../../queue/lease.ts";
import { readQueueChangeNumber } from "../../queue/change-number.ts";
import {
  claimWait,
  claimed,
  MACHINE,
  passing,
  person,
  ranked,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { spec } from "@kernelbot/testing/competitions.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let token: string;
let ann: Identity;
let box: Identity;

beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  token = await testServer.token("ann");
  [ann, box] = [await authenticate(testServer.database, token), await runner(testServer.database)];
});
afterEach(async () => {
  vi.useRealTimers();
  await testServer[Symbol.asyncDispose]();
});

/** Follows a stream; each call of the result returns the next message, or undefined at the end. */
async function follow(path: string, { token: by, seen }: { token?: string; seen?: number } = {}) {
  const headers = {
    ...(by !== undefined && { authorization: `Bearer ${by}` }),
    ...(seen !== undefined && { "last-event-id": String(seen) }),
  };
  const response = await fetch(testServer.url + path, { headers });
  if (!response.ok || response.body === null) throw new Error(`${path} answers ${response.status}`);
  const messages = readEventStream(response.body);
  return async () => {
    const { value } = await messages.next();
    if (value === undefined) return undefined;
    return [value.event, value.id, value.data].filter((part) => part !== "" && part !== "{}").join(" ");
  };
}

const changeNumber = (board = "double") => readChangeNumber(testServer.database, board, "cpu");

test("streams a board's change number when it changes, and after a reconnect immediately if it changed meanwhile", async () => {
  const before = await changeNumber();
  const next = await follow(`/boards/double/cpu/updates?after=${before}`);
  const notice = next();
  await ranked(testServer.database, ann, box, 300);
  const after = await changeNumber();
  expect(await notice).toBe(`update ${after}`);
  const again = await follow(`/boards/double/cpu/updates?after=${before}`, { seen: before });
  expect(await again()).toBe(`update ${after}`);
  const up = (await follow("/boards/double/cpu/updates", { seen: after }))();
  await ranked(testServer.database, ann, box, 200);
  expect(await up).toBe(`update ${await changeNumber()}`);
});

test("callers who may see hidden entries follow the whole board; others get no events about it", async () => {
  const { database } = testServer;
  const oscar = await testServer.token("oscar", ["read", "admin"], undefined, ["organiser"]);
  const olga = await authenticate(database, oscar);
  const spring = spec();
  await createCompetition(database, olga, spring);
  await changeCompetition(database, olga, { ...spring, freezeAt: new Date().toISOString() });
  const before = await changeNumber("triple");
  const whole = (await follow(`/boards/triple/cpu/updates?unfrozen=true&after=${before}`, { token: oscar }))();
  await ranked(database, ann, box, 300, { board: "triple" });
  expect(await whole).toMatch(/^update \d+$/);
  expect(await changeNumber("triple")).toBe(before);
  for (const by of [{}, { token }])
    await expect(follow("/boards/triple/cpu/updates?unfrozen=true", by)).rejects.toThrow("403");
});

test("a missing board cannot be followed", async () => {
  await expect(follow("/boards/double/MI300/updates")).rejects.toThrow("404");
});

/** Creates a closed competition with the board `triple`, which ann may see. Returns ann's invite code. */
async function closedCompetition(): Promise<string> {
  const { database } = testServer;
  const olga = await person(database, "olga", ["submit", "read", "admin"], ["organiser"]);
  await createCompetition(database, olga, spec({ visibility: "closed" }));
  const { codes } = await createInvites(database, olga, { competitions: ["spring"], count: 1 });
  await claimInvite(database, ann, codes[0] ?? "");
  return codes[0] ?? "";
}

test("list streams report only boards in the caller's lists", async () => {
  const { database } = testServer;
  await closedCompetition();
  const numbers = () => Promise.all([readListChangeNumber(database, STRANGER), readListChangeNumber(database, ann)]);
  const [forStranger, forMember] = await numbers();
  const stranger = (await follow(`/updates?after=${forStranger}`))();
  const notice = (await follow(`/updates?after=${forMember}`, { token }))();
  await ranked(database, ann, box, 300, { board: "triple" });
  expect(await notice).toBe(`update ${(await numbers())[1]}`);
  await ranked(database, ann, box, 300);
  expect(await stranger).toBe(`update ${(await numbers())[0]}`);
  expect((await numbers())[0]).toBe(forStranger + 1);
});

test("queue streams report queued and claimed runs", async () => {
  const next = await follow("/queue/updates");
  const came = next();
  await submitted(testServer.database, ann);
  const first = await came;
  expect(first).toMatch(/^update \d+$/);
  const taken = next();
  await claimed(testServer.database, box);
  expect(await taken).not.toBe(first);
});

test("the queue's change number changes when a runner joins, a run is requeued, or one ends", async () => {
  const { database } = testServer;
  const seen = [await readQueueChangeNumber(database)];
  const request = { target: "cpu", runner: "new", machine: MACHINE, waitMs: 0 };
  await claimWait(database, box, request);
  seen.push(await readQueueChangeNumber(database));
  await submitted(database, ann);
  seen.push(await readQueueChangeNumber(database));
  const run = await claimed(database, box);
  seen.push(await readQueueChangeNumber(database));
  await releaseRun(database, run);
  seen.push(await readQueueChangeNumber(database));
  await reported(database, box, await claimed(database, box), passing("test"));
  seen.push(await readQueueChangeNumber(database));
  for (const [at, number] of seen.entries()) if (at > 0) expect(number).not.toBe(seen[at - 1]);
});

test("board and list streams report that a runner of a shown target came online or was paused", async () => {
  const { database } = testServer;
  const join = () => claimWait(database, box, { target: "cpu", runner: "new", machine: MACHINE, waitMs: 0 });
  const query = `after=${await changeNumber()}&runners=H100:offline,cpu:offline`;
  const lists = `/updates?after=${await readListChangeNumber(database, STRANGER)}&runners=cpu:offline`;
  const streams = [await follow(`/boards/double/cpu/updates?${query}`), await follow(lists)];
  const notices = Promise.all(streams.map((next) => next()));
  await join();
  expect(await notices).toEqual([`update ${await changeNumber()}`, expect.stringMatching(/^update \d+$/)]);
  // A page that shows the current status gets no message until the status changes.
  const current = (await follow(`/boards/double/cpu/updates?after=${await changeNumber()}&runners=cpu:online`))();
  await database.sql`update runner set admin_state = 'paused', reason = 'repair'`;
  expect(await current).toBe(`update ${await changeNumber()}`);
});

test("submission streams report changed queue positions, without new log events", async () => {
  const { database } = testServer;
  await submitted(database, ann);
  const [second, third] = [await submitted(database, ann), await submitted(database, ann)];
  const next = await follow(`/submissions/${second}/updates?after=2&places=2-offline`, { token });
  const notice = next();
  await claimed(database, box);
  expect(await notice).toMatch(
    /^update {"queue":\[{"runId":\d+,"queuePosition":1,"expectedWaitMs":null,"runners":{.*}}\]}$/,
  );
  await claimed(database, box);
  // Whether the run's place in the queue goes before the event that it has started depends on the load.
  let message = await next();
  if (message?.startsWith("update {") === true) message = await next();
  expect(message).toBe("update 3");
  const late = await follow(`/submissions/${third}/updates?after=2&places=3-offline`, { token });
  expect(await late()).toContain('"queuePosition":1');
});

test("submission streams report that a runner of the target connected, although the position is the same", async () => {
  const id = await submitted(testServer.database, ann);
  const next = await follow(`/submissions/${id}/updates?after=2&places=1-paused`, { token });
  expect(await next()).toContain('"queuePosition":1,"expectedWaitMs":null,"runners":{"status":"offline"');
});

/** Advances the server's clock by a minute, and returns what the streams still send until they end. */
async function minuteLater(streams: readonly (() => Promise<string | undefined>)[], topics: readonly string[]) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const ends = Promise.all(streams.map((next) => next()));
  let ended = false;
  void ends.then(() => (ended = true));
  await expect
    .poll(async () => {
      for (const topic of topics) await testServer.database.sql`select pg_notify('change', ${topic})`;
      return ended;
    })
    .toBe(true);
  return ends;
}

test("ends a stream within a minute once its reader is no longer a member of the competition", async () => {
  const { database } = testServer;
  const code = await closedCompetition();
  const id = await submitted(database, ann, { board: "triple" });
  const streams = await Promise.all(
    [
      "/boards/triple/cpu/updates",
      `/submissions/${id}/updates?after=2&places=1-offline`,
      `/api/v1/submissions/${id}/events?after=2`,
    ].map((path) => follow(path, { token })),
  );
  await revokeInvite(database, await person(database, "root", ["admin"]), code);
  const topics = ["board triple cpu", `submission ${id}`];
  expect(await minuteLater(streams, topics)).toEqual([undefined, undefined, undefined]);
});

test("ends a stream within a minute once its token was revoked", async () => {
  const { database } = testServer;
  const paths = ["/boards/double/cpu/updates", "/updates"];
  const streams = await Promise.all(paths.map((path) => follow(path, { token })));
  await revokeToken(database, ann.tokenId as number);
  expect(await minuteLater(streams, ["board double cpu"])).toEqual([undefined, undefined]);
});

test("a stream continues for a reader who may still see it", async () => {
  const stream = await follow(`/boards/double/cpu/updates`, { token });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const notice = stream();
  await ranked(testServer.database, ann, box, 300);
  expect(await notice).toBe(`update ${await changeNumber()}`);
});
