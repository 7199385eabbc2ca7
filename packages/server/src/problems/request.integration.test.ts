import { expect, test } from "vitest";
import { SyncRequest, type SyncedProblem, type SyncReport } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person, problemFiles, problemTree, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readProblem } from "./problems.ts";
import { syncRequested } from "./request.ts";
import { syncProblems } from "./sync.ts";

useScene();
useOrganiser();

type Files = Record<string, Record<string, string | null>>;

/** Returns a sync request with these directories, which replace those of the server's own folder. */
function sent(directories: Files, change: Partial<SyncRequest> = {}): SyncRequest {
  const files = Object.entries(directories).flatMap(([directory, texts]) =>
    Object.entries(texts).map(([name, text]) => [directory === "" ? name : `${directory}/${name}`, text] as const),
  );
  return SyncRequest.parse({
    source: "https://example.org/p",
    revision: "abc",
    replace: true,
    ...change,
    files: Object.fromEntries(files),
  });
}

const outcomes = ({ problems }: SyncReport) => problems.map(({ name, outcome }) => [name, outcome]);
const only = ({ problems }: SyncReport) => problems[0] as SyncedProblem;
const changed = (change: (task: string) => string) => ({ "set/double": problemFiles(change) });

test("reports each problem as new, changed, unchanged or refused; an invalid one does not stop the others", async () => {
  const report = await syncRequested(
    database,
    root,
    sent({
      "set/double": problemFiles((task) => task.replace("Doubles", "Quickly doubles")),
      "set/triple": problemFiles(),
      "set/fourfold": problemFiles(),
      "set/odd": problemFiles((task) => `${task}\nsurprise: 1\n`),
      "other/double": problemFiles(),
      "set/raw": { ...problemFiles(), "data.bin": null },
    }),
  );
  expect(report.problems).toMatchObject([
    { name: "double", path: "other/double", outcome: "changed", changes: [] },
    { name: "double", path: "set/double", outcome: "refused", why: 'problem "double" is already in the set "other"' },
    { name: "fourfold", outcome: "new", targets: ["cpu", "H100"] },
    { name: "odd", outcome: "refused", why: expect.stringContaining("surprise") as string },
    {
      name: "raw",
      outcome: "refused",
      why: expect.stringContaining('"data.bin": the file is not UTF-8 text') as string,
    },
    { name: "triple", outcome: "unchanged" },
  ]);
  expect(await readProblem(database, STRANGER, "fourfold")).toMatchObject({ set: "set" });
});

test("reports changes by kind and applies them", async () => {
  const change = (task: string) =>
    task
      .replace("H100: {}", "B200: {}")
      .replace("size: 1,", "size: 7,")
      .replace("{ size: 8, seed: 2 }, ", "")
      .replace("ranking_by: mean", "ranking_by: geom\ntest_timeout: 300\ntolerance: { rtol: 0.1, atol: 0, reason: x }");
  expect(only(await syncRequested(database, root, sent(changed(change)))).changes).toEqual([
    { kind: "targets", words: "B200 added; H100 removed" },
    { kind: "tests", words: "size: 7; seed: 1 added; size: 1; seed: 1 removed" },
    { kind: "benchmarks", words: "size: 8; seed: 2 removed" },
    { kind: "tolerance", words: "none → rtol 0.1, atol 0" },
    { kind: "ranking", words: "mean → geom" },
    { kind: "limits", words: "test: 180 s → 300 s" },
    { kind: "text", words: "the reason of the tolerance" },
  ]);
  await expect(submitted(database, ann, { targets: ["H100"] })).rejects.toThrow("H100");
  expect(await submitted(database, ann, { targets: ["B200"] })).toBeGreaterThan(0);
});

test("a dry run returns the same report and changes nothing", async () => {
  const request = sent({ ...changed((task) => task.replace("mean", "geom")), "set/fourfold": problemFiles() });
  const before = await readProblem(database, STRANGER, "double");
  const planned = await syncRequested(database, root, { ...request, dryRun: true });
  expect(await readProblem(database, STRANGER, "double")).toEqual(before);
  expect(await readProblem(database, STRANGER, "fourfold")).toBeNull();
  expect(await syncRequested(database, root, request)).toEqual({ ...planned, dryRun: false });
  const log = await database.db.selectFrom("audit").select(["act", "subject", "detail"]).execute();
  expect(log).toMatchObject([
    { act: "sync", subject: "problems", detail: { revision: "abc", created: ["fourfold"], changed: ["double"] } },
  ]);
});

test("imports a single set with the files it shares with others", async () => {
  const shared = problemFiles((task) => `${task}\nfiles: [{ name: utils.py, source: ../../other/shared.py }]\n`);
  const files = { "set/double": shared, "other/triple": problemFiles(), other: { "shared.py": "x = 1\n" } };
  const report = await syncRequested(database, root, sent(files, { set: "set" }));
  expect(outcomes(report)).toEqual([["double", "changed"]]);
  expect((await readProblem(database, STRANGER, "double"))?.problem.files["utils.py"]).toBe("x = 1\n");
});

test("never reads a file outside the tree", async () => {
  for (const source of ["../../../etc/passwd", "/etc/passwd", "../../constructor", "../../__proto__"]) {
    const files = problemFiles((task) => `${task}\nfiles: [{ name: utils.py, source: ${source} }]\n`);
    expect(only(await syncRequested(database, root, sent({ "set/double": files }))).why).toContain(
      "does not exist below the root of the problems",
    );
  }
  for (const path of ["../x/task.yml", "/x/task.yml", "a//task.yml", "a/../../task.yml", "a\\task.yml"]) {
    expect(SyncRequest.safeParse({ source: "x", files: { [path]: "" } }).success).toBe(false);
  }
});

test("rejects names of the server's own folder and changes nothing, unless they get a prefix or are to be replaced", async () => {
  const competition =
    "name: Spring\nproblems: [{ directory: set/triple, name: triple, deadline: 2100-01-01, gpus: [L4] }]\n";
  const directories = {
    ...changed((task) => task.replace("mean", "geom")),
    "set/triple": problemFiles(),
    "set/fourfold": problemFiles(),
    "": { "spring.yaml": competition },
  };
  for (const dryRun of [true, false]) {
    await expect(syncRequested(database, root, sent(directories, { replace: false, dryRun }))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(
        /same names: triple, double; nothing was changed.*--prefix TEXT.*--replace/,
      ) as string,
    });
  }
  expect(await readProblem(database, STRANGER, "fourfold")).toBeNull();
  const report = await syncRequested(database, root, sent(directories, { replace: false, prefix: "amd-" }));
  expect(outcomes(report)).toEqual([
    ["amd-double", "new"],
    ["amd-fourfold", "new"],
    ["amd-triple", "new"],
  ]);
  expect(await readProblem(database, STRANGER, "amd-triple")).toMatchObject({
    competition: "spring",
    targets: expect.arrayContaining(["L4"]) as string[],
  });
  expect((await readProblem(database, STRANGER, "double"))?.problem.spec.rankingBy).toBe("mean");
});

test("accepts a problem of the server's own folder that is unchanged", async () => {
  const report = await syncRequested(database, root, sent({ "set/double": problemFiles() }, { replace: false }));
  expect(outcomes(report)).toEqual([["double", "unchanged"]]);
});

test("reports problems missing from their source and keeps them", async () => {
  await syncRequested(database, root, sent({ "set/fourfold": problemFiles(), "set/fivefold": problemFiles() }));
  const report = await syncRequested(database, root, sent({ "set/fivefold": problemFiles() }));
  expect(outcomes(report)).toEqual([
    ["fivefold", "unchanged"],
    ["fourfold", "gone"],
  ]);
  expect(await submitted(database, ann, { board: "fourfold" })).toBeGreaterThan(0);
  const elsewhere = await syncRequested(database, root, sent({ "set/six": problemFiles() }, { source: "folder b" }));
  expect(outcomes(elsewhere)).toEqual([["six", "new"]]);
});

test("server start does not change problems from other sources", async () => {
  await syncRequested(database, root, sent(changed((task) => task.replace("mean", "geom"))));
  const synced = await syncProblems(database, problemTree({ "set/double": problemFiles() }), { keepForeign: true });
  expect(synced.kept).toEqual([{ name: "double", message: "it comes from https://example.org/p" }]);
  expect((await readProblem(database, STRANGER, "double"))?.problem.spec.rankingBy).toBe("geom");
});

test("an organiser imports problems outside other organisers' competitions; other accounts cannot import", async () => {
  await made(spec({ problems: ["double"] }));
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  const request = sent({ ...changed((task) => task.replace("mean", "geom")), "set/fourfold": problemFiles() });
  expect((await syncRequested(database, otto, request)).problems).toMatchObject([
    { name: "double", outcome: "refused", why: "double is in a competition that otto does not organise" },
    { name: "fourfold", outcome: "new" },
  ]);
  expect(outcomes(await syncRequested(database, olga, request))).toContainEqual(["double", "changed"]);
  await expect(syncRequested(database, ann, request)).rejects.toMatchObject({ code: "forbidden" });
});

test("records each version that took effect, with its source and account", async () => {
  const request = sent(changed((task) => task.replace("mean", "geom")));
  await syncRequested(database, root, request);
  await syncRequested(database, root, request);
  await syncRequested(database, root, sent({ "set/double": problemFiles() }, { revision: "def" }));
  const history = await database.db
    .selectFrom("problem_change")
    .select(["account_id", "source", "revision", "changes"])
    .where("problem", "=", "double")
    .orderBy("id")
    .execute();
  const by = { account_id: root.account.id, source: "https://example.org/p" };
  expect(history).toEqual([
    { account_id: null, source: null, revision: null, changes: [] },
    { ...by, revision: "abc", changes: [{ kind: "ranking", words: "mean → geom" }] },
    { ...by, revision: "def", changes: [{ kind: "ranking", words: "geom → mean" }] },
  ]);
});
