import { expect, test } from "vitest";
import { fingerprintsOf, gramsOf, similarity, tokensOf } from "./similarity.ts";

const KERNEL = `
import torch
from task import input_t, output_t

def custom_kernel(data: input_t) -> output_t:
    """Adds."""
    a, b, out = data
    for start in range(0, a.numel(), 4096):
        stop = min(start + 4096, a.numel())
        torch.add(a[start:stop], b[start:stop], out=out[start:stop])  # in place
    return out
`;

/** The same kernel with other names, numbers, comments and layout. */
const COPY = `# My own work.\n${KERNEL}`
  .replaceAll("start", "lo")
  .replaceAll("stop", "hi_")
  .replaceAll("4096", "8192")
  .replace("# in place", "# my idea")
  .replace("    for", "\n\n    # a loop\n    for");

const OTHER = `
import triton
import triton.language as tl

@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(z + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)

def custom_kernel(data):
    x, y, z = data
    add[(triton.cdiv(x.numel(), 1024),)](x, y, z, x.numel(), BLOCK=1024)
    return z
`;

const py = (source: string) => tokensOf(source, "py");

test("names, numbers, comments and layout have no effect on similarity", () => {
  expect(py("x = y[1] + foo(z)  # why")).toEqual(py("abc=  d [ 0x2f ]+g( h )"));
  expect(similarity(py(KERNEL), py(COPY))).toBe(1);
});

test("library calls, keywords and operators affect similarity", () => {
  expect(py("torch.add(a, b)")).not.toEqual(py("torch.mul(a, b)"));
  expect(py("while a: b")).not.toEqual(py("if a: b"));
  expect(py("a + b")).not.toEqual(py("a - b"));
});

test("kernels of different kinds have a low similarity", () => {
  expect(similarity(py(KERNEL), py(OTHER))).toBeLessThan(0.1);
});

test("a copy with inserted lines has a high similarity", () => {
  const longer = KERNEL.replace(
    "    return out",
    "    if not out.is_contiguous():\n        raise ValueError(out)\n    return out",
  );
  expect(similarity(py(KERNEL), py(longer))).toBeGreaterThan(0.6);
});

test("a kernel in a string is tokenised as code", () => {
  const cuda = (index: string) => `
SOURCE = r"""
__global__ void add(const float* a, const float* b, float* c, int n) { // adds
  int ${index} = blockIdx.x * blockDim.x + threadIdx.x;
  if (${index} < n) c[${index}] = a[${index}] + b[${index}];
}
"""
module = load_inline(cuda_sources=[SOURCE])
`;
  expect(similarity(py(cuda("i")), py(cuda("position")))).toBe(1);
  expect(similarity(py(cuda("i")), py(cuda("i").replace("+ b", "* b")))).toBeLessThan(1);
});

test("C++ comments are recognised, and preprocessor directives are not comments", () => {
  expect(tokensOf("#define N 4 // four\n/* a\nb */ int x;", "cpp")).toEqual(["#", "x", "x", "0", "int", "x", ";"]);
});

test("an unparsable source has tokens, and an empty one has none", () => {
  expect(py("'''never closed\n\0 \ud800")).not.toEqual([]);
  expect(fingerprintsOf(py("# nothing"))).toEqual([]);
  expect(similarity([], [])).toBe(0);
});

test("any 43 consecutive tokens that two sources share give a common fingerprint", () => {
  let seed = 1;
  const random = (): string => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return `.t${seed % 1000}`;
  };
  const some = (count: number) => Array.from({ length: count }, random);
  for (let n = 0; n < 50; n += 1) {
    const shared = some(43);
    const [a, b] = [
      [...some(100), ...shared, ...some(80)],
      [...some(7), ...shared, ...some(300)],
    ];
    const prints = new Set(fingerprintsOf(a));
    expect(fingerprintsOf(b).some((print) => prints.has(print))).toBe(true);
  }
});

test("about two of every 33 grams are fingerprints, as in the paper", () => {
  const tokens = Array.from({ length: 20_000 }, (_, at) => `.t${(at * 7919) % 10_007}${at % 13}`);
  const density = fingerprintsOf(tokens).length / gramsOf(tokens).length;
  expect(density).toBeGreaterThan(1.6 / 33);
  expect(density).toBeLessThan(2.4 / 33);
});

test.each(['"', "'''\n", "/* ", "a.", "\\", '\\"', ". "])(
  "a large source of only %j is tokenised in linear time",
  (part) => {
    const source = part.repeat(200_000 / part.length);
    expect(fingerprintsOf(py(source)).length).toBeLessThan(5000);
    expect(fingerprintsOf(tokensOf(source, "cpp")).length).toBeLessThan(5000);
  },
);

test("a string of more signs than a call takes arguments has fingerprints", () => {
  const signs = "+-*/".repeat(50_000);
  expect(fingerprintsOf(py(`x = """\n${signs}\n"""\n`))).toEqual(expect.arrayContaining(fingerprintsOf(py(signs))));
});
