"""Problems of a data set."""

from __future__ import annotations

from typing import Sequence

from kernelbot.client import Client
from kernelbot.types import Problem


def list_problems(client: Client, target: str, names: Sequence[str] | str | None) -> list[Problem]:
    """Returns the named problems, all that have the target if none are named.

    Raises:
        ValueError: A named problem does not have the target.
    """
    if isinstance(names, str):
        names = names.split(",")
    if not names:
        names = [problem.name for problem in client.problems() if target in problem.targets]
    problems = [client.problem(name) for name in names]
    for problem in problems:
        if target not in problem.targets:
            raise ValueError(f"{problem.name} has no target {target!r}; it has {', '.join(problem.targets)}")
    return problems
