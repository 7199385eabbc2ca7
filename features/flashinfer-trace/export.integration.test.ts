/** FlashInfer Trace data sets exported from boards of a real server, whose runs the test reports. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Solution, Trace, type Case, type JudgeEvent, type Licence, type OutputErrors } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimed, passing, person, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { RAGGED_WORKLOADS, scaleSolution, TWO_SOURCES, writeDataSet } from "@kernelbot/testing/flashinfer-trace.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const SCALE_CASES: Case[] = [
  { rows: 16, workload: "a" },
  { rows: 32, workload: "b" },
];
const RAGGED_CASES: Case[] = RAGGED_WORKLOADS.map(({ uuid, axes }) => ({ ...axes, workload: uuid }));
const PLAIN = "def custom_kernel(data):\n    x, s, y = data\n    return x * s\n";

let server: TestServer;
let box: Awaited<ReturnType<typeof runner>>;
const place = workshop();

beforeAll(async () => {
  server = await openTestServer({ listening: true });
  box = await runner(server.database);
  writeDataSet(join(place.folder, "data"));
  const env = { KERNELBOT_TOKEN: await server.token("root", ["admin", "read", "submit"]) };
  const args = ["problems", "sync", "--format", "flashinfer-trace", "data"];
  expect(await place.kernelbot(args, { server: server.url, env })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

function exported(...args: string[]) {
  return place.kernelbot(["export", "flashinfer-trace", ...args], { server: server.url, env: { KERNELBOT_TOKEN: "" } });
}

function read(path: string): string {
  return readFileSync(join(place.folder, path), "utf8");
}

/** Returns the events of a ranked run on these cases with these times, in nanoseconds. */
function events(cases: readonly Case[], timesNs: readonly number[], errors?: OutputErrors): JudgeEvent[] {
  return passing("ranked", timesNs).map((event) => {
    if (event.type !== "case_finished") return event;
    const values = cases[event.index] ?? {};
    const measured = event.stage === "ranked" && errors !== undefined ? { errors } : {};
    return { ...event, case: values, ...measured };
  });
}

/** Enters a new account's kernel and confirms it by a re-run; returns the submission. */
async function confirmed(
  name: string,
  board: string,
  kernel: { source: string; fileName?: string; licence?: Licence | null },
  results: JudgeEvent[],
): Promise<number> {
  const { database } = server;
  const who = await person(database, name);
  const id = await submitted(database, who, { board, mode: "ranked", licence: "MIT", ...kernel });
  await reported(database, box, await claimed(database, box), results);
  await server.client(await server.token("root", ["submit", "read", "admin"])).moderation.rerun(id);
  await reported(database, box, await claimed(database, box), results);
  return id;
}

test("a board becomes a data set, and importing it again gives the same problem", async () => {
  const small = { absolute: 1e-6, relative: 2e-6 };
  const ann = await confirmed(
    "Ann Lee",
    "scale_rows_k64",
    { source: JSON.stringify(scaleSolution()), fileName: "v1.json" },
    events(SCALE_CASES, [100, 400], small),
  );
  const eve = await confirmed("baseline", "scale_rows_k64", { source: PLAIN }, events(SCALE_CASES, [200, 300]));
  const bob = await confirmed("bob", "scale_rows_k64", { source: PLAIN, licence: null }, events(SCALE_CASES, [90, 90]));
  const { code, out, err } = await exported("scale_rows_k64", "--out", "set", "--json");
  expect(err).toBe(
    `scale_rows_k64: submission ${bob} is not exported: it has no licence; its author sets one with kernelbot licence ${bob} LICENCE\n`,
  );
  expect(code).toBe(0);
  const [first, second] = [`scale_rows_k64-Ann-Lee-${ann}`, `scale_rows_k64-baseline-account-${eve}`];
  expect(JSON.parse(out)).toMatchObject({
    boards: [{ board: "scale_rows_k64", target: "cpu", definition: "scale_rows_k64", solutions: [first, second] }],
  });
  for (const path of ["definitions/elementwise/scale_rows_k64.json"])
    expect(read(`set/${path}`)).toBe(read(`data/${path}`));
  expect(read("set/workloads/elementwise/scale_rows_k64.jsonl")).toBe(
    read("data/workloads/elementwise/scale_rows_k64.jsonl").replace("\n\n", "\n"),
  );
  const solutions = `set/solutions/Ann-Lee/elementwise/scale_rows_k64/${first}.json`;
  expect(Solution.parse(JSON.parse(read(solutions)))).toMatchObject({
    ...{ name: first, author: "Ann-Lee", definition: "scale_rows_k64", sources: scaleSolution().sources },
    spec: { entry_point: "main.py::run", destination_passing_style: true, target_hardware: ["cpu"] },
  });
  const traces = read("set/traces/Ann-Lee/elementwise/scale_rows_k64.jsonl").trimEnd().split("\n");
  expect(traces[0]).toContain('"s": {"type": "scalar", "value": 2.0}');
  expect(traces.map((line) => Trace.parse(JSON.parse(line)))).toMatchObject([
    {
      ...{ definition: "scale_rows_k64", solution: first, workload: { uuid: "a", axes: { rows: 16 } } },
      evaluation: {
        status: "PASSED",
        correctness: { max_absolute_error: 1e-6, max_relative_error: 2e-6, extra: { submission: ann } },
        performance: { latency_ms: 0.0001, reference_latency_ms: 0.001, speedup_factor: 10 },
      },
    },
    { workload: { uuid: "b" }, evaluation: { performance: { speedup_factor: 2.5 } } },
  ]);
  const unknown = read("set/traces/baseline-account/elementwise/scale_rows_k64.jsonl");
  expect(unknown).toContain('"max_relative_error":"NaN","max_absolute_error":"NaN"');
  const [receipt = ""] = readdirSync(join(place.folder, "set/receipts")).filter((name) => name.endsWith(".json"));
  const source = `set/receipts/${receipt.replace(".json", "-submission.py")}`;
  const verified = await place.kernelbot(["verify", `set/receipts/${receipt}`, "--source", source], {
    server: server.url,
  });
  expect(verified.out).toContain("The receipt is valid.");
  expect(read(`set/licences/${first}.txt`)).toContain("MIT License");
  expect(read("set/README.md")).toContain(`| \`${first}\` | Ann Lee | MIT |`);

  const again = await place.kernelbot(["problem", "import", "set", "--out", "again"]);
  expect(again).toMatchObject({ code: 0, err: "" });
  const before = await place.kernelbot(["problem", "import", "data", "--out", "before"]);
  expect(before.code).toBe(0);
  expect(
    execFileSync("diff", ["-r", "again/scale_rows_k64", "before/scale_rows_k64"], { cwd: place.folder }).length,
  ).toBe(0);
});

test("stored tensors, and workloads that are not traces, are returned as they were imported", async () => {
  const source = "def run(x, indptr, norm_weight):\n    ...\n";
  await confirmed("mia", "ragged-sum-v1", { source }, events(RAGGED_CASES, [100, 100]));
  const { code, err } = await exported("ragged-sum-v1", "--out", "ragged", "--top", "1");
  expect(err).toBe(
    "ragged-sum-v1: flashinfer-bench does not read the definition: op_type: is missing; axes.entries: is an expression; " +
      "norm_weight.shape: 8 is not an axis; workloads: inputs are made by custom_inputs_entrypoint\n",
  );
  expect(code).toBe(0);
  expect(read("ragged/bare-workloads/other/Ragged-Sum.v1.jsonl")).toBe(`${read("data/ragged/workload.jsonl")}\n`);
  expect(existsSync(join(place.folder, "ragged/workloads"))).toBe(false);
  await place.kernelbot(["problem", "import", "ragged", "--out", "ragged-again"]);
  await place.kernelbot(["problem", "import", "data", "--out", "ragged-before"]);
  execFileSync("diff", ["-r", "ragged-again/ragged-sum-v1", "ragged-before/ragged-sum-v1"], { cwd: place.folder });
});

test("a solution in several files keeps them, and gets the language of flashinfer-bench", async () => {
  const solution = scaleSolution({
    spec: {
      languages: ["pytorch"],
      language: undefined,
      entry_point: "package/main.py::run",
      destination_passing_style: false,
    },
    sources: TWO_SOURCES,
  });
  const id = await confirmed(
    "kim",
    "scale_rows_k64",
    { source: JSON.stringify(solution), fileName: "v2.json" },
    events(SCALE_CASES, [50, 50]),
  );
  expect(await exported("scale_rows_k64", "scale_rows_k64", "--out", "top", "--top", "1")).toMatchObject({ code: 0 });
  const name = `scale_rows_k64-kim-${id}`;
  expect(JSON.parse(read(`top/solutions/kim/elementwise/scale_rows_k64/${name}.json`))).toMatchObject({
    sources: TWO_SOURCES,
    spec: { language: "python", entry_point: "package/main.py::run", destination_passing_style: false },
  });
  expect(readdirSync(join(place.folder, "top/solutions"))).toEqual(["kim"]);
  // A board that is named twice is exported once.
  expect(read("top/traces/kim/elementwise/scale_rows_k64.jsonl").trimEnd().split("\n")).toHaveLength(2);
});

test.each([
  [["scale_rows_k64"], "--out DIR is required"],
  [["No Board", "--out", "x"], '"No Board" is not a board\'s name'],
  [["nothing", "--out", "x"], "among the public problems of"],
  [["scale_rows_k64", "--out", "x", "--target", "H100"], 'scale_rows_k64 has no entries on "H100"; it has some on cpu'],
  [["scale_rows_k64", "--out", "x", "--top", "0"], "is not a number of entries; use a positive integer"],
  [["triple", "--out", "x"], "triple has no entries"],
])("invalid arguments %j are rejected with the reason", async (args, why) => {
  const { code, err } = await exported(...args);
  expect(err.replace(/\s+/g, " ")).toContain(why);
  expect(code).toBe(2);
  expect(existsSync(join(place.folder, "x"))).toBe(false);
});
