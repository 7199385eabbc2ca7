import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KernelBenchEntry, evalResults, type KernelBenchEntryProgress } from "@kernelbot/core";
import { expect, test } from "vitest";
import { ENTRY, kernelbenchWorld, SUITE } from "@kernelbot/testing/cli/entries.ts";
import { startFakeServer, type World } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop, type Call } from "@kernelbot/testing/cli/kernelbot.ts";

const FILE = {
  metadata: { display_name: "Model A", organization: "Acme" },
  kernels: { level_1_problem_1_sample_0: "class ModelNew: pass" },
};

/** Runs a command. `changes` overrides members of the documents. */
async function call(
  args: readonly string[],
  world: World = kernelbenchWorld(),
  options: Call = {},
  changes: Record<string, object> = {},
) {
  const place = workshop();
  place.file("a.json", JSON.stringify(FILE));
  place.file("bad.json", JSON.stringify({ ...FILE, kernels: { level_2_problem_9_sample_0: "x" } }));
  place.file("entry.json", JSON.stringify({ ...ENTRY, ...changes["entry.json"] }));
  place.file("suite.json", JSON.stringify({ ...SUITE, ...changes["suite.json"] }));
  await using server = await startFakeServer(world);
  const ended = await place.kernelbot(["kernelbench", ...args], { server: server.url, ...options });
  return {
    ...ended,
    server,
    read: (name: string): unknown => JSON.parse(readFileSync(join(place.folder, name), "utf8")),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

function progress(done: number, finished = false): KernelBenchEntryProgress {
  return { finished, progress: { waiting: 0, queued: 2 - done, running: 1, done, lost: 0 } };
}

test("list shows each entry with its metrics and their populations", async () => {
  using ended = await call(["list"]);
  expect(ended.out).toBe(`\
id  model    suite  target     correct      Fast@1  GeoMean  published
 7  Model A  kb     H100    1/4 25.0 %  1/4 25.0 %   2.000×  draft, 3 of 3 kernels done
`);
});

test("show prints the metrics of each level with their denominators, and the failure classes", async () => {
  using ended = await call(["show", "7"]);
  expect(ended.out).toBe(`\
Model A, Acme, entry 7 of ada, 2026-03-01 12:00
kb (version 555555555555) on H100, a draft
3 of 3 kernels done

Official metrics, against the eager model of the same session, on NVIDIA H100, judged by version 0.1.0:
                              all      level 1    level 2
kernels for problems          3/4          2/3        1/1
compiled               2/4 50.0 %   2/3 66.7 %  0/1 0.0 %
correct                1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
GeoMean of correct    2.000× of 1  2.000× of 1          –
Fast@1 (>=)            1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
Fast@1 (>)             1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
Fast@1.5 (>=)          1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
Fast@1.5 (>)           1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
Fast@2 (>=)            1/4 25.0 %   1/3 33.3 %  0/1 0.0 %
Fast@2 (>)              0/4 0.0 %    0/3 0.0 %  0/1 0.0 %

Robust metrics, without degenerate problems, with correctness judged against float64, and results faster than the speed-of-light bound as incorrect:
                              all      level 1    level 2
excluded problems               1            1          0
correct                1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
GeoMean of correct    2.000× of 1  2.000× of 1          –
Fast@1 (>=)            1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
Fast@1 (>)             1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
Fast@1.5 (>=)          1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
Fast@1.5 (>)           1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
Fast@2 (>=)            1/3 33.3 %   1/2 50.0 %  0/1 0.0 %
Fast@2 (>)              0/3 0.0 %    0/2 0.0 %  0/1 0.0 %
GeoMean of all             1.260×       1.414×     1.000×
faster than bound               0            0          0

failure class  kernels
wrong result         1
compile error        1

${ended.server.url}/kernelbench/entries/7
`);
  expect(ended.code).toBe(0);
});

test("show --failed lists the failed kernels with their messages", async () => {
  using ended = await call(["show", "7", "--failed"]);
  expect(ended.out).toBe(`\
kernel                      status         submission  message
level_1_problem_2_sample_0  wrong result           42  1 of 9 differs
level_2_problem_1_sample_0  compile error          41
`);
});

test("submit checks the file against the suite, sends it, and prints how to watch the entry", async () => {
  using ended = await call(["submit", "a.json", "--suite", "kb", "--compiled-baseline"]);
  expect(ended.out).toBe(`\
Entry 7 is queued: 3 of 3 kernels done. To watch it: kernelbot kernelbench watch 7
${ended.server.url}/kernelbench/entries/7
`);
  const { body, headers } = ended.server.requests.find(({ method }) => method === "POST") ?? {};
  expect(body).toEqual({
    suite: "kb",
    target: "H100",
    compiledBaseline: true,
    file: { metadata: { ...FILE.metadata, notes: "" }, kernels: FILE.kernels },
  });
  expect(headers?.["idempotency-key"]).toMatch(/^[\da-f-]{36}$/);
});

test("submit sends nothing of a file with errors, and lists all of them", async () => {
  using ended = await call(["submit", "bad.json", "--suite", "kb"]);
  expect(ended.out).toContain("error    kernels: no kernel belongs to a problem of the suite");
  expect(ended.out).toContain("warning  level_2_problem_9_sample_0: the suite has no problem 9 in level 2");
  expect(ended.code).toBe(1);
  expect(ended.server.requests.filter(({ method }) => method === "POST")).toEqual([]);
});

test("watch resumes after a broken connection, prints each finished kernel once, then the metrics", async () => {
  const events = "GET /kernelbench/entries/7/events";
  const streams = {
    [events]: [
      [{ id: 9, data: progress(0) }],
      [
        { id: 4, data: progress(1) },
        { id: 5, data: progress(2, true) },
      ],
    ],
  };
  using ended = await call(["watch", "7"], kernelbenchWorld({}, streams));
  expect(ended.out.slice(0, ended.out.indexOf("("))).toBe(`\
0 of 3 kernels done, 1 running, 2 queued
1/3 level_1_problem_1_sample_0 correct, 1.000 ms, 2.000×
2/3 level_1_problem_2_sample_0 wrong result: 1 of 9 differs
3/3 level_2_problem_1_sample_0 compile error
Model A, Acme, entry 7 of ada, 2026-03-01 12:00
kb `);
  expect(ended.code).toBe(0);
  const readers = ended.server.requests.filter(({ path }) => path.endsWith("/events"));
  expect(readers.map(({ headers }) => headers["last-event-id"])).toEqual(["0", "9"]);
});

const NO_RUNNER = {
  ...{ target: "H100", status: "offline", runners: [], lastRunnerAt: null, waiting: 3, running: 0, oldestAt: null },
  ...{ expectedWaitMs: null, modes: [], hours: [] },
};
const QUEUED = { ...ENTRY, progress: { waiting: 0, queued: 3, running: 0, done: 0, lost: 0 }, results: [] };

/** A server with a queued entry and no runner. */
function stranded(): World {
  const answers = {
    "GET /queue": { at: "2026-03-01T12:00:00Z", targets: [NO_RUNNER] },
    "POST /kernelbench/entries": QUEUED,
    "GET /kernelbench/entries/7": QUEUED,
  };
  const data = { finished: false, progress: QUEUED.progress };
  const reconnections = Array.from({ length: 100 }, () => []);
  return kernelbenchWorld(answers, { "GET /kernelbench/entries/7/events": [[{ id: 1, data }], ...reconnections] });
}

test("submit reports that no runner serves the target", async () => {
  using ended = await call(["submit", "a.json", "--suite", "kb"], stranded());
  expect(ended.out).toContain("\nno runner for H100 is connected; 3 submissions queued; last seen never\n");
  expect(ended.code).toBe(0);
});

test.each([[["watch", "7"]], [["submit", "a.json", "--suite", "kb", "--watch"]]])(
  "%s reports that no runner is connected, gives up after the time limit, and leaves the entry queued",
  async (args) => {
    using ended = await call([...args, "--runner-timeout", "0.001"], stranded());
    expect(ended.out).toMatch(
      /3 submissions queued; last seen never; gives up at \d\d:\d\d unless a runner connects\n/,
    );
    expect(ended.err).toContain(
      "No runner could take the kernels within 0.001 min; entry 7 stays queued. " +
        "To resume watching: kernelbot kernelbench watch 7. To stop it: kernelbot kernelbench stop 7\n",
    );
    expect(ended.code).toBe(3);
  },
);

test("score recomputes the metrics, reports whether they agree, and needs no server for documents", async () => {
  using online = await call(["score", "7"]);
  expect(online.out).toContain("The metrics in the document are the same.\n");
  using offline = await call(["score", "entry.json", "--suite-file", "suite.json", "--baseline", "compiled", "--json"]);
  const { score, agrees } = JSON.parse(offline.out) as { score: typeof ENTRY.score; agrees: unknown };
  expect(score.overall.geoMean).toBeCloseTo(0.5);
  expect(score.baseline).toEqual({ kind: "compiled" });
  expect(agrees).toBeNull();
  expect(offline.server.requests).toEqual([]);
});

test("score reports metrics that differ from the results", async () => {
  const changed = { ...ENTRY, score: { ...ENTRY.score, overall: { ...ENTRY.score.overall, geoMean: 9 } } };
  using ended = await call(["score", "7"], kernelbenchWorld({ "GET /kernelbench/entries/7": changed }));
  expect(ended.out).toContain("The metrics in the document differ");
  expect(ended.code).toBe(1);
});

test.each([
  ["entry.json", { results: [...ENTRY.results, ...ENTRY.results.slice(0, 1)] }, "level_1_problem_1_sample_0"],
  ["suite.json", { problems: [...SUITE.problems, ...SUITE.problems.slice(0, 1)] }, "level_1_problem_1"],
])("score exits with 2 if %s has a duplicate key, and names it", async (name, change, key) => {
  using ended = await call(
    ["score", "entry.json", "--suite-file", "suite.json"],
    kernelbenchWorld(),
    {},
    { [name]: change },
  );
  expect(ended.err).toContain(`"${name}" has several results with the key ${key}; remove all but one`);
  expect(ended.code).toBe(2);
});

const MEASURED = {
  ...{ format: "kernelbench-results/1", hardware: "NVIDIA H100", evaluator: "my-harness 1.2" },
  results: {
    level_1_problem_1_sample_0: { compiled: true, correct: true, timeMs: 1, baselineMs: 12 },
    level_2_problem_1_sample_0: { compiled: true, correct: false, message: "1 of 9 differs" },
  },
};

test("score --results computes metrics of external measurements without a server, and flags implausible speedups", async () => {
  using place = workshop();
  place.file("mine.json", JSON.stringify(MEASURED));
  const { out, err, code } = await place.kernelbot(["kernelbench", "score", "--results", "mine.json"]);
  expect([err, code]).toEqual(["", 0]);
  expect(out).toContain("on NVIDIA H100, judged by version my-harness 1.2:");
  expect(out).toMatch(/^correct +1\/250 0\.4 % +1\/100/m);
  // Without a suite, its degenerate problems are unknown.
  expect(out).not.toContain("Robust metrics");
  expect(out).toContain("level_1_problem_1_sample_0  12.00×\n");
  expect(out).toContain("The results in mine.json were measured outside KernelBot");
});

test("score --results supports a suite and a stored baseline, and rejects one of other hardware", async () => {
  using place = workshop();
  place.file("mine.json", JSON.stringify(MEASURED));
  const times = [{ level: 1, problem: 1, fileName: "1_Thing.py", timeNs: 4_000_000 }];
  const stored = { id: "b-1", hardware: "NVIDIA H100", kind: "eager", times };
  await using server = await startFakeServer(
    kernelbenchWorld({
      "GET /kernelbench/baselines/b-1": stored,
      "GET /kernelbench/baselines/b-2": { ...stored, id: "b-2", hardware: "NVIDIA H200" },
    }),
  );
  const args = ["--results", "mine.json", "--suite", "kb", "--baseline", "stored:b-1", "--json"];
  const { out } = await place.kernelbot(["kernelbench", "score", ...args], { server: server.url });
  const { score } = JSON.parse(out) as { score: typeof ENTRY.score };
  expect(score).toMatchObject({
    suiteVersion: SUITE.version,
    overall: { problems: 4, geoMean: expect.closeTo(4) as number },
  });
  const shown = await place.kernelbot(["kernelbench", "score", ...args.slice(0, -1)], { server: server.url });
  expect(shown.out).toContain("Robust metrics, without degenerate problems:\n");
  const other = await place.kernelbot(["kernelbench", "score", "--results", "mine.json", "--baseline", "stored:b-2"], {
    server: server.url,
  });
  expect(other.err.replace(/\s+/g, " ")).toContain('"b-2" was measured on "NVIDIA H200"');
  expect(other.code).toBe(2);
});

test.each([
  ["a document with faults", ["--results", "bad.json"], "results.level_1_problem_1_sample_0.compiled: "],
  ["an entry and a document", ["7", "--results", "mine.json"], "either ENTRY or --results FILE, not both"],
  ["nothing", [], "ENTRY or --results FILE is required"],
  [
    "the compiled model where the eager one was timed",
    ["--results", "mine.json", "--baseline", "compiled"],
    "not of the compiled model",
  ],
])("score of %s is a usage error", async (_, args, message) => {
  using place = workshop();
  place.file("mine.json", JSON.stringify(MEASURED));
  place.file("bad.json", JSON.stringify({ ...MEASURED, results: { level_1_problem_1_sample_0: {} } }));
  const { code, err } = await place.kernelbot(["kernelbench", "score", ...args]);
  expect(err.replace(/\s+/g, " ")).toContain(message);
  expect(code).toBe(2);
});

test("show and eval_results.json flag a kernel that is more than 10 times as fast as its model", async () => {
  const [first, ...others] = ENTRY.results;
  const fast = { ...ENTRY, results: [{ ...first, timeNs: { value: 1e5, low: 1e5, high: 1e5 } }, ...others] };
  using ended = await call(["show", "7"], kernelbenchWorld({ "GET /kernelbench/entries/7?baseline=eager": fast }));
  expect(ended.out).toContain("More than 10 times as fast as the baseline");
  expect(ended.out).toContain("level_1_problem_1_sample_0  20.00×\n");
  const samples = evalResults(KernelBenchEntry.parse(fast), 1);
  expect(samples["1"]?.[0]?.metadata).toMatchObject({ excessive_speedup: true });
  expect(samples["2"]?.[0]?.metadata).not.toHaveProperty("excessive_speedup");
});

test("a stored baseline is requested by its id", async () => {
  const times = [{ level: 1, problem: 1, fileName: "1_Thing.py", timeNs: 4_000_000 }];
  const stored = { id: "b-1", hardware: "NVIDIA H100", kind: "eager", times };
  using ended = await call(
    ["score", "7", "--baseline", "stored:b-1"],
    kernelbenchWorld({ "GET /kernelbench/baselines/b-1": stored }),
  );
  expect(ended.out).toContain("against the stored baseline b-1");
  expect(ended.out).toMatch(/^GeoMean of correct +4\.000× of 1/m);
});

test("results writes the documents of other tools, and keeps other entries in metadata.json", async () => {
  using place = workshop();
  writeFileSync(join(place.folder, "metadata.json"), '[{"unique_id": "other", "metrics": {"geo_mean": 9}, "x": 1}]');
  await using server = await startFakeServer(kernelbenchWorld());
  const { out } = await place.kernelbot(["kernelbench", "results", "7", "--out", "."], { server: server.url });
  expect(out).toBe(`\
metadata.json
results/model_a_7_H100.json
runs/model_a_7_level1/eval_results.json
runs/model_a_7_level2/eval_results.json
`);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(place.folder, name), "utf8"));
  expect(read("metadata.json")).toMatchObject([
    { unique_id: "other", x: 1 },
    { unique_id: "model_a_7_H100", metrics: { geo_mean: 2, total_correct: 1 } },
  ]);
  expect(read("results/model_a_7_H100.json")).toMatchObject({
    entry: { display_name: "Model A" },
    level_results: [{ level: 1 }, { level: 2 }, { level: 3 }],
  });
  expect(read("runs/model_a_7_level1/eval_results.json")).toMatchObject({ 1: [{ compiled: true, correctness: true }] });
});

test("results writes pass_at_k_results.json for a level with several samples of a problem", async () => {
  using place = workshop();
  const samples = [ENTRY.results[0], ENTRY.results[1]].map((result, sample) => ({ ...result, problem: 1, sample }));
  const results = evalResults(KernelBenchEntry.parse({ ...ENTRY, results: samples }), 1);
  await using server = await startFakeServer(
    kernelbenchWorld({ "GET /kernelbench/entries/7/eval-results/1": results }),
  );
  const { out } = await place.kernelbot(["kernelbench", "results", "7", "--out", "."], { server: server.url });
  expect(out).toContain("runs/model_a_7_level1/pass_at_k_results.json\n");
  expect(out).not.toContain("level2/pass_at_k");
  expect(JSON.parse(readFileSync(join(place.folder, "runs/model_a_7_level1/pass_at_k_results.json"), "utf8"))).toEqual({
    averages: { "avg_pass@1": 0.5, "avg_pass@2": 1 },
    metadata: {
      ...{ total_problems: 3, problems_with_samples: 1, total_evaluated_samples: 2, total_correct_samples: 1 },
      ...{ "pass@1_count": 1, "pass@2_count": 1 },
    },
    problems: { "1": { total_samples: 2, correct_samples: 1, "pass@1": 0.5, "pass@2": 1 } },
  });
});

test.each([
  ["stop", "Entry 7 is stopped: 3 of 3 kernels done."],
  ["resume", "Entry 7 is resumed: 3 of 3 kernels done."],
  ["publish", "Entry 7 is published: http"],
])("%s sends the request and prints the new state", async (verb, printed) => {
  using ended = await call([verb, "7"], kernelbenchWorld({ [`POST /kernelbench/entries/7/${verb}`]: ENTRY }));
  expect(ended.out).toContain(printed);
});

test("suites and a suite with its problems are shown", async () => {
  using list = await call(["suites"]);
  expect(list.out).toContain("kb     555555555555         4  full     fp32       H100     https://example.org");
  using one = await call(["suite", "show", "kb"]);
  expect(one.out).toContain("4 problems (level 1: 3 and level 2: 1); 1 degenerate and excluded");
  expect(one.out).toMatch(/^ +1\/3 +3_Thing\.py +4\.000 KiB +2\.000 ms +zeros pass$/m);
});

test("a baseline file is stored under an id", async () => {
  using place = workshop();
  place.file("b.json", JSON.stringify({ level1: { "1_Thing.py": { mean: 4 }, "2_Thing.py": { mean: 0 } } }));
  const times = [{ level: 1, problem: 1, fileName: "1_Thing.py", timeNs: 4_000_000 }];
  const stored = { id: "b-1", hardware: "NVIDIA H100", kind: "compiled", times };
  await using server = await startFakeServer(kernelbenchWorld({ "POST /kernelbench/baselines": stored }));
  const args = ["kernelbench", "baseline", "upload", "b.json", "--id", "b-1", "--hardware", "H100"];
  const { out } = await place.kernelbot([...args, "--kind", "compiled"], { server: server.url });
  expect(out).toBe("Baseline b-1 has the times of 1 problem; 1 member of the file without a time skipped.\n");
  const refused = await place.kernelbot(args, { server: server.url });
  expect(refused.err).toContain("--kind");
  expect(refused.code).toBe(2);
});

test.each([
  ["an entry without a number", ["show", "model"], "the number of an entry"],
  ["an unknown baseline", ["show", "7", "--baseline", "best"], "--baseline must be eager, compiled or stored:ID"],
  ["a missing suite", ["submit", "a.json"], "--suite NAME is required"],
  ["a document of another kind", ["score", "suite.json"], '"suite.json" is not an entry'],
])("%s is a usage error", async (_, args, message) => {
  using ended = await call(args);
  expect(ended.err.replace(/\s+/g, " ")).toContain(message);
  expect(ended.code).toBe(2);
});
