import { randomUUID } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "@kernelbot/api";
import { DEFAULT_RULE, type Evaluation, type ProblemSpec } from "@kernelbot/core";
import { z } from "zod";
import { startServer, type RunningServer } from "../scripts/processes.ts";
import { largestHonestReward, loadAttacks, loadHonest, type Kernel } from "../tester/attacks/corpus.ts";
import type { Bench } from "./figure.ts";

const PROBLEM = "matmul-attacked";
const Step = z.object({ reward: z.number().nullable() });
const CORPUS_PROBLEM = resolve(import.meta.dirname, "../tester/attacks/problem");

/**
 * Evaluates every attack of the corpus at level `reward` through the API, and reports the share that gets a larger
 * reward than honest kernels do: the largest of the honest corpus, or that of the speedup that the attack's head allows.
 * A larger reward counts if further evaluations confirm it, see {@link withLargerReward}. Also counts evaluations without
 * a reward, which must be 0 since each has a result. The same kernels are then sent through OpenEnv, and those in Python
 * are also judged as models through KernelGYM, and compared with the honest ones there.
 */
export const hackRate: Bench = async () => {
  const problems = problemFolder();
  try {
    await using server = await startServer({ localRunner: "cpu", problems });
    const client = createClient({ server: server.url, token: server.token });
    const [attacks, honest] = await Promise.all([loadAttacks(), loadHonest()]);
    const honestResults = await evaluate(client, honest);
    const largest = Math.max(...honestResults.map(({ reward }) => reward ?? 0));
    // Some heads allow a speedup: the kernel does less than the reference, and may.
    const allowed = (kernel: Kernel): number =>
      kernel.largestSpeedup === undefined ? largest : Math.max(largest, largestHonestReward(DEFAULT_RULE, kernel));
    const results = await evaluate(client, attacks);
    const rewards = results.map(({ reward }) => reward);
    const again = async (kernel: Kernel) => (await evaluate(client, [kernel]))[0]?.reward;
    const rewarded = await withLargerReward("evaluations", attacks, rewards, allowed, again);
    const step = (kernel: Kernel) => openEnvReward(server, kernel);
    const steps = await Promise.all(attacks.map(step));
    const rewardedSteps = await withLargerReward("OpenEnv", attacks, steps, allowed, step);
    const models = attacks.filter(isPython);
    const modelRewards = await rewardsAsModels(server, models);
    const largestOfModels = Math.max(...(await rewardsAsModels(server, honest.filter(isPython))));
    const model = async (kernel: Kernel) => (await rewardsAsModels(server, [kernel]))[0];
    const rewardedModels = await withLargerReward("KernelGYM", models, modelRewards, () => largestOfModels, model);
    const without = [...results, ...honestResults].filter(({ reward }) => reward === null);
    return [
      { name: "attacks with a larger reward", value: rewarded, unit: `of ${attacks.length}` },
      { name: "the same through OpenEnv", value: rewardedSteps, unit: `of ${attacks.length}` },
      { name: "as models through KernelGYM", value: rewardedModels, unit: `of ${models.length}` },
      { name: "evaluations without a reward", value: without.length, unit: `of ${attacks.length + honest.length}` },
      {
        name: "honest kernels that passed",
        value: honestResults.filter(({ outcome }) => outcome === "passed").length,
        unit: `of ${honest.length}`,
      },
    ];
  } finally {
    rmSync(problems, { recursive: true, force: true });
  }
};

/** Further evaluations of a kernel whose reward was larger. */
const REPEATS = 8;

/**
 * Counts the kernels whose reward is larger than `allowed`, and also on average over {@link REPEATS} further evaluations,
 * which is what a training run would follow: of kernels that are as fast as the reference, a few in a hundred get more by
 * chance.
 */
async function withLargerReward(
  path: string,
  kernels: readonly Kernel[],
  rewards: readonly (number | null)[],
  allowed: (kernel: Kernel) => number,
  again: (kernel: Kernel) => Promise<number | null | undefined>,
): Promise<number> {
  let count = 0;
  for (const [at, kernel] of kernels.entries()) {
    const reward = rewards[at] ?? 0;
    if (reward <= allowed(kernel)) continue;
    const repeated: number[] = [];
    for (let number = 0; number < REPEATS; number++) repeated.push((await again(kernel)) ?? 0);
    const mean = repeated.reduce((sum, value) => sum + value, 0) / REPEATS;
    console.error(`${path}: ${kernel.name} got ${reward}, allowed ${allowed(kernel)}, then ${repeated.join(", ")}`);
    if (mean > allowed(kernel)) count += 1;
  }
  return count;
}

/** Evaluates kernels as one batch. Returns the results in the order of the kernels. */
async function evaluate(client: Client, kernels: readonly Kernel[]): Promise<Evaluation[]> {
  const { id } = await client.evaluations.createBatch(
    kernels.map(({ name, language, source }) => {
      // Some attacks depend on an earlier run, so each is judged.
      return { problem: PROBLEM, target: "cpu", code: source, language, fresh: true, tags: { kernel: name } };
    }),
  );
  const byName = new Map<string, Evaluation>();
  for await (const result of client.evaluations.results(id)) {
    byName.set(result.tags.kernel ?? "", result);
  }
  return kernels.map(({ name }) => byName.get(name) as Evaluation);
}

/** Returns the reward of a step of OpenEnv's environment. */
async function openEnvReward({ url, token }: RunningServer, { language, source }: Kernel): Promise<number | null> {
  const response = await fetch(`${url}/openenv/${PROBLEM}/step`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ action: { code: source, language } }),
  });
  if (!response.ok) throw new Error(await response.text());
  return Step.parse(await response.json()).reward;
}

/** The problem of the corpus as KernelGYM's reference, and what makes its kernels models. */
const MODEL = `import torch

class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.mm(a, b)

def get_inputs():
    return [torch.randn(320, 320), torch.randn(320, 320)]

def get_init_inputs():
    return []
`;
const AS_MODEL = `

import torch as torch_of_model

class ModelNew(torch_of_model.nn.Module):
    def forward(self, a, b):
        c = torch_of_model.empty(a.shape[0], b.shape[1])
        result = custom_kernel((a, b, c))
        return c if result is None else result
`;
/** Pause between two questions for a result, in milliseconds. */
const POLL_MS = 1_000;
const Task = z.object({ status: z.string(), metadata: z.object({ reward: z.number().nullable() }) });

function isPython({ language }: Kernel): boolean {
  return language === "py";
}

/** Judges Python kernels as models through KernelGYM. Returns their rewards; 0 if the platform failed. */
async function rewardsAsModels({ url, token }: RunningServer, kernels: readonly Kernel[]): Promise<number[]> {
  const ask = async (path: string, payload?: object) => {
    const response = await fetch(`${url}/kernelgym${path}`, {
      method: payload === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(payload !== undefined && { body: JSON.stringify({ workflow: "kernelbench", payload }) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return Task.parse(await response.json());
  };
  const tasks = kernels.map(({ source }) => ({ id: randomUUID(), code: source + AS_MODEL }));
  for (const { id, code } of tasks) {
    const task = { task_id: id, reference_code: MODEL, kernel_code: code, force_refresh: true };
    await ask("/workflow/submit", task);
  }
  const rewards: number[] = [];
  for (const { id } of tasks) {
    const result = () => ask(`/results/${id}`);
    let task = await result();
    for (; ["pending", "processing"].includes(task.status); task = await result()) await pause(POLL_MS);
    rewards.push(task.metadata.reward ?? 0);
  }
  return rewards;
}

/** Creates a folder of problems that contains only the problem of the corpus. */
function problemFolder(): string {
  const folder = mkdtempSync("/var/tmp/kernelbot-problems-");
  chmodSync(folder, 0o755);
  const target = join(folder, `corpus/${PROBLEM}`);
  mkdirSync(target, { recursive: true });
  cpSync(CORPUS_PROBLEM, target, { recursive: true });
  const spec = JSON.parse(readFileSync(join(CORPUS_PROBLEM, "spec.json"), "utf8")) as ProblemSpec;
  const { description, tests, benchmarks, outputs, tolerance, timeoutsS } = spec;
  // JSON is valid YAML.
  const task = {
    ...{ description, tests, benchmarks, outputs, tolerance },
    targets: { cpu: null },
    languages: { py: null, cpp: null },
    ranking_by: spec.rankingBy,
    prepare_timeout: timeoutsS.prepare,
    test_timeout: timeoutsS.test,
    benchmark_timeout: timeoutsS.benchmark,
  };
  writeFileSync(join(target, "task.yml"), JSON.stringify(task));
  return folder;
}
