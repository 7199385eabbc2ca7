"""Estimates from timed rounds, to know when to stop. `packages/core/src/statistics.ts` scores by the same formulas, and
both are tested with `packages/core/src/statistics.vectors.json`. Every function keeps the unit of its values.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence


class Estimate(NamedTuple):
    """A value with the interval that holds it."""

    value: float
    low: float
    high: float

    def is_narrow(self) -> bool:
        """Nanoseconds: half of the interval is under 0.5 % of the value, or 1 % below 20 us, where a clock's own
        scatter shows."""
        return (self.high - self.low) / 2 < self.value * (0.01 if self.value < 20_000 else 0.005)


def median(values: Sequence[float]) -> float:
    """The middle of the sorted values; the mean of the two middle ones when their number is even."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def round_value(samples: Sequence[float]) -> float:
    """One time for a round of calls on a CPU: the mean of the lowest quartile, since interference only adds time."""
    count = max(1, len(samples) // 4)
    return sum(sorted(samples)[:count]) / count


def median_interval(rounds: Sequence[float]) -> Estimate:
    """The median over rounds, and the tightest symmetric pair of round values that holds the true median with at least
    95 % confidence (with fewer than six rounds: the whole range). Source: H. A. David, H. N. Nagaraja, Order
    Statistics, 3rd ed., section 7.1."""
    ordered = sorted(rounds)
    skip = interval_skip(len(ordered))
    return Estimate(median(ordered), ordered[skip], ordered[len(ordered) - 1 - skip])


def interval_skip(n: int) -> int:
    """How many values to leave out on each side: the largest k with P(Binomial(n, 1/2) <= k) <= 2.5 %, or none."""
    skip, probability = 0, 0.5**n
    cumulative = probability
    while True:
        probability *= (n - skip) / (skip + 1)
        cumulative += probability
        if cumulative > 0.025:
            return skip
        skip += 1


class RunningMean:
    """The mean of a growing sample and its standard error, without a second look at the values. Source: B. P. Welford,
    Note on a Method for Calculating Corrected Sums of Squares and Products, Technometrics 4 (1962) 419-420."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0

    def add(self, value: float) -> None:
        """One more value."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self.squares += before * (value - self.mean)

    def standard_error(self) -> float:
        """s / sqrt(n), which takes the values for independent; infinite below two values."""
        return math.sqrt(self.squares / (self.count - 1) / self.count) if self.count > 1 else math.inf
