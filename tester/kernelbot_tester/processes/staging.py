"""Memory through which tensors travel between the judge and the problem process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ..device.device import Device, Memory
from ..messages import Case
from ..worker.layout import Slot, rebuild
from ..worker.protocol import Tree


@dataclass
class InputAhead:
    """An input that is generated before it is needed: its case and seed, and whether it is in the staging memory."""

    made: tuple[Case, int | None]
    is_there: bool = False


class Staging:
    """Memory in which the judge and the problem process share the tensors of one rank."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.memories: dict[str, Memory] = {}
        #: Tensors of the last input, in order.
        self.tensors: list[torch.Tensor] = []

    def holds(self, sizes: dict[str, int]) -> bool:
        """Whether each memory has at least this size."""
        return all(memory in self.memories and size <= self.memories[memory].size for memory, size in sizes.items())

    def allocate(self, sizes: dict[str, int]) -> None:
        """Allocates new memory in place of the old."""
        self.close()
        for memory, size in sizes.items():
            self.memories[memory] = self.device.allocate(memory, size)

    def lay_out(self, tree: Tree) -> Any:
        """Returns an input of this tree, whose tensors are views of this memory."""
        data, self.tensors = rebuild(tree, self._view)
        return data

    def _view(self, slot: Slot) -> torch.Tensor:
        return slot.view(self.memories[slot.memory].raw(slot))

    def close(self) -> None:
        """Frees the memory."""
        self.tensors = []
        for memory in self.memories.values():
            memory.close()
        self.memories = {}
