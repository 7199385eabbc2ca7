"""What the stages of a job share."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from ..judge.report import Reporter
from ..judge.seeds import RunSeed
from ..messages import Job
from ..review.review_process import ReviewProcess
from ..sandbox.config import Config


@dataclass(frozen=True)
class Session:
    """A job that is judged, and what its stages use."""

    #: Core's `Job`.
    job: Job
    #: The zygote's socket, for requests to start processes.
    control: socket.socket
    config: Config
    report: Reporter
    #: Source of the secret inputs.
    seed: RunSeed
    #: None: the submission is not reviewed.
    reviewer: ReviewProcess | None
