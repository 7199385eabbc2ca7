import { expect, test } from "vitest";
import type { ImportBatch, ImportedRow } from "@kernelbot/core";
import { readBoard } from "../../boards/boards.ts";
import { readHistory } from "../../boards/history.ts";
import { readPerson } from "../../boards/person.ts";
import { STRANGER } from "../../competitions/access.ts";
import { readCompetition } from "../../competitions/competitions.ts";
import { moderationQueue } from "../../moderation/quarantine.ts";
import { confirmTop, rerunSubmission } from "../../moderation/rerun.ts";
import { linkIdentity, signIn } from "../../people/identities.ts";
import { authenticateSession } from "../../people/sessions.ts";
import { syncProblems } from "../../problems/sync.ts";
import { readSubmission } from "../../runs/views.ts";
import { person, problemFiles, problemTree } from "../../testing/fixtures.ts";
import { ann, bob, database, root } from "../../testing/scene.ts";
import { importBatch } from "./import.ts";

const HEAD: ImportBatch["head"] = {
  source: "kernelbot-data",
  competition: "spring",
  title: "Spring kernels",
  startsAt: "2025-03-01T00:00:00Z",
  endsAt: "2025-04-01T00:00:00Z",
  licence: "CC-BY-4.0",
};

function batch(rows: readonly Partial<ImportedRow>[], change: Partial<ImportBatch> = {}): ImportBatch {
  return {
    head: HEAD,
    discordUsers: true,
    problems: [{ number: 496, name: "trimul", description: "Triangles.", reference: "pass\n", targets: ["B200"] }],
    sources: ["import torch\n"],
    rows: rows.map((row, at) => ({ ...ROW, submission: at + 1, ...row })),
    ...change,
  };
}

const ROW: ImportedRow = {
  submission: 1,
  run: null,
  problem: 496,
  userId: "210000000000000001",
  userName: "carla",
  fileName: "kernel.py",
  source: 0,
  mode: "ranked",
  target: "B200",
  submittedAt: "2025-03-02T12:00:00.123456Z",
  startedAt: null,
  finishedAt: null,
  outcome: "passed",
  failureClass: null,
  timeNs: 1000,
};
const DAN = { userId: "210000000000000002", userName: "dan" };
const FAILED = { outcome: "failed", timeNs: null } as const;

const imported = (...parts: Parameters<typeof batch>) => importBatch(database, root, batch(...parts));

test("imported runs stand on the board, in the history and on the pages of their people", async () => {
  const answer = await imported([
    { timeNs: 3000 },
    { ...DAN, timeNs: 2000, submittedAt: "2025-03-03T00:00:00Z" },
    { timeNs: 1000, submittedAt: "2025-03-04T00:00:00Z" },
    { ...DAN, timeNs: 10, submittedAt: "2025-04-01T00:00:00Z" },
    { ...FAILED, ...DAN, failureClass: "wrong_result", mode: "test" },
  ]);
  expect(answer).toMatchObject({ problems: [{ number: 496, name: "trimul" }], made: 5, accounts: 2 });
  const { rows } = await readBoard(database, STRANGER, "trimul", "B200");
  expect(rows).toMatchObject([
    { rank: 1, account: { name: "carla" }, timeNs: { value: 1000 }, imported: true },
    { rank: 2, account: { name: "dan" }, timeNs: { value: 2000 }, submittedAt: "2025-03-03T00:00:00.000Z" },
  ]);
  const { records } = await readHistory(database, STRANGER, "trimul", "B200", []);
  expect(records.map(({ timeNs }) => timeNs.value)).toEqual([3000, 2000, 1000]);
  const carla = await readPerson(database, STRANGER, rows[0]?.account.id ?? "");
  expect(carla).toMatchObject({ entries: [{ board: "trimul", rank: 1 }] });
  expect(await readSubmission(database, rows[0]?.submissionId ?? 0)).toMatchObject({
    imported: { source: "kernelbot-data", submission: 3 },
    licence: "CC-BY-4.0",
    runs: [{ verdict: "passed", imported: true, finishedAt: null }],
  });
  expect(await readCompetition(database, STRANGER, "spring")).toMatchObject({
    problems: ["trimul"],
    endsAt: "2025-04-01T00:00:00.000Z",
  });
});

test("a batch that comes again changes nothing, and a row that repeats a run is told", async () => {
  const rows = [{ run: 7 }, { run: 8, submission: 1 }, { run: 9, submission: 1, target: "H100" }];
  expect(await imported(rows)).toMatchObject({ made: 2, known: 0, repeated: 1, accounts: 1 });
  expect(await imported(rows)).toMatchObject({ made: 0, known: 2, repeated: 1, accounts: 0 });
  expect(await imported([...rows, { submission: 2 }])).toMatchObject({ made: 1, known: 2, repeated: 1 });
  const { rows: shown } = await readBoard(database, STRANGER, "trimul", "B200");
  expect(await readSubmission(database, shown[0]?.submissionId ?? 0)).toMatchObject({ runs: [{}, {}] });
});
