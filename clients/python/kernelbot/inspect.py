"""Task and scorer for Inspect: `inspect eval kernelbot/inspect.py@kernels -T target=cpu`, or imported from a file of yours.

Example:
    >>> from kernelbot.inspect import kernels
    >>> inspect_ai.eval(kernels(problems=["vectoradd"]), model="mockllm/model")
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from kernelbot._problems import list_problems
from kernelbot.aio import AsyncClient
from kernelbot.client import Client
from kernelbot.code_block import last_code_block
from kernelbot.types import EvaluationLevel, EvaluationPriority


@scorer(metrics=[mean(), stderr()])
def kernel_scorer(
    level: EvaluationLevel = "reward", rule: str = "log-gain@1", priority: EvaluationPriority = "training"
) -> Scorer:
    """Scores the last fenced code block of the reply by its reward, from 0 to 1; 0 without one. A sample that the platform failed
    to judge is unscored, which metrics leave out. The sample's metadata has `problem` and `target`."""
    client = AsyncClient()

    async def score(state: TaskState, target: Target) -> Score:
        code = last_code_block(state.output.completion)
        if code is None:
            return Score(value=0.0, explanation="The reply has no fenced code block.")
        evaluation = await client.evaluate(
            state.metadata["problem"],
            code,
            target=state.metadata["target"],
            level=level,
            rule=rule,
            priority=priority,
        )
        speedup = evaluation.speedup
        metadata = {
            "evaluation": evaluation.id,
            "outcome": evaluation.outcome,
            "passed": evaluation.passed,
            "total": evaluation.total,
            "speedup": None if speedup is None else [speedup.low, speedup.mid, speedup.high],
        }
        explanation = evaluation.feedback or f"The evaluation is {evaluation.state}."
        if evaluation.reward is None:
            return Score.unscored(answer=code, explanation=explanation, metadata=metadata)
        return Score(value=evaluation.reward, answer=code, explanation=explanation, metadata=metadata)

    return score


@task
def kernels(
    target: str = "cpu",
    problems: Sequence[str] | str | None = None,
    level: EvaluationLevel = "reward",
    rule: str = "log-gain@1",
) -> Task:
    """Returns a task with one sample for each problem.

    Args:
        target: Hardware that judges.
        problems: Names of problems, or one text with commas; all that have the target by default.
        level: How far to judge.
        rule: Reward rule.
    """
    samples = [
        Sample(input=problem.prompt(target), id=problem.name, metadata={"problem": problem.name, "target": target})
        for problem in list_problems(Client(), target, problems)
    ]
    return Task(dataset=samples, solver=generate(), scorer=kernel_scorer(level=level, rule=rule))
