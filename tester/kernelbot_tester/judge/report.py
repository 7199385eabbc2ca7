"""Reports the events of a job to the host: one line `{"id", "event"}` each, in the shapes of core's `JudgeEvent`."""

from __future__ import annotations

import json
import os
import time
from typing import Literal, TypedDict, cast

from ..failures import Failed
from ..messages import (
    Artifact,
    Case,
    CaseFinished,
    FailureClass,
    HarnessSummary,
    JudgeEvent,
    OutputErrors,
    Rehearsal,
    ReviewFinding,
    Rounds,
    SideFailure,
    Stage,
    StopReason,
    Validation,
    Verdict,
    VerdictEvent,
)
from ..problem.problem import OutputDifference
from ..untrusted_text import HeadAndTail, bounded


class Reason(TypedDict):
    """Why a run that did not fail ended with its verdict."""

    failureClass: None
    message: str | None
    detail: None


class Reporter:
    """Writes the events of one job to an open file."""

    def __init__(self, file: int, job_id: str) -> None:
        self.file = file
        self.id = job_id
        #: The stage that has started last, and when.
        self.stage: Stage | None = None
        self.started_ns = 0
        #: Failure of the rival in a duel, or None.
        self.rival: Failed | None = None
        #: Outcome of a rehearsal, as core's `Rehearsal`.
        self.rehearsal: Rehearsal | None = None
        #: Outcome of the problem's application, as core's `Validation`.
        self.validation: Validation | None = None

    def emit(self, event: JudgeEvent) -> None:
        """Writes an event."""
        data = json.dumps({"id": self.id, "event": event}, allow_nan=False).encode() + b"\n"
        while data:
            data = data[os.write(self.file, data) :]

    def stage_started(self, stage: Stage, cases: int) -> None:
        """Reports that a stage has started."""
        self.stage = stage
        self.started_ns = time.monotonic_ns()
        self.emit({"type": "stage_started", "stage": stage, "cases": cases})

    def stage_finished(self, stage: Stage, passed: bool) -> None:
        """Reports that a stage has ended."""
        duration = time.monotonic_ns() - self.started_ns
        self.emit({"type": "stage_finished", "stage": stage, "passed": passed, "durationNs": duration})

    def case_finished(
        self,
        stage: Stage,
        index: int,
        case: Case,
        status: Literal["passed", "failed", "skipped"],
        difference: OutputDifference | None = None,
        cost: tuple[float | None, float | None] = (None, None),
        rounds: Rounds | None = None,
        summary: HarnessSummary | None = None,
        output_bytes: int | None = None,
        stopped: StopReason | None = None,
        errors: OutputErrors | None = None,
    ) -> None:
        """Reports the end of a case: `passed`, `failed` (with what is wrong) or `skipped`."""
        event: CaseFinished = {
            "type": "case_finished",
            "stage": stage,
            "index": index,
            "case": case,
            "status": status,
            "message": None if difference is None else bounded(difference.message, 6_000),
            "mismatch": None if difference is None or difference.mismatch is None else difference.mismatch.document(),
            "bytes": cost[0],
            "operations": cost[1],
            "outputBytes": output_bytes,
            "rounds": rounds or [],
            "summary": summary,
            "stopped": stopped,
        }
        if errors is not None:
            event["errors"] = errors
        self.emit(event)

    def progress(self, stage: Stage, done: int, total: int) -> None:
        """Reports how many rounds are done, of at most `total`."""
        self.emit({"type": "progress", "stage": stage, "done": done, "total": total})

    def output(self, stage: Stage, printed: HeadAndTail | None) -> None:
        """Reports the submission's printed output; nothing if there is none."""
        if printed is not None:
            head, tail = printed.texts()
            self.emit({"type": "output", "stage": stage, "head": head, "tail": tail, "droppedBytes": printed.dropped})

    def reviewed(self, findings: list[ReviewFinding]) -> None:
        """Reports the findings of the static review; nothing if there are none."""
        if findings:
            self.emit({"type": "review", "findings": findings})

    def artifact(self, stage: Stage, artifact: Artifact) -> None:
        """Reports a file that was written into the job's artifact folder."""
        self.emit({"type": "artifact", "stage": stage, **artifact})

    def passed(self, message: str | None = None) -> None:
        """Reports that the run passed. `message` names limitations of the result."""
        self._verdict("passed", {"failureClass": None, "message": message, "detail": None})

    def failed(self, failure: Failed) -> None:
        """Reports that the run failed."""
        self._verdict("failed", failure_document(failure))

    def not_judged(self, reason: str) -> None:
        """Reports `infra_error`: the run could not be judged, for a reason outside the kernel."""
        self._verdict("infra_error", {"failureClass": None, "message": bounded(reason, 6_000), "detail": None})

    def _verdict(self, verdict: Verdict, why: Reason | SideFailure) -> None:
        event: VerdictEvent = {
            "type": "verdict",
            "verdict": verdict,
            "failureClass": why["failureClass"],
            "message": why["message"],
            "detail": why["detail"],
        }
        if self.rival is not None:
            event["rival"] = failure_document(self.rival)
        if self.rehearsal is not None:
            event["rehearsal"] = self.rehearsal
        if self.validation is not None:
            event["validation"] = self.validation
        self.emit(event)


def failure_document(failure: Failed) -> SideFailure:
    """Returns a failure in its reported form."""
    return {
        "failureClass": cast(FailureClass, failure.failure),
        "message": bounded(failure.message, 6_000),
        "detail": None if failure.detail is None else bounded(failure.detail),
    }
