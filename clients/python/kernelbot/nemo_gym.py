"""Resources server for NeMo Gym, which forwards `verify` to the judge. Its `app.py`:

Example:
    >>> from kernelbot.nemo_gym import KernelResourcesServer
    >>> if __name__ == "__main__":
    ...     KernelResourcesServer.run_webserver()
"""

# pyright: basic, reportMissingImports=false

from typing import Any, cast

from fastapi.responses import JSONResponse
from nemo_gym.base_resources_server import BaseVerifyRequest, BaseVerifyResponse, SimpleResourcesServer
from pydantic import BaseModel, PrivateAttr

from kernelbot.aio import AsyncClient
from kernelbot.code_block import completion_text, last_code_block
from kernelbot.errors import KernelBotError
from kernelbot.types import EvaluationLevel


class KernelMetadata(BaseModel):
    """Problem and target of a row, and how far and by which rule its reply is judged."""

    problem: str
    target: str
    level: EvaluationLevel = "reward"
    rule: str = "log-gain@1"


class KernelVerifyRequest(BaseVerifyRequest):
    """Row of the data with the response of the model."""

    verifier_metadata: KernelMetadata


class KernelVerifyResponse(BaseVerifyResponse):
    """Row with its reward from 0 to 1, and metrics: whether the code passed, and the lower end of its speedup, 0 without one."""

    verifier_metadata: KernelMetadata
    passed: float
    speedup_low: float


class KernelResourcesServer(SimpleResourcesServer):
    """Judges the last fenced code block of each response."""

    _client: AsyncClient = PrivateAttr(default_factory=AsyncClient)

    async def verify(self, body: KernelVerifyRequest) -> KernelVerifyResponse:
        """Returns the reward; 0 for a response without code. A failure of the platform is reported with `_ng_failure_class`,
        which puts the row into the file of failures, where it can be repeated."""
        row: dict[str, Any] = body.model_dump(mode="json")
        code = last_code_block(completion_text(row["response"]["output"]))
        if code is None:
            return KernelVerifyResponse(**row, reward=0.0, passed=0.0, speedup_low=0.0)
        metadata = body.verifier_metadata
        try:
            evaluation = await self._client.evaluate(
                metadata.problem, code, target=metadata.target, level=metadata.level, rule=metadata.rule
            )
            reward = evaluation.require_reward()
        except KernelBotError as error:
            failure = {"reward": 0.0, "mask_sample": True, "failure_reason": str(error), "_ng_failure_class": "judge_failed"}
            return cast(KernelVerifyResponse, JSONResponse({**row, **failure}))
        return KernelVerifyResponse(
            **row,
            reward=reward,
            passed=float(evaluation.outcome == "passed"),
            speedup_low=0.0 if evaluation.speedup is None else evaluation.speedup.low,
        )
