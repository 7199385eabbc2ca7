/** Repositories for the Hub, by the rules of its loader. */
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { exportedEntry, type ExportedEntryOptions } from "@kernelbot/testing/cli/exported-entry.ts";
import { problem } from "@kernelbot/testing/cli/samples.ts";
import { kernelNames } from "./names.ts";
import { universalRepository } from "./universal.ts";

function repository(options: ExportedEntryOptions = {}, name?: string): Map<string, string> {
  return universalRepository(exportedEntry(options), kernelNames("vectoradd", name), 2);
}

function metadataOf(files: ReadonlyMap<string, string>, variant: string): Record<string, unknown> {
  return JSON.parse(files.get(`build/${variant}/metadata.json`) ?? "null") as Record<string, unknown>;
}

const KERNEL = "def custom_kernel(data):\n    return data[-1]\n";

test("a build has every key that the loader requires, and its id is different for another source or backend", () => {
  const cpu = metadataOf(repository(), "torch-cpu");
  expect(cpu).toMatchObject({
    name: "vectoradd",
    id: "_vectoradd_cpu_8c1f1f1",
    version: 2,
    license: "mit",
    "python-depends": [],
    "kernel-depends": [],
    backend: { type: "cpu" },
  });
  const cuda = metadataOf(repository({ target: "H100" }), "torch-cuda");
  expect(cuda).toMatchObject({ id: "_vectoradd_cuda_8c1f1f1", backend: { type: "cuda", archs: ["9.0"] } });
});

test("the digest lists every other file of the build, with its SHA-256 in base64", () => {
  const files = repository();
  const { digest } = metadataOf(files, "torch-cpu") as { digest: { algorithm: string; files: Record<string, string> } };
  const build = [...files.keys()].filter((path) => path.startsWith("build/torch-cpu/") && !path.endsWith(".json"));
  expect(Object.keys(digest.files).map((path) => `build/torch-cpu/${path}`)).toEqual(build.toSorted());
  for (const [path, stated] of Object.entries(digest.files)) {
    expect(stated).toBe(hash("sha256", files.get(`build/torch-cpu/${path}`) ?? "", "base64"));
  }
});

test("the public function has the problem's names, and the kernel imports the files next to it relatively", () => {
  const files = repository();
  const init = files.get("build/torch-cpu/__init__.py");
  expect(init).toContain('__all__ = ["vectoradd"]');
  expect(init).toContain("def vectoradd(a, b, c):");
  expect(init).toContain("data = (a, b, c,)");
  expect(files.get("build/torch-cpu/kernel.py")).toContain("from .task import input_t, output_t");
  expect(files.has("build/torch-cpu/task.py")).toBe(true);
});

test("a problem whose input is not a tuple of named values keeps its one parameter", () => {
  const nested = 'input_t = Tuple[List[torch.Tensor], torch.Tensor]\n"""`(a, b)`: lists."""\n';
  const files = repository({ source: KERNEL, problem: problem({ "task.py": nested }) });
  expect(files.get("build/torch-cpu/__init__.py")).toContain("def vectoradd(data):");
  expect(files.has("build/torch-cpu/task.py")).toBe(false);
});

test("the names are found where the types and the names are on several lines", () => {
  const types = 'input_t = tuple[\n    torch.Tensor,\n    int,\n]\n"""`(x,\nsteps)`: a vector and a number."""\n';
  const files = repository({ source: KERNEL, problem: problem({ "task.py": types }) });
  expect(files.get("build/torch-cpu/__init__.py")).toContain("def vectoradd(x, steps):");
});

test("the benchmark has a workload for each case, verified only if the judge is at least as strict as its comparison", () => {
  const strict = repository().get("benchmarks/benchmark.py");
  expect(strict).toContain("self.out = self.kernel.vectoradd(*self.data)");
  expect(strict).toContain("def verify_case0(self):");
  const own = "def ref_kernel(data): ...\n\n\ndef check_implementation(data, output): ...\n";
  const checked = repository({ source: KERNEL, problem: problem({ "reference.py": own }) });
  expect(checked.get("benchmarks/benchmark.py")).not.toContain("verify");
  const lax = problem();
  lax.spec.tolerance = { rtol: 1e-3, atol: 0, reason: "" };
  expect(repository({ source: KERNEL, problem: lax }).get("benchmarks/benchmark.py")).not.toContain("verify");
});

test("an adapter of the problem wraps the exported kernel", () => {
  const adapter =
    "from submission import custom_kernel as inner\n\n\ndef custom_kernel(data):\n    return inner(data)\n";
  const files = repository({ source: KERNEL, problem: problem({ "adapter.py": adapter }) });
  expect(files.get("build/torch-cpu/__init__.py")).toContain("from .adapter import custom_kernel as _custom_kernel");
  expect(files.get("build/torch-cpu/adapter.py")).toContain("from .kernel import custom_kernel as inner");
});

test("the source of the receipt is kept byte for byte", () => {
  const source = `# µ \r\n${KERNEL}`;
  expect(repository({ source }).get("receipt/submission.py")).toBe(source);
});

test("the card states figures, cases, licence and receipt, and its header what the Hub reads", () => {
  const card = repository().get("README.md") ?? "";
  const { timeNs, speedup } = exportedEntry().receipt.score;
  const half = (50 * (timeNs.high - timeNs.low)) / timeNs.value;
  const figures = `: ${speedup?.value.toFixed(3)}× as fast as the reference, ${(timeNs.value / 1_000).toFixed(2)} µs ± ${half.toFixed(1)} %. `;
  expect(card).toMatch(/^---\nlibrary_name: kernels\nlicense: mit\ntags:\n- kernelbot\n---\n\n# vectoradd\n/);
  expect(card).toContain(
    'kernel = get_kernel("OWNER/NAME", version=2, trust_remote_code=True)\nkernel.vectoradd(a, b, c)',
  );
  expect(card).toContain(
    "Rank 1 of 3 on the leaderboard [vectoradd on cpu](https://kernels.example/boards/vectoradd/cpu)",
  );
  expect(card).toContain(figures);
  expect(card).toContain("| dtype: f32; masked: false; shape: \\[4,256\\]; size: 1024 | 20.31 µs");
  expect(card).toContain("`abs(got - expected) <= 0 + 0 * abs(expected)`. One rounding.");
  expect(card).toContain("- size: 127; seed: 4242\n");
  expect(card).toContain(
    "The problem's version was `abababababababab`; the files in `tests` are those of the later version `abc`.",
  );
  expect(card).toContain("licensed under MIT by Ada Lovelace €");
  expect(card).toContain("kernelbot verify receipt/receipt.json --source receipt/submission.py --key keys.json");
});

test("names that neither the Hub nor Python take are changed, and chosen ones are refused", () => {
  expect(kernelNames("fp8_mm", undefined)).toEqual({ hub: "fp8-mm", python: "fp8_mm" });
  expect(kernelNames("2d-conv_", undefined)).toEqual({ hub: "kernel-2d-conv", python: "kernel_2d_conv" });
  expect(kernelNames("lambda", undefined)).toEqual({ hub: "kernel-lambda", python: "kernel_lambda" });
  expect(() => kernelNames("a", "Bad_Name")).toThrow('--name: "Bad_Name" is not a valid kernel name');
});

test.each([
  ["numpy", "import numpy as np", "imports numpy, which the Hub does not allow; use kernelbot export package"],
  ["an unknown package", "from fastkernels import dot", "imports fastkernels, and only triton, einops"],
  ["a module that it does not have", "import helper", "imports helper, and only"],
])("a kernel that imports %s is refused", (_, line, message) => {
  expect(() => repository({ source: `${line}\n${KERNEL}` })).toThrow(message);
});

test("a kernel in Triton needs no package, one with helion names it; one that compiles or uses its machine says so", () => {
  const triton = repository({ source: `import triton\nimport triton.language as tl\nimport math\n${KERNEL}` });
  expect(metadataOf(triton, "torch-cpu")["python-depends"]).toEqual([]);
  const helion = repository({ source: `import helion\n${KERNEL}` });
  expect(metadataOf(helion, "torch-cpu")["python-depends"]).toEqual(["helion"]);
  const bound = repository({ source: `import os\nPATH = "/tmp/x" + os.environ["HOME"]\n${KERNEL}` });
  expect(bound.get("README.md")).toContain("The source of the kernel uses environment variables and absolute paths:");
  expect(triton.get("README.md")).not.toContain("The source of the kernel uses");
  const inline = repository({ source: `from torch.utils.cpp_extension import load_inline\n${KERNEL}` });
  expect(inline.get("README.md")).toContain("The kernel compiles C++ or CUDA code when it is loaded");
  expect(triton.get("README.md")).not.toContain("when it is loaded");
});
