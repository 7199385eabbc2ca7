"""Adaptive quantisation of a signal of bytes: k-means, whose steps are computed from the histogram.

Each round counts the signal, moves the centres to the mean of their bytes, and moves every byte half of the way to its
centre. So the bytes gather in ever fewer values, and at the end a few counters have all counts."""

import os

import torch

from kernelbot_tester.inputs import RandomInputs

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
BINS = 256


def run(size: int, levels: int, rounds: int, seed: int, contention: int = 0):
    """Quantises a signal of `size` bytes, a mixture of normal distributions, to `levels` centres. `contention`: a benchmark's,
    without a meaning here, since the rounds make it."""
    random = RandomInputs(seed, DEVICE)
    which = random.integers(0, levels, size)
    middle = random.uniform(levels).mul_(200).add_(28)
    signal = random.normal(size).mul_(12).add_(middle[which]).round_().clamp_(0, BINS - 1).to(torch.uint8)
    centres = torch.linspace(0, BINS - 1, levels + 2, dtype=torch.float64, device=DEVICE)[1:-1]
    values = torch.arange(BINS, dtype=torch.float64, device=DEVICE)
    for _ in range(rounds):
        counts = yield signal, torch.empty(BINS, dtype=torch.int64, device=DEVICE)
        weights = counts.double()
        nearest = (values[:, None] - centres).abs().argmin(1)
        members = torch.zeros_like(centres).index_add_(0, nearest, weights)
        sums = torch.zeros_like(centres).index_add_(0, nearest, weights * values)
        centres = torch.where(members > 0, sums / members.clamp_min(1), centres)
        goals = centres.round()[nearest]
        moved = goals + (values - goals).div(2).trunc()
        signal = moved.to(torch.uint8)[signal.long()]
    counts = yield signal, torch.empty(BINS, dtype=torch.int64, device=DEVICE)
    distance = (values[:, None] - centres).abs().amin(1)
    return {
        "elements": counts.sum(),
        "values in use": counts.count_nonzero(),
        "inertia": (counts * distance.square()).sum() / size,
        "centres": centres,
    }
