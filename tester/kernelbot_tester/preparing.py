"""The stage `prepare`: submissions are imported, or built and loaded, while the problem is opened."""

from __future__ import annotations

import functools
import socket
from typing import Callable

from . import compiled
from .building import load_compiled
from .config import Config
from .contenders import Contender, printed_by, still_in
from .device.device import Device
from .failures import Failed
from .problem import Problem
from .report import Reporter
from .review import review
from .sources import visible_files
from .work_limit import WorkLimit
from .workers import Worker


def prepare(
    contenders: list[Contender], devices: list[Device], control: socket.socket, config: Config, report: Reporter
) -> Problem:
    """The stage `prepare`: each submission is imported, or built and loaded, by its worker. Raises Failed once nobody
    is left."""
    report.stage_started("prepare", 0)

    @functools.cache
    def opened() -> Problem:
        for device in devices:
            device.start()
        return Problem(contenders[0].job["problem"], devices)

    for one in contenders:
        job, worker = one.job, one.worker
        limit = WorkLimit(job["problem"]["spec"]["timeoutsS"]["prepare"])
        try:
            if job.get("language", "py") == "py" or not isinstance(worker, Worker):
                load_module(one, opened, config, limit, report)
            else:
                with Worker(control, config, devices[0], builder=True) as builder:
                    load_compiled(job, worker, builder, opened, limit)
        except Failed as failure:
            one.lose(failure)
    report.output("prepare", printed_by(contenders))
    report.stage_finished("prepare", all(one.is_in for one in contenders))
    still_in(contenders)
    return opened()


def load_module(
    contender: Contender, opened: Callable[[], Problem], config: Config, limit: WorkLimit, report: Reporter
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
    opened()
    worker.loaded(limit, f"be imported (prepare has {limit}, compiling included)")
    worker.freeze(limit.deadline)
    # An entry is written once, so that no import can tell how many there were before it.
    if key is not None and kept is None and isinstance(worker, Worker):
        made = worker.take_compiled(compiled.ENTRY_BYTES, limit.deadline)
        if made is not None:
            compiled.write(key, made)
