"""Client of a KernelBot server: evaluates kernels with the judge of the competitions, and returns rewards for training.

Example:
    >>> from kernelbot import Client
    >>> client = Client("https://kernels.example.org", "kb_...")
    >>> evaluation = client.evaluate("vectoradd", code, target="cpu")
    >>> evaluation.outcome, evaluation.reward
    ('passed', 0.3)

`evaluation.reward` is None, not 0, if the platform failed to judge the code. Leave such a sample out.
The package uses the standard library only. `kernelbot.trl`, `kernelbot.verifiers`, `kernelbot.inspect` and
`kernelbot.nemo_gym` connect it to training and evaluation frameworks; each imports its framework.
"""

from kernelbot._version import __version__
from kernelbot.aio import AsyncBatch, AsyncClient
from kernelbot.batch import Batch
from kernelbot.client import Client
from kernelbot.code_block import completion_text, last_code_block
from kernelbot.errors import ApiError, KernelBotError, UnavailableError
from kernelbot.session import AsyncSession, Session
from kernelbot.types import (
    Evaluation,
    EvaluationError,
    EvaluationLevel,
    EvaluationOptions,
    EvaluationOutcome,
    EvaluationPriority,
    EvaluationRequest,
    EvaluationSession,
    EvaluationState,
    EvaluationTimeoutError,
    EvaluationVersions,
    Language,
    NoRewardError,
    Problem,
    ProblemSummary,
    Profile,
    ProfiledOperation,
    ProfileReport,
    ProfileSummary,
    ProfileTrace,
    SessionBudget,
    SpeedupInterval,
    UploadedProblem,
)

__all__ = [
    "ApiError",
    "AsyncBatch",
    "AsyncClient",
    "AsyncSession",
    "Batch",
    "Client",
    "Evaluation",
    "EvaluationError",
    "EvaluationLevel",
    "EvaluationOptions",
    "EvaluationOutcome",
    "EvaluationPriority",
    "EvaluationRequest",
    "EvaluationSession",
    "EvaluationState",
    "EvaluationTimeoutError",
    "EvaluationVersions",
    "KernelBotError",
    "Language",
    "NoRewardError",
    "Problem",
    "ProblemSummary",
    "Profile",
    "ProfileReport",
    "ProfileSummary",
    "ProfileTrace",
    "ProfiledOperation",
    "Session",
    "SessionBudget",
    "SpeedupInterval",
    "UnavailableError",
    "UploadedProblem",
    "__version__",
    "completion_text",
    "last_code_block",
]
