/** Competitions of a tree: of KernelBot's own format, and of the existing format that lists directories. */
import { expect, test } from "vitest";
import { SyncRequest, type SyncReport } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition } from "../competitions/change.ts";
import { findCompetition, readCompetition } from "../competitions/competitions.ts";
import { olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person, problemFiles, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readProblem } from "./problems.ts";
import { syncRequested } from "./request.ts";

useScene();
useOrganiser();

const OURS = `name: summer
title: Summer kernels
starts_at: 2020-01-01T00:00:00Z
ends_at: 2100-01-01T00:00:00Z
problems: [sum]
`;
/** Problem of the existing format, with a shared file. */
const TASK = `files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "reference.py", "source": "reference.py"}
  - {"name": "utils.py", "source": "../../second/utils.py"}
  - {"name": "eval.py", "source": "../eval.py"}
lang: "py"
description: "Multiplies."
config: {main: "eval.py"}
templates: {Python: "../template.py", CuteDSL: "../template.py"}
tests: [{"m": 64, "has_bias": false, "shapes": [1, 2], "case": "plain", "seed": 1}]
benchmarks: [{"m": 128, "has_bias": true, "shapes": [3], "case": "plain", "seed": 2}]
test_timeout: 540
ranked_timeout: 900
ranking_by: "geom"
seed: null
libraries: []
`;
const EXISTING: Record<string, string> = {
  "first.yaml": `name: A challenge, the first
deadline: ""
description: Two kernels.
problems:
  - {directory: first/fp8-mm, name: first-fp8-mm, deadline: "2100-09-02", gpus: [MI300, B200_Nebius]}
  - {directory: first/moe, name: first-moe, deadline: "2100-11-29 6:59", gpus: [MI300]}
`,
  "first/eval.py": "print()\n",
  "first/template.py": "pass\n",
  "second/utils.py": "x = 1\n",
  "first/fp8-mm/task.yml": TASK,
  "first/fp8-mm/reference.py": "pass\n",
  "first/moe/task.yml": `${TASK}gpus: [L4]\n`,
  "first/moe/reference.py": "pass\n",
};

function sync(files: Record<string, string>, change: Partial<SyncRequest> = {}, identity = olga): Promise<SyncReport> {
  return syncRequested(database, identity, SyncRequest.parse({ source: "x", ...change, files }));
}

function directory(path: string, change?: (task: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(problemFiles(change)).map(([name, text]) => [`${path}/${name}`, text]));
}

test("loads an existing repository unchanged: names, devices, shared files, deadlines", async () => {
  const before = Date.now();
  const report = await sync(EXISTING);
  expect(report.problems).toMatchObject([
    { name: "first-fp8-mm", path: "first/fp8-mm", outcome: "new", targets: ["B200_Nebius", "MI300"] },
    { name: "first-moe", outcome: "new", targets: ["MI300"] },
  ]);
  expect(report.competitions).toMatchObject([{ name: "first", file: "first.yaml", outcome: "new" }]);
  const competition = await findCompetition(database, "first");
  expect(competition).toMatchObject({
    title: "A challenge, the first",
    visibility: "public",
    endsAt: "2100-11-29T06:59:00.000Z",
    problems: [
      { name: "first-fp8-mm", endsAt: "2100-09-02T00:00:00.000Z" },
      { name: "first-moe", endsAt: null },
    ],
  });
  expect(Date.parse(competition.startsAt)).toBeGreaterThanOrEqual(before);
  const problem = await readProblem(database, STRANGER, "first-moe");
  expect(problem?.problem.files["utils.py"]).toBe("x = 1\n");
  expect(problem?.problem.spec).toMatchObject({
    harness: "legacy",
    templates: { Python: "pass\n", CuteDSL: "pass\n" },
    tests: [{ m: 64, has_bias: false, shapes: [1, 2], case: "plain", seed: 1 }],
    timeoutsS: { test: 540, ranked: 900 },
  });
  expect(await submitted(database, ann, { board: "first-moe", targets: ["MI300"], mode: "ranked" })).toBeGreaterThan(0);
  const again = await sync(EXISTING);
  expect([...again.problems, ...again.competitions].map(({ outcome }) => outcome)).toEqual(Array(3).fill("unchanged"));
});

test("applies a new deadline and devices, and keeps settings that the file does not define", async () => {
  await sync(EXISTING);
  const { organisers: _, ...now } = await findCompetition(database, "first");
  const problems = now.problems.map((problem) => ({ ...problem, limits: { rankedPerHour: 3 } }));
  await changeCompetition(database, olga, { ...now, visibility: "unlisted", problems });
  const file = (EXISTING["first.yaml"] ?? "")
    .replace("2100-09-02", "2100-10-02")
    .replace("gpus: [MI300]", "gpus: [B200]");
  const report = await sync({ ...EXISTING, "first.yaml": file });
  expect(report.competitions[0]?.changes).toEqual([
    { kind: "dates", words: "first-fp8-mm ends 2100-09-02T00:00:00Z → 2100-10-02T00:00:00Z" },
  ]);
  expect(report.problems[1]?.changes).toEqual([{ kind: "targets", words: "B200 added; MI300 removed" }]);
  expect(await findCompetition(database, "first")).toMatchObject({
    visibility: "unlisted",
    startsAt: now.startsAt,
    problems: [
      { name: "first-fp8-mm", limits: { rankedPerHour: 3 } },
      { name: "first-moe", limits: { rankedPerHour: 3 } },
    ],
  });
});

test("imports a competition that ended before it was first seen as ended", async () => {
  const file = (EXISTING["first.yaml"] ?? "").replaceAll("2100", "2024");
  expect((await sync({ ...EXISTING, "first.yaml": file })).competitions).toMatchObject([{ outcome: "new" }]);
  expect(await findCompetition(database, "first")).toMatchObject({ endsAt: "2024-11-29T06:59:00.000Z" });
  await expect(submitted(database, ann, { board: "first-moe", targets: ["MI300"], mode: "ranked" })).rejects.toThrow();
});

test("an invalid date rejects the whole competition, naming file and key", async () => {
  const file = (EXISTING["first.yaml"] ?? "").replace('"2100-09-02"', '"2100-09-31"');
  const report = await sync({ ...EXISTING, "first.yaml": file, ...directory("set/double") });
  expect(report.competitions).toMatchObject([
    {
      outcome: "refused",
      why: expect.stringMatching(/^first\.yaml: problems\.0\.deadline: "2100-09-31" is not a valid date/) as string,
    },
  ]);
  expect(report.problems.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["double", "unchanged"],
    ["fp8-mm", "refused"],
    ["moe", "refused"],
  ]);
});

test("a competition file creates the competition with its problems, updates it as a whole, and is closed until it starts", async () => {
  const files = { "summer.yml": OURS.replace("problems", "visibility: closed\nproblems"), ...directory("set/sum") };
  const planned = await sync(files, { dryRun: true });
  expect(await readCompetition(database, olga, "summer")).toBeNull();
  expect(await sync(files)).toEqual({ ...planned, dryRun: false });
  expect(await readProblem(database, ann, "sum")).toBeNull();
  const changed = await sync({ ...files, "summer.yml": OURS.replace("2100", "2101") });
  expect(changed.competitions[0]?.changes).toEqual([
    { kind: "dates", words: "ends 2100-01-01T00:00:00Z → 2101-01-01T00:00:00Z" },
    { kind: "access", words: "visibility: closed → public" },
  ]);
});

test("rejects the new problems of a rejected competition, and omits an invalid problem", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  const files = { "summer.yml": OURS.replace("[sum]", "[sum, odd]"), ...directory("set/sum") };
  const broken = directory("set/odd", (task) => `${task}surprise: 1\n`);
  const report = await sync({ ...files, ...broken });
  expect(report.competitions[0]?.changes.at(-1)).toEqual({
    kind: "problems",
    words: "odd omitted because it was rejected",
  });
  expect((await findCompetition(database, "summer")).problems.map(({ name }) => name)).toEqual(["sum"]);
  const others = await sync({ ...files, ...directory("set/odd") }, {}, otto);
  expect(others.competitions).toMatchObject([{ outcome: "refused", why: "otto does not organise summer" }]);
  expect(others.problems).toMatchObject([
    { name: "odd", outcome: "refused", why: "it is new and its competition summer was rejected" },
    { name: "sum", outcome: "refused" },
  ]);
  expect(await readProblem(database, STRANGER, "odd")).toBeNull();
});

test("a set consists of its folder and of what the file of its name lists", async () => {
  const files = { ...EXISTING, "summer.yml": OURS, ...directory("set/sum") };
  const first = await sync(files, { set: "first", dryRun: true });
  expect([...first.problems, ...first.competitions].map(({ name }) => name)).toEqual([
    "first-fp8-mm",
    "first-moe",
    "first",
  ]);
  const own = await sync(files, { set: "set", dryRun: true });
  expect([...own.problems, ...own.competitions].map(({ name }) => name)).toEqual(["sum"]);
});

test("requested as closed, a repository creates a closed competition, and a problem without a file gets its own", async () => {
  const files = { ...EXISTING, ...directory("other/lone") };
  const report = await sync(files, { visibility: "closed" });
  expect(report.problems.map(({ outcome }) => outcome)).toEqual(["new", "new", "new"]);
  expect(report.competitions).toMatchObject([{ name: "first", outcome: "new" }]);
  expect(await findCompetition(database, "first")).toMatchObject({ visibility: "closed" });
  expect(await findCompetition(database, "lone")).toMatchObject({ visibility: "closed", problems: [{ name: "lone" }] });
  for (const name of ["first-fp8-mm", "first-moe", "lone"]) {
    expect(await readProblem(database, STRANGER, name)).toBeNull();
    expect(await readProblem(database, olga, name)).not.toBeNull();
  }
});

test("requested as closed, rejects whatever is or would become public, and creates nothing of it", async () => {
  await sync(directory("set/open"));
  const files = { "summer.yml": OURS, ...directory("set/sum"), ...directory("set/open", (task) => `${task}# newer\n`) };
  const report = await sync(files, { visibility: "closed" });
  expect(report).toMatchObject({
    problems: [
      { name: "open", outcome: "refused", why: expect.stringContaining("already exists in no competition") as string },
      { name: "sum", outcome: "refused" },
    ],
    competitions: [
      {
        name: "summer",
        outcome: "refused",
        why: expect.stringContaining("requested as closed, but it is public") as string,
      },
    ],
  });
  expect(await readProblem(database, root, "sum")).toBeNull();
});

test("rejects a competition file with misspelt keys instead of publishing its problems", async () => {
  const misspelt = OURS.replace("starts_at", "start_at").replace("problems", "visibility: closed\nproblem");
  const report = await sync({ "summer.yml": misspelt, ...directory("set/sum") });
  expect(report).toMatchObject({
    problems: [{ name: "sum", outcome: "refused" }],
    competitions: [{ outcome: "refused", why: expect.stringContaining("unknown key start_at") as string }],
  });
});
