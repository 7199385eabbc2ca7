"""Random inputs for problems."""

from __future__ import annotations

import math
import unittest

import support  # noqa: F401  makes the tester importable
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from kernelbot_tester.inputs import RandomInputs

NUMBER = 1 << 20


class RandomInputsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_values_on_every_processor(self) -> None:
        random = RandomInputs(1)
        self.assertEqual(random.bytes(4).tolist(), EXPECTED_BYTES)
        self.assertEqual([value.hex() for value in random.uniform(2).tolist()], EXPECTED_UNIFORM)
        self.assertEqual([value.hex() for value in random.normal(2).tolist()], EXPECTED_NORMAL)

    def test_seeds_that_differ_in_one_bit_give_unrelated_values(self) -> None:
        values = [RandomInputs(seed).normal(NUMBER) for seed in (0, 1, 1 << 32, 1 << 62)]
        for at, one in enumerate(values):
            for other in values[:at]:
                correlation = float((one * other).mean())
                self.assertLess(abs(correlation), 5 / math.sqrt(NUMBER))

    def test_normal_values_have_the_moments_and_tails_of_the_distribution(self) -> None:
        values = RandomInputs(7).normal(NUMBER).double()
        for power, expected, deviation in ((1, 0, 1), (2, 1, math.sqrt(2)), (3, 0, math.sqrt(15)), (4, 3, math.sqrt(96))):
            self.assertLess(abs(float((values**power).mean()) - expected), 5 * deviation / math.sqrt(NUMBER))
        for bound in (0.5, 1, 2, 3, 4):
            probability = math.erfc(bound / math.sqrt(2))
            differing = abs(float((values.abs() > bound).double().mean()) - probability)
            self.assertLess(differing, 5 * math.sqrt(probability / NUMBER))

    def test_neighbouring_values_are_unrelated(self) -> None:
        values = RandomInputs(7).normal(NUMBER)
        for distance in (1, 2, 7, 8, 9, 16, 256):
            self.assertLess(abs(float((values[distance:] * values[:-distance]).mean())), 5 / math.sqrt(NUMBER))

    def test_uniform_values_are_in_range_and_fill_it_evenly(self) -> None:
        values = RandomInputs(7).uniform(NUMBER)
        self.assertGreaterEqual(float(values.min()), 0)
        self.assertLess(float(values.max()), 1)
        self.assert_even(torch.histc(values, 64, 0, 1))

    def test_integers_fill_their_range_evenly(self) -> None:
        random = RandomInputs(7)
        self.assert_even(random.integers(0, 256, NUMBER, dtype=torch.uint8).bincount(minlength=256))
        values = random.integers(-5, 12, NUMBER)
        self.assertEqual((int(values.min()), int(values.max())), (-5, 11))
        self.assert_even((values + 5).bincount(minlength=17))
        with self.assertRaisesRegex(ValueError, "not a range of 1 to 16777216 integers"):
            random.integers(0, (1 << 24) + 1, 1)

    def test_any_number_of_values_is_written_and_no_more(self) -> None:
        for number in (0, 1, 7, 8, 9, 15, 16, 17, 31, 33):
            for kind in ("normal", "uniform", "bytes"):
                whole = getattr(RandomInputs(3), kind)(64)
                part = getattr(RandomInputs(3), kind)(number)
                self.assertTrue(torch.equal(part, whole[:number]), f"{number} {kind}")

    def test_values_do_not_depend_on_the_number_that_is_drawn_at_once(self) -> None:
        for kind in ("normal", "uniform", "bytes"):
            one, parts = RandomInputs(3), RandomInputs(3)
            # Multiples of what is drawn at once, and more than a block of it.
            drawn = torch.cat([getattr(parts, kind)(number) for number in (32, 512, 1056, 4096, 7)])
            self.assertTrue(torch.equal(getattr(one, kind)(drawn.numel() + 1000)[: drawn.numel()], drawn), kind)

    def test_tensors_without_memory_have_shape_and_type(self) -> None:
        with FakeTensorMode():
            random = RandomInputs(3)
            values = [random.normal(4, 5), random.uniform(4, 5), random.bytes(4, 5), random.integers(0, 9, 4, 5)]
        self.assertEqual({value.shape for value in values}, {(4, 5)})
        self.assertEqual([value.dtype for value in values], [torch.float32, torch.float32, torch.uint8, torch.int64])

    def assert_even(self, counts: torch.Tensor) -> None:
        """Asserts that a chi-squared test accepts the counts; five standard deviations above its mean refuse them."""
        expected = NUMBER / len(counts)
        statistic = float(((counts.double() - expected) ** 2 / expected).sum())
        freedom = len(counts) - 1
        self.assertLess(statistic, freedom + 5 * math.sqrt(2 * freedom))


EXPECTED_BYTES = [217, 6, 164, 207]
EXPECTED_UNIFORM = ["0x1.79e55c0000000p-1", "0x1.c706ac0000000p-1"]
EXPECTED_NORMAL = ["-0x1.b845e40000000p-1", "-0x1.6f4fd20000000p-2"]

if __name__ == "__main__":
    unittest.main()
