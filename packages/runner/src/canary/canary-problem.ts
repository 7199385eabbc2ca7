/** Problem and submission of the canary. They pass through the same judge and sandbox as any participant's kernel. */
import { createHash } from "node:crypto";
import { CANARY_CASES, deviceOf, parseProblem, type Problem } from "@kernelbot/core";

/**
 * Number of elements of the vector, and side length of the matrix: a few milliseconds each on a CPU core, a few hundred
 * microseconds on an accelerator.
 */
const SIZES = { cpu: { memory: 2 ** 21, arithmetic: 512 }, accelerator: { memory: 2 ** 26, arithmetic: 4096 } };

const REFERENCE = `
import os

import torch

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
BLOCK = 4096


def generate_input(part: str, size: int, seed: int):
    """A vector or a square matrix of random float32 numbers, and the buffer for what the kernel makes of it."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    if part == "memory":
        data = torch.randn(BLOCK, generator=generator, device=DEVICE).repeat(size // BLOCK)
    else:
        data = torch.randn(size, size, generator=generator, device=DEVICE)
    return data, torch.empty_like(data)


def ref_kernel(data):
    """Twice the vector, or the matrix times itself."""
    values, _ = data
    return values * 2 if values.dim() == 1 else values @ values
`;

export const CANARY_SOURCE = `import torch


def custom_kernel(data):
    values, output = data
    if values.dim() == 1:
        return torch.mul(values, 2, out=output)
    return torch.matmul(values, values, out=output)
`;

/** Returns the canary's problem for a target. */
export function canaryProblem(target: string): Problem {
  const sizes = SIZES[deviceOf(target)];
  const benchmarks = CANARY_CASES.map((part, index) => ({ part, size: sizes[part], seed: index + 1 }));
  const task = {
    description: "Times the machine.",
    tests: [{ part: "memory", size: 4096, seed: 1 }],
    benchmarks,
    tolerance: { rtol: 1e-2, atol: 1e-1, reason: "Sums of products in another order, or in a lower precision." },
    targets: { [target]: {} },
  };
  return parseProblem("canary", { "task.yml": JSON.stringify(task), "reference.py": REFERENCE });
}

/** Returns a hash of the canary's kernel and sizes, so that times of different canaries are never compared. */
export function canaryVersion(target: string): string {
  const kernel = JSON.stringify([SIZES[deviceOf(target)], REFERENCE, CANARY_SOURCE]);
  return createHash("sha256").update(kernel).digest("hex").slice(0, 12);
}
