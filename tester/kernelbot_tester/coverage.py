"""What a run that passed has not shown."""

from __future__ import annotations

import json
from typing import Any

from .problem import Case

#: Parameters that choose what is drawn, and not its sizes: `weights` is that of KernelBench's suites.
DRAWN = ("seed", "weights")


def untested(job: dict[str, Any]) -> str | None:
    """Says that correctness is not established, for a job in mode `benchmark` whose problem has tests of other parameters: the
    timed cases alone were checked. None where nothing is left out."""
    if job["mode"] != "benchmark":
        return None
    tests, benchmarks = (cases_of(job, kind) for kind in ("tests", "benchmarks"))
    timed = {shape_of(case) for case in benchmarks}
    left = sum(shape_of(case) not in timed for case in tests)
    if left == 0:
        return None
    cases = f"{left} of the {len(tests)} test cases have" if left > 1 else f"1 of the {len(tests)} test cases has"
    return (
        "correctness is not established: only the outputs of the timed cases were checked, and "
        f"{cases} other parameters; modes test and ranked check these"
    )


def cases_of(job: dict[str, Any], kind: str) -> list[Case]:
    """The cases of the job's target."""
    spec = job["problem"]["spec"]
    return spec["targets"].get(job["target"], {}).get(kind) or spec[kind]


def shape_of(case: Case) -> str:
    """All parameters but those that only choose what is drawn."""
    return json.dumps({key: value for key, value in case.items() if key not in DRAWN}, sort_keys=True)
