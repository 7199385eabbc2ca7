"""Structure that the inputs of all seeds share."""

from __future__ import annotations

import unittest

import support  # noqa: F401  makes the tester importable
import torch

from kernelbot_tester.inputs import RandomInputs
from kernelbot_tester.problem_check.structure_checks import InputStructure, structure_of

SEEDS = range(3)


def kinds(*tensors: torch.Tensor) -> list[str]:
    """Returns the kinds of structure of a tensor with these values."""
    return [kind for kind, _ in structure_of("data[0]", list(tensors))]


class StructureTest(unittest.TestCase):
    def test_independent_draws_of_any_distribution_have_none(self) -> None:
        for seeds in (range(3), range(8)):
            draws = [RandomInputs(seed) for seed in seeds]
            self.assertEqual([], kinds(*(one.normal(70_000) for one in draws)))
            self.assertEqual([], kinds(*(one.normal(64, 64).to(torch.bfloat16) for one in draws)))
            self.assertEqual([], kinds(*(one.bytes(5_000) for one in draws)))
            # A share of 0.9 of one value, and indices, whose range is a size of the problem.
            skewed = [torch.where(one.uniform(5_000) < 0.9, one.bytes(1), one.bytes(5_000)) for one in draws]
            self.assertEqual([], kinds(*skewed))
            self.assertEqual([], kinds(*(one.integers(0, 8, 5_000, dtype=torch.int32) for one in draws)))

    def test_elements_at_the_same_positions_that_are_equal_are_found(self) -> None:
        def repeated(seed: int) -> torch.Tensor:
            x = RandomInputs(seed).normal(1_000)
            x[:125] = x[125:250]
            return x

        self.assertEqual(["duplicates"], kinds(*map(repeated, SEEDS)))
        ((_, what),) = structure_of("data[0]", [repeated(seed) for seed in SEEDS])
        self.assertEqual("for every seed, 125 pairs of elements at the same positions are equal in data[0]", what)

    def test_equal_rows_and_constant_tensors_are_found(self) -> None:
        rows = [RandomInputs(seed).normal(1, 300).repeat(5, 1) for seed in SEEDS]
        self.assertEqual(["duplicates"], kinds(*rows))
        constant = [RandomInputs(seed).normal(1).repeat(100) for seed in SEEDS]
        self.assertEqual(["duplicates"], kinds(*constant))

    def test_copies_at_random_positions_are_not_found(self) -> None:
        def copied(seed: int) -> torch.Tensor:
            random = RandomInputs(seed)
            x = random.normal(5_000)
            return torch.where(random.uniform(5_000) < 0.25, x[random.integers(0, 5_000, 5_000)], x)

        self.assertEqual([], kinds(*map(copied, SEEDS)))

    def test_symmetric_matrices_are_found_and_their_triangles_are_not_duplicates(self) -> None:
        def symmetric(seed: int) -> torch.Tensor:
            a = RandomInputs(seed).normal(3, 20, 20)
            return a + a.mT

        self.assertEqual(["symmetry"], kinds(*map(symmetric, SEEDS)))
        self.assertEqual([], kinds(symmetric(0), RandomInputs(1).normal(3, 20, 20), symmetric(2)))

    def test_few_and_narrow_values_are_found(self) -> None:
        for change in (
            lambda x: (x < 0.5).float(),
            lambda x: 1 + x / 2,
            lambda x: -1 - x / 2,
            lambda x: (1 + 100 * x).to(torch.bfloat16).float(),
            lambda x: (16 * x).to(torch.uint8),
        ):
            self.assertEqual(["values"], kinds(*(change(RandomInputs(seed).uniform(2_000)) for seed in SEEDS)))

    def test_a_declared_structure_is_accepted_and_one_that_no_input_has_is_reported(self) -> None:
        structure = InputStructure({"values": "a mask", "symmetry": "as described"})
        masks = [(RandomInputs(seed).uniform(2_000) < 0.5).float() for seed in SEEDS]
        self.assertEqual([], list(structure.check("test case", "data[0]", masks)))
        self.assertEqual(["task.yml: input_structure: symmetry"], [one["where"] for one in structure.superfluous()])


if __name__ == "__main__":
    unittest.main()
