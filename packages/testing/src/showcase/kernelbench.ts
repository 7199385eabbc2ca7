/**
 * A KernelBench suite and the entries of three models: two published ones, and an unpublished one that is being judged.
 */
import {
  casesFor,
  FAILURE_CLASSES,
  STAGES_OF_MODE,
  suiteKeyText,
  type Claimed,
  type Degeneracy,
  type JudgeEvent,
  type Level,
  type SuiteKey,
  type SuiteSource,
} from "@kernelbot/core";
import { randomness } from "../noise.ts";
import { createEntry } from "@kernelbot/server/src/kernelbench/entries.ts";
import { publishEntry } from "@kernelbot/server/src/kernelbench/publish.ts";
import { putSuite } from "@kernelbot/server/src/kernelbench/suites.ts";
import { readProblemVersion } from "@kernelbot/server/src/problems/problems.ts";
import { FAILURES } from "./failures.ts";
import { during } from "./moments.ts";
import { actor, claimNext, reportEvents, type Stage } from "./perform.ts";
import { roundsOf } from "./times.ts";

export interface KernelbenchShown {
  suite: string;
  /** A published entry, and the participant's unpublished one. */
  published: number;
  draft: number;
}

const SUITE = "kernelbench";
const DAY_MS = 86_400_000;

/** Problems by level, in the order of their numbers; the third value marks degenerate ones. */
const PROBLEMS: Record<Level, readonly (readonly [name: string, forward: string, degenerate?: Degeneracy])[]> = {
  1: [
    ["ReLU", "torch.relu(x)"],
    ["Square_matrix_multiplication_", "x @ x"],
    ["Softmax", "torch.softmax(x, dim=1)"],
    ["LayerNorm", "torch.nn.functional.layer_norm(x, x.shape[1:])"],
    ["Underflow", "x * 1e-42", "zeros"],
  ],
  2: [
    ["Matmul_Scale_Sigmoid", "torch.sigmoid(2.0 * (x @ x))"],
    ["Matmul_Gelu_Sum_with_a_bias_of_each_row", "torch.nn.functional.gelu(x @ x).sum(dim=1)"],
    ["Subtract_Mean_Max", "(x - x.mean()).max(dim=1).values", "independent"],
  ],
  3: [["MLP", "torch.relu(torch.relu(x @ x) @ x)"]],
};

interface Model {
  who: string;
  name: string;
  organization: string;
  target: string;
  /** Percentage of correct kernels, and the typical speedup over the model. */
  right: number;
  speedup: number;
  /** Speedup of the compiled model over the model; undefined if it was not timed. */
  compiled?: number;
}

const MODELS: readonly Model[] = [
  {
    who: "kernel-foundry",
    name: "Tessera 2",
    organization: "Kernel Foundry",
    target: "H100",
    right: 85,
    speedup: 1.1,
    compiled: 1.2,
  },
  { who: "wei.zhang", name: "Harbour 7B", organization: "", target: "H100", right: 45, speedup: 0.8 },
];
const DRAFT: Model = {
  ...{ who: "jvermeer", name: "Kestrel Coder 32B", organization: "Kernel Foundry", target: "MI300" },
  ...{ right: 85, speedup: 1.1 },
};

export async function kernelbench(stage: Stage, now: Date): Promise<KernelbenchShown> {
  const { database, cast } = stage;
  const published = await during(database, new Date(now.getTime() - 3 * DAY_MS), async () => {
    await putSuite(database, cast.organiser, {
      name: SUITE,
      profile: "smoke",
      precision: "fp32",
      origin: "https://example.org/kernelbench at 3f2a91c",
      targets: ["H100", "MI300"],
      problems: sources(),
    });
    const ids: number[] = [];
    for (const model of MODELS) {
      const id = await submitEntry(stage, model);
      while (await judgeNext(stage, model));
      await publishEntry(database, actor(stage, model.who), id);
      ids.push(id);
    }
    return ids;
  });
  const draft = await submitEntry(stage, DRAFT);
  for (let judged = 0; judged < 4; judged += 1) await judgeNext(stage, DRAFT);
  // The lease is not renewed, and must last as long as the showcase is viewed.
  await claimNext(stage, DRAFT.target, 0, DAY_MS);
  return { suite: SUITE, published: published[0] ?? 0, draft };
}

function sources(): SuiteSource[] {
  return Object.entries(PROBLEMS).flatMap(([level, problems]) =>
    problems.map(([name, forward, degenerate = null], at) => ({
      level: Number(level) as Level,
      problem: at + 1,
      fileName: `${at + 1}_${name}.py`,
      source: `import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x: torch.Tensor) -> torch.Tensor:\n        return ${forward}\n\n\nsize = 4096\n\n\ndef get_inputs():\n    return [torch.rand(size, size)]\n\n\ndef get_init_inputs():\n    return []\n`,
      inspection: {
        outputs: 1,
        isRandom: false,
        degenerate,
        inputBytes: 4 * 64 ** 2,
        parameterBytes: 0,
        outputBytes: 4 * 64 ** 2,
        forwardS: 0.0003,
        shrunk: { size: [4096, 64] as [number, number] },
      },
    })),
  );
}

/** Submits a kernel for each problem except the last. */
async function submitEntry({ database, ...stage }: Stage, model: Model): Promise<number> {
  const { who, name, organization, target } = model;
  const kernels = sources().map(({ level, problem, source }) => {
    const own = source.split("\n\n\nsize")[0]?.replace("class Model(", "class ModelNew(") ?? "";
    return [`${suiteKeyText({ level, problem })}_sample_0`, `# By ${name}.\n${own}\n`] as const;
  });
  const { entry } = await createEntry(database, actor({ database, ...stage }, who), {
    suite: SUITE,
    target,
    file: {
      metadata: { display_name: name, organization, notes: "", backend: "triton" },
      kernels: Object.fromEntries(kernels.slice(0, -1)),
    },
    compiledBaseline: model.compiled !== undefined,
  });
  return entry.id;
}

/** Judges the next queued kernel. @returns whether there was one. */
async function judgeNext(stage: Stage, model: Model): Promise<boolean> {
  const run = await claimNext(stage, model.target);
  if (run === null) return false;
  await reportEvents(stage, run, await eventsOf(stage, run, model));
  return true;
}

async function eventsOf(
  { database }: Stage,
  run: Claimed,
  { name, right, speedup, compiled }: Model,
): Promise<JudgeEvent[]> {
  const problem = await readProblemVersion(database, run.problemVersion);
  if (problem === null) throw new Error(`run ${run.runId} has no problem`);
  const { level, problem: number } = keyOf(problem.spec.name);
  const random = randomness(name.length * 1000 + level * 100 + number);
  for (let skipped = 0; skipped < 5; skipped += 1) random();
  if (100 * random() > right) {
    const failureClass = FAILURE_CLASSES[Math.floor(random() * FAILURE_CLASSES.length)] ?? "crash";
    const { message, detail = null } = FAILURES[failureClass];
    return [{ type: "verdict", verdict: "failed", failureClass, message, detail }];
  }
  const isOff = random() < 0.15;
  const referenceNs = 40_000 * (0.5 + level);
  const times = {
    candidateNs: referenceNs / (speedup * (0.4 + 1.4 * random())),
    referenceNs,
    ...(compiled !== undefined && { rivalNs: referenceNs / compiled }),
  };
  const cases = casesFor(problem.spec, run.target).benchmarks;
  return [
    ...STAGES_OF_MODE[run.mode].flatMap((stage): JudgeEvent[] => [
      { type: "stage_started", stage, cases: stage === "prepare" ? 0 : cases.length },
      ...(stage === "prepare"
        ? []
        : cases.map((values, index): JudgeEvent => ({
            type: "case_finished",
            stage,
            index,
            case: values,
            status: "passed",
            message: null,
            mismatch: isOff ? NEAR : null,
            bytes: null,
            operations: null,
            outputBytes: null,
            rounds: roundsOf(times, run.target, random),
            summary: null,
            stopped: "precise",
          }))),
      { type: "stage_finished", stage, passed: true, durationNs: 2e9 },
    ]),
    { type: "verdict", verdict: "passed", failureClass: null, message: null, detail: null },
  ];
}

const NEAR = {
  differing: 3,
  total: 4096,
  largestAbsolute: 0.0006,
  largestRelative: 0.0002,
  first: [{ index: [0, 3], got: "1.2506", expected: "1.25" }],
};

/** Parses a board name such as `kernelbench-l1-p19`. */
function keyOf(board: string): SuiteKey {
  const [, level, problem] = /-l(\d)-p(\d+)$/.exec(board) ?? [];
  return { level: Number(level) as Level, problem: Number(problem) };
}
