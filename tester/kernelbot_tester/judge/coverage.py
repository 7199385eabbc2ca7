"""Limitations of a run that passed."""

from __future__ import annotations

import json

from ..messages import Case, Job
from ..problem.problem import cases_of

#: Parameters that choose the values drawn, and not their sizes: `weights` occurs in KernelBench's suites.
DRAWN = ("seed", "weights")


def untested(job: Job) -> str | None:
    """Returns a sentence that correctness is not established, for a job in mode `benchmark` whose problem has tests of
    other parameters: only the timed cases were checked. None where the timed cases cover all tests."""
    if job["mode"] != "benchmark":
        return None
    spec = job["problem"]["spec"]
    tests = cases_of(spec, "test", job["target"])
    timed = {shape_of(case) for case in cases_of(spec, "benchmark", job["target"])}
    left = sum(shape_of(case) not in timed for case in tests)
    if left == 0:
        return None
    cases = f"{left} of the {len(tests)} test cases have" if left > 1 else f"1 of the {len(tests)} test cases has"
    return (
        "correctness is not established: only the outputs of the timed cases were checked, and "
        f"{cases} other parameters; modes test and ranked check these"
    )


def shape_of(case: Case) -> str:
    """Returns all parameters of a case except those that only choose the values drawn, as JSON."""
    return json.dumps({key: value for key, value in case.items() if key not in DRAWN}, sort_keys=True)
