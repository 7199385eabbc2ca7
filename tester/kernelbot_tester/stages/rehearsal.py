"""A rehearsal: finds out whether a kernel for an accelerator can be imported and launched, on a machine without one.

The tests of `cpu`, or else the first test of the target, run in a worker that simulates the device
(`worker.simulated_device`). A rehearsal has no score.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time

from ..device.device import Device
from ..device.host import HostDevice
from ..device.target import is_processor
from ..failures import Failed, NotJudged
from ..problem.problem import cases_of, world_size_for
from ..processes.problem_process import ProblemProcess
from ..sandbox.config import Config
from ..worker.protocol import DeviceProperties
from .prepare import prepare
from .session import Session
from .submissions import submissions_of
from .test import run_tests

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


def rehearse(session: Session) -> None:
    """Rehearses a job and reports every event, the verdict last. Raises Failed, NotJudged."""
    target, report = session.job["target"], session.report
    unchecked = [
        f"Whether the kernels compile for {target}: Triton's interpreter and PyTorch's operators ran in their place.",
        f"Speed, precision, races, accesses outside of a tensor and the memory of {target}.",
    ]
    report.rehearsal = {"target": target, "reason": session.config.rehearses or "", "checked": [], "unchecked": unchecked}
    try:
        cases = run_on_simulated_device(session)
    except (Failed, NotJudged) as failure:
        if isinstance(failure, Failed) and failure.failure not in ELSEWHERE:
            raise
        reason = failure.message if isinstance(failure, Failed) else str(failure)
        report.rehearsal["unchecked"] = [f"Everything: {reason}."]
        raise NotJudged(f"it could not be checked here: {reason}") from None
    count = f"{cases} test case{'' if cases == 1 else 's'}"
    report.rehearsal["checked"] = [f"The kernel was imported and ran {count} with correct results."]
    report.passed()


def run_on_simulated_device(session: Session) -> int:
    """Returns the number of test cases that passed. Raises Failed, NotJudged."""
    job = session.job
    target, spec = job["target"], job["problem"]["spec"]
    if job.get("language", "py") != "py":
        raise NotJudged("a file of CUDA or HIP is compiled for the device, and runs only there")
    if spec.get("harness") == "legacy":
        raise NotJudged("the harness of the problem needs the device")
    if world_size_for(spec, target) > 1:
        raise NotJudged("its ranks need a device each")
    own = cases_of(spec, "test", "cpu") if "cpu" in spec["targets"] else cases_of(spec, "test", target)[:1]
    here = job["problem"].copy()
    here["spec"] = spec.copy()
    here["spec"]["tests"], here["spec"]["targets"] = own, {}
    config = dataclasses.replace(session.config, simulated_device=properties_of(target))
    session = dataclasses.replace(session, config=config)
    with contextlib.ExitStack() as stack:
        devices: list[Device] = [HostDevice()]
        submissions = [stack.enter_context(each) for each in submissions_of(session, devices)]
        problem = stack.enter_context(ProblemProcess(here, devices, session.control, config))
        prepare(session, submissions, problem)
        run_tests(session, submissions, problem, time.monotonic() + spec["timeoutsS"]["test"])
    return len(own)


def properties_of(target: str) -> DeviceProperties:
    """Returns the simulated device's properties. Unknown targets get those of an H100."""
    model, memory, processors, (major, minor), warp = DEVICES.get(target, (target, *DEVICES["H100"][1:]))
    return {
        "name": model,
        "total_memory": memory << 30,
        "multi_processor_count": processors,
        "major": major,
        "minor": minor,
        "warp_size": warp,
    }
