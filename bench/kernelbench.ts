import { createClient, type Client } from "@kernelbot/api";
import {
  kernelKeyText,
  median,
  type KernelResult,
  type Level,
  type RunDetail,
  type SuiteUpload,
} from "@kernelbot/core";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

/** Number of problems of each KernelBench level. */
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
 * Measures an entry of 250 trivial kernels, submitted through the API, on a warm local runner: the time until it is
 * accepted, and the overhead per kernel, which is the time since the end of the previous one minus its import and its
 * timed calls of kernel and model.
 */
export const kernelbench: Bench = async () => {
  await using server = await startServer({ localRunner: "cpu" });
  const client = createClient({ server: server.url, token: server.token });
  const suite = suiteOf250();
  await client.kernelbench.putSuite(suite);
  // Starts and warms the runner's workers.
  await evaluated(client, suite, suite.problems.slice(0, 1), "warm");
  const { createMs, wholeMs, results } = await evaluated(client, suite, suite.problems, "measured");
  const runs: RunDetail[] = [];
  for (const { runId } of results) runs.push(await client.run(runId ?? 0));
  const ended = runs.map((run) => ({ at: Date.parse(run.finishedAt ?? ""), run })).toSorted((a, b) => a.at - b.at);
  const walls = ended.slice(1).map(({ at, run }, before) => ({ ms: at - (ended[before]?.at ?? at), run }));
  return [
    { name: "kernelbench: create an entry of 250", value: createMs, unit: "ms" },
    {
      name: "kernelbench: beyond own work",
      value: median(walls.map(({ ms, run }) => ms - ownWorkMs(run))),
      unit: "ms",
    },
    { name: "kernelbench: per kernel", value: median(walls.map(({ ms }) => ms)), unit: "ms" },
    { name: "kernelbench: 250 kernels", value: wholeMs / 1000, unit: "s" },
  ];
};

/** Submits a kernel for each problem and waits for the last verdict. @throws Error when one does not pass. */
async function evaluated(
  { kernelbench }: Client,
  { name }: SuiteUpload,
  problems: SuiteUpload["problems"],
  model: string,
): Promise<{ createMs: number; wholeMs: number; results: KernelResult[] }> {
  const kernels = problems.map((problem) => {
    const source = `# ${model}\n${problem.source.replace("class Model(", "class ModelNew(")}`;
    return [kernelKeyText({ ...problem, sample: 0 }), source] as const;
  });
  const file = { metadata: { display_name: model }, kernels: Object.fromEntries(kernels) };
  const sent = performance.now();
  const { id } = await kernelbench.createEntry({ suite: name, target: "cpu", file });
  const createMs = performance.now() - sent;
  for await (const { finished } of kernelbench.progress(id)) if (finished) break;
  const wholeMs = performance.now() - sent;
  const { results } = await kernelbench.entry(id);
  const failed = results.find(({ correct }) => correct !== true);
  if (failed !== undefined) throw new Error(`${kernelKeyText(failed)} did not pass: ${failed.message}`);
  return { createMs, wholeMs, results };
}

/** Returns the time of the import and of the timed calls of kernel and model. */
function ownWorkMs({ stages }: RunDetail): number {
  const imported = stages.find(({ stage }) => stage === "prepare")?.durationNs ?? 0;
  const calls = stages
    .flatMap(({ cases }) => cases)
    .flatMap(({ rounds }) => rounds)
    .flatMap(({ candidateNs, referenceNs }) => [...candidateNs, ...referenceNs]);
  return calls.reduce((sum, ns) => sum + ns, imported) / 1e6;
}

function suiteOf250(): SuiteUpload {
  const inspection = {
    ...{ outputs: 1, isRandom: false, degenerate: null, forwardS: 0.0001, shrunk: {} },
    ...{ inputBytes: 16_384, parameterBytes: 0, outputBytes: 16_384 },
  };
  const problems = PROBLEMS.flatMap(([level, count]) =>
    Array.from({ length: count }, (_, at) => {
      return { level, problem: at + 1, fileName: `${at + 1}_ReLU.py`, source: MODEL, inspection };
    }),
  );
  return { name: "bench", profile: "smoke", precision: "fp32", origin: "the bench", targets: ["cpu"], problems };
}
