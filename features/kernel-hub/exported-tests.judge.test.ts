/** The tests of exported kernels, executed with PyTorch: they pass for correct kernels and fail for incorrect ones. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findPython, loadProblemDirectory } from "@kernelbot/tester";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportedEntry } from "@kernelbot/testing/cli/exported-entry.ts";
import { problem as sampleProblem } from "@kernelbot/testing/cli/samples.ts";
import { writeFiles } from "@kernelbot/cli/src/init/write-files.ts";
import type { Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { kernelNames } from "./names.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";
import { pythonPackage } from "./package.ts";
import { universalRepository } from "./universal.ts";

const PROBLEMS = resolve(import.meta.dirname, "../../problems");

let root: string;
let python: string;
let exports = 0;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "kernelbot-export-"));
  python = (await findPython()).path;
});
afterAll(() => rmSync(root, { recursive: true }));

const universal = (entry: Entry, names: KernelNames) => universalRepository(entry, names, 1);
const asPackage = (entry: Entry, names: KernelNames) => pythonPackage(entry, names, "");

/** Exports a solution of a problem, as a repository by default; returns the folder. */
async function exported(problem: string, solution: string, format = universal): Promise<string> {
  const directory = join(PROBLEMS, problem);
  const entry = exportedEntry({
    source: readFileSync(join(directory, "solutions", solution), "utf8"),
    problem: { ...sampleProblem(), ...(await loadProblemDirectory(directory)) },
  });
  const folder = join(root, String((exports += 1)));
  await writeFiles(folder, format(entry, kernelNames(entry.problem.spec.name, undefined)), false);
  return folder;
}

/** Runs a program in a folder, without this repository's modules. */
function run(folder: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(python, ["-B", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", OMP_NUM_THREADS: "1" },
  });
  return { status, output: stdout + stderr };
}

test.each([
  ["one output and the judge's random inputs", "pmpp/vectoradd", "fast_out.py", "wrong_tail.py"],
  ["a check and a module of its own", "linalg/qr", "correct.py", "wrong_signs.py"],
  ["helper functions next to the kernel", "blockscale/mxfp4-mm", "correct.py", "wrong_ties.py"],
  ["two outputs", "deltanet/fp8-quant", "correct.py", "wrong_row.py"],
  ["a constant of the judge's random inputs", "pmpp/sort", "fast_in_place.py", "wrong_negative.py"],
])("pass for a correct kernel and fail for an incorrect one: %s", async (_, problem, correct, incorrect) => {
  const passed = run(await exported(problem, correct), "tests/test_kernel.py");
  expect(passed.status, passed.output).toBe(0);
  expect(passed.output).toContain("\nOK\n");
  const failed = run(await exported(problem, incorrect), "tests/test_kernel.py");
  expect(failed.status, failed.output).toBe(1);
  expect(failed.output).toContain("FAILED");
});

test("those of a package import it from its sources, with what it depends on", async () => {
  const passed = run(await exported("pmpp/vectoradd", "correct.py", asPackage), "tests/test_kernel.py");
  expect(passed.status, passed.output).toBe(0);
  const failed = run(await exported("pmpp/vectoradd", "wrong_tail.py", asPackage), "tests/test_kernel.py");
  expect(failed.status, failed.output).toBe(1);
});

test("the benchmark script runs each case and verifies it without making inputs, and without the files next to it", async () => {
  const folder = await exported("pmpp/vectoradd", "fast_out.py");
  const alone = join(folder, "alone");
  await writeFiles(
    alone,
    new Map([
      ["kernels/__init__.py", ""],
      ["kernels/benchmark.py", "class Benchmark:\n    pass\n"],
      ["benchmark.py", readFileSync(join(folder, "benchmarks/benchmark.py"), "utf8")],
    ]),
    false,
  );
  writeFileSync(
    join(folder, "run.py"),
    `import sys
sys.path.insert(0, "tests")
from test_kernel import kernel
for name in ["reference", "task", "kernelbot_tester", "kernelbot_tester.inputs"]:
    del sys.modules[name]
sys.path[:] = ["alone"] + [path for path in sys.path if not path.endswith("problem") and path != "tests"]
import torch, benchmark
workloads = [name[6:] for name in dir(benchmark.Cases) if name.startswith("setup_")]
for name in workloads:
    cases = benchmark.Cases()
    cases.kernel, cases.device = kernel, "cpu"
    for step in ["setup", "benchmark"]:
        getattr(cases, f"{step}_{name}")()
    make, sys.modules["reference"].generate_input = sys.modules["reference"].generate_input, None
    assert torch.allclose(cases.out, getattr(cases, f"verify_{name}")(), atol=1e-2)
    sys.modules["reference"].generate_input = make
print(workloads)
`,
  );
  const { status, output } = run(folder, "run.py");
  expect(status, output).toBe(0);
  expect(output).toContain("['case0', 'case1', 'case2']");
});

test("fail for a kernel that writes nothing", async () => {
  const folder = await exported("pmpp/vectoradd", "fast_out.py");
  writeFileSync(join(folder, "build/torch-cpu/kernel.py"), "def custom_kernel(data):\n    return data[2]\n");
  expect(run(folder, "tests/test_kernel.py").output).toContain("1 of 1 elements differ");
});

test("the kernel is called by its own name with named values, and fills and returns the given buffer", async () => {
  const folder = await exported("pmpp/vectoradd", "fast_out.py");
  writeFileSync(
    join(folder, "use.py"),
    `import sys, torch
sys.path.insert(0, "tests")
from test_kernel import kernel
assert kernel.__all__ == ["vectoradd"], kernel.__all__
assert kernel.__name__.startswith("_vectoradd_cpu_"), kernel.__name__
out = torch.empty(3, dtype=torch.float16)
result = kernel.vectoradd(torch.ones(3, dtype=torch.float16), b=torch.ones(3, dtype=torch.float16), c=out)
assert result is out and out.tolist() == [2, 2, 2], result
`,
  );
  const { status, output } = run(folder, "use.py");
  expect(status, output).toBe(0);
});
