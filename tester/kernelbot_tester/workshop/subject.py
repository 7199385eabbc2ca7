"""A problem under the checks: its cases, its inputs with their places, and its own judgement of an output."""

from __future__ import annotations

import copy
import hashlib
import socket
import time
from dataclasses import dataclass
from typing import Any, Iterator

import torch

from ..device.host import HostDevice
from ..problem import Case, Problem, world_size_for
from ..worker.layout import describe
from .ranked import RankedReference

#: A case is for the checks that call the reference often if a call takes no longer.
QUICK_S = 0.05


@dataclass(frozen=True)
class Part:
    """A tensor of an input, and where it stands in what its rank gets: `data[0]`."""

    own: str
    tensor: torch.Tensor
    #: None where there is one alone.
    rank: int | None

    @property
    def place(self) -> str:
        """Where it stands in words: `data[0]`, of several ranks `rank 1: data[0]`."""
        return self.own if self.rank is None else f"rank {self.rank}: {self.own}"


class Subject:
    """A problem (core's `Problem`) on the processor, with the cases of a target. Raises NotJudged where it cannot be loaded."""

    def __init__(self, problem: dict[str, Any], target: str, control: socket.socket | None = None) -> None:
        """`control`: the socket of a zygote, which starts the reference where there are several ranks."""
        self.ranks = world_size_for(problem["spec"], target)
        self.problem = Problem(problem, [HostDevice()] * self.ranks)
        self.outputs = self.problem.outputs
        self.tests = self.problem.cases("test", target)
        self.benchmarks = self.problem.cases("benchmark", target)
        self.module = self.problem.module
        #: The input that was judged last, and the reference's outputs for it.
        self._judged: tuple[Any, list[torch.Tensor]] | None = None
        self.ranked = None if control is None else RankedReference(self.problem, control)

    def close(self) -> None:
        """Ends what was started."""
        if self.ranked is not None:
            self.ranked.close()

    @property
    def is_exact(self) -> bool:
        """Whether outputs are compared, and every element has to be equal."""
        tolerance = self.problem.spec["tolerance"]
        return not self.checks_itself and tolerance["rtol"] == 0 and tolerance["atol"] == 0

    @property
    def checks_itself(self) -> bool:
        """Whether the problem has a `check_implementation`, which is for one rank alone."""
        return self.ranks == 1 and hasattr(self.module, "check_implementation")

    def input(self, case: Case, seed: int | None = None) -> Any:
        """A new input of a case, of several ranks a list; with another seed if one is given. Raises NotJudged."""
        return self.problem.inputs(case if seed is None else {**case, "seed": seed})

    def parts(self, data: Any) -> tuple[list[Part], list[Part]]:
        """The inputs and the output buffers of what `generate_input` gave."""
        inputs: list[Part] = []
        buffers: list[Part] = []
        for rank, its in enumerate(data if self.ranks > 1 else [data]):
            whose = rank if self.ranks > 1 else None
            parts = [Part(own, tensor, whose) for own, tensor in places(its, "data")]
            inputs += parts[: len(parts) - self.outputs]
            buffers += parts[len(parts) - self.outputs :]
        return inputs, buffers

    def shown(self, data: Any) -> Any:
        """What of an input a submission is shown before the clock starts: structure, shapes, dtypes, plain values."""
        return [describe(own)[0] for own in (data if self.ranks > 1 else [data])]

    def digest(self, data: Any) -> str:
        """A hash of all that an input says; the buffers' content says nothing."""
        content = hashlib.sha256(repr(self.shown(data)).encode())
        for part in self.parts(data)[0]:
            content.update(raw(part.tensor).numpy().tobytes())
        return content.hexdigest()

    def answer(self, data: Any) -> list[torch.Tensor]:
        """The reference's outputs for a copy of this input, which stays as it is. Raises NotJudged."""
        return self.timed_answer(data)[0]

    def timed_answer(self, data: Any) -> tuple[list[torch.Tensor], float]:
        """The same, and the seconds of a core that it took."""
        if self.ranked is not None:
            return self.ranked.answer(data)
        copied = clone(data)
        started = time.process_time()
        expected = self.problem.expected(copied, None)
        return [one.clone() for one in expected], time.process_time() - started

    def refusal(self, case: Case, data: Any, got: list[torch.Tensor]) -> str | None:
        """What the judge would say against these outputs for this input of a case, which stays as it is; None: nothing.
        Raises NotJudged."""
        if not self.checks_itself and (self._judged is None or self._judged[0] is not data):
            self._judged = data, self.answer(data)
        expected = None if self._judged is None else self._judged[1]
        copies = [one.clone() for one in got]
        finding = self.problem.check(case, clone(data), copies, None, lambda: clone(data), expected)
        return None if finding is None or finding.is_right else finding.message

    def quick_tests(self) -> list[Case]:
        """The tests of different parameters whose reference is quick, the largest inputs first."""
        distinct = {repr({**case, "seed": None}): case for case in self.tests}
        sized: list[tuple[int, Case]] = []
        for case in distinct.values():
            data = self.input(case)
            if self.timed_answer(data)[1] <= QUICK_S:
                sized.append((sum(part.tensor.numel() for part in self.parts(data)[0]), case))
        return [case for _, case in sorted(sized, key=lambda one: -one[0])]


def places(value: Any, place: str) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of an input in the order of the worker's layout."""
    if isinstance(value, torch.Tensor):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, f"{place}[{key!r}]")
    elif isinstance(value, (tuple, list)):
        for index, inner in enumerate(value):
            yield from places(inner, f"{place}[{index}]")


def clone(value: Any) -> Any:
    """A copy of an input whose tensors are its own."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: clone(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [clone(one) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return copy.copy(value)


def raw(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of its elements, uint8 of shape (bytes,)."""
    flat = tensor.contiguous().reshape(-1)
    if flat.dim() and flat.stride(0) != 1:  # A single element is contiguous whatever its strides are.
        flat = flat.clone(memory_format=torch.contiguous_format)
    return (torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat).view(torch.uint8)


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same bytes."""
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(raw(one), raw(other))


def line(case: Case) -> str:
    """A case in words: `size: 127; seed: 4242`."""
    return "; ".join(f"{key}: {value}" for key, value in case.items())
