import { formatBusyMachine, type ClaimRequest } from "@kernelbot/core";
import { expect, test } from "vitest";
import { openDatabase } from "../db/database.ts";
import { readAudit } from "../auth/audit.ts";
import { authenticate, issueToken } from "../auth/tokens.ts";
import { waitForWork } from "../queue/claim.ts";
import { readQueue } from "../queue/queue.ts";
import { sweepExpiredLeases } from "../queue/expired-leases.ts";
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
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listJoinTokens, listRunners, readRunner } from "./list.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { changeRunnerStatus, revokeJoinToken, revokeRunner } from "./status.ts";

useScene();

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

test("a runner reports how busy its machine is", async () => {
  const id = await joined();
  expect((await read(id)).load).toBeNull();
  await claimWait(database, box, { ...asking(), load: 3.14 });
  const { load } = await read(id);
  expect(formatBusyMachine({ load })).toBe("machine busy: 3.1 processes for each core");
  expect(formatBusyMachine({ load: 1 })).toBeNull();
});

test("a paused runner gets no run and receives the reason, until it is resumed", async () => {
  const id = await joined();
  await changeRunnerStatus(database, root, id, { to: "pause", reason: "its fans are loud" });
  await submitted(database, ann);
  expect(await waitForWork(database, box, asking())).toEqual({ order: "pause", reason: "by root: its fans are loud" });
  await expect(claimed(database, box)).rejects.toThrow("no run is queued");
  expect(await read(id)).toMatchObject({
    adminState: "paused",
    reason: "its fans are loud",
    adminStateBy: { name: "root" },
  });
  const queue = await readQueue(database);
  expect(queue.targets.find(({ target }) => target === "cpu")?.runners).toEqual([]);
  await changeRunnerStatus(database, root, id, { to: "resume" });
  expect(await claimWait(database, box, asking())).not.toBeNull();
});

test("a waiting runner is notified of a pause immediately, from any server", async () => {
  const id = await joined();
  const other = await openDatabase({ url: database.url });
  const waiting = waitForWork(database, box, asking(60_000));
  await expect.poll(async () => (await read(id)).lastSeenAt > (await read(id)).firstSeenAt).toBe(true);
  await changeRunnerStatus(other, root, id, { to: "pause", reason: "moving" });
  expect(await waiting).toMatchObject({ order: "pause" });
  await other.close();
});

test("pausing a runner does not affect other runners of its token", async () => {
  await changeRunnerStatus(database, root, await joined("one"), { to: "pause", reason: "moving" });
  await submitted(database, ann);
  expect(await claimWait(database, box, asking(0, "two"))).not.toBeNull();
});

test("a drained runner finishes its run and exits, and exits again when it returns", async () => {
  await submitted(database, ann);
  const run = await claimWait(database, box, asking());
  const id = (await listRunners(database, root, DEFAULT_POLICY))[0]?.id ?? 0;
  await changeRunnerStatus(database, root, id, { to: "drain", reason: "new driver" });
  await submitted(database, ann);
  await reported(database, box, run ?? { runId: 0, attempt: 0 }, passing("test"));
  expect((await read(id)).attempts).toMatchObject({ ended: 1, failed: 0 });
  for (let times = 0; times < 2; times += 1) {
    expect(await waitForWork(database, box, asking())).toEqual({ order: "end", reason: "by root: new driver" });
  }
});

test("only administrators can command runners, once per state, and the audit log records it", async () => {
  const id = await joined();
  const pause = { to: "pause", reason: "moving" } as const;
  await expect(changeRunnerStatus(database, ann, id, pause)).rejects.toMatchObject({ code: "forbidden" });
  await expect(changeRunnerStatus(database, box, id, pause)).rejects.toMatchObject({ code: "forbidden" });
  await changeRunnerStatus(database, root, id, pause);
  await expect(changeRunnerStatus(database, root, id, pause)).rejects.toThrow(
    'the runner "box" is already paused: moving',
  );
  await expect(changeRunnerStatus(database, root, 4711, pause)).rejects.toMatchObject({ code: "not_found" });
  expect(await readAudit(database, root, { limit: 5 })).toMatchObject([
    { act: "pause runner", subject: `runner ${id}`, detail: { name: "box", target: "cpu", reason: "moving" } },
  ]);
});

test("a revoked runner is notified immediately, and all runners of its token end", async () => {
  const id = await joined("one");
  await joined("two");
  const waiting = waitForWork(database, box, asking(60_000, "two"));
  waiting.catch(() => undefined);
  await revokeRunner(database, root, id);
  await expect(waiting).rejects.toMatchObject({ code: "unauthorized" });
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([{ revoked: true }, { revoked: true }]);
});

test("lists join tokens of all accounts; other tokens cannot be revoked as join tokens", async () => {
  const request = { accountId: root.account.id, label: "rack 2", scopes: ["runner"], targets: ["cpu"] } as const;
  const token = await authenticate(database, await issueToken(database, { ...request, runners: 2 }));
  await claimWait(database, token, asking());
  expect((await listJoinTokens(database, root))[0]).toMatchObject({ label: "rack 2", runners: 2, joined: 1 });
  await expect(revokeJoinToken(database, root, ann.tokenId ?? 0)).rejects.toMatchObject({ code: "not_found" });
  await expect(revokeJoinToken(database, ann, token.tokenId ?? 0)).rejects.toMatchObject({ code: "forbidden" });
  await revokeJoinToken(database, root, token.tokenId ?? 0);
  expect(await listJoinTokens(database, root)).toHaveLength(1);
});

/** Submits a run, of another source than all before, and ends its attempt with an error of the judge. */
async function spoilt(who = ann, source = `# ${(sources += 1)}\n`): Promise<void> {
  await database.sql`update run set state = 'cancelled', finished_at = now(), lease_until = null where state = 'queued'`;
  await submitted(database, who, { source });
  await reported(database, box, await claimed(database, box), JUDGE_FAILED);
}

let sources = 0;

test("errors in a row with five sources of three accounts pause a runner, with the last error", async () => {
  const id = await joined();
  for (const who of [ann, bob, ann, bob]) await spoilt(who);
  expect((await read(id)).adminState).toBe("active");
  await spoilt(root);
  expect(await read(id)).toMatchObject({
    adminState: "paused",
    adminStateBy: null,
    reason:
      "5 consecutive attempts, of at least 5 sources of 3 accounts, ended without a verdict; the last: the judge fell over",
    attempts: { ended: 5, infraErrors: 5, infraErrorsInRow: 5 },
  });
  await changeRunnerStatus(database, root, id, { to: "resume" });
  expect((await read(id)).attempts).toMatchObject({ infraErrors: 5, infraErrorsInRow: 0 });
});

test("errors with the runs of two accounts never pause a runner", async () => {
  const id = await joined();
  for (const who of [ann, bob, ann, bob, ann, bob]) await spoilt(who);
  expect(await read(id)).toMatchObject({ adminState: "active", attempts: { infraErrorsInRow: 6 } });
});

test("errors with one source, submitted by three accounts, never pause a runner", async () => {
  const id = await joined();
  for (const who of [ann, bob, root, ann, bob, root]) await spoilt(who, "# the same\n");
  expect((await read(id)).adminState).toBe("active");
});

test("a verdict resets the errors of a runner, even if the kernel failed", async () => {
  const id = await joined();
  for (const who of [ann, bob, ann, bob]) await spoilt(who);
  await database.sql`update run set state = 'cancelled', finished_at = now(), lease_until = null where state = 'queued'`;
  await submitted(database, ann);
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await spoilt();
  expect(await read(id)).toMatchObject({
    adminState: "active",
    attempts: { ended: 6, failed: 1, infraErrorsInRow: 1 },
  });
});

test("an expired lease counts as an error of its runner", async () => {
  const id = await joined();
  await submitted(database, ann);
  await claimed(database, box);
  await database.sql`update run set lease_until = now() - interval '1 second' where state = 'running'`;
  await sweepExpiredLeases(database);
  expect((await read(id)).attempts).toMatchObject({
    infraErrorsInRow: 1,
    lastError: { message: "it stopped responding during a run" },
  });
});
