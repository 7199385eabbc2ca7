/** Import of a FlashInfer Trace data set: time, and peak memory of the command. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Bench } from "./figure.ts";

const DEFINITIONS = 500;
const WORKLOADS = 10;
const COMMAND_LINE = resolve(import.meta.dirname, "../packages/cli/bin/kernelbot.mjs");
/** Runs a command and prints its peak memory in KiB: that of Node, and not of this process. */
const MEASURE =
  "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)";

export const traceImport: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-bench-"));
  try {
    write(folder);
    const out = join(folder, "root", "set");
    const started = performance.now();
    const args = [
      "-c",
      MEASURE,
      process.execPath,
      COMMAND_LINE,
      "problem",
      "import",
      join(folder, "data"),
      "--out",
      out,
    ];
    const { status, stdout, stderr } = spawnSync("python3", args, { encoding: "utf8", maxBuffer: 1e8 });
    const tookS = (performance.now() - started) / 1000;
    const peakKib = Number(stdout.trim().split("\n").at(-1));
    if (status !== 0 || readdirSync(out).length !== DEFINITIONS) throw new Error(stderr.slice(-2000));
    return [
      { name: `import ${DEFINITIONS} definitions`, value: tookS, unit: "s" },
      { name: `peak memory, ${DEFINITIONS * WORKLOADS} workloads`, value: (peakKib * 1024) / 1e6, unit: "MB" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Writes the documents; references have the length of real ones. */
function write(folder: string): void {
  const definitions = join(folder, "data/definitions/gemm");
  const workloads = join(folder, "data/workloads/gemm");
  for (const each of [definitions, workloads]) mkdirSync(each, { recursive: true });
  const steps = Array.from({ length: 60 }, (_, index) => `    c = c + ${index} * torch.sigmoid(c)  # step ${index}`);
  const reference = ["import torch", "", "", "def run(a, b):", "    c = a @ b", ...steps, "    return c", ""].join(
    "\n",
  );
  for (let number = 0; number < DEFINITIONS; number += 1) {
    const name = `gemm_n${number + 1}`;
    const tensor = (...shape: string[]) => ({ shape, dtype: "float32", description: "A matrix." });
    const definition = {
      name,
      op_type: "gemm",
      axes: { m: { type: "var" }, n: { type: "const", value: number + 1 }, k: { type: "const", value: 128 } },
      inputs: { a: tensor("m", "k"), b: tensor("k", "n") },
      outputs: { c: tensor("m", "n") },
      reference,
    };
    writeFileSync(join(definitions, `${name}.json`), JSON.stringify(definition, null, 2));
    const lines = Array.from({ length: WORKLOADS }, (_, index) => {
      const workload = {
        uuid: `${name}-${index}`,
        axes: { m: index + 1 },
        inputs: { a: { type: "random" }, b: { type: "random" } },
      };
      return `${JSON.stringify({ definition: name, workload, solution: null, evaluation: null })}\n`;
    });
    writeFileSync(join(workloads, `${name}.jsonl`), lines.join(""));
  }
}
