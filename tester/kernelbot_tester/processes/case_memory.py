"""Memory that a judge shares with a worker for one case: inputs and output buffers."""

from __future__ import annotations

import random
from typing import Any

import torch

from ..device.device import Device
from ..worker.layout import PLACEMENTS, PROMISED_ALIGNMENT, SHIFT_BYTES, describe

RANDOM = random.SystemRandom()
#: Least share of the calls at the address of the call before. With one in eight, by chance, a kernel that returns its last
#: result at the same address is missed in three of ten runs with nine calls.
SAME_ADDRESS = 1 / 3


class CaseMemory:
    """Shared memory laid out for inputs like `data`, whose last `outputs` tensors are the output buffers. In each
    call they are moved by one of `shifts` (bytes), so that a kernel cannot depend on an address. `index`: that of the
    memory in its worker."""

    def __init__(self, device: Device, index: int, data: Any, outputs: int, shifts: list[int]) -> None:
        self.device = device
        self.index = index
        self.outputs = outputs
        self.tree, placed = describe(data, device.memory_of)
        #: The inputs described last, which the caller rewrites in place, and their tensors. The problem process alternates
        #: between two.
        self.described = [(data, [source for _, source in placed])]
        slots = [slot for slot, _ in placed]
        sizes: dict[str, int] = {}
        for slot in slots:
            sizes[slot.memory] = slot.end
        self.memories = {memory: device.allocate(memory, size + SHIFT_BYTES) for memory, size in sizes.items()}
        self.contents = device.contents(slots, self.memories, outputs)
        self.shifts = shifts
        #: Index of the current shift.
        self.placement = 0

    @property
    def files(self) -> list[int]:
        """Files from which a worker maps the memories, in the order of `memories`."""
        return [memory.file for memory in self.memories.values()]

    def close(self) -> None:
        """Frees the memory. The worker may keep its own mapping until it ends."""
        for memory in self.memories.values():
            memory.close()

    @property
    def output_bytes(self) -> int:
        """Size of the output buffers."""
        return self.contents.output_bytes

    def write(self, data: Any, burst: bool = False) -> bool:
        """Writes new inputs, poisons the outputs and evicts both from the caches. Returns False where the inputs need
        another layout. `burst`: withholds the inputs completely, and evicts nothing."""
        sources = next((known for one, known in self.described if one is data), None)
        if sources is None:
            tree, placed = describe(data, self.device.memory_of)
            if tree != self.tree:
                return False
            sources = [source for _, source in placed]
            self.described = [*self.described[-1:], (data, sources)]
        if RANDOM.random() >= SAME_ADDRESS:
            self.placement = RANDOM.randrange(len(self.shifts))
        self.contents.move(self.shifts[self.placement])
        self.contents.fill(sources, burst)
        return True

    @property
    def first_binding(self) -> int:
        """Number of its first binding in the worker."""
        return self.index * PLACEMENTS

    @property
    def binding(self) -> int:
        """Number of the worker's binding for the current address."""
        return self.first_binding + self.placement

    def changed_since_done(self) -> bool:
        """Whether an output has changed since the worker signalled completion. The worker must be frozen."""
        return self.contents.changed_since_done()

    def outputs_now(self) -> list[torch.Tensor]:
        """Returns the output buffers, which do not change while the worker is frozen."""
        return self.contents.outputs_now()


def random_shifts() -> list[int]:
    """Returns the shifts of a case in a run."""
    return RANDOM.sample(range(0, SHIFT_BYTES, PROMISED_ALIGNMENT), PLACEMENTS)
