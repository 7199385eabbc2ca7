import type { ClaimRequest } from "@kernelbot/core";
import { expect, test } from "vitest";
import { openDatabase } from "../db/database.ts";
import { readAudit } from "../auth/audit.ts";
import { authenticate, issueToken } from "../auth/tokens.ts";
import { waitForWork } from "../queue/claim.ts";
import { readQueue } from "../queue/queue.ts";
import { sweep } from "../queue/expired-leases.ts";
import {
  claimed,
  claimWait,
  failing,
  JUDGE_FAILED,
  MACHINE,
  passing,
  reported,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root } from "@kernelbot/testing/scene.ts";
import { listJoinTokens, listRunners, readRunner } from "./list.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { changeStanding, revokeJoinToken, revokeRunner } from "./status.ts";

function asking(waitMs = 0, runner = "box"): ClaimRequest {
  return { target: "cpu", runner, machine: MACHINE, waitMs };
}

/** Requests work as a runner and returns the runner's id. */
async function joined(runner = "box"): Promise<number> {
  await claimWait(database, box, asking(0, runner));
  const all = await listRunners(database, root, DEFAULT_POLICY);
  return all.find(({ name }) => name === runner)?.id ?? 0;
}

const read = (id: number) => readRunner(database, root, id, DEFAULT_POLICY);

test("a paused runner is given no run and hears why, until it is resumed", async () => {
  const id = await joined();
  await changeStanding(database, root, id, { to: "pause", reason: "its fans are loud" });
  await submitted(database, ann);
  expect(await waitForWork(database, box, asking())).toEqual({ order: "pause", reason: "by root: its fans are loud" });
  await expect(claimed(database, box)).rejects.toThrow("nothing waits");
  expect(await read(id)).toMatchObject({
    standing: "paused",
    reason: "its fans are loud",
    standingBy: { name: "root" },
  });
  const queue = await readQueue(database);
  expect(queue.targets.find(({ target }) => target === "cpu")?.runners).toEqual([]);
  await changeStanding(database, root, id, { to: "resume" });
  expect(await claimWait(database, box, asking())).not.toBeNull();
});

test("a runner that waits hears at once that it is paused, by whichever server it is told", async () => {
  const id = await joined();
  const other = await openDatabase({ url: database.url });
  const waiting = waitForWork(database, box, asking(60_000));
  await expect.poll(async () => (await read(id)).lastSeenAt > (await read(id)).firstSeenAt).toBe(true);
  await changeStanding(other, root, id, { to: "pause", reason: "moving" });
  expect(await waiting).toMatchObject({ order: "pause" });
  await other.close();
});

test("other runners of the token go on while one is paused", async () => {
  await changeStanding(database, root, await joined("one"), { to: "pause", reason: "moving" });
  await submitted(database, ann);
  expect(await claimWait(database, box, asking(0, "two"))).not.toBeNull();
});

test("a drained runner brings its run to an end, then ends, and ends again when it comes back", async () => {
  await submitted(database, ann);
  const run = await claimWait(database, box, asking());
  const id = (await listRunners(database, root, DEFAULT_POLICY))[0]?.id ?? 0;
  await changeStanding(database, root, id, { to: "drain", reason: "new driver" });
  await submitted(database, ann);
  await reported(database, box, run ?? { runId: 0, attempt: 0 }, passing("test"));
  expect((await read(id)).attempts).toMatchObject({ ended: 1, failed: 0 });
  for (let times = 0; times < 2; times += 1) {
    expect(await waitForWork(database, box, asking())).toEqual({ order: "end", reason: "by root: new driver" });
  }
});

test("what is told a runner is for administrators, once, and stands in the audit log", async () => {
  const id = await joined();
  const pause = { to: "pause", reason: "moving" } as const;
  await expect(changeStanding(database, ann, id, pause)).rejects.toMatchObject({ code: "forbidden" });
  await expect(changeStanding(database, box, id, pause)).rejects.toMatchObject({ code: "forbidden" });
  await changeStanding(database, root, id, pause);
  await expect(changeStanding(database, root, id, pause)).rejects.toThrow('the runner "box" is paused already: moving');
  await expect(changeStanding(database, root, 4711, pause)).rejects.toMatchObject({ code: "not_found" });
  expect(await readAudit(database, root, { limit: 5 })).toMatchObject([
    { act: "pause runner", subject: `runner ${id}`, detail: { name: "box", target: "cpu", reason: "moving" } },
  ]);
});

test("a revoked runner hears so at once, and all that joined with its token are out", async () => {
  const id = await joined("one");
  await joined("two");
  const waiting = waitForWork(database, box, asking(60_000, "two"));
  waiting.catch(() => undefined);
  await revokeRunner(database, root, id);
  await expect(waiting).rejects.toMatchObject({ code: "unauthorized" });
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([{ revoked: true }, { revoked: true }]);
});

test("join tokens are listed whosever they are, and no other token can be revoked in their name", async () => {
  const request = { accountId: root.account.id, label: "rack 2", scopes: ["runner"], targets: ["cpu"] } as const;
  const token = await authenticate(database, await issueToken(database, { ...request, runners: 2 }));
  await claimWait(database, token, asking());
  expect((await listJoinTokens(database, root))[0]).toMatchObject({ label: "rack 2", runners: 2, joined: 1 });
  await expect(revokeJoinToken(database, root, ann.tokenId ?? 0)).rejects.toMatchObject({ code: "not_found" });
  await expect(revokeJoinToken(database, ann, token.tokenId ?? 0)).rejects.toMatchObject({ code: "forbidden" });
  await revokeJoinToken(database, root, token.tokenId ?? 0);
  expect(await listJoinTokens(database, root)).toHaveLength(1);
});

/** Submits a run and ends its attempt with an error of the judge. */
async function spoilt(who = ann): Promise<void> {
  await database.sql`update run set state = 'cancelled', finished_at = now(), lease_until = null where state = 'queued'`;
  await submitted(database, who);
  await reported(database, box, await claimed(database, box), JUDGE_FAILED);
}

test("five errors in a row with the runs of several accounts pause a runner, and say what the last was", async () => {
  const id = await joined();
  for (let times = 0; times < 4; times += 1) await spoilt();
  expect((await read(id)).standing).toBe("active");
  await spoilt(bob);
  expect(await read(id)).toMatchObject({
    standing: "paused",
    standingBy: null,
    reason: "5 runs in a row came to no verdict; the last: the judge fell over",
    attempts: { ended: 5, infraErrors: 5, infraErrorsInRow: 5 },
  });
  await changeStanding(database, root, id, { to: "resume" });
  expect((await read(id)).attempts).toMatchObject({ infraErrors: 5, infraErrorsInRow: 0 });
});

test("what one account's runs do to judges pauses no runner, however often", async () => {
  const id = await joined();
  for (let times = 0; times < 7; times += 1) await spoilt();
  expect(await read(id)).toMatchObject({ standing: "active", attempts: { infraErrorsInRow: 7 } });
});

test("a verdict between the errors says that the machine is well, even if the kernel is not", async () => {
  const id = await joined();
  for (const who of [ann, bob, ann, bob]) await spoilt(who);
  await database.sql`update run set state = 'cancelled', finished_at = now(), lease_until = null where state = 'queued'`;
  await submitted(database, ann);
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await spoilt();
  expect(await read(id)).toMatchObject({ standing: "active", attempts: { ended: 6, failed: 1, infraErrorsInRow: 1 } });
});

test("a lease that ran out is an error of its runner", async () => {
  const id = await joined();
  await submitted(database, ann);
  await claimed(database, box);
  await database.sql`update run set lease_until = now() - interval '1 second' where state = 'running'`;
  await sweep(database);
  expect((await read(id)).attempts).toMatchObject({
    infraErrorsInRow: 1,
    lastError: { message: "it was not heard of while it had a run" },
  });
});
