import { expect, test } from "vitest";
import { submit } from "../submissions/submit.ts";
import { readSubmission } from "../submissions/views.ts";
import { changeRunnerStatus, revokeJoinToken } from "../runners/status.ts";
import { listRunners } from "../runners/list.ts";
import { forgetRunners } from "../runners/presence.ts";
import { DEFAULT_POLICY } from "../runners/policy.ts";
import { claimWait, claimed, MACHINE, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { availabilityOf, readAvailabilities, recordStartingRunner, setLaunchable } from "./availability.ts";

useScene();

const OFFLINE = { status: "offline", online: 0, queued: 0, lastSeenAt: null };

const availability = async (target = "cpu") => (await readAvailabilities(database))(target);

/** Simulates a request of a runner for work, which keeps the runner online. */
const connect = () => claimWait(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });

async function disconnect(): Promise<void> {
  await database.sql`update runner set due_at = clock_timestamp()`;
}

async function change(to: "pause" | "drain" | "resume"): Promise<void> {
  const [runner] = await listRunners(database, root, DEFAULT_POLICY);
  await changeRunnerStatus(database, root, runner?.id ?? 0, to === "resume" ? { to } : { to, reason: "moving" });
}

test("a status is a function of runners, launchers and queue", () => {
  const presence = { online: 0, isPaused: false, lastSeenAt: null, queued: 2 };
  const none = { isStarting: false, isLaunchable: false };
  const launched = { isStarting: false, isLaunchable: true };
  const starting = { isStarting: true, isLaunchable: true };
  expect(availabilityOf(presence, none)).toEqual({ ...OFFLINE, queued: 2 });
  expect(availabilityOf(presence, starting)).toEqual({ ...OFFLINE, status: "starting", queued: 2 });
  expect(availabilityOf({ ...presence, isPaused: true }, none).status).toBe("paused");
  expect(availabilityOf({ ...presence, isPaused: true }, launched).status).toBe("on_demand");
  expect(availabilityOf({ ...presence, isPaused: true }, { ...starting, isLaunchable: false }).status).toBe("paused");
  const seen = new Date();
  expect(availabilityOf({ ...presence, online: 3, lastSeenAt: seen }, starting)).toEqual({
    status: "online",
    online: 3,
    queued: 2,
    lastSeenAt: null,
  });
  expect(availabilityOf({ ...presence, lastSeenAt: seen }, none).lastSeenAt).toBe(seen.toISOString());
});

test("a submission reports for each target whether a runner serves it, when it is accepted and while it is queued", async () => {
  expect(await availability()).toEqual(OFFLINE);
  await connect();
  await submitted(database, bob);
  const { submission } = await submit(database, ann, request({ targets: ["cpu", "H100"] }));
  const online = { status: "online", online: 1, queued: 2, lastSeenAt: null };
  const offline = { ...OFFLINE, queued: 1 };
  expect(submission.runs.map(({ runners }) => runners)).toEqual([online, offline]);
  const read = await readSubmission(database, submission.id);
  expect(read?.runs.map(({ runners }) => runners)).toEqual([online, offline]);
});

test("a run that is claimed no longer reports runners", async () => {
  const id = await submitted(database, ann);
  await claimed(database, box);
  expect((await readSubmission(database, id))?.runs[0]?.runners).toBeNull();
});

test("a runner that disconnected is reported with the time at which it was last seen", async () => {
  await connect();
  expect(await availability()).toMatchObject({ status: "online", lastSeenAt: null });
  await disconnect();
  const gone = await availability();
  expect(gone).toMatchObject({ status: "offline", online: 0 });
  expect(Date.now() - Date.parse(gone.lastSeenAt ?? "")).toBeLessThan(60_000);
});

test("a paused runner is reported until it disconnects, and a draining one counts as offline", async () => {
  await connect();
  await change("pause");
  expect((await availability()).status).toBe("paused");
  await change("resume");
  expect((await availability()).status).toBe("online");
  await change("drain");
  expect((await availability()).status).toBe("offline");
});

test("a runner whose token was revoked is not online", async () => {
  await connect();
  await revokeJoinToken(database, root, box.tokenId ?? 0);
  expect((await availability()).status).toBe("offline");
});

test("a target that a launcher serves is on demand until a runner is online", async () => {
  setLaunchable(database, () => Promise.resolve(new Set(["cpu"])));
  expect((await availability()).status).toBe("on_demand");
  expect((await availability("H100")).status).toBe("offline");
  await connect();
  expect((await availability()).status).toBe("online");
});

test("the server's own runner counts as starting until it is online", async () => {
  recordStartingRunner(database, "cpu");
  expect((await availability()).status).toBe("starting");
  expect((await availability("H100")).status).toBe("offline");
  await connect();
  expect((await availability()).status).toBe("online");
});

test("the newest runner of a target is remembered, so that it is known when one was last seen", async () => {
  await connect();
  await claimWait(database, box, { target: "cpu", runner: "older", machine: MACHINE, waitMs: 0 });
  await database.sql`update runner set due_at = now() - interval '9 days',
    seen_at = now() - case name when 'box' then interval '8 days' else interval '9 days' end`;
  await forgetRunners(database);
  const age = Date.now() - Date.parse((await availability()).lastSeenAt ?? "");
  expect(age / 86_400_000).toBeCloseTo(8, 2);
  expect(await database.sql`select name from runner`).toEqual([{ name: "box" }]);
});
