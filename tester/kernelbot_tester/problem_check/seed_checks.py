"""Checks of many seeds of every case: the reference's output is finite, and the inputs are generated fast enough for a
timed stage, in which each call has a new seed."""

from __future__ import annotations

import math
import random
import time
from typing import Iterator

from ..messages import Case, ProblemFinding
from .checked_problem import Subject, line
from .finding import note, warning
from .input_checks import distinct, without_seed
from .output_checks import not_finite, reference_not_finite

#: Number of seeds of each case, and the time in seconds, of one core, in which all cases together must have theirs.
SEEDS, TIME_S = 50, 10.0
#: Minimum number of calls of each benchmark case for which a ranked run must have time to generate inputs: 24 rounds of
#: four calls.
FEWEST_CALLS = 100


def check_seeds(subject: Subject) -> Iterator[ProblemFinding]:
    """Yields the findings about all cases of the target."""
    tests, benchmarks = distinct(subject.tests), distinct(subject.benchmarks)
    cases = [*(("test", case) for case in tests), *(("benchmark", case) for case in benchmarks)]
    fewest, generating_s = SEEDS, 0.0
    slowest: tuple[float, Case] | None = None
    left_s = TIME_S
    for number, (kind, case) in enumerate(cases):
        where = f"{kind} case ({line(without_seed(case))})"
        # The same seeds every time, so that a finding can be reproduced.
        seeds = random.Random(line(case))
        share_s = left_s / (len(cases) - number)
        spent_s, drawn, generated_s = 0.0, 0, math.inf
        while drawn < SEEDS and (drawn == 0 or spent_s + spent_s / drawn <= share_s):
            seed = seeds.getrandbits(63)
            started, begun = time.thread_time(), time.monotonic()
            data = subject.input(case, seed)
            took_s = time.thread_time() - started
            answer, reference_s = subject.timed_answer(data)
            # Ranks wait for each other, in time that is not processor time.
            call_s = took_s + reference_s if subject.ranked is None else time.monotonic() - begun
            drawn, spent_s, generated_s = drawn + 1, spent_s + call_s, min(generated_s, took_s)
            if not_finite(answer):
                yield reference_not_finite(where, f"with the seed {seed}, ")
                break
        else:
            fewest = min(fewest, drawn)
        left_s = max(0.0, left_s - spent_s)
        if kind == "benchmark":
            generating_s += generated_s
            slowest = max(slowest or (0.0, case), (generated_s, case), key=lambda one: one[0])
    if fewest < SEEDS:
        what = f"each case was tried with at least {fewest} seeds, not {SEEDS}: inputs and reference take long on this processor"
        yield note("reference.finite", "tests and benchmarks", what)
    if slowest is not None:
        yield from check_generator(subject, generating_s, *slowest)


def check_generator(subject: Subject, generating_s: float, slowest_s: float, case: Case) -> Iterator[ProblemFinding]:
    """Checks that a ranked run has time to generate its inputs. `generating_s`: processor time for one input of each
    benchmark case, of which that of `case` takes longest."""
    limit_s = subject.problem.spec["timeoutsS"]["ranked"]
    calls = limit_s / generating_s if generating_s > 0 else math.inf
    if calls < FEWEST_CALLS:
        yield warning(
            "inputs.time",
            f"benchmark case ({line(without_seed(case))})",
            f"generate_input takes {slowest_s:.2g} s of a core, and each call gets a new input: {int(calls)} calls of each "
            f"benchmark fit into ranked_timeout ({limit_s:g} s)",
            "Generate whole tensors instead of single elements; or raise ranked_timeout",
        )
