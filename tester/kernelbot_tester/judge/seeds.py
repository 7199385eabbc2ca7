"""Derives the seeds of a run's secret inputs from one secret, which the server supplies and has committed to.

Neither this machine nor the submission influences them, and after the board has closed, anyone who knows the secret
can regenerate every input:

    RunSeed("00ff...").of_call("ranked", index=0, call=17)
"""

from __future__ import annotations

import hmac
import secrets
from typing import Callable, Iterator

from ..failures import NotJudged


class RunSeed:
    """A secret of 256 bits, given as 64 hexadecimal digits; drawn at random where `digits` is None."""

    def __init__(self, digits: str | None = None) -> None:
        try:
            self._key = secrets.token_bytes(32) if digits is None else bytes.fromhex(digits)
        except (TypeError, ValueError):
            self._key = b""
        if len(self._key) != 32:
            raise NotJudged("the job's seed is not one of 64 hexadecimal digits")

    def of_call(self, stage: str, index: int, call: int) -> int:
        """Returns the seed of a call of a case, both counted from 0. It has 63 bits, since some generators do not
        accept 64."""
        return self._number(f"call/{stage}/{index}/{call}") >> 1

    def of_calls(self, stage: str, index: int) -> "CallSeeds":
        """Returns the seeds of a case's calls, in order; warm-up calls and repeated calls count too."""
        return CallSeeds(lambda call: self.of_call(stage, index, call))

    def of_orders(self, stage: str, index: int) -> int:
        """Returns the seed of the orders in which the kernels are called in each turn of a case."""
        return self._number(f"orders/{stage}/{index}")

    def of_harness(self, stage: str) -> int:
        """Returns the number that a legacy harness mixes into its seeds, from 1 to 2^31 - 1."""
        return 1 + self._number(f"harness/{stage}") % (2**31 - 1)

    def _number(self, what: str) -> int:
        digest = hmac.digest(self._key, f"kernelbot.seed/1:{what}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big")


class CallSeeds(Iterator[int]):
    """Seeds of calls, in order. `of_call`: the seed of a call, counted from 0."""

    def __init__(self, of_call: Callable[[int], int]) -> None:
        self._of_call = of_call
        self._calls = 0

    def __next__(self) -> int:
        seed = self.following()
        self._calls += 1
        return seed

    def following(self) -> int:
        """Returns the seed that comes next."""
        return self._of_call(self._calls)
