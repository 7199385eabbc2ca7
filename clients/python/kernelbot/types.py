"""Types of requests and results. A test compares them with the schemas of the server, whose names they have in snake case."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, TypedDict, TypeVar, cast

from kernelbot.errors import ApiError, KernelBotError

Language = Literal["py", "cpp", "cu"]
Difficulty = Literal["introductory", "intermediate", "advanced"]
#: `compile` imports or builds the code, `test` also runs the test cases, `reward` also times the benchmark cases.
EvaluationLevel = Literal["compile", "test", "reward", "application"]
#: Order in which evaluations are judged. Submissions precede all of them, `interactive` precedes the other two.
EvaluationPriority = Literal["interactive", "training", "backfill"]
#: `expired`: the deadline passed while the evaluation was queued.
EvaluationState = Literal["queued", "running", "done", "cancelled", "expired"]
#: `passed`, or why not. `infra_error` and `quarantined` say nothing about the code and have no reward;
#: `noisy` is correct code, but the machine was too busy to measure it, so it has none either.
EvaluationOutcome = Literal[
    "compile_error",
    "crash",
    "wrong_result",
    "timeout",
    "out_of_memory",
    "rejected",
    "passed",
    "noisy",
    "quarantined",
    "infra_error",
]


class EvaluationOptions(TypedDict, total=False):
    """Optional parameters of an evaluation, which `EvaluationRequest` describes."""

    language: Language
    level: EvaluationLevel
    rule: str
    priority: EvaluationPriority
    deadline_seconds: int | None
    fresh: bool
    tags: Mapping[str, str]
    session: int | None


@dataclass(frozen=True)
class EvaluationRequest:
    """Request to judge a source.

    Attributes:
        problem: Name of the problem (`Client.problems` lists them), or the reference that `Client.upload_problem` returned.
        code: The whole source, at most 1 MB of UTF-8.
        target: Hardware that judges, one of the problem's targets, such as `cpu` or `H100`.
        language: Language of the source.
        level: How far to judge.
        rule: Reward rule with its version, such as `log-gain@1`, `step@1`, `pass@1` or `thresholds@1:0=0.2,1=0.5,2=1`.
        priority: Place in the queue.
        deadline_seconds: Expires without a reward if it is still queued after this many seconds, from 1 to 604,800; None
            for never.
        fresh: Judges again instead of returning an earlier result of the same code.
        tags: At most 16 texts of the caller, which are returned with the result.
        session: Number of a session of the caller, for the same problem and target, whose budget the evaluation uses.
    """

    problem: str
    code: str
    target: str
    language: Language = "py"
    level: EvaluationLevel = "reward"
    rule: str = "log-gain@1"
    priority: EvaluationPriority = "training"
    deadline_seconds: int | None = None
    fresh: bool = False
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    session: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the body of the request, without fields that are None."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {_camel(name): value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class SpeedupInterval:
    """Speedup over the reference, dimensionless: the ends of its 95 % confidence interval, and the estimate between."""

    low: float
    mid: float
    high: float


@dataclass(frozen=True)
class SessionBudget:
    """Rest of a session's budget.

    Attributes:
        id: Number of the session.
        seconds_left: Seconds until the session ends; 0 once it has ended.
    """

    id: int
    evaluations_left: int
    seconds_left: int


@dataclass(frozen=True)
class EvaluationVersions:
    """Hash of the problem's version, version of the tester, and name of the machine. The last two are None until a runner
    has claimed the run."""

    problem: str
    tester: str | None
    machine: str | None


@dataclass(frozen=True)
class Evaluation:
    """Evaluation with its result, as far as it is known.

    Attributes:
        state: `done`, `cancelled` and `expired` are final.
        outcome: None unless the state is `done`.
        passed: Number of cases that passed.
        total: Number of cases of the level; 0 at level `compile`.
        speedup: That in use at level `application`. None unless the code passed level `reward` or `application`.
        reward: Reward by the rule, from 0 to 1. None if the result says nothing about the code; never 0 for that.
        feedback: Result in words for the next prompt, at most 4 KB, without seeds and expected values; None unless the
            state is `done`.
        cached: Whether an earlier or concurrent evaluation of the same code gave the result.
        session: Session whose budget it used, with the rest of the budget at the time of the response; None without one.
        unsandboxed: Whether it was judged without a sandbox, where code can forge its result.
        legacy_harness: Whether the problem's own harness judged it, in one process tree with the code, which can forge its
            result.
        created_at: Time in ISO 8601, UTC.
        ended_at: Time in ISO 8601, UTC; None until the state is final.
        queue_ms: Time in the queue, in milliseconds; 0 for a cached result, None while queued.
        queue_reason: Why it is not judged soon, such as that no runner of the target is connected; None if one is, and
            once it is not queued.
        judge_ms: Time of the judge, in milliseconds; None until it is done.
    """

    id: int
    problem: str
    target: str
    level: EvaluationLevel
    priority: EvaluationPriority
    tags: Mapping[str, str]
    state: EvaluationState
    outcome: EvaluationOutcome | None
    passed: int
    total: int
    speedup: SpeedupInterval | None
    reward: float | None
    rule: str
    feedback: str | None
    cached: bool
    session: SessionBudget | None
    unsandboxed: bool
    legacy_harness: bool
    created_at: str
    ended_at: str | None
    queue_ms: float | None
    queue_reason: str | None
    judge_ms: float | None
    versions: EvaluationVersions

    @property
    def has_ended(self) -> bool:
        """Whether the state is final."""
        return self.state not in ("queued", "running")

    def require_reward(self) -> float:
        """Returns the reward, from 0 to 1.

        Raises:
            NoRewardError: The evaluation has no reward.
        """
        if self.reward is None:
            reason = self.feedback if self.state == "done" else f"its state is {self.state}"
            raise NoRewardError(f"evaluation {self.id} of {self.problem} has no reward: {reason}", self)
        return self.reward

    @classmethod
    def from_json(cls, data: Any) -> Evaluation:
        """Returns the evaluation in a response.

        Raises:
            ApiError: A field is missing.
        """
        evaluation = _from_json(cls, data)
        speedup = None if evaluation.speedup is None else _from_json(SpeedupInterval, evaluation.speedup)
        versions = _from_json(EvaluationVersions, evaluation.versions)
        session = None if evaluation.session is None else _from_json(SessionBudget, evaluation.session)
        return dataclasses.replace(evaluation, speedup=speedup, versions=versions, session=session)


class EvaluationError(KernelBotError):
    """An evaluation did not give what was requested.

    Attributes:
        evaluation: The evaluation in its last known state.
    """

    def __init__(self, message: str, evaluation: Evaluation) -> None:
        super().__init__(message)
        self.evaluation = evaluation


class NoRewardError(EvaluationError):
    """An evaluation has ended without a reward: the platform failed, or the evaluation was cancelled or has expired."""


class EvaluationTimeoutError(EvaluationError, TimeoutError):
    """An evaluation had not ended within the caller's timeout, and was cancelled."""


@dataclass(frozen=True)
class EvaluationSession:
    """Session: a budget of evaluations for one problem and target.

    Attributes:
        id: Number of the session.
        evaluations_left: Number of evaluations that are left at the time of the response.
        seconds_left: Seconds until the session ends; 0 once it has ended.
        max_evaluations: The budget.
        created_at: Time in ISO 8601, UTC.
        ends_at: When the session ends or has ended, in ISO 8601, UTC.
    """

    id: int
    evaluations_left: int
    seconds_left: int
    problem: str
    target: str
    max_evaluations: int
    created_at: str
    ends_at: str

    @classmethod
    def from_json(cls, data: Any) -> EvaluationSession:
        """Returns the session in a response.

        Raises:
            ApiError: A field is missing.
        """
        return _from_json(cls, data)


@dataclass(frozen=True)
class ProblemSummary:
    """Problem in a list.

    Attributes:
        targets: Hardware that judges, such as `cpu` or `H100`.
        version: Hash of the newest version.
        competition: Name of the problem's competition; None for a practice problem.
        tags: Subjects, such as `reduction`.
        difficulty: None if its author states none.
    """

    name: str
    targets: list[str]
    version: str
    competition: str | None
    tags: list[str]
    difficulty: Difficulty | None

    @classmethod
    def from_json(cls, data: Any) -> ProblemSummary:
        """Returns the problem in a response.

        Raises:
            ApiError: A field is missing.
        """
        return _from_json(cls, data)


@dataclass(frozen=True)
class UploadedProblem:
    """Problem that was uploaded for evaluations.

    Attributes:
        problem: What evaluations name as their problem: `sha256:` and a hash of the directory.
        name: Name of the directory.
        targets: Hardware that judges, such as `cpu` or `H100`.
        size_bytes: Size that counts against the limit of the account.
        used_at: When it was last uploaded or evaluated, to the hour, in ISO 8601.
        open_evaluations: Number of its queued and running evaluations.
    """

    problem: str
    name: str
    targets: list[str]
    size_bytes: int
    used_at: str
    open_evaluations: int

    @classmethod
    def from_json(cls, data: Any) -> UploadedProblem:
        """Returns the problem in a response.

        Raises:
            ApiError: A field is missing.
        """
        return _from_json(cls, data)


@dataclass(frozen=True)
class Problem:
    """Problem with what a model needs to solve it.

    Attributes:
        description: Statement of the problem, in Markdown.
        targets: Hardware that judges, such as `cpu` or `H100`.
        languages: Languages that it accepts.
        templates: Starting points by the label of their language, such as `Python`.
        version: Hash of the newest version.
    """

    name: str
    description: str
    targets: list[str]
    languages: list[Language]
    templates: Mapping[str, str]
    version: str

    @classmethod
    def from_json(cls, data: Any) -> Problem:
        """Returns the problem in a response.

        Raises:
            ApiError: A field is missing.
        """
        detail = _fields(data)
        spec = _fields(detail.get("spec"))
        lists = {name: list(_fields(spec.get(name))) for name in ("targets", "languages")}
        return _from_json(cls, {**spec, **lists, "version": detail.get("version")})

    def prompt(self, target: str, template: str = "Python") -> str:
        """Returns an instruction for a model: the description, the template, and the format that `last_code_block` reads.

        Args:
            target: Hardware that will judge.
            template: Label of the template. It is left out where the problem has none of this label.
        """
        parts = [self.description.strip(), f"The code is judged for correctness and timed on the target {target}."]
        start = self.templates.get(template)
        if start is not None:
            parts.append(f"Start from this template:\n\n```\n{start.strip()}\n```")
        parts.append("Reply with the whole file in one fenced code block, which must be the last one of the reply.")
        return "\n\n".join(parts)


@dataclass(frozen=True)
class ProfiledOperation:
    """Operation on the CPU, or kernel or copy on a device, in a profile.

    Attributes:
        name: Name from the trace.
        calls: Number of calls.
        total_us: Sum over the calls, in microseconds.
        self_us: Sum without the time in contained calls, in microseconds; None on a device, and where calls overlap.
        share: Share of the sum over all operations of `self_us`, or else of `total_us`, from 0 to 1.
    """

    name: str
    calls: int
    total_us: float
    self_us: float | None
    share: float


@dataclass(frozen=True)
class ProfileSummary:
    """Summary of a profiler's trace.

    Attributes:
        processor: Whether the operations are those of a device or of the CPU.
        operations: The first operations by self time, or else by total time.
        more_operations: Number of operations that are left out.
        timeline: The longest calls by thread and stream: JSON as the API returns it.
    """

    processor: Literal["device", "cpu"]
    operations: list[ProfiledOperation]
    more_operations: int
    timeline: Mapping[str, Any]


@dataclass(frozen=True)
class ProfileTrace:
    """Trace of a benchmark case, written by the profiler in the submission's process and not verified by the judge.

    Attributes:
        name: Name of the file, which numbers the benchmark cases from 0: `profile.0.trace.json.gz`.
        summary: None if the trace cannot be read.
        problem: Why the trace cannot be read; None if it can.
    """

    run_id: int
    target: str
    name: str
    summary: ProfileSummary | None
    problem: str | None


@dataclass(frozen=True)
class ProfileReport:
    """Report of Nsight Compute or rocprofv3 about a benchmark case.

    Attributes:
        name: Name of the file, which numbers the benchmark cases from 0: `profile.0.ncu.txt`.
        text: The report as text; of one above 64 KiB the beginning, and a last line that says so.
    """

    run_id: int
    target: str
    name: str
    text: str


@dataclass(frozen=True)
class Profile:
    """Profile of a submission.

    Attributes:
        omitted: Number of further traces and reports, which are files only.
    """

    traces: list[ProfileTrace]
    reports: list[ProfileReport]
    omitted: int

    @classmethod
    def from_json(cls, data: Any) -> Profile:
        """Returns the profile in a response.

        Raises:
            ApiError: A field is missing.
        """
        profile = _from_json(cls, data)
        traces = [_from_json(ProfileTrace, each) for each in profile.traces]
        reports = [_from_json(ProfileReport, each) for each in profile.reports]
        read = [dataclasses.replace(each, summary=_summary(each.summary)) for each in traces]
        return dataclasses.replace(profile, traces=read, reports=reports)


def _summary(data: Any) -> ProfileSummary | None:
    if data is None:
        return None
    summary = _from_json(ProfileSummary, data)
    operations = [_from_json(ProfiledOperation, each) for each in summary.operations]
    return dataclasses.replace(summary, operations=operations)


T = TypeVar("T")


def _from_json(cls: type[T], data: Any) -> T:
    """Returns an instance from the fields of an object, without those that newer servers add."""
    values = {_snake(name): value for name, value in _fields(data).items()}
    names = [each.name for each in dataclasses.fields(cast(Any, cls))]
    for name in names:
        if name not in values:
            raise _invalid(name, cls)
    return cls(**{name: values[name] for name in names})


def _fields(data: object) -> dict[str, Any]:
    """Returns the fields of a JSON object; none for another value."""
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def _invalid(name: str, cls: type[Any]) -> ApiError:
    message = f"the server's response has no {name!r} of {cls.__name__}: client and server have to be of one version"
    return ApiError(message, status=200, code="invalid_response")


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)
