/** Sources of the showcase: the solutions of the shipped problems, and generated kernels in several versions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROBLEM_SETS } from "./folders.ts";

export interface Source {
  fileName: string;
  source: string;
}

/** Returns a solution of the shipped set, without its `expect` line. */
export function solution(problem: string, file: string): Source {
  const text = readFileSync(join(PROBLEM_SETS, "pmpp", problem, "solutions", file), "utf8");
  const source = text.replace(/^(#|\/\/) expect:.*\n/, "");
  return { fileName: file.replace(/^[a-z]+_/, ""), source };
}

/**
 * Returns the nth version of a participant's kernel: first plain PyTorch, then Triton and CUDA; on a CPU, blocked
 * PyTorch and C++.
 */
export function version(problem: string, target: string, number: number, salt: number): Source {
  if (number === 0) return plain(problem);
  if (target === "cpu") {
    return number >= 3 ? solution(problem, COMPILED[problem] ?? "correct.py") : blocked(problem, number, salt);
  }
  return number >= 3 && salt % 3 === 0 ? cuda(number, salt) : triton(number, salt);
}

const COMPILED: Record<string, string> = {
  conv2d: "fast_blocks.cpp",
  grayscale: "fast_rows.cpp",
  histogram: "fast_tables.cpp",
  matmul: "fast_blocks.cpp",
  prefixsum: "fast_blocks.cpp",
  sort: "fast_radix.cpp",
  vectoradd: "fast_avx.cpp",
  vectorsum: "fast_simd.cpp",
};

const ONE_CALL: Record<string, string> = {
  vectoradd: "a, b, c = data\n    return torch.add(a, b, out=c)",
  vectorsum: "x, y = data\n    return torch.sum(x, dim=0, out=y)",
  histogram: "x, counts = data\n    counts.copy_(torch.bincount(x, minlength=256))\n    return counts",
  grayscale: "rgb, gray = data\n    return torch.mv(rgb.view(-1, 3), WEIGHTS, out=gray.view(-1)).view_as(gray)",
  matmul: "a, b, c = data\n    return torch.mm(a, b, out=c)",
  prefixsum: "x, y = data\n    return torch.cumsum(x, dim=0, out=y)",
  sort: "x, y = data\n    y.copy_(torch.sort(x).values)\n    return y",
  conv2d: "x, w, y = data\n    y.copy_(F.conv2d(x, w))\n    return y",
};

function plain(problem: string): Source {
  const source = `import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    ${ONE_CALL[problem] ?? ""}
`;
  return { fileName: "submission.py", source };
}

function triton(number: number, salt: number): Source {
  const block = 256 * 2 ** ((number + salt) % 5);
  const warps = 2 ** (1 + ((number + salt) % 4));
  const hints = number >= 3 ? "\n    offsets = tl.max_contiguous(tl.multiple_of(offsets, BLOCK), BLOCK)" : "";
  const grid = number >= 2 ? "(min(triton.cdiv(n, BLOCK), 8 * PROGRAMS),)" : "(triton.cdiv(n, BLOCK),)";
  const loop =
    number >= 2
      ? `    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        step(x_ptr, y_ptr, start, n, BLOCK)`
      : "    step(x_ptr, y_ptr, tl.program_id(0) * BLOCK, n, BLOCK)";
  const source = `"""Version ${number}: ${number >= 2 ? "persistent programs that loop over the blocks" : "one program per block"}."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t

BLOCK = ${block}
WARPS = ${warps}
PROGRAMS = 132  # one for each multiprocessor


@triton.jit
def step(x_ptr, y_ptr, start, n, BLOCK: tl.constexpr):
    offsets = start + tl.arange(0, BLOCK)${hints}
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0${number >= 3 ? ', eviction_policy="evict_first"' : ""})
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
${loop}


def custom_kernel(data: input_t) -> output_t:
    *inputs, out = data
    n = out.numel()
    kernel[${grid}](inputs[0], out, n, BLOCK=BLOCK, num_warps=WARPS)
    return out
`;
  return { fileName: `v${number}_triton.py`, source };
}

/** Returns a kernel that caches results by input address, which the source review detects. */
export function cached(): Source {
  const source = `"""Caches results of earlier calls."""

import torch
from task import input_t, output_t

_SEEN = {}


def custom_kernel(data: input_t) -> output_t:
    key = data[0].data_ptr()
    if key not in _SEEN:
        result = torch.mm(data[0], data[1])
        _SEEN[data[0].data_ptr()] = result
    return _SEEN[key]
`;
  return { fileName: "warm.py", source };
}

/** Returns CUDA in a Python file, compiled on import. */
function cuda(number: number, salt: number): Source {
  const threads = 128 * 2 ** (salt % 3);
  const unroll = number >= 5 ? 8 : 4;
  const source = `"""${unroll} elements per thread, with 16-byte loads."""

from torch.utils.cpp_extension import load_inline
from task import input_t, output_t

CUDA = r"""
constexpr int THREADS = ${threads}, UNROLL = ${unroll};

__global__ void __launch_bounds__(THREADS) move(const float4 *from, float4 *to, long n)
{
    const long first = long(blockIdx.x) * THREADS * UNROLL + threadIdx.x;
    float4 held[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (first + i * THREADS < n)
            held[i] = __ldcs(from + first + i * THREADS);
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (first + i * THREADS < n)
            __stcs(to + first + i * THREADS, held[i]);
}

torch::Tensor run(torch::Tensor x, torch::Tensor y)
{
    const long vectors = x.numel() / 4, blocks = (vectors + THREADS * UNROLL - 1) / (THREADS * UNROLL);
    move<<<blocks, THREADS>>>((const float4 *)x.data_ptr(), (float4 *)y.data_ptr(), vectors);
    return y;
}
"""

module = load_inline("kernel_${salt}", "torch::Tensor run(torch::Tensor x, torch::Tensor y);", CUDA, functions=["run"])


def custom_kernel(data: input_t) -> output_t:
    *inputs, out = data
    return module.run(inputs[0], out)
`;
  return { fileName: `v${number}_cuda.py`, source };
}

/** Returns PyTorch code for the CPU with blocks that fit a cache. */
function blocked(problem: string, number: number, salt: number): Source {
  const source = `"""Version ${number}: in blocks that fit the L2 cache."""

import torch
from task import input_t, output_t

BLOCK = ${1 << (12 + ((number + salt) % 5))}
${number >= 2 ? `\ntorch.set_num_threads(${8 * (1 + (salt % 4))})\n` : ""}

def custom_kernel(data: input_t) -> output_t:
    ${ONE_CALL[problem] ?? ""}
`;
  return { fileName: `blocked_v${number}.py`, source };
}
