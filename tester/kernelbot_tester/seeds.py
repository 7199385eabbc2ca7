"""The seeds of one run's secret inputs, all derived from one secret that the server gives and has committed to.

So neither this machine nor the submission has a say in them, and who is told the secret when the board is closed can make
every input again:

    RunSeed("00ff...").of_call("ranked", index=0, call=17)
"""

from __future__ import annotations

import hmac
import itertools
import secrets
from typing import Iterator

from .failures import NotJudged


class RunSeed:
    """A secret of 256 bits, 64 hexadecimal digits; drawn here where nobody gives one."""

    def __init__(self, digits: str | None = None) -> None:
        try:
            self._key = secrets.token_bytes(32) if digits is None else bytes.fromhex(digits)
        except (TypeError, ValueError):
            self._key = b""
        if len(self._key) != 32:
            raise NotJudged("the job's seed is not one of 64 hexadecimal digits")

    def of_call(self, stage: str, index: int, call: int) -> int:
        """The seed of a call of a case, both counted from 0: 63 bits, since some generators take no 64th."""
        return self._number(f"call/{stage}/{index}/{call}") >> 1

    def of_calls(self, stage: str, index: int) -> Iterator[int]:
        """The seeds of a case's calls, in order; those that only warm up, or are asked for again, count too."""
        return (self.of_call(stage, index, call) for call in itertools.count())

    def of_harness(self, stage: str) -> int:
        """What a harness of the problem's own mixes into its seeds, which have 63 bits: from 1 to 2^31 - 1."""
        return 1 + self._number(f"harness/{stage}") % (2**31 - 1)

    def _number(self, what: str) -> int:
        digest = hmac.digest(self._key, f"kernelbot.seed/1:{what}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big")
