"""A problem with its cases and inputs, for the checks, and its own check of an output."""

from __future__ import annotations

import hashlib
import socket
import time
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import torch

from .. import messages
from ..device.host import HostDevice
from ..messages import Case
from ..problem.problem import Problem, world_size_for
from ..worker.layout import clone, describe
from .multi_rank_workers import RankedReference

#: Maximum time in seconds of a reference call for cases of checks that call the reference often.
QUICK_S = 0.05


@dataclass(frozen=True)
class Part:
    """A tensor of an input, and its position in its rank's input: `data[0]`."""

    own: str
    tensor: torch.Tensor
    #: None in a single-rank problem.
    rank: int | None

    @property
    def place(self) -> str:
        """Position in words: `data[0]`, with several ranks `rank 1: data[0]`."""
        return self.own if self.rank is None else f"rank {self.rank}: {self.own}"


class Subject:
    """A problem (core's `Problem`) on the processor, with the cases of a target. Raises NotJudged where it cannot be
    loaded."""

    def __init__(self, problem: messages.Problem, target: str, control: socket.socket | None = None) -> None:
        """`control`: the socket of a zygote, which starts the reference where there are several ranks."""
        self.target = target
        self.ranks = world_size_for(problem["spec"], target)
        self.problem = Problem(problem, [HostDevice()] * self.ranks)
        self.outputs = self.problem.outputs
        self.target = target
        self.tests = self.problem.cases("test", target)
        self.benchmarks = self.problem.cases("benchmark", target)
        self.module = self.problem.module
        #: The input that was checked last, and the reference's outputs for it.
        self._judged: tuple[Any, list[torch.Tensor]] | None = None
        self.ranked = None if control is None else RankedReference(self.problem, control)

    def close(self) -> None:
        """Ends the ranks that were started."""
        if self.ranked is not None:
            self.ranked.close()

    @property
    def is_exact(self) -> bool:
        """Whether outputs are compared, and every element must be equal."""
        tolerance = self.problem.spec["tolerance"]
        return not self.checks_itself and tolerance is not None and tolerance["rtol"] == tolerance["atol"] == 0

    @property
    def checks_itself(self) -> bool:
        """Whether the problem has a `check_implementation`, which is used only with a single rank."""
        return self.ranks == 1 and hasattr(self.module, "check_implementation")

    def input(self, case: Case, seed: int | None = None) -> Any:
        """Generates an input of a case (with several ranks a list), with another seed if one is given. Raises
        NotJudged."""
        return self.problem.inputs(case if seed is None else {**case, "seed": seed})

    def parts(self, data: Any) -> tuple[list[Part], list[Part]]:
        """Splits the result of `generate_input` into inputs and output buffers."""
        inputs: list[Part] = []
        buffers: list[Part] = []
        for rank, its in enumerate(data if self.ranks > 1 else [data]):
            whose = rank if self.ranks > 1 else None
            parts = [Part(own, tensor, whose) for own, tensor in places(its, "data")]
            inputs += parts[: len(parts) - self.outputs]
            buffers += parts[len(parts) - self.outputs :]
        return inputs, buffers

    def visible_input(self, data: Any) -> Any:
        """Returns what a submission sees of an input before the clock starts: structure, shapes, dtypes, plain
        values."""
        return [describe(own)[0] for own in (data if self.ranks > 1 else [data])]

    def digest(self, data: Any) -> str:
        """Returns a hash of an input without the content of the output buffers."""
        content = hashlib.sha256(repr(self.visible_input(data)).encode())
        for part in self.parts(data)[0]:
            content.update(raw(part.tensor).numpy().tobytes())
        return content.hexdigest()

    def answer(self, data: Any) -> list[torch.Tensor]:
        """Returns the reference's outputs for a copy of this input. Raises NotJudged."""
        return self.timed_answer(data)[0]

    def timed_answer(self, data: Any) -> tuple[list[torch.Tensor], float]:
        """Returns the reference's outputs, and the processor time in seconds. Raises NotJudged."""
        if self.ranked is not None:
            return self.ranked.answer(data)
        copied = clone(data)
        # PyTorch has one thread here. Its clock, since that of a process with a time limit advances in ticks.
        started = time.thread_time()
        expected = self.problem.expected(copied, None)
        return [tensor.clone() for tensor in expected], time.thread_time() - started

    def refusal(self, case: Case, data: Any, got: list[torch.Tensor]) -> str | None:
        """Returns why the judge would reject these outputs for this input of a case, or None. The input is not
        modified. Raises NotJudged."""
        if not self.checks_itself and (self._judged is None or self._judged[0] is not data):
            self._judged = data, self.answer(data)
        expected = None if self._judged is None else self._judged[1]
        copies = [tensor.clone() for tensor in got]
        difference = self.problem.check(case, clone(data), copies, None, lambda: clone(data), expected)
        return None if difference is None or difference.is_accepted else difference.message

    def input_of_another_seed(self, case: Case, data: Any, seeds: Sequence[int]) -> Any:
        """Returns an input of the case that differs from this one, of the first of these seeds that gives one; None where
        none does. Other numbers may give the same input: the case's own seed, and those whose last 32 bits are equal."""
        known = self.digest(data)
        others = (self.input(case, seed) for seed in seeds)
        return next((other for other in others if self.digest(other) != known), None)

    def quick_tests(self) -> list[Case]:
        """Returns the tests of different parameters with a fast reference, the largest inputs first."""
        distinct = {repr({**case, "seed": None}): case for case in self.tests}
        sized: list[tuple[int, Case]] = []
        for case in distinct.values():
            data = self.input(case)
            if self.timed_answer(data)[1] <= QUICK_S:
                sized.append((sum(part.tensor.numel() for part in self.parts(data)[0]), case))
        return [case for _, case in sorted(sized, key=lambda one: -one[0])]


def places(value: Any, place: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Yields the tensors of an input with their positions, in the order of the worker's layout."""
    if isinstance(value, torch.Tensor):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, f"{place}[{key!r}]")
    elif isinstance(value, (tuple, list)):
        for index, inner in enumerate(value):
            yield from places(inner, f"{place}[{index}]")


def raw(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the bytes of its elements, uint8 of shape (bytes,)."""
    flat = tensor.contiguous().reshape(-1)
    if flat.dim() and flat.stride(0) != 1:  # A single element is contiguous for any strides.
        flat = flat.clone(memory_format=torch.contiguous_format)
    return (torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat).view(torch.uint8)


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same bytes."""
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(raw(one), raw(other))


def line(case: Case) -> str:
    """Formats a case: `size: 127; seed: 4242`."""
    return "; ".join(f"{key}: {value}" for key, value in case.items())
