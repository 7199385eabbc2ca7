"""Taskset for verifiers, version 1: `uv run eval kernelbot.verifiers --env.taskset.target cpu -n 5`.

Environments of version 0 (`load_environment`) are not supported: they turn an exception of a reward function into a reward
of 0, and so cannot leave out a sample that the platform failed to judge.
"""

# pyright: basic, reportMissingImports=false

from typing import Iterator

import verifiers.v1 as vf

from kernelbot._problems import list_problems
from kernelbot.aio import AsyncClient
from kernelbot.client import Client
from kernelbot.code_block import last_code_block
from kernelbot.types import EvaluationLevel

__all__ = ["KernelTaskset"]

_clients: list[AsyncClient] = []


class KernelData(vf.TaskData):
    """Problem and target of a task, and how far and by which rule its reply is judged."""

    problem: str
    target: str
    level: EvaluationLevel
    rule: str


class KernelTask(vf.Task[KernelData]):
    """Task to write a kernel, which is the last fenced code block of the reply."""

    @vf.reward(weight=1.0)
    async def kernel_reward(self, trace: vf.Trace) -> float:
        """Returns the reward, from 0 to 1; 0 for a reply without code.

        Raises:
            NoRewardError: The platform failed to judge, so the rollout has no reward; `--resume` repeats it.
        """
        code = last_code_block(trace.last_reply or "")
        if code is None:
            return 0.0
        data = self.data
        evaluation = await _client().evaluate(
            data.problem, code, target=data.target, level=data.level, rule=data.rule
        )
        if evaluation.speedup is not None:
            trace.record_metrics({"speedup_low": evaluation.speedup.low, "speedup": evaluation.speedup.mid})
        return evaluation.require_reward()


class KernelTasksetConfig(vf.TasksetConfig):
    """Target, names of problems (all that have the target by default), how far to judge, and reward rule."""

    target: str = "cpu"
    problems: list[str] = []
    level: EvaluationLevel = "reward"
    rule: str = "log-gain@1"


class KernelTaskset(vf.Taskset[KernelTask, KernelTasksetConfig]):
    """Tasks of a server's problems."""

    def load(self) -> Iterator[KernelTask]:
        """Yields a task for each problem."""
        config = self.config
        for index, problem in enumerate(list_problems(Client(), config.target, config.problems)):
            data = KernelData(
                idx=index,
                name=problem.name,
                prompt=problem.prompt(config.target),
                problem=problem.name,
                target=config.target,
                level=config.level,
                rule=config.rule,
            )
            yield KernelTask(data, config.task)


def _client() -> AsyncClient:
    """Returns the client of this process."""
    if not _clients:
        _clients.append(AsyncClient())
    return _clients[0]
