"""The workshop's findings in problems of several ranks, whose reference runs in the judge's own workers."""

from __future__ import annotations

import unittest
from typing import Any

from support import job

from kernelbot_tester.problem_check.check_problem import checked, digests, in_a_fork
from kernelbot_tester.problem_check.multi_rank_workers import zygote

#: Each rank gets its part of the sum over all ranks, times its own factors.
REFERENCE = """
import torch
import torch.distributed as dist

def generate_input(size, world_size, seed, rank):
    generator = torch.Generator().manual_seed((seed * world_size + rank) % 2**63)
    x = torch.randn(size * world_size, generator=generator)
    return x, torch.randn(size, generator=generator), torch.empty(size)

def ref_kernel(data):
    x, w, _ = data
    total = x.clone()
    dist.all_reduce(total)
    return total.chunk(dist.get_world_size())[dist.get_rank()] * w

def oracle(data):
    total = sum(x.double() for x, _, _ in data)
    return [part * w.double() for part, (_, w, _) in zip(total.chunk(len(data)), data)]

def cost(size, world_size, seed):
    return {"bytes": 4 * size}
"""


def findings_of(*edits: tuple[str, str], **spec: Any) -> dict[str, str]:
    """Returns the findings about the problem with these text replacements: message by severity and check, such as
    `error cost`."""
    reference = REFERENCE
    for old, new in edits:
        assert old in reference, old
        reference = reference.replace(old, new)
    cases = [{"size": 300, "world_size": 2, "seed": seed} for seed in (11, 12)]
    small = {"size": 3, "world_size": 2, "seed": 13}
    defaults = {"worldSize": 2, "tests": [*cases, small], "benchmarks": cases[:1], "reference": reference}
    request: Any = {**job("", **{**defaults, **spec}), "target": "cpu"}
    seen = in_a_fork(lambda: checked(request, digests(request), zygote().control))
    assert "findings" in seen, seen
    return {f"{one['severity']} {one['check']}": f"{one['where']}: {one['what']}" for one in seen["findings"]}


class ProblemsOfSeveralRanks(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        zygote().close()

    def test_a_sound_problem_has_no_findings(self) -> None:
        self.assertEqual({}, findings_of())

    def test_an_input_of_one_rank_without_effect_is_found(self) -> None:
        ignoring = "* (w if dist.get_rank() == 0 else 1)"
        seen = findings_of(("* w\n\ndef oracle", f"{ignoring}\n\ndef oracle"), ("def oracle(data):", "def no_oracle(data):"))
        self.assertRegex(seen.pop("error answers.dependence"), r"^rank 1: data\[1\]: the result does not depend on it")
        self.assertRegex(seen.pop("note tolerance.narrow"), "several ranks")
        self.assertEqual({}, seen)

    def test_outputs_without_work_that_pass_are_found(self) -> None:
        alike = ("total.chunk(dist.get_world_size())[dist.get_rank()] * w", "total[: len(w)] + 0 * w")
        seen = findings_of(alike, ("def oracle(data):", "def no_oracle(data):"))
        self.assertRegex(seen["error answers.degenerate"], "the output of another rank would pass")

    def test_a_reference_that_varies_and_one_that_fails_are_reported(self) -> None:
        varied = findings_of(("    return total.chunk", "    total += 1e-6 * torch.rand(())\n    return total.chunk"))
        self.assertRegex(varied["warning reference.deterministic"], "another output")
        failed = findings_of(("    total = x.clone()", "    assert dist.get_rank() == 0\n    total = x.clone()"))
        self.assertRegex(failed["error reference.runs"], "rank 1: AssertionError")

    def test_a_tolerance_that_accepts_the_next_lower_precision_is_reported(self) -> None:
        wide = findings_of(tolerance={"rtol": 1e-2, "atol": 1e-2, "reason": "wide"})
        self.assertRegex(wide["error tolerance.wide"], "rounded to the next lower precision")


if __name__ == "__main__":
    unittest.main()
