"""A harness in CUDA C++ is compiled in its cell together with the submission, and then run like any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PATIENT, JudgeTest, job

from kernelbot_tester.messages import HarnessBuild
from kernelbot_tester.stages.legacy_build import FOLDERS, MAIN, NOT_COMPILED, NO_COMPILER, ORDER, build_files

BUILD: HarnessBuild = {"sources": ["eval.cu", "submission.cu"], "includeDirs": [], "defines": ["ANSWER=42"], "flags": []}
HARNESS = """
#include <cstdlib>
#include <string>
#include <unistd.h>
int answer();
int main(int count, char **arguments) {
    std::string said = std::string(arguments[1]) + " " + (answer() == ANSWER ? "pass" : "fail");
    write(std::atoi(std::getenv("POPCORN_FD")), said.data(), said.size());
}
"""
#: Replaces nvcc: a compiler for the processor that ignores nvcc's options.
FAKE_NVCC = """#!/bin/sh
for one; do shift; case "$one" in -arch=*|--expt-*) ;; *) set -- "$@" "$one" ;; esac; done
exec /usr/bin/g++ -x c++ "$@"
"""


@unittest.skipUnless(shutil.which("g++", path="/usr/bin"), "needs g++")
class Compiles(unittest.TestCase):
    """The program that a cell runs, outside of a cell and with a compiler that replaces nvcc."""

    def run_in(self, folder: Path, submission: str, only: bool, compiler: bool = True) -> tuple[int, str, str]:
        """Returns the exit code, the report and the printed output."""
        if compiler:
            (folder / "nvcc").write_text(FAKE_NVCC)
            (folder / "nvcc").chmod(0o755)
        files = {**build_files(BUILD, None, only), "eval.cu": HARNESS, "submission.cu": submission}
        order = {**json.loads(files[ORDER]), "folders": f"{folder}:/usr/bin:/bin" if compiler else "/nowhere", "out": str(folder)}
        for name, text in {**files, ORDER: json.dumps(order)}.items():
            (folder / name).write_text(text)
        reads, writes = os.pipe()
        ran = subprocess.run(
            [sys.executable, MAIN, "leaderboard", "cases"],
            cwd=folder,
            pass_fds=[writes],
            env={"POPCORN_FD": str(writes), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        os.close(writes)
        with os.fdopen(reads) as report:
            return ran.returncode, report.read(), ran.stdout

    def test_it_compiles_the_sources_with_their_macros_and_becomes_the_program(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code, report, _ = self.run_in(Path(folder), "int answer() { return 42; }\n", only=False)
        self.assertEqual((0, "leaderboard pass"), (code, report))

    def test_it_only_compiles_where_nothing_else_is_requested(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code, report, _ = self.run_in(Path(folder), "int answer() { return 42; }\n", only=True)
        self.assertEqual((0, "check: pass"), (code, report))

    def test_a_compile_error_is_reported_with_its_first_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code, report, printed = self.run_in(Path(folder), "int answer() { return forty_two; }\n", only=True)
        self.assertEqual(NOT_COMPILED, code)
        self.assertRegex(report, r"^error: submission\.cu:1:.*forty_two")
        self.assertIn("forty_two", printed)

    def test_without_a_compiler_its_exit_code_reports_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code, report, _ = self.run_in(Path(folder), "", only=True, compiler=False)
        self.assertEqual((NO_COMPILER, ""), (code, report))


#: Reports both tests of the job; the second passes if the submission returns ANSWER.
REPORTING = """
#include <cstdlib>
#include <string>
#include <unistd.h>
int answer();
int main(int count, char **arguments) {
    std::string status = answer() == ANSWER ? "pass" : "fail";
    std::string said = "test.0.status: pass\\ntest.1.status: " + status + "\\ncheck: " + status + "\\n";
    write(std::atoi(std::getenv("POPCORN_FD")), said.data(), said.size());
    return status == "pass" ? 0 : 112;
}
"""
HAS_NVCC = shutil.which("nvcc", path=FOLDERS) is not None


class JudgedRuns(JudgeTest):
    """The same in a cell."""

    def judged(self, submission: str, harness: str = REPORTING, starter: str = "int answer() { return 0; }\n") -> dict:
        """Returns the verdict on a submission."""
        spec = {"main": None, "submissionName": "submission.cu", "build": BUILD, "templates": {"CUDA": starter}}
        message = job(submission, "test", harness="legacy", timeoutsS=PATIENT, **spec)
        message["problem"]["files"] = {"eval.cu": harness}
        return self.judge(message)[-1]

    @unittest.skipUnless(HAS_NVCC, "nvcc is not installed")
    def test_a_harness_in_cuda_is_compiled_and_judges(self) -> None:
        verdict = self.judged("int answer() { return 42; }\n")
        self.assertEqual("passed", verdict["verdict"], verdict)

    @unittest.skipUnless(HAS_NVCC, "nvcc is not installed")
    def test_a_submission_that_does_not_compile_gets_the_reason(self) -> None:
        verdict = self.judged("int answer() { return forty_two; }\n")
        self.assertEqual("compile_error", verdict["failureClass"], verdict)
        self.assertIn("forty_two", verdict["message"])

    @unittest.skipUnless(HAS_NVCC, "nvcc is not installed")
    def test_a_submission_that_ends_its_harness_with_an_exit_code_of_the_protocol_has_crashed(self) -> None:
        ending = "#include <unistd.h>\nstatic int ended = (_exit(111), 0);\nint answer() { return ended; }\n"
        verdict = self.judged(ending)
        self.assertEqual("crash", verdict["failureClass"], verdict)
        self.assertIn("the submission ended the harness before its report", verdict["message"])

    @unittest.skipUnless(HAS_NVCC, "nvcc is not installed")
    def test_a_harness_that_cannot_run_with_the_starter_either_is_not_judged(self) -> None:
        harness = "int answer();\nint main() { return answer() == ANSWER ? 111 : 111; }\n"
        for starter in ("int answer() { return 0; }\n", "not C++"):
            verdict = self.judged("int answer() { return 42; }\n", harness, starter)
            self.assertEqual("infra_error", verdict["verdict"], verdict)
            self.assertIn("the pipe of its report", verdict["message"])

    @unittest.skipIf(HAS_NVCC, "there is nvcc")
    def test_without_a_compiler_the_run_is_not_judged(self) -> None:
        verdict = self.judged("int answer();\n")
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertEqual("this machine has no nvcc, which compiles the problem's harness", verdict["message"])


if __name__ == "__main__":
    unittest.main()
