"""The content of a profile, and a submission's influence on it."""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from support import RIGHT, Event, JudgeTest, job
from kernelbot_tester.stages.profile import calls_within

CASES = [{"size": 1024, "seed": 1}, {"size": 4096, "seed": 2}]
TABLE, TRACE = "profile.0.txt", "profile.0.trace.json.gz"


class ProfileTest(JudgeTest):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def profile(self, source: str, **spec: object) -> list[Event]:
        """Returns the events of a profile run whose artifacts are written to the folder."""
        message = job(source, "profile", **{"benchmarks": CASES, **spec})
        return self.judge({**message, "artifactFolder": str(self.folder)})

    def files(self) -> list[str]:
        """Returns the names of the files in the folder."""
        return sorted(path.name for path in self.folder.iterdir())

    def table(self) -> str:
        """Returns the table of the first case."""
        return (self.folder / TABLE).read_text()


class Profiles(ProfileTest):
    def test_each_benchmark_case_has_a_table_that_names_its_operators_and_a_trace(self) -> None:
        events = self.profile(RIGHT)
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertEqual([TRACE, TABLE, "profile.1.trace.json.gz", "profile.1.txt"], self.files())
        head = r"^profile case 1 \(size: 1024\), 10 calls, [\d.]+ [um]s each by the judge's clock"
        self.assertRegex(self.table(), head)
        self.assertRegex(self.table(), r"self %\s+self CPU\s+total CPU\s+calls\s+operator\n")
        self.assertRegex(self.table(), r"\d+ [um]s\s+10  aten::add\n")
        trace = json.loads(gzip.decompress((self.folder / TRACE).read_bytes()))
        names = [event["name"] for event in (trace["traceEvents"] if isinstance(trace, dict) else trace)]
        self.assertEqual(10, names.count("custom_kernel"), "the call before the profiled ones is not in it")

    def test_events_name_the_files_before_the_case_ends_without_their_content(self) -> None:
        events = self.profile(RIGHT)
        stage = [event for event in events if event.get("stage") == "profile"]
        one_case = ["artifact", "artifact", "case_finished"]
        self.assertEqual(["stage_started", *one_case, *one_case, "stage_finished"], [event["type"] for event in stage])
        artifact = next(event for event in stage if event["type"] == "artifact")
        data = (self.folder / TABLE).read_bytes()
        self.assertEqual(
            {
                "type": "artifact",
                "stage": "profile",
                "name": TABLE,
                "mediaType": "text/plain",
                "sizeBytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            },
            artifact,
        )
        self.assertEqual([{"size": 1024}, {"size": 4096}], [e["case"] for e in stage if e["type"] == "case_finished"])

    def test_a_wrong_kernel_is_profiled_and_its_profile_reports_that_it_is_wrong(self) -> None:
        events = self.profile("def custom_kernel(data):\n    data[2].zero_()\n")
        self.assertEqual(("failed", "wrong_result"), (events[-1]["verdict"], events[-1]["failureClass"]))
        self.assertIn("profile case 1 (size: 1024)", events[-1]["message"])
        self.assertIn("WRONG RESULT: ", self.table())
        self.assertIn("aten::zero_", self.table())
        self.assertIsNone(events[-1]["detail"])
        self.assertEqual(["failed", "failed"], [e["status"] for e in events if e["type"] == "case_finished"])

    def test_a_kernel_that_is_wrong_only_while_it_is_profiled_is_wrong(self) -> None:
        body = "    global n\n    n += 1\n    data[2][:] = data[0] + data[1] * (n != 5)\n"
        source = f"n = 0\ndef custom_kernel(data):\n{body}"
        self.assertEqual("wrong_result", self.profile(source)[-1]["failureClass"])

    def test_a_kernel_that_crashes_has_no_profile_and_the_next_case_does_not_run(self) -> None:
        events = self.profile("def custom_kernel(data):\n    raise ValueError('no')\n")
        self.assertEqual("crash", events[-1]["failureClass"])
        self.assertEqual(["failed", "skipped"], [e["status"] for e in events if e["type"] == "case_finished"])
        self.assertEqual([], self.files())

    def test_a_slow_kernel_is_called_less_often_rather_than_not_profiled(self) -> None:
        limits = {"prepare": 20, "test": 20, "benchmark": 20, "ranked": 20, "profile": 8}
        source = "import time\ndef custom_kernel(data):\n    time.sleep(0.5)\n    data[2][:] = data[0] + data[1]\n"
        events = self.profile(source, timeoutsS=limits, benchmarks=CASES[:1])
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertRegex(self.table(), r"^profile case 1 \(size: 1024\), [1-9] calls?, \d")
        self.assertEqual([10, 5, 1], [calls_within(180, 1e-3), calls_within(8, 0.7), calls_within(1, 9)])

    def test_a_kernel_that_takes_too_long_ends_at_the_limit_of_the_stage(self) -> None:
        limits = {"prepare": 20, "test": 20, "benchmark": 20, "ranked": 20, "profile": 1}
        events = self.profile("import time\ndef custom_kernel(data):\n    time.sleep(9)\n", timeoutsS=limits)
        self.assertEqual("timeout", events[-1]["failureClass"])
        self.assertIn("(limit of the stage profile: 1 s)", events[-1]["message"])

    def test_a_job_without_a_folder_for_artifacts_cannot_be_judged(self) -> None:
        verdict = self.judge(job(RIGHT, "profile"))[-1]
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertEqual("the job names no folder for its artifacts", verdict["message"])


#: A correct kernel that replaces the code that returns its profile.
PATCHED = """
import os, torch
from worker.profiling import Profiling

def hand_over(self, file, folder):
    size = os.fstat(file).st_size
    {body}

Profiling.hand_over = hand_over

def custom_kernel(data):
    torch.add(data[0], data[1], out=data[2])
"""


class Attacks(ProfileTest):
    def handed_over(self, body: str) -> list[Event]:
        """Returns the events of a profile that the submission returns itself."""
        return self.profile(PATCHED.format(body=body.replace("\n", "\n    ")), benchmarks=CASES[:1])

    def test_garbage_is_text_and_commands_no_terminal(self) -> None:
        body = "os.pwrite(file, b'\\x1b[2J\\xff\\x00 mine', 0)\nreturn {'tableBytes': 11, 'traceBytes': 3}"
        self.assertEqual("passed", self.handed_over(body)[-1]["verdict"])
        self.assertIn("\ufffd[2J\ufffd\ufffd mine", self.table())
        self.assertIn("not verified by the judge", self.table())
        self.assertEqual(b"\0\0\0", gzip.decompress((self.folder / TRACE).read_bytes()))

    def test_output_beyond_the_limit_is_truncated(self) -> None:
        body = "os.pwrite(file, b'x' * size, 0)\nreturn {'tableBytes': 1 << 40, 'traceBytes': 1 << 40}"
        self.assertEqual("passed", self.handed_over(body)[-1]["verdict"])
        self.assertEqual([TABLE], self.files())
        self.assertIn("No trace: it is longer than 16 MiB.", self.table())
        self.assertLess(len(self.table()), 70_000)

    def test_the_file_cannot_be_made_larger_or_smaller(self) -> None:
        for size, refusal in ((1, "Operation not permitted"), (1 << 40, "File too large")):
            with self.subTest(size=size):
                events = self.handed_over(f"os.ftruncate(file, {size})\nreturn {{'tableBytes': 0, 'traceBytes': 0}}")
                self.assertEqual("crash", events[-1]["failureClass"])
                self.assertIn(refusal, events[-1]["message"])

    def test_an_invalid_answer_is_refused(self) -> None:
        for answer in ("{'tableBytes': -1, 'traceBytes': 0}", "{'tableBytes': '9', 'traceBytes': 0}", "{}"):
            with self.subTest(answer=answer):
                self.assertEqual("rejected", self.handed_over(f"return {answer}")[-1]["failureClass"])

    def test_a_submission_cannot_name_an_artifact(self) -> None:
        event = {"type": "artifact", "stage": "profile", "name": "../../mine.html", "mediaType": "text/html"}
        line = json.dumps({"id": "x", "event": event})
        body = f"os.write(1, {line!r}.encode())\nreturn {{'tableBytes': 0, 'traceBytes': 0, 'name': 'mine.html'}}"
        names = [event["name"] for event in self.handed_over(body) if event["type"] == "artifact"]
        self.assertEqual([TABLE, TRACE], names)
        self.assertEqual([TRACE, TABLE], self.files())


if __name__ == "__main__":
    unittest.main()
