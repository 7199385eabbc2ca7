"""Runs the tests of one unittest module and reports their outcomes over a connection.

Writes one JSON object per line: first `{"tests": [id, ...]}`; then, once it has read a JSON list of the tests to run, `{"id",
"outcome", "text"}` for each test that ended. `outcome` is passed, failed or skipped; `id` is `Class.method`, or null for a
failed fixture of a class or of the module. Where KERNELBOT_TEST_RETRIES is set, tests that failed are repeated once at the
end; the text of one that passes then is its failure.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
import unittest
from pathlib import Path
from typing import Any, Iterator, TextIO


class Report(unittest.TestResult):
    """Sends the outcome of each test when it ends; not of those that failed, where they are to be repeated.

    `before`: how tests failed that are run again."""

    def __init__(self, results: TextIO, repeats: bool = False, before: dict[str, str] | None = None) -> None:
        super().__init__()
        self._results, self._repeats, self._before = results, repeats, before or {}
        #: Failures by the name of the test, where they are to be repeated.
        self.held: dict[str, str] = {}
        self._outcome, self._texts = "passed", list[str]()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._outcome, self._texts = "passed", []

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        name, text = name_of(test), "\n".join(self._texts)
        if self._outcome == "failed" and self._repeats:
            self.held[name] = text
        else:
            self._send(name, self._outcome, text or self._before.get(name, ""))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._fail(self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        if isinstance(test, unittest.TestCase):
            self._fail(self.errors[-1][1])
        else:  # unittest's placeholder for setUpClass, tearDownClass, setUpModule and tearDownModule.
            self._send(None, "failed", f"{test}\n{self.errors[-1][1]}")

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

    def _send(self, test: str | None, outcome: str, text: str) -> None:
        send(self._results, {"id": test, "outcome": outcome, "text": text})


def send(results: TextIO, message: dict[str, Any]) -> None:
    results.write(json.dumps(message) + "\n")
    results.flush()


def tests_of(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def name_of(test: unittest.TestCase) -> str:
    return ".".join(test.id().split(".")[-2:])


def run_module(path: Path, connection: socket.socket) -> bool:
    """Runs the tests that the connection selects. Returns whether all passed."""
    sys.path.insert(0, str(path.parent))
    module = importlib.import_module(path.stem)
    tests = unittest.defaultTestLoader.loadTestsFromModule(module)
    with connection.makefile("rw") as stream:
        send(stream, {"tests": [name_of(test) for test in tests_of(tests)]})
        selected = set(json.loads(stream.readline() or "[]"))
        report = Report(stream, repeats=os.environ.get("KERNELBOT_TEST_RETRIES", "0") != "0")
        unittest.TestSuite(test for test in tests_of(tests) if name_of(test) in selected).run(report)
        if report.held:
            again = unittest.defaultTestLoader.loadTestsFromModule(module)
            failed = unittest.TestSuite(test for test in tests_of(again) if name_of(test) in report.held)
            failed.run(Report(stream, before=report.held))
    return report.wasSuccessful()
