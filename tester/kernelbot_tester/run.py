"""The judge of one job: its stages in order, and the verdict."""

from __future__ import annotations

import contextlib
import functools
import socket
import time
from typing import Any, Callable

from . import compiled
from .artifacts import ArtifactFolder
from .building import load_compiled
from .checked import load_reference
from .config import Config
from .contenders import Contender, contenders_of, printed_by, still_in
from .device.device import Device
from .device.host import HostDevice
from .failures import Failed, NotJudged
from .legacy import judge_by_harness
from .problem import Problem
from .profile_stage import Subject, run_profile
from .ranks import RankedWorkers, start_workers
from .report import Reporter
from .review import review
from .seeds import RunSeed
from .sources import visible_files
from .test_stage import run_tests
from .timed_stage import run_timed
from .workers import Worker


def judge(job: dict[str, Any], control: socket.socket, config: Config, report: Reporter) -> None:
    """Judges a job (core's `Job`) and reports everything, the verdict last. `control` is the zygote's socket."""
    try:
        seed = RunSeed(job.get("seed"))
        device = device_for(job, config)
        if job["problem"]["spec"].get("harness") == "legacy":
            judge_by_harness(job, seed, control, config, report)
            report.passed()
        else:
            message = judge_by_worker(job, seed, control, config, device, report)
            report.passed(message)
    except Failed as failure:
        report.failed(failure)
    except NotJudged as reason:
        report.not_judged(str(reason))
    except MemoryError:
        report.not_judged("the judge ran out of memory")


def device_for(job: dict[str, Any], config: Config) -> Device:
    """The place where the tensors of the problems of a job's target live, as core's `deviceOf`. Raises NotJudged."""
    target: str = job["target"]
    if target == "cpu" or target.startswith("cpu-"):
        return HostDevice()
    if config.accelerator is None:
        if job.get("language") == "cu":
            return HostDevice()  # It can be compiled, and is told what its compiler says.
        raise NotJudged(f"this runner judges on the processor, and the target {target} is an accelerator's")
    return config.device()


def world_size_for(spec: dict[str, Any], target: str) -> int:
    """How many ranks work on a case of a target."""
    size: int = spec["targets"].get(target, {}).get("worldSize") or spec.get("worldSize", 1)
    return size


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


def prepare(
    contenders: list[Contender], devices: list[Device], control: socket.socket, config: Config, report: Reporter
) -> Problem:
    """The stage `prepare`: each submission is imported, or built and loaded, by its worker. Raises Failed once nobody is
    left."""
    report.stage_started("prepare", 0)

    @functools.cache
    def opened() -> Problem:
        for device in devices:
            device.start()
        return Problem(contenders[0].job["problem"], devices)

    for one in contenders:
        job, worker = one.job, one.worker
        deadline = time.monotonic() + job["problem"]["spec"]["timeoutsS"]["prepare"]
        try:
            if job.get("language", "py") == "py" or not isinstance(worker, Worker):
                load_module(one, opened, config, deadline, report)
            else:
                with Worker(control, config, devices[0], builder=True) as builder:
                    load_compiled(job, worker, builder, opened, deadline)
        except Failed as failure:
            one.lose(failure)
    report.output("prepare", printed_by(contenders))
    report.stage_finished("prepare", all(one.is_in for one in contenders))
    still_in(contenders)
    return opened()


def load_module(
    contender: Contender, opened: Callable[[], Problem], config: Config, deadline: float, report: Reporter
) -> None:
    """Has the worker import a submission in Python. Raises Failed, NotJudged."""
    job, worker = contender.job, contender.worker
    limit_s = job["problem"]["spec"]["timeoutsS"]["prepare"]
    key = compiled.key_of(job, config.sandboxed) if isinstance(worker, Worker) else None
    kept = None if key is None else compiled.read(key)
    worker.meet()
    files = visible_files(job["problem"]["files"])
    worker.allow_processes(True)
    worker.load({**files, "submission.py": job["source"]}, "submission", "custom_kernel", kept)
    # While the worker imports it, on another core.
    if contender.side != "B":
        report.reviewed(review(job["source"]))
    opened()
    worker.loaded(deadline, f"be imported (prepare has {limit_s:g} s, compiling included)")
    worker.freeze(deadline)
    # An entry is written once, so that no import can tell how many there were before it.
    if key is not None and kept is None and isinstance(worker, Worker):
        made = worker.take_compiled(compiled.ENTRY_BYTES, deadline)
        if made is not None:
            compiled.write(key, made)
