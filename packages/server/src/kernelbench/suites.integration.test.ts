import { expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { readQueue, queueFor } from "../queue/queue.ts";
import { listBoards } from "../boards/list.ts";
import { readListChangeNumber } from "../boards/change-numbers.ts";
import { readPerson } from "../people/profile.ts";
import { STRANGER } from "../auth/visibility.ts";
import { createCompetition } from "../competitions/change.ts";
import { submit } from "../submissions/submit.ts";
import { freeProblems, listOwnProblems } from "../problems/overview.ts";
import { listProblems, readProblem } from "../problems/problems.ts";
import { syncProblems } from "../problems/sync.ts";
import { problemFiles, problemTree } from "@kernelbot/testing/fixtures.ts";
import { suiteSource, suiteUpload, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listSuites, putSuite, readSuite } from "./suites.ts";

useScene();

test("a suite has its problems in order, each with a board on every target", async () => {
  const suite = await withSuite(database, root, { problems: suiteUpload().problems.toReversed() });
  expect(suite).toMatchObject({ name: "tiny", profile: "full", problemCount: 3, targets: ["cpu", "H100"] });
  expect(suite.problems.map(({ level, problem, board }) => [level, problem, board])).toEqual([
    [1, 1, "tiny-l1-p1"],
    [1, 2, "tiny-l1-p2"],
    [2, 1, "tiny-l2-p1"],
  ]);
  const found = await readProblem(database, STRANGER, "tiny-l1-p2");
  expect(found).toMatchObject({ set: "tiny", targets: ["cpu", "H100"], version: suite.problems[1]?.version });
  const { problems: _, ...summary } = suite;
  expect(await listSuites(database)).toEqual([summary]);
});

test("uploading an unchanged suite writes nothing", async () => {
  const first = await withSuite(database, root);
  const [before] = await database.sql`select updated_at from problem where name = 'tiny-l1-p1'`;
  const [again, elsewhere] = [
    await withSuite(database, root),
    await withSuite(database, root, { origin: "https://example.org/other" }),
  ];
  expect([again, elsewhere]).toEqual([first, first]);
  expect(await database.sql`select updated_at from problem where name = 'tiny-l1-p1'`).toEqual([before]);
  expect(await database.sql`select from audit where act = 'put'`).toHaveLength(1);
});

test("a changed problem or degenerate flag creates a version; old versions remain and can be restored", async () => {
  const first = await withSuite(database, root);
  const [one, ...others] = suiteUpload().problems;
  const changed = { ...one, source: "# changed\n" } as (typeof others)[number];
  const second = await withSuite(database, root, { problems: [changed, ...others] });
  expect(second.version).not.toBe(first.version);
  expect(second.problems[0]?.version).not.toBe(first.problems[0]?.version);
  expect(second.problems[1]).toEqual(first.problems[1]);
  expect(await readSuite(database, "tiny")).toEqual(second);
  expect(await readSuite(database, "tiny", first.version)).toEqual(first);
  const degenerate = suiteSource({ level: 2, problem: 1 });
  degenerate.inspection.degenerate = "zeros";
  const third = await withSuite(database, root, { problems: [...suiteUpload().problems.slice(0, 2), degenerate] });
  expect(third.version).not.toBe(first.version);
  expect(await withSuite(database, root)).toEqual(first);
  expect((await readProblem(database, STRANGER, "tiny-l1-p1"))?.version).toBe(first.problems[0]?.version);
});

test("rejects duplicate problems, unknown suites and callers other than organisers", async () => {
  await expect(putSuite(database, ann, suiteUpload())).rejects.toMatchObject({ code: "forbidden" });
  const [one] = suiteUpload().problems;
  await expect(withSuite(database, root, { problems: [one, one] as never })).rejects.toThrow(
    "level_1_problem_1 occurs twice in the suite",
  );
  await expect(readSuite(database, "large")).rejects.toThrow('suite "large" does not exist');
  await withSuite(database, root);
  await expect(readSuite(database, "tiny", "0".repeat(64))).rejects.toMatchObject({ code: "not_found" });
});

test("a suite is stored completely or not at all", async () => {
  await syncProblems(database, problemTree({ "set/tiny-l2-p1": problemFiles() }));
  await expect(withSuite(database, root)).rejects.toThrow('a problem named "tiny-l2-p1" already exists');
  expect(await listSuites(database)).toEqual([]);
  expect(await readProblem(database, STRANGER, "tiny-l1-p1")).toBeNull();
});

test("a problem directory cannot replace a suite's problem", async () => {
  await withSuite(database, root);
  const { broken } = await syncProblems(database, problemTree({ "set/tiny-l1-p1": problemFiles() }));
  expect(broken.map(({ message }) => message)).toEqual([
    'a problem named "tiny-l1-p1" already exists and belongs to the suite tiny',
  ]);
});

test("a suite's problems are not listed, even for administrators", async () => {
  const [before, changeNumber] = [await listProblems(database, root), await readListChangeNumber(database, root)];
  await withSuite(database, root);
  for (const viewer of [STRANGER, ann, root]) {
    expect(await listProblems(database, viewer)).toEqual(before);
    expect((await listBoards(database, viewer)).map(({ board }) => board)).not.toContain("tiny-l1-p1");
  }
  expect(await readListChangeNumber(database, root)).toBe(changeNumber);
  expect((await listOwnProblems(database, root)).map(({ name }) => name)).toEqual(["double", "triple"]);
  expect(await freeProblems(database, null)).toEqual(["double", "triple"]);
});

test("a suite's problems cannot be added to a competition", async () => {
  await withSuite(database, root);
  const spec = CompetitionSpec.parse({
    ...{ name: "cup", title: "Cup", description: "", licence: null, teamSize: 1, problems: ["tiny-l1-p1"] },
    ...{ visibility: "public", codeVisibility: "never" },
    ...{ startsAt: "2026-01-01T00:00:00Z", endsAt: "2027-01-01T00:00:00Z" },
  });
  await expect(createCompetition(database, root, spec)).rejects.toThrow(
    "the problem tiny-l1-p1 belongs to the suite tiny",
  );
});

test("a direct submission to a suite's problem is visible only to its account", async () => {
  await withSuite(database, root, { targets: ["MI300"] });
  const request = { board: "tiny-l1-p1", targets: ["MI300"], fileName: "k.py", source: "pass\n" };
  const { submission } = await submit(database, ann, { ...request, mode: "benchmark" });
  expect(submission.runs).toHaveLength(1);
  await expect(readPerson(database, STRANGER, ann.account.id)).rejects.toMatchObject({ code: "not_found" });
  expect((await readPerson(database, ann, ann.account.id)).weeks.at(-1)?.submissions).toBe(1);
});

test("the queue lists targets that only suites have", async () => {
  await withSuite(database, root, { targets: ["MI300"] });
  const queue = await queueFor(database, STRANGER, await readQueue(database));
  expect(queue.targets.map(({ target }) => target)).toContain("MI300");
});
