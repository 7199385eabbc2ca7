"""Reward function and environment for the `GRPOTrainer` of TRL.

Example:
    >>> from kernelbot.trl import KernelReward
    >>> rows = [{"prompt": prompt, "problem": "vectoradd", "target": "cpu"}]
    >>> trainer = GRPOTrainer(model=..., train_dataset=Dataset.from_list(rows), reward_funcs=KernelReward())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from kernelbot.client import Client
from kernelbot.code_block import completion_text, is_source, last_code_block
from kernelbot.errors import KernelBotError
from kernelbot.types import EvaluationOptions, EvaluationRequest

if TYPE_CHECKING:
    from typing_extensions import Unpack


class KernelReward:
    """Reward function that judges the last fenced code block of each completion; the completions of a call are one batch.

    The rows of the data set have the columns `problem` and `target`.

    Args:
        client: Client of the server. Default: `Client()`.
        options: Fields of `EvaluationRequest`, such as level and rule.
    """

    def __init__(self, client: Client | None = None, **options: Unpack[EvaluationOptions]) -> None:
        self._client = client or Client()
        self._options = options
        self.__name__ = "kernelbot"

    def __call__(
        self,
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        *,
        problem: Sequence[str],
        target: Sequence[str],
        **columns: object,
    ) -> list[float | None]:
        """Returns the rewards, from 0 to 1: None for a sample that the platform failed to judge, which TRL leaves out, and 0
        for a completion without code.

        Raises:
            ApiError: The server refuses the batch, such as for an unknown problem.
            UnavailableError: The server could not be reached.
        """
        rewards: list[float | None] = [0.0] * len(completions)
        indices: list[int] = []
        requests: list[EvaluationRequest] = []
        for index, completion in enumerate(completions):
            code = last_code_block(completion_text(completion))
            if code is not None:
                indices.append(index)
                requests.append(EvaluationRequest(problem[index], code, target[index], **self._options))
        if requests:
            with self._client.evaluate_batch(requests) as batch:
                for place, evaluation in batch:
                    rewards[indices[place]] = evaluation.reward
        return rewards


class KernelEnvironment:
    """Environment in which the model submits kernels until it stops: `GRPOTrainer(environment_factory=KernelEnvironment)`.

    The rows of the data set have the columns `problem` and `target`. The reward of a rollout is its best one.

    Args:
        client: Client of the server. Default: `Client()`.
        options: Fields of `EvaluationRequest`, such as level and rule.
    """

    def __init__(self, client: Client | None = None, **options: Unpack[EvaluationOptions]) -> None:
        self._client = client or Client()
        self._options = options
        self._problem = self._target = ""
        self._rewards: list[float | None] = []
        self._failure: KernelBotError | None = None

    def reset(self, problem: str, target: str, **columns: object) -> str:
        """Starts a rollout and returns the description of the problem."""
        self._problem, self._target = problem, target
        self._rewards, self._failure = [], None
        return self._client.problem(problem).prompt(target)

    def submit(self, code: str) -> str:
        """Compiles a kernel, tests it and times it.

        Args:
            code: The whole source file.

        Returns:
            The result, and why the kernel failed.
        """
        if not is_source(code):
            self._rewards.append(0.0)
            return "failed: the code is empty or not text"
        try:
            evaluation = self._client.evaluate(self._problem, code, target=self._target, **self._options)
        except KernelBotError as error:
            # TRL shows the message of an exception to the model and continues: the error is raised by get_reward.
            self._failure = error
            return "not judged: the judge is not available"
        self._rewards.append(evaluation.reward)
        return evaluation.feedback or "not judged: submit the kernel again"

    def get_reward(self) -> float | None:
        """Returns the best reward of the rollout, from 0 to 1: 0 if nothing was submitted, and None, which TRL leaves out, if
        the platform failed to judge each submission.

        Raises:
            KernelBotError: The server refused a request, or could not be reached.
        """
        if self._failure is not None:
            raise self._failure
        rewards = [reward for reward in self._rewards if reward is not None]
        if not rewards and self._rewards:
            return None
        return max(rewards, default=0.0)
