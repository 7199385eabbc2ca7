"""The judge of one job: its stages in order, and the verdict."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any

from .artifacts import ArtifactFolder
from .checked import load_reference
from .config import Config
from .contenders import Contender, contenders_of
from .coverage import untested
from .device.device import Device
from .device.host import HostDevice, is_processor
from .failures import Failed, NotJudged
from .legacy import judge_by_harness
from .preparing import prepare
from .problem import world_size_for
from .profile_stage import Subject, run_profile
from .ranks import RankedWorkers, start_workers
from .rehearsal import is_rehearsed, rehearse
from .report import Reporter
from .seeds import RunSeed
from .test_stage import run_tests
from .timed_stage import run_timed
from .workers import Worker


def judge(job: dict[str, Any], control: socket.socket, config: Config, report: Reporter) -> None:
    """Judges a job (core's `Job`) and reports everything, the verdict last. `control` is the zygote's socket."""
    try:
        if is_rehearsed(job["target"], config):
            rehearse(job, control, config, report)
            return
        seed = RunSeed(job.get("seed"))
        device = device_for(job, config)
        if job["problem"]["spec"].get("harness") == "legacy":
            message = judge_by_harness(job, seed, control, config, report, devices_for(job, device))
        else:
            message = judge_by_worker(job, seed, control, config, device, report)
        report.passed("; ".join(filter(None, [message, untested(job)])) or None)
    except Failed as failure:
        report.failed(failure)
    except NotJudged as reason:
        report.not_judged(str(reason))
    except MemoryError:
        report.not_judged("the judge ran out of memory")


def device_for(job: dict[str, Any], config: Config) -> Device:
    """The place where the tensors of the problems of a job's target live, as core's `deviceOf`. Raises NotJudged."""
    target: str = job["target"]
    if is_processor(target):
        return HostDevice()
    if config.accelerator is None:
        if job.get("language") == "cu":
            return HostDevice()  # It can be compiled, and is told what its compiler says.
        raise NotJudged(f"this runner judges on the processor, and the target {target} is an accelerator's")
    return config.device()


def devices_for(job: dict[str, Any], device: Device) -> int | None:
    """How many devices the harness of a problem for several is told of; None for one alone. Raises NotJudged where the
    runner may not use so many."""
    ranks = world_size_for(job["problem"]["spec"], job["target"])
    if ranks == 1:
        return None
    device.of_rank(ranks - 1)
    return ranks


def judge_by_worker(
    job: dict[str, Any], seed: RunSeed, control: socket.socket, config: Config, device: Device, report: Reporter
) -> str | None:
    """The stages of a problem that we check and time; gives what there is to say of a run that passed. Raises Failed,
    NotJudged."""
    ranks = world_size_for(job["problem"]["spec"], job["target"])
    devices = [device] if ranks == 1 else [device.of_rank(rank) for rank in range(ranks)]
    if ranks > 1 and job["mode"] == "profile":
        raise NotJudged("problems of several ranks cannot be profiled yet")
    if ranks > 1 and job.get("language", "py") != "py":
        raise NotJudged("problems of several ranks take kernels in Python only")
    if "rival" in job and ranks > 1:
        raise NotJudged("kernels of several ranks cannot be duelled yet")
    with contextlib.ExitStack() as stack:
        contenders = [stack.enter_context(one) for one in contenders_of(job, control, config, devices)]
        try:
            return judge_contenders(job, contenders, seed, devices, control, config, report)
        finally:
            report.rival = contenders[-1].failure if len(contenders) > 1 else None


def judge_contenders(
    job: dict[str, Any],
    contenders: list[Contender],
    seed: RunSeed,
    devices: list[Device],
    control: socket.socket,
    config: Config,
    report: Reporter,
) -> str | None:
    """The stages of a mode, as far as somebody is left. Raises Failed where the first of them has failed, and NotJudged."""
    problem = prepare(contenders, devices, control, config, report)
    mode, limits = job["mode"], problem.spec["timeoutsS"]
    if mode in ("test", "ranked", "duel"):
        deadline = time.monotonic() + limits["test"] * len(contenders)
        if len(devices) == 1:
            run_tests(contenders, problem, job["target"], report, deadline)
        else:
            with RankedWorkers(control, config, devices) as calibrator:
                load_reference(calibrator, problem, deadline)
                run_tests(contenders, problem, job["target"], report, deadline, calibrator)
    if mode in ("benchmark", "ranked", "duel"):
        deadline = time.monotonic() + limits["ranked" if mode == "duel" else mode] * len(contenders)
        with start_workers(control, config, devices) as calibrator:
            run_timed(mode, contenders, calibrator, problem, job["target"], seed, report, deadline)
    if mode == "profile":
        artifacts = ArtifactFolder(job.get("artifactFolder"), "profile", report)
        worker = contenders[0].worker
        assert isinstance(worker, Worker)
        subject = Subject(worker, problem, job["source"], seed)
        return run_profile(subject, job["target"], report, artifacts, time.monotonic() + limits["profile"])
    if contenders[0].failure is not None:
        raise contenders[0].failure
    return None
