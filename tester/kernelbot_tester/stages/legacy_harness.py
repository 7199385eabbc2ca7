"""Judges with a problem's own harness, in the protocol of existing competitions: `python3 MAIN MODE CASEFILE`.

The harness checks and times in processes that it shares with the submission. The tester guarantees its isolation from
the machine, but not the truth of its report, which is read as untrusted text.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from ..device.machine import compute_capability
from ..failures import Failed, NotJudged
from ..judge.stage_limits import limit_of
from ..messages import Case, RunMode
from ..problem.problem import OutputDifference, cases_of
from ..processes.harness_process import HarnessOutcome, HarnessProcess
from ..processes.failure_messages import exit_failure
from .checked_calls import failure_in_case, case_label, without_seed
from .legacy_build import MAIN, NO_COMPILER, NOT_COMPILED, build_files
from .legacy_report import Reported, read_report
from .session import Session

HarnessStage = Literal["test", "benchmark", "ranked"]
#: Mode argument of the harness in each stage, and the prefix of a case in its report.
MODES: dict[HarnessStage, tuple[str, str]] = {"test": ("test", "test"), "benchmark": ("benchmark", "benchmark"), "ranked": ("leaderboard", "benchmark")}
STAGES: dict[RunMode, list[HarnessStage]] = {
    "compile": [],
    "test": ["test"],
    "benchmark": ["benchmark"],
    "ranked": ["test", "ranked"],
    "reward": ["test", "benchmark"],
}
#: Reported status of a case by the harness's own.
STATUS: dict[str | None, Literal["passed", "failed", "skipped"]] = {"pass": "passed", "fail": "failed", None: "skipped"}
#: Exit codes with a meaning in the protocol: the tests failed; and errors that are not the submission's if the harness
#: ends so before it has reported anything.
TESTS_FAILED = 112
UNABLE = {2: "its arguments", 111: "the pipe of its report", 113: "the cases"}

#: A submission in Python that has every name and no kernel.
PLACEHOLDER = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    def missing(*_, **__):
        raise NotImplementedError(name)
    return missing
"""

#: Program of the stage `prepare` for a problem in Python: parses the source without running it.
SYNTAX = """
import os, sys
name = open(sys.argv[2]).read()
try:
    with open(name, encoding="utf-8") as file:
        compile(file.read(), name, "exec", dont_inherit=True)
    message = "check: pass"
except SyntaxError as error:
    message = f"error: {name}, line {error.lineno}: {error.msg}"
except (ValueError, MemoryError, RecursionError, OverflowError) as error:
    message = f"error: {name} cannot be compiled: {error}"
os.write(int(os.environ["POPCORN_FD"]), message.encode("utf-8", "replace"))
"""


def judge_by_harness(session: Session, devices: int | None = None) -> str | None:
    """Runs the stages of a job whose problem brings a harness, each in its own cell. `devices`: number of devices, or
    None for a single-device problem. Returns a message for a run that passed, or None. Raises Failed, NotJudged."""
    mode = session.job["mode"]
    if mode not in STAGES:
        raise NotJudged(f"a problem with a harness of its own has no mode {mode}")
    check_syntax(session)
    messages = [run_stage(session, stage, devices) for stage in STAGES[mode]]
    return messages[-1] if messages else None


def check_syntax(session: Session) -> None:
    """Runs the stage `prepare`: parses or compiles the submission without running it. Raises Failed, NotJudged."""
    job, report = session.job, session.report
    spec = job["problem"]["spec"]
    name: str = spec["submissionName"]
    report.stage_started("prepare", 0)
    limit_s = spec["timeoutsS"]["prepare"]
    build = spec.get("build")
    with HarnessProcess(session.control, session.config) as harness:
        if build is None:
            files = {name: job["source"], f"{name}.syntax": SYNTAX}
            ran = harness.run(files, f"{name}.syntax", "test", name, {}, limit_s)
        else:
            files = {**job["problem"]["files"], name: job["source"], **build_files(build, compute_capability(), True)}
            ran = harness.run(files, MAIN, "test", "", {}, limit_s)
    if ran.end is not None and ran.end[1] == NO_COMPILER and not ran.report:
        raise NotJudged("this machine has no nvcc, which compiles the problem's harness")
    values = read_report(ran.report).values
    passed = values.get("check") == "pass"
    report.stage_finished("prepare", passed)
    if ran.end is None:
        raise Failed("timeout", "the time limit was reached before the submission could be compiled")
    if not passed:
        log = None if build is None else "".join(ran.printed.texts())
        raise Failed("compile_error", values.get("error") or f"{name} cannot be compiled", log)


def run_stage(session: Session, stage: HarnessStage, devices: int | None) -> str | None:
    """Runs the harness once. Returns a sentence on the cases that a stage that passed did not time, or None. Raises
    Failed, NotJudged."""
    job, report = session.job, session.report
    problem = job["problem"]
    spec = problem["spec"]
    mode, kind = MODES[stage]
    cases = cases_of(spec, stage, job["target"])
    shown = cases if stage == "test" else [without_seed(case) for case in cases]
    report.stage_started(stage, len(cases))
    limit_s = limit_of(job, stage)
    environment = {} if stage == "test" else {"POPCORN_SEED": str(session.seed.of_harness(stage))}
    if devices is not None:
        environment["POPCORN_GPUS"] = str(devices)

    def run(source: str) -> HarnessOutcome:
        files = {**problem["files"], spec["submissionName"]: source}
        if "build" in spec:
            files.update(build_files(spec["build"], compute_capability(), False))
        with HarnessProcess(session.control, session.config, network=devices is not None) as harness:
            return harness.run(files, spec["main"] or MAIN, mode, case_file(cases), environment, limit_s)

    def ends_so_without_it() -> bool:
        # A harness that is compiled with the submission needs one that compiles: the problem's starter.
        source = next(iter(spec["templates"].values()), None) if "build" in spec else PLACEHOLDER
        try:
            return source is None or run(source).end in (ran.end, (os.CLD_EXITED, NOT_COMPILED))
        except Failed:
            return False

    try:
        ran = run(job["source"])
    except Failed:
        report.stage_finished(stage, False)
        raise
    reported = read_report(ran.report)
    try:
        results = results_of(kind, case_file(cases).splitlines(), reported)
        failure = failure_of(stage, shown, results, ran, reported)
    except Failed as refused:
        results, failure = [CaseReport(None, None, None)] * len(cases), refused
    # The submission runs in the harness's processes and can choose their exit code, so the harness must end so without it
    # too.
    if isinstance(failure, NotJudged) and not ends_so_without_it():
        failure = Failed("crash", f"the submission ended the harness before its report{last_words(ran)}")
    for index, (case, result) in enumerate(zip(shown, results)):
        status = STATUS[result.status]
        difference = None if result.message is None else OutputDifference(result.message, None)
        timed = failure is None and kind == "benchmark" and result.key is not None
        summary = reported.summary(result.key) if timed and result.key is not None else None
        report.case_finished(stage, index, case, status, difference, summary=summary)
    report.output(stage, ran.printed if ran.printed.total > 0 else None)
    report.stage_finished(stage, failure is None)
    if failure is not None:
        raise failure
    omitted = sum(result.key is None for result in results)
    if omitted == 0:
        return None
    return f"the problem's harness timed {len(cases) - omitted} of the {len(cases)} cases, and the others do not count"


def case_file(cases: list[Case]) -> str:
    """Formats the cases as existing harnesses read them: one per line, values in Python syntax."""
    return "".join("; ".join(f"{key}: {value}" for key, value in case.items()) + "\n" for case in cases)


@dataclass(frozen=True)
class CaseReport:
    """Report of a harness on one case: its key (None where the harness omits the case), `pass`, `fail` or None where
    no outcome is reported, and why the case failed."""

    key: str | None
    status: str | None
    message: str | None


def results_of(kind: str, lines: list[str], reported: Reported) -> list[CaseReport]:
    """Returns the report on each line of the case file. Raises Failed where the harness names cases that do not
    exist."""
    if kind == "test":
        return [result_of(f"test.{index}", reported) for index in range(len(lines))]
    results = [result_of(name, reported) for name in reported.names("benchmark", lines)]
    # Harnesses of older competitions report an incorrect result in a timed stage as a failed test.
    tests = [result_of(name, reported) for name in reported.names("test", lines)]
    return [test if test.status == "fail" else timed for timed, test in zip(results, tests)]


def result_of(key: str | None, reported: Reported) -> CaseReport:
    """Returns the report on the case with this key."""
    if key is None:
        return CaseReport(None, None, None)
    status = reported.status(key)
    return CaseReport(key, status, reported.message(key) if status == "fail" else None)


def failure_of(
    stage: HarnessStage, cases: list[Case], results: list[CaseReport], ran: HarnessOutcome, reported: Reported
) -> Failed | NotJudged | None:
    """Returns the most serious failure of a stage, or None where it passed. Raises Failed where a figure is not a
    valid number."""
    statuses = [result.status for result in results]
    open_case = next((index for index, each in enumerate(results) if each.key is not None and each.status is None), None)
    if ran.end is None:
        late = Failed("timeout", "the time limit was reached before the harness ended")
        return late if open_case is None else failure_in_case(late, case_label(stage, open_case, cases[open_case]))
    code, status = ran.end
    exited = status if code == os.CLD_EXITED else None
    if exited in UNABLE and not reported.values:
        return NotJudged(f"the problem's harness does not accept {UNABLE[exited]} (exit code {exited})")
    if "fail" in statuses:
        index = statuses.index("fail")
        return failure_in_case(Failed("wrong_result", results[index].message or ""), case_label(stage, index, cases[index]))
    if (key := reported.failed_case()) is not None:
        return Failed("wrong_result", f"{key}: {reported.message(key)}")
    if exited is None:
        return exit_failure(code, status)
    if exited == TESTS_FAILED or reported.values.get("check") == "fail":
        return Failed("wrong_result", reported.values.get("error") or "the harness reports a failure without a case")
    if exited != 0:
        return Failed("crash", f"the harness ended with exit code {exited}{last_words(ran)}")
    if reported.repeated:
        return Failed("rejected", f"the report of the harness has {reported.repeated[0]} twice: another program wrote to it")
    if reported.values.get("check") != "pass":
        return Failed("crash", f"the harness ended without a result{last_words(ran)}")
    if open_case is not None:
        passed = statuses.count("pass")
        return Failed("rejected", f"the harness reports success with {passed} of {len(cases)} cases")
    if stage != "test":
        for result in results:
            if result.key is not None:
                reported.summary(result.key)
    return None


def last_words(ran: HarnessOutcome) -> str:
    """Returns the last printed line, which in Python is the exception, preceded by a colon; empty if nothing was
    printed."""
    lines = "".join(ran.printed.texts()).strip().splitlines()
    return f": {lines[-1][:500]}" if lines else ""
