"""The judge's words to its host: one event a line, `{"id", "event"}`, in the shapes of core's `JudgeEvent`."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Callable

from .failures import Failed
from .problem import Case, Finding
from .review import Finding as ReviewFinding
from .texts import HeadAndTail, bounded


class Reporter:
    """Writes the events of one job to an open file."""

    def __init__(self, file: int, job_id: str) -> None:
        self.file = file
        self.id = job_id
        self.started_ns = 0
        #: How the rival of a duel has failed, if it has.
        self.rival: Failed | None = None
        #: What a rehearsal has to say, as core's `Rehearsal`, and how many of its cases have passed.
        self.rehearsal: dict[str, Any] | None = None
        self.passed_cases = 0
        #: Whether what has failed, given by a stage or known otherwise, says nothing of the kernel: then its case was skipped.
        self.excuses: Callable[[Failed | None], bool] = lambda _: False

    def emit(self, event: dict[str, Any]) -> None:
        """Writes an event."""
        data = json.dumps({"id": self.id, "event": event}, allow_nan=False).encode() + b"\n"
        while data:
            data = data[os.write(self.file, data) :]

    def stage_started(self, stage: str, cases: int) -> None:
        """A stage begins."""
        self.started_ns = time.monotonic_ns()
        self.emit({"type": "stage_started", "stage": stage, "cases": cases})

    def stage_finished(self, stage: str, passed: bool, failure: Failed | None = None) -> None:
        """The stage is over, by this failure where a stage gives it."""
        passed = passed or (self.passed_cases > 0 and self.excuses(failure))
        duration = time.monotonic_ns() - self.started_ns
        self.emit({"type": "stage_finished", "stage": stage, "passed": passed, "durationNs": duration})

    def case_finished(
        self,
        stage: str,
        index: int,
        case: Case,
        status: str,
        finding: Finding | None = None,
        cost: tuple[float | None, float | None] = (None, None),
        rounds: list[dict[str, list[int]]] | None = None,
        summary: dict[str, float | None] | None = None,
        output_bytes: int | None = None,
    ) -> None:
        """A case is over: `passed`, `failed` (with what was found) or `skipped`."""
        if status == "failed" and self.excuses(None):
            status, finding = "skipped", None
        self.passed_cases += status == "passed"
        self.emit(
            {
                "type": "case_finished",
                "stage": stage,
                "index": index,
                "case": case,
                "status": status,
                "message": None if finding is None else bounded(finding.message, 6_000),
                "mismatch": None if finding is None or finding.mismatch is None else finding.mismatch.document(),
                "bytes": cost[0],
                "operations": cost[1],
                "outputBytes": output_bytes,
                "rounds": rounds or [],
                "summary": summary,
            }
        )

    def progress(self, stage: str, done: int, total: int) -> None:
        """So many rounds of at most so many are done."""
        self.emit({"type": "progress", "stage": stage, "done": done, "total": total})

    def output(self, stage: str, printed: HeadAndTail | None) -> None:
        """What the submission printed, if it did."""
        if printed is not None:
            head, tail = printed.texts()
            self.emit({"type": "output", "stage": stage, "head": head, "tail": tail, "droppedBytes": printed.dropped})

    def reviewed(self, findings: list[ReviewFinding]) -> None:
        """What the static review found, if anything."""
        if findings:
            self.emit({"type": "review", "findings": [finding.document() for finding in findings]})

    def artifact(self, stage: str, name: str, media_type: str, size: int, sha256: str) -> None:
        """A file lies in the folder of the job."""
        described = {"name": name, "mediaType": media_type, "sizeBytes": size, "sha256": sha256}
        self.emit({"type": "artifact", "stage": stage, **described})

    def passed(self, message: str | None = None) -> None:
        """The run passed; the message says what it lacks all the same."""
        self._verdict("passed", {"failureClass": None, "message": message, "detail": None})

    def failed(self, failure: Failed) -> None:
        """The run failed."""
        self._verdict("failed", told(failure))

    def _verdict(self, verdict: str, why: dict[str, Any]) -> None:
        rival = {} if self.rival is None else {"rival": told(self.rival)}
        rehearsal = {} if self.rehearsal is None else {"rehearsal": self.rehearsal}
        self.emit({"type": "verdict", "verdict": verdict, **why, **rival, **rehearsal})

    def not_judged(self, reason: str) -> None:
        """The run could not be judged, through no fault of the kernel."""
        self._verdict("infra_error", {"failureClass": None, "message": bounded(reason, 6_000), "detail": None})


def told(failure: Failed) -> dict[str, Any]:
    """A failure as it is reported."""
    return {
        "failureClass": failure.failure,
        "message": bounded(failure.message, 6_000),
        "detail": None if failure.detail is None else bounded(failure.detail),
    }
