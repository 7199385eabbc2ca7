"""Estimates from timed rounds, used to decide when to stop. `packages/core/src/score/statistics.ts` scores by the same
formulas; both are tested with `packages/core/src/score/statistics.vectors.json`. Every function keeps the unit of its
values.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence


class Estimate(NamedTuple):
    """A value with its 95 % confidence interval."""

    value: float
    low: float
    high: float

    def half_width(self) -> float:
        """Returns half of the interval's width as a fraction of the value."""
        return (self.high - self.low) / 2 / self.value


def median(values: Sequence[float]) -> float:
    """Returns the median; of an even number of values, the mean of the two middle ones."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def round_time(calls: Sequence[float]) -> float:
    """Returns the time of a round: the mean of its calls without the fastest and the slowest fifth."""
    count = len(calls)
    cut = 0 if count < 3 else -(-count // 5)
    kept = sorted(calls)[cut : count - cut]
    return sum(kept) / len(kept)


def median_interval(values: Sequence[float]) -> Estimate:
    """Returns the median and the tightest pair of order statistics that contains it with at least 95 % confidence, for
    any distribution; with too few values, the interval ends at the first and the last of them. Source: H. A. David, H. N.
    Nagaraja, Order Statistics, 3rd ed., section 7.1."""
    ordered = sorted(values)
    skip = skipped(len(ordered))
    return Estimate(median(ordered), ordered[skip], ordered[-1 - skip])


def skipped(n: int) -> int:
    """Returns how many of n values are outside the interval on each side: the largest k with P(Binomial(n, 1/2) <= k) <=
    2.5 %, or 0."""
    skip, probability = 0, 0.5**n
    cumulative = probability
    while True:
        probability *= (n - skip) / (skip + 1)
        cumulative += probability
        if cumulative > 0.025:
            return skip
        skip += 1


class RunningMean:
    """Mean of a growing sample and its standard error, without storing the values. Source: B. P. Welford, Note on a
    Method for Calculating Corrected Sums of Squares and Products, Technometrics 4 (1962) 419-420."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0

    def add(self, value: float) -> None:
        """Adds a value."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self.squares += before * (value - self.mean)

    def standard_error(self) -> float:
        """Returns s / sqrt(n), which assumes independent values; infinite below two values."""
        return math.sqrt(self.squares / (self.count - 1) / self.count) if self.count > 1 else math.inf
