import { expect, test } from "vitest";
import type { Backend } from "./entry.ts";
import { strictFaults } from "./strict-check.ts";

const TRITON =
  "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x):\n    tl.load(x)\n\nclass ModelNew: ...\n";
const CUDA = 'S = r"""__global__ void k() {}  // try: it\n"""\nm = load_inline("m", [S])\nclass ModelNew: ...\n';

function faultsOf(source: string, backend: Backend | undefined = "triton", precision: "fp32" | "fp16" = "fp32") {
  const metadata = { display_name: "A", organization: "", notes: "", backend };
  const faults = strictFaults({ metadata, kernels: { level_1_problem_1_sample_0: source } }, precision);
  return faults.map(({ severity, what }) => `${severity} ${what}`);
}

test.each<[string, string, Backend]>([
  ["Triton", TRITON, "triton"],
  ["CUDA", CUDA, "cuda"],
  ["PyTorch", "class ModelNew: ...\n", "pytorch"],
])("a kernel in %s without flagged constructs has no fault", (_, source, backend) => {
  expect(faultsOf(source, backend)).toEqual([]);
});

test.each([
  ["try:\n    x = 1\nexcept Exception:\n    x = 2\n", "line 9: catches an exception"],
  ["def f():\n    torch.cuda.synchronize = lambda: 0\n", "line 10: replaces a function of torch, triton or time"],
  ["setattr(torch.cuda, 'Event', X)\n", "line 9: replaces a function of torch, triton or time"],
  ["import threading\n", "line 9: can start a thread or process"],
  ["from concurrent.futures import ThreadPoolExecutor\n", "line 9: can start a thread or process"],
  ["class Lazy(torch.Tensor): ...\n", "line 9: a subclass of Tensor"],
])("%j is an error with its line", (more, what) => {
  const faults = faultsOf(TRITON + more);
  expect(faults[0]).toContain(`error ${what}`);
});

test.each([
  ["y = torch.matmul(a, b)\n", "computes with an operator of PyTorch"],
  ["y = a @ b\n", "computes with an operator of PyTorch"],
  ["n = 8 // 4; y = F.relu(a)\n", "computes with an operator of PyTorch"],
  ["l = torch.nn.Linear(3, 4)\n", "computes with a layer of torch.nn"],
  ["s = torch.cuda.Stream()\n", "uses its own stream or graph"],
  ["y = x.half()\n", "uses a precision below fp32"],
  ["if x:\n    pass\n", "`pass` may be a branch that does nothing"],
])("%j is a warning", (more, what) => {
  expect(faultsOf(TRITON + more).map((fault) => fault.replace(/line \d+: /, ""))).toEqual([`warning ${what}`]);
});

test("comments and strings are ignored", () => {
  const text = "try: torch.matmul(a, b) @ c; import threading";
  const more = `# ${text}\nx = "${text}"\ny = '''\n${text}\n  pass\n'''\nz = "# \\" "  # ${text}\n`;
  expect(faultsOf(TRITON + more)).toEqual([]);
});

test("a precision below the suite's is reported, also in C++ sources", () => {
  const source = CUDA.replace("{}", "{ __half x; }");
  expect(faultsOf(source, "cuda")).toEqual(["warning line 1: uses a precision below fp32"]);
  expect(faultsOf(source, "cuda", "fp16")).toEqual([]);
});

test("a kernel without a construct of the declared backend is an error, and so is a missing backend", () => {
  expect(faultsOf("class ModelNew: ...\n", "cuda")).toEqual([
    "error cuda is the declared backend, but a function with __global__ is missing",
    "error cuda is the declared backend, but a build by torch.utils.cpp_extension is missing",
  ]);
  expect(
    strictFaults({ metadata: { display_name: "A", organization: "", notes: "" }, kernels: {} }, "fp32"),
  ).toMatchObject([{ severity: "error", key: "metadata.backend" }]);
});

test("the running time is linear in the length of any source", () => {
  const parts = ['"', "'''", "\\", "@ ", "class x(", "\nclass a(", "\nclass a", "\ntry ", "  ", "setattr( ", "#", "a "];
  for (const part of parts) {
    const before = performance.now();
    faultsOf(part.repeat(Math.floor(256_000 / part.length)));
    // A few milliseconds if linear; minutes if quadratic.
    expect(performance.now() - before).toBeLessThan(10_000);
  }
});

test("a string that is not closed ends with its line, so that each character is read once", () => {
  expect(faultsOf(`${TRITON}x = "try: # \nthreading = 1\nimport threading\n`)[0]).toContain(
    "error line 11: can start a thread or process",
  );
  expect(faultsOf(`${TRITON}x = '# \nimport threading\n`)[0]).toContain("error line 10");
  expect(faultsOf(`${TRITON}${String.raw`\"`.repeat(500_000)}`)).toEqual([]);
});
