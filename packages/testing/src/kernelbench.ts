/** Suites, entries and judged kernels for tests of KernelBench. */
import {
  type Claimed,
  type KernelBenchEntryMetadata,
  type KernelBenchEntryRequest,
  type KernelBenchEntrySummary,
  type JudgeEvent,
  type Rounds,
  type Suite,
  type SuiteKey,
  type SuiteSource,
  type SuiteUpload,
} from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { createEntry } from "@kernelbot/server/src/kernelbench/entries.ts";
import { putSuite } from "@kernelbot/server/src/kernelbench/suites.ts";
import { readProblemVersion } from "@kernelbot/server/src/problems/problems.ts";
import { caseFinished, claimed, passing, reported, rounds } from "./fixtures.ts";

const MODEL = `import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.rand(4, 4)]

def get_init_inputs():
    return []
`;

export function suiteSource({ level, problem }: SuiteKey, change: Partial<SuiteSource> = {}): SuiteSource {
  return {
    ...{ level, problem },
    fileName: `${problem}_ReLU.py`,
    source: MODEL,
    inspection: {
      ...{ outputs: 1, isRandom: false, degenerate: null, shrunk: {} },
      ...{ inputBytes: 64, parameterBytes: 0, outputBytes: 64, forwardS: 0.001 },
    },
    ...change,
  };
}

/** Returns a suite with two problems of level 1 and one of level 2, for the targets cpu and H100. */
export function suiteUpload(change: Partial<SuiteUpload> = {}): SuiteUpload {
  return {
    name: "tiny",
    profile: "full",
    precision: "fp32",
    origin: "https://example.org/tiny",
    targets: ["cpu", "H100"],
    problems: [
      suiteSource({ level: 1, problem: 1 }),
      suiteSource({ level: 1, problem: 2 }),
      suiteSource({ level: 2, problem: 1 }),
    ],
    ...change,
  };
}

/** Creates the suite `tiny`. */
export function withSuite(database: Database, organiser: Identity, change: Partial<SuiteUpload> = {}): Promise<Suite> {
  return putSuite(database, organiser, suiteUpload(change));
}

/** Returns the source of a kernel; each number gives a different source. */
export function kernel(number = 1): string {
  return `import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x + ${number}\n`;
}

interface EntryChange extends Partial<Omit<KernelBenchEntryRequest, "file">> {
  metadata?: Partial<KernelBenchEntryMetadata>;
  kernels?: Record<string, string>;
}

/** Returns an entry with a different kernel for each problem of the suite `tiny`. */
export function entryRequest({ metadata, kernels, ...change }: EntryChange = {}): KernelBenchEntryRequest {
  return {
    ...{ suite: "tiny", target: "cpu", compiledBaseline: false },
    file: {
      metadata: { display_name: "A model", organization: "", notes: "", ...metadata },
      kernels: kernels ?? {
        level_1_problem_1_sample_0: kernel(1),
        level_1_problem_2_sample_0: kernel(2),
        level_2_problem_1_sample_0: kernel(3),
      },
    },
    ...change,
  };
}

export async function entered(
  database: Database,
  identity: Identity,
  change: EntryChange = {},
): Promise<KernelBenchEntrySummary> {
  return (await createEntry(database, identity, entryRequest(change))).entry;
}

/** Returns all events of a kernel that passes; `off` for an output outside the tolerance but close to the oracle. */
export function kernelPassing(timeNs: number, eagerNs = 1000, { off = false } = {}): JudgeEvent[] {
  return passing("benchmark", [timeNs]).map((event) =>
    event.type !== "case_finished" ? event : { ...event, rounds: rounds(timeNs, eagerNs), mismatch: off ? NEAR : null },
  );
}

/** Like `kernelPassing`, with the compiled model timed as well. */
export function duelPassing(timeNs: number, eagerNs: number, compiledNs: number): JudgeEvent[] {
  const samples: Rounds = rounds(timeNs, eagerNs).map((round) => ({ ...round, rivalNs: [compiledNs] }));
  return passing("duel", [timeNs]).map((event) =>
    event.type === "case_finished" && event.stage === "duel" ? caseFinished("duel", 0, samples) : event,
  );
}

const NEAR = { differing: 1, total: 16, largestAbsolute: 0.001, largestRelative: 0.001, first: [] };

/** Claims and reports `count` queued runs, with the events for their board. @returns the runs. */
export async function judgeAll(
  database: Database,
  by: Identity,
  count: number,
  eventsOf: (board: string) => JudgeEvent[],
): Promise<Claimed[]> {
  const runs: Claimed[] = [];
  for (let at = 0; at < count; at += 1) {
    const run = await claimed(database, by);
    const board = (await readProblemVersion(database, run.problemVersion))?.spec.name ?? "";
    await reported(database, by, run, eventsOf(board));
    runs.push(run);
  }
  return runs;
}
