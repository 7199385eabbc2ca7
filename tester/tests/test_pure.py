"""Tests of the tester's pure functions."""

from __future__ import annotations

import collections
import contextlib
import gc
import itertools
import json
import mmap
import unittest
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable
from unittest.mock import Mock, patch

import support  # noqa: F401  makes the tester importable
import torch

from kernelbot_tester.failures import Failed
from kernelbot_tester.judge.statistics import RunningMean, median, median_interval, round_time
from kernelbot_tester.problem.compare import compare, is_not_finite
from kernelbot_tester.problem.higher_precision import as_near
from kernelbot_tester.problem.in_place import all_close, float32_errors
from kernelbot_tester.problem.output_errors import errors_of, largest_errors
from kernelbot_tester.problem_check.checked_problem import raw
from kernelbot_tester.stages import timed_calls
from kernelbot_tester.stages.paper_rule import has_enough_calls
from kernelbot_tester.stages.timed_calls import Turn, run_turn
from kernelbot_tester.stages.timed_case import TimedCase, TimedSubmission
from kernelbot_tester.untrusted_text import TEXT_LENGTH, HeadAndTail, bounded
from kernelbot_tester.worker.layout import describe, rebuild
from kernelbot_tester.worker.memory import raw_host

VECTORS = Path(__file__).resolve().parents[2] / "packages" / "core" / "src" / "score" / "statistics.vectors.json"


class Statistics(unittest.TestCase):
    def test_rounds_and_intervals_are_those_that_boards_score_by(self) -> None:
        vectors = json.loads(VECTORS.read_text())
        for vector in vectors["roundTimes"]:
            with self.subTest(vector):
                self.assertAlmostEqual(vector["value"], round_time(vector["samples"]))
        for vector in vectors["medianIntervals"]:
            with self.subTest(vector):
                expected = (vector["value"], vector["low"], vector["high"])
                self.assertEqual(expected, median_interval(vector["values"]))

        for vector in vectors["meanIntervals"]:
            with self.subTest(vector):
                times = running(vector["samples"])
                half = 1.96 * times.standard_error()
                for expected, got in zip(
                    (vector["value"], vector["low"], vector["high"]), (times.mean, times.mean - half, times.mean + half)
                ):
                    self.assertAlmostEqual(expected, got, places=6)

    def test_the_median_of_an_even_number_is_between_the_middle_two(self) -> None:
        self.assertEqual(2.5, median([4, 1, 3, 2]))

    def test_half_of_an_interval_is_a_fraction_of_its_value(self) -> None:
        self.assertAlmostEqual(0.0045, median_interval([995_500, 1_004_500] * 3).half_width())


def running(samples: list[int]) -> RunningMean:
    """Returns the mean of these samples."""
    times = RunningMean()
    for sample in samples:
        times.add(sample)
    return times


class PaperRule(unittest.TestCase):
    def ends(self, samples: list[int], elapsed_s: float = 1) -> bool:
        return has_enough_calls(running(samples), elapsed_s, wall_s=120)

    def test_a_case_ends_when_the_standard_error_is_under_one_percent_of_the_mean(self) -> None:
        # Three values with a spacing of d have the standard error d / sqrt(3).
        self.assertTrue(self.ends([1000 - 17, 1000, 1000 + 17]))
        self.assertFalse(self.ends([1000 - 18, 1000, 1000 + 18]))

    def test_two_calls_are_never_enough(self) -> None:
        self.assertFalse(self.ends([10**12, 10**12], elapsed_s=1e9))

    def test_a_case_ends_after_30_seconds_of_kernel_time(self) -> None:
        self.assertTrue(self.ends([10_000_000_000, 20_000_000_000, 1_000_000_000]))
        self.assertFalse(self.ends([10_000_000_000, 19_000_000_000, 500_000_000]))

    def test_a_case_ends_after_120_seconds_by_the_clock_on_the_wall(self) -> None:
        self.assertTrue(self.ends([1, 2, 3], elapsed_s=120.1))
        self.assertFalse(self.ends([1, 2, 3], elapsed_s=119.9))

    def test_a_case_ends_after_20_000_calls_however_they_scatter(self) -> None:
        self.assertFalse(self.ends([1] * 19_998 + [10**8]))
        self.assertTrue(self.ends([1] * 19_999 + [10**8]))


class Comparison(unittest.TestCase):
    def test_within_the_tolerance_is_right(self) -> None:
        self.assertIsNone(compare(torch.tensor([1.0, 100.0]), torch.tensor([1.001, 100.1]), rtol=1e-3, atol=1e-3))

    def test_beyond_the_tolerance_is_wrong(self) -> None:
        mismatch = compare(torch.tensor([1.0, 101.0]), torch.tensor([1.0, 100.0]), rtol=1e-3, atol=0)
        assert mismatch is not None
        self.assertEqual(
            (1, 2, 1.0, 0.01),
            (mismatch.differing, mismatch.total, mismatch.largest_absolute, mismatch.largest_relative),
        )
        self.assertEqual([([1], "101.0", "100.0")], mismatch.first)
        self.assertEqual(
            "1 of 2 elements differs; at [1]: got 101.0, expected 100.0 (largest absolute error 1)", mismatch.sentence()
        )

    def test_infinities_must_be_where_they_are_expected_and_nan_is_never_correct(self) -> None:
        nan, inf = float("nan"), float("inf")
        self.assertIsNone(compare(torch.tensor([inf, -inf]), torch.tensor([inf, -inf]), 1.0, 1.0))
        for got, expected in [(nan, 1.0), (1.0, nan), (nan, nan), (inf, -inf), (1.0, inf), (inf, 1.0), (nan, inf)]:
            with self.subTest(got=got, expected=expected):
                self.assertIsNotNone(compare(torch.tensor([got]), torch.tensor([expected]), rtol=1.0, atol=1.0))

    def test_float32_is_compared_in_one_pass_with_the_same_result(self) -> None:
        nan, inf = float("nan"), float("inf")
        expected = torch.cat([torch.randn(20_000), torch.tensor([inf, -inf, 0.0])])
        allowed = 1e-3 + 1e-3 * expected.abs()
        for factor in (0, 0.999, 1.0001, 2):
            got = torch.where(expected.isfinite(), expected + factor * allowed, expected)
            same = compare(got, expected, 1e-3, 1e-3) is None
            self.assertEqual(same, all_close(got, expected, 1e-3, 1e-3), factor)
        for got, wanted in [(nan, 1.0), (1.0, nan), (nan, nan), (inf, -inf), (1.0, inf), (inf, 1.0), (nan, inf)]:
            for dtype in (torch.float32, torch.float64, torch.bfloat16):
                self.assertFalse(all_close(torch.tensor([got], dtype=dtype), torch.tensor([wanted], dtype=dtype), 1.0, 1.0))
        square = expected[:20_000].reshape(100, 200)
        self.assertFalse(all_close(square.t(), square.t(), 0, 0), "not contiguous")

    def test_an_expected_output_that_is_nan_or_has_overflowed_judges_nothing(self) -> None:
        nan, inf = float("nan"), float("inf")
        rows = [
            (1.0, nan, None, True),
            (nan, nan, None, True),
            (nan, 1.0, None, False),
            (1.0, inf, None, True),
            (inf, inf, None, False),
            (-inf, inf, None, False),
            (1.0, inf, 1.0, True),
            # The result is infinite, so an output that is finite is incorrect.
            (1.0, inf, inf, False),
        ]
        for got, expected, oracle, unfit in rows:
            truth = None if oracle is None else torch.tensor([oracle], dtype=torch.float64)
            for dtype in (torch.float32, torch.float16):
                with self.subTest(got=got, expected=expected, oracle=oracle, dtype=dtype):
                    one, other = torch.tensor([got], dtype=dtype), torch.tensor([expected], dtype=dtype)
                    self.assertEqual(unfit, is_not_finite(one, other, truth))

    def test_errors_without_a_number_are_left_out(self) -> None:
        mismatch = compare(torch.tensor([float("nan")]), torch.tensor([1.0]), 0, 0)
        assert mismatch is not None
        self.assertEqual((None, None), (mismatch.largest_absolute, mismatch.largest_relative))
        json.dumps(mismatch.document(), allow_nan=False)

    def test_integers_and_truth_values_must_be_equal(self) -> None:
        self.assertIsNotNone(compare(torch.tensor([2**53 + 1]), torch.tensor([2**53]), rtol=1, atol=1))
        self.assertIsNotNone(compare(torch.tensor([True]), torch.tensor([False]), rtol=1, atol=1))
        self.assertIsNone(compare(torch.tensor([True]), torch.tensor([True]), rtol=0, atol=0))

    def test_the_largest_errors_of_outputs_are_absolute_and_relative(self) -> None:
        nan, inf = float("nan"), float("inf")
        got = [torch.tensor([1.5, -inf, nan]), torch.tensor([12], dtype=torch.int64), torch.empty(0)]
        expected = [torch.tensor([1.0, -inf, nan]), torch.tensor([10], dtype=torch.int64), torch.empty(0)]
        errors = largest_errors(got, expected)
        assert errors is not None
        self.assertEqual(2, errors["absolute"])
        self.assertAlmostEqual(0.5, errors["relative"], places=6)
        self.assertEqual({"absolute": 0, "relative": 0}, largest_errors(expected, expected))
        for dtype in (torch.float32, torch.float64):
            for one, other in [(inf, 1.0), (nan, 1.0), (1.0, nan)]:
                self.assertIsNone(largest_errors([torch.tensor([one], dtype=dtype)], [torch.tensor([other], dtype=dtype)]))

    def test_errors_of_float32_are_the_same_in_one_pass(self) -> None:
        nan, inf = float("nan"), float("inf")
        expected = torch.cat([torch.randn(10_001), torch.tensor([nan, inf, -inf, 0.0, -0.0])])
        got = expected * (1 + 1e-3 * torch.randn(len(expected)))
        got[-1] = 0.0
        for one, other in zip(errors_of(got, expected), float32_errors(got, expected)):
            self.assertAlmostEqual(1, one / other, places=5)
        for one, other in [(nan, 1.0), (1.0, nan), (inf, 1.0), (inf, -inf)]:
            self.assertEqual(inf, float32_errors(torch.tensor([one]), torch.tensor([other]))[0])

    def test_small_floats_are_compared_as_numbers(self) -> None:
        got, expected = torch.tensor([1.0, 2.0], dtype=torch.bfloat16), torch.tensor([1.0, 2.5], dtype=torch.bfloat16)
        mismatch = compare(got, expected, 0, 0)
        assert mismatch is not None
        self.assertEqual([([1], "2.0", "2.5")], mismatch.first)

    def test_complex_numbers_and_scalars_have_mismatches_too(self) -> None:
        self.assertIsNotNone(compare(torch.tensor([1j]), torch.tensor([2j]), 0, 0))
        mismatch = compare(torch.tensor(1.0), torch.tensor(2.0), 0, 0)
        assert mismatch is not None
        self.assertEqual([([], "1.0", "2.0")], mismatch.first)

    def test_only_the_first_positions_are_reported(self) -> None:
        mismatch = compare(torch.zeros(4, 5), torch.ones(4, 5), 0, 0)
        assert mismatch is not None
        self.assertEqual([[i // 5, i % 5] for i in range(10)], [index for index, _, _ in mismatch.first])


class WrongIntegers(unittest.TestCase):
    def test_a_wrong_integer_is_shown_with_the_expected_one_and_their_difference(self):
        wrong = compare(torch.tensor([[1, 7]]), torch.tensor([[1, 9]]), rtol=0, atol=0)
        assert wrong is not None
        sentence = "1 of 2 elements differs; at [0, 1]: got 7, expected 9, which differs by -2 (largest absolute error 2)"
        self.assertEqual(wrong.sentence(), sentence)

    def test_integers_that_are_the_same_float64_have_their_difference(self):
        wrong = compare(torch.tensor([2**53 + 1]), torch.tensor([2**53]), rtol=0, atol=0)
        assert wrong is not None
        self.assertEqual(wrong.largest_absolute, 1)
        self.assertIn("which differs by 1", wrong.sentence())

    def test_the_difference_of_the_extreme_integers_does_not_overflow(self):
        wrong = compare(torch.tensor([2**63 - 1]), torch.tensor([-(2**63)]), rtol=0, atol=0)
        assert wrong is not None
        self.assertEqual(wrong.largest_absolute, 2.0**64)
        self.assertIn(f"which differs by {2**64 - 1}", wrong.sentence())

    def test_floats_are_shown_without_a_difference(self):
        wrong = compare(torch.tensor([7.0]), torch.tensor([9.0]), rtol=0, atol=0)
        assert wrong is not None
        self.assertNotIn("which differs", wrong.sentence())


class RepeatedTurns(unittest.TestCase):
    def failure(self, repeats: Callable[[int], bool], turns: int) -> Failed | None:
        """Returns the failure of a kernel that seems to have run while stopped in these attempts, over some turns."""
        attempts = itertools.count()
        worker = SimpleNamespace(has_run_while_stopped=lambda: repeats(next(attempts)))
        submission: Any = SimpleNamespace(is_active=True, failure=None, samples="candidateNs", worker=worker)

        def fail(failure: Failed, stage: str) -> None:
            submission.is_active, submission.failure = False, failure

        submission.fail = fail
        case: Any = TimedCase(0, {"size": 1}, [TimedSubmission(submission, Mock())], Mock(), Mock(), 7)
        with patch.object(timed_calls, "attempt_turn", return_value=Turn()), contextlib.suppress(Failed):
            for _ in range(turns):
                run_turn(Mock(), case)
        return submission.failure

    def test_a_few_repeated_turns_are_accepted_and_a_share_above_a_tenth_is_not(self) -> None:
        self.assertIsNone(self.failure(lambda attempt: attempt % 50 == 0, 500))
        rejected = self.failure(lambda attempt: attempt % 2 == 0, 500)
        assert rejected is not None
        self.assertEqual("rejected", rejected.failure)


class Oracle(unittest.TestCase):
    """The reference has an error of 1 in the first of 100 elements and a small error in the others."""

    truth = torch.linspace(10, 20, 100, dtype=torch.float64)
    expected = (truth + torch.tensor([1.0] + [1e-3] * 99)).float()

    def near(self, got: torch.Tensor) -> bool:
        return as_near(got, self.expected, self.truth, 1e-4, 1e-4)

    def test_an_output_may_have_at_most_twice_the_error_of_the_reference(self) -> None:
        error = self.expected - self.truth
        self.assertTrue(self.near(self.truth.float()))
        self.assertTrue(self.near((self.truth + 1.9 * error).float()))
        self.assertFalse(self.near((self.truth + 2.1 * error).float()))

    def test_the_largest_error_and_the_mean_of_all_are_bounded_apart(self) -> None:
        self.assertFalse(self.near((self.truth + 0.5).float()))
        one = self.truth.clone()
        one[99] += 10
        self.assertFalse(self.near(one.float()))

    def test_small_elements_count_next_to_large_ones(self) -> None:
        truth = torch.tensor([1e6, 1e-2], dtype=torch.float64)
        expected = torch.tensor([1e6 + 50, 1e-2 + 1e-7])
        self.assertFalse(as_near(torch.tensor([1e6, 0.0]), expected, truth, 1e-5, 1e-5))

    def test_elements_that_are_not_finite_are_judged_only_by_the_tolerance(self) -> None:
        inf, nan = float("inf"), float("nan")
        truth = torch.tensor([1e10, 1.0], dtype=torch.float64)
        expected = torch.tensor([inf, 1.001])
        self.assertTrue(as_near(torch.tensor([inf, 1.0]), expected, truth, 1e-4, 1e-4))
        self.assertFalse(as_near(torch.tensor([5.0, 1.0]), expected, truth, 1e-4, 1e-4))
        self.assertFalse(as_near(torch.tensor([inf, nan]), expected, truth, 1e-4, 1e-4))

    def test_integers_are_never_near(self) -> None:
        self.assertFalse(as_near(torch.tensor([3]), torch.tensor([4]), torch.tensor([3.0]), 1.0, 1.0))


class Layout(unittest.TestCase):
    def test_an_input_is_rebuilt_with_its_structure_shapes_strides_and_dtypes(self) -> None:
        data = (torch.rand(3, 4).t(), [{"n": 5, "flag": True}, None], torch.zeros(2, dtype=torch.bool), torch.float16)
        tree, placed = describe(data)
        memory = mmap.mmap(-1, placed[-1][0].end)
        copy, tensors = rebuild(json.loads(json.dumps(tree)), lambda slot: slot.view(raw_host(memory, slot)))
        for (_, source), target in zip(placed, tensors):
            target.copy_(source)
        self.assertTrue(torch.equal(data[0], copy[0]))
        self.assertEqual(
            ((1, 4), data[1], torch.bool, torch.float16), (copy[0].stride(), copy[1], copy[2].dtype, copy[3])
        )

    def test_tensors_do_not_share_a_page(self) -> None:
        slots = [slot for slot, _ in describe([torch.zeros(1), torch.zeros(1025), torch.zeros(1)])[1]]
        self.assertEqual([0, 4096, 12288], [slot.offset for slot in slots])

    def test_a_structure_whose_names_would_be_lost_is_refused(self) -> None:
        Step = collections.namedtuple("Step", ["cache", "token"])
        counts = collections.defaultdict(int, seen=1)
        for value, name in ((Step(torch.zeros(1), 2), "Step"), ([counts], "defaultdict")):
            with self.assertRaisesRegex(TypeError, f"a {name}, whose names .*: return a plain tuple, list or dict"):
                describe(value)
        tree, _ = describe((torch.zeros(2, 3).shape, collections.OrderedDict(size=1)))
        self.assertEqual(((2, 3), {"size": 1}), rebuild(tree, lambda slot: torch.zeros(1))[0])

    def test_a_value_that_cannot_be_shared_is_named(self) -> None:
        with self.assertRaisesRegex(TypeError, "a value of type object"):
            describe([object()])

    def test_tensors_are_freed_without_a_garbage_collection(self) -> None:
        gc.disable()
        self.addCleanup(gc.enable)
        tensor = torch.zeros(1)
        described = weakref.ref(tensor)
        tree = describe([tensor])[0]
        del tensor
        rebuilt = weakref.ref(rebuild(tree, lambda slot: torch.zeros(1))[0][0])
        self.assertEqual((None, None), (described(), rebuilt()))


class Texts(unittest.TestCase):
    def test_a_text_is_made_storable_in_a_database(self) -> None:
        self.assertEqual("a\ufffdb?c", bounded("a\0b\ud800c"))

    def test_a_long_text_is_shortened_in_its_middle(self) -> None:
        for text in ("x" * 1_000_000, "\N{PILE OF POO}" * 1_000_000):
            self.assertLessEqual(len(bounded(text).encode("utf-16-le")) // 2, TEXT_LENGTH)
        self.assertRegex(bounded("a" * 50_000 + "z"), r"^a+\n\[\.\.\. \d+ characters left out \.\.\.\]\na+z$")

    def test_head_and_tail_of_a_stream_are_kept_for_any_chunk_size(self) -> None:
        whole = bytes(range(256)) * 10
        for size in (1, 7, 100, 5000):
            kept = HeadAndTail(100)
            for start in range(0, len(whole), size):
                kept.add(whole[start : start + size])
            self.assertEqual(
                (whole[:100], whole[-100:], len(whole) - 200), (bytes(kept.head), bytes(kept.tail), kept.dropped)
            )

    def test_a_short_stream_is_all_head(self) -> None:
        kept = HeadAndTail(100)
        kept.add(b"short")
        self.assertEqual(("short", "", 0), (*kept.texts(), kept.dropped))


class Bytes(unittest.TestCase):
    def test_a_tensor_is_its_bytes_whatever_its_strides_are(self) -> None:
        for shape, strides in (((1,), (3,)), ((1, 1), (9, 5)), ((2, 1), (1, 3)), ((2, 3), (1, 2)), ((0, 1), (5, 2))):
            tensor = torch.empty_strided(shape, strides).fill_(1.5)
            self.assertEqual(tensor.contiguous().numpy().tobytes(), raw(tensor).numpy().tobytes())


if __name__ == "__main__":
    unittest.main()
