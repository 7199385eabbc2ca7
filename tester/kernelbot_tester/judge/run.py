"""The judge of one job: runs its stages in order and reports the verdict."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import time
from typing import Generator

from ..device.device import Device
from ..device.host import HostDevice
from ..device.target import is_processor
from ..failures import Failed, NotJudged
from ..messages import Job, Stage
from ..problem.problem import world_size_for
from ..processes.problem_process import ProblemProcess
from ..processes.worker_group import WorkerGroup, start_workers
from ..processes.worker_process import Worker
from ..processes.zygote_requests import names_extensions
from ..review.review_process import ReviewProcess
from ..sandbox.config import Config
from ..stages.application import run_application
from ..stages.checked_calls import load_reference
from ..stages.legacy_harness import judge_by_harness
from ..stages.prepare import prepare
from ..stages.profile import Subject, run_profile
from ..stages.rehearsal import is_rehearsed, rehearse
from ..stages.session import Session
from ..stages.submissions import Submission, submissions_of
from ..stages.test import run_tests
from ..stages.timed import run_timed
from ..stages.timed_stage import TimedStage
from ..worker.machine_turns import Turn
from ..worker.protocol import PRELOAD_EXTENSIONS
from .artifacts import ArtifactFolder
from .coverage import untested
from .report import Reporter
from .run_processes import KeptProcesses, RunProcesses
from .seeds import RunSeed
from .stage_limits import limit_of, with_limit


def judge(
    job: Job, control: socket.socket, config: Config, report: Reporter, reviewer: ReviewProcess, kept: KeptProcesses | None
) -> KeptProcesses | None:
    """Judges a job (core's `Job`) and reports every event, the verdict last. `control` is the zygote's socket. Does
    not raise for failures of the kernel or of the problem: both end in a verdict. The processes of a kernel and its
    problem end after the verdict, which does not wait for them.

    `kept`: processes of the same problem from the run before. Returns those for the next run, or None where they have
    ended: where the problem was at fault, or the run `needs_new_processes`."""
    with RunProcesses(reviewer, kept) as processes:
        reach_verdict(job, control, config, report, processes)
        processes.pause()
    return processes.kept()


def needs_new_processes(job: Job) -> bool:
    """Whether the run's judge and the process of its problem serve no other run. Those that rank do, since nothing may
    have happened in them before; and so do accelerators, whose memory a failed run leaves allocated."""
    return job.get("mode") not in ("compile", "test", "reward") or not is_processor(job.get("target", "")) or "rival" in job


def reach_verdict(job: Job, control: socket.socket, config: Config, report: Reporter, processes: RunProcesses) -> None:
    """Judges a job."""
    try:
        session = Session(job, control, config, report, RunSeed(job.get("seed")), processes.reviewer)
        # A simulated device wraps the builder in every worker.
        if is_rehearsed(job["target"], config) or names_extensions(job):
            control.send(PRELOAD_EXTENSIONS)
        if is_rehearsed(job["target"], config):
            rehearse(session)
            return
        device = device_for(job, config)
        turn = processes.enter_context(contextlib.closing(config.turns.open()))
        turn.untimed()
        if job["problem"]["spec"].get("harness") == "legacy":
            if job["mode"] not in ("test", "compile"):
                turn.timed()
            message = judge_by_harness(session, devices_for(job, device))
        else:
            message = judge_by_worker(session, device, processes, turn)
        processes.keeps_problem = not needs_new_processes(job)
        report.passed("; ".join(filter(None, [message, untested(job)])) or None)
    except Failed as failure:
        processes.keeps_problem = not needs_new_processes(job)
        report.failed(with_limit(failure, job, report.stage))
    except NotJudged as reason:
        # Ends them all, so that their memory is free.
        processes.close()
        if is_without_memory(str(reason)) and passes_with_reference(job, control, config):
            words = f"the submission left too little of the device's memory for the judge, which judges the reference: {reason}"
            report.failed(Failed("out_of_memory", words))
        else:
            report.not_judged(str(reason))
    except MemoryError:
        report.not_judged("the judge ran out of memory")


def is_without_memory(reason: str) -> bool:
    """Whether the judge, or the problem's code, got no memory of a device."""
    return re.search(r"OutOfMemoryError|out of memory|of the accelerator's memory", reason) is not None


def passes_with_reference(job: Job, control: socket.socket, config: Config) -> bool:
    """Whether a job for a device passes with the problem's reference in place of its submission. The submission takes its
    memory where it wants, so only this shows whether the problem needs more than the device has."""
    reference = job["problem"]["files"].get("reference.py")
    if is_processor(job["target"]) or job["mode"] in ("profile", "application") or reference is None:
        return False
    alone = job.copy()
    alone.pop("rival", None)
    alone.pop("account", None)
    alone["mode"] = "ranked" if job["mode"] == "duel" else job["mode"]
    alone["language"], alone["source"] = "py", f"{reference}\n\ncustom_kernel = ref_kernel\n"
    with open(os.devnull, "wb") as unread, RunProcesses() as processes:
        report = Reporter(unread.fileno(), job["id"])
        turn = processes.enter_context(contextlib.closing(config.turns.open()))
        try:
            turn.untimed()
            session = Session(alone, control, config, report, RunSeed(job.get("seed")), None)
            judge_by_worker(session, config.device(), processes, turn)
            return True
        except (Failed, NotJudged):
            return False


def device_for(job: Job, config: Config) -> Device:
    """Returns the device that holds the tensors for a job's target (as core's `deviceOf`). Raises NotJudged."""
    target: str = job["target"]
    if is_processor(target):
        return HostDevice()
    if config.accelerator is None:
        if job.get("language") == "cu":
            return HostDevice()  # The source can still be compiled, so the participant gets the compiler's messages.
        raise NotJudged(f"this runner judges on the CPU, and the target {target} needs an accelerator")
    return config.device()


def devices_for(job: Job, device: Device) -> int | None:
    """Returns the number of devices for the harness of a multi-device problem, or None for a single-device problem.
    Raises NotJudged where the runner may not use that many devices."""
    ranks = world_size_for(job["problem"]["spec"], job["target"])
    if ranks == 1:
        return None
    device.of_rank(ranks - 1)
    return ranks


def judge_by_worker(session: Session, device: Device, processes: RunProcesses, turn: Turn) -> str | None:
    """Runs the stages of a problem without a harness of its own. Returns a message for a run that passed, or None.
    Raises Failed, NotJudged."""
    job, report = session.job, session.report
    ranks = world_size_for(job["problem"]["spec"], job["target"])
    devices = [device] if ranks == 1 else [device.of_rank(rank) for rank in range(ranks)]
    if ranks > 1 and job["mode"] in ("profile", "application"):
        raise NotJudged(f"problems of several ranks cannot be run in mode {job['mode']} yet")
    if ranks > 1 and job.get("language", "py") != "py":
        raise NotJudged("problems of several ranks take kernels in Python only")
    if "rival" in job and ranks > 1:
        raise NotJudged("kernels of several ranks cannot be duelled yet")
    submissions: list[Submission] = []
    for submission in submissions_of(session, devices):
        processes.start(submission)
        submissions.append(submission)
    if processes.problem is None:
        processes.problem = ProblemProcess(job["problem"], devices, session.control, session.config)
    try:
        return judge_submissions(session, submissions, processes.problem, processes, turn)
    finally:
        rival = submissions[-1].failure if len(submissions) > 1 else None
        report.rival = None if rival is None else with_limit(rival, job, report.stage)


def judge_submissions(
    session: Session, submissions: list[Submission], problem: ProblemProcess, processes: RunProcesses, turn: Turn
) -> str | None:
    """Runs the stages of the job's mode while at least one submission has not failed. Returns a message or None. Raises
    Failed where the first submission has failed, and NotJudged."""
    prepare(session, submissions, problem)
    job, control, config = session.job, session.control, session.config
    mode, devices = job["mode"], problem.devices
    if mode in ("test", "ranked", "duel", "reward"):
        limit_s = limit_of(job, "test")
        deadline = time.monotonic() + limit_s
        with slow_problem_at_fault(problem, "test", limit_s):
            if len(devices) == 1:
                run_tests(session, submissions, problem, deadline)
            else:
                with WorkerGroup(control, config, devices) as calibrator:
                    load_reference(calibrator, problem.files, deadline)
                    run_tests(session, submissions, problem, deadline, calibrator)
    if mode in ("benchmark", "ranked", "duel", "reward"):
        name: Stage = "benchmark" if mode == "reward" else mode
        limit_s = limit_of(job, name)
        if processes.calibrator is None:
            processes.calibrator = start_workers(control, config, devices)
            load_reference(processes.calibrator, problem.files, time.monotonic() + limit_s)
        processes.keeps_calibrator = False
        # Only now, since runs that are not timed do nothing on this machine until this one ends.
        if mode == "reward" and is_processor(job["target"]):
            turn.timed_call_by_call()
        else:
            turn.timed()
        stage = TimedStage(name, problem, turn, limit_s)
        with slow_problem_at_fault(problem, name, limit_s):
            run_timed(session, stage, submissions, processes.calibrator)
        processes.keeps_calibrator = True
    if mode == "application":
        turn.timed()
        deadline = time.monotonic() + limit_of(job, "application")
        calibrator = start_workers(control, config, devices)
        processes.start(calibrator)
        return run_application(session, submissions[0], calibrator, problem, deadline)
    if mode == "profile":
        turn.timed()
        artifacts = ArtifactFolder(job.get("artifactFolder"), "profile", session.report)
        worker = submissions[0].worker
        assert isinstance(worker, Worker)
        subject = Subject(worker, problem, job["source"], session.seed)
        return run_profile(session, subject, artifacts, time.monotonic() + limit_of(job, "profile"))
    if submissions[0].failure is not None:
        raise submissions[0].failure
    return None


@contextlib.contextmanager
def slow_problem_at_fault(problem: ProblemProcess, stage: Stage, limit_s: float) -> Generator[None, None, None]:
    """Raises NotJudged where its body reaches the limit of the stage and the problem's own code took most of the time."""
    before_s = problem.waited_s
    try:
        yield
    except Failed as failure:
        took_s = problem.waited_s - before_s
        if failure.failure != "timeout" or took_s < limit_s / 2:
            raise
        raise NotJudged(
            f"the problem's own code, such as generate_input, took {took_s:.0f} s of the {limit_s:g} s of the stage {stage}"
        ) from None
