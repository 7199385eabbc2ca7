"""Programs that run problems' code outside of a judge are confined as a whole: the workshop, and the inspection of
suites."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import ADDITION, TESTER, job

#: Reports what the code can access by an error.
REACH = """
import os, socket

def connected():
    try:
        return bool(socket.create_connection(("127.0.0.1", 9), 1))
    except ConnectionRefusedError:
        return "refused"
    except OSError as error:
        return type(error).__name__

def written(path):
    try:
        open(path, "w").close()
        return True
    except OSError:
        return False

raise ValueError("FOUND " + repr([
    os.path.exists(SECRET), "A_SECRET" in os.environ, os.getuid() != 0 or OWNER == 0, written("/usr/x"),
    len([name for name in os.listdir("/proc") if name.isdigit()]) < 10, connected(),
]))
"""
#: No file, no variable, not root, nothing written, few processes; it has its own loopback interface without any
#: listener.
NOTHING = "[False, False, True, False, True, 'refused']"


class ConfinedPrograms(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=Path.home())
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "token").write_text("kb_secret")
        self.reach = f"SECRET, OWNER = {str(self.folder / 'token')!r}, {1 if os.getuid() == 0 else 0}\n{REACH}"

    def run_module(self, *arguments: str, request: str = "") -> subprocess.CompletedProcess[str]:
        """Returns the result of a module of the package, run with a secret in its environment."""
        return subprocess.run(
            [sys.executable, "-B", "-m", *arguments],
            cwd=TESTER,
            env={**os.environ, "A_SECRET": "secret"},
            input=request,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def test_the_problem_check_shows_a_problem_nothing_of_the_machine(self) -> None:
        requests = [
            {"problem": job("", reference=reference)["problem"], "target": "cpu"}
            for reference in (ADDITION + self.reach, ADDITION)
        ]
        text = "".join(f"{json.dumps(one)}\n" for one in requests)
        reported = self.run_module("kernelbot_tester.problem_check", request=text).stdout.splitlines()
        hostile, honest = (json.loads(line) for line in reported)
        self.assertIn(f"FOUND {NOTHING}", hostile["findings"][0]["what"])
        self.assertEqual([], honest["findings"])

    def test_the_inspection_of_a_suite_shows_a_model_nothing_of_the_machine(self) -> None:
        level = self.folder / "KernelBench" / "level1"
        level.mkdir(parents=True)
        (level / "1_Tell.py").write_text(self.reach)
        (level / "2_Relu.py").write_text(RELU)
        out = self.folder / "suite.json"
        ended = self.run_module("kernelbot_tester.kernelbench", "inspect", str(self.folder), "--out", str(out))
        self.assertIn(f"did not run  1/1 1_Tell.py: ValueError: FOUND {NOTHING}", ended.stderr)
        suite: Any = json.loads(out.read_text())
        self.assertEqual(["1_Tell.py", "2_Relu.py"], [one["fileName"] for one in suite["problems"]])


RELU = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(100)]

def get_init_inputs():
    return []
"""


if __name__ == "__main__":
    unittest.main()
