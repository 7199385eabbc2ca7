/** While boards are frozen no viewer can see newer submissions, by any query; after the reveal every viewer can. */
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { readBoard, readUnfrozen } from "../boards/boards.ts";
import { listBoards } from "../boards/list.ts";
import { readHistory } from "../boards/history.ts";
import { readPerson } from "../people/profile.ts";
import { findSubmissionRanks } from "../boards/ranks.ts";
import { readListChangeNumber, readChangeNumber } from "../boards/change-numbers.ts";
import { CANDIDATES, exportObstacle, type Candidate } from "../dataset/exportable.ts";
import type { Identity } from "../auth/identity.ts";
import { submit } from "../submissions/submit.ts";
import { reportRun } from "../moderation/flag.ts";
import { rerunBoard } from "../moderation/rerun.ts";
import { readReceipt } from "../runs/receipts.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { listSubmissions } from "../submissions/views.ts";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person, ranked, request } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { canSeeSubmission, visibilityKeyOf, STRANGER, type Viewer } from "../auth/visibility.ts";
import { changeCompetition } from "./change.ts";
import { notifyPhaseChanges } from "./phases.ts";
import { joinTeam, leaveTeam, createTeam } from "./teams.ts";

useScene();
useOrganiser();

const onTriple = (who: Identity, timeNs: number) => ranked(database, who, box, timeNs, { board: "triple" });

let early: number;
let late: number;
let freezeAt: string;

/** Ann was ranked with 200 ns before the freeze; after it Ann with 100 ns and Bob with 150 ns. */
beforeEach(async () => {
  await made({ codeVisibility: "always" });
  early = await onTriple(ann, 200);
  freezeAt = new Date().toISOString();
  await changeCompetition(database, olga, spec({ codeVisibility: "always", freezeAt }));
  late = await onTriple(ann, 100);
  await onTriple(bob, 150);
});

const reveal = () => changeCompetition(database, olga, spec({ freezeAt, endsAt: new Date().toISOString() }));

/** Returns account names and times in the order of the board. */
async function rowsFor(viewer: Viewer): Promise<[string, number][]> {
  const { rows } = await readBoard(database, viewer, "triple", "cpu");
  return rows.map(({ account, timeNs }) => [account.name, timeNs.value]);
}

test("a frozen board shows the entries from before the freeze and when it ends; then it shows all", async () => {
  const { endsAt } = spec();
  for (const viewer of [STRANGER, ann, bob, olga, root]) expect(await rowsFor(viewer)).toEqual([["ann", 200]]);
  const { freeze, unfrozen } = await readBoard(database, STRANGER, "triple", "cpu");
  expect(freeze?.since).toBe(freezeAt);
  expect(Date.parse(freeze?.until ?? "")).toBeLessThanOrEqual(Date.parse(endsAt));
  expect(unfrozen).toBe(false);
  const summary = (await listBoards(database, STRANGER, { competition: "spring" })).find(
    ({ target }) => target === "cpu",
  );
  expect(summary).toMatchObject({ entries: 1, leader: { name: "ann" }, bestNs: 200, freeze });
  await reveal();
  expect(await rowsFor(STRANGER)).toEqual([
    ["ann", 100],
    ["bob", 150],
  ]);
  expect((await readBoard(database, STRANGER, "triple", "cpu")).freeze).toBeNull();
});

test("only moderators and organisers see the whole board, on request and marked as such", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  for (const viewer of [olga, root]) {
    const board = await readUnfrozen(database, viewer, "triple", "cpu");
    expect(board.rows.map(({ timeNs }) => timeNs.value)).toEqual([100, 150]);
    expect(board).toMatchObject({ unfrozen: true, freeze: { since: freezeAt } });
  }
  for (const viewer of [STRANGER, ann, otto]) {
    await expect(readUnfrozen(database, viewer, "triple", "cpu")).rejects.toMatchObject({ code: "forbidden" });
  }
  expect(await readUnfrozen(database, olga, "triple", "cpu").then(({ rows }) => rows.length)).toBe(2);
  await reveal();
  expect(await readUnfrozen(database, olga, "triple", "cpu")).toMatchObject({ unfrozen: false, freeze: null });
});

test("records and histories end with the freeze", async () => {
  const times = async () => {
    const history = await readHistory(database, ann, "triple", "cpu", [ann.account.id, bob.account.id]);
    return [history.records, ...history.entrants.map(({ points }) => points)].map((points) =>
      points.map(({ timeNs }) => timeNs.value),
    );
  };
  expect(await times()).toEqual([[200], [200]]);
  await reveal();
  expect(await times()).toEqual([[200, 100], [200, 100], [150]]);
});

test("a submission during the freeze is visible only to its author and to organisers and moderators", async () => {
  const { submission } = await submit(database, ann, request({ board: "triple", mode: "benchmark" }));
  const reaches = (viewer: Viewer, id: number) => canSeeSubmission(database, visibilityKeyOf(viewer), id);
  for (const id of [late, submission.id]) {
    for (const viewer of [ann, olga, root]) expect(await reaches(viewer, id)).toBe(true);
    for (const viewer of [STRANGER, bob]) expect(await reaches(viewer, id)).toBe(false);
  }
  expect(await reaches(STRANGER, early)).toBe(true);
  await reveal();
  expect(await reaches(STRANGER, late)).toBe(true);
});

test("a submission during the freeze is visible to the members of its team, and not to former members", async () => {
  await changeCompetition(database, olga, spec({ codeVisibility: "always", freezeAt, teamSize: 3 }));
  const { code } = await createTeam(database, ann, "spring", "Fast ones");
  const reaches = (viewer: Viewer, id: number) => canSeeSubmission(database, visibilityKeyOf(viewer), id);
  const ours = await onTriple(ann, 90);
  const { submission: benchmark } = await submit(database, ann, request({ board: "triple", mode: "benchmark" }));
  expect(await reaches(bob, ours)).toBe(false);
  await joinTeam(database, bob, "spring", code as string);
  expect(await reaches(bob, ours)).toBe(true);
  // Only entries of a team are visible to all of its members.
  expect(await reaches(bob, benchmark.id)).toBe(false);
  // Submissions that Ann made before joining the team stay visible to Ann only.
  expect(await reaches(bob, late)).toBe(false);
  await leaveTeam(database, bob, "spring");
  expect(await reaches(bob, ours)).toBe(false);
});

test("an author sees their hidden submission, and only their rank on the frozen board", async () => {
  const own = await listSubmissions(database, ann, { limit: 10 });
  expect(own.map(({ runs }) => runs[0]?.score?.timeNs.value)).toEqual([100, 200]);
  expect(await findSubmissionRanks(database, ann, "triple", ["cpu"], late)).toMatchObject([
    { own: null, entries: 1, leader: { id: early }, freeze: { since: freezeAt } },
  ]);
  expect(await findSubmissionRanks(database, ann, "triple", ["cpu"], early)).toMatchObject([{ own: { rank: 1 } }]);
});

test("receipt and source of a hidden submission are hidden, and others cannot report it", async () => {
  const { id } = await database.db
    .selectFrom("run")
    .select("id")
    .where("submission_id", "=", late)
    .executeTakeFirstOrThrow();
  expect(await readReceipt(database, bob, id)).toBeNull();
  expect(await readReceipt(database, ann, id)).not.toBeNull();
  expect(await sourceRefusal(database, bob, late)).toMatchObject({ code: "not_found" });
  expect(await sourceRefusal(database, bob, early)).toBeNull();
  await expect(reportRun(database, bob, id, "too fast")).rejects.toMatchObject({ code: "not_found" });
  await reveal();
  expect(await readReceipt(database, bob, id)).not.toBeNull();
  await reportRun(database, bob, id, "too fast");
});

test("a profile shows the rank on the frozen board, and nothing from the freeze", async () => {
  const facts = async (viewer: Viewer) => {
    const { entries, recent, records, authors } = await readPerson(database, viewer, ann.account.id);
    return {
      entries: entries.map(({ timeNs, freeze }) => [timeNs.value, freeze !== null]),
      recent: recent.map(({ timeNs }) => timeNs.value),
      records: records.map(({ timeNs }) => timeNs),
      submissions: authors.map(({ submissions }) => submissions),
    };
  };
  expect(await facts(bob)).toEqual({ entries: [[200, true]], recent: [200], records: [200], submissions: [1] });
  expect(await facts(ann)).toMatchObject({ entries: [[200, true]], recent: [100, 200], records: [200] });
  await expect(readPerson(database, STRANGER, bob.account.id)).rejects.toMatchObject({ code: "not_found" });
  await reveal();
  expect(await facts(bob)).toMatchObject({ entries: [[100, false]], recent: [100, 200], records: [100, 200] });
});

test("the change number changes with the freeze and the reveal, but not with hidden entries", async () => {
  const numbers = async () => [
    await readChangeNumber(database, "triple", "cpu"),
    await readListChangeNumber(database, STRANGER, "spring"),
  ];
  await notifyPhaseChanges(database);
  const before = await numbers();
  await onTriple(bob, 90);
  expect(await numbers()).toEqual(before);
  await notifyPhaseChanges(database);
  expect(await numbers()).toEqual(before);
  // The reveal is reached by time, without any request.
  await database.sql`alter table competition disable trigger outbox_competition`;
  await database.sql`update competition set ends_at = now(), boards_notified_at = ${freezeAt}::timestamptz where name = 'spring'`;
  await database.sql`alter table competition enable trigger outbox_competition`;
  expect(await rowsFor(STRANGER)).toHaveLength(2);
  await notifyPhaseChanges(database);
  const after = await numbers();
  expect(after[0]).toBeGreaterThan(before[0] ?? 0);
  await notifyPhaseChanges(database);
  expect(await numbers()).toEqual(after);
});

test("between end and reveal the board stays frozen, is not exported, and its actual top is re-run", async () => {
  const now = new Date().toISOString();
  await changeCompetition(database, olga, spec({ freezeAt, endsAt: now, revealAt: inHours(1) }));
  expect(await rowsFor(STRANGER)).toEqual([["ann", 200]]);
  const [candidate] = (await sql<Candidate>`${sql.raw(CANDIDATES)}`.execute(database.db)).rows;
  expect(exportObstacle(candidate as Candidate)).toMatch(/^the competition spring is open until/);
  const [again] = await rerunBoard(database, root, { board: "triple", target: "cpu", top: 1 });
  const run = await database.db
    .selectFrom("run")
    .select("submission_id")
    .where("id", "=", again ?? 0)
    .executeTakeFirst();
  expect(run?.submission_id).toBe(late);
});

test("a problem that ended before the freeze is not frozen", async () => {
  const endsAt = new Date(Date.parse(freezeAt) - 1).toISOString();
  await changeCompetition(database, olga, spec({ freezeAt, problems: [{ name: "triple", endsAt }] }));
  expect(await readBoard(database, STRANGER, "triple", "cpu")).toMatchObject({
    freeze: null,
    rows: [{ submissionId: early }],
  });
});
