import { expect, test } from "vitest";
import { kernelRow as row } from "@kernelbot/testing/dataset/kernel-rows.ts";
import { plainCode } from "./strip-comments.ts";
import { TECHNIQUES } from "./technique-patterns.ts";
import { techniquesOf, techniqueUses } from "./techniques.ts";

test.each([
  ["@triton.jit\ndef k(a): tl.dot(a, a)", ["triton", "triton dot"]],
  ["@triton.autotune(configs=[])\n@triton.jit\ndef k(): pass", ["triton", "autotuning"]],
  ["m = torch.compile(f)", ["torch.compile"]],
  [
    "load_inline(cpp_sources='', cuda_sources='__shared__ float4 x[2];')",
    ["load_inline", "shared memory", "vectorised loads"],
  ],
  ["g = torch.cuda.CUDAGraph()\ns = torch.cuda.Stream()", ["cuda graphs", "streams"]],
  ['asm volatile ("cp.async.cg.shared.global [%0], [%1], 16;");', ["cp.async", "inline ptx"]],
  ['asm("cp.async.bulk.tensor.2d [%0];"); mbarrier', ["tma", "mbarrier", "inline ptx"]],
  ['asm volatile("wgmma.mma_async.sync.aligned.m64n64k16");', ["wgmma", "inline ptx"]],
  ['asm volatile("mma.sync.aligned.m16n8k16");', ["mma", "inline ptx"]],
  ["tcgen05.mma.cta_group::1", ["tcgen05"]],
  ["__builtin_amdgcn_mfma_f32_32x32x8f16(a)", ["mfma"]],
  ["x += __shfl_xor_sync(~0u, x, 1);", ["warp shuffles"]],
  ["return torch.add(a, b)", []],
])("%s", (source, techniques) => {
  expect(techniquesOf(source, "kernel.py")).toEqual(techniques);
});

test("comments and docstrings do not count, strings that kernels are written into do", () => {
  const source = `
"""We tried wgmma."""
# and torch.compile
def f(x):
    r'''A docstring with __shared__ in it.'''
    """another, of tcgen05"""
    g("torch.cuda.CUDAGraph in a string")
    return load(
        """
        // __ldg in a comment of C++
        /* and atomicAdd */
        #pragma unroll
        """
    )
`;
  expect(techniquesOf(source, "a.py")).toEqual(["unrolling", "cuda graphs"]);
  expect(techniquesOf("// wgmma\n/* tcgen05 */ __ldg(x); // '", "a.cu")).toEqual(["read-only cache"]);
});

test("a hostile source takes linear time, and of a long one the first million characters are read", () => {
  const hostile = [
    '"',
    "'''",
    "/*",
    "asm ",
    "asm(volatile ",
    "ld.global.x",
    "ld.global.",
    "((((",
    "\\",
    'r"\\',
    "#",
    "\n",
    "tl.",
    "a",
  ];
  for (const piece of hostile) {
    const source = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(plainCode(source, "a.py").length).toBeLessThanOrEqual(source.length + 2);
    techniquesOf(source, "a.cu");
  }
  expect(techniquesOf(`${"x".repeat(1 << 20)} wgmma`, "a.py")).toEqual([]);
});

test("each technique has a name of its own", () => {
  expect(new Set(TECHNIQUES.map(({ name }) => name)).size).toBe(TECHNIQUES.length);
});

test("the use of a technique is counted for all users and for the fastest tenth", () => {
  const rows = Array.from({ length: 20 }, (_, at) => row(at + 1, { userId: `u${at}`, scoreNs: 1000 + at }));
  const known = new Map(rows.map(({ codeKey }, at) => [codeKey, at < 2 || at === 19 ? ["wgmma"] : ["mma"]]));
  expect(techniqueUses(rows, known).results).toEqual([
    {
      problem: "sort",
      target: "cpu",
      technique: "wgmma",
      users: 3,
      share: 0.15,
      shareOfFastest: 1,
      medianNs: 1001,
      medianWithoutNs: 1010,
      medianRankedBy: null,
      medianWithoutRankedBy: null,
    },
    {
      problem: "sort",
      target: "cpu",
      technique: "mma",
      users: 17,
      share: 0.85,
      shareOfFastest: 0,
      medianNs: 1010,
      medianWithoutNs: 1001,
      medianRankedBy: null,
      medianWithoutRankedBy: null,
    },
  ]);
});

test("on a board that ranks by efficiency, the fastest are the first ranks, and medians are of efficiencies, too", () => {
  const rows = [
    row(1, { userId: "u1", scoreNs: 900, rankedBy: { ranking: "sol_score", value: 0.8 }, place: 1 }),
    row(2, { userId: "u2", scoreNs: 500, rankedBy: { ranking: "sol_score", value: 0.6 }, place: 2 }),
    row(3, { userId: "u3", scoreNs: 700, rankedBy: { ranking: "sol_score", value: 0.5 }, place: 3 }),
  ];
  const known = new Map([
    ["c1", ["wgmma"]],
    ["c2", []],
    ["c3", []],
  ]);
  expect(techniqueUses(rows, known).results).toMatchObject([
    {
      ...{ technique: "wgmma", shareOfFastest: 1, medianNs: 900, medianWithoutNs: 600 },
      ...{ medianRankedBy: { value: 0.8 }, medianWithoutRankedBy: { value: 0.55 } },
    },
  ]);
});
