import { expect, test } from "vitest";
import { made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { problemFiles, problemTree, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { countOwnProblems, listOwnProblems } from "./overview.ts";
import { retireProblem } from "./retire.ts";
import { syncProblems } from "./sync.ts";

useScene();
useOrganiser();

test("shows a problem with its versions, source, boards and end times", async () => {
  const { endsAt } = await made();
  await submitted(database, ann, { board: "triple" });
  await retireProblem(database, olga, "triple", { force: true });
  const before = (await listOwnProblems(database, olga))[0]?.version;
  const changed = problemFiles((task) => task.replace("targets: { cpu: {}, H100: {} }", "targets: { cpu: {} }"));
  await syncProblems(database, problemTree({ "spring/triple": changed }));
  const [triple, ...others] = await listOwnProblems(database, olga);
  expect(others).toEqual([]);
  expect(triple).toMatchObject({
    name: "triple",
    set: "spring",
    competition: "spring",
    closesAt: endsAt,
    boards: [
      { target: "cpu", accepts: true, revision: 1 },
      { target: "H100", accepts: false, revision: 1 },
    ],
    submissions: 1,
  });
  expect(triple?.versions).toMatchObject([
    { hash: triple?.version, changes: [{ kind: "targets", words: "H100 removed" }] },
    { hash: before, changes: [] },
  ]);
});

test("administrators see all problems; accounts that organise none are rejected", async () => {
  await made();
  expect((await listOwnProblems(database, root)).map(({ name, competition }) => [name, competition])).toEqual([
    ["double", null],
    ["triple", "spring"],
  ]);
  expect((await listOwnProblems(database, root, { from: 2, to: 101 })).map(({ name }) => name)).toEqual(["triple"]);
  expect(await countOwnProblems(database, root, "triple")).toEqual({ all: 2, before: 1 });
  expect(await countOwnProblems(database, olga)).toEqual({ all: 1, before: 0 });
  await expect(countOwnProblems(database, ann)).rejects.toMatchObject({ code: "forbidden" });
  await expect(listOwnProblems(database, ann)).rejects.toMatchObject({ code: "forbidden" });
});
