"""Interface of a device for the judge."""

from __future__ import annotations

from typing import Protocol

import torch

from ..worker.layout import Slot
from ..worker.library import Probes
from ..worker.protocol import DeviceRequest
from .telemetry import Reading


class Memory(Protocol):
    """Memory that can be shared with a worker by an open file."""

    file: int
    size: int

    def raw(self, slot: Slot) -> torch.Tensor:
        """Returns the bytes of a slot as a tensor of uint8."""
        ...

    def close(self) -> None:
        """Frees the memory. The worker may keep its own mapping until it ends."""
        ...


class Contents(Protocol):
    """The judge's access to an arena's inputs and outputs. The worker is frozen except between `reveal` and `hold`."""

    #: Addresses that `Worker.call` reads in C when the worker signals completion.
    probes: Probes
    #: Size of the output buffers.
    output_bytes: int

    def move(self, shift: int) -> None:
        """Moves the inputs and outputs to `shift` bytes behind the start of their memories."""
        ...

    def fill(self, sources: list[torch.Tensor], burst: bool = False) -> None:
        """Writes inputs, poisons the outputs and evicts both from the caches. `burst`: withholds the inputs completely, and
        evicts nothing."""
        ...

    def reveal(self) -> None:
        """Writes what `fill` has withheld. The clock is already running. The caller synchronizes the device."""
        ...

    def hold(self) -> bool:
        """Takes samples of the outputs right after the worker has signalled completion; the judge has them once the
        caller has synchronized the device. Returns False where the C code took them and has stopped the clock."""
        ...

    def outputs_now(self) -> list[torch.Tensor]:
        """Returns the outputs, which do not change while the worker is frozen."""
        ...

    def changed_since_done(self) -> bool:
        """Whether an output differs from the samples of `hold`, or from its copy."""
        ...


class Device(Protocol):
    """A device that holds tensors."""

    #: `cpu` or `accelerator`, which decides how rounds are summarised.
    kind: str
    #: PyTorch's name of the device type.
    name: str

    def of_rank(self, rank: int) -> "Device":
        """Returns the device of a rank, where several are opened. Raises NotJudged where there are too few."""
        ...

    def start(self) -> None:
        """Opens the device, before any other use. Called in the judge. Raises NotJudged."""
        ...

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor of an input, `host` or `device`; None: memory that cannot be shared
        with a worker."""
        ...

    def allocate(self, memory: str, size: int) -> Memory:
        """Allocates memory of a kind that `memory_of` returns, of at least this size."""
        ...

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> Contents:
        """Returns the contents of an arena whose last `outputs` slots are the output buffers."""
        ...

    def synchronize(self) -> None:
        """Waits for all work that this process has submitted to the device."""
        ...

    def drain(self) -> int:
        """Waits until the device does no work of other processes. Returns for how long it did, in nanoseconds; 0 also
        where that was too short to be noticed. Raises Failed where it does not end."""
        ...

    def reading(self) -> Reading | None:
        """Returns the current condition of the device: clocks, temperature, power; None without sensors."""
        ...

    def for_worker(self) -> DeviceRequest | None:
        """Returns what a worker needs to open the device; None for host memory."""
        ...
