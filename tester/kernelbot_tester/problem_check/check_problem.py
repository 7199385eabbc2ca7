"""Runs all checks of a problem, in a separate process."""

from __future__ import annotations

import json
import os
import resource
import socket
import traceback
from typing import Any, Callable, Iterator

import torch

from ..failures import NotJudged
from ..untrusted_text import bounded
from .checked_problem import Subject
from .finding import ProblemFinding, error, note
from .input_checks import check_inputs, not_deterministic
from .output_checks import check_degenerate, check_dependence, check_reference
from .size_checks import check_cost, check_times, sizes
from .tolerance_checks import check_precision

#: Limits of a check: seconds of processor time, and bytes in addition to what PyTorch has allocated.
CPU_S, MEMORY_BYTES = 60, 6 << 30


def in_a_fork(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Returns the result of `work`, run in a forked child with limits, so that a problem's modules stay in a separate
    process. A failure is returned as `{"failed": REASON}`."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        try:
            limit()
            document = work()
        except BaseException as reason:
            traceback.print_exc()
            document = {"failed": f"{type(reason).__name__}: {bounded(reason, 1_000)}"}
        with open(theirs, "w", encoding="utf-8") as pipe:
            json.dump(document, pipe)
        os._exit(0)
    os.close(theirs)
    with open(ours, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    return {"failed": f"its process died (status {os.waitstatus_to_exitcode(status)}), perhaps for want of memory or time"}


def limit() -> None:
    """Sets the limits of the process."""
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY_BYTES, resource.RLIM_INFINITY))


def digests(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the hashes of the inputs of all tests, for comparison with those of another process."""
    subject = Subject(request["problem"], request["target"])
    return {"digests": [subject.digest(subject.input(case)) for case in subject.tests]}


def checked(
    request: dict[str, Any], elsewhere: Callable[[], dict[str, Any]], control: socket.socket | None = None
) -> dict[str, Any]:
    """Returns the findings about a problem and the sizes of its cases. `elsewhere` returns the digests of another
    process; `control` is the socket of a zygote, where the problem has several ranks."""
    spec = request["problem"]["spec"]
    try:
        subject = Subject(request["problem"], request["target"], control)
    except NotJudged as reason:
        todo = "Fix it; docs/reference/problem-files.md has the contract"
        return {"findings": [error("reference.loads", "reference.py", str(reason), todo).document()], "sizes": []}
    targets = list(spec["targets"])
    found: list[ProblemFinding] = []
    seen: list[dict[str, Any]] = []
    try:
        found += check_cost(subject, targets)
        found += check_inputs(subject)
        found += same_elsewhere(subject, elsewhere())
        # With faulty inputs the other checks would only repeat the finding.
        if not any(one.severity == "error" and one.check.startswith("inputs.") for one in found):
            found += check_answers(subject)
        if not any(one.severity == "error" and one.check == "cost" for one in found):
            seen, unknown = sizes(subject, targets)
            found += unknown
    except NotJudged as reason:
        found.append(error("reference.runs", "reference.py", str(reason), "Fix it; docs/reference/problem-files.md has the contract"))
    finally:
        subject.close()
    return {"findings": [one.document() for one in found], "sizes": seen}


def same_elsewhere(subject: Subject, other: dict[str, Any]) -> Iterator[ProblemFinding]:
    """Checks that another process generates the same inputs."""
    ours = [subject.digest(subject.input(case)) for case in subject.tests]
    if "failed" in other:
        yield note("inputs.deterministic", "tests", f"they were not compared with another process: {other['failed']}")
        return
    for case, one, theirs in zip(subject.tests, ours, other["digests"]):
        if one != theirs:
            yield not_deterministic(case, "in another process")
            return


def check_answers(subject: Subject) -> Iterator[ProblemFinding]:
    """Runs the checks that need the reference."""
    if subject.ranks > 1 and subject.ranked is None:
        what = "the ranks of its reference could not be started here (kernelbot doctor says why), so its answers were not checked"
        yield note("answers", "reference.py", what)
        return
    yield from check_times(subject)
    found = list(check_reference(subject))
    yield from found
    if any(one.severity == "error" for one in found):
        return
    yield from check_degenerate(subject)
    yield from check_dependence(subject)
    yield from check_precision(subject)
