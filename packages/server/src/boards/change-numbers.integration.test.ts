import { expect, test } from "vitest";
import { changeCompetition } from "../competitions/change.ts";
import { revokeInvite } from "../competitions/invites.ts";
import { joinTeam, leaveTeam, createTeam, renameTeam } from "../competitions/teams.ts";
import { STRANGER, type Viewer } from "../auth/visibility.ts";
import { ban, unban } from "../moderation/ban.ts";
import { acceptRun } from "../moderation/decide.ts";
import { flagRun } from "../moderation/flag.ts";
import { removeAny, restore } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { rename } from "../auth/accounts.ts";
import { closeProblem } from "../problems/close.ts";
import { syncProblems } from "../problems/sync.ts";
import { inHours, join, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import {
  claimed,
  passing,
  problemFiles,
  problemTree,
  ranked,
  reported,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { readBoard } from "./boards.ts";
import { readListChangeNumber, readChangeNumber } from "./change-numbers.ts";

useScene();
useOrganiser();

/** Executes `act` and returns whether the board's change number has grown. */
async function grows(act: () => Promise<unknown>, board = "double", target = "cpu"): Promise<boolean> {
  const before = await readChangeNumber(database, board, target);
  await act();
  const after = await readChangeNumber(database, board, target);
  expect(after).toBeGreaterThanOrEqual(before);
  return after > before;
}

test("the change number increases with a verdict, a decision, a removal, a ban, a re-run and their reversals", async () => {
  const id = await ranked(database, bob, box, 300);
  const { rows } = await readBoard(database, STRANGER, "double", "cpu");
  const runId = rows[0]?.runId ?? 0;
  const reason = { reason: "a copy" };
  const signer = await testSigner(database);
  expect(await grows(() => ranked(database, ann, box, 200))).toBe(true);
  expect(await grows(() => flagRun(database, root, runId, "a copy"))).toBe(true);
  expect(await grows(() => acceptRun(database, root, runId, reason, signer))).toBe(true);
  expect(await grows(() => removeAny(database, root, id, reason))).toBe(true);
  expect(await grows(() => restore(database, root, id, reason))).toBe(true);
  expect(await grows(() => ban(database, root, { account: "bob", ...reason }))).toBe(true);
  expect(await grows(() => unban(database, root, { account: "bob", ...reason }))).toBe(true);
  await rerunSubmission(database, root, id);
  const again = async () => reported(database, box, await claimed(database, box), passing("ranked", [100, 100]));
  expect(await grows(again)).toBe(true);
});

test("the change number increases when an entrant is renamed", async () => {
  await ranked(database, ann, box, 300);
  expect(await grows(() => rename(database, bob, "bobby"))).toBe(false);
  expect(await grows(() => rename(database, ann, "anna"))).toBe(true);
});

test("the change number increases when the problem changes or closes, or its competition is moved or renamed", async () => {
  let now = spec({ problems: ["double"] });
  expect(await grows(() => made(now))).toBe(true);
  for (const change of [{ endsAt: inHours(2) }, { title: "Kernels of spring" }, { visibility: "unlisted" }] as const) {
    now = { ...now, ...change };
    const act = () => changeCompetition(database, olga, now);
    expect(await grows(act)).toBe(true);
    expect(await grows(act)).toBe(false);
  }
  const files = problemFiles((task) => task.replace("size: 8", "size: 9"));
  expect(await grows(() => syncProblems(database, problemTree({ "set/double": files })))).toBe(true);
  expect(await grows(() => closeProblem(database, root, "double"))).toBe(true);
});

test("the change number increases when a team is created or renamed, or a member is renamed", async () => {
  await made({ teamSize: 3 });
  const onTriple = (act: () => Promise<unknown>) => grows(act, "triple");
  let code = "";
  const make = async () => (code = (await createTeam(database, ann, "spring", "Fast ones")).code ?? "");
  expect(await onTriple(make)).toBe(true);
  expect(await onTriple(() => joinTeam(database, bob, "spring", code))).toBe(true);
  expect(await onTriple(() => renameTeam(database, bob, "spring", "Faster ones"))).toBe(true);
  expect(await onTriple(() => rename(database, bob, "bobby"))).toBe(true);
  expect(await onTriple(() => leaveTeam(database, bob, "spring"))).toBe(true);
});

test("changes that no board shows, or on another board, do not change the change number", async () => {
  await ranked(database, ann, box, 300);
  const judge =
    (mode: "test" | "ranked", timeNs: number, target = "cpu") =>
    async () => {
      await submitted(database, ann, { mode, targets: [target] });
      await reported(database, box, await claimed(database, box, target), passing(mode, [timeNs, timeNs]));
    };
  expect(await grows(judge("test", 100))).toBe(false);
  expect(await grows(judge("ranked", 100, "H100"))).toBe(false);
  expect(await grows(judge("ranked", 100, "H100"), "double", "H100")).toBe(true);
});

test("counts concurrent ends on one board, and concurrent changes of many boards", async () => {
  const [first, second] = [
    await submitted(database, ann, { mode: "ranked" }),
    await submitted(database, bob, { mode: "ranked" }),
  ];
  expect(first).not.toBe(second);
  const runs = [await claimed(database, box), await claimed(database, box)];
  const before = await readChangeNumber(database, "double", "cpu");
  await Promise.all(runs.map((run) => reported(database, box, run, passing("ranked", [100, 100]))));
  expect(await readChangeNumber(database, "double", "cpu")).toBe(before + 2);
  await ranked(database, ann, box, 100, { board: "triple" });
  await ranked(database, bob, box, 100, { board: "triple", targets: ["H100"] });
  await Promise.all([rename(database, ann, "anna"), rename(database, bob, "bobby")]);
});

test("the change number of a viewer's list changes with its boards only, and when one is removed", async () => {
  await made({ visibility: "closed" });
  const code = await join(ann);
  const moves = async (viewer: Viewer, act: () => Promise<unknown>): Promise<boolean> => {
    const before = await readListChangeNumber(database, viewer);
    await act();
    return (await readListChangeNumber(database, viewer)) !== before;
  };
  expect(await moves(STRANGER, () => ranked(database, bob, box, 300))).toBe(true);
  const hidden = () => ranked(database, ann, box, 300, { board: "triple" });
  expect(await moves(STRANGER, hidden)).toBe(false);
  expect(await moves(bob, hidden)).toBe(false);
  expect(await moves(ann, hidden)).toBe(true);
  expect(await moves(ann, () => revokeInvite(database, olga, code))).toBe(true);
});
