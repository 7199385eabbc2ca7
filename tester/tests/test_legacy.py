"""A problem's own harness runs unchanged in a cell, and its report is read as untrusted text."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import PATIENT, JudgeTest, TesterProcess, descendants, job, name_of, shared_tester, wait_until_gone

FOLDER = Path(__file__).parent / "legacy_problem"
HARNESS = {name: (FOLDER / name).read_text() for name in ("eval.py", "reference.py")}
RIGHT = "def custom_kernel(data):\n    return [2 * value for value in data]\n"
WRONG = "def custom_kernel(data):\n    return data\n"


def legacy(source: str, mode: str = "test", main: str | None = None, **spec) -> dict:
    """Returns a job of the legacy problem; `main` replaces its harness."""
    message = job(source, mode, harness="legacy", main="eval.py", submissionName="submission.py", **spec)
    message["problem"]["files"] = {**HARNESS, **({} if main is None else {"eval.py": main})}
    return message


def says(text: str, code: int = 0) -> str:
    """Returns a harness that reports this text and ends with this exit code."""
    return (
        "import os, sys\n"
        f"data = {text!r}.encode('utf-8', 'surrogateescape')\n"
        "while data: data = data[os.write(int(os.environ['POPCORN_FD']), data):]\n"
        f"sys.exit({code})\n"
    )


def of(events: list[dict], kind: str, stage: str) -> list[dict]:
    """Returns the events of a type in a stage."""
    return [event for event in events if event["type"] == kind and event["stage"] == stage]


class Runs(JudgeTest):
    """The protocol, in both directions."""

    def test_a_correct_submission_passes_its_tests(self) -> None:
        events = self.judge(legacy(RIGHT))
        self.assertEqual("passed", events[-1]["verdict"], events)
        self.assertEqual(["passed", "passed"], [each["status"] for each in of(events, "case_finished", "test")])

    def test_a_ranked_run_has_tests_and_then_the_times_of_the_harness(self) -> None:
        events = self.judge(legacy(RIGHT, "ranked"))
        self.assertEqual("passed", events[-1]["verdict"], events)
        (case,) = of(events, "case_finished", "ranked")
        self.assertEqual({"size": 1024}, case["case"])
        self.assertEqual(5, case["summary"]["runs"])
        self.assertLessEqual(case["summary"]["bestNs"], case["summary"]["meanNs"])
        self.assertEqual([], case["rounds"])

    def test_an_evaluation_compiles_only_or_has_tests_and_then_the_times_of_a_benchmark(self) -> None:
        compiled = self.judge(legacy(RIGHT, "compile"))
        self.assertEqual("passed", compiled[-1]["verdict"], compiled)
        self.assertEqual(["prepare"], [each["stage"] for each in compiled if each["type"] == "stage_finished"])
        events = self.judge(legacy(RIGHT, "reward"))
        self.assertEqual("passed", events[-1]["verdict"], events)
        finished = [each["stage"] for each in events if each["type"] == "stage_finished"]
        self.assertEqual(["prepare", "test", "benchmark"], finished)

    def test_a_profile_of_a_harness_is_refused_with_a_message(self) -> None:
        (verdict,) = self.judge(legacy(RIGHT, "profile"))
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertEqual("a problem with a harness of its own has no mode profile", verdict["message"])

    def test_timed_stages_have_inputs_that_the_seeds_of_the_problem_do_not_give(self) -> None:
        source = f"""
import random
def custom_kernel(data):
    known = random.Random(54352)
    assert data != [known.randrange(1000) for _ in data], "known"
    return [2 * value for value in data]
"""
        self.assertEqual("passed", self.judge(legacy(source, "benchmark"))[-1]["verdict"])

    def test_a_message_of_many_lines_is_one_message(self) -> None:
        events = self.judge(legacy(WRONG))
        self.assertEqual(("failed", "wrong_result"), (events[-1]["verdict"], events[-1]["failureClass"]))
        self.assertRegex(of(events, "case_finished", "test")[0]["message"], r"mismatch found!\n  got:\n\[\d+, ")

    def test_a_report_longer_than_a_pipe_holds_is_read_while_it_is_written(self) -> None:
        text = "test.0.status: fail\ntest.0.error: " + "long line\n" * 100_000 + "test.1.status: pass\ncheck: fail\n"
        events = self.judge(legacy(RIGHT, main=says(text, 112)))
        self.assertEqual("wrong_result", events[-1]["failureClass"])
        self.assertEqual(["failed", "passed"], [each["status"] for each in of(events, "case_finished", "test")])

    def test_a_report_without_end_is_stopped(self) -> None:
        main = "import os\nwhile True: os.write(int(os.environ['POPCORN_FD']), b'x' * 65536)\n"
        self.refuse(legacy(RIGHT, main=main), "rejected", "reported more than 16 MiB")

    def test_what_was_reported_before_a_hang_counts(self) -> None:
        source = "def custom_kernel(data):\n    while len(data) == 1000: pass\n    return [2 * value for value in data]\n"
        message = legacy(source, timeoutsS={"prepare": 20, "test": 8, "benchmark": 30, "ranked": 30})
        events = self.judge(message)
        self.assertEqual("timeout", events[-1]["failureClass"])
        self.assertIn("test case 2 (size: 1000", events[-1]["message"])
        self.assertIn("(limit of the stage test: 8 s)", events[-1]["message"])
        self.assertEqual(["passed", "skipped"], [each["status"] for each in of(events, "case_finished", "test")])

    def test_a_harness_that_waits_for_busy_cores_may_take_longer_than_its_limit(self) -> None:
        source = """
import time
end = time.monotonic() + 9
while time.monotonic() < end:
    pass
""" + RIGHT
        # With two busy processes for each core, the harness waits more than half of the time. The kernel shares cores
        # between sessions (autogroup in sched(7)), so each has its own.
        with contextlib.ExitStack() as busy:
            for _ in range(2 * len(os.sched_getaffinity(0))):
                process = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
                busy.callback(process.wait)
                busy.callback(process.kill)
            events = self.judge(legacy(source, timeoutsS={**PATIENT, "test": 7}))
        self.assertEqual("passed", events[-1]["verdict"], events)

    def test_only_the_cases_of_the_target_are_passed_to_the_harness_in_its_grammar(self) -> None:
        main = "import sys\nsys.exit(repr(open(sys.argv[2]).read()))\n"
        case = {"n": -3, "flag": True, "kind": "dense", "m": [1, 2], "seed": 1}
        events = self.judge(legacy(RIGHT, main=main, targets={"cpu": {"tests": [case]}}))
        self.assertIn(r"'n: -3; flag: True; kind: dense; m: [1, 2]; seed: 1\n'", events[-1]["message"])


class ReportFormats(JudgeTest):
    """Differences in the reports of older competitions' harnesses."""

    TWO = [{"size": 8, "seed": 1}, {"size": 16, "seed": 2}]
    LAST_ONLY = (FOLDER / "last_only.py").read_text()

    def timed(self, source: str, mode: str = "benchmark", **spec) -> list[dict]:
        return self.judge(legacy(source, mode, main=self.LAST_ONLY, **spec))

    def test_a_harness_without_best_and_worst_passes_and_these_times_are_absent(self) -> None:
        events = self.timed(RIGHT)
        self.assertEqual("passed", events[-1]["verdict"], events)
        (case,) = of(events, "case_finished", "benchmark")
        self.assertEqual((4, None, None), tuple(case["summary"][key] for key in ("runs", "bestNs", "worstNs")))
        self.assertGreater(case["summary"]["meanNs"], 0)

    def test_a_harness_that_times_the_last_case_only_passes_with_that_case(self) -> None:
        events = self.timed(RIGHT, benchmarks=self.TWO)
        self.assertEqual("passed", events[-1]["verdict"], events)
        self.assertIn("timed 1 of the 2 cases", events[-1]["message"])
        first, last = of(events, "case_finished", "benchmark")
        self.assertEqual(("skipped", None), (first["status"], first["summary"]))
        self.assertEqual(("passed", 16, 4), (last["status"], last["case"]["size"], last["summary"]["runs"]))

    def test_a_wrong_result_in_a_timed_stage_has_the_message_of_the_harness(self) -> None:
        for cases in (self.TWO[1:], self.TWO):
            with self.subTest(cases=len(cases)):
                events = self.timed(WRONG, benchmarks=cases)
                self.assertEqual(("failed", "wrong_result"), (events[-1]["verdict"], events[-1]["failureClass"]))
                self.assertIn(f"benchmark case {len(cases)} (size: 16): mismatch found!", events[-1]["message"])
                *skipped, failed = of(events, "case_finished", "benchmark")
                self.assertIn("mismatch found!", failed["message"])
                self.assertEqual(["skipped"] * len(skipped), [each["status"] for each in skipped])

    def test_a_failed_case_that_the_case_file_does_not_have_is_a_wrong_result(self) -> None:
        text = "test.7.status: fail\ntest.7.error: seven is odd\n"
        for mode in ("test", "benchmark"):
            self.refuse(legacy(RIGHT, mode, main=says(text)), "wrong_result", "test.7: seven is odd")

    def test_an_error_without_a_status_is_a_failed_case(self) -> None:
        self.refuse(legacy(RIGHT, main=says("test.1.error: it differs\n", 1)), "wrong_result", "it differs")

    def test_the_cases_that_a_harness_times_are_those_that_it_names(self) -> None:
        named = "benchmark-count: 1\nbenchmark.0.spec: size: 8; seed: 1\nbenchmark.0.mean: 5\ncheck: pass\n"
        events = self.judge(legacy(RIGHT, "benchmark", main=says(named), benchmarks=self.TWO))
        statuses = [each["status"] for each in of(events, "case_finished", "benchmark")]
        self.assertEqual(["passed", "skipped"], statuses, events)
        for spec in ("size: 9; seed: 1", "size: 8"):
            text = named.replace("size: 8; seed: 1", spec)
            self.refuse(legacy(RIGHT, "benchmark", main=says(text), benchmarks=self.TWO), "rejected", "one more of its cases")

    def test_fewer_cases_than_a_harness_states_are_not_a_success(self) -> None:
        text = "benchmark-count: 2\nbenchmark.1.mean: 5\ncheck: pass\n"
        self.refuse(legacy(RIGHT, "benchmark", main=says(text), benchmarks=self.TWO), "rejected", "1 of 2 cases")
        text = "test-count: 1\ntest.0.status: pass\ncheck: pass\n"
        self.refuse(legacy(RIGHT, main=says(text)), "rejected", "1 of 2 cases")


class SeveralDevices(JudgeTest):
    """Harnesses of problems for several devices: they start the ranks themselves."""

    #: Two processes connect through an address of the machine, as ranks do, and one prints the received data.
    MEETING = """
import multiprocessing, os, socket

def rank(number, port, results):
    if number == 0:
        with socket.create_connection(("127.0.0.1", port), 10) as there:
            there.sendall(b"met")
    results.put(number)

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 12356))
    results = multiprocessing.Queue()
    ranks = [multiprocessing.Process(target=rank, args=(n, 12356, results)) for n in range(int(os.environ["POPCORN_GPUS"]))]
    for one in ranks: one.start()
    answer = listener.accept()[0].recv(3).decode()
    numbers = sorted(results.get() for _ in ranks)
    for one in ranks: one.join()
    os.write(int(os.environ["POPCORN_FD"]), f"test.0.status: fail\\ntest.0.error: {answer} {numbers}\\ncheck: fail\\n".encode())
"""

    def test_the_harness_gets_the_number_of_devices_and_its_processes_communicate(self) -> None:
        cases = {"tests": [{"world_size": 3, "seed": 1}]}
        events = self.judge(legacy(RIGHT, main=self.MEETING, targets={"cpu": cases}, worldSize=3))
        self.assertIn("met [0, 1, 2]", events[-1]["message"])

    def test_a_problem_for_one_device_gets_no_number_of_devices(self) -> None:
        main = "import os, sys\nsys.exit(repr(os.environ.get('POPCORN_GPUS')))\n"
        self.assertIn("None", self.judge(legacy(RIGHT, main=main))[-1]["message"])


class Shutdown(JudgeTest):
    """Possible ends of a harness."""

    def test_a_syntax_error_is_found_before_the_harness_runs(self) -> None:
        events = self.judge(legacy("def custom_kernel(data)\n"))
        self.assertEqual("compile_error", events[-1]["failureClass"])
        self.assertIn("submission.py, line 1", events[-1]["message"])
        self.assertEqual([], of(events, "stage_started", "test"))

    def test_no_line_of_the_submission_runs_before_the_harness(self) -> None:
        events = self.judge(legacy("print('I ran')\n", main="import sys\nsys.exit('the harness')\n"))
        self.assertEqual(["test"], [event["stage"] for event in events if event["type"] == "output"])
        self.assertNotIn("I ran", str(events))

    def test_an_exit_code_of_the_protocol_determines_the_failure_class(self) -> None:
        for code, words in ((2, "its arguments"), (111, "the pipe"), (113, "the cases")):
            verdict = self.judge(legacy(RIGHT, main=says("", code)))[-1]
            self.assertEqual("infra_error", verdict["verdict"])
            self.assertIn(words, verdict["message"])
        self.refuse(legacy(RIGHT, main=says("", 110)), "crash", "exit code 110")
        self.refuse(legacy(RIGHT, main=says("test-count: 2\n", 113)), "crash", "exit code 113")
        self.refuse(legacy(RIGHT, main=says("error: it broke\n", 112)), "wrong_result", "it broke")

    def test_a_submission_that_chooses_an_exit_code_of_the_protocol_has_crashed(self) -> None:
        main = "from submission import custom_kernel\n" + says("check: pass\n")
        source = "import os\nos._exit(111)\n"
        self.refuse(legacy(source, main=main, timeoutsS=PATIENT), "crash", "ended the harness before its report")

    def test_a_submission_that_cannot_be_imported_gets_the_reason(self) -> None:
        self.refuse(legacy("import nothing_of_this_name\n"), "crash", "nothing_of_this_name")

    def test_a_harness_that_dies_is_a_crash(self) -> None:
        main = "import ctypes\nctypes.string_at(0)\n"
        self.refuse(legacy(RIGHT, main=main), "crash", "SIGSEGV")


class Forged(JudgeTest):
    """Reports that a correct harness never writes."""

    def test_a_report_with_a_repeated_key_is_rejected(self) -> None:
        text = "test.0.status: pass\ntest.1.status: pass\ncheck: pass\ncheck: pass\n"
        self.refuse(legacy(RIGHT, main=says(text)), "rejected", "has check twice")

    def test_success_without_every_case_is_rejected(self) -> None:
        self.refuse(legacy(RIGHT, main=says("test.0.status: pass\ncheck: pass\n")), "rejected", "1 of 2 cases")

    def test_an_end_without_a_result_is_not_a_success(self) -> None:
        self.refuse(legacy(RIGHT, main=says("")), "crash", "without a result")

    def test_times_that_are_not_numbers_are_refused(self) -> None:
        right = {"runs": "3", "mean": "5.0", "std": "0", "err": "0", "best": "4", "worst": "6"}
        for key, value in (
            ("mean", "nan"),
            ("mean", "-1"),
            ("mean", ""),
            ("best", "0"),
            ("worst", "inf"),
            ("runs", "2.5"),
            ("runs", "1" + 20 * "0"),
            ("err", ""),
        ):
            lines = [f"benchmark.0.{name}: {figure}" for name, figure in {**right, key: value}.items()]
            text = "\n".join([*lines, "check: pass", ""])
            with self.subTest(key=key, value=value):
                self.refuse(legacy(RIGHT, "benchmark", main=says(text)), "rejected", f"benchmark.0.{key}: {value!r}")

    def test_an_unparsable_report_does_not_fail_the_judge(self) -> None:
        text = "\udcff\udcfe\x00: \n\ntest.99.status: pass\ntest.0.status: maybe\ncheck: \udcff\n"
        self.refuse(legacy(RIGHT, main=says(text)), "wrong_result", "the output is incorrect")


class Cell(JudgeTest):
    """Access of a harness's processes to other resources."""

    def test_a_submission_cannot_change_the_harness(self) -> None:
        source = """
import os
FOUND = []
for action in (
    lambda: open("eval.py", "w"),
    lambda: open("new.py", "w"),
    lambda: os.unlink("reference.py"),
    lambda: os.rename("/tmp/job", "/tmp/other"),
    lambda: open("/tmp/job/cases", "w"),
    lambda: os.chmod("eval.py", 0o777),
):
    try:
        action()
        FOUND.append("done")
    except OSError:
        FOUND.append("refused")
print(FOUND)
""" + RIGHT
        printed = self.text(legacy(source))
        self.assertEqual(6, printed.count("refused"), printed)
        self.assertNotIn("done", printed)

    def test_files_of_the_harness_are_closed_in_the_processes_that_it_starts(self) -> None:
        source = """
import os, socket
def attempt(action):
    try:
        action()
        print("reached")
    except OSError:
        print("refused")
attempt(lambda: open("/proc/1/environ").read())
attempt(lambda: os.listdir("/proc/1/fd"))
attempt(lambda: open("/proc/1/mem", "r+b"))
attempt(lambda: socket.socket())
print("POPCORN_FD" in os.environ, "POPCORN_SEED" in os.environ)
""" + RIGHT
        printed = self.text(legacy(source, "benchmark"))
        self.assertEqual(4, printed.count("refused"), printed)
        self.assertNotIn("reached", printed)
        self.assertIn("False False", printed)

    def test_a_process_gets_no_name_space_of_its_own(self) -> None:
        main = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
clone = 56 if os.uname().machine == "x86_64" else 220
new_user = 0x10000000
print([libc.unshare(new_user), libc.syscall(clone, new_user | 17, 0, 0, 0, 0)])
"""
        self.assertIn("[-1, -1]", self.text(legacy(RIGHT, main=main)))

    def test_nothing_survives_the_run(self) -> None:
        # A process that is prepared for the next run lives on, so the submission gives its own a name.
        source = """
import ctypes, os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, b"survivor")
        # The harness waits, from Python 3.13 on, until the pipe to its resource tracker is closed everywhere.
        os.closerange(3, 1024)
        while True:
            time.sleep(1)
    os._exit(0)
time.sleep(1)
""" + RIGHT
        tester = shared_tester()
        tester.send(legacy(source))
        survivors, deadline = [], time.monotonic() + 20
        while not survivors and time.monotonic() < deadline:
            survivors = [pid for pid in descendants(tester.process.pid) if name_of(pid) == "survivor"]
        self.assertEqual("passed", tester.event("verdict")["verdict"])
        self.assertTrue(survivors)
        wait_until_gone(survivors)
        self.assertEqual("passed", tester.run(legacy(RIGHT))[-1]["verdict"])

    def test_without_a_sandbox_the_same_harness_runs(self) -> None:
        tester = TesterProcess("--unsafe-no-sandbox")
        try:
            self.assertEqual("passed", tester.run(legacy(RIGHT, "ranked"))[-1]["verdict"])
        finally:
            tester.close()

    def text(self, message: dict) -> str:
        """Returns the printed output of the stages after `prepare`."""
        events = self.judge(message)
        return "".join(event["head"] + event["tail"] for event in events if event["type"] == "output")


if __name__ == "__main__":
    unittest.main()
