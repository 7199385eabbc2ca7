"""What the judge needs of a place where tensors live."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from ..worker.layout import Slot
from ..worker.library import Probes
from .telemetry import Reading


class Memory(Protocol):
    """Memory that a worker can be shown by an open file."""

    file: int
    size: int

    def raw(self, slot: Slot) -> torch.Tensor:
        """The bytes of a slot as a tensor of uint8."""
        ...

    def close(self) -> None:
        """Gives it back. The worker may keep its own mapping until it ends."""
        ...


class Contents(Protocol):
    """How the judge fills an arena and reads its outputs. The worker is frozen, but between `reveal` and `hold`."""

    #: Places that `Worker.call` reads in C, at the moment when the worker says that it is done.
    probes: Probes
    #: The size of the output buffers.
    output_bytes: int

    def fill(self, sources: list[torch.Tensor]) -> None:
        """Writes inputs, poisons the outputs and evicts both from the caches."""
        ...

    def reveal(self) -> None:
        """Shows what `fill` has left hidden. The clock runs already."""
        ...

    def hold(self) -> bool:
        """Takes samples of the outputs, right after the worker said that it is done, and returns when the judge has
        them. False: the C code did it and has stopped the clock."""
        ...

    def outputs_now(self) -> list[torch.Tensor]:
        """The outputs, which stay as they are while the worker is frozen."""
        ...

    def changed_since_done(self) -> bool:
        """Whether an output differs from the samples of `hold`, or from what was taken."""
        ...


class Device(Protocol):
    """A place where tensors live."""

    #: `cpu` or `accelerator`, which decides how rounds are summed up.
    kind: str
    #: PyTorch's name of it.
    name: str

    def of_rank(self, rank: int) -> "Device":
        """The device of a rank, where several are opened. Raises NotJudged where there are not so many."""
        ...

    def start(self) -> None:
        """In the judge, before anything else: the device is opened here. Raises NotJudged."""
        ...

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """The memory where a tensor of an input lies, `host` or `device`; None: no worker can be shown it."""
        ...

    def allocate(self, memory: str, size: int) -> Memory:
        """New memory of a kind that `memory_of` names, of at least this size."""
        ...

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> Contents:
        """The contents of an arena whose last `outputs` slots are the output buffers."""
        ...

    def synchronize(self) -> None:
        """Waits until all that this process asked of the device is done."""
        ...

    def reading(self) -> Reading | None:
        """How the device is now: clocks, temperature, power; None where nobody measures that."""
        ...

    def for_worker(self) -> dict[str, Any] | None:
        """What a worker must know to open it; None for host memory."""
        ...
