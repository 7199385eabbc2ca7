"""A rehearsal: tries a kernel for an accelerator on the processor of the participant's machine, where no such device
exists.

Only the tests run, on the cases of the target that fit, in a worker that simulates the device (`worker.simulated_device`).
The verdict lists what was checked and what was not. A rehearsal has no score.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib.util
import socket
import time

from ..device.device import Device
from ..device.host import HostDevice
from ..device.target import is_processor
from ..failures import Failed, NotJudged
from ..judge.report import Reporter
from ..judge.seeds import RunSeed
from ..messages import Case, Job, Problem, Rehearsal
from ..problem.problem import world_size_for
from ..processes.problem_process import ProblemProcess
from ..processes.worker_group import WorkerGroup
from ..sandbox.config import Config
from ..worker.protocol import DeviceProperties
from ..worker.simulated_device import NO_DEVICE
from .checked_calls import load_reference
from .legacy_harness import judge_by_harness
from .prepare import prepare
from .submissions import submissions_of
from .test import run_tests

#: Seconds that the reference may take for a case, and that choosing the fitting cases may take.
CASE_S, CHOICE_S = 5.0, 30.0
GIB = 1 << 30
#: Failure classes that say nothing about the kernel on the device, which has other time and memory limits.
ELSEWHERE = ("not_here", "timeout", "out_of_memory")
#: Model, memory in GiB, multiprocessors, compute capability and threads of a warp, by target.
DEVICES = {
    "T4": ("Tesla T4", 15, 40, (7, 5), 32),
    "A100": ("NVIDIA A100-SXM4-80GB", 79, 108, (8, 0), 32),
    "L4": ("NVIDIA L4", 22, 58, (8, 9), 32),
    "L40S": ("NVIDIA L40S", 44, 142, (8, 9), 32),
    "H100": ("NVIDIA H100 80GB HBM3", 79, 132, (9, 0), 32),
    "H200": ("NVIDIA H200", 139, 132, (9, 0), 32),
    "B200": ("NVIDIA B200", 178, 148, (10, 0), 32),
    "MI300": ("AMD Instinct MI300X", 191, 304, (9, 4), 64),
    "MI355X": ("AMD Instinct MI355X", 287, 256, (9, 5), 64),
}


def is_rehearsed(target: str, config: Config) -> bool:
    """Whether jobs for this target are rehearsed."""
    return config.rehearses is not None and not is_processor(target)


def rehearse(job: Job, control: socket.socket, config: Config, report: Reporter) -> None:
    """Rehearses a job and reports every event, the verdict last. Raises Failed, NotJudged."""
    target = job["target"]
    rehearsal: Rehearsal = {"target": target, "reason": config.rehearses or "", "checked": [], "unchecked": []}
    report.rehearsal = rehearsal
    try:
        checked, unchecked = rehearse_tests(job, control, config, report)
    except NotJudged as reason:
        rehearsal["unchecked"] = [f"Everything: {reason}."]
        raise NotJudged(f"it could not be checked here: {reason}") from None
    except Failed:
        rehearsal["unchecked"] = unchecked_sentences(job["source"], target)
        raise
    rehearsal["checked"], rehearsal["unchecked"] = checked, [*unchecked, *unchecked_sentences(job["source"], target)]
    report.passed()


def rehearse_tests(
    job: Job, control: socket.socket, config: Config, report: Reporter
) -> tuple[list[str], list[str]]:
    """Runs the tests. Returns what was checked, and what was not checked for lack of time or memory.

    Raises Failed, NotJudged."""
    target, spec = job["target"], job["problem"]["spec"]
    if job.get("language", "py") != "py":
        raise NotJudged("a file of CUDA or HIP is compiled for the device, and runs only there")
    if spec.get("harness") == "legacy":
        return rehearse_with_harness(job, control, config, report)
    config = dataclasses.replace(config, simulated_device=properties_of(target))
    # Where the target has more ranks than `cpu`, only the cases of `cpu` run: a processor cannot run that many ranks.
    devices: list[Device] = [HostDevice()] * world_size_for(spec, "cpu")
    has_its_ranks = world_size_for(spec, target) == len(devices)
    with contextlib.ExitStack() as stack:
        submissions = [stack.enter_context(submission) for submission in submissions_of(job, control, config, devices)]
        problem = stack.enter_context(ProblemProcess(job["problem"], devices, control, config))
        try:
            prepare(submissions, problem, control, config, report)
            own = problem.cases("test", target)
            cases = select_fitting_cases(job["problem"], own, control, config, devices) if has_its_ranks else []
            # Triton's interpreter may be too slow for cases that the reference computes quickly.
            is_enough = len(cases) == len(own) and "triton" not in imported_packages(job["source"])
            more = [] if is_enough else [case for case in problem.cases("test", "cpu") if case not in own]
            problem.spec = spec.copy()
            problem.spec["tests"], problem.spec["targets"] = [*more, *cases], {}
            if not problem.spec["tests"]:
                raise NotJudged(f"no test case of {target} fits this machine, and the problem has no test case for cpu")
            deadline = time.monotonic() + spec["timeoutsS"]["test"]
            calibrator = None
            if len(devices) > 1:
                calibrator = stack.enter_context(WorkerGroup(control, config, devices))
                load_reference(calibrator, problem.files, deadline)
            late = None
            report.excuses = lambda _: any(says_nothing_about_kernel(submission.failure) for submission in submissions)
            try:
                run_tests(submissions, problem, target, report, deadline, calibrator)
            except Failed as failure:
                if not says_nothing_about_kernel(failure) or report.passed_cases == 0:
                    raise
                late = failure.message
        except Failed as failure:
            if says_nothing_about_kernel(failure):
                raise NotJudged(failure.message) from None
            raise
    left = [] if len(cases) == len(own) else [f"{len(own) - len(cases)} of {len(own)} test cases: too large for here."]
    left += [] if late is None else [f"The test cases that this machine could not finish: {late}."]
    places = " and ".join([*([target] if report.passed_cases > len(more) else []), *(["cpu"] if more else [])])
    return checked_sentences(job, places, report), left


def rehearse_with_harness(
    job: Job, control: socket.socket, config: Config, report: Reporter
) -> tuple[list[str], list[str]]:
    """Runs the tests of a problem with a harness of its own, whose processes simulate the device too. Missing features
    are searched in the text of the submission, since a harness may report any exception as an incorrect result."""
    source, files = job["source"], job["problem"]["files"]
    for word, meaning in (("cuda_sources", "inline CUDA or HIP"), ("CUDAGraph", "CUDA graphs")):
        if word in source:
            raise NotJudged(f"it uses {meaning}")
    for name in imported_packages(source) - {"__main__"}:
        if f"{name}.py" not in files and importlib.util.find_spec(name) is None:
            raise NotJudged(f"it imports {name}, which is not installed here")
    config = dataclasses.replace(config, simulated_device=properties_of(job["target"]))
    late = []
    report.excuses = says_nothing_about_kernel
    try:
        ranks = world_size_for(job["problem"]["spec"], job["target"])
        devices = None if ranks == 1 else ranks
        judge_by_harness({**job, "mode": "test"}, RunSeed(None), control, config, report, devices)
    except Failed as failure:
        if failure.failure == "crash" and NO_DEVICE.search(failure.message):
            reason = "the harness asks for a device in a way that is not mapped to the processor"
            raise NotJudged(f"{reason} ({failure.message})") from None
        if not says_nothing_about_kernel(failure):
            raise
        if report.passed_cases == 0:
            raise NotJudged(failure.message) from None
        late.append(f"The test cases that this machine could not finish: {failure.message}.")
    return checked_sentences(job, job["target"], report), late


def says_nothing_about_kernel(failure: Failed | None) -> bool:
    """Whether a failure says nothing about the kernel on the device."""
    return failure is not None and failure.failure in ELSEWHERE


def checked_sentences(job: Job, places: str, report: Reporter) -> list[str]:
    """Returns sentences on what was checked."""
    count = f"{report.passed_cases} test case{'' if report.passed_cases == 1 else 's'}"
    triton = ["The Triton kernels, by Triton's interpreter."] if "triton" in imported_packages(job["source"]) else []
    return [f"{count} of {places}: right results, computed by this machine's processor.", *triton]


def select_fitting_cases(
    problem: Problem, cases: list[Case], control: socket.socket, config: Config, devices: list[Device]
) -> list[Case]:
    """Returns the cases that this machine can generate and compute within the limits, fastest first. Each is measured
    in a separate process."""
    until = time.monotonic() + CHOICE_S
    fitting = []
    for case in cases:
        limit_s = min(CASE_S, until - time.monotonic())
        if limit_s <= 0:
            break
        with ProblemProcess(problem, devices, control, config) as measured:
            measured.open()
            took = measured.seconds(case, config.memory_bytes / 2, limit_s)
        if took is not None:
            # Rounded, so that random differences keep the order of the problem.
            fitting.append((round(took, 1), case))
    return [case for _, case in sorted(fitting, key=lambda timed: timed[0])]


def unchecked_sentences(source: str, target: str) -> list[str]:
    """Returns sentences on what a processor cannot check."""
    names = imported_packages(source)
    triton = [
        f"Whether Triton compiles the kernels for {target}: its interpreter compiles nothing.",
        "Accesses outside of a tensor: Triton's interpreter reads and writes adjacent memory.",
    ]
    compiled = ["torch.compile: the code ran as it is written."]
    tuned = ["Triton's autotuning: only the first configuration was run."]
    inline = ["Inline CUDA or HIP: not compiled, not run."]
    return [
        *(triton if "triton" in names else []),
        *(tuned if "autotune" in source else []),
        *(compiled if "torch.compile" in source else []),
        *(inline if "cuda_sources" in source else []),
        "Speed: no kernel was timed, so the run has no score.",
        f"Precision: {target} rounds and sums differently, above all in its tensor cores.",
        f"Races: work that {target} does concurrently, also on several streams, ran sequentially.",
        f"Memory: the device of each tensor, and whether all tensors fit in the memory of {target}.",
    ]


def imported_packages(source: str) -> set[str]:
    """Returns the top-level packages that a submission imports; empty if it cannot be parsed."""
    names: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                names.add(node.module.split(".")[0])
    return names


def properties_of(target: str) -> DeviceProperties:
    """Returns the simulated device's properties. Unknown targets get those of an
    H100."""
    model, memory, processors, (major, minor), warp = DEVICES.get(target, (target, *DEVICES["H100"][1:]))
    return {
        "name": model,
        "total_memory": memory * GIB,
        "multi_processor_count": processors,
        "major": major,
        "minor": minor,
        "warp_size": warp,
    }
