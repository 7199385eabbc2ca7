"""Decides whether a ranked run is far from all other entries of its board, so that more rounds cannot change a rank."""

from __future__ import annotations

import math
from typing import Sequence

from ..messages import JobOccupiedItem
from .timed_case import TimedCase

#: Minimum number of rounds of each case, and the factor by which the speedup must be apart from every other entry's
#: interval. Speedups of one kernel vary by up to a tenth between runs on a shared machine.
MIN_ROUNDS, MARGIN = 6, 1.25


def is_distinct(timed: list[TimedCase], occupied: Sequence[JobOccupiedItem], ranking_by: str) -> bool:
    """Whether the speedup of the only submission, over the cases that rank it, is far from these intervals. A duel has
    none."""
    if not occupied or any(len(one.sound_rounds()) < MIN_ROUNDS for one in timed):
        return False
    ranking = timed[-1:] if ranking_by == "last" else timed
    speedups = [one.speedup(one.entries[0]) for one in ranking]
    low = math.prod(speedup.low for speedup in speedups) ** (1 / len(speedups))
    high = math.prod(speedup.high for speedup in speedups) ** (1 / len(speedups))
    return all(low > MARGIN * one["high"] or MARGIN * high < one["low"] for one in occupied)
