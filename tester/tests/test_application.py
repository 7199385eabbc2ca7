"""The stage `application`: kernels that pass the stages test and ranked, inside a program that uses them."""

from __future__ import annotations

import unittest
from typing import Any

import support  # noqa: F401  makes the tester importable
import torch
from support import RIGHT, Event, JudgeTest, job

from kernelbot_tester.failures import Failed
from kernelbot_tester.problem.problem import application_cases
from kernelbot_tester.problem_check.application_checks import check_application, kind_of
from kernelbot_tester.problem_check.checked_problem import Subject
from kernelbot_tester.stages.application import Outcome, combined

#: Adds `steps` times, so that sums grow from 1 to `steps`, and the calls of two sites alternate.
PROGRAM = """
import torch

def run(size, steps, seed):
    generator = torch.Generator().manual_seed(seed)
    total = torch.rand(size, generator=generator)
    step = torch.rand(size, generator=generator)
    short = torch.rand(3, generator=generator)
    for _ in range(steps):
        total = yield total, step, torch.empty(size)
        short = yield short, short / 2, torch.empty(3)
    return {"mean": total.mean(), "total": total, "short": short}
"""
CASES = [{"size": 126, "steps": 12, "seed": 1}, {"size": 64, "steps": 4, "seed": 2}]


def application_job(source: str, program: str = PROGRAM, mode: str = "application", **application: Any) -> dict:
    """Returns a job of the addition with an application."""
    declared = {"cases": CASES, "rtol": 0, "timeoutS": 30, **application}
    return job(source, mode, files={"application.py": program}, application=declared)


class ApplicationTest(JudgeTest):
    def validation(self, source: str, **options: Any) -> tuple[Event, dict]:
        """Returns the verdict of mode `application`, and its `validation`."""
        verdict = self.judge(application_job(source, **options))[-1]
        return verdict, verdict.get("validation") or {}

    def verdicts(self, source: str, **options: Any) -> list[str]:
        """Returns the verdict of each case."""
        return [one["verdict"] for one in self.validation(source, **options)[1]["cases"]]

    def passes_elsewhere(self, source: str) -> None:
        """Asserts that a kernel passes the stages test and ranked."""
        verdict = self.judge(application_job(source, mode="ranked"))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)


class Validated(ApplicationTest):
    def test_the_reference_is_validated_with_a_speedup_around_1(self) -> None:
        # As the reference does, it returns a tensor that is copied to the output: RIGHT takes half of the time.
        verdict, validation = self.validation("def custom_kernel(data):\n    a, b, _ = data\n    return a + b\n")
        self.assertEqual(("passed", None), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertEqual(("validated", None, 2), tuple(validation[key] for key in ("state", "reason", "held")))
        self.assertEqual(["holds", "holds"], [one["verdict"] for one in validation["cases"]])
        speedup = validation["speedup"]
        self.assertTrue(speedup["low"] <= speedup["value"] <= speedup["high"], speedup)
        self.assertTrue(0.5 < speedup["value"] < 2, speedup)

    def test_each_case_reports_the_time_of_every_run_and_no_seed(self) -> None:
        cases = [event for event in self.judge(application_job(RIGHT, timeoutS=300)) if event["type"] == "case_finished"]
        self.assertEqual([{"size": 126, "steps": 12}, {"size": 64, "steps": 4}], [event["case"] for event in cases])
        self.assertEqual([12, 12], [len(event["rounds"]) for event in cases])
        self.assertEqual({"candidateNs": 1, "referenceNs": 1}, {key: len(ns) for key, ns in cases[0]["rounds"][0].items()})

    def test_a_slow_kernel_is_validated_and_marked(self) -> None:
        _, validation = self.validation("import time\n" + RIGHT.replace("    a, b", "    time.sleep(0.003)\n    a, b"))
        self.assertEqual("validated", validation["state"])
        self.assertEqual([True, True], [one["slower"] for one in validation["cases"]])
        self.assertLess(validation["speedup"]["high"], 1)


class NotValidated(ApplicationTest):
    def test_cases_for_which_no_time_is_left_are_not_wrong(self) -> None:
        slow = PROGRAM.replace("    return {", "    import time; time.sleep(2)\n    return {")
        verdict, validation = self.validation(RIGHT, program=slow, timeoutS=6.5)
        self.assertEqual(("failed", "timeout"), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertIn("the time limit was reached", validation["reason"])
        self.assertIn("(limit of the stage application: 6.5 s)", verdict["message"])

    def test_a_kernel_that_is_wrong_for_a_length_that_no_other_stage_has(self) -> None:
        source = RIGHT.replace("    return c", "    if len(c) % 4 == 2:\n        c[-1] = 0\n    return c")
        self.passes_elsewhere(source)
        verdict, validation = self.validation(source)
        self.assertEqual(("failed", "wrong_result"), (verdict["verdict"], verdict["failureClass"]))
        self.assertEqual(["inaccurate", "holds"], [one["verdict"] for one in validation["cases"]])
        self.assertEqual(("not_validated", 1), (validation["state"], validation["held"]))
        self.assertRegex(validation["reason"], r"^application case 1 \(size: 126; steps: 12\): inaccurate: in call 1, 1 of 126")

    def test_a_kernel_that_overflows_for_larger_numbers(self) -> None:
        source = RIGHT.replace("    return c", "    c[c > 3] = float('inf')\n    return c")
        self.passes_elsewhere(source)
        self.assertEqual(["unstable", "unstable"], self.verdicts(source))

    def test_a_kernel_whose_small_errors_add_up(self) -> None:
        source = RIGHT.replace("    return c", "    c *= 1 + 9e-6\n    return c")
        self.passes_elsewhere(source)
        verdict, validation = self.validation(source)
        self.assertEqual("drifts", validation["cases"][0]["verdict"])
        self.assertIn("every call is correct, and the result", verdict["message"])

    def test_a_kernel_that_answers_as_in_the_last_call(self) -> None:
        source = """
last = None
def custom_kernel(data):
    global last
    a, b, c = data
    if last is None or last[0] != float(b[0]):
        last = float(b[0]), a + b
    if last[1].shape != c.shape:
        last = float(b[0]), a + b
    c.copy_(last[1])
"""
        self.passes_elsewhere(source)
        alone = PROGRAM.replace("        short = yield short, short / 2, torch.empty(3)\n", "")
        self.assertEqual(["inaccurate", "inaccurate"], self.verdicts(source, program=alone))

    def test_a_kernel_that_raises_ends_the_stage(self) -> None:
        verdict, validation = self.validation(RIGHT.replace("    return c", "    assert len(c) != 126\n    return c"))
        self.assertEqual("crash", verdict["failureClass"])
        self.assertEqual(["crashed", "not_run"], [one["verdict"] for one in validation["cases"]])
        self.assertEqual((0, None), (validation["held"], validation["speedup"]))

    def test_a_kernel_that_hangs_is_out_of_time(self) -> None:
        source = RIGHT.replace("    return c", "    while len(c) == 126:\n        pass\n    return c")
        verdict, validation = self.validation(source, timeoutS=3)
        self.assertEqual("timeout", verdict["failureClass"])
        self.assertEqual(["timed_out", "not_run"], [one["verdict"] for one in validation["cases"]])

    def test_the_application_never_sees_an_incorrect_output(self) -> None:
        checked = PROGRAM.replace("    return {", "    assert total.isfinite().all()\n    return {").replace(
            "        short = yield", "        assert total.isfinite().all() and total.max() < 100\n        short = yield"
        )
        for value in ("float('nan')", "float('inf')", "3e38", "-1.0", "1e9"):
            source = f"def custom_kernel(data):\n    data[2].fill_({value})\n"
            self.assertIn(self.verdicts(source, program=checked)[0], ("inaccurate", "unstable"))


class FailingPrograms(ApplicationTest):
    #: Raises an exception for outputs that are not exact.
    STRICT = """
import torch

def run(size, steps, seed):
    one = torch.ones(size)
    for _ in range(steps):
        total = yield one, one, torch.empty(size)
        assert (total == 2).all()
    return {"total": total}
"""

    def test_the_kernel_is_at_fault_where_the_application_fails_only_with_its_outputs(self) -> None:
        source = "def custom_kernel(data):\n    a, b, c = data\n    c.copy_((a + b) * (1 + 1e-6))\n"
        verdict, validation = self.validation(source, program=self.STRICT)
        self.assertEqual(("failed", "wrong_result"), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertEqual("drifts", validation["cases"][0]["verdict"])
        self.assertIn("application.py: run raised AssertionError with its outputs", validation["reason"])
        self.assertEqual("validated", self.validation(RIGHT, program=self.STRICT)[1]["state"])

    def test_the_kernel_is_at_fault_where_the_reference_fails_only_on_inputs_made_of_its_outputs(self) -> None:
        program = self.STRICT.replace("assert (total == 2).all()", "one = one if (total == 2).all() else torch.ones(size + 1)")
        program = program.replace("yield one, one,", "yield one, torch.ones(size),")
        source = "def custom_kernel(data):\n    a, b, c = data\n    c.copy_((a[:len(b)] + b) * (1 + 1e-6))\n"
        verdict, validation = self.validation(source, program=program)
        self.assertEqual(("failed", "wrong_result"), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertEqual(["drifts", "not_run"], [one["verdict"] for one in validation["cases"]])
        self.assertIn("the reference fails on an input that the application made of its outputs", validation["reason"])

    def test_an_output_of_another_shape_does_not_drift(self) -> None:
        verdict, validation = self.validation("def custom_kernel(data):\n    return data[0][:1]\n", program=self.STRICT)
        self.assertEqual(("wrong_result", "crashed"), (verdict["failureClass"], validation["cases"][0]["verdict"]), verdict)

    def test_a_reference_that_fails_with_its_own_outputs_counts_against_no_one(self) -> None:
        program = self.STRICT.replace("assert (total == 2).all()", "one = torch.ones(size + 1)").replace("yield one, one,", "yield one, torch.ones(size),")
        source = "def custom_kernel(data):\n    a, b, c = data\n    c.copy_(a[:len(b)] + b)\n"
        self.assertEqual("infra_error", self.validation(source, program=program)[0]["verdict"])


class HiddenCases(ApplicationTest):
    HIDDEN = [{"size": 47, "steps": 3, "seed": 1}, {"size": 10223, "steps": 2, "seed": 5}]
    #: Prints every size. In the second hidden case, the only one with a size above 9999, it runs the statement.
    CURIOUS = """
import sys, time
def custom_kernel(data):
    a, b, c = data
    print("size", len(a), flush=True)
    print("size", len(a), file=sys.stderr, flush=True)
    {}
    c.copy_(a + b)
"""

    def events(self, statement: str = "pass", **options: Any) -> list[Event]:
        source = self.CURIOUS.format(statement)
        return self.judge(application_job(source, hiddenCases=self.HIDDEN, **options))

    def test_of_a_hidden_case_that_holds_only_this_is_reported(self) -> None:
        events = self.events()
        validation = events[-1].get("validation") or {}
        self.assertEqual(("validated", 4), (validation["state"], validation["held"]), events[-1])
        holds = {"verdict": "holds", "slower": False, "message": None}
        self.assertEqual([{**holds, "hidden": 1}, {**holds, "hidden": 2}], validation["cases"][2:])
        cases = [event for event in events if event["type"] == "case_finished"][2:]
        self.assertEqual([{"hidden_case": 1}, {"hidden_case": 2}], [event["case"] for event in cases])
        self.assertEqual([[], []], [event["rounds"] for event in cases])
        printed = [event for event in events if event["type"] == "output" and event["stage"] == "application"]
        self.assertIn("size 126", printed[0]["head"])

    def test_however_a_kernel_fails_no_event_contains_a_size_of_a_hidden_case(self) -> None:
        for statement, verdict, failure in (
            ("pass", "holds", None),
            ("a = a * (1 if len(a) < 9999 else len(a))", "inaccurate", "wrong_result"),
            ("a = a / (1 if len(a) < 9999 else 0)", "unstable", "wrong_result"),
            ("assert len(a) < 9999, (len(a), a.shape, str(data))", "crashed", "crash"),
            ("if len(a) > 9999: sys.exit(len(a) % 256)", "crashed", "crash"),
            ("while len(a) > 9999: print(len(a), flush=True) or time.time() % 1 > 0.9 and sys.exit()", "crashed", "crash"),
        ):
            events = self.events(statement, timeoutS=120)
            self.assertEqual((failure, verdict), (events[-1]["failureClass"], events[-1]["validation"]["cases"][3]["verdict"]))
            for event in events:
                # Digits of a time do not count.
                self.assertNotRegex(str(event), r"(?<!\d)10223(?!\d)", statement)
            if failure is not None:
                words = f"hidden case 2: {verdict.replace('_', ' ')}"
                self.assertEqual((words, None), (events[-1]["message"].partition(";")[0], events[-1]["detail"]))

    def test_of_a_hidden_case_that_reached_the_time_limit_only_this_is_reported(self) -> None:
        shown = Outcome("timed_out", "call 10223", failure=Failed("timeout", "call 10223", "call 10223")).without_details(2)
        self.assertEqual({"verdict": "timed_out", "slower": False, "message": "timed out", "hidden": 2}, shown.document())
        self.assertEqual([("timeout", "timed out", None)], [(one.failure, one.message, one.detail) for one in [shown.failure] if one])

    def test_an_error_of_the_problem_in_a_hidden_case_is_not_described(self) -> None:
        program = PROGRAM.replace("    total =", "    assert size != 10223, size\n    total =", 1)
        events = self.events(program=program)
        self.assertEqual("infra_error", events[-1]["verdict"])
        self.assertEqual("the problem's application failed in hidden case 2", events[-1]["message"])


class AuthorErrors(ApplicationTest):
    def test_they_count_against_no_one(self) -> None:
        for program, message in (
            ("import nowhere\n", "nowhere"),
            ("def run(size, steps, seed):\n    yield 3\n", "application yields 0 tensors"),
            (PROGRAM.replace("    return {", "    return 1, {"), "returns no results"),
            (PROGRAM.replace('"mean": total.mean()', '"mean": total.mean() / 0'), "not finite"),
            (PROGRAM.replace("steps, seed)", "steps)"), "raised TypeError"),
        ):
            verdict, _ = self.validation(RIGHT, program=program)
            self.assertEqual("infra_error", verdict["verdict"], program)
            self.assertIn(message, verdict["message"])

    def test_a_problem_without_an_application_cannot_be_run_in_this_mode(self) -> None:
        verdict = self.judge(job(RIGHT, "application"))[-1]
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertIn("the problem has no application", verdict["message"])


class Speedup(unittest.TestCase):
    def test_a_kernel_that_is_as_often_faster_as_slower_has_a_speedup_of_1(self) -> None:
        rounds = [([100, 200], [200, 100]), ([400, 300], [300, 400]), ([100, 100], [200, 50])]
        estimate = combined([Outcome("holds", rounds=rounds), Outcome("holds", rounds=rounds[1:] + rounds[:1])])
        assert estimate is not None
        for value in estimate:
            self.assertAlmostEqual(1, value)


class Checks(unittest.TestCase):
    def findings(self, **application: Any) -> list[str]:
        """Returns the errors of the check of an application, at two benchmarks."""
        sizes = [{"size": 64, "seed": 1}, {"size": 4096, "seed": 2}]
        problem = application_job(RIGHT, **application)["problem"]
        problem["spec"].update(benchmarks=sizes, targets={"cpu": {}, "H100": {"benchmarks": [{"size": 1 << 20, "seed": 3}]}})
        subject = Subject(problem, "cpu")
        return [f"{one['where']}: {one['what']}" for one in check_application(subject) if one["severity"] == "error"]

    def test_an_application_that_lacks_a_ranked_size_is_refused(self) -> None:
        lacks = "it never calls the kernel at the size of this benchmark"
        target, case = self.findings()
        self.assertIn("target H100: its benchmarks are others", target)
        self.assertIn(lacks, case)
        self.assertIn("4096", case)

    def test_an_application_covers_the_benchmarks_that_are_among_its_cases(self) -> None:
        self.assertEqual([], self.findings(atBenchmarks={"steps": 2}))

    def test_each_benchmark_is_one_case_of_the_application(self) -> None:
        spec: Any = application_job(RIGHT, atBenchmarks={"steps": 2, "contention": 0})["problem"]["spec"]
        spec["benchmarks"] = [{"size": 9, "contention": 10, "seed": 1}, {"size": 9, "contention": 90, "seed": 2}]
        (case,) = application_cases(spec, "cpu")[len(CASES) :]
        self.assertEqual({"size": 9, "contention": 0, "steps": 2, "seed": 2}, case)

    def test_a_call_with_other_strides_than_the_tests_is_of_another_kind(self) -> None:
        square = torch.zeros(2, 2)
        self.assertEqual(kind_of((square,)), kind_of((square + 1,)))
        self.assertEqual("data[0]: torch.float32 of 2 dimensions, not contiguous", kind_of((torch.zeros(2, 3).T,)))


if __name__ == "__main__":
    unittest.main()
