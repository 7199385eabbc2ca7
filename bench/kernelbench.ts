import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, median, suiteProblem, type Level, type RunDetail, type SuiteSource } from "@kernelbot/core";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

/** How many problems each level of KernelBench has. */
const PROBLEMS: [Level, number][] = [
  [1, 100],
  [2, 100],
  [3, 50],
];
const MODEL = `import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
`;

/**
 * 250 trivial kernels, each for a problem of its own, on a warm local runner one after the other: what each takes from sending it to
 * the verdict's event beyond its own work, which is its import and the timed calls of kernel and model.
 */
export const kernelbench: Bench = async () => {
  const folder = mkdtempSync("/var/tmp/kernelbot-suite-");
  try {
    const boards = writeProblems(folder);
    await using server = await startServer({ localRunner: "cpu", problems: folder });
    const client = createClient({ server: server.url, token: server.token });
    const source = MODEL.replace("class Model(", "class ModelNew(");
    const walls: number[] = [];
    const beyond: number[] = [];
    // The first one waits until the runner has started, and does not count.
    for (const board of [...boards.slice(0, 1), ...boards]) {
      const request = { board, targets: ["cpu"], mode: "benchmark" as const, fileName: "kernel.py", source };
      const sent = performance.now();
      const { id, runs } = await client.submit(request);
      for await (const { event } of client.events(id)) {
        if (event.type === "run_finished" && event.verdict !== "passed") {
          throw new Error(`${board}: ${event.verdict}: ${event.message}`);
        }
      }
      const wallMs = performance.now() - sent;
      walls.push(wallMs);
      for (const run of runs) beyond.push(wallMs - ownWorkMs(await client.run(run.id)));
    }
    return [
      { name: "kernelbench: beyond own work", value: median(beyond.slice(1)), unit: "ms" },
      { name: "kernelbench: per kernel", value: median(walls.slice(1)), unit: "ms" },
      { name: "kernelbench: 250 kernels", value: walls.slice(1).reduce((a, b) => a + b, 0) / 1000, unit: "s" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The import, and the timed calls of kernel and model. */
function ownWorkMs({ stages }: RunDetail): number {
  const imported = stages.find(({ stage }) => stage === "prepare")?.durationNs ?? 0;
  const calls = stages
    .flatMap(({ cases }) => cases)
    .flatMap(({ rounds }) => rounds)
    .flatMap(({ candidateNs, referenceNs }) => [...candidateNs, ...referenceNs]);
  return calls.reduce((sum, ns) => sum + ns, imported) / 1e6;
}

/** A suite as a folder of problems; gives their names. */
function writeProblems(folder: string): string[] {
  const inspection = {
    ...{ outputs: 1, isRandom: false, degenerate: null, forwardS: 0.0001, shrunk: {} },
    ...{ inputBytes: 16_384, parameterBytes: 0, outputBytes: 16_384 },
  };
  const sources = PROBLEMS.flatMap(([level, count]) =>
    Array.from({ length: count }, (_, at): SuiteSource => {
      return { level, problem: at + 1, fileName: `${at + 1}_ReLU.py`, source: MODEL, inspection };
    }),
  );
  return sources.map((source) => {
    const suite = { name: "bench", precision: "fp32" as const, targets: ["cpu"], profile: "smoke" as const };
    const { spec, files } = suiteProblem(suite, source);
    const directory = join(folder, "bench", spec.name);
    mkdirSync(directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return spec.name;
  });
}
