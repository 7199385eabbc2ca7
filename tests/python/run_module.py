"""Runs the tests of one module of unittest for Vitest: `python run_module.py MODULE.py`.

Writes one JSON object per line to file descriptor 3: first `{"tests": [id, ...]}`; then, once standard input has a line with
a JSON list of the tests to run, `{"id", "outcome", "text"}` for each test that ended. `outcome` is passed, failed or
skipped; `id` is `Class.method`, or null for a failed fixture of a class or of the module.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any, Iterator

_results = os.fdopen(3, "w", buffering=1)
# Child processes of tests must not write results.
os.set_inheritable(3, False)


def send(message: dict[str, Any]) -> None:
    _results.write(json.dumps(message) + "\n")


class Report(unittest.TestResult):
    """Sends the outcome of each test when it ends."""

    def __init__(self) -> None:
        super().__init__()
        self._outcome, self._texts = "passed", list[str]()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._outcome, self._texts = "passed", []

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        send({"id": name_of(test), "outcome": self._outcome, "text": "\n".join(self._texts)})

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._fail(self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        if isinstance(test, unittest.TestCase):
            self._fail(self.errors[-1][1])
        else:  # unittest's placeholder for setUpClass, tearDownClass, setUpModule and tearDownModule.
            send({"id": None, "outcome": "failed", "text": f"{test}\n{self.errors[-1][1]}"})

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail(f"{subtest}\n{(self.failures + self.errors)[-1][1]}")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._outcome, self._texts = "skipped", [reason]

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self._fail("passed, and is marked as an expected failure")

    def _fail(self, text: str) -> None:
        self._outcome = "failed"
        self._texts.append(text)


def tests_of(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def name_of(test: unittest.TestCase) -> str:
    return ".".join(test.id().split(".")[-2:])


path = Path(sys.argv[1])
sys.path.insert(0, str(path.parent))
tests = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(path.stem))
send({"tests": [name_of(test) for test in tests_of(tests)]})
selected = set(json.loads(sys.stdin.readline() or "[]"))
unittest.TestSuite(test for test in tests_of(tests) if name_of(test) in selected).run(Report())
