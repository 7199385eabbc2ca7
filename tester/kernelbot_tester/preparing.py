"""The stage `prepare`: submissions are imported, or built and loaded, while the problem is opened."""

from __future__ import annotations

import socket

from . import compiled
from .building import load_compiled
from .config import Config
from .contenders import Contender, printed_by, still_in
from .failures import Failed
from .problem_process import ProblemProcess
from .report import Reporter
from .review import review
from .sources import visible_files
from .work_limit import WorkLimit
from .workers import Worker


def prepare(
    contenders: list[Contender], problem: ProblemProcess, control: socket.socket, config: Config, report: Reporter
) -> None:
    """The stage `prepare`: each submission is imported, or built and loaded, by its worker, and the problem is opened.
    Raises Failed once nobody is left."""
    report.stage_started("prepare", 0)
    for one in contenders:
        job, worker = one.job, one.worker
        limit = WorkLimit(job["problem"]["spec"]["timeoutsS"]["prepare"])
        try:
            if job.get("language", "py") == "py" or not isinstance(worker, Worker):
                load_module(one, problem, config, limit, report)
            else:
                with Worker(control, config, problem.device, "builder") as builder:
                    load_compiled(job, worker, builder, problem, limit)
        except Failed as failure:
            one.lose(failure)
    report.output("prepare", printed_by(contenders))
    report.stage_finished("prepare", all(one.is_in for one in contenders))
    still_in(contenders)


def load_module(
    contender: Contender, problem: ProblemProcess, config: Config, limit: WorkLimit, report: Reporter
) -> None:
    """Has the worker import a submission in Python. Raises Failed, NotJudged."""
    job, worker = contender.job, contender.worker
    key = compiled.key_of(job, config.sandboxed) if isinstance(worker, Worker) else None
    kept = None if key is None else compiled.read(key)
    worker.meet()
    files = visible_files(job["problem"]["files"])
    worker.allow_processes(True)
    worker.load({**files, "submission.py": job["source"]}, "submission", "custom_kernel", kept)
    # While the worker imports it, on another core.
    if contender.side != "B":
        report.reviewed(review(job["source"]))
    problem.open()
    worker.loaded(limit, f"be imported (prepare has {limit}, compiling included)")
    worker.freeze(limit.deadline)
    # An entry is written once, so that no import can tell how many there were before it.
    if key is not None and kept is None and isinstance(worker, Worker):
        made = worker.take_compiled(compiled.ENTRY_BYTES, limit.deadline)
        if made is not None:
            compiled.write(key, made)
