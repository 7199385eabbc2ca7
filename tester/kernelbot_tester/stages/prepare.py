"""The stage `prepare`: imports submissions, or builds and loads them, and opens the problem."""

from __future__ import annotations

import contextlib

from ..failures import Failed
from ..problem.modules import visible_files
from ..processes.problem_process import ProblemProcess
from ..processes.processor_time_limit import ProcessorTimeLimit
from ..processes.sandboxed_process import SandboxedProcess
from ..processes.worker_process import Worker
from . import build_cache
from .build import load_compiled
from .session import Session
from .submissions import Submission, remaining, take_printed


def prepare(session: Session, submissions: list[Submission], problem: ProblemProcess) -> None:
    """Runs the stage `prepare`: each worker imports its submission, or has it built and loads it, and the problem is
    opened. Raises Failed once no submission is left."""
    config, report = session.config, session.report
    report.stage_started("prepare", 0)
    for submission in submissions:
        job, worker = submission.job, submission.worker
        language = job.get("language", "py")
        limit = ProcessorTimeLimit(job["problem"]["spec"]["timeoutsS"]["prepare"])
        try:
            if language == "py" or not isinstance(worker, Worker):
                load_module(session, submission, problem, limit)
            else:
                with SandboxedProcess(session.control, config, problem.device, "builder") as builder:
                    load_compiled(job, language, worker, builder, problem, limit)
        except Failed as failure:
            submission.fail(failure, "prepare")
    report.output("prepare", take_printed(submissions))
    report.stage_finished("prepare", all(submission.is_active for submission in submissions))
    remaining(submissions)


def load_module(
    session: Session, submission: Submission, problem: ProblemProcess, limit: ProcessorTimeLimit
) -> None:
    """Makes the worker import a submission in Python. Raises Failed, NotJudged."""
    job, worker = submission.job, submission.worker
    key = build_cache.key_of(job, session.config.sandboxed) if isinstance(worker, Worker) else None
    kept = None if key is None else build_cache.read(key)
    worker.wait_until_started()
    files = visible_files(job["problem"]["files"])
    worker.allow_processes(True)
    worker.load({**files, "submission.py": job["source"]}, "submission", "custom_kernel", kept)
    with contextlib.ExitStack() as stack:
        reviewer = session.reviewer
        if reviewer is not None and submission.side != "B":
            # Runs on another core while the worker imports the submission, and ends before anything is timed.
            reviewer.start(job["source"])
            stack.callback(lambda: session.report.reviewed(reviewer.findings()))
        problem.open()
        try:
            worker.wait_until_loaded(limit, "be imported, compiling included")
        except Failed:
            # The entry may be the cause: a file that a killed compiler left half-written would fail every later run.
            if key is not None and kept is not None:
                build_cache.remove(key)
            raise
        # A process that still runs is compiling; the freeze kills it.
        is_finished = isinstance(worker, Worker) and not worker.has_children()
        worker.freeze(limit.deadline)
    # A cache entry is written once, so that an import cannot count the earlier imports.
    if key is not None and kept is None and is_finished and isinstance(worker, Worker):
        made = worker.take_build_cache(build_cache.ENTRY_BYTES, limit.deadline)
        if made is not None:
            build_cache.write(key, made)
