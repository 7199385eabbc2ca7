"""Options of `python3 -m kernelbot_tester.kernelbench inspect`."""

from __future__ import annotations

import argparse

from ..messages import Precision, SuiteProfile


class InspectOptions(argparse.Namespace):
    """Parsed options; the parser in `__main__.py` describes them."""

    folder: str
    out: str
    name: str
    origin: str | None
    target: list[str] | None
    smoke: bool
    precision: Precision
    jobs: int
    only: list[str]
    unsafe_no_sandbox: bool

    @property
    def profile(self) -> SuiteProfile:
        """Profile of the suite."""
        return "smoke" if self.smoke else "full"
