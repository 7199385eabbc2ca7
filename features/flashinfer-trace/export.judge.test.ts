/** Exported winners of boards whose runs are judged, applied by an engine. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPython, loadProblemDirectory, startTester, type Tester } from "@kernelbot/tester";
import { languageOf, Trace, type JudgeEvent, type Problem } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimed, person, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { scaleSolution, writeDataSet } from "@kernelbot/testing/flashinfer-trace.ts";
import { isNightly } from "@kernelbot/testing/sample.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

const ENGINE = join(import.meta.dirname, "../../packages/testing/src/flashinfer-trace-engine.py");

/** Problem of our own form: a stored input, a random one, a number and two outputs, which have one correct value each. */
const GATHER = {
  "task.yml": `description: "Gathers rows. **Input** \`(x, order, s, y, peaks)\`"
outputs: 2
tests: [{ rows: 3, seed: 1 }, { rows: 70, seed: 2 }]
benchmarks: [{ rows: 128, seed: 3 }, { rows: 256, seed: 4 }]
languages: { py: , cpp: }
targets: { cpu: }
tolerance: { rtol: 0.00001, atol: 0.0001, reason: Products in float32. }
`,
  "reference.py": `import torch
from kernelbot_tester.inputs import RandomInputs
from task import WIDTH


def generate_input(rows, seed):
    random = RandomInputs(seed)
    order = torch.argsort(random.uniform(rows)).to(torch.int32)
    return random.normal(rows, WIDTH), order, 2.0, torch.empty(rows, WIDTH), torch.empty(rows)


def ref_kernel(data):
    x, order, s, y, peaks = data
    y.copy_(x[order.long()] * s)
    torch.amax(y, 1, out=peaks)
`,
  "task.py": `from typing import Tuple

import torch

WIDTH = 64
input_t = Tuple[torch.Tensor, torch.Tensor, float, torch.Tensor, torch.Tensor]
output_t = Tuple[torch.Tensor, torch.Tensor]
`,
  "task.h": `#include <kernelbot.h>

void custom_kernel(kernelbot::Tensor<const float, 2> x, kernelbot::Tensor<const std::int32_t> order, float s,
                   kernelbot::Tensor<float, 2> y, kernelbot::Tensor<float> peaks);
`,
};

const GATHER_CPP = `#include <algorithm>
#include <task.h>

void custom_kernel(kernelbot::Tensor<const float, 2> x, kernelbot::Tensor<const std::int32_t> order, float s,
                   kernelbot::Tensor<float, 2> y, kernelbot::Tensor<float> peaks)
{
    for (std::int64_t row = 0; row < y.size(0); row++) {
        for (std::int64_t column = 0; column < y.size(1); column++)
            y(row, column) = x(order(row), column) * s;
        peaks(row) = y(row, 0);
        for (std::int64_t column = 1; column < y.size(1); column++)
            peaks(row) = std::max(peaks(row), y(row, column));
    }
}
`;

const place = workshop();
let server: TestServer;
let tester: Tester;
let box: Awaited<ReturnType<typeof runner>>;
let python: string;

beforeAll(async () => {
  for (const [name, text] of Object.entries(GATHER)) {
    const path = join(place.folder, "own/set/gather", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  writeDataSet(join(place.folder, "data"));
  server = await openTestServer({ listening: true });
  box = await runner(server.database);
  const env = { KERNELBOT_TOKEN: await server.token("root", ["admin", "read", "submit"]) };
  for (const args of [["own"], ["data", "--format", "flashinfer-trace"]]) {
    const synced = await place.kernelbot(["problems", "sync", ...args], { server: server.url, env });
    expect(synced).toMatchObject({ code: 0, err: "" });
  }
  tester = await startTester();
  python = (await findPython()).path;
});
afterAll(async () => {
  await tester.close();
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

/** Returns an event with times as on a quiet machine: each call of a case takes as long as its median call. */
function quiet(event: JudgeEvent): JudgeEvent {
  if (event.type !== "case_finished" || event.rounds.length === 0) return event;
  const calm = (side: "candidateNs" | "referenceNs") => {
    const all = event.rounds.flatMap((round) => round[side]).toSorted((one, other) => one - other);
    return all.slice(all.length >> 1, (all.length >> 1) + 1);
  };
  const round = { candidateNs: calm("candidateNs"), referenceNs: calm("referenceNs") };
  return { ...event, rounds: event.rounds.map(() => round) };
}

/** Judges a new account's kernel, enters it and confirms the entry; returns the submission. */
async function entered(name: string, board: string, source: string, fileName = "kernel.py"): Promise<number> {
  const { database } = server;
  const who = await person(database, name);
  const id = await submitted(database, who, { board, mode: "ranked", licence: "MIT", source, fileName });
  const moderator = server.client(await server.token("root", ["submit", "read", "admin"]));
  const { spec, files } = await moderator.problem(board);
  const job = { type: "run", id: String(id), mode: "ranked", target: "cpu", problem: { spec, files } } as const;
  const language = languageOf(fileName) ?? "py";
  const events: JudgeEvent[] = [];
  const run = await claimed(database, box);
  const judged = { ...job, source: run.source, language } as const;
  const verdict = await tester.run(judged, (each) => events.push(quiet(each)));
  expect(verdict).toMatchObject({ verdict: "passed", message: null });
  await reported(database, box, run, events);
  await moderator.moderation.rerun(id);
  await reported(database, box, await claimed(database, box), events);
  return id;
}

async function exported(board: string, out: string): Promise<void> {
  const args = ["export", "flashinfer-trace", board, "--out", out];
  const { code, err } = await place.kernelbot(args, { server: server.url, env: { KERNELBOT_TOKEN: "" } });
  expect({ code, err }).toEqual({ code: 0, err: "" });
}

/** Applies the fastest solution of each workload, or the named one. */
function applied(out: string, definition: string, ...solution: string[]): unknown {
  // The submitted file imports the problem's task.py.
  const env = { PATH: process.env.PATH, PYTHONPATH: "own/set/gather" };
  return JSON.parse(
    execFileSync(python, [ENGINE, out, definition, ...solution], { cwd: place.folder, encoding: "utf8", env }),
  );
}

/**
 * Expects the errors that the judge measured in an author's traces: 0, so the outputs on the board were those of the
 * reference, which an engine gets, too.
 */
function expectErrorsOfZero(path: string): void {
  for (const line of readFileSync(join(place.folder, path, "gather/gather.jsonl"), "utf8")
    .trimEnd()
    .split("\n")) {
    const { correctness } = Trace.parse(JSON.parse(line)).evaluation ?? {};
    expect(correctness).toMatchObject({ max_absolute_error: 0, max_relative_error: 0 });
  }
}

/** Returns a kernel that is slow for some sizes. */
const slowIf = (condition: string, call: string) =>
  `import time\n\n\n${call}\n    if ${condition}:\n        time.sleep(0.003)\n`;

test("an engine applies the fastest solution of each workload, with the outputs that it had on the board", async () => {
  const run = `${slowIf("len(x) > 16", "def run(x, s, y):")}    y.copy_(x).mul_(s)\n`;
  const solution = JSON.stringify(scaleSolution({ sources: [{ path: "main.py", content: run }] }));
  const ann = await entered("ann", "scale_rows_k64", solution, "v1.json");
  const kernel = `${slowIf("len(data[0]) <= 16", "def custom_kernel(data):")}    return data[0] * data[1]\n`;
  const eve = await entered("eve", "scale_rows_k64", kernel);
  await exported("scale_rows_k64", "scaled");
  expect(applied("scaled", "scale_rows_k64")).toEqual([
    { workload: "a", solution: `scale_rows_k64-ann-${ann}`, reference: true, submission: null },
    { workload: "b", solution: `scale_rows_k64-eve-${eve}`, reference: true, submission: true },
  ]);
});

test("a problem of our own form is exported with a derived definition, which can be imported", async () => {
  const source =
    "import torch\nfrom task import WIDTH\n\n\ndef custom_kernel(data):\n    x, order, s, y, peaks = data\n    assert x.shape[1] == WIDTH\n    rows = x[order.long()] * s\n    return rows, rows.amax(1)\n";
  const id = await entered("kim", "gather", source);
  await exported("gather", "gathered");
  const solution = `gather-kim-${id}`;
  expect(applied("gathered", "gather")).toEqual([
    { workload: "gather-1-rows128", solution, reference: true, submission: true },
    { workload: "gather-2-rows256", solution, reference: true, submission: true },
  ]);
  expectErrorsOfZero("gathered/traces/kim");
  const imported = await place.kernelbot(["problem", "import", "gathered", "--out", "again"]);
  expect(imported).toMatchObject({ code: 0, err: "" });
  const problem: Problem = await loadProblemDirectory(join(place.folder, "again/gather"));
  const job = { type: "run", id: "1", mode: "test", target: "cpu", problem } as const;
  const judged = (kernel: string) => tester.run({ ...job, source: kernel }, () => undefined);
  expect(await judged(source.replaceAll("from task import WIDTH\n", "WIDTH = 64\n"))).toMatchObject({
    verdict: "passed",
  });
  const wrong = source
    .replace("rows.amax(1)", "rows.amax(1) * 1.001")
    .replace("from task import WIDTH\n", "WIDTH = 64\n");
  expect(await judged(wrong)).toMatchObject({ verdict: "failed", failureClass: "wrong_result" });
  const definition = (folder: string) => readFileSync(join(place.folder, folder), "utf8");
  expect(definition("again/gather/definition.json")).toBe(definition("gathered/definitions/gather/gather.json"));
});

test.runIf(isNightly())(
  "an engine compiles an exported kernel in C++, with the outputs that it had on the board",
  async () => {
    const id = await entered("lea", "gather", GATHER_CPP, "kernel.cpp");
    await exported("gather", "compiled");
    const solution = `gather-lea-${id}`;
    expect(applied("compiled", "gather", solution)).toEqual([
      { workload: "gather-1-rows128", solution, reference: true, submission: null },
      { workload: "gather-2-rows256", solution, reference: true, submission: null },
    ]);
    expectErrorsOfZero("compiled/traces/lea");
  },
);
