"""Time limits of the stages of a job, in seconds and in words."""

from __future__ import annotations

from ..failures import Failed
from ..messages import Job, Stage
from ..problem.problem import application_s
from ..processes.processor_time_limit import ProcessorTimeLimit


def limit_of(job: Job, stage: Stage) -> float:
    """Returns the limit of a stage of a job in seconds."""
    spec = job["problem"]["spec"]
    limits = spec["timeoutsS"]
    if stage == "application":
        return application_s(spec)
    seconds = limits["ranked" if stage == "duel" else stage]
    if stage == "prepare":
        return seconds
    # A compiled harness is compiled in every stage, since each cell starts empty.
    return seconds * (2 if "rival" in job else 1) + (limits["prepare"] if "build" in spec else 0)


def with_limit(failure: Failed, job: Job, stage: Stage | None) -> Failed:
    """Returns a failure, which names the limit where that was exceeded. `stage`: the stage that has started last."""
    stage = failure.stage or stage
    if failure.failure != "timeout" or stage is None:
        return failure
    is_prepared = stage == "prepare" and job["problem"]["spec"].get("harness") != "legacy"
    limit = str(ProcessorTimeLimit(limit_of(job, stage))) if is_prepared else f"{limit_of(job, stage):g} s"
    return Failed("timeout", f"{failure.message} (limit of the stage {stage}: {limit})", failure.detail)
