"""Runs all checks of a problem, in a separate process."""

from __future__ import annotations

import json
import os
import resource
import socket
import traceback
from typing import Callable, Iterator, TypedDict, TypeVar

import torch

from ..failures import NotJudged
from ..messages import (
    ProblemFinding,
    ProblemInspectionFailed,
    ProblemInspectionRequest,
    ProblemInspectionSizes,
    ProblemSize,
)
from ..untrusted_text import bounded
from .application_checks import check_application
from .checked_problem import Subject
from .finding import CONTRACT, error, note
from .input_checks import check_inputs, not_deterministic
from .output_checks import check_degenerate, check_dependence, check_reference
from .seed_checks import check_seeds
from .size_checks import check_cost, check_times, largest_cases
from .tolerance_checks import check_precision

#: Limits of a check: seconds of processor time, and bytes in addition to what PyTorch has allocated.
CPU_S, MEMORY_BYTES = 60, 6 << 30


class Digests(TypedDict):
    """Hashes of the inputs of all tests."""

    digests: list[str]


Answer = TypeVar("Answer")


def in_a_fork(work: Callable[[], Answer]) -> Answer | ProblemInspectionFailed:
    """Returns the result of `work`, a JSON document, run in a forked child with limits, so that a problem's modules stay
    in a separate process."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        try:
            limit()
            document: Answer | ProblemInspectionFailed = work()
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
    return {"failed": f"its process died (status {os.waitstatus_to_exitcode(status)}), perhaps because it ran out of memory or time"}


def limit() -> None:
    """Sets the limits of the process."""
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY_BYTES, resource.RLIM_INFINITY))


def digests(request: ProblemInspectionRequest) -> Digests:
    """Returns the hashes of the inputs, for comparison with those of another process."""
    subject = Subject(request["problem"], request["target"])
    return {"digests": [subject.digest(subject.input(case)) for case in subject.tests]}


def checked(
    request: ProblemInspectionRequest, other: Digests | ProblemInspectionFailed, control: socket.socket | None = None
) -> ProblemInspectionSizes:
    """Returns the findings about a problem and the sizes of its cases. `other`: the digests of another process;
    `control`: the socket of a zygote, where the problem has several ranks."""
    spec = request["problem"]["spec"]
    try:
        subject = Subject(request["problem"], request["target"], control)
    except NotJudged as reason:
        return {"findings": [error("reference.loads", "reference.py", str(reason), CONTRACT)], "sizes": []}
    targets = list(spec["targets"])
    found: list[ProblemFinding] = []
    largest: list[ProblemSize] = []
    try:
        found += check_cost(subject, targets)
        found += check_inputs(subject)
        found += same_elsewhere(subject, other)
        # With faulty inputs the other checks would only repeat the finding.
        if not any(finding["severity"] == "error" and finding["check"].startswith("inputs.") for finding in found):
            found += check_answers(subject)
        if not any(finding["severity"] == "error" and finding["check"] == "cost" for finding in found):
            largest, notes = largest_cases(subject, targets)
            found += notes
    except NotJudged as reason:
        found.append(error("reference.runs", "reference.py", str(reason), CONTRACT))
    finally:
        subject.close()
    return {"findings": found, "sizes": largest}


def same_elsewhere(subject: Subject, other: Digests | ProblemInspectionFailed) -> Iterator[ProblemFinding]:
    """Checks that another process generates the same inputs."""
    ours = [subject.digest(subject.input(case)) for case in subject.tests]
    if "failed" in other:
        yield note("inputs.deterministic", "tests", f"they were not compared with another process: {other['failed']}")
        return
    for case, own, theirs in zip(subject.tests, ours, other["digests"]):
        if own != theirs:
            yield not_deterministic(case, "generated in another process")
            return


def check_answers(subject: Subject) -> Iterator[ProblemFinding]:
    """Runs the checks that need the reference."""
    if subject.ranks > 1 and subject.ranked is None:
        what = "the ranks of its reference could not be started on this machine (kernelbot doctor reports why), so its outputs were not checked"
        yield note("answers", "reference.py", what)
        return
    yield from check_times(subject)
    found = list(check_reference(subject))
    found += check_seeds(subject)
    yield from found
    if any(finding["severity"] == "error" for finding in found):
        return
    yield from check_degenerate(subject)
    yield from check_dependence(subject)
    yield from check_precision(subject)
    yield from check_application(subject)
